import { LOCAL_ACCOUNT, localAccount, withNode } from '../../src/cli/context.ts';
import type { ServiceNode } from '../../src/node.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import { blobBytes } from '../../src/store/blobs.ts';

/** What a solver is asked. */
export type Request = readonly [solver: string, body: unknown];

/**
 * Runs every request on the node of a data folder and packs its answer: what `svc run` and `svc bundle` do, in one
 * process for all of them. @returns the bundles as JSON, in the order of the requests
 */
export function bundlesOf(data: string, requests: readonly Request[]): Promise<string[]> {
  return withNode({ data }, async (node) => {
    await localAccount(node);
    return Promise.all(requests.map((request) => bundleOf(node, request)));
  });
}

async function bundleOf(node: ServiceNode, [solver, body]: Request): Promise<string> {
  const job = await node.spine.submit({ account: LOCAL_ACCOUNT, solver, body });
  const { answer } = await job.outcome;
  const bundle = await makeBundle(JSON.parse(new TextDecoder().decode(answer)), {
    blob: (digest) => blobBytes(node.store, digest),
    kernel: async (digest) => node.catalogue.bytes(digest),
  });
  return JSON.stringify(bundle);
}

/** Does the work for each of the list, two at a time. */
export async function twoAtOnce<T>(list: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = list[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all([lane(), lane()]);
}

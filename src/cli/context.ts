import { plancksPerHour } from '../ledger/plancks.ts';
import { settings } from '../main.ts';
import { ServiceNode } from '../node.ts';
import { DuplicateKey } from '../store/store.ts';
import type { CommonOptions } from './options.ts';

/** Opens the node of the data folder for one command, beside a running node or without one; never as one of a mesh. */
export async function withNode<T>(
  options: CommonOptions,
  work: (node: ServiceNode) => Promise<T>,
): Promise<T> {
  const { mesh: _, ...config } = settings({ data: options.data }).node;
  const node = await ServiceNode.open({ ...config, lazyThreads: true });
  try {
    return await work(node);
  } finally {
    await node.close();
  }
}

/** The account that `svc run` charges on this machine. */
export const LOCAL_ACCOUNT = 'local';
const LOCAL_GRANT = 1000n * plancksPerHour;

/** Opens and funds the local account on first use. @returns what was done, for a line to the user */
export async function localAccount(node: ServiceNode): Promise<string | undefined> {
  if (await node.accounts.exists(LOCAL_ACCOUNT)) {
    const { bond, free, paid } = await node.accounts.means(LOCAL_ACCOUNT);
    if (bond + free + paid >= LOCAL_GRANT / 10n) return undefined;
    await node.accounts.grant(LOCAL_ACCOUNT, LOCAL_GRANT);
    return `granted another 1000 compute-hours to the account ‘${LOCAL_ACCOUNT}’ of this machine`;
  }
  try {
    await node.accounts.create({ zid: LOCAL_ACCOUNT, label: 'this machine', fuel: LOCAL_GRANT });
    return `opened the account ‘${LOCAL_ACCOUNT}’ of this machine with 1000 compute-hours; runs are charged to it`;
  } catch (error) {
    if (error instanceof DuplicateKey) return undefined; // another command was first
    throw error;
  }
}

import { sha256 } from '#crypto';
import type { Credits } from '../../../mesh/coordinator/ports.ts';
import type { RunSheet } from '../../../mesh/coordinator/run-rows.ts';
import { type Claim, commitmentOf } from '../../../mesh/decide/claim.ts';
import { openRun, type Policy } from '../../../mesh/decide/run.ts';
import type { Kept, Reveal } from '../../../mesh/desk.ts';
import type { Front } from '../../../mesh/front.ts';
import { meshNodes } from '../../../mesh/records.ts';
import { fromHex, toHex } from '../../../src/proof/bytes.ts';
import { segmentDigest } from '../../../src/proof/digests.ts';
import { merkleRoot } from '../../../src/proof/merkle.ts';
import { LocalMesh } from '../local-mesh.ts';

// What a node may say of a run that no kernel stands behind, said to the coordinator directly.

export const hash = 'ab'.repeat(32);
export const nothing = new Uint8Array(0);
const salt = new Uint8Array(32);
export const RUN = 'j-0';

/** The state after so much work: its counters, of which one step is a unit. */
export function stateAt(work: bigint): Uint8Array {
  const state = new Uint8Array(64);
  const counters = new DataView(state.buffer);
  counters.setBigUint64(0, work, true);
  counters.setBigUint64(8, work, true);
  return state;
}

/** Where a run is at the end of a segment, after so much work. */
export function startAt(segment: number, work: bigint) {
  const state = stateAt(work);
  const rowsHash = sha256(nothing);
  const end = { segment, steps: Number(work), status: 0, state, rowsHash };
  const digest = toHex(segmentDigest(fromHex(hash), end));
  const names = { state: toHex(sha256(state)), rowsHash: toHex(rowsHash) };
  return { segment, steps: Number(work), work: String(work), digest, ...names };
}

/** Bytes that hold to their own claim, whoever made them up: `work` is the counter at the end. */
export function madeUp(fence: number, from: number, to: number, work: bigint): Reveal {
  const { digest, steps, state, rowsHash } = startAt(to, work);
  const count = to - from + 1;
  const claim: Claim = {
    ...{ from, to, steps, work: String(work), state, rowsHash },
    digests: [...Array<string>(count - 1).fill(hash), digest],
    rowsRoot: toHex(merkleRoot(Array<Uint8Array>(count).fill(sha256(nothing)))),
  };
  const rows = Array<Uint8Array>(count).fill(nothing);
  return { run: RUN, fence, claim, salt, state: stateAt(work), rows, observed: [] };
}

/** A mesh with a run of nobody's kernel; its time stands. */
export async function begun(
  t: Parameters<typeof LocalMesh.open>[0],
  policy: Policy = 'none',
  credits?: Credits,
): Promise<LocalMesh> {
  const books = credits && { schemas: [], credits: () => credits };
  const mesh = await LocalMesh.open(t, { stands: true, ...(books && { books }) });
  const sheet: RunSheet = {
    ...{ runHash: hash, kernel: hash, parameters: hash, stepsPerSegment: 1, memory: 1 },
    ...{ work: 1, class: 'paid-small' },
  };
  const run = openRun({ id: RUN, kernel: hash, payer: 'payer', policy }, 0);
  await mesh.coordinator.begin('j', sheet, run, 2n ** 62n);
  return mesh;
}

export const admit = (mesh: LocalMesh, mode: string, id = 'mallory', cores = 1n) =>
  mesh.store.transaction((tx) =>
    tx.put(meshNodes, {
      ...{ id, owner: id, engine: 'e', cores, memory: 1n, mode },
      ...{ state: 'admitted', admitted_ns: 0n, heard_ns: 0n },
    }),
  );

/** @returns the fence of the lease, or −1 */
export async function leased(mesh: LocalMesh, node = 'mallory'): Promise<number> {
  await admit(mesh, 'contributing', node);
  const [answer] = await mesh.coordinator.leases(node, [RUN]);
  return answer && 'lease' in answer ? answer.lease.fence : -1;
}

/** Commits, to another service node where one is given, and reveals. */
export async function show(
  mesh: LocalMesh,
  node: string,
  reveal: Reveal,
  other: Pick<Front, 'results'> = mesh.coordinator,
): Promise<readonly Kept[]> {
  const { run, fence, claim } = reveal;
  const { from, to } = claim;
  const commitment = toHex(commitmentOf(claim, reveal.salt));
  const commit = { kind: 'commit', run, fence, from, to, commitment } as const;
  const kept = await other.results([{ node, result: commit }]);
  return [...kept, ...(await mesh.coordinator.results([{ node, result: { kind: 'reveal', ...reveal } }]))];
}

import { randomBytes } from 'node:crypto';
import { areBytesOf, packSpan } from '../../mesh/coordinator/span-bytes.ts';
import { commitmentOf, isCommittedTo } from '../../mesh/decide/claim.ts';
import type { NatsObjects } from '../../mesh/nats/objects.ts';
import { isFromInTime, signature } from '../../mesh/nats/signature.ts';
import { meshRuns, meshSpans } from '../../mesh/records.ts';
import { creditWork } from '../../src/contribute/credit.ts';
import type { Store } from '../../src/store/store.ts';
import { quick } from '../figure.ts';
import { rateInFlight } from '../store/durable-commits.ts';
import { identity } from './deployment.ts';
import { claimOf, rowBytes, stateAt } from './made-up-segment.ts';

// What a segment costs a service node at the least, whatever decides about it: each part alone, as dispatch.ts has it.

const COUNT = quick ? 32 : 2048;
/** Decisions in a transaction (mesh/coordinator/decisions.ts). */
const TOGETHER = 16;
/** A parcel (mesh/nats/outbox.ts) and the segments in it. */
const PARCEL = { bytes: 32 * 1024, segments: 14 };

/** Microseconds of this process's processor time, its helpers included, for each of `count`. */
async function cpuOf(
  count: number,
  inFlight: number,
  work: (n: number) => Promise<unknown>,
): Promise<number> {
  const before = process.cpuUsage();
  await rateInFlight(count, inFlight, work);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function reveal(runHash: string, stateBytes: number) {
  const state = stateAt(0, stateBytes);
  const claim = claimOf(runHash, { from: 0, to: 0, isLast: false }, state);
  const salt = new Uint8Array(randomBytes(32));
  return { run: 'parts', fence: 1, claim, salt, state, rows: [rowBytes], observed: [] };
}

/** Bytes against claim, claim against commitment. */
function hashes(runHash: string, stateBytes: number): Promise<number> {
  const shown = reveal(runHash, stateBytes);
  const commitment = commitmentOf(shown.claim, shown.salt);
  return cpuOf(COUNT, 1, async () => {
    if (!areBytesOf(runHash, shown) || !isCommittedTo(shown.claim, shown.salt, commitment))
      throw new Error('a claim that belongs together does not');
  });
}

/** Its share of the signature of a parcel, verified, and of that of the answer. */
async function signatures(): Promise<number> {
  const node = identity(1);
  const data = new Uint8Array(PARCEL.bytes);
  const headers = signature(node, 'parcel', data);
  const message = { data, header: (name: string) => headers[name] ?? '' };
  const both = await cpuOf(COUNT / 8, 4, async () => {
    if (!(await isFromInTime(node.id, 'parcel', message))) throw new Error('a signature does not hold');
    signature(node, 'answer', data.subarray(0, 1024));
  });
  return both / PARCEL.segments;
}

/** The rows of a segment, sixteen segments to a transaction: its run, its span, what was credited. */
async function rows(store: Store, run: string, runHash: string, stateBytes: number): Promise<number> {
  const { machine } = (await store.get(meshRuns, { id: run }))!;
  const { claim } = reveal(runHash, stateBytes);
  let n = 0;
  const written = () =>
    store.transaction(async (tx) => {
      for (let i = 0; i < TOGETHER; i++) {
        const [from, id, atNs] = [n++, `parts-${i}`, 1n];
        const segments = { run: id, from_segment: BigInt(from), to_segment: BigInt(from) };
        await tx.update(meshRuns, { id: run }, { machine, version: BigInt(n) });
        const who = { node: 'n', owner: 'o' };
        await tx.put(meshSpans, {
          ...{ ...segments, ...who, claim, bytes: runHash, work: 1n, drawn_ns: null, accepted_ns: atNs },
        });
        const done = { ...who, run: id, payer: 'p', from, to: from, work: 1n, planned: 2n ** 60n, job: 'j' };
        await creditWork(tx, { ...done, kind: 'segment', fence: 0, atNs }, 0n);
      }
    });
  return (await cpuOf(COUNT / TOGETHER, 8, written)) / TOGETHER;
}

/** Its bytes in the object store. */
function object(objects: NatsObjects, stateBytes: number): Promise<number> {
  const state = stateAt(0, stateBytes);
  return cpuOf(COUNT, 128, (n) =>
    objects.put('parts', packSpan({ rows: [rowBytes], observed: [], state }, String(n))),
  );
}

export interface Parts {
  readonly hashes: number;
  readonly signatures: number;
  readonly rows: number;
  readonly object: number;
}

/** @param run one that is in the store */
export async function partsOfSegment(
  { store, objects }: { readonly store: Store; readonly objects: NatsObjects },
  run: string,
  { runHash, stateBytes }: { readonly runHash: string; readonly stateBytes: number },
): Promise<Parts> {
  return {
    hashes: await hashes(runHash, stateBytes),
    signatures: await signatures(),
    rows: await rows(store, run, runHash, stateBytes),
    object: await object(objects, stateBytes),
  };
}

import { sha256 } from '#crypto';
import { concat, equalBytes, fromHex, split, toHex, u32le, utf8 } from '../../src/proof/bytes.ts';
import { segmentDigest } from '../../src/proof/digests.ts';
import type { Digest } from '../../src/proof/job.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';
import type { Claim } from '../decide/claim.ts';
import type { Reveal } from '../desk.ts';
import type { Objects } from './ports.ts';

/** Rows, result and what was shown at the end of a span: one object, held to the claim before it is kept. */
export interface SpanBytes {
  readonly rows: readonly Uint8Array[];
  readonly result?: Uint8Array;
  readonly observed: readonly number[];
  /** The state at the end, where it lies here and is no object of its own. */
  readonly state?: Uint8Array;
}

/** A state that is not larger lies beside its rows: a short span is one object, not two. */
const BESIDE_ROWS_BYTES = 64 * 1024;
export const liesBesideRows = (state: Uint8Array): boolean => state.length <= BESIDE_ROWS_BYTES;

/**
 * u32 heading length ‖ heading ‖ pieces. `name` is of one reveal alone, so that no two have the same bytes, and one
 * may be let go of.
 */
export function packSpan({ rows, result, observed, state }: SpanBytes, name: string): Uint8Array {
  const pieces = [...rows, ...(result ? [result] : []), ...(state ? [state] : [])];
  const lengths = pieces.map((piece) => piece.length);
  const counts = { lengths, rows: rows.length, ...(state && { state: pieces.length - 1 }) };
  const heading = utf8(JSON.stringify({ name, ...counts, observed: observed.map(String) }));
  return concat([u32le(heading.length), heading, ...pieces]);
}

export function unpackSpan(bytes: Uint8Array): SpanBytes {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const heading = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  const pieces = split(bytes.subarray(4 + size), heading.lengths as number[]);
  const ends = pieces.slice(heading.rows, heading.state);
  return {
    rows: pieces.slice(0, heading.rows),
    result: ends[0],
    observed: (heading.observed as string[]).map(Number),
    state: heading.state === undefined ? undefined : pieces[heading.state],
  };
}

/** The state at the end of a span, wherever it lies. @returns undefined where it is lost */
export async function stateOf(
  objects: Pick<Objects, 'get'>,
  run: string,
  { claim, bytes }: { readonly claim: Claim; readonly bytes: Digest },
): Promise<Uint8Array | undefined> {
  const own = await objects.get(run, claim.state);
  if (own || bytes === '') return own;
  const packed = await objects.get(run, bytes);
  return packed && unpackSpan(packed).state;
}

/**
 * Whether the bytes that came with a claim are those that it names, and lead to D_to: whoever goes on from them needs
 * to trust nobody. What they came from only a second execution can tell.
 */
export function areBytesOf(runHash: Digest, { claim, state, rows, result }: Reveal): boolean {
  const hashes = rows.map((each) => sha256(each));
  return (
    rows.length === claim.to - claim.from + 1 &&
    toHex(sha256(state)) === claim.state &&
    toHex(merkleRoot(hashes)) === claim.rowsRoot &&
    toHex(hashes.at(-1)!) === claim.rowsHash &&
    countsAsClaimed(claim, state) &&
    leadsTo(runHash, claim, state) &&
    (claim.final
      ? result !== undefined && toHex(sha256(result)) === claim.final.result
      : result === undefined)
  );
}

/** A state begins with its counters of work and of steps, u64 each (docs/protocol.md, 'Kernel'). */
function countsAsClaimed({ work, steps, final }: Claim, state: Uint8Array): boolean {
  if (final && final.status !== 1) return true; // it counts as empty
  if (state.length < 16) return false;
  const counters = new DataView(state.buffer, state.byteOffset);
  return counters.getBigUint64(0, true) === BigInt(work) && counters.getBigUint64(8, true) === BigInt(steps);
}

function leadsTo(runHash: Digest, claim: Claim, state: Uint8Array): boolean {
  const end = {
    segment: claim.to,
    steps: claim.steps,
    status: claim.final?.status ?? 0,
    state,
    rowsHash: fromHex(claim.rowsHash),
  };
  return equalBytes(segmentDigest(fromHex(runHash), end), fromHex(claim.digests.at(-1)!));
}

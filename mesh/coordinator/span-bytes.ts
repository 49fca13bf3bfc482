import { sha256 } from '#crypto';
import { concat, equalBytes, fromHex, split, toHex, utf8 } from '../../src/proof/bytes.ts';
import { segmentDigest } from '../../src/proof/digests.ts';
import type { Digest } from '../../src/proof/job.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';
import type { Claim } from '../decide/claim.ts';
import type { Reveal } from '../desk.ts';

/** Rows, result and what was shown at the end of a span: one object, held to the claim before it is kept. */
export interface SpanBytes {
  readonly rows: readonly Uint8Array[];
  readonly result?: Uint8Array;
  readonly observed: readonly number[];
}

/**
 * u32 heading length ‖ heading ‖ pieces. `name` is of one reveal alone, so that no two have the same bytes, and one
 * may be let go of.
 */
export function packSpan({ rows, result, observed }: SpanBytes, name: string): Uint8Array {
  const pieces = result ? [...rows, result] : rows;
  const lengths = pieces.map((piece) => piece.length);
  const heading = utf8(JSON.stringify({ name, lengths, rows: rows.length, observed: observed.map(String) }));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, heading.length, true);
  return concat([size, heading, ...pieces]);
}

export function unpackSpan(bytes: Uint8Array): SpanBytes {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const heading = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  const pieces = split(bytes.subarray(4 + size), heading.lengths as number[]);
  return {
    rows: pieces.slice(0, heading.rows),
    result: pieces[heading.rows],
    observed: (heading.observed as string[]).map(Number),
  };
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

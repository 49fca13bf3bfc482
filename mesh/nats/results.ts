import { concat, doublesOf, fromHex, toHex } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Result } from '../coordinator/coordinator.ts';
import type { Claim } from '../decide/claim.ts';
import { type Packed, pack } from './frame.ts';
import { type ClaimHeader, MOST_SEGMENTS, type ResultHeader } from './messages.ts';

/**
 * Commitments, reveals and answers to checks as messages. Attachments:
 *
 *     checked   digests (32 bytes each)
 *     reveal    digests, salt, state, observed (f64), rows of each segment, the result where there is one
 */
export function packResult(id: string, result: Result): Packed {
  const { run, fence } = result;
  switch (result.kind) {
    case 'commit': {
      const { from, to, commitment } = result;
      return pack({ result: 'commit', id, run, fence, from, to, commitment });
    }
    case 'checked': {
      const { digests, ...claim } = result.claim;
      return pack({ result: 'checked', id, run, fence, claim }, [digestBytes(digests)]);
    }
    case 'reveal': {
      const { digests, ...claim } = result.claim;
      const { salt, state, observed, rows } = result;
      const ends = result.result ? [result.result] : [];
      const shown = [digestBytes(digests), salt, state, doubleBytes(observed), ...rows, ...ends];
      return pack({ result: 'reveal', id, run, fence, claim }, shown);
    }
  }
}

/** @returns undefined where the attachments are not those of such a message */
export function resultOf(header: ResultHeader, attachments: readonly Uint8Array[]): Result | undefined {
  const { run, fence } = header;
  if (header.result === 'commit') {
    const { from, to, commitment } = header;
    return attachments.length === 0 ? { kind: 'commit', run, fence, from, to, commitment } : undefined;
  }
  const claim = claimOf(header.claim, attachments[0]);
  if (!claim) return undefined;
  if (header.result === 'checked')
    return attachments.length === 1 ? { kind: 'checked', run, fence, claim } : undefined;
  return revealOf(run, fence, claim, attachments);
}

function revealOf(
  run: string,
  fence: number,
  claim: Claim,
  [, salt, state, observed, ...pieces]: readonly Uint8Array[],
): Result | undefined {
  const segments = claim.digests.length;
  if (!salt || !state || !observed || observed.length > MOST_OBSERVED || observed.length % 8 !== 0)
    return undefined;
  if (pieces.length !== segments && pieces.length !== segments + 1) return undefined;
  const rows = pieces.slice(0, segments);
  const result = pieces[segments];
  const shown = { salt, state, rows, observed: [...doublesOf(observed)] };
  return { kind: 'reveal', run, fence, claim, ...shown, ...(result ? { result } : {}) };
}

const MOST_OBSERVED = 64 * 1024;

function claimOf(header: ClaimHeader, packed: Uint8Array | undefined): Claim | undefined {
  const { from, to } = header;
  const segments = to - from + 1;
  if (!packed || segments < 1 || segments > MOST_SEGMENTS || packed.length !== 32 * segments)
    return undefined;
  return { ...header, digests: digestsIn(packed) };
}

const digestBytes = (digests: readonly Digest[]): Uint8Array => concat(digests.map(fromHex));

function digestsIn(packed: Uint8Array): Digest[] {
  const count = packed.length / 32;
  return Array.from({ length: count }, (_, i) => toHex(packed.subarray(32 * i, 32 * (i + 1))));
}

/** Little-endian f64: what a kernel shows may be no number. */
function doubleBytes(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [i, value] of values.entries()) view.setFloat64(8 * i, value, true);
  return bytes;
}

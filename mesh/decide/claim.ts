import { sha256 } from '#crypto';
import { equalBytes, fromHex, utf8 } from '../../src/proof/bytes.ts';
import { canonicalText } from '../../src/proof/canonical.ts';
import type { Digest } from '../../src/proof/job.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';

/**
 * What a node says of segments `from` … `to` of a run (docs/protocol.md, 'Between nodes'). Two honest nodes make the
 * same claim, to the byte: that is all that the mesh ever compares.
 */
export interface Claim {
  readonly from: number;
  readonly to: number;
  /** D_from … D_to. */
  readonly digests: readonly Digest[];
  /** Steps since the start of the run, at the end of `to`. */
  readonly steps: number;
  /** The kernel's work counter at the end of `to`, since the start of the run; decimal. */
  readonly work: string;
  /** SHA-256 of the state at the end of `to`, for whoever goes on from there. */
  readonly state: Digest;
  /** Merkle root over the SHA-256 of the rows drained in each of the segments. */
  readonly rowsRoot: Digest;
  /** SHA-256 of the rows drained in segment `to`: with it a state is checked against D_to. */
  readonly rowsHash: Digest;
  /** Present when the run ended with segment `to`. */
  readonly final?: FinalClaim;
}

export interface FinalClaim {
  /** 1 finished; 16 and up an error code. */
  readonly status: number;
  /** SHA-256 of the result bytes. */
  readonly result: Digest;
}

const commitTag = utf8('SVC-COMMIT-1\0');

/** All that is claimed beside the digests. */
const textBeside = ({ digests: _, ...beside }: Claim): string => canonicalText(beside);

/** Root over D_from … D_to and, as the last leaf, all that is claimed beside them. */
export function claimRoot(claim: Claim): Uint8Array {
  return merkleRoot([...claim.digests.map(fromHex), utf8(textBeside(claim))]);
}

/** What is published before the claim: nobody can copy a claim from it, nobody can change the claim behind it. */
export function commitmentOf(claim: Claim, salt: Uint8Array): Uint8Array {
  return sha256(commitTag, salt, claimRoot(claim));
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Lower-case hexadecimal, so that no two texts stand for the same bytes. */
export const isDigest = (value: unknown): value is Digest =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Whether what a node sent has the shape of a claim: each number counts, each digest has its one spelling. */
export function isClaim(value: Claim): boolean {
  const { from, to, digests, steps, work, state, rowsRoot, rowsHash, final } = value;
  return (
    [from, to, steps].every(isCount) &&
    Array.isArray(digests) &&
    digests.length === to - from + 1 &&
    [...digests, state, rowsRoot, rowsHash].every(isDigest) &&
    typeof work === 'string' &&
    /^(0|[1-9][0-9]{0,17})$/.test(work) &&
    (final === undefined || (isCount(final.status) && final.status > 0 && isDigest(final.result)))
  );
}

export function isCommittedTo(claim: Claim, salt: Uint8Array, commitment: Uint8Array): boolean {
  return salt.length === 32 && equalBytes(commitmentOf(claim, salt), commitment);
}

/**
 * The first segment on which two claims over the same span differ; undefined when they say the same. Equal digests
 * with another count of steps, work, state or result differ in the last segment.
 */
export function firstDifference(a: Claim, b: Claim): number | undefined {
  const at = a.digests.findIndex((digest, i) => digest !== b.digests[i]);
  if (at >= 0) return a.from + at;
  return textBeside(a) === textBeside(b) ? undefined : a.to;
}

/**
 * What `one` says of its span, held against another claim that begins there too: all of it where the other is as long,
 * else the digests alone.
 */
export function saysTheSame(one: Claim, other: Claim): boolean {
  if (other.to === one.to) return firstDifference(one, other) === undefined;
  // Where one saw the end of the run, nobody can have gone on.
  return one.final === undefined && one.digests.every((d, i) => d === other.digests[i]);
}

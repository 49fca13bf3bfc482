import { sha256 } from '#crypto';
import { fromHex, u32le, u64le, utf8 } from './bytes.ts';
import type { Digest, FinishedRun } from './job.ts';
import { merkleRoot } from './merkle.ts';

// Digests of runs and jobs to the byte: docs/protocol.md, 'Digests'. Integers are little endian.

const runTag = utf8('SVC-RUN-1\0');
const segmentTag = utf8('SVC-SEG-1\0');
const resultTag = utf8('SVC-RES-1\0');
const empty = new Uint8Array(0);

export function runHash(kernel: Digest, parameters: Uint8Array, stepsPerSegment: number): Uint8Array {
  return sha256(runTag, fromHex(kernel), u64le(parameters.length), parameters, u64le(stepsPerSegment));
}

export interface SegmentEnd {
  readonly segment: number;
  /** Steps since the start of the run. */
  readonly steps: number;
  readonly status: number;
  readonly state: Uint8Array;
  /** SHA-256 of the rows drained in the segment. */
  readonly rowsHash: Uint8Array;
}

/** D_k. With an error status the state counts as empty: engines do not agree on the bits of a NaN. */
export function segmentDigest(run: Uint8Array, end: SegmentEnd): Uint8Array {
  const state = end.status >= 16 ? empty : end.state;
  return sha256(
    segmentTag,
    run,
    u64le(end.segment),
    u64le(end.steps),
    u32le(end.status),
    u64le(state.length),
    state,
    end.rowsHash,
  );
}

/** n is the number of segments, so there are n + 1 digests. */
export function runLeaf(
  run: Uint8Array,
  digestRoot: Uint8Array,
  segments: number,
  resultHash: Uint8Array,
  work: bigint,
): Uint8Array {
  return sha256(resultTag, run, u64le(segments), digestRoot, resultHash, u64le(work));
}

/** What an answer shows of a finished run, and what its leaf is made of. */
export interface RunDigests {
  /** Merkle root over D₀ … D_n. */
  readonly root: Uint8Array;
  readonly resultHash: Uint8Array;
  readonly leaf: Uint8Array;
}

export function digestsOfRun(run: FinishedRun): RunDigests {
  const root = merkleRoot(run.digests);
  const resultHash = sha256(run.result);
  const leaf = runLeaf(fromHex(run.runHash), root, run.digests.length - 1, resultHash, run.work);
  return { root, resultHash, leaf };
}

export function leafOfRun(run: FinishedRun): Uint8Array {
  return digestsOfRun(run).leaf;
}

/** Root over the run leaves in declared order. */
export function jobRoot(runs: readonly FinishedRun[]): Uint8Array {
  return merkleRoot(runs.map(leafOfRun));
}

import { sha256 } from '#crypto';
import { toHex } from '../../src/proof/bytes.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';
import type { Checkpoint } from '../../workers/executor.ts';
import { FIRST_ERROR } from '../../workers/kernel-host.ts';
import type { Claim } from '../decide/claim.ts';

/** A span as it is claimed and shown. */
export interface ShownSpan {
  readonly claim: Claim;
  readonly state: Uint8Array;
  readonly rows: readonly Uint8Array[];
  readonly result?: Uint8Array;
}

const nothing = new Uint8Array(0);

/**
 * What a thread handed over, as a claim with the bytes behind it.
 * @param ended the run, where it ended with this span. After an error neither state nor result count: engines do not
 *   agree on the bits of a NaN (docs/protocol.md, 'Digests')
 */
export function shownSpan(span: Checkpoint, ended?: Pick<FinishedRun, 'status' | 'result'>): ShownSpan {
  const isError = ended !== undefined && ended.status >= FIRST_ERROR;
  const state = isError ? nothing : span.state;
  const result = isError ? nothing : ended?.result;
  const hashes = span.rows.map((rows) => sha256(rows));
  const claim: Claim = {
    from: span.from,
    to: span.segment,
    digests: span.digests.map(toHex),
    steps: span.steps,
    work: String(span.work),
    state: toHex(sha256(state)),
    rowsRoot: toHex(merkleRoot(hashes)),
    rowsHash: toHex(hashes.at(-1)!),
    ...(ended && { final: { status: ended.status, result: toHex(sha256(result!)) } }),
  };
  return { claim, state, rows: span.rows, ...(result && { result }) };
}

import { Refusal } from '../errors/refusal.ts';
import { toHex } from '../proof/bytes.ts';
import { NotFinite } from '../proof/canonical.ts';
import { digestsOfRun, type RunDigests } from '../proof/digests.ts';
import type { Digest } from '../proof/job.ts';
import { type AnswerBody, bodyText, layOutAnswer } from '../proof/make-answer.ts';
import { merkleRoot } from '../proof/merkle.ts';
import { noDiagnostics } from '../proof/receipt.ts';
import { gateKindsOf } from '../proof/verdict-bytes.ts';
import { saidOf } from '../solvers/outputs.ts';
import { engineVersion } from '../version.ts';
import type { Prepared } from './request.ts';
import type { ExecutedJob } from './rounds.ts';
import type { UnsealedAnswer } from './sealed-answer.ts';
import type { Settling } from './settlement.ts';

/** Work units of a job: the sum over its runs. */
export function workOf(job: ExecutedJob): bigint {
  return job.finished.reduce((sum, run) => sum + run.work, 0n);
}

/** Digests of the runs, which the envelope binds and the answer shows. */
export function runDigests(job: ExecutedJob): RunDigests[] {
  return job.finished.map(digestsOfRun);
}

/** What a solver makes of an executed job for its envelope: the same wherever it is planned. */
export function solvedFields({ solver, input, requestHash }: Prepared, { verdict }: ExecutedJob) {
  return {
    operators: ['KO42', ...(solver.operators?.(input) ?? [])],
    solver: solver.id,
    requestHash,
    value: verdict.value,
    unit: solver.unit(input),
    precisionActual: verdict.precisionActual,
    gateKinds: gateKindsOf(verdict.gates),
  };
}

/** What the envelope of an executed job says, apart from charge, time and node. */
export function envelopeFields(
  prepared: Prepared,
  job: ExecutedJob,
  digests: readonly RunDigests[],
  { shownHash }: DraftAnswer,
): Settling['fields'] {
  return {
    ...solvedFields(prepared, job),
    jobRoot: toHex(merkleRoot(digests.map(({ leaf }) => leaf))),
    shownHash,
    engineVersion,
    work: workOf(job),
  };
}

/** An answer but for its seal. */
export interface DraftAnswer extends UnsealedAnswer {
  readonly body: AnswerBody;
  /** What the answer names by digest: to be durable before it is. */
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
  readonly shownHash: Digest;
}

/**
 * Lays out everything that does not wait for the seal, so that the settling transaction stays short.
 * @throws Refusal NON_FINITE where a number beside the value is none, such as one of a run's rows
 */
export function draftAnswer(
  prepared: Prepared,
  job: ExecutedJob,
  digests?: readonly RunDigests[],
): DraftAnswer {
  const { solver, input, request } = prepared;
  const {
    outputs,
    fields,
    plots,
    diagnostics = noDiagnostics,
  } = solver.present(input, job.verdict, job.finished);
  const { units, isUnsealed } = saidOf(solver, input, outputs);
  const laidOut = laidOutOf(solver.id, {
    request,
    requestText: prepared.requestText,
    digests,
    plans: job.plans,
    finished: job.finished,
    gates: job.verdict.gates,
    outputs: { ...outputs, units },
    isUnsealed,
    fields,
    plots,
    assumed: solver.assumed(input),
    warnings: [],
    diagnostics,
  });
  const { body, blobs, shownHash } = laidOut;
  return { body, text: bodyText(laidOut), diagnostics, blobs, shownHash };
}

function laidOutOf(solver: string, job: Parameters<typeof layOutAnswer>[0]) {
  try {
    return layOutAnswer(job);
  } catch (error) {
    if (!(error instanceof NotFinite)) throw error;
    throw new Refusal('NON_FINITE', `${solver}: what it shows left the finite numbers; nothing is sealed.`);
  }
}

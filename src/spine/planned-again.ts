import { sha256 } from '#crypto';
import type { RerunRun } from '../../workers/rerun-thread.ts';
import { Refusal } from '../errors/refusal.ts';
import { blobDigest } from '../proof/answer.ts';
import { toHex } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import { Checks } from '../proof/checks.ts';
import { runHash } from '../proof/digests.ts';
import type { Digest, FinishedRun } from '../proof/job.ts';
import { MAX_KERNEL_MEMORY } from '../proof/limits.ts';
import type { AnswerFile } from '../proof/read-answer.ts';
import { shownOf } from '../proof/shown-hash.ts';
import { blobsIn } from '../solvers/input.ts';
import { solverOf } from '../solvers/registry.ts';
import { engineVersion } from '../version.ts';
import { draftAnswer, solvedFields } from './answers.ts';
import { continuedJob } from './continued.ts';
import { type Prepared, prepareFrom } from './request.ts';
import { type ExecutedJob, executeRounds } from './rounds.ts';

export interface PlannedAgain {
  /** Whether the solver asks for these runs and shows this answer; null where that cannot be told here. */
  readonly agrees: boolean | null;
  /** JSON pointer from the answer on, where it does not agree. */
  readonly where?: string;
  /** In a sentence. */
  readonly detail: string;
}

/** Something that a plan needs and a file does not hold: the answer may be right all the same. */
class NotHere extends Error {}

/** The solver asks for something else, or shows something else. */
class Parts extends Error {
  readonly where: string;

  constructor(where: string, message: string) {
    super(message);
    this.where = where;
  }
}

/**
 * Plans the request of an answer again with the solver of this release and lays out what its runs gave, which were
 * executed again: kernels and parameters are then those that this solver asks for, and outputs, names and units those
 * that it shows. What the kernels alone cannot say (docs/protocol.md, 'Re-execution').
 * @param runs what a re-execution that agrees gave, in their order; fewer where it was too much to keep
 * @param memory bytes that a request may ask for
 */
export async function planAgain(
  file: AnswerFile,
  runs: readonly RerunRun[],
  digestOf: (kernel: string) => Digest,
  memory: number = MAX_KERNEL_MEMORY,
): Promise<PlannedAgain> {
  try {
    const prepared = await preparedAgain(file);
    refuseOtherSize(prepared, file, memory);
    if (runs.length < file.runs.length) throw new NotHere('what its runs gave is more than is kept here');
    const job = await executedAgain(prepared, file, runs, digestOf);
    compare(file, prepared, job);
    return {
      agrees: true,
      detail: `${prepared.solver.id} of ${engineVersion} asks for these runs and shows this answer`,
    };
  } catch (error) {
    if (error instanceof NotHere) return { agrees: null, detail: error.message };
    if (error instanceof Parts) return { agrees: false, where: error.where, detail: error.message };
    if (error instanceof Refusal) return { agrees: false, where: '/request', detail: error.message };
    throw error;
  }
}

/**
 * Why the solver cannot plan an answer again here, which is known before anything runs; undefined where it can try.
 */
export function notPlannable(file: AnswerFile): string | undefined {
  const { envelope, request } = file.answer;
  if (envelope.engine_version !== engineVersion)
    return `the solver of ${engineVersion} is here, the answer is of ${envelope.engine_version}`;
  if (file.request === undefined) return `the request, blob ${blobDigest(request)}, is not in the file`;
  const missing = blobsIn(file.request).find((digest) => heldBlob(file, digest) === undefined);
  if (missing) return `blob ${missing}, which the request names, is not in the file`;
  const before = continuedJob(file.request as Record<string, unknown>);
  return before && `the request continues ${before}, which only its node has`;
}

/** Bytes under another's name are not in the file. */
function heldBlob(file: AnswerFile, digest: Digest): Uint8Array | undefined {
  const bytes = file.blob(digest);
  return bytes && toHex(sha256(bytes)) === digest ? bytes : undefined;
}

async function preparedAgain(file: AnswerFile): Promise<Prepared> {
  const why = notPlannable(file);
  if (why !== undefined) throw new NotHere(why);
  const { requestHash, solver } = file.answer.envelope;
  const loaded = new Map(blobsIn(file.request).map((digest) => [digest, file.blob(digest)!]));
  const missing = (digest: Digest) => Promise.reject(new NotHere(`blob ${digest} is not in the file`));
  const prepared = await prepareFrom(solverOf(solver), file.request, {
    loaded,
    blob: async (digest) => loaded.get(digest) ?? heldBlob(file, digest) ?? missing(digest),
    continued: async (_, job) => {
      throw new NotHere(`the request continues ${job}, which only its node has`);
    },
  });
  if (prepared.requestHash !== requestHash)
    throw new Parts('/request', `the request that ${solver} reads has digest ${prepared.requestHash}`);
  if (canonicalText(file.request) !== prepared.requestText)
    throw new Parts('/request', `${solver} would spell this request otherwise`);
  return prepared;
}

/** A stranger's request is laid out only where its price is that of the runs: it could ask for any amount of memory. */
function refuseOtherSize({ solver, quote }: Prepared, { runs }: AnswerFile, memory: number): void {
  const done = runs.reduce((sum, { work }) => sum + BigInt(work), 0n);
  const asked = BigInt(quote.work);
  if (quote.exact ? done !== asked : done > asked)
    throw new Parts(
      '/envelope/work',
      `${solver.id} asks for ${asked} work units here, the runs took ${done}`,
    );
  if (quote.memory > memory)
    throw new NotHere(`to plan it again would take ${quote.memory} bytes, and ${memory} may be taken`);
}

/** The plan's rounds over what the runs gave, instead of an execution. */
async function executedAgain(
  { solver, input, context }: Prepared,
  file: AnswerFile,
  runs: readonly RerunRun[],
  digestOf: (kernel: string) => Digest,
): Promise<ExecutedJob> {
  const ofHash = new Map(runs.map((run, i) => [run.runHash, withoutDigests(run, file.runs[i]!.segments)]));
  const job = await executeRounds(solver, input, context, async (plan, parameters, index) => {
    const hash = toHex(runHash(digestOf(plan.kernel), parameters, plan.stepsPerSegment));
    const found = ofHash.get(hash);
    if (found) return found;
    throw new Parts(
      `/runs/${index}`,
      `${solver.id} plans another run here (${plan.label}, run hash ${hash})`,
    );
  });
  const own = job.finished.map((run) => run.runHash);
  const differs = file.runs.findIndex((run, i) => run.runHash !== own[i]);
  if (differs < 0 && own.length === file.runs.length) return job;
  const at = differs < 0 ? file.runs.length : differs;
  throw new Parts(`/runs/${at}`, `${solver.id} plans ${own.length} runs in another order`);
}

const noDigest = new Uint8Array(32);

/** No solver looks at digests, and nothing that is compared here shows them. */
const withoutDigests = (run: RerunRun, segments: number): FinishedRun => ({
  ...run,
  digests: new Array<Uint8Array>(segments + 1).fill(noDigest),
});

function compare(file: AnswerFile, prepared: Prepared, job: ExecutedJob): void {
  const { answer, runs } = file;
  const { operators, solver, requestHash, value, unit, precisionActual, gateKinds } = answer.envelope;
  const own = solvedFields(prepared, job);
  const { body, diagnostics } = draftAnswer(prepared, job);
  const labels = job.plans.map(({ kernel, label }) => ({ name: kernel, label }));
  const checks = new Checks();
  const sealed = { operators, solver, requestHash, value, unit, precisionActual, gateKinds };
  checks.equal('sealed', '/envelope', sealed, own);
  checks.equal('value', '', { value: answer.value, unit: answer.unit }, { value: own.value, unit: own.unit });
  checks.equal('shown', '', shownOf(answer, runs), shownOf({ ...body, receipt: diagnostics }, labels));
  const fault = checks.made.find(({ ok }) => !ok);
  if (fault) throw new Parts(fault.where, `${solver} shows something else here: ${fault.detail}`);
}

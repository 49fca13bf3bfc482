import { sha256 } from '#crypto';
import { edgeQuestions } from '../../mesh/contributor/edge-questions.ts';
import {
  answerSelfTest,
  type SelfTestAnswer,
  type SelfTestQuestion,
} from '../../mesh/contributor/self-test.ts';
import type { Executor, RunSpec } from '../../workers/executor.ts';
import type { KernelCatalogue } from '../../workers/kernels.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { toBase64 } from '../proof/bytes.ts';
import { canonicalBytes } from '../proof/canonical.ts';
import type { FinishedRun, RunPlan } from '../proof/job.ts';
import { readInput } from '../solvers/input.ts';
import { solverOf } from '../solvers/registry.ts';
import { executeRounds } from './rounds.ts';
import { type ProbeRequest, probeRequests } from './self-test-requests.ts';

/** The questions of the self-test with this node's own answers. */
export interface SelfTest {
  readonly questions: readonly SelfTestQuestion[];
  readonly answers: readonly SelfTestAnswer[];
}

/** Work units of one probe (1 = 1 ns) and bytes of its parameters, at most, where a kernel leaves a choice. */
const MOST_WORK = 50_000_000;
const MOST_BYTES = 32_768;
/** A byte of parameters is worth so many work units in the choice of a probe: the questions go over the network. */
const UNITS_PER_BYTE = 50;
const SEGMENTS = 4;
const MEMORY = 2 ** 30;

/**
 * Questions for every kernel of this build, answered here. Takes some ten seconds of one core, so once and not at the
 * start of a node.
 */
export async function selfTest(executor: Executor, catalogue: KernelCatalogue): Promise<SelfTest> {
  const questions = await selfTestQuestions(executor, catalogue);
  return { questions, answers: await answerSelfTest(questions, executor) };
}

/**
 * Two runs of each kernel, the cheapest and the one with most to say that is still short, out of the jobs of the
 * solvers' examples; and the edges of the number formats.
 */
export async function selfTestQuestions(
  executor: Executor,
  catalogue: KernelCatalogue,
): Promise<SelfTestQuestion[]> {
  const probes: Probe[] = [];
  for (const request of probeRequests()) probes.push(...(await probesOf(request, executor, catalogue)));
  const chosen = catalogue.names.flatMap((name) =>
    choice(probes.filter(({ plan }) => plan.kernel === name)).map(questionOf),
  );
  return [...edgeQuestions(catalogue), ...chosen];
}

interface Probe {
  readonly request: ProbeRequest;
  readonly plan: RunPlan;
  readonly spec: RunSpec;
  readonly steps: number;
  readonly work: number;
}

async function probesOf(
  request: ProbeRequest,
  executor: Executor,
  catalogue: KernelCatalogue,
): Promise<Probe[]> {
  const solver = solverOf(request.solver);
  const read = readInput(solver.input, request.body);
  const input = solver.canonical?.(read.input) ?? read.input;
  const requestHash = sha256(canonicalBytes(solver.canonical ? input : read.request));
  const blob = () => refuse('UNSUPPORTED', 'A probe takes no blobs.');
  const probes: Probe[] = [];
  const execute = async (plan: RunPlan, parameters: Uint8Array): Promise<FinishedRun> => {
    const { stepsPerSegment, memory, work } = plan;
    const spec = { kernel: catalogue.digest(plan.kernel), parameters, stepsPerSegment, memory, work };
    const run = await executor.execute({ ...spec, memory: MEMORY });
    probes.push({ request, plan, spec, steps: run.steps, work: Number(run.work) });
    return run;
  };
  await executeRounds(solver, input, { requestHash, blob }, execute).catch(unlessRefused);
  return probes;
}

/** A job that is refused has runs to ask for all the same. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

const bytesOf = ({ spec }: Probe): number => spec.parameters.length;

/** Runs of one kernel, at most two. */
function choice(probes: readonly Probe[]): Probe[] {
  const price = (probe: Probe) => probe.work + UNITS_PER_BYTE * bytesOf(probe);
  const [cheapest] = [...probes].sort((a, b) => price(a) - price(b));
  const [fullest] = probes
    .filter((probe) => probe.work <= MOST_WORK && bytesOf(probe) <= MOST_BYTES)
    .sort((a, b) => b.work - a.work);
  return [...new Set([cheapest, fullest])].filter((probe) => probe !== undefined);
}

function questionOf({ request, plan, spec, steps }: Probe, index: number): SelfTestQuestion {
  const { kernel, parameters } = spec;
  return {
    probe: `${plan.kernel} ${index + 1}, of ${request.solver}: ${request.title} (${plan.label})`,
    kernel,
    parameters: toBase64(parameters),
    // Short runs are cut in a few segments, so that digests of states in the middle are among those compared.
    stepsPerSegment: Math.min(spec.stepsPerSegment, Math.max(1, Math.ceil(steps / SEGMENTS))),
    segments: Math.max(SEGMENTS, Math.ceil(steps / spec.stepsPerSegment)),
    memory: MEMORY,
  };
}

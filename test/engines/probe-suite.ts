import { readFileSync } from 'node:fs';
import { sha256 } from '#crypto';
import { Refusal } from '../../src/errors/refusal.ts';
import { concat, toHex } from '../../src/proof/bytes.ts';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import type { Digest, FinishedRun, Part, RunPlan } from '../../src/proof/job.ts';
import { readInput } from '../../src/solvers/input.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { driveRun, instantiateKernel, type KernelExports } from '../../workers/kernel-host.ts';

/**
 * Jobs that every engine must execute to the same digests, as one piece of JSON that needs nobody: kernels, parameters
 * and shapes of all runs. An engine is whatever drives kernels by docs/protocol.md; it knows no solver.
 */
export interface ProbeSuite {
  readonly format: 'svc-probes-1';
  /** Modules in base 64. */
  readonly kernels: Readonly<Record<Digest, string>>;
  /** Parameters that several runs share, in base 64. */
  readonly blobs: Readonly<Record<Digest, string>>;
  readonly jobs: readonly ProbeJob[];
}

export interface ProbeJob {
  readonly solver: string;
  readonly request: string;
  /** How its last run ends: `finished`, or the code of the refusal. */
  readonly ends: string;
  readonly runs: readonly ProbeRun[];
}

export interface ProbeRun {
  readonly kernel: Digest;
  readonly label: string;
  readonly parts: readonly ProbePart[];
  readonly stepsPerSegment: number;
  /** SHA-256 of the result as it was planned, in segments of the planner's length. */
  readonly plannedResult: Digest;
}

/** As in the runs of an answer (docs/protocol.md, 'Answer'). */
export type ProbePart =
  | { readonly bytes: string }
  | { readonly blob: Digest; readonly length: number }
  | { readonly run: number; readonly of: 'result' | 'rows'; readonly from: number; readonly length: number };

/** A request and how its job must end. */
export interface ProbeRequest {
  readonly solver: string;
  readonly title: string;
  readonly body: unknown;
  readonly ends: string;
}

/** Kernels by name: the digest in the manifest, and the bytes. */
export interface KernelSource {
  names(): readonly string[];
  digest(name: string): Digest;
  bytes(digest: Digest): Uint8Array;
}

/** The kernels that were built into this folder. */
export function builtKernels(folder: URL): KernelSource {
  const manifest: Record<string, { sha256: Digest }> = JSON.parse(
    readFileSync(new URL('manifest.json', folder), 'utf8'),
  );
  return {
    names: () => Object.keys(manifest),
    digest(name) {
      const entry = manifest[name];
      if (!entry) throw new Error(`no kernel ${name}: npm run build`);
      return entry.sha256;
    },
    bytes: (digest) => readFileSync(new URL(`${digest}.wasm`, folder)),
  };
}

/** Short runs are cut in at least so many segments, so that a difference has a place and a checkpoint something left. */
const SEGMENTS = 4;

/** A segment no longer than the plan's that cuts a run of `steps` into a few. */
const segmentOf = (planned: number, steps: number) =>
  Math.min(planned, Math.max(1, Math.ceil(steps / SEGMENTS)));

/** Plans and executes each request once, here, and keeps the runs that its solver planned. */
export async function probeSuite(
  requests: readonly ProbeRequest[],
  kernels: KernelSource,
): Promise<ProbeSuite> {
  const instances = new Map<Digest, KernelExports>();
  const jobs: ProbeJob[] = [];
  for (const request of requests) jobs.push(await probeJob(request, kernels, instances));
  const modules = [...instances.keys()].map((digest) => [digest, base64(kernels.bytes(digest))] as const);
  return { format: 'svc-probes-1', kernels: Object.fromEntries(modules), blobs: {}, jobs };
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

async function probeJob(
  request: ProbeRequest,
  kernels: KernelSource,
  instances: Map<Digest, KernelExports>,
): Promise<ProbeJob> {
  const solver = solverOf(request.solver);
  const read = readInput(solver.input, request.body);
  const input = solver.canonical?.(read.input) ?? read.input;
  const requestHash = sha256(canonicalBytes(solver.canonical ? input : read.request));
  const blob = () => Promise.reject(new Error('a probe takes no blobs'));
  const runs: ProbeRun[] = [];
  const execute = async (plan: RunPlan, parameters: Uint8Array, index: number): Promise<FinishedRun> => {
    const kernel = kernels.digest(plan.kernel);
    const instance = instances.get(kernel) ?? instanceOf(kernels.bytes(kernel));
    instances.set(kernel, instance);
    const spec = { kernel, parameters, stepsPerSegment: plan.stepsPerSegment, memory: 2 ** 31, work: 0 };
    const finished = driveRun(instance, spec);
    runs[index] = probeRun(plan, finished);
    return finished;
  };
  const ends = await endOf(executeRounds(solver, input, { requestHash, blob }, execute));
  if (ends !== request.ends || runs.length === 0)
    throw new Error(`${request.solver}, ${request.title}: ends ${ends}, not ${request.ends}`);
  return { solver: request.solver, request: request.title, ends, runs };
}

const instanceOf = (bytes: Uint8Array) => instantiateKernel(new WebAssembly.Module(bytes as BufferSource));

async function endOf(job: Promise<unknown>): Promise<string> {
  try {
    await job;
    return 'finished';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

function probeRun(plan: RunPlan, finished: FinishedRun): ProbeRun {
  return {
    kernel: finished.kernel,
    label: plan.label,
    parts: plan.parts.map(probePart),
    stepsPerSegment: segmentOf(plan.stepsPerSegment, finished.steps),
    plannedResult: toHex(sha256(finished.result)),
  };
}

const probePart = (part: Part): ProbePart => ('bytes' in part ? { bytes: base64(part.bytes) } : part);

/** Several suites as one. */
export function joined(...suites: readonly ProbeSuite[]): ProbeSuite {
  return {
    format: 'svc-probes-1',
    kernels: Object.assign({}, ...suites.map(({ kernels }) => kernels)),
    blobs: Object.assign({}, ...suites.map(({ blobs }) => blobs)),
    jobs: suites.flatMap(({ jobs }) => jobs),
  };
}

/** What earlier runs of the job gave, as far as parts take from it. */
export type Given = Pick<FinishedRun, 'result' | 'rows'>;

/** The parameters of a run, put together as docs/protocol.md says, from what the earlier runs gave here. */
export function parametersOf(run: ProbeRun, suite: ProbeSuite, given: readonly Given[]): Uint8Array {
  return concat(run.parts.map((part) => partBytes(part, suite, given)));
}

function partBytes(part: ProbePart, { blobs }: ProbeSuite, given: readonly Given[]): Uint8Array {
  if ('bytes' in part) return Buffer.from(part.bytes, 'base64');
  if ('blob' in part) return Buffer.from(blobs[part.blob]!, 'base64');
  const earlier = given[part.run]!;
  const whole = part.of === 'result' ? earlier.result : concat(earlier.rows);
  return whole.subarray(part.from, part.from + part.length);
}

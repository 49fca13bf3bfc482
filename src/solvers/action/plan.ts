import type { FinishedRun, Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { type Problem, systemCode } from './problem.ts';
import { type ActionInput, integrators, quantities } from './schema.ts';

/** Layouts and costs as assembly/kernels/action.ts and assembly/verdicts/action.ts have them. */
const RUNGE_KUTTA = 3;
const TWIN_STEPS = 256;
const PAGE = 65536;
const ROW = 56;
const ONCE = 1_000_000;
const PER_ROW = 20_000;
const PER_MASS = 100;
const PER_TAYLOR = 6000;
const MAX_TAYLOR_TIME = 10_000;
export const SCALARS = 16;

export const bodyBytes = (masses: number) => 136 + 8 * (2 * masses + 2);

/** Stages and order of pefrl, leapfrog, yoshida6, Runge–Kutta 4. */
const stages = [5, 2, 8, 5];
const orders = [4, 2, 6, 4];

function unitsPerStep(system: string, scheme: number, masses: number): number {
  const force = system === 'pendulum' ? 45 : system === 'kepler2d' ? 30 : 18;
  return 80 + stages[scheme]! * (force + 4 * (masses - 1));
}

interface Flow {
  readonly scheme: number;
  readonly dt: number;
  readonly first: number;
  readonly last: number;
  readonly stepsPerRow: number;
  readonly label: string;
  readonly q: readonly number[];
  readonly p: readonly number[];
  readonly constants: readonly [number, number];
  readonly before?: Uint8Array | undefined;
}

function flowRun({ system, m }: Problem, flow: Flow): RunPlan {
  const { scheme, dt, first, last, stepsPerRow, q, p, constants, before } = flow;
  const layout = new Layout().f64(
    systemCode(system),
    m,
    ...constants,
    q.length,
    dt,
    first,
    last,
    scheme,
    stepsPerRow,
  );
  const parts: Part[] = [{ bytes: layout.f64s(q).f64s(p).bytes() }];
  if (before) parts.push({ bytes: before });
  const units = unitsPerStep(system, scheme, q.length);
  const bytes = bodyBytes(q.length);
  return {
    kernel: 'action',
    parts,
    stepsPerSegment: segmentSteps(bytes, units),
    steps: last - first,
    work: (last - first) * units,
    memory: PAGE * (2 + Math.ceil((9 * bytes) / PAGE)),
    label: flow.label,
  };
}

/** Systems without a closed form are run at 2h and 4h as well. */
const levelled = ({ system }: Problem) => system === 'henon-heiles' || system === 'fput';
const comparedTwice = (scheme: number) => scheme !== 0;

/** The run, its levels, the twin, and Runge–Kutta at the same step and at as many forces. */
export function flowRuns(input: ActionInput, problem: Problem): RunPlan[] {
  const scheme = integrators.indexOf(input.integrator ?? 'pefrl');
  const { dt, first, last, stepsPerRow, q, p, constants } = problem;
  const start = { q, p, constants };
  const level = (stride: number, label: string): Flow => ({
    ...start,
    scheme,
    dt: dt * stride,
    first: first / stride,
    last: last / stride,
    stepsPerRow: stride === 1 ? stepsPerRow : 0,
    label,
  });
  const flows: Flow[] = [level(1, `${input.integrator ?? 'pefrl'}, ${last - first} steps`)];
  if (levelled(problem)) flows.push(level(2, 'step 2h'), level(4, 'step 4h'));
  if (problem.system === 'fput') flows.push(chainTwin(problem, scheme));
  flows.push({ ...level(1, 'Runge–Kutta 4'), scheme: RUNGE_KUTTA, stepsPerRow: 0 });
  if (comparedTwice(scheme)) {
    const forces = scheme === 1 ? 1 / 4 : 7 / 4;
    const equal = { dt: dt / forces, first: first * forces, last: last * forces };
    flows.push({
      ...start,
      ...equal,
      scheme: RUNGE_KUTTA,
      stepsPerRow: 0,
      label: 'Runge–Kutta 4, equal forces',
    });
  }
  const own = flows.filter(({ label }) => label !== TWIN);
  return flows.map((flow) => {
    const before = flow.label === TWIN ? undefined : input.before?.results[own.indexOf(flow)];
    return flowRun(problem, { ...flow, before });
  });
}

const TWIN = 'twin: lowest mode of a short chain';

function chainTwin({ dt, q, constants }: Problem, scheme: number): Flow {
  const shape = q.length % 2 === 0 ? [1, 1] : [1, Math.sqrt(2), 1];
  return {
    scheme,
    dt,
    first: 0,
    last: TWIN_STEPS,
    stepsPerRow: 0,
    label: TWIN,
    q: shape,
    p: shape.map(() => 0),
    constants: [constants[0], 0],
  };
}

/** Runs whose results a continuation goes on from: all but the twin. */
export const continuedRuns = (problem: Problem, input: ActionInput) =>
  (levelled(problem) ? 3 : 1) + (comparedTwice(integrators.indexOf(input.integrator ?? 'pefrl')) ? 2 : 1);

export function verdictRun(input: ActionInput, problem: Problem, runs: readonly RunPlan[]): RunPlan {
  const { system, m, constants, q, p, dt, last, rows, t0 } = problem;
  const scheme = integrators.indexOf(input.integrator ?? 'pefrl');
  const taylor = system === 'henon-heiles' && last * dt <= MAX_TAYLOR_TIME;
  const masses = q.length;
  const head = new Layout()
    .f64(systemCode(system), m, ...constants, masses, dt, orders[scheme]!, last, rows, t0)
    .f64(quantities.indexOf(input.quantity ?? 'action'), levelled(problem) ? 1 : 0)
    .f64(system === 'fput' ? TWIN_STEPS : 0, comparedTwice(scheme) ? 1 : 0, taylor ? 1 : 0);
  const compared = comparedTwice(scheme) ? 2 : 1;
  const parts: Part[] = [{ bytes: head.f64s(q).f64s(p).bytes() }];
  runs.forEach(({ label }, run) => {
    const twin = label === TWIN;
    if (run >= runs.length - compared) parts.push({ run, of: 'result', from: 40, length: 16 });
    else parts.push({ run, of: 'result', from: 0, length: bodyBytes(twin ? 2 + (masses % 2) : masses) });
  });
  parts.push({ run: 0, of: 'rows', from: 0, length: ROW * rows });
  const expansions = taylor ? Math.ceil((last * dt) / 0.25) + rows : 0;
  return {
    kernel: 'action.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: ONCE + rows * PER_ROW + masses * PER_MASS + expansions * PER_TAYLOR,
    memory: PAGE * (4 + Math.ceil((6 * bodyBytes(masses)) / PAGE)),
    label: 'verdict',
  };
}

/** Steps taken by a finished run since the start, from its result. */
export const stepsOf = ({ result }: Pick<FinishedRun, 'result'>): number =>
  new DataView(result.buffer, result.byteOffset).getFloat64(0, true);

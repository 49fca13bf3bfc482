import { isTaken, refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { beginningOf, earlierState, refuseElsewhere } from '../continuation.ts';
import type { FormulaCost } from '../expressions.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { enclosureBytes, enclosureWork } from '../unresolved.ts';
import {
  energyUnit,
  hbar,
  type Problem,
  problemLayout,
  type Range,
  readProblem,
  sentIntervals,
  wrong,
} from './problem.ts';
import type { PotentialType, SchrodingerInput } from './schema.ts';

// Runs of the modes evolve and transmission. Costs and layouts as the kernels schrodinger-evolve and
// schrodinger-transmission and their verdicts have them.

const PAGE = 65536;
const pages = (bytes: number) => PAGE * (2 + Math.ceil(bytes / PAGE));
const ROWS = 33;
const ROW_BYTES = 40 + 8 * 128;
/** Where ψ stands in a result, behind the heads of the state to go on from. */
const PSI_AT = 80 + 32 + 48;
/** Steps come in 32 rows, also where there are a quarter of them. */
const MULTIPLE = 128;
const DEFAULT_STEPS = 1024;
/** As in assembly/kernels/schrodinger-evolve.ts. */
const [KEPT, BLOCK, COLUMNS] = [32_768, 1024, 8];
const MOST_WORK = 5e10;
/** Of V that is not smooth the places of the nodes show in what a packet does, where V jumps in the order 2. */
const rough: readonly PotentialType[] = ['finite-well', 'barrier', 'table'];
/** These fall within 1/a. */
const steep: readonly PotentialType[] = ['morse', 'poschl-teller'];
export const MOST_NODES = 262_144;

/** What each run of `evolve` that goes on keeps for that: those with dt, 2dt, 4dt and the one on half the nodes. */
export function keptBytes(input: SchrodingerInput): number[] {
  const { nodes } = readEvolution(input);
  return [nodes, nodes, nodes, ...(isRough(input) ? [nodes / 2] : [])].map((n) => 48 + 16 * n);
}

export const isRough = ({ potential }: SchrodingerInput) => rough.includes(potential.type);

const quantities = ['width', 'mean', 'energy'];
const starts = ['initial {type, x0, sigma, k0}', 'initialState {psiRe, psiIm} with optional t0'];

// ---- in time -------------------------------------------------------------------------------------------

export interface Evolution {
  readonly problem: Problem;
  readonly nx: number;
  readonly ny: number;
  readonly nodes: number;
  readonly steps: number;
  /** Beginning and end of this job's run, since the first start. */
  readonly begin: number;
  readonly time: number;
  readonly order: 2 | 4;
}

export function readEvolution(input: SchrodingerInput): Evolution {
  const problem = readProblem(input);
  const { dimensions } = problem;
  const [nx, ny = 1] = sentIntervals(input, dimensions).map((sent) => powerOfTwo(sent, dimensions)) as [
    number,
    number?,
  ];
  checkStart(input, dimensions, nx * ny);
  checkWall(input, problem.x);
  checkSteepness(input, problem.x, nx);
  const time = input.t_max!;
  const begin = beginningOf(input);
  const order = input.integrator === 'suzuki' ? 4 : 2;
  const wanted =
    input.dt === undefined
      ? Math.max(DEFAULT_STEPS, order === 2 ? likelySteps(input, problem, nx, time - begin) : 0)
      : ((time - begin) / input.dt) * (1 - 1e-12);
  const steps = MULTIPLE * Math.max(1, Math.ceil(wanted / MULTIPLE));
  const evolution = {
    problem,
    nx,
    ny,
    nodes: nx * ny,
    steps,
    begin,
    time,
    order,
  } as const;
  const work = steps * unitsPerStep(evolution);
  if (!(work <= MOST_WORK))
    refuse('LIMIT_EXCEEDED', `schrodinger would take ${work} work units.`, {
      field: input.dt === undefined ? 'N' : 'dt',
      measured: work,
      bound: MOST_WORK,
      accepts: 'a larger dt, a shorter t_max or a smaller N',
    });
  return evolution;
}

/** Whether a packet may be asked for so. */
export const isOffered = (input: SchrodingerInput): boolean => isTaken(() => readEvolution(input));

/** Of some V few are known to be too few; else those that make no waves of their own, if one may ask for them. */
function likelySteps(input: SchrodingerInput, { x }: Problem, nx: number, time: number): number {
  const quiet = quietStep(input, (x[1] - x[0]) / nx);
  if (quiet === undefined) return oscillatorSteps(input, time);
  const steps = time / quiet;
  return steps * unitsPerStep({ nodes: nx, order: 2 }) <= MOST_WORK / 2 ? steps : 0;
}

/**
 * Longer steps make waves of a packet that are not there, which go out to the edge. Where V jumps, with nodes h apart,
 * the longest is that in which their shortest wave turns once, ħ(π/h)²/2m dt = 2π. Of an e^(−ax) it is that in which V
 * turns once where ψ has fallen to e^(−20) before it, V = (20ħa)²/2m: higher ones turn phases as low ones do, and the
 * waves that turn once, k = 20a, have e^(−10π) of it.
 */
function quietStep({ potential, mass, units }: SchrodingerInput, h: number): number | undefined {
  const turning = mass / (units === 'reduced' ? 1 : hbar);
  if (rough.includes(potential.type)) return (4 * turning * h * h) / Math.PI;
  return steep.includes(potential.type) ? turning / (32 * potential.a! * potential.a!) : undefined;
}

/** Beside steps, nodes of which ψ before a steep V is still seen to fall to a millionth. */
const NODES_OF_STEEP = 0.4;

/** A step and nodes that make no waves, where those of this request do. */
export function quieter(input: SchrodingerInput): { readonly dt?: number; readonly N?: number } {
  const { problem, nx, steps, begin, time } = readEvolution(input);
  const [low, high] = problem.x;
  const dt = quietStep(input, (high - low) / nx);
  const N = nodesOfSteep(input, (high - low) / NODES_OF_STEEP, nx);
  return {
    ...(dt !== undefined && (time - begin) / steps > dt && { dt }),
    ...(N > nx && N <= MOST_NODES && { N }),
  };
}

/** Of a steep V, nodes of which 1/a has one in `width`, a power of two. */
function nodesOfSteep(
  { potential: { type, a = 0 } }: SchrodingerInput,
  width: number,
  least: number,
): number {
  let N = least;
  while (steep.includes(type) && N < a * width && N <= MOST_NODES) N *= 2;
  return N;
}

/**
 * Nodes 1/a apart see all but a thousandth of what a well −1/cosh²ax does: what they take it for besides is its part with
 * a wave of one cell, z/sinh z of it at z = π²/ah. Between nodes further apart it may be lost whole.
 */
function checkSteepness(input: SchrodingerInput, [low, high]: Range, nx: number): void {
  const least = nodesOfSteep(input, high - low, nx);
  if (least === nx) return;
  const measured = (input.potential.a! * (high - low)) / nx;
  const accepts =
    least <= MOST_NODES
      ? `N = ${least} or more`
      : `a smaller domain, or potential.a of at most ${MOST_NODES / (high - low)}`;
  refuse('STABILITY_LIMIT', `N: V falls within 1/a, and nodes lie ${measured} of that apart.`, {
    field: 'N',
    measured,
    bound: 1,
    accepts,
  });
}

/** ln of what V may be over De, and of that at which a domain is told to begin: rounding of ψ² is 1e-32 there. */
const [HIGHEST, HIGH] = [46, 35];

/** Rounding is all that ψ is far within a wall, and so is then the energy that it has there. */
function checkWall({ potential: { type, a = 0, re = 0 }, units }: SchrodingerInput, [low]: Range): void {
  const depth = a * (re - low);
  if (type !== 'morse' || 2 * depth <= HIGHEST) return;
  const nearest = Number((re - HIGH / (2 * a)).toPrecision(3));
  refuse(
    'INVALID_INPUT',
    `domain: it begins ${depth} times 1/a within the wall, where V is beyond what rounding leaves of ψ.`,
    {
      field: 'domain',
      measured: depth,
      bound: HIGHEST / 2,
      accepts: `a domain that begins at ${nearest}${units === 'reduced' ? '' : ' m'} or later`,
    },
  );
}

/** How far steps of their own choice may turn a packet of an oscillator, over the least that Δx comes to. */
const PHASE = 2.5e-4;

/** Steps dt turn an oscillator by ωt (ω dt)²/24 too far, which a packet far from the centre shows most. */
function oscillatorSteps({ potential, initial, mass, units }: SchrodingerInput, time: number): number {
  const { type, omega = 0 } = potential;
  if (type !== 'harmonic' || !initial) return 0;
  const [action, angle] = [(units === 'reduced' ? 1 : hbar) / (mass * omega), omega * time];
  const [x0, moved] = [initial.x0[0]!, action * initial.k0[0]!];
  const amplitude = Math.sqrt(x0 * x0 + moved * moved);
  const narrowest = Math.min(initial.sigma, action / (2 * initial.sigma));
  return Math.sqrt((angle * angle * angle * amplitude) / (24 * PHASE * narrowest));
}

function powerOfTwo(sent: number | undefined, dimensions: number): number {
  const N = sent ?? (dimensions === 1 ? 1024 : 128);
  const most = dimensions === 1 ? MOST_NODES : 1024;
  if (N >= 64 && N <= most && (N & (N - 1)) === 0) return N;
  return wrong(
    'N',
    `${N} is not offered: the Fourier transform has radix 2.`,
    `a power of two from 64 to ${most}`,
  );
}

function lacksStart(field: string): never {
  return refuse('MISSING_INPUT', `schrodinger lacks ${field}.`, { field, missing: [field], accepts: starts });
}

function checkStart({ initial, initialState }: SchrodingerInput, dimensions: number, nodes: number): void {
  refuseElsewhere('schrodinger', initialState, starts);
  if (initial && initialState) wrong('initialState', 'the start is given twice.', starts);
  if (!initial && !initialState) lacksStart('initial');
  if (initial) {
    for (const name of ['x0', 'k0'] as const)
      if (initial[name].length !== dimensions)
        wrong(`initial.${name}`, `there are ${dimensions} axes.`, `${dimensions} numbers`);
    return;
  }
  for (const name of ['psiRe', 'psiIm'] as const) {
    const sent = initialState![name];
    if (sent === undefined) lacksStart(`initialState.${name}`);
    if (sent.length !== nodes)
      wrong(
        `initialState.${name}`,
        `it has ${sent.length} numbers, the grid ${nodes} nodes.`,
        `${nodes} numbers`,
      );
  }
  if ([initialState!.psiRe!, initialState!.psiIm!].every((part) => part.every((value) => value === 0)))
    wrong('initialState.psiRe', 'ψ is 0 everywhere.', 'a ψ that is not 0');
}

function unitsPerStep({ nodes, order }: Pick<Evolution, 'nodes' | 'order'>): number {
  let logs = 0;
  for (let k = 1; k < nodes; k *= 2) logs++;
  return nodes * (2 * logs + 4) * (order === 4 ? 5 : 1);
}

interface Start {
  readonly steps: number;
  readonly time: number;
  readonly type?: PotentialType;
  readonly initial: Layout;
  readonly earlier?: readonly Part[];
  readonly label: string;
}

function evolveRun(input: SchrodingerInput, evolution: Evolution, start: Start): RunPlan {
  const { problem, nx, ny, nodes, order } = evolution;
  const { steps, time, type, initial, earlier = [], label } = start;
  const units = unitsPerStep(evolution);
  const head = problemLayout(input, problem, { nx, ny, time, steps, order }, type);
  const parts: Part[] = [{ bytes: head.bytes() }, { bytes: initial.bytes() }, ...earlier];
  const data = head.length + initial.length + (earlier.length > 0 ? 80 + 16 * nodes : 0);
  return {
    kernel: 'schrodinger-evolve',
    parts,
    stepsPerSegment: segmentSteps(64 + 16 * nodes, units),
    steps,
    work: steps * units,
    memory: pages(data + 16 * nodes + scratchBytes(evolution) + ROWS * ROW_BYTES + 10_000),
    label,
  };
}

/** V, phases and tables beside ψ, as the kernel lays them out: those of V for few nodes only, a long line's for rows of it. */
function scratchBytes({ nx, ny, nodes, order }: Evolution): number {
  const lengths = order === 4 ? 2 : 1;
  const isLong = ny === 1 && nodes > KEPT;
  let row = isLong ? 1 : nx;
  while (row * row < nx) row *= 2;
  const phases = 16 * lengths * ((nodes <= KEPT ? nodes : BLOCK) + row + ny);
  const tables = isLong ? 16 * 5 * row : 8 * (nx + ny);
  return 8 * nodes + phases + tables + 16 * row + 16 * COLUMNS * ny;
}

/** The packet, arrays at each node or at every other, or nothing before an earlier state, as the kernel reads them. */
function startOf({ initial, initialState, before }: SchrodingerInput, stride = 1): Layout {
  if (before) return new Layout().f64(2, 0, 0, 0, 0, 0);
  if (initialState)
    return [initialState.psiRe!, initialState.psiIm!].reduce(
      (layout, part) => layout.f64s(part.filter((_, i) => i % stride === 0)),
      new Layout().f64(1, 0, 0, 0, 0, 0),
    );
  const { x0, sigma, k0 } = initial!;
  return new Layout().f64(0, x0[0]!, x0[1] ?? 0, sigma, k0[0]!, k0[1] ?? 0);
}

/** A free packet at rest in the middle, for as long as it stays small. */
function freePacket(input: SchrodingerInput, { problem, steps, begin, time }: Evolution) {
  const [x, y] = [problem.x, problem.dimensions === 2 ? problem.y : problem.x];
  const sigma = Math.min(x[1] - x[0], y[1] - y[0]) / 32;
  const spreading = (2 * input.mass * sigma * sigma) / (input.units === 'reduced' ? 1 : hbar);
  const length = Math.min((32 * (time - begin)) / steps, spreading);
  const centre = [(x[0] + x[1]) / 2, problem.dimensions === 2 ? (y[0] + y[1]) / 2 : 0];
  return { sigma, length, initial: new Layout().f64(0, ...centre, sigma, 0, 0) };
}

function evolveRuns(input: SchrodingerInput, evolution: Evolution): RunPlan[] {
  const { steps, time } = evolution;
  const initial = startOf(input);
  const free = freePacket(input, evolution);
  return [
    ...[1, 2, 4].map((stride, run) => {
      const earlier = earlierState(input, run);
      const label = `${steps / stride} steps`;
      return evolveRun(input, evolution, { steps: steps / stride, time, initial, earlier, label });
    }),
    ...(isRough(input) ? [halfOfTheNodes(input, evolution)] : []),
    evolveRun(input, evolution, {
      steps: 32,
      time: free.length,
      type: 'free',
      initial: free.initial,
      label: 'free packet',
    }),
  ];
}

function halfOfTheNodes(input: SchrodingerInput, evolution: Evolution): RunPlan {
  const { nx, nodes, steps, time } = evolution;
  const coarse = { ...evolution, nx: nx / 2, nodes: nodes / 2 };
  const [initial, earlier] = [startOf(input, 2), earlierState(input, 3)];
  return evolveRun(input, coarse, { steps, time, initial, earlier, label: 'half the nodes' });
}

function evolveVerdict(input: SchrodingerInput, evolution: Evolution): RunPlan {
  const { problem, nx, ny, nodes, steps, time, order } = evolution;
  const free = freePacket(input, evolution);
  const { initial, initialState } = input;
  const bytes = problemLayout(input, problem, { nx, ny, time, steps, order })
    .f64(initialState ? 1 : 0, initial?.x0[0] ?? 0, initial?.x0[1] ?? 0, initial?.sigma ?? 0)
    .f64(initial?.k0[0] ?? 0, initial?.k0[1] ?? 0, quantities.indexOf(input.quantity!), energyUnit(input))
    .f64(initialState?.t0 ?? 0, free.sigma, free.length, evolution.begin)
    .bytes();
  const heads = [0, 1, 2, ...(isRough(input) ? [4, 3] : [3])].map(
    (run) => ({ run, of: 'result', from: 0, length: 80 }) as const,
  );
  const parts: Part[] = [
    { bytes },
    ...heads,
    { run: 0, of: 'result', from: PSI_AT, length: 16 * nodes },
    { run: 0, of: 'rows', from: 0, length: ROWS * ROW_BYTES },
  ];
  return {
    kernel: 'schrodinger-evolve.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 4 * nodes + 1_500_000 + enclosing(evolution),
    memory: pages(
      bytes.length +
        33 * nodes +
        2 * ROWS * ROW_BYTES +
        100000 +
        (problem.formula ? enclosureBytes(problem.dimensions) : 0),
    ),
    label: 'verdict',
  };
}

/** Places of a row, and rows, in which the verdict looks for the lowest V. */
const PLACES = 128;
const LINES = 64;

/** Work units of enclosing a potential that is a formula. */
function enclosing({ problem: { formula, dimensions }, nx }: Evolution): number {
  if (!formula) return 0;
  const [cost] = formula.costs as [FormulaCost];
  return enclosureWork(cost, dimensions) + Math.min(PLACES, nx) * LINES * cost.plain;
}

// ---- passages ------------------------------------------------------------------------------------------

const PASSAGE = { default: 1024, most: 32768 };
/** Of a cell, in the three runs. */
const STEPS_OF_CELL = [4, 2, 1] as const;

export function passageIntervals(input: SchrodingerInput): number {
  const [sent = likelyIntervals(input)] = sentIntervals(input, 1);
  if (sent > PASSAGE.most)
    refuse('LIMIT_EXCEEDED', `N is ${sent}, at most ${PASSAGE.most} is offered.`, {
      field: 'N',
      measured: sent,
      bound: PASSAGE.most,
    });
  return 16 * Math.ceil(sent / 16);
}

/** As many as have six steps in the shortest wave (assembly/verdicts/schrodinger-transmission.ts), where one may ask for them. */
function likelyIntervals(input: SchrodingerInput): number {
  const { potential, mass, units, E } = input;
  const { type, a = 0, lambda = 0, V = [] } = potential;
  const [low, high] = readProblem(input).x;
  const action = units === 'reduced' ? 1 : hbar;
  const depth = type === 'poschl-teller' ? (action * action * a * a * lambda * (lambda + 1)) / (2 * mass) : 0;
  const above = E! + depth - V.reduce((least, value) => Math.min(least, value), 0);
  const waves = (Math.sqrt(2 * mass * above) * (high - low)) / (action * 2 * Math.PI);
  const wanted = Math.ceil((6 * waves) / STEPS_OF_CELL[0]);
  return wanted <= PASSAGE.most ? Math.max(PASSAGE.default, wanted) : PASSAGE.default;
}

/** Intervals in which an error of order 4 that is `excess` times its bound comes below it. */
export function passageWithin(input: SchrodingerInput, excess: number): number | undefined {
  const wanted =
    16 *
    Math.ceil(
      (passageIntervals(input) * Math.max(excess > 100 ? 4 : 2, 1.3 * Math.sqrt(Math.sqrt(excess)))) / 16,
    );
  return wanted <= PASSAGE.most ? wanted : undefined;
}

/** Intervals that have `bound` steps in the shortest wave where there were `measured`. */
export function passageResolved(
  input: SchrodingerInput,
  measured: number,
  bound: number,
): string | undefined {
  const wanted = 16 * Math.ceil((1.2 * passageIntervals(input) * bound) / measured / 16);
  return wanted <= PASSAGE.most ? `N = ${wanted}` : undefined;
}

function checkEnergy({ potential: { type, V0 = 0, V }, E }: SchrodingerInput): void {
  const ends = type === 'finite-well' ? V0 : type === 'table' ? Math.max(V![0]!, V!.at(-1)!) : 0;
  if (E! > ends) return;
  refuse('INVALID_INPUT', `E: the particle does not reach both ends, where V is ${ends} J.`, {
    field: 'E',
    accepts: `an energy above ${ends} J`,
  });
}

function passageRuns(input: SchrodingerInput): RunPlan[] {
  const problem = readProblem(input);
  checkEnergy(input);
  const nx = passageIntervals(input);
  const bytesOf = (steps: number) => problemLayout(input, problem, { nx, steps }).bytes();
  const cells = nx + (input.potential.x?.length ?? 0);
  const runs = STEPS_OF_CELL.map((steps): RunPlan => {
    const bytes = bytesOf(steps);
    return {
      kernel: 'schrodinger-transmission',
      parts: [{ bytes }],
      stepsPerSegment: 1,
      steps: 1,
      work: 60 * steps * cells,
      memory: pages(2 * bytes.length + 24 * nx + 70000),
      label: `Magnus, ${steps * cells} steps`,
    };
  });
  const bytes = bytesOf(STEPS_OF_CELL[0]);
  const parts: Part[] = [{ bytes }, { run: 0, of: 'result', from: 0, length: 16 + 8 * (nx + 1) }];
  for (const run of [1, 2]) parts.push({ run, of: 'result', from: 0, length: 16 });
  const verdict: RunPlan = {
    kernel: 'schrodinger-transmission.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 60 * nx + 1_500_000,
    memory: pages(bytes.length + 8 * nx * 12 + 120000),
    label: 'verdict',
  };
  return [...runs, verdict];
}

export function waveRuns(input: SchrodingerInput): RunPlan[] {
  if (input.mode === 'transmission') return passageRuns(input);
  const evolution = readEvolution(input);
  return [...evolveRuns(input, evolution), evolveVerdict(input, evolution)];
}

export function waveRound(input: SchrodingerInput, finished: readonly FinishedRun[]): Round | undefined {
  const runs = waveRuns(input);
  if (finished.length === 0) return { runs: runs.slice(0, -1) };
  return finished.length < runs.length ? { runs: runs.slice(-1), verdict: true } : undefined;
}

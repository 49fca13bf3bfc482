import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { injected } from '../grid/box.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { enclosureBytes, enclosureWork } from '../unresolved.ts';
import { coarsened, isLayers, nodesOfLayers, segmentsOf } from './medium.ts';
import {
  ABSORBING,
  type EdgeArray,
  FIXED,
  FREE,
  isPower,
  type Mode,
  PERIODIC,
  type Problem,
  type SideKind,
} from './problem.ts';
import { quantities } from './schema.ts';
import { formOf, forms, isUniform, levelsOf, type Steps, stepsOf } from './steps.ts';

/** Layouts and costs: assembly/wave/problem.ts, assembly/kernels/wave.ts, assembly/wave/judged.ts, assembly/verdicts/wave.ts. */
const RESULT_HEAD = 112;
const MOST_ROWS = { value: 1024, frequency: 65_536 };
const MOST_BINS = 1024;
const SCALARS = 22;
const DIAGNOSTICS = 40;
/** Sums of a source that is a formula, and where they are taken: assembly/grid/source.ts. */
const SAMPLE_BYTES = 144;
const SAMPLES = 17;
/** Instructions and strips of formulas. */
const FORMULA_TABLES = 2 ** 18;
const TWIN_STEPS = 256;
/** Cells of a layer by dimension, and ½(m+1) ln(1/R₀) of its cubic profile. */
const LAYER_CELLS = { 1: 32, 2: 16 } as const;
/** Where power is taken in a plane: waves come at angles, and the layer takes those the less the flatter they are. */
const POWER_LAYER = { cells: 24, strength: 44 } as const;
const LAYER_STRENGTH = { 1: 36, 2: 28 } as const;

export interface Grid {
  readonly problem: Problem;
  readonly steps: Steps;
  readonly levels: 1 | 3;
  readonly rows: number;
  readonly stepsPerRow: number;
  /** Rows at equal times: the first and how many. */
  readonly series: readonly [from: number, count: number];
  readonly places: number;
  readonly bins: number;
  readonly profileRow: number;
  readonly twinSteps: number;
  /** A run at 2h with layers twice as thick judges them. */
  readonly hasThick: boolean;
}

export function gridOf(problem: Problem, dt: number | undefined): Grid {
  const steps = stepsOf(problem, dt);
  const levels = levelsOf(problem);
  const before = problem.before?.steps ?? 0;
  const unit = levels === 3 ? 4 : 1;
  const most = problem.quantity === 'frequency' ? MOST_ROWS.frequency : MOST_ROWS.value;
  const stepsPerRow = unit * Math.max(1, Math.ceil((steps.steps - before) / (unit * most)));
  const skipped = Math.floor(before / stepsPerRow);
  const last = Math.floor(steps.steps / stepsPerRow);
  const from = before % stepsPerRow === 0 ? 0 : 1;
  const count = 1 + last - skipped - from;
  const { ny, Ly, probe } = problem.box;
  const nearest = ny === 0 ? 0 : Math.round((probe[1] / Ly) * ny);
  let places = 16;
  while (places < count) places *= 2;
  return {
    problem,
    steps,
    levels,
    rows: 1 + last - skipped + (steps.steps % stepsPerRow === 0 ? 0 : 1),
    stepsPerRow,
    series: [from, count],
    places,
    bins: Math.min(places / 2, MOST_BINS),
    // A multiple of 4, so that all grids have it.
    profileRow: ny === 0 ? 0 : Math.min(Math.max(4 * Math.round(nearest / 4), 4), ny - 4),
    twinSteps: Math.min(steps.steps, TWIN_STEPS),
    hasThick: problem.hasLayers && levels === 3,
  };
}

// ---- sizes ---------------------------------------------------------------------------------------------

interface Shape {
  readonly factor: number;
  readonly layer: number;
  readonly sides: readonly SideKind[];
  /** The source is a formula. */
  readonly driven?: boolean;
  /** How often power is taken through both edges of a plane: assembly/wave/lines.ts. */
  readonly lines?: 0 | 1 | 3;
}

export const layerCells = ({ problem }: Pick<Grid, 'problem'>): number =>
  problem.modes > 0 ? POWER_LAYER.cells : LAYER_CELLS[problem.box.dim];
const shapeOf = (grid: Grid, factor: number, layer = layerCells(grid)): Shape => ({
  factor,
  layer,
  sides: grid.problem.sides,
  driven: grid.problem.driven,
  lines: linesOf(grid.problem),
});

/** Work units of a row of them in a step: of the three windows of a sine at most two are open. */
const LINE_UNITS = { 0: 0, 1: 10, 3: 20 } as const;
const linesOf = ({ modes, window }: Problem) => (window > 0 ? 3 : modes > 0 ? 1 : 0);

function sizesOf({ problem: { box, maxwell } }: Grid, { factor, layer, sides, driven, lines }: Shape) {
  const [nx, ny] = [box.nx / factor, box.ny / factor];
  const outside = (pair: readonly SideKind[]) => layer * pair.filter((kind) => kind === ABSORBING).length;
  const ex = nx + outside(sides.slice(0, 2));
  const ey = box.ny === 0 ? 0 : ny + outside(sides.slice(2));
  const nodes = (nx + 1) * (ny + 1);
  const all = (ex + 1) * (ey + 1);
  const layers = all > nodes;
  const rates = maxwell ? ny * (nx + 1) + (ny + 1) * nx : nodes;
  const front = RESULT_HEAD + profileBytes(nx) + (driven ? SAMPLE_BYTES : 0) + 64 * (lines ?? 0) * (ny + 1);
  const fields = (layers ? 4 : 2) * all + (maxwell ? nodes : 0);
  return {
    ex,
    ey,
    nodes,
    all,
    layers,
    row: 8 * (ex + 6),
    outer: ey - ny,
    state: 16 + front + (layers ? 4 : 2) * spacedBytes(8 * (ex + 6) * (ey + 1)) + (maxwell ? 8 * nodes : 0),
    /** Of the result what the state has no room for, and while it is packed u in the layers. */
    behind: 8 * (rates + all - nodes),
    /** Where in the result fields begin. */
    u: front,
    rates: front + 8 * fields,
    result: front + 8 * (fields + rates),
  };
}

const profileBytes = (nx: number) => 16 * Math.ceil((nx + 1) / 2);

/** A large field with what lies before the next one: assembly/grid/field.ts. */
const spacedBytes = (bytes: number) => (bytes < 65_536 ? bytes : bytes + 4096);

const bytesOf = (parts: readonly Part[]) =>
  parts.reduce((sum, part) => sum + ('bytes' in part ? part.bytes.length : part.length), 0);
const whole = (bytes: number) => 65536 * (2 + Math.ceil(bytes / 65536));

// ---- runs ----------------------------------------------------------------------------------------------

interface RunKind {
  readonly shape: Shape;
  /** Steps of the run as one of 1/factor as many; the twin's own. */
  readonly steps: number;
  readonly stepsPerRow: number;
  readonly start: readonly number[];
  /** Kind and number of ε, number and kind of σ. */
  readonly medium: readonly [kind: number, epsilon: number, sigma: number, sigmaKind: number];
  /** The caller's source and formulas are its own. */
  readonly driven: boolean;
}

function sourceNumbers({ source, driven }: Problem): readonly [number, number, number] {
  if (driven) return [3, 0, 0];
  return source ? [source.type === 'pulse' ? 1 : 2, source.frequency, source.width] : [0, 0, 0];
}

function headOf(grid: Grid, run: RunKind): Layout {
  const { problem, steps, profileRow } = grid;
  const { box, medium, source, maxwell, frequency } = problem;
  const { factor, layer, sides } = run.shape;
  const [kind, epsilon, sigma, sigmaKind] = run.medium;
  const strength = problem.modes > 0 ? POWER_LAYER.strength : LAYER_STRENGTH[box.dim];
  const zeta = (strength * Math.sqrt(medium.fastest)) / (layer - 1);
  const x0 = source?.x0 ?? [0];
  return new Layout().f64(
    ...[box.nx / factor, box.ny / factor, box.Lx, box.Ly, medium.K, medium.unit, sigma, steps.dt * factor],
    ...[run.steps, run.stepsPerRow, layer, zeta, ...[0, 1, 2, 3].map((side) => sides[side] ?? FREE)],
    ...run.start,
    ...[maxwell ? 1 : 0, run.driven ? formulaBytes(problem).length : 0, ...box.probe],
    ...(run.driven ? sourceNumbers(problem) : [0, 0, 0]),
    ...[x0[0]!, x0[1] ?? 0, run.driven ? frequency : 0, steps.transformFrom / factor],
    ...[kind, sigmaKind, profileRow / factor, epsilon],
  );
}

const modeNumbers = (kind: number, A: number, { kx, phaseX, ky, phaseY }: Mode, peak = 0) => [
  ...[kind, A, kx, phaseX, ky, phaseY, peak],
];
const nothing = new Uint8Array();
const formulaBytes = ({ formulas }: Problem): Uint8Array => formulas?.bytes ?? nothing;

const still: Mode = { kx: 0, phaseX: 1, ky: 0, phaseY: 1 };

function startNumbers({ start, before }: Problem): number[] {
  const later = before ? 5 : 0;
  if (start.kind === 'mode') return modeNumbers(1 + later, start.A, start.mode);
  if (start.kind === 'pluck') return modeNumbers(2 + later, start.A, still, start.x0);
  if (start.kind === 'formula') return modeNumbers(3 + later, (start.u ? 1 : 0) + (start.v ? 2 : 0), still);
  return modeNumbers((start.kind === 'arrays' ? 3 : 0) + later, 0, still);
}

function mediumNumbers({ medium: { epsilon, sigma } }: Problem): RunKind['medium'] {
  const kind = typeof epsilon === 'number' ? 0 : isLayers(epsilon) ? 1 : 2;
  return [
    kind,
    typeof epsilon === 'number' ? epsilon : 0,
    typeof sigma === 'number' ? sigma : 0,
    typeof sigma === 'number' ? 0 : 2,
  ];
}

function levelRun(grid: Grid, factor: number, layer?: number): RunKind {
  return {
    shape: shapeOf(grid, factor, layer),
    steps: grid.steps.steps / factor,
    stepsPerRow: grid.stepsPerRow / (grid.levels === 3 ? factor : 1),
    start: startNumbers(grid.problem),
    medium: mediumNumbers(grid.problem),
    driven: true,
  };
}

/** ε of layers on a row of nodes of this grid, else ε and σ on its cells. */
function mediumArrays({ problem: { medium, box } }: Grid, factor: number): Part[] {
  const parts: Part[] = [];
  const push = (values: readonly number[]) => parts.push({ bytes: new Layout().f64s(values).bytes() });
  const { epsilon, sigma } = medium;
  if (typeof epsilon !== 'number')
    push(
      isLayers(epsilon) ? nodesOfLayers(epsilon, box.nx / factor, box.Lx) : coarsened(epsilon, box, factor),
    );
  if (typeof sigma !== 'number') push(coarsened(sigma, box, factor));
  return parts;
}

/** Nodes are those of the coarser grid; its edges have their middle between two of the finer one. */
function thinned({ along, values }: EdgeArray, nx: number, ny: number, factor: number): readonly number[] {
  if (along === undefined || factor === 1) return injected(values, nx, ny, factor);
  const thin: number[] = [];
  const half = factor / 2;
  if (along === 'x')
    for (let j = 0; j <= ny; j += factor)
      for (let i = 0; i < nx; i += factor)
        thin.push((values[j * nx + i + half - 1]! + values[j * nx + i + half]!) / 2);
  else
    for (let j = 0; j < ny; j += factor)
      for (let i = 0; i <= nx; i += factor)
        thin.push((values[(j + half - 1) * (nx + 1) + i]! + values[(j + half) * (nx + 1) + i]!) / 2);
  return thin;
}

function startArrays({ problem: { start, box } }: Grid, factor: number): Part[] {
  if (start.kind !== 'arrays') return [];
  return start.arrays.map((array) => ({
    bytes: new Layout().f64s(thinned(array, box.nx, box.ny, factor)).bytes(),
  }));
}

/** Work units of a step and of beginning. */
function unitsOf(
  grid: Grid,
  { shape, medium: [kind, , sigma, sigmaKind], driven }: RunKind,
): [step: number, begin: number] {
  const { ey, nodes, all, layers } = sizesOf(grid, shape);
  const lossy = sigma !== 0 || sigmaKind !== 0;
  const uniform = kind === 0 && !lossy && !layers;
  let step = 150 + 30 * (ey + 1) + Math.floor((all * (uniform ? 3 : 6)) / 4);
  if (layers) step += 10 * (all - nodes);
  if (grid.problem.maxwell) step += nodes;
  if (lossy) step += 8 * nodes;
  step += LINE_UNITS[shape.lines ?? 0] * (ey + 1);
  if (!driven) return [step, 30 * all];
  const [source, start] = formulaWork(grid.problem, nodes);
  if (grid.problem.driven) step += source + 4 * nodes;
  return [step, 30 * all + start];
}

/** Work units of laying the source at one time, and of the start. */
function formulaWork({ formulas, driven, before }: Problem, nodes: number): [source: number, start: number] {
  const units = (formulas?.costs ?? []).map(({ stripHalves }) => Math.ceil((nodes * stripHalves) / 2));
  const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
  return driven ? [units[0]!, before ? 0 : sum(units.slice(1))] : [0, before ? 0 : sum(units)];
}

function runOf(grid: Grid, run: RunKind, parts: Part[], label: string, before = 0): RunPlan {
  const sizes = sizesOf(grid, run.shape);
  const [step, begin] = unitsOf(grid, run);
  const steps = run.steps - before;
  return {
    kernel: 'wave',
    parts,
    stepsPerSegment: segmentSteps(sizes.state, step),
    steps,
    work: step * (steps + 1) + begin,
    memory: whole(
      bytesOf(parts) +
        sizes.state +
        Math.max(sizes.behind, duringSteps(grid, run)) +
        tablesOf(grid, run) +
        40_000,
    ),
    label,
  };
}

/** A row as it was before it is written, where something is made of it, and formulas. */
function tablesOf(grid: Grid, { shape, medium: [, , sigma, sigmaKind], driven }: RunKind): number {
  const { row, layers } = sizesOf(grid, shape);
  const { source, driven: byFormula, formulas } = grid.problem;
  const compares =
    layers || sigma !== 0 || sigmaKind !== 0 || (driven && (source !== undefined || byFormula));
  return (compares ? row : 0) + (driven && formulas ? FORMULA_TABLES + 2 * row : 0);
}

/** What stands where the rest of the result will: rows of coefficients, tables of layers, the last current, v of a start that is a formula. */
function duringSteps(grid: Grid, { shape, medium: [kind, , sigma, sigmaKind], driven }: RunKind): number {
  const { ex, ey, row, outer, nodes, layers } = sizesOf(grid, shape);
  const { maxwell, start, driven: byFormula } = grid.problem;
  const lossy = sigma !== 0 || sigmaKind !== 0;
  const isLayered = kind < 2 && sigmaKind === 0;
  const one = outer + 1;
  const k = isLayered ? one : ey + 1;
  const rows = kind === 0 && !lossy && !layers ? 0 : k + (lossy ? k : one);
  const current = maxwell && driven && byFormula ? 8 * nodes : 0;
  const tables = layers ? 32 * (ex + ey + 8) : 0;
  return rows * row + tables + current + (!maxwell && start.kind === 'formula' ? 8 * nodes : 0);
}

const labels = { 1: 'grid h', 2: 'grid 2h', 4: 'grid 4h' } as const;

/** The mode of an axis with these kinds of ends, about sixteen cells to a wave: [k, phase]. */
function twinAxis([low, high]: readonly SideKind[], cells: number, length: number): [number, 0 | 1] {
  const waves = Math.max(1, Math.floor(cells / 16));
  if (low === PERIODIC) return [(2 * Math.PI * waves) / length, 1];
  const halves = 2 * waves - (low === high ? 0 : 0.5);
  return [(halves * Math.PI) / length, low === FREE ? 1 : 0];
}

/** Layers are no part of the twin. */
const closed = ({ sides }: Problem): SideKind[] => sides.map((kind) => (kind === ABSORBING ? FIXED : kind));

export function twinMode(problem: Problem): Mode {
  const { box } = problem;
  const sides = closed(problem);
  const [kx, phaseX] = twinAxis(sides, box.nx, box.Lx);
  const [ky, phaseY] = box.dim === 1 ? [0, 1 as const] : twinAxis(sides.slice(2), box.ny, box.Ly);
  return { kx, phaseX, ky, phaseY };
}

const leastEpsilon = ({ medium }: Problem) => medium.K / medium.fastest / medium.unit;

function twinRun(grid: Grid): RunPlan {
  const { problem, twinSteps } = grid;
  const varied = !(isUniform(problem) && problem.medium.sigma === 0 && !problem.hasLayers);
  const epsilon = leastEpsilon(problem);
  const run: RunKind = {
    shape: { factor: 1, layer: 0, sides: closed(problem) },
    steps: twinSteps,
    stepsPerRow: twinSteps,
    start: modeNumbers(1, 1, twinMode(problem)),
    medium: varied ? [1, 0, 0, 0] : [0, epsilon, 0, 0],
    driven: false,
  };
  const parts: Part[] = [{ bytes: headOf(grid, run).bytes() }];
  if (varied)
    parts.push({ bytes: new Layout().f64s(new Array<number>(problem.box.nx + 1).fill(epsilon)).bytes() });
  return runOf(grid, run, parts, 'twin: one mode');
}

/** The same without the obstacle: all is its first medium. */
function emptyRun(grid: Grid, factor: 1 | 2 | 4 = 1, label = 'without the stack', layer?: number): RunPlan {
  const [[, epsilon]] = segmentsOf(grid.problem.medium, grid.problem.box) as [[number, number, number]];
  const run: RunKind = { ...levelRun(grid, factor, layer), medium: [0, epsilon, 0, 0] };
  return runOf(grid, run, [{ bytes: headOf(grid, run).bytes() }], label);
}

/** Without the obstacle on each grid that it is on; on a line there is one. */
function emptyRuns(grid: Grid): RunPlan[] {
  if (!isPower(grid.problem.quantity)) return [];
  if (grid.problem.box.dim === 1) return [emptyRun(grid)];
  return [
    ...([1, 2, 4] as const).map((factor) => emptyRun(grid, factor, `${labels[factor]}, no obstacle`)),
    emptyRun(grid, 2, 'grid 2h, thicker layers, no obstacle', 2 * layerCells(grid)),
  ];
}

/** How many runs stand before the twin's. */
export const runsBeforeTwin = ({ levels, hasThick, problem }: Grid): number =>
  levels + (hasThick ? 1 : 0) + (isPower(problem.quantity) ? (problem.box.dim === 1 ? 1 : 4) : 0);

/** The grids, finest first, that with thicker layers, those without the obstacle, the twin. */
export function firstRound(grid: Grid): Round {
  const { problem, levels, hasThick } = grid;
  const { before } = problem;
  const plain = levels === 3 ? ([1, 2, 4] as const) : ([1] as const);
  const level = (factor: 1 | 2 | 4, index: number, label: string, layer?: number): RunPlan => {
    const run = levelRun(grid, factor, layer);
    const parts = [
      { bytes: headOf(grid, run).bytes() },
      { bytes: formulaBytes(problem) },
      ...mediumArrays(grid, factor),
      ...startArrays(grid, factor),
      ...(before ? [{ bytes: before.results[index]! }] : []),
    ];
    return runOf(grid, run, parts, label, (before?.steps ?? 0) / factor);
  };
  const runs = plain.map((factor, i) => level(factor, i, labels[factor]));
  if (hasThick) runs.push(level(2, levels, 'grid 2h, thicker layers', 2 * layerCells(grid)));
  return { runs: [...runs, ...emptyRuns(grid), twinRun(grid)] };
}

// ---- verdict -------------------------------------------------------------------------------------------

function verdictHead(grid: Grid, segments: readonly (readonly number[])[]): Layout {
  const { problem, levels, steps, stepsPerRow, series, twinSteps } = grid;
  const { kx, phaseX, ky, phaseY } = twinMode(problem);
  const time = steps.steps * steps.dt;
  return headOf(grid, levelRun(grid, 1))
    .f64(
      ...[forms.indexOf(formOf(problem)), levels, quantities.indexOf(problem.quantity), time, problem.t0],
      ...[kx, phaseX, ky, phaseY, twinSteps, grid.rows, series[0], segments.length, grid.hasThick ? 1 : 0],
      ...[series[1], grid.places, grid.bins, stepsPerRow * steps.dt],
      ...[leastEpsilon(problem) * problem.medium.unit, problem.before?.steps ?? 0],
      problem.modes,
    )
    .f64s(segments.flat());
}

export function verdictRound(grid: Grid): Round {
  const { problem, levels, rows, hasThick } = grid;
  const isStack = formOf(problem) === 'stack';
  const segments = isStack ? segmentsOf(problem.medium, problem.box) : [];
  const head: Part[] = [{ bytes: verdictHead(grid, segments).bytes() }];
  const parts = [
    ...head,
    { bytes: formulaBytes(problem) },
    ...mediumArrays(grid, 1),
    ...startArrays(grid, 1),
  ];
  const take = (run: number, shape: Shape, withRows: boolean) => {
    parts.push({ run, of: 'result', from: 0, length: sizesOf(grid, shape).result });
    if (withRows) parts.push({ run, of: 'rows', from: 0, length: 16 * rows });
  };
  const isFrequency = problem.quantity === 'frequency';
  take(0, shapeOf(grid, 1), true);
  if (levels === 3) [2, 4].forEach((factor, i) => void take(1 + i, shapeOf(grid, factor), isFrequency));
  if (hasThick) take(levels, shapeOf(grid, 2, 2 * layerCells(grid)), isFrequency);
  emptyShapes(grid).forEach((shape, i) => void take(levels + (hasThick ? 1 : 0) + i, shape, false));
  take(runsBeforeTwin(grid), { factor: 1, layer: 0, sides: [] }, false);
  return { runs: [verdictRun(grid, parts, segments.length)], verdict: true };
}

function emptyShapes(grid: Grid): Shape[] {
  if (!isPower(grid.problem.quantity)) return [];
  if (grid.problem.box.dim === 1) return [shapeOf(grid, 1)];
  return [...[1, 2, 4].map((factor) => shapeOf(grid, factor)), shapeOf(grid, 2, 2 * layerCells(grid))];
}

function verdictRun(grid: Grid, parts: Part[], segments: number): RunPlan {
  const { problem, rows, places, bins } = grid;
  const { nx, ny } = problem.box;
  const shown = 8 * (SCALARS + 2 * (nx + 1) + 2 * rows + 2 * bins + DIAGNOSTICS);
  return {
    kernel: 'wave.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work:
      1_000_000 +
      120 * (nx + 1) * (ny + 1) +
      (problem.quantity === 'frequency' ? 12_000 : 2000) * rows +
      200 * places +
      400 * segments * Math.max(1, problem.modes) +
      judgedFormulas(grid) +
      enclosing(grid),
    memory: whole(
      bytesOf(parts) +
        shown +
        32 * places +
        8 * 14 * (nx + 1) +
        40_000 +
        (problem.formulas ? 32 * (nx + 1) * (ny + 1) + FORMULA_TABLES + enclosureBytes(axesOf(grid, 0)) : 0),
    ),
    label: 'verdict',
  };
}

/** Work units of what the verdict asks of the formulas: the start once, the source where it was sampled and shown. */
function judgedFormulas({ problem: { formulas, driven, box } }: Grid): number {
  const nodes = (box.nx + 1) * (box.ny + 1);
  return (formulas?.costs ?? []).reduce(
    (sum, { plain }, j) =>
      sum + plain * (driven && j === 0 ? 2 * (SAMPLES * nodes + box.nx + 1) + LATTICE : nodes),
    0,
  );
}

/** Times and places at which the verdict looks at the source besides. */
const LATTICE = 257 * 81;

/** Axes of formula j: those of the box, of the source the time too. */
const axesOf = ({ problem: { box, driven } }: Grid, j: number): number =>
  box.dim + (driven && j === 0 ? 1 : 0);

/** Work units of what the verdict makes of the formulas between nodes and steps. */
const enclosing = (grid: Grid): number =>
  (grid.problem.formulas?.costs ?? []).reduce(
    (sum, cost, j) => sum + enclosureWork(cost, axesOf(grid, j)),
    0,
  );

export const isVerdictDue = (grid: Grid, finished: readonly FinishedRun[]) =>
  finished.length === firstRound(grid).runs.length;

export function quoteOf(grid: Grid): Quote {
  const runs = [...firstRound(grid).runs, ...verdictRound(grid).runs];
  return {
    work: runs.reduce((sum, { work }) => sum + work, 0),
    exact: true,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

/** Bytes of the results that a continuation needs, in the order of the runs. */
export function resultSizes(grid: Grid): number[] {
  const plain = grid.levels === 3 ? [1, 2, 4] : [1];
  const thick = grid.hasThick ? [shapeOf(grid, 2, 2 * layerCells(grid))] : [];
  return [...plain.map((factor) => shapeOf(grid, factor)), ...thick].map(
    (shape) => sizesOf(grid, shape).result,
  );
}

/** Where the fields stand: in the first run's result, and in the verdict's extras behind its scalars. */
export function fieldOffsets(grid: Grid, gates: number) {
  const { nx, ny } = grid.problem.box;
  const column = 8 * (nx + 1);
  const { u, rates } = sizesOf(grid, shapeOf(grid, 1));
  const x = 24 + 48 * gates + 8 * SCALARS;
  const series = x + 2 * column;
  return {
    u,
    rates,
    Hy: rates + ny * column,
    x,
    profile: x + column,
    series,
    spectrum: series + 16 * grid.rows,
    diagnostics: SCALARS + 2 * (nx + 1) + 2 * grid.rows + 2 * grid.bins,
  };
}

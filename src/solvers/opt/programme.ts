import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { profileBytes, profileWork, readDiagnostics } from '../diagnostics.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Field, Presentation, Quote, Verdict } from '../solver.ts';
import { type Columns, columnsOf, Entries, rowsOf } from './columns.ts';
import { checkFields, invalid, type OptInput, ofVariables, plotsOf, readBounds, tooMuch } from './problem.ts';

/** Layouts and costs as assembly/opt/program.ts and the kernels opt-lp, opt-qp and opt.verdict have them. */
const MAX_VARIABLES = 2048;
const MAX_ROWS = 512;
const MAX_QUADRATIC = 256;
const ROWS_BYTES = 16 * 1024;

interface Programme {
  readonly n: number;
  /** Rows of A, and of A and E together. */
  readonly mA: number;
  readonly m: number;
  /** 1, or −1 where the caller wants a maximum. */
  readonly sense: number;
  readonly costs: readonly number[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly sides: readonly number[];
  readonly columns: Columns;
  /** Row by row; absent: linear. */
  readonly H?: Float64Array;
}

const programmes = new WeakMap<OptInput, Programme>();

/** @throws Refusal for what the schema cannot say: shapes, symmetry, limits */
function readProgramme(input: OptInput): Programme {
  const known = programmes.get(input) ?? programmeOf(input);
  programmes.set(input, known);
  return known;
}

function programmeOf(input: OptInput): Programme {
  checkFields(input);
  const { mode, c, g, A, b = [], E, d = [] } = input;
  const costs = (mode === 'lp' ? c : g)!;
  const n = costs.length;
  if (n === 0) invalid(mode === 'lp' ? 'c' : 'g', 'there is no variable', 'a number for each variable');
  if (n > MAX_VARIABLES) tooMuch(mode === 'lp' ? 'c' : 'g', n, MAX_VARIABLES);
  if (mode === 'qp' && n > MAX_QUADRATIC) tooMuch('g', n, MAX_QUADRATIC);
  const m = b.length + d.length;
  if (m > MAX_ROWS) tooMuch(b.length > d.length ? 'b' : 'd', m, MAX_ROWS);
  const columns = columnsOf(n, m, rowsOf('A', A, b.length, n), rowsOf('E', E, d.length, n, b.length));
  const [lower, upper] = readBounds(input, n);
  const sense = input.sense === 'max' ? -1 : 1;
  const rest = { n, mA: b.length, m, sense, lower, upper, sides: [...b, ...d], columns };
  if (mode === 'lp') return { ...rest, costs: costs.map((cost) => sense * cost) };
  return { ...rest, costs, H: readHessian(input.H!, n) };
}

function readHessian(H: readonly (readonly number[])[], n: number): Float64Array {
  if (H.length !== n) invalid('H', `${H.length} rows for ${n} variables`, `${n} rows`);
  for (const [i, row] of H.entries()) {
    if (row.length !== n) invalid(`H[${i}]`, `${row.length} numbers for ${n} variables`, `${n} numbers`);
    const other = row.findIndex((value, j) => value !== H[j]?.[i]);
    if (other >= 0)
      invalid(`H[${i}][${other}]`, `${row[other]} is not H[${other}][${i}]`, 'a symmetric matrix');
  }
  return Float64Array.from(H.flat());
}

// ---- parameters ----------------------------------------------------------------------------------------

const changesAllowed = ({ n, m }: Programme) => 5 * (n + m) + 40;

function headOf(p: Programme, tail: readonly number[] = [0, 0, 0]): Layout {
  return new Layout()
    .f64(p.n, p.m, p.mA, changesAllowed(p), p.H ? 1 : 0, ...tail)
    .f64s(p.costs)
    .f64s(p.lower)
    .f64s(p.upper)
    .f64s(p.sides)
    .i32s(p.columns.starts)
    .i32s(p.columns.rows)
    .f64s(p.columns.values)
    .f64s(p.H ?? []);
}

/** The same rows and bounds with nothing to minimize: is there a feasible point? */
const feasibility = ({ H: _, ...p }: Programme): Programme => ({ ...p, costs: p.costs.map(() => 0) });

/** Directions in which nothing stops x and no curvature slows it: does gᵀx fall along one? */
function recession(p: Programme): Programme {
  const { n, m, columns } = p;
  const own = new Entries(columns.values.length);
  for (let j = 0; j < n; j++)
    for (let k = columns.starts[j]!; k < columns.starts[j + 1]!; k++)
      own.add(columns.rows[k]!, j, columns.values[k]!);
  const curved = new Entries(n * n);
  for (const [k, value] of p.H!.entries()) curved.add(m + (k % n), Math.floor(k / n), value);
  return {
    n,
    mA: p.mA,
    m: m + n,
    sense: 1,
    costs: p.costs,
    lower: p.lower.map((bound) => (bound > -Infinity ? 0 : -1)),
    upper: p.upper.map((bound) => (bound < Infinity ? 0 : 1)),
    sides: Array.from({ length: m + n }, () => 0),
    columns: columnsOf(n, m + n, own, curved),
  };
}

// ---- runs ----------------------------------------------------------------------------------------------

type Shape = Pick<Programme, 'n' | 'm'>;

/** What a linear programme costs (assembly/opt/factors.ts, nucleus.ts, pricing.ts). */
interface PivotUnits {
  readonly pivot: number;
  /** To make the factors anew, beside the elimination of what is no triangle, which is that at most. */
  readonly anew: number;
  readonly elimination: number;
  /** One solution at most; and five with a row of prices. */
  readonly solution: number;
  readonly solutions: number;
  /** What random programmes take for these, with a share of elimination: factors of few entries a column have few. */
  readonly likely: number;
}

/** Numbers that tell of the exchanges since factors were made. */
const EXCHANGES = 1 + 2 * 256;
/** How often all columns that are hardly pulled may be looked at (assembly/opt/worthwhile.ts, MOST_PULLED). */
const LOOKS = 17;
/** Room for exchanges beside the factors, in full columns. */
const SPARE = 64;
/** Entries that are gone over one by one cost as much as so many times their count side by side. */
const SPARSE = 4;

function pivotUnits({ n, m, columns: { starts } }: Programme): PivotUnits {
  let all = 0;
  for (let j = 0; j < n; j++) {
    const count = starts[j + 1]! - starts[j]!;
    all += 1 + (SPARSE * count <= m ? count : Math.floor(m / 2));
  }
  const pivot = 400 + 6 * (n + m);
  const entries = starts[n]!;
  const solution = m * (m + SPARE + 2);
  const solutions = 5 * solution + all + n + m;
  return {
    pivot,
    anew: pivot + 20 * m + 4 * entries,
    elimination: m * m * (m + 24),
    solution,
    solutions,
    likely: Math.min(2 * m * (m + 8) + all, m * (1 + entries / n) * (5 + m / 50)),
  };
}

/** Numbers in columns that the kernel lays down in full, since many of their entries are not 0. */
function fullEntries({ n, m, columns: { starts } }: Programme): number {
  let count = 0;
  for (let j = 0; j < n; j++) if (SPARSE * (starts[j + 1]! - starts[j]!) > m) count += m;
  return count;
}

const perPass = ({ n, m }: Shape) => 500 + 6 * n * n + (m + 4) * n;
const toBegin = ({ n }: Pick<Shape, 'n'>) => 500 + n * n * n;

function linearRun(p: Programme, label: string): RunPlan {
  const { n, m } = p;
  const changes = changesAllowed(p);
  const anew = Math.floor(changes / 16) + 52;
  const units = pivotUnits(p);
  const stateBytes = 104 + 8 * (4 * (n + m) + 3 * m + EXCHANGES);
  return {
    kernel: 'opt-lp',
    parts: [{ bytes: headOf(p).bytes() }],
    stepsPerSegment: segmentSteps(stateBytes, units.pivot + units.likely),
    work:
      (changes + anew + 60) * (units.pivot + units.solutions) +
      anew * (units.anew + 6 * units.solutions + units.elimination) +
      LOOKS * (n + m) * units.solution,
    memory:
      2 ** 18 +
      ROWS_BYTES +
      2 * stateBytes +
      8 * m * (m + 3 * Math.ceil(m / 64)) +
      12 * m * (m + SPARE) +
      220 * (n + m) +
      24 * p.columns.values.length +
      8 * fullEntries(p),
    label,
  };
}

function quadraticRun(p: Programme): RunPlan {
  const { n, m } = p;
  const changes = changesAllowed(p);
  const stateBytes = 96 + 8 * (4 * n + 2 + m + 2 * n + 2 * n * n);
  return {
    kernel: 'opt-qp',
    parts: [{ bytes: headOf(p).bytes() }],
    stepsPerSegment: segmentSteps(stateBytes, perPass(p)),
    // Each change is dropped at most once, and x made anew once; each of 200 minimizations begins with a look at what is
    // active and ends with one more; 16 factorize, beside the first look at H.
    work: (4 * changes + 400) * perPass(p) + 17 * toBegin(p),
    memory:
      2 ** 18 +
      ROWS_BYTES +
      2 * stateBytes +
      8 * (2 * n * n + n * m + 16 * n + 2 * m) +
      12 * p.columns.values.length,
    label: 'Goldfarb–Idnani',
  };
}

type Outcome = 'optimal' | 'infeasible' | 'unbounded';
const outcomes: readonly Outcome[] = ['optimal', 'infeasible', 'unbounded'];

function verdictUnits({ n, m, H, columns }: Programme): number {
  return 20_000 + profileWork(n) + 8 * (columns.values.length + (H ? n * n : 0)) + 20 * (n + m);
}

/** `slices` are what the outcome is shown by: x and y, Farkas' y, or a point and a ray. */
function verdictRound(input: OptInput, p: Programme, outcome: Outcome, slices: readonly Part[]): Round {
  const head = headOf(p, [input.constant ?? 0, p.sense, outcomes.indexOf(outcome)]).bytes();
  const run: RunPlan = {
    kernel: 'opt.verdict',
    parts: [{ bytes: head }, ...slices],
    stepsPerSegment: 1,
    steps: 1,
    work: verdictUnits(p),
    memory: 2 ** 18 + 2 * head.length + 64 * (p.n + p.m) + profileBytes(p.n),
    label: 'verdict',
  };
  return { runs: [run], verdict: true };
}

export function planProgramme(input: OptInput): Round {
  const p = readProgramme(input);
  if (!p.H) return { runs: [linearRun(p, 'dual simplex')] };
  return { runs: [linearRun(feasibility(p), 'a feasible point'), linearRun(recession(p), 'a ray')] };
}

const numberAt = (run: FinishedRun, offset: number) =>
  new DataView(run.result.buffer, run.result.byteOffset).getFloat64(offset, true);

/** Part of the result of run i: count numbers from the index-th behind its head of 24 bytes. */
const slice = (run: number, index: number, count: number): Part => ({
  run,
  of: 'result',
  from: 24 + 8 * index,
  length: 8 * count,
});

export function nextProgramme(input: OptInput, finished: readonly FinishedRun[]): Round | undefined {
  const p = readProgramme(input);
  const { n, m } = p;
  const [first, second] = finished;
  const infeasible = numberAt(first!, 0) === 1;
  if (!p.H) {
    if (finished.length > 1) return undefined;
    if (infeasible) return verdictRound(input, p, 'infeasible', [slice(0, n + m, m)]);
    if (numberAt(first!, 0) === 2)
      return verdictRound(input, p, 'unbounded', [slice(0, 0, n), slice(0, n + m, n)]);
    return verdictRound(input, p, 'optimal', [slice(0, 0, n + m)]);
  }
  if (finished.length === 3) {
    if (!isRefused(finished, p)) return verdictRound(input, p, 'optimal', [slice(2, 0, n + m)]);
    return undefined;
  }
  if (finished.length > 3) return undefined;
  if (infeasible) return verdictRound(input, p, 'infeasible', [slice(0, n + m, m)]);
  if (falls(second!, p)) return verdictRound(input, p, 'unbounded', [slice(0, 0, n), slice(1, 0, n)]);
  return { runs: [quadraticRun(p)] };
}

const isRefused = ([first, second]: readonly FinishedRun[], p: Programme) =>
  numberAt(first!, 0) === 1 || falls(second!, p);

/** gᵀz of the best direction in the unit box, beside the size of g. */
function falls(ray: FinishedRun, { costs }: Programme): boolean {
  const size = costs.reduce((most, cost) => Math.max(most, Math.abs(cost)), 0);
  return numberAt(ray, 16) < -1e-9 * size;
}

export function quoteProgramme(input: OptInput): Quote {
  const p = readProgramme(input);
  const linear = p.H ? [feasibility(p), recession(p)] : [p];
  const runs = [...linear.map((each) => linearRun(each, '')), ...(p.H ? [quadraticRun(p)] : [])];
  const verdict = verdictRound(input, p, 'optimal', []).runs[0]!;
  const work = [...runs, verdict].reduce((sum, run) => sum + run.work, 0);
  const likely = linear.map(likelyLinear).reduce((sum, each) => sum + each, p.H ? likelyQuadratic(p) : 0);
  return {
    work,
    expected: Math.min(work, Math.ceil(likely) + verdict.work),
    ceiling: 'all changes of the active set that a search may take',
    exact: false,
    memory: Math.max(...[...runs, verdict].map((run) => run.memory)),
  };
}

/** What random programmes take at most: as many changes as variables, or half more than rows; one where nothing can move. */
function likelyLinear(p: Programme): number {
  const { n, m, lower, upper } = p;
  const units = pivotUnits(p);
  const changes = lower.every((bound, j) => bound === upper[j]) ? 1 : Math.min(n, 1.5 * m) + 2;
  return changes * (units.pivot + units.likely) + (1 + changes / 32) * units.anew;
}

/** A bound or row becomes active for each variable, or for every other row and bound; few are dropped. */
function likelyQuadratic({ n, m, lower, upper }: Programme): number {
  const bounds = [...lower, ...upper].filter((bound) => Math.abs(bound) < Infinity).length;
  const changes = Math.min(n, (bounds + m) / 2);
  return (2 * changes + 3) * perPass({ n, m }) + 2 * toBegin({ n });
}

// ---- presentation --------------------------------------------------------------------------------------

export function presentProgramme(
  input: OptInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const { n, m, mA } = readProgramme(input);
  const [bound, gap, violation] = verdict.extras;
  const at = (from: number, count: number) => [...verdict.extras.subarray(from, from + count)];
  const from = 24 + 48 * verdict.gates.length;
  const last = finished.length - 2;
  const field = (name: string, index: number, length: number): Field => ({
    name,
    unit: '1',
    shape: [length],
    source: { run: finished.length - 1, of: 'result', from: from + 8 * index, length: 8 * length },
    sealed: true,
  });
  const rows = finished[last]!.rows.reduce((sum, each) => sum + each.length, 0);
  const iterates: Field = {
    name: 'iterates',
    unit: '1',
    shape: [rows / 16, 2],
    source: { run: last, of: 'rows', from: 0, length: rows },
    sealed: false,
  };
  return {
    outputs: {
      x: at(3, n),
      multipliers: { inequalities: at(3 + n, mA), equalities: at(3 + n + mA, m - mA) },
      reducedCosts: at(3 + n + m, n),
      bound,
      gap,
      violation,
      changes: numberAt(finished[last]!, 8),
      local: false,
    },
    fields: [field('x', 3, n), field('reducedCosts', 3 + n + m, n), ...(rows > 0 ? [iterates] : [])],
    plots: plotsOf(n, rows / 16),
    diagnostics: readDiagnostics(verdict.extras, 3 + 2 * n + m, ofVariables),
  };
}

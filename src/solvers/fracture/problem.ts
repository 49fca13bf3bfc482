import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';
import { flatArray, invalid, inWords, missing } from '../grid/box.ts';
import { type Before, type FractureInput, quantities, splits } from './schema.ts';

/** What a bar and a plate have in common. */
interface Common {
  readonly N: number;
  readonly E: number;
  readonly Gc: number;
  readonly ell: number;
  /** 1: AT1, 2: AT2. */
  readonly model: 1 | 2;
  readonly uMax: number;
  /** Load steps to uMax, and the last one of this job. */
  readonly steps: number;
  readonly last: number;
  readonly tol: number;
  /** Load steps done before. */
  readonly done: number;
  /** Arrays of the start, row by row: u has one or two numbers a node. */
  readonly start?: { readonly u: readonly number[]; readonly d: readonly number[] };
  readonly before?: Before;
  /** Grids h, 2h, 4h, or the first alone. */
  readonly levels: 1 | 3;
}

export interface Bar extends Common {
  readonly mode: 'bar';
  readonly L: number;
}

export interface Plate extends Common {
  readonly mode: 'plane';
  readonly M: number;
  readonly h: number;
  readonly Lx: number;
  readonly Ly: number;
  /** Lamé's constants of the plane problem. */
  readonly lambda: number;
  readonly mu: number;
  readonly dimensions: 2 | 3;
  readonly split: number;
  readonly direction: 0 | 1;
  readonly notch: { readonly a: number; readonly y: number; readonly angle: number };
  readonly mirrored: boolean;
  /** Index in `quantities`. */
  readonly quantity: number;
}

export type Problem = Bar | Plate;

const MOST_CELLS = 4_200_000;
const MOST_ELEMENTS = 1_000_000;
const CELLS = 8;
const LEAST_CELLS = 4;
const TOL = 1e-6;
/** Index of pathDeviation in `quantities`. */
const PATH = 1;
const SLACK = 1 + 1e-9;

const ofPlate = ['nu', 'Lx', 'Ly', 'notch', 'planeType', 'split'] as const;
const starts = ['no initialState: the undamaged body', 'initialState {u, d, step}'];

/** Reads what the schema cannot say. @throws Refusal that names the field */
export function readProblem(input: FractureInput): Problem {
  refuseElsewhere('fracture', input.initialState, starts);
  return input.mode === 'bar' ? readBar(input) : readPlate(input);
}

function common(input: FractureInput) {
  const { loading, before, initialState } = input;
  const done = before?.steps ?? initialState?.step ?? 0;
  const last = before?.last ?? loading.steps;
  if (initialState && initialState.step === undefined)
    missing('initialState.step', ['initialState.step'], starts[1]);
  if (!(last > done)) invalid('loading.steps', `load step ${done} is done already`, `> ${done}`);
  return {
    E: input.E,
    Gc: input.Gc,
    ell: input.ell,
    model: input.model === 'at1' ? (1 as const) : (2 as const),
    uMax: loading.uMax,
    steps: loading.steps,
    last,
    tol: input.tol ?? TOL,
    done,
    ...(before && { before }),
  };
}

// ---- cells ---------------------------------------------------------------------------------------------

function checkCells(count: number, most: number): void {
  if (count <= most) return;
  refuse('LIMIT_EXCEEDED', `fracture would need ${count} cells.`, {
    field: 'N',
    measured: count,
    bound: most,
    accepts: `at most ${most} cells: a larger ell or a smaller body`,
  });
}

function checkWidth(ell: number, length: number, N: number): void {
  const cells = (ell * N) / length;
  if (cells * SLACK >= LEAST_CELLS) return;
  refuse('STABILITY_LIMIT', `N: ell is ${cells} cells; ${LEAST_CELLS} are needed.`, {
    field: 'N',
    measured: cells,
    bound: LEAST_CELLS,
    accepts: `cells of at most ${ell / LEAST_CELLS} m`,
  });
}

// ---- bar -----------------------------------------------------------------------------------------------

function readBar(input: FractureInput): Bar {
  if (input.loading.direction !== undefined)
    invalid('loading.direction', 'a bar has no such input', 'mode plane');
  if (input.quantity !== undefined && input.quantity !== 'peakStress')
    invalid('quantity', 'of a bar it is peakStress', 'peakStress');
  const { L, ell } = input;
  if (L === undefined) missing('L', ['L'], 'the length L [m] of the bar');
  if (!(L * SLACK >= 4 * ell)) invalid('L', `${L} m is less than 4 ell`, `>= ${4 * ell}`);
  const N = input.N ?? 4 * Math.ceil((CELLS * L) / ell / 4 / SLACK);
  checkCells(N, MOST_ELEMENTS);
  checkWidth(ell, L, N);
  const start = startOf(input, N, 0);
  const levels = input.initialState ? 3 : 1;
  if (levels === 3) checkLevels(N, 4);
  return { ...common(input), mode: 'bar', N, L, levels, ...(start && { start }) };
}

/** Cells of 2h and 4h must fit, too. */
function checkLevels(N: number, M: number): void {
  if (N % 4 === 0 && M % 4 === 0) return;
  invalid('N', `${N} × ${M} cells have no grids 2h and 4h`, 'cells along both axes divisible by 4');
}

// ---- plate ---------------------------------------------------------------------------------------------

function readPlate(input: FractureInput): Plate {
  if (input.quantity === 'peakStress') invalid('quantity', 'peakStress is of a bar', quantities.slice(0, 3));
  const absent = ofPlate.filter((name) => input[name] === undefined);
  if (absent.length) missing(absent[0]!, absent, `a plate with ${inWords(ofPlate)}, or mode bar`);
  const { E, ell, loading } = input;
  const [nu, Lx, Ly, notch] = [input.nu!, input.Lx!, input.Ly!, input.notch!];
  const quantity = quantities.indexOf(input.quantity ?? 'crackLength');
  const mirrored = !input.initialState && isMirrored(notch, Ly, loading.direction);
  const levels = mirrored && quantity === PATH ? 1 : 3;
  const { N, M } = cellsOf(input, Lx, Ly, levels, quantity === PATH ? undefined : notch);
  checkWidth(ell, Lx, N);
  const h = Lx / N;
  checkNotch(notch, Lx, Ly, h);
  if (quantity !== PATH) checkNodes(notch, h);
  const start = startOf(input, N, M);
  const mu = E / (2 * (1 + nu));
  const bulk = (E * nu) / ((1 + nu) * (1 - 2 * nu));
  const isStrain = input.planeType === 'strain';
  return {
    ...common(input),
    mode: 'plane',
    ...{ N, M, h, Lx, Ly, mu, notch, mirrored, quantity, levels },
    lambda: isStrain ? bulk : (2 * bulk * mu) / (bulk + 2 * mu),
    dimensions: isStrain ? 3 : 2,
    split: splits.indexOf(input.split!),
    direction: loading.direction === 'shear' ? 1 : 0,
    ...(start && { start }),
  };
}

const isMirrored = (notch: Plate['notch'], Ly: number, direction: string | undefined) =>
  notch.angle === 0 && Math.abs(2 * notch.y - Ly) <= 1e-12 * Ly && direction !== 'shear';

const isWhole = (x: number) => Math.abs(x - Math.floor(x + 0.5)) <= 1e-9 * x;
const whole = (x: number) => Math.floor(x + 0.5);

/** Square cells: as many along y as fit, and so many, if that is open, that `notch` lies on their nodes. */
function cellsOf(
  input: FractureInput,
  Lx: number,
  Ly: number,
  levels: 1 | 3,
  notch?: Plate['notch'],
): { N: number; M: number } {
  const first = input.N ?? 4 * Math.ceil((CELLS * Lx) / input.ell / 4 / SLACK);
  checkCells(first * ((first * Ly) / Lx), MOST_CELLS);
  for (let N = first; N <= first + (input.N === undefined ? 256 : 0); N += 4) {
    const rows = (N * Ly) / Lx;
    if (!isWhole(rows) || rows < 8) continue;
    const M = whole(rows);
    if (levels === 3 && M % 4 !== 0 && input.N === undefined) continue;
    if (notch && input.N === undefined && N < first + 256 && !isOnNodes(notch, Lx / N)) continue;
    checkCells(N * M, MOST_CELLS);
    if (levels === 3) checkLevels(N, M);
    return { N, M };
  }
  return invalid('N', `no ${first} square cells along Lx fill Ly`, 'N with a whole N·Ly/Lx of at least 8');
}

/** Whether a notch along x ends on a node of cells of 4h and lies on a row of them; one that is inclined never does. */
const isOnNodes = ({ a, y, angle }: Plate['notch'], h: number) =>
  angle !== 0 || (isWhole(a / (4 * h)) && isWhole(y / (4 * h)));

/** Whether N cells along a plate whose value takes three grids are square, halve twice and have its notch on their nodes. */
export function takesCells({ Lx, Ly, notch }: Plate, N: number): boolean {
  const rows = (N * Ly) / Lx;
  return isWhole(rows / 4) && isOnNodes(notch, Lx / N);
}

/** The same notch on all three grids, or their differences would not show where it is wrong. */
function checkNodes(notch: Plate['notch'], h: number): void {
  if (isOnNodes(notch, h)) return;
  const N = 'cells of which four go a whole number of times into notch.a and notch.y; or pathDeviation';
  invalid('N', `the notch lies beside the nodes of cells of 4h = ${4 * h} m`, N);
}

function checkNotch({ a, y, angle }: Plate['notch'], Lx: number, Ly: number, h: number): void {
  const edge = LEAST_CELLS * h;
  if (!(y * SLACK >= edge && y <= (Ly - edge) * SLACK))
    invalid('notch.y', `${y} m is less than four cells from an edge`, `${edge} to ${Ly - edge}`);
  const [cosine, sine] = turn(angle);
  const top = y + a * sine;
  if (
    a * cosine * SLACK >= h &&
    a * cosine <= (Lx - edge) * SLACK &&
    top * SLACK >= edge &&
    top <= (Ly - edge) * SLACK
  )
    return;
  invalid('notch.a', 'the tip must lie a cell from its mouth and four from the edges', `h = ${h} m`);
}

/** cos and sin of at most 1.5 rad by their series: products and sums alone, as every engine has them. */
function turn(angle: number): readonly [number, number] {
  let [cosine, sine, term] = [0, 0, 1];
  for (let k = 0; k < 26; k += 2) {
    const sign = k % 4 === 0 ? 1 : -1;
    cosine += sign * term;
    sine += (sign * term * angle) / (k + 1);
    term *= (angle * angle) / ((k + 1) * (k + 2));
  }
  return [cosine, sine];
}

// ---- start ---------------------------------------------------------------------------------------------

function startOf({ initialState, before }: FractureInput, N: number, M: number): Common['start'] {
  if (!initialState || before) return undefined;
  const { u, d } = initialState;
  if (u === undefined) missing('initialState.u', ['initialState.u'], starts[1]);
  if (d === undefined) missing('initialState.d', ['initialState.d'], starts[1]);
  const damage = flatArray('initialState.d', d, N + 1, M + 1);
  if (damage.some((value) => !(value >= 0 && value <= 1)))
    invalid('initialState.d', 'damage lies outside its bounds', '0 to 1');
  const flat = Array.isArray(u[0]) ? (u as readonly (readonly unknown[])[]).flat(2) : u;
  const perNode = M === 0 ? 1 : 2;
  return {
    u: flatArray('initialState.u', flat as readonly number[], perNode * (N + 1), M + 1),
    d: damage,
  };
}

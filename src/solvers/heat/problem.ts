import { refuseElsewhere } from '../continuation.ts';
import {
  type Box,
  checkRings,
  flatArray,
  invalid,
  missing,
  readBox,
  readSides,
  type SideName,
  shapeOfNodes,
  sideNames,
} from '../grid/box.ts';
import { type GridFormula, type GridFormulas, gridFormulas } from '../grid/formula.ts';
import type { Before, HeatInput, HeatSide } from './schema.ts';

/** A side as the kernel has it: assembly/grid/axis.ts. */
export interface Side {
  readonly kind: 0 | 1 | 2;
  readonly T: number;
  /** h/k [1/m]. */
  readonly beta: number;
  /** q/k + h T∞/k [K/m]. */
  readonly gamma: number;
  /** Of walls and surroundings. */
  readonly around?: number;
}

/** A product of sines and cosines: k [1/m] and phase (0 sine, 1 cosine) along x and y. */
export interface Mode {
  readonly kx: number;
  readonly phaseX: 0 | 1;
  readonly ky: number;
  readonly phaseY: 0 | 1;
}

export interface Problem {
  readonly box: Box;
  readonly alpha: number;
  readonly sides: readonly Side[];
  readonly start:
    | { readonly kind: 'shape'; readonly T: number; readonly A: number; readonly mode: Mode }
    | { readonly kind: 'array'; readonly T: readonly number[] }
    | { readonly kind: 'formula' };
  readonly source: number | readonly number[] | 'formula' | undefined;
  /** Of the source, then of the start, where these are the caller's own. */
  readonly formulas?: GridFormulas;
  readonly steady: boolean;
  readonly t0: number;
  /** Seconds from the start to the end. */
  readonly duration: number;
  readonly scheme: 'explicit' | 'adi';
  readonly tol: number;
  readonly before?: Before;
}

export const diffusivities = ['alpha', 'k, rho and cp'];
const starts = ['initial {type: uniform | mode | formula}', 'initialState {T, t0}'];

/** Cells in the layer √(αt) that a start leaves at a wall; the usual ones along an axis, and the most that a layer brings. */
const CELLS_IN_LAYER = 10;
const USUAL = { 1: 256, 2: 64 } as const;
const MOST_BY_LAYERS = { 1: 8192, 2: 512 } as const;
/** The most that a refusal names for them: who is refused takes what is dear. */
export const MOST_NAMED = { 1: 8192, 2: 2048 } as const;

/** As many as the layers take, but where the caller's own step of the explicit scheme is made for the usual ones. */
export function cellsOfLayers(
  input: HeatInput,
  dim: 1 | 2,
  most: number = MOST_BY_LAYERS[dim],
): readonly [number, number] | undefined {
  const { Lx, Ly, t_end, initialState, alpha, k, rho, cp, scheme, dt } = input;
  const spread = (alpha ?? k! / (rho! * cp!)) * (t_end! - (initialState?.t0 ?? 0));
  if (!(spread > 0) || (dim === 2 && Ly === undefined) || (scheme === 'explicit' && dt !== undefined))
    return undefined;
  const wanted = (length: number) => {
    const cells = 4 * Math.ceil((CELLS_IN_LAYER * length) / Math.sqrt(spread) / 4);
    return Math.min(most, Math.max(USUAL[dim], cells));
  };
  return [wanted(Lx), dim === 1 ? 0 : wanted(Ly!)];
}

/** Reads what the schema cannot say. @throws Refusal that names the field */
export function readProblem(input: HeatInput): Problem {
  const dim = input.dim ?? 2;
  const box = readBox(
    input,
    { cells: (d) => USUAL[d] },
    shapeOfNodes(input.initialState?.T, dim) ?? input.before?.cells ?? cellsOfLayers(input, dim),
  );
  checkCells(box);
  const sides = readHeatSides(input, dim);
  const alpha = readDiffusivity(input, sides);
  const steady = readEnd(input);
  const t0 = input.initialState?.t0 ?? 0;
  if (!steady && !(input.t_end! > t0)) invalid('t_end', `t_end must lie after t0 = ${t0} s`, `> ${t0}`);
  if (steady) refuseSteady(input, sides);
  const formulas = formulasOf(input, dim);
  const source = input.s === undefined || input.s === 0 ? undefined : sourceOf(input.s, box);
  return {
    box,
    alpha,
    sides: sides.map((side) => sideOf(side, input.k ?? 1)),
    start: steady ? { kind: 'shape', T: 0, A: 0, mode: flat } : startOf(input, box, sides),
    source,
    ...(formulas && { formulas }),
    steady,
    t0,
    duration: steady ? 0 : input.t_end! - t0,
    scheme: input.scheme ?? 'adi',
    tol: input.tol ?? 1e-12,
    ...(input.before && { before: input.before }),
  };
}

const flat: Mode = { kx: 0, phaseX: 1, ky: 0, phaseY: 1 };

/** N of an array of the start has not been through the schema. */
function checkCells({ nx, ny, dim }: Box): void {
  for (const n of dim === 1 ? [nx] : [nx, ny])
    if (n < 16 || n % 4 !== 0)
      invalid('initialState.T', `it has ${n + 1} nodes along an axis`, 'N + 1 nodes, N ≥ 16 divisible by 4');
}

// ---- coefficients --------------------------------------------------------------------------------------

function readDiffusivity({ alpha, k, rho, cp }: HeatInput, sides: readonly HeatSide[]): number {
  const needsK = sides.some(
    (side) => typeof side === 'object' && (side.type === 'robin' || (side.type === 'flux' && side.q !== 0)),
  );
  const material = { k, rho, cp };
  const absent = Object.entries(material).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (alpha !== undefined && absent.length < 3)
    invalid('alpha', 'the diffusivity is given twice', diffusivities);
  if (alpha !== undefined && needsK)
    missing('k', ['k', 'rho', 'cp'], 'k, rho and cp, which flux and robin sides need');
  if (alpha !== undefined) return alpha;
  if (absent.length)
    missing(
      absent.length === 3 ? 'alpha' : absent[0]!,
      absent.length === 3 ? ['alpha'] : absent,
      diffusivities,
    );
  return k! / (rho! * cp!);
}

const isSide = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && 'type' in value);
export const isPeriodic = (side: HeatSide) => side === 'periodic' || side.type === 'periodic';

function readHeatSides({ boundary }: HeatInput, dim: 1 | 2): HeatSide[] {
  const sides = readSides<HeatSide>(boundary, isSide, isPeriodic, dim);
  return sideNames.slice(0, 2 * dim).map((name: SideName) => sides[name]!);
}

function sideOf(side: HeatSide, k: number): Side {
  if (side === 'periodic' || side.type === 'periodic') return { kind: 2, T: 0, beta: 0, gamma: 0 };
  if (side.type === 'dirichlet') return { kind: 0, T: side.T, beta: 0, gamma: 0, around: side.T };
  if (side.type === 'flux') return { kind: 1, T: 0, beta: 0, gamma: side.q / k };
  const beta = side.h / k;
  return { kind: 1, T: 0, beta, gamma: beta * side.Tinf, around: side.Tinf };
}

/** x and y in m, t in s, temperatures in K, a source in K/s, which in a steady state is not of the time. */
function formulasOf(input: HeatInput, dim: 1 | 2): GridFormulas | undefined {
  const { s, initial, parameters, before, initialState } = input;
  const given: GridFormula[] = [];
  if (typeof s === 'string') given.push({ field: 's', text: s, unit: 'K/s', ofTime: !input.steady });
  if (initial?.type === 'formula' && !before)
    given.push({ field: 'initial.equation', text: initial.equation, unit: 'K' });
  if (given.length === 0 && parameters !== undefined && !before)
    invalid('parameters', 'there is no formula', 'numbers by name with s or initial as a formula');
  return gridFormulas(input, given, {
    parameters,
    dim,
    t0: initialState?.t0 ?? 0,
    goesOn: before !== undefined,
  });
}

function sourceOf(s: NonNullable<HeatInput['s']>, { nx, ny }: Box): number | readonly number[] | 'formula' {
  if (typeof s === 'string') return 'formula';
  return typeof s === 'number' ? s : flatArray('s', s, nx + 1, ny + 1);
}

// ---- end and start -------------------------------------------------------------------------------------

function readEnd({ t_end, steady }: HeatInput): boolean {
  if (steady === false) invalid('steady', 'it is false', 'true, or t_end');
  if (steady && t_end !== undefined) invalid('steady', 'the end is given twice', ['t_end', 'steady: true']);
  if (!steady && t_end === undefined) missing('t_end', ['t_end'], 't_end [s], or steady: true');
  return steady === true;
}

/** The steady state has no start and no step, and needs a side that holds the temperature. */
function refuseSteady(input: HeatInput, sides: readonly HeatSide[]): void {
  for (const name of ['initial', 'initialState', 'dt', 'scheme'] as const)
    if (input[name] !== undefined) invalid(name, 'the steady state has none', `no ${name} with steady`);
  const holds = (side: HeatSide) =>
    typeof side === 'object' && (side.type === 'dirichlet' || side.type === 'robin');
  if (!sides.some(holds))
    invalid('boundary', 'no side holds the steady temperature', 'a dirichlet or robin side with steady');
}

function startOf(input: HeatInput, box: Box, sides: readonly HeatSide[]): Problem['start'] {
  const { initial, initialState, tol } = input;
  if (tol !== undefined) invalid('tol', 'only the steady state is iterated', 'no tol with t_end');
  refuseElsewhere('heat', initialState, starts);
  if (initial && initialState) invalid('initialState', 'the start is given twice', starts);
  if (initialState) {
    if (initialState.T === undefined) missing('initialState.T', ['initialState.T'], starts[1]);
    const T = flatArray('initialState.T', initialState.T, box.nx + 1, box.ny + 1);
    const rings = [sides[0]!, sides[2]].map((side) => side !== undefined && isPeriodic(side));
    checkRings('initialState.T', T, box, rings);
    const cold = T.findIndex((value) => !(value >= 0));
    if (cold >= 0) invalid('initialState.T', `node ${cold} is below 0 K`, '≥ 0 K');
    return { kind: 'array', T };
  }
  if (!initial) missing('initial', ['initial'], starts);
  if (initial.type === 'formula') return { kind: 'formula' };
  if (initial.type === 'uniform') return { kind: 'shape', T: initial.T, A: 0, mode: flat };
  return modeStart(initial, box, sides);
}

const insulated = (side: HeatSide) => typeof side === 'object' && side.type === 'flux' && side.q === 0;

function modeStart(
  { A, m, n, T = 0 }: Extract<NonNullable<HeatInput['initial']>, { type: 'mode' }>,
  { dim, Lx, Ly }: Box,
  sides: readonly HeatSide[],
): Problem['start'] {
  if (dim === 2 && n === undefined) missing('initial.n', ['initial.n'], 'n half waves along y');
  if (dim === 1 && n !== undefined) invalid('initial.n', 'dim 1 has no y', 'no n with dim 1');
  const phase = (pair: readonly HeatSide[]): 0 | 1 => (pair.every(insulated) ? 1 : 0);
  const mode: Mode = {
    kx: (m * Math.PI) / Lx,
    phaseX: phase(sides.slice(0, 2)),
    ky: dim === 2 ? (n! * Math.PI) / Ly : 0,
    phaseY: dim === 2 ? phase(sides.slice(2)) : 1,
  };
  return { kind: 'shape', T, A, mode };
}

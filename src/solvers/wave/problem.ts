import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';
import {
  type Box,
  checkRings,
  flatArray,
  type GridArray,
  invalid,
  MOST_CELLS,
  missing,
  readBox,
  readSides,
  shapeOfNodes,
  sideNames,
} from '../grid/box.ts';
import { type GridFormula, type GridFormulas, gridFormulas } from '../grid/formula.ts';
import { guideOf } from './guide.ts';
import { type Medium, mediumOf, segmentsOf, wholeCells } from './medium.ts';
import type { Before, Kind, MaterialLayer, PointSource, Quantity, WaveInput, WaveSide } from './schema.ts';

/** Kinds of a side by their number in assembly/wave/problem.ts. */
export type SideKind = 0 | 1 | 2 | 3;
export const [FIXED, FREE, PERIODIC, ABSORBING] = [0, 1, 2, 3] as const;

export interface Mode {
  readonly kx: number;
  readonly phaseX: 0 | 1;
  readonly ky: number;
  readonly phaseY: 0 | 1;
}

export type Start =
  | { readonly kind: 'rest' }
  | { readonly kind: 'mode'; readonly A: number; readonly mode: Mode; readonly isEigen: boolean }
  | { readonly kind: 'pluck'; readonly A: number; readonly x0: number }
  | { readonly kind: 'arrays'; readonly arrays: readonly EdgeArray[] }
  | { readonly kind: 'formula'; readonly u: boolean; readonly v: boolean };

/** Numbers on nodes, or on the edges along one axis. */
export interface EdgeArray {
  readonly along?: 'x' | 'y';
  readonly values: readonly number[];
}

export interface Problem {
  readonly maxwell: boolean;
  readonly box: Box;
  readonly medium: Medium;
  /** Left, right; in two dimensions bottom, top. */
  readonly sides: readonly SideKind[];
  readonly start: Start;
  readonly source: PointSource | undefined;
  /** The source is a formula. */
  readonly driven: boolean;
  /** Of the source, of u, of v, where these are the caller's own. */
  readonly formulas?: GridFormulas;
  readonly quantity: Quantity;
  readonly t0: number;
  readonly duration: number;
  /** Where power is taken [Hz], or 0. */
  readonly frequency: number;
  /** Of power in a plane, the modes that travel; else 0. */
  readonly modes: number;
  /** Of power of a sine in a plane, the length of a window [s]; else 0. */
  readonly window: number;
  readonly hasLayers: boolean;
  readonly before?: Before;
}

export const isPower = (quantity: Quantity): boolean =>
  quantity === 'transmittance' || quantity === 'reflectance';

const starts = ['initial {type: mode | pluck | formula}', 'source', 'initialState'];
const LEAST_CELLS = 20;
/** So many times as many hold three grids to 0.1 % of most pulses, media and times of a few passages. */
const AS_A_RULE = { 1: 6, 2: 4 } as const;
const CELLS_OF_FORMULA = 512;

/** Reads what the schema cannot say. @throws Refusal that names the field */
export function readProblem(input: WaveInput): Problem {
  const maxwell = input.mode === 'maxwell';
  const dim = input.dim ?? 2;
  const box = boxOf(input);
  const medium = mediumOf(input, box);
  const sides = readKinds(input, maxwell, dim);
  const quantity = input.quantity ?? 'value';
  const formulas = formulasOf(input, dim);
  const source = pointOf(input);
  const problem = {
    maxwell,
    box,
    medium,
    sides,
    start: startOf(input, box, sides),
    source,
    driven: input.source?.type === 'formula',
    ...(formulas && { formulas }),
    quantity,
    t0: input.initialState?.t0 ?? 0,
    frequency: 0,
    modes: 0,
    window: 0,
    hasLayers: sides.includes(ABSORBING),
    ...(input.before && { before: input.before }),
  };
  if (source) checkSource(source, box);
  checkCells(input, problem);
  if (isPower(quantity)) return { ...problem, ...powerOf(input, problem) };
  if (input.t_end === undefined) missing('t_end', ['t_end'], 't_end [s]');
  if (!(input.t_end > problem.t0))
    invalid('t_end', `t_end must lie after t0 = ${problem.t0} s`, `> ${problem.t0}`);
  return { ...problem, duration: input.t_end - problem.t0 };
}

const pointOf = ({ source }: WaveInput): PointSource | undefined =>
  source && source.type !== 'formula' ? source : undefined;

/** x and y in m, t in s; scalar: u in m, f in m/s²; maxwell: Ez in V/m, J in A/m². */
function formulasOf(input: WaveInput, dim: 1 | 2): GridFormulas | undefined {
  const { source, initial, parameters, initialState, mode } = input;
  const light = mode === 'maxwell';
  const given: GridFormula[] = [];
  if (source?.type === 'formula')
    given.push({
      field: 'source.equation',
      text: source.equation,
      unit: light ? 'A/m^2' : 'm/s^2',
      ofTime: true,
    });
  if (initial?.type === 'formula') {
    const { equation, rate } = initial;
    if (light && rate !== undefined)
      invalid('initial.rate', 'light starts from Ez with H = 0', 'no rate, or initialState {Ez, Hx, Hy}');
    if (equation === undefined && rate === undefined)
      missing('initial.equation', ['initial.equation'], 'equation, rate, or both of them');
    if (equation !== undefined)
      given.push({ field: 'initial.equation', text: equation, unit: light ? 'V/m' : 'm' });
    if (rate !== undefined) given.push({ field: 'initial.rate', text: rate, unit: 'm/s' });
  }
  if (given.length === 0 && parameters !== undefined)
    invalid('parameters', 'there is no formula', 'numbers by name with source or initial as a formula');
  return gridFormulas(input, given, { parameters, dim, t0: initialState?.t0 ?? 0 });
}

// ---- box -----------------------------------------------------------------------------------------------

/** Layers, where an array on cells has numbers or rows of them. */
const hasPieces = (epsilonR: NonNullable<WaveInput['epsilonR']>): boolean =>
  typeof epsilonR === 'object' && typeof epsilonR[0] === 'object' && !Array.isArray(epsilonR[0]);

function boxOf(input: WaveInput): Box {
  const dim = input.dim ?? 2;
  const { epsilonR, initialState } = input;
  const nodes = shapeOfNodes(initialState?.u ?? initialState?.Ez, dim);
  const cells =
    epsilonR !== undefined && typeof epsilonR === 'object' && !hasPieces(epsilonR)
      ? shapeOfNodes(epsilonR as GridArray, dim)?.map((n) => n + 1)
      : undefined;
  const least = Math.min(waveCells(input), 1e7);
  const usual = Math.max(usualCells(input, dim), 4 * Math.ceil(least * (dim === 1 ? 2 : 1)));
  const shape =
    nodes ??
    (cells ? ([cells[0]!, dim === 1 ? 0 : cells[1]!] as const) : undefined) ??
    (dim === 2 ? squareCells(input) : undefined) ??
    ([onSource(input, 0, usual), dim === 1 ? 0 : onSource(input, 1, usual)] as const);
  const box = readBox(input, { cells: () => usual }, shape);
  for (const n of dim === 1 ? [box.nx] : [box.nx, box.ny])
    if (n < 16 || n % 4 !== 0) invalid('N', `an array has ${n} cells along an axis`, 'N ≥ 16 divisible by 4');
  return box;
}

/**
 * Cells of one size, where it is known how many the longer side needs: for power in a plane 40 to the shortest wavelength,
 * so that two coarser grids have 10; for a formula, of which nobody knows how narrow it is, enough for a pulse of a tenth
 * of the box.
 */
function squareCells(input: WaveInput): readonly [number, number] | undefined {
  const { Lx, Ly, initial, source, quantity = 'value' } = input;
  if (Ly === undefined) return undefined;
  const isFormula = initial?.type === 'formula' || source?.type === 'formula';
  const longer = isFormula ? CELLS_OF_FORMULA : isPower(quantity) ? 2 * waveCells(input) : 0;
  if (longer === 0) return undefined;
  const along = (length: number) => Math.max(16, 4 * Math.ceil((length * longer) / Math.max(Lx, Ly) / 4));
  return [onNodes(interfaces(input), along(Lx)), along(Ly)];
}

/** A mode is smooth. */
const usualCells = ({ initial }: WaveInput, dim: 1 | 2): number =>
  dim === 1 ? 512 : initial?.type === 'mode' ? 96 : 128;

/** A source between nodes is shared by those around it, on each of three grids otherwise: it stands on one of all of them. */
export function onSource(input: WaveInput, axis: number, least: number): number {
  const at = pointOf(input)?.x0[axis];
  return at === undefined ? least : onNodes([at / (axis === 0 ? input.Lx : input.Ly!)], least);
}

function interfaces({ epsilonR, Lx }: WaveInput): number[] {
  if (epsilonR === undefined || !hasPieces(epsilonR)) return [];
  const lengths = (epsilonR as readonly MaterialLayer[]).map(({ L }) => L / Lx);
  return lengths.slice(0, -1).map((_, i) => lengths.slice(0, i + 1).reduce((end, L) => end + L, 0));
}

/** Of the numbers of cells up to a half more that by which these parts of an axis lie nearest to nodes of the coarsest grid. */
function onNodes(places: readonly number[], least: number): number {
  const off = (cells: number) =>
    places.reduce((sum, at) => sum + Math.abs((at * cells) / 4 - Math.round((at * cells) / 4)), 0);
  let best = least;
  for (let cells = least + 4; cells <= Math.min(1.5 * least, least + 2000); cells += 4)
    if (off(cells) < off(best) - 1e-9) best = cells;
  return best;
}

/** Cells that 20 per wavelength take along the longer axis, where the request says what the wavelength is. */
function waveCells(input: WaveInput): number {
  const { initial, Lx, Ly = 0, c, epsilonR, muR = 1 } = input;
  const source = pointOf(input);
  if (initial?.type === 'mode') return (LEAST_CELLS / 2) * Math.max(initial.m, initial.n ?? 0, 1);
  if (!source) return 0;
  const values =
    typeof epsilonR === 'number'
      ? [epsilonR]
      : Array.isArray(epsilonR) && typeof epsilonR[0] === 'object' && 'epsilonR' in epsilonR[0]
        ? (epsilonR as { epsilonR: number }[]).map((layer) => layer.epsilonR)
        : [1];
  const slow = c ?? 299792458 / Math.sqrt(muR * values.reduce((most, value) => Math.max(most, value), 1));
  return LEAST_CELLS * Math.max(Lx, Ly) * (highestOf(source) / slow);
}

/** The carrier and three standard deviations of its spectrum. */
function highestOf({ type, frequency, width }: PointSource): number {
  return type === 'pulse' ? frequency + 3 / (2 * Math.PI * width) : frequency;
}

/** Highest frequency that the request names [Hz], or 0. */
export function highestFrequency({ start, source, medium, box }: Problem): number {
  if (source) return highestOf(source);
  if (start.kind !== 'mode') return 0;
  const { kx, ky } = start.mode;
  return (Math.sqrt(medium.fastest) * Math.sqrt(kx * kx + (box.dim === 2 ? ky * ky : 0))) / (2 * Math.PI);
}

/** At least 20 cells per shortest wavelength, in the densest medium. */
function checkCells(
  input: WaveInput,
  { box, medium, start, source }: Pick<Problem, 'box' | 'medium' | 'start' | 'source'>,
): void {
  const [dx, dy] = [box.Lx / box.nx, box.ny === 0 ? 0 : box.Ly / box.ny];
  const perWave = (k: number, width: number) => (k * width === 0 ? Infinity : (2 * Math.PI) / (k * width));
  let cells = Infinity;
  if (source) cells = Math.sqrt(medium.slowest) / (highestOf(source) * Math.max(dx, dy));
  if (start.kind === 'mode') cells = Math.min(perWave(start.mode.kx, dx), perWave(start.mode.ky, dy));
  if (cells >= LEAST_CELLS * (1 - 1e-12)) return;
  const least = source
    ? LEAST_CELLS * Math.max(box.Lx, box.Ly) * (highestOf(source) / Math.sqrt(medium.slowest))
    : waveCells(input);
  const sent = [box.nx, box.ny].slice(0, box.dim);
  const cellsFrom = (from: number) => sent.map((cells) => wholeCells(medium, cells, 4 * Math.ceil(from / 4)));
  const inWords = (each: readonly number[]) =>
    `${each.every((N) => N === each[0]) ? each[0] : `[${each.join(', ')}]`}`;
  const usual = cellsFrom(AS_A_RULE[box.dim] * least);
  const isOffered = source !== undefined && usual.reduce((a, b) => a * b, 1) <= MOST_CELLS / 4;
  refuse('STABILITY_LIMIT', `N: the shortest wavelength has ${cells} cells, fewer than ${LEAST_CELLS}.`, {
    field: 'N',
    measured: cells,
    bound: LEAST_CELLS,
    accepts: `N ≥ ${inWords(cellsFrom(least))}${isOffered ? `; as a rule N = ${inWords(usual)} is enough for three grids` : ''}`,
  });
}

// ---- sides ---------------------------------------------------------------------------------------------

const numberOf: Readonly<Record<Kind, SideKind>> = {
  fixed: FIXED,
  pec: FIXED,
  free: FREE,
  periodic: PERIODIC,
  absorbing: ABSORBING,
  pml: ABSORBING,
};
const kindOf = (side: WaveSide): Kind => (typeof side === 'string' ? side : side.type);
const isSide = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && 'type' in value);

/** A row of equal cells lies along y. */
const lightSides = (name: string): Kind[] =>
  name === 'bottom' || name === 'top' ? ['pec', 'pml', 'periodic'] : ['pec', 'pml'];

function readKinds({ boundary }: WaveInput, maxwell: boolean, dim: 1 | 2): SideKind[] {
  const sides = readSides<WaveSide>(boundary, isSide, (side) => kindOf(side) === 'periodic', dim);
  return sideNames.slice(0, 2 * dim).map((name) => {
    const kind = kindOf(sides[name]!);
    const field = isSide(boundary) ? 'boundary' : `boundary.${name}`;
    const offered = maxwell ? lightSides(name) : ['fixed', 'free', 'periodic', 'absorbing'];
    if (!offered.includes(kind))
      invalid(field, `mode ${maxwell ? 'maxwell' : 'scalar'} has no ${kind} side`, offered);
    return numberOf[kind];
  });
}

// ---- start ---------------------------------------------------------------------------------------------

function startOf(input: WaveInput, box: Box, sides: readonly SideKind[]): Start {
  const { initial, initialState } = input;
  const source = pointOf(input);
  refuseElsewhere('wave', initialState, starts);
  const given = { initial, source, initialState };
  const named = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (named.length === 0 && !input.source) missing('initial', ['initial'], starts);
  if (named.length > 1) invalid(named[1]!, 'the start is given twice', starts);
  if (initialState) return { kind: 'arrays', arrays: arraysOf(input, box, sides) };
  if (!initial) return { kind: 'rest' };
  if (initial.type === 'formula')
    return { kind: 'formula', u: initial.equation !== undefined, v: initial.rate !== undefined };
  return initial.type === 'pluck' ? pluckOf(initial, box) : modeOf(initial, box, sides);
}

function pluckOf(
  { A, x0 }: Extract<NonNullable<WaveInput['initial']>, { type: 'pluck' }>,
  { dim, Lx }: Box,
): Start {
  if (dim === 2) invalid('initial.type', 'pluck needs dim 1', 'mode, or dim 1');
  if (x0.length !== 1) invalid('initial.x0', `it has ${x0.length} coordinates`, 'one of them');
  const [peak] = x0 as [number];
  if (!(peak > 0 && peak < Lx)) invalid('initial.x0', `${peak} lies outside the string`, `0 to ${Lx}`);
  return { kind: 'pluck', A, x0: peak };
}

function modeOf(
  { A, m, n }: Extract<NonNullable<WaveInput['initial']>, { type: 'mode' }>,
  { dim, Lx, Ly }: Box,
  sides: readonly SideKind[],
): Start {
  if (dim === 2 && n === undefined) missing('initial.n', ['initial.n'], 'n half waves along y');
  if (dim === 1 && n !== undefined) invalid('initial.n', 'dim 1 has no y', 'no n with dim 1');
  const axes = [sides.slice(0, 2), sides.slice(2)];
  const phase = (axis: readonly SideKind[]): 0 | 1 => (axis.every((kind) => kind === FREE) ? 1 : 0);
  const isEigen = (axis: readonly SideKind[], waves: number) =>
    axis.every((kind) => kind === FIXED) ||
    axis.every((kind) => kind === FREE) ||
    (axis.every((kind) => kind === PERIODIC) && waves % 2 === 0);
  const mode: Mode = {
    kx: (m * Math.PI) / Lx,
    phaseX: phase(axes[0]!),
    ky: dim === 2 ? (n! * Math.PI) / Ly : 0,
    phaseY: dim === 2 ? phase(axes[1]!) : 1,
  };
  return { kind: 'mode', A, mode, isEigen: isEigen(axes[0]!, m) && (dim === 1 || isEigen(axes[1]!, n!)) };
}

function arraysOf(input: WaveInput, box: Box, sides: readonly SideKind[]): EdgeArray[] {
  const { nx, ny, dim } = box;
  const state = input.initialState!;
  const own = input.mode !== 'maxwell' ? ['u', 'v'] : dim === 2 ? ['Ez', 'Hx', 'Hy'] : ['Ez', 'Hy'];
  for (const name of ['u', 'v', 'Ez', 'Hx', 'Hy'] as const) {
    const isOwn = own.includes(name);
    if (isOwn && state[name] === undefined)
      missing(`initialState.${name}`, [`initialState.${name}`], `initialState {${own.join(', ')}, t0}`);
    if (!isOwn && state[name] !== undefined)
      invalid(
        `initialState.${name}`,
        'this mode and dimension has no such array',
        `initialState {${own.join(', ')}, t0}`,
      );
  }
  const read = (name: 'u' | 'v' | 'Ez' | 'Hx' | 'Hy', columns: number, rows: number) =>
    flatArray(`initialState.${name}`, state[name]!, columns, rows);
  const rings = [sides[0] === PERIODIC, sides[2] === PERIODIC];
  if (input.mode !== 'maxwell')
    return (['u', 'v'] as const).map((name) => {
      const values = read(name, nx + 1, ny + 1);
      checkRings(`initialState.${name}`, values, box, rings);
      return { values };
    });
  const Ez = read('Ez', nx + 1, ny + 1);
  checkRings('initialState.Ez', Ez, box, rings);
  checkConductors(Ez, box, sides);
  return [
    { values: Ez },
    ...(dim === 2 ? [{ along: 'y' as const, values: read('Hx', nx + 1, ny) }] : []),
    { along: 'x' as const, values: read('Hy', nx, ny + 1) },
  ];
}

/** A perfect conductor has no field along it. */
function checkConductors(Ez: readonly number[], { nx, ny, dim }: Box, sides: readonly SideKind[]): void {
  const on = (i: number, j: number) =>
    (i === 0 && sides[0] === FIXED) ||
    (i === nx && sides[1] === FIXED) ||
    (dim === 2 && ((j === 0 && sides[2] === FIXED) || (j === ny && sides[3] === FIXED)));
  const wrong = Ez.findIndex((value, k) => value !== 0 && on(k % (nx + 1), Math.floor(k / (nx + 1))));
  if (wrong >= 0) invalid('initialState.Ez', `node ${wrong} lies on a conductor and is not 0`, '0 there');
}

function checkSource({ x0 }: PointSource, { dim, Lx, Ly }: Box): void {
  if (x0.length !== dim) invalid('source.x0', `it has ${x0.length} coordinates`, `${dim} of them`);
  const inside = x0.every((at, axis) => at > 0 && at < (axis === 0 ? Lx : Ly));
  if (!inside) invalid('source.x0', 'it lies outside the box', 'a point inside');
}

// ---- power ---------------------------------------------------------------------------------------------

/** Transmittance and reflectance: a source in the first medium, between two absorbing ends. */
function powerOf(
  input: WaveInput,
  problem: Omit<Problem, 'duration'>,
): Pick<Problem, 'frequency' | 'duration' | 'modes' | 'window'> {
  const { box, medium, sides, quantity } = problem;
  const { frequency } = input;
  const { source } = problem;
  if (!problem.maxwell) invalid('quantity', `the scalar wave has no ${quantity}`, 'mode maxwell');
  if (input.source && !source)
    invalid('source', `${quantity} is that of a pulse or a sine`, 'type pulse or sine');
  if (!source) missing('source', ['source'], `source {type, x0, frequency, width} with ${quantity}`);
  if (frequency === undefined) missing('frequency', ['frequency'], `frequency [Hz] with ${quantity}`);
  if (input.t_end !== undefined)
    invalid('t_end', 'the end is given twice', 'frequency alone: the run ends when all has passed');
  if (!sides.slice(0, 2).every((kind) => kind === ABSORBING))
    invalid('boundary', `${quantity} needs ends that nothing comes back from`, 'pml on left and right');
  if (box.dim === 2) {
    if (sides.slice(2).includes(ABSORBING) || sides[2] !== sides[3])
      invalid(
        'boundary',
        'what leaves through bottom or top would neither pass nor come back',
        'pec or periodic on bottom and top',
      );
    return { frequency, ...guideOf(source, frequency, medium, box, sides[2] === PERIODIC) };
  }
  const segments = segmentsOf(medium, box);
  const [first, last] = [segments[0]!, segments.at(-1)!];
  if (first[2] !== 0 || last[2] !== 0)
    invalid('sigma', `${quantity} needs lossless media at both ends`, '0 S/m in the first and last layer');
  if (source.x0[0]! >= first[0])
    invalid('source.x0', 'it lies behind the first layer', `below ${first[0]} m`);
  if (source.type === 'sine' && source.frequency !== frequency)
    invalid('frequency', 'a sine has its own frequency only', `${source.frequency} Hz, or a pulse`);
  if (!(frequency <= highestOf(source)))
    invalid('frequency', 'the source does not contain it', `up to ${highestOf(source)} Hz`);
  return { frequency, modes: 0, window: 0, duration: durationOf(source, segments, medium) };
}

/** Until the source, and what goes to and fro between the interfaces, have passed both ends. */
function durationOf(
  { type, width, frequency }: PointSource,
  segments: readonly [number, number, number][],
  { fastest, epsilon }: Medium,
): number {
  const light =
    Math.sqrt(fastest) *
    Math.sqrt(
      typeof epsilon === 'number' ? epsilon : segments.reduce((least, [, e]) => Math.min(least, e), Infinity),
    );
  const transit = segments.reduce((sum, [L, e]) => sum + (L * Math.sqrt(e)) / light, 0);
  const steps = segments.slice(1).map(([, e], i) => {
    const [a, b] = [Math.sqrt(segments[i]![1]), Math.sqrt(e)];
    return Math.abs(a - b) / (a + b);
  });
  const [r1 = 0, r2 = 0] = steps.sort((a, b) => b - a);
  let turns = 0;
  for (let left = 1; left > 1e-6 && r1 * r2 > 0 && turns < 2000; left *= r1 * r2) turns++;
  const passage = (2 + 2 * turns * Math.max(1, steps.length - 1)) * transit;
  return type === 'pulse' ? 10 * width + passage : width + passage + 4 / frequency;
}

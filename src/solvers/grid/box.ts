import { Type } from 'typebox';
import { refuse } from '../../errors/refusal.ts';
import { integer, numbers, optional, quantity, usedWith, vector } from '../input.ts';

/** What the solvers on a box of cells have in common: sizes, sides, arrays on nodes, probes. */

export const sideNames = ['left', 'right', 'bottom', 'top'] as const;
export type SideName = (typeof sideNames)[number];

const length = (description: string) => quantity('m', description, { exclusiveMinimum: 0 });

/** Fields `dim`, `Lx`, `Ly`, `N` and `probe`. `least` is a floor of cells along an axis. */
export const boxFields = (least: number) => ({
  dim: optional(
    Type.Union([Type.Literal(1), Type.Literal(2)], {
      description: 'Space dimensions; absent: 2.',
      default: 2,
    }),
  ),
  Lx: length('Length along x.'),
  ...usedWith({ dim: [2] }, { Ly: optional(length('Length along y.')) }),
  N: optional(
    Type.Union(
      [
        integer('Cells along each axis.', { minimum: least, multipleOf: 4 }),
        Type.Array(Type.Integer({ minimum: least, multipleOf: 4 }), {
          minItems: 1,
          maxItems: 2,
          description: 'Cells along x and y.',
        }),
      ],
      { description: `Cells along each axis, divisible by 4, at least ${least}.` },
    ),
  ),
  probe: optional(vector('m', 'Where the value is taken; absent: the centre.', { minItems: 1, maxItems: 2 })),
});

/** Numbers on the nodes or cells, [y][x] or, from a blob, row by row. */
export const gridArray = (unit: string, description: string) =>
  Type.Union(
    [
      numbers(unit, description, { minItems: 1, maxItems: 4_200_000 }),
      Type.Array(Type.Array(Type.Number({ unit }), { unit, minItems: 1, maxItems: 65_537 }), {
        unit,
        minItems: 1,
        maxItems: 65_537,
      }),
    ],
    { description: `${description} [y][x], or one row after the other.` },
  );

export type GridArray = readonly number[] | readonly (readonly number[])[];

export interface BoxInput {
  readonly dim?: 1 | 2;
  readonly Lx: number;
  readonly Ly?: number;
  readonly N?: number | readonly number[];
  readonly probe?: readonly number[];
}

/** A box: `ny` and `Ly` are 0 in one dimension. */
export interface Box {
  readonly dim: 1 | 2;
  readonly nx: number;
  readonly ny: number;
  readonly Lx: number;
  readonly Ly: number;
  readonly probe: readonly [number, number];
}

export interface BoxLimits {
  /** Cells along each axis where the request says nothing, by dimension. */
  readonly cells: (dim: 1 | 2) => number;
  readonly most?: number;
}

export const MOST_CELLS = 4_200_000;

/**
 * Reads size, cells and probe. `shape` is that of an array of the start, which says N where the request does not.
 * @throws Refusal MISSING_INPUT, INVALID_INPUT, LIMIT_EXCEEDED
 */
export function readBox(input: BoxInput, limits: BoxLimits, shape?: readonly [number, number]): Box {
  const dim = input.dim ?? 2;
  if (dim === 2 && input.Ly === undefined) missing('Ly', ['Ly'], 'Ly [m], or dim 1');
  const [nx, ny] = readCells(input.N, dim, limits, shape);
  const Ly = dim === 2 ? input.Ly! : 0;
  return { dim, nx, ny, Lx: input.Lx, Ly, probe: readProbe(input, dim, Ly) };
}

function readCells(
  N: BoxInput['N'],
  dim: 1 | 2,
  { cells, most = MOST_CELLS }: BoxLimits,
  shape?: readonly [number, number],
): readonly [number, number] {
  const given = typeof N === 'number' ? (dim === 1 ? [N] : [N, N]) : N;
  if (given && given.length !== dim)
    invalid('N', `N has ${given.length} numbers`, `a number or ${dim} of them`);
  const chosen = given ?? shape ?? (dim === 1 ? [cells(1)] : [cells(2), cells(2)]);
  const [nx, ny = 0] = chosen as [number, number?];
  const count = nx * Math.max(1, ny);
  if (!(count <= most))
    refuse('LIMIT_EXCEEDED', `${count} cells are above ${most}.`, {
      field: 'N',
      measured: count,
      bound: most,
      accepts: `at most ${most} cells`,
    });
  return [nx, dim === 1 ? 0 : ny];
}

/** Beyond that an error says nothing of cells: what it is measured by is a thousandth of the field at least. */
const MOST_TIMES = 1e7;
/** Grids that differ by so many times the bound do not show the field yet: then so many times as many cells come next. */
const UNRESOLVED = 100;
const NEXT = 4;

interface Finer {
  /** May raise the cells of an axis. */
  readonly place?: (axis: number, least: number) => number;
  readonly most?: number;
  /** In which the error falls; 1: where it is far above its bound, cells are counted on all the same. */
  readonly order?: 1 | 2;
  /** Step of the request, which was made for its cells. */
  readonly dt?: number | undefined;
  /** Where the request goes on from: its cells are those of its arrays, or of the earlier job. */
  readonly from?: GoesOn | undefined;
}

type GoesOn = 'arrays' | 'job';

/** Whether a request's cells are those of the start that it was given. */
export const goesOnFrom = (before: object | undefined, arrays: GridArray | undefined): GoesOn | undefined =>
  before ? 'job' : arrays ? 'arrays' : undefined;

/** More cells, where they may be said. */
export function moreCells(cells: string, from: GoesOn | undefined): Record<string, unknown> {
  if (from === 'arrays') return { field: 'initialState', accepts: `initialState on the nodes of ${cells}` };
  if (from === 'job')
    return { field: 'initialState.continue', accepts: `a job from the start with ${cells}` };
  return { field: 'N', accepts: cells };
}

/**
 * What is said where three grids differ by so many times the bound: cells of the order and a quarter more; or `otherwise`,
 * where no N is enough.
 */
export function finerCells(
  cells: readonly number[],
  times: number,
  otherwise: string,
  { place = (_axis, least) => least, most = MOST_CELLS, order = 2, dt, from }: Finer = {},
): Record<string, unknown> {
  const ofOrder = 1.25 * (order === 1 ? times : Math.sqrt(times));
  const factor = order === 2 && times > UNRESOLVED ? NEXT : ofOrder;
  const finer = cells.map((count, axis) => place(axis, 4 * Math.ceil((factor * count) / 4)));
  const isEnough = times <= MOST_TIMES && finer.reduce((a, b) => a * b, 1) <= most;
  if (!isEnough) return { accepts: `${otherwise}: no N of at most ${most} cells is enough` };
  return moreCells(cellsAccepted(finer, dt), from);
}

/** Cells of each axis in words, with the step that goes with them. */
export const cellsAccepted = (cells: readonly number[], dt: number | undefined): string =>
  `N = ${cells.length === 1 ? cells[0] : `[${cells.join(', ')}]`}${dt === undefined ? '' : ' with the usual dt'}`;

function readProbe({ probe, Lx }: BoxInput, dim: 1 | 2, Ly: number): readonly [number, number] {
  if (!probe) return [Lx / 2, Ly / 2];
  if (probe.length !== dim) invalid('probe', `it has ${probe.length} coordinates`, `${dim} of them`);
  const [x, y = 0] = probe as [number, number?];
  if (!(x >= 0 && x <= Lx)) invalid('probe.0', `${x} lies outside the box`, `0 to ${Lx}`);
  if (!(y >= 0 && y <= Ly)) invalid('probe.1', `${y} lies outside the box`, `0 to ${Ly}`);
  return [x, y];
}

// ---- sides ---------------------------------------------------------------------------------------------

/** The sides that exist; a single value stands for all of them. Periodic sides come in pairs. */
export function readSides<Side>(
  boundary: Side | Partial<Readonly<Record<SideName, Side>>>,
  isSide: (value: unknown) => boolean,
  isPeriodic: (side: Side) => boolean,
  dim: 1 | 2,
  optionalSides: readonly SideName[] = [],
): Partial<Record<SideName, Side>> {
  const names = sideNames.slice(0, 2 * dim);
  if (isSide(boundary)) return Object.fromEntries(names.map((name) => [name, boundary as Side]));
  const sides = boundary as Partial<Record<SideName, Side>>;
  for (const name of sideNames)
    if (sides[name] !== undefined && !names.includes(name))
      invalid(`boundary.${name}`, 'dim 1 has no such side', names);
  const absent = names.filter((name) => sides[name] === undefined && !optionalSides.includes(name));
  if (absent.length) missing(`boundary.${absent[0]}`, absent, 'one boundary for all sides, or one for each');
  for (const [a, b] of [names.slice(0, 2), names.slice(2)] as SideName[][]) {
    if (a === undefined || b === undefined || sides[a] === undefined || sides[b] === undefined) continue;
    if (isPeriodic(sides[a]) !== isPeriodic(sides[b]))
      invalid(
        `boundary.${isPeriodic(sides[a]) ? b : a}`,
        'periodic stands on one side only',
        `periodic ${a} and ${b}`,
      );
  }
  return Object.fromEntries(names.map((name) => [name, sides[name]]));
}

// ---- arrays --------------------------------------------------------------------------------------------

/** Cells that an array on nodes would have: [nx, ny], undefined where it has no such shape. */
export function shapeOfNodes(
  array: GridArray | undefined,
  dim: 1 | 2,
): readonly [number, number] | undefined {
  if (!array?.length) return undefined;
  if (dim === 1) return typeof array[0] === 'number' ? [array.length - 1, 0] : undefined;
  return typeof array[0] === 'number'
    ? undefined
    : [(array[0] as readonly number[]).length - 1, array.length - 1];
}

/** An array of `columns` × `rows` numbers, row by row. @throws Refusal INVALID_INPUT for another shape */
export function flatArray(field: string, array: GridArray, columns: number, rows: number): number[] {
  const nested = typeof array[0] !== 'number';
  const lines = array as readonly (readonly number[])[];
  const fits = nested
    ? array.length === rows && lines.every((line) => line.length === columns)
    : array.length === columns * rows;
  const shape = rows === 1 ? `${columns} numbers` : `${rows} rows of ${columns} numbers`;
  if (!fits) invalid(field, 'its shape is not that of the grid', shape);
  return nested ? lines.flat() : [...(array as readonly number[])];
}

/** On a periodic axis the last node is the first. @throws Refusal INVALID_INPUT where an array has it otherwise */
export function checkRings(
  field: string,
  array: readonly number[],
  { nx, ny }: Box,
  rings: readonly boolean[],
): void {
  const at = (i: number, j: number) => array[j * (nx + 1) + i];
  for (let j = 0; rings[0] && j <= ny; j++)
    if (at(0, j) !== at(nx, j))
      invalid(field, `node ${nx} of row ${j} is not its node 0`, 'equal ends along a periodic axis');
  for (let i = 0; rings[1] && i <= nx; i++)
    if (at(i, 0) !== at(i, ny))
      invalid(field, `node ${i} of row ${ny} is not that of row 0`, 'equal ends along a periodic axis');
}

/** Every `factor`-th node of every `factor`-th row. */
export function injected(array: readonly number[], nx: number, ny: number, factor: number): number[] {
  if (factor === 1) return array as number[];
  const coarse: number[] = [];
  for (let j = 0; j <= ny; j += factor)
    for (let i = 0; i <= nx; i += factor) coarse.push(array[j * (nx + 1) + i]!);
  return coarse;
}

// ---- words ---------------------------------------------------------------------------------------------

/** @throws Refusal INVALID_INPUT */
export function invalid(field: string, what: string, accepts: unknown): never {
  refuse('INVALID_INPUT', `${field}: ${what}.`, { field, accepts });
}

/** Such as `Lx, U and lidProfile`. */
export const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** @throws Refusal MISSING_INPUT */
export function missing(field: string, names: readonly string[], accepts: string | readonly string[]): never {
  const accepted = typeof accepts === 'string' ? accepts : accepts.join(', or ');
  refuse('MISSING_INPUT', `${inWords(names)}: missing. Accepted: ${accepted}.`, {
    field,
    missing: names,
    accepts,
  });
}

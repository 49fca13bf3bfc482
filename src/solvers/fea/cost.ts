import type { Mesh, Patch } from './mesh.ts';

/** What a run on a mesh with `cells` per patch needs, by the layout of assembly/fem/levels.ts. */
export interface Size {
  readonly cells: number;
  readonly nodes: number;
  readonly unknowns: number;
  readonly stateBytes: number;
  readonly memory: number;
  /** Ceilings in work units. */
  readonly preparation: number;
  readonly step: number;
}

const MAX_LEVELS = 24;
const BOTTOM_UNKNOWNS = 128;

const even = (n: number) => n + (n % 2);

/** Cells after joining n in pairs, as the kernel does. */
function coarseCells(n: number): number {
  const m = Math.floor(n / 2);
  if (n % 2 === 0) return m;
  if (n === 1) return 1;
  return m % 2 === 0 ? m + 1 : m;
}

interface Grid {
  readonly n: number;
  readonly m: number;
  /** Whether all rows of cells have the same matrices (assembly/fem/levels.ts). */
  readonly repeats: boolean;
}
interface Level {
  readonly cells: number;
  readonly copies: number;
  /** Numbers gone through in a product, and those that are kept for it, each in f64 and in f32. */
  readonly coefficients: number;
  readonly kept: number;
  readonly rows: number;
  readonly guard: number;
}

const isParallelogram = ([a, b, c, d, ...more]: Patch['points']) =>
  more.length === 0 && [0, 1].every((i) => c![i]! - d![i]! - (b![i]! - a![i]!) === 0);

const gridOf = ({ points, cells, grade }: Patch, factor: number): Grid => ({
  n: factor * cells[0],
  m: factor * cells[1],
  repeats: isParallelogram(points) && (cells[1] < 2 || grade[1] === 1),
});

function q2Level(grids: readonly Grid[]): Level {
  return sum(grids, ({ n, m, repeats }) => {
    const long = even(n + 1);
    const short = even(n);
    const coefficients = (mains: number, between: number) =>
      (25 * long + 15 * short) * mains + (15 * long + 9 * short) * between;
    const whole = coefficients(m + 1, m);
    return {
      copies: (long + short) * (2 * m + 1),
      coefficients: whole,
      kept: repeats ? coefficients(Math.min(m + 1, 3), Math.min(m, 2)) : whole,
      rows: 4 * m + 2,
      line: 2 * (long + short),
    };
  });
}

function q1Level(grids: readonly Grid[]): Level {
  return sum(grids, ({ n, m }) => {
    const v = even(n + 1) * (m + 1);
    return { copies: v, coefficients: 9 * v, kept: 9 * v, rows: m + 1, line: even(n + 1) };
  });
}

/** A patch in a level; `line` are the copies between a row of a class and the next. */
type Part = Omit<Level, 'cells' | 'guard'> & { readonly line: number };

function sum(grids: readonly Grid[], of: (grid: Grid) => Part): Level {
  let [cells, copies, coefficients, kept, rows, guard] = [0, 0, 0, 0, 0, 0];
  for (const grid of grids) {
    const part = of(grid);
    cells += grid.n * grid.m;
    copies += part.copies;
    coefficients += part.coefficients;
    kept += part.kept;
    rows += part.rows;
    guard = Math.max(guard, part.line + 4);
  }
  return { cells, copies, coefficients, kept, rows, guard };
}

function levels(finest: readonly Grid[], d: number): Level[] {
  const all = [q2Level(finest), q1Level(finest)];
  let grids = finest;
  while (
    all.length < MAX_LEVELS &&
    grids.some(({ n, m }) => n > 1 || m > 1) &&
    all[all.length - 1]!.copies * d > BOTTOM_UNKNOWNS
  ) {
    grids = grids.map(({ n, m }) => ({ n: coarseCells(n), m: coarseCells(m), repeats: false }));
    all.push(q1Level(grids));
  }
  return all;
}

/** Sizes of a run whose patches have `factor` times the cells of the request. */
export function sizeOf(mesh: Mesh, factor: number, d: number, samples: number): Size {
  const grids = mesh.patches.map((patch) => gridOf(patch, factor));
  const nodes = grids.reduce((total, { n, m }) => total + (2 * n + 1) * (2 * m + 1), 0);
  const base = { cells: grids.reduce((total, { n, m }) => total + n * m, 0), nodes, unknowns: nodes * d };
  if (!(nodes < 1e9))
    return { ...base, stateBytes: nodes, memory: nodes * 1e3, preparation: nodes, step: nodes };
  const all = levels(grids, d);
  const stateBytes = 48 + 8 * (4 * all[0]!.guard + 3 * d * all[0]!.copies);
  return {
    ...base,
    stateBytes,
    memory: stateBytes + derivedBytes(all, d, mesh.patches.length, samples),
    ...work(all, d),
  };
}

function derivedBytes(all: readonly Level[], d: number, patches: number, samples: number): number {
  const block = d * d;
  const bottom = all.length - 1;
  const cycle = ({ copies, guard }: Level) => 20 * (copies * d + 2 * guard);
  const diagonal = ({ copies }: Level) => 8 * (d === 1 ? 1 : 3) * copies;
  const lists = ({ copies, rows }: Level) => 13 * copies + 36 * rows + 1000 * patches;
  /** Coefficients in f64, then in f32 in the same room with the vectors of the level. */
  const coarser = (level: Level, l: number) => {
    const whole = 8 * level.kept * block;
    const inRoom = l < bottom ? Math.max(whole, whole / 2 + cycle(level)) : whole + cycle(level);
    return inRoom + diagonal(level) + lists(level);
  };
  const total = (levels: readonly Level[], of: (level: Level, l: number) => number) =>
    levels.reduce((sum, level, l) => sum + of(level, l), 0);
  const [finest, ...rest] = all as [Level, ...Level[]];
  const ofCells = 128 * block * total(rest.slice(1), ({ cells }) => cells);
  const onFinest =
    12 * finest.kept * block + Math.max(cycle(finest) + diagonal(finest), ofCells) + lists(finest);
  const loads = 8 * (finest.copies * d + 2 * finest.guard);
  const result = 8 * (419 + 5 * patches * samples * samples);
  const unknowns = all[bottom]!.copies * d;
  const direct = 8 * unknowns * (unknowns / 2 + 4);
  return onFinest + total(rest, (level, l) => coarser(level, l + 1)) + loads + result + direct + 2 ** 20;
}

/** Ceilings of assembly/fem/program.ts: rows of the product, vectors, transfers. */
function work(all: readonly Level[], d: number): { preparation: number; step: number } {
  const products = all.map(({ coefficients, rows }) => (coefficients * d * d) / 2 + 40 * rows);
  const vectors = all.map(({ copies, rows }) => 16 * copies * d + 100 * rows + 2000);
  const all0 = products.reduce((a, b) => a + b, 0) + vectors.reduce((a, b) => a + b, 0);
  const cells = all.reduce((total, { cells: n }) => total + n, 0);
  const bottom = all[all.length - 1]!.copies * d;
  return {
    step: Math.ceil(5 * all0),
    preparation: Math.ceil(
      20 * all0 + (d === 1 ? 2600 : 6500) * cells + (bottom * bottom * bottom) / 6 + 1e5,
    ),
  };
}

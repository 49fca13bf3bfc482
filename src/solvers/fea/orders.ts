// By what powers of the length of a cell corners and nodes hold the value back. Where the field goes as r^λ, a value whose
// own field goes as r^λ′ there is off by h^(λ+λ′) (G. Strang, G. Fix, An Analysis of the Finite Element Method, ch. 8); a
// jump of what is prescribed, or a force on one node, has λ = 0.

import { exponential, logarithm } from '../elementary.ts';
import { elasticExponents, poissonExponents } from './exponents.ts';
import { type Fan, fans } from './fans.ts';
import { locate } from './points.ts';
import type { Problem } from './problem.ts';

/** What the elements leave where nothing holds them back, as far as the verdict counts on it. */
const REGULAR = 2;
const NEAR = 1 / 32;
/** Where the value is taken at a node that is loaded it goes as a logarithm of the cells; beside a corner it hardly goes. */
const NO_ORDER = 0.2;
/** As many as the verdict reads. */
const MOST = 4;
/** Angles closer than this count as one. */
const STEP = 1 / 128;

const [SIDE, NODE] = [0, 1];
const FORCE = 2;
const KIND_OF_LOAD = 5;
/** Points closer than this times the extent are one. */
const CLOSE = 1e-9;
/** Places of a patch nearer than this are on its side. */
const NODES = 1e-6;
/** Of a fan that is about no corner. */
const NONE = -1;
/** Corners of a patch; nodes 4 … 8 of an element. */
const PLACES = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;
const MIDDLES = [
  [0.5, 0],
  [1, 0.5],
  [0.5, 1],
  [0, 0.5],
  [0.5, 0.5],
] as const;
const partAt = (c: number) => 5 + 9 * c;

/** Value of a row of supports for an unknown at ξ; undefined where it is free. */
function valueAt(row: readonly number[] | undefined, c: number, xi: number): number | undefined {
  const [from, count] = [partAt(c) + 1, row?.[partAt(c)] ?? 0];
  if (count === 0) return undefined;
  return row!.slice(from, from + count).reduceRight((sum, x) => sum * xi + x, 0);
}

/** A corner of the boundary, or a node of it that a support names, with what is prescribed there. */
interface Corner {
  readonly fan: Fan;
  /** Per end, per unknown. */
  readonly held: readonly (readonly boolean[])[];
  /** Whether what is prescribed jumps there. */
  readonly jumps: boolean;
  readonly isLoaded: boolean;
  /** Whether one of the unknowns is held there by a node alone. */
  readonly isPinned: boolean;
}

type Rows = (readonly number[])[];

/** Rows of sides by patch, side and unknown, the last of each; those of nodes by corner, and the others. */
function sortRows({ supports, loads, mesh, d }: Problem) {
  const sides = new Map<string, readonly number[]>();
  const nodes = new Map<number, Rows>();
  const others: Rows = [];
  const unknowns = d === 1 ? [0] : [0, 1];
  for (const row of supports) {
    if (row[0] === SIDE) {
      for (const c of unknowns) if (row[partAt(c)]! > 0) sides.set(`${row[1]},${row[2]},${c}`, row);
      continue;
    }
    const corner = cornerOf(mesh, row);
    if (corner === undefined) others.push(row);
    else nodes.set(corner, [...(nodes.get(corner) ?? []), row]);
  }
  const forces = loads.filter((row) => row[KIND_OF_LOAD] === FORCE);
  const loaded = new Set(forces.map((row) => cornerOf(mesh, row)));
  return { sides, nodes, others, loaded, unknowns };
}

/** Number of the corner that a row of a node or a point names. */
function cornerOf({ patches, extent }: Problem['mesh'], row: readonly number[]): number | undefined {
  if (row[0] === NODE) return patches[row[1]!]!.corners[row[2]!];
  const [x, y] = [row[3]!, row[4]!];
  for (const { points, corners } of patches)
    for (let c = 0; c < 4; c++)
      if (Math.abs(points[c]![0]! - x) + Math.abs(points[c]![1]! - y) <= CLOSE * extent) return corners[c];
  return undefined;
}

export const isAt = (a: readonly number[], b: readonly number[], extent: number) =>
  Math.abs(a[0]! - b[0]!) + Math.abs(a[1]! - b[1]!) <= CLOSE * extent;

/** Those of the boundary; and whether a node is held within the body. */
function cornersOf(problem: Problem): { corners: Corner[]; isHeldWithin: boolean } {
  const rows = sortRows(problem);
  const all = fans(problem.mesh);
  const onBoundary = new Set(all.map(({ corner }) => corner));
  const corners = all.map((fan) => cornerAt(rows, fan, rows.nodes.get(fan.corner) ?? []));
  let isHeldWithin = [...rows.nodes.keys()].some((corner) => !onBoundary.has(corner));
  for (const row of rows.others) {
    const fan = straightFan(problem, row);
    if (fan) corners.push(cornerAt(rows, fan, [row]));
    else isHeldWithin = true;
  }
  return { corners, isHeldWithin };
}

function cornerAt({ sides, loaded, unknowns }: ReturnType<typeof sortRows>, fan: Fan, nodes: Rows): Corner {
  const atEnds = fan.ends.map(({ patch, side, xi }) =>
    unknowns.map((c) => valueAt(sides.get(`${patch},${side},${c}`), c, xi)),
  );
  const atNodes = nodes.map((row) => unknowns.map((c) => valueAt(row, c, 0)));
  const given = (c: number) => [...atEnds, ...atNodes].flatMap((values) => values[c] ?? []);
  return {
    fan,
    held: atEnds.map((values) => values.map((v) => v !== undefined)),
    jumps: unknowns.some((c) => differ(given(c))),
    isLoaded: loaded.has(fan.corner),
    isPinned: unknowns.some(
      (c) => atEnds.every((v) => v[c] === undefined) && atNodes.some((v) => v[c] !== undefined),
    ),
  };
}

/** About a node within an outer side; undefined where it lies within the body. */
function straightFan({ mesh }: Problem, row: readonly number[]): Fan | undefined {
  if (row[0] === NODE)
    return fanOn(mesh, row[1]!, MIDDLES[row[2]! - 4]!, mesh.patches[row[1]!]!.points[row[2]!]!);
  const at = row.slice(3, 5);
  for (const [patch, { points }] of mesh.patches.entries()) {
    if (!isBeside(points, at)) continue;
    const place = locate(points, at, mesh.extent);
    const fan = place && fanOn(mesh, patch, place, at);
    if (fan) return fan;
  }
  return undefined;
}

/** Whether a point lies in the box about a patch, which curved sides leave by an eighth at most. */
const isBeside = (points: readonly (readonly number[])[], at: readonly number[]) =>
  [0, 1].every((i) => {
    const along = points.map((p) => p[i]!);
    const [low, high] = [Math.min(...along), Math.max(...along)];
    return Math.abs(2 * at[i]! - low - high) <= 1.5 * (high - low);
  });

function fanOn(
  mesh: Problem['mesh'],
  patch: number,
  place: readonly number[],
  at: readonly number[],
): Fan | undefined {
  const [s, t] = place as [number, number];
  if (place.some((x) => x < -NODES || x > 1 + NODES)) return undefined;
  const side = [t, 1 - s, 1 - t, s].findIndex((off) => Math.abs(off) < NODES);
  if (side < 0 || mesh.patches[patch]!.neighbours[side]! >= 0) return undefined;
  const end = { patch, side, xi: 2 * (side % 2 === 0 ? s : t) - 1 };
  return { corner: NONE, at, from: 0, angle: Math.PI, ends: [end, end] };
}

function differ(values: readonly number[]): boolean {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high));
}

/** Places where what is prescribed jumps: the energy has no bound there, and a value there no meaning. */
export const jumpsOf = (problem: Problem): (readonly number[])[] =>
  cornersOf(problem).corners.flatMap(({ fan, jumps }) => (jumps ? [fan.at] : []));

/** Places where stresses grow without bound: the corners of which an exponent is below 1. */
export function singularPlaces(problem: Problem): (readonly number[])[] {
  const known = new Map<string, number[]>();
  return cornersOf(problem).corners.flatMap(({ fan, held, jumps }) =>
    jumps || exponentsOf(problem, held, fan, known).some((x) => x < 1 - NEAR) ? [fan.at] : [],
  );
}

/** The corners that hold the value back most. */
export function lowestPlaces(problem: Problem): (readonly number[])[] {
  const known = new Map<string, number[]>();
  const found = cornersOf(problem).corners.map((corner) => ({
    at: corner.fan.at,
    order: Math.min(REGULAR, ...heldBack(corner, exponentsOf(problem, corner.held, corner.fan, known))),
  }));
  const lowest = Math.min(REGULAR - NEAR, ...found.map(({ order }) => order));
  return found.flatMap(({ at, order }) => (order < lowest + NEAR ? [at] : []));
}

/** Orders below 2, lowest first; and whether a node alone is held, which matters where it bears anything. */
export function ordersOf(problem: Problem): { orders: number[]; isPinned: boolean } {
  const { corners, isHeldWithin } = cornersOf(problem);
  const known = new Map<string, number[]>();
  const felt = new Set<number>();
  const found = corners.flatMap((corner) => {
    const exponents = exponentsOf(problem, corner.held, corner.fan, known);
    if (corner.jumps || exponents.length > 0) felt.add(corner.fan.corner);
    return heldBack(corner, exponents);
  });
  if (isProbeLoaded(problem) || isProbeBeside(problem, felt)) found.push(NO_ORDER);
  return {
    orders: distinct(found.filter((x) => x < REGULAR - NEAR)).slice(0, MOST),
    isPinned: isHeldWithin || corners.some((corner) => corner.isPinned),
  };
}

/** Whether cells about the probe are no smaller than its distance from one of the corners, so that none sees r^λ there. */
export function isProbeBeside(problem: Problem, corners: ReadonlySet<number>): boolean {
  const { input, mesh, factors } = problem;
  if (input.quantity === 'energy') return false;
  return mesh.patches.some((patch) => {
    const place = isBeside(patch.points, input.probe!) && locate(patch.points, input.probe!, mesh.extent);
    if (!place || place.some((x) => x < -NODES || x > 1 + NODES)) return false;
    return PLACES.some((end, c) => {
      if (!corners.has(patch.corners[c]!)) return false;
      const off = place.map((x, i) => Math.abs(x - end[i]!));
      const isWithin = off.every((x, i) => x <= fewCells(patch, i, end[i]!) / factors[0]!);
      return isWithin && off.some((x) => x > NODES);
    });
  });
}

/** Those that have an exponent or a jump. */
export function feltCorners(problem: Problem): ReadonlySet<number> {
  const known = new Map<string, number[]>();
  const felt = cornersOf(problem).corners.filter(
    ({ held, fan, jumps }) => jumps || exponentsOf(problem, held, fan, known).length > 0,
  );
  return new Set(felt.map(({ fan }) => fan.corner));
}

/** What two cells take of a patch along one of its axes, at its beginning or end. */
function fewCells({ cells, grade }: Problem['mesh']['patches'][number], axis: number, end: number): number {
  const n = cells[axis]!;
  const log = logarithm(grade[axis]!) * (end === 0 ? 1 : -1);
  if (n < 3 || Math.abs(log) < 1e-9) return 2 / n;
  const ratio = exponential(log / (n - 1));
  return (ratio * ratio - 1) / (exponential((log * n) / (n - 1)) - 1);
}

/** Where a force on a node is felt without bound: in the energy, and at the node. */
export function isProbeLoaded({ input, loads, mesh, d }: Problem): boolean {
  const forces = loads.filter((row) => d === 2 && row[KIND_OF_LOAD] === FORCE);
  if (input.quantity === 'energy') return forces.length > 0;
  return forces.some((row) => {
    const { points } = mesh.patches[row[1]!]!;
    const at = row[0] === NODE ? nodeAt(points, row[2]!) : row.slice(3, 5);
    return isAt(at, input.probe!, mesh.extent);
  });
}
/** Elements have nine points, their nodes. */
const nodeAt = (points: readonly (readonly number[])[], a: number) => points[a]!;

function heldBack({ fan, jumps, isLoaded }: Corner, exponents: readonly number[]): number[] {
  const sums = exponents.flatMap((a, i) => exponents.slice(i).map((b) => a + b));
  // A jump is felt by fields that are polynomials too.
  const ofJump = jumps ? [Math.min(exponents[0] ?? REGULAR, Math.PI / fan.angle)] : [];
  return [...sums, ...ofJump, ...(isLoaded ? exponents : [])];
}

function exponentsOf(
  { d, input }: Problem,
  held: Corner['held'],
  { from, angle }: Fan,
  known: Map<string, number[]>,
): number[] {
  const [first, last] = held as [boolean[], boolean[]];
  if (d === 1) return poissonExponents(angle, first[0] !== last[0]);
  const isUniform = [first, last].every(([x, y]) => x === y);
  // Equal sides up to a straight angle have none below 1.
  if (isUniform && first[0] === last[0] && angle < Math.PI + STEP) return [];
  const rounded = (x: number) => STEP * Math.round(x / STEP);
  const turn = isUniform ? 0 : rounded(from);
  const key = `${held},${rounded(angle)},${turn}`;
  const exponents =
    known.get(key) ?? elasticExponents(kappa(input), turn, rounded(angle), [pair(first), pair(last)]);
  known.set(key, exponents);
  return exponents;
}

const pair = (side: readonly boolean[]): [boolean, boolean] => [side[0]!, side[1]!];
const kappa = ({ planeType, nu = 0 }: Problem['input']) =>
  planeType === 'strain' ? 3 - 4 * nu : (3 - nu) / (1 + nu);

function distinct(orders: readonly number[]): number[] {
  const sorted = [...orders].sort((a, b) => a - b);
  const kept: number[] = [];
  for (const x of sorted) if (kept.length === 0 || x - kept[kept.length - 1]! > NEAR) kept.push(x);
  return kept;
}

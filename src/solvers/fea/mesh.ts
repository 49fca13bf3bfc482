import { refuse } from '../../errors/refusal.ts';
import { type FeaInput, sides as sideNames } from './schema.ts';

type Point = readonly number[];

/** A mapped quadrilateral with a structured grid; a nine-node element is one with a single cell. */
export interface Patch {
  /** 4 or 9 points. */
  readonly points: readonly Point[];
  readonly cells: readonly [number, number];
  readonly grade: readonly [number, number];
  /** Numbers of its corners. */
  readonly corners: readonly number[];
  /** Over bottom, right, top, left: −1 or patch·8 + side·2 + reversed. */
  readonly neighbours: number[];
}

export interface Mesh {
  readonly patches: readonly Patch[];
  readonly cornerCount: number;
  /** Whether the request gave elements; their nodes as [patch, local node] by node index. */
  readonly nodeCopies: ReadonlyMap<number, readonly [number, number]> | undefined;
  readonly extent: number;
}

/** Corners at the beginning and end of each side. */
const sideCorners = [
  [0, 1],
  [1, 2],
  [3, 2],
  [0, 3],
] as const;
/** Points closer than this times the extent are one. */
const SAME = 1e-9;
/** Points closer than this that are not one were meant to be: by rounding, or by two numbers for one node. */
const BESIDE = 1e-6;
/** Of it, what both sides of a slit are apart for certain, its middle nodes too. */
const SLIT = 10 * BESIDE;

/**
 * Joins patches or elements over their sides. Refuses: points that turn clockwise, two nodes at one place, sides that meet
 * with different cells, three patches on one side or two on the same side of it, corners within a side, parts that hang
 * together by a corner or not at all.
 */
export function readMesh(input: FeaInput): Mesh {
  const extent = extentOf(input);
  const mesh = input.patches ? fromPatches(input.patches, extent) : fromElements(input, extent);
  joinSides(mesh);
  refuseHanging(mesh);
  refuseLooseParts(mesh);
  return mesh;
}

const nameOf = (mesh: Mesh, patch: number) => `${mesh.nodeCopies ? 'elements' : 'patches'}[${patch}]`;

function extentOf(input: FeaInput): number {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const points = input.patches ? input.patches.flatMap(({ corners }) => corners) : (input.nodes ?? []);
  for (const p of points) {
    for (const x of p) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
  }
  return high - low;
}

function fromPatches(patches: NonNullable<FeaInput['patches']>, extent: number): Mesh {
  const corners = new PointNumbers(SAME * extent);
  const beside = new PointNumbers(BESIDE * extent);
  const list = patches.map(({ corners: points, N, grade }, i): Patch => {
    const field = `patches[${i}].corners`;
    if (points.length !== 4 && points.length !== 9)
      refuse('INVALID_INPUT', `${field} has ${points.length} points.`, { field, accepts: '4 or 9 points' });
    if (grade?.some((g) => !(g > 0)))
      refuse('INVALID_INPUT', `patches[${i}].grade must be above 0.`, {
        field: `patches[${i}].grade`,
        accepts: 'numbers above 0',
      });
    refuseClockwise(points, field);
    return {
      points,
      cells: [N[0]!, N[1]!],
      grade: [grade?.[0] ?? 1, grade?.[1] ?? 1],
      corners: points.slice(0, 4).map((p, c) => {
        const known = beside.numberOf(p);
        if (corners.numberOf(p) !== known)
          refuse(
            'INVALID_INPUT',
            `${field}[${c}] lies beside another corner, ${beside.distance(known, p)} m off.`,
            {
              field: `${field}[${c}]`,
              accepts: [
                `[${beside.at(known).join(', ')}], the corner beside it`,
                `a corner ${SLIT * extent} m off`,
              ],
            },
          );
        return known;
      }),
      neighbours: [-1, -1, -1, -1],
    };
  });
  return { patches: list, cornerCount: corners.count, nodeCopies: undefined, extent };
}

function fromElements(input: FeaInput, extent: number): Mesh {
  const nodes = input.nodes!;
  const numbers = new Map<number, number>();
  const copies = new Map<number, readonly [number, number]>();
  const places = new PointNumbers(BESIDE * extent);
  const firsts: number[] = [];
  const list = input.elements!.map((element, i): Patch => {
    const points = element.map((n, a) => {
      const p = nodes[n];
      const field = `elements[${i}][${a}]`;
      if (!p)
        refuse('INVALID_INPUT', `${field} names node ${n}.`, { field, accepts: `0 to ${nodes.length - 1}` });
      if (p.length !== 2)
        refuse('INVALID_INPUT', `nodes[${n}] must have two coordinates.`, { field: `nodes[${n}]` });
      if (!copies.has(n)) {
        copies.set(n, [i, a]);
        const place = places.numberOf(p);
        firsts[place] ??= n;
        if (firsts[place] !== n)
          refuse('INVALID_INPUT', `nodes[${n}] lies where node ${firsts[place]} does.`, {
            field: `nodes[${n}]`,
            accepts: [`node ${firsts[place]} in its place`, `for a slit, a node ${SLIT * extent} m off`],
          });
      }
      return p;
    });
    refuseClockwise(points, `elements[${i}]`);
    const corners = element.slice(0, 4).map((n) => {
      if (!numbers.has(n)) numbers.set(n, numbers.size);
      return numbers.get(n)!;
    });
    return { points, cells: [1, 1], grade: [1, 1], corners, neighbours: [-1, -1, -1, -1] };
  });
  return { patches: list, cornerCount: numbers.size, nodeCopies: copies, extent };
}

/** The bilinear map of the corners must turn counter-clockwise at each of them. */
function refuseClockwise(points: readonly Point[], field: string): void {
  for (let c = 0; c < 4; c++) {
    const [a, b, d] = [points[c]!, points[(c + 1) % 4]!, points[(c + 3) % 4]!];
    const turn = (b[0]! - a[0]!) * (d[1]! - a[1]!) - (b[1]! - a[1]!) * (d[0]! - a[0]!);
    if (!(turn > 0))
      refuse('INVALID_INPUT', `${field}: at corner ${c} the Jacobian is not positive.`, {
        field,
        accepts: 'a convex quadrilateral, counter-clockwise',
      });
  }
}

/** Gives equal numbers to equal points, by a grid of buckets. */
class PointNumbers {
  readonly #size: number;
  readonly #buckets = new Map<string, { at: Point; number: number }[]>();
  readonly #points: Point[] = [];

  constructor(size: number) {
    this.#size = size > 0 ? size : 1;
  }

  numberOf(at: Point): number {
    const cell = at.map((x) => Math.floor(x / this.#size));
    for (const i of [-1, 0, 1]) {
      for (const j of [-1, 0, 1]) {
        const bucket = this.#buckets.get(`${cell[0]! + i},${cell[1]! + j}`) ?? [];
        const known = bucket.find(({ at: p }) => this.#near(p, at));
        if (known) return known.number;
      }
    }
    const key = `${cell[0]},${cell[1]}`;
    const bucket = this.#buckets.get(key) ?? [];
    bucket.push({ at, number: this.count });
    this.#buckets.set(key, bucket);
    return this.#points.push(at) - 1;
  }

  get count(): number {
    return this.#points.length;
  }

  at(number: number): Point {
    return this.#points[number]!;
  }

  distance(number: number, to: Point): number {
    const [x = 0, y = 0] = this.at(number);
    return Math.max(Math.abs(x - to[0]!), Math.abs(y - to[1]!));
  }

  #near(a: Point, b: Point): boolean {
    return Math.abs(a[0]! - b[0]!) <= this.#size && Math.abs(a[1]! - b[1]!) <= this.#size;
  }
}

interface Side {
  readonly patch: number;
  readonly side: number;
  readonly from: number;
  readonly middle: Point;
}

function joinSides(mesh: Mesh): void {
  const open = new Map<string, Side[]>();
  mesh.patches.forEach((patch, p) => {
    for (let side = 0; side < 4; side++) joinSide(mesh, open, sideOf(patch, p, side));
  });
}

function sideOf(patch: Patch, p: number, side: number): Side {
  const [a, b] = sideCorners[side]!;
  const middle = patch.points[4 + side] ?? patch.points[a]!.map((x, i) => (x + patch.points[b]![i]!) / 2);
  return { patch: p, side, from: patch.corners[a]!, middle };
}

function joinSide(mesh: Mesh, open: Map<string, Side[]>, side: Side): void {
  const patch = mesh.patches[side.patch]!;
  const [a, b] = sideCorners[side.side]!.map((c) => patch.corners[c]!) as [number, number];
  if (a === b)
    refuse('INVALID_INPUT', `Side ${side.side} of ${nameOf(mesh, side.patch)} has no length.`, {
      field: nameOf(mesh, side.patch),
      accepts: 'corners that lie apart, as measured by the size of the body',
    });
  const key = a < b ? `${a},${b}` : `${b},${a}`;
  const others = open.get(key) ?? [];
  open.set(key, others);
  const other = others.find(({ middle }) => near(middle, side.middle, SAME * mesh.extent));
  if (!other) {
    for (const each of others) refuseOver(mesh, side, each);
    others.push(side);
    return;
  }
  const neighbour = mesh.patches[other.patch]!;
  if (neighbour.neighbours[other.side] !== -1)
    refuse(
      'INVALID_INPUT',
      `${nameOf(mesh, side.patch)} is the third that meets on a side of ${nameOf(mesh, other.patch)}.`,
      {
        field: nameOf(mesh, side.patch),
        accepts: 'at most two on a side',
      },
    );
  const reversed = other.from === side.from ? 0 : 1;
  // Counter-clockwise sides 0 and 1 run onwards, 2 and 3 back: two that meet run against each other.
  if ((reversed === 1) !== (side.side < 2 === other.side < 2))
    refuse(
      'INVALID_INPUT',
      `${nameOf(mesh, side.patch)} lies over ${nameOf(mesh, other.patch)}: both are on the same side of a side.`,
      {
        field: nameOf(mesh, side.patch),
        accepts: 'one on either side of a side that they share',
      },
    );
  refuseMismatch(patch, side, neighbour, other, reversed === 1);
  patch.neighbours[side.side] = other.patch * 8 + other.side * 2 + reversed;
  neighbour.neighbours[other.side] = side.patch * 8 + side.side * 2 + reversed;
}

/** Two sides between the same corners leave a hole between them, or else one lies over the other. */
function refuseOver(mesh: Mesh, side: Side, other: Side): void {
  const { points } = mesh.patches[side.patch]!;
  const [a, b] = sideCorners[side.side]!.map((c) => points[c]!) as [Point, Point];
  const onwards = side.side < 2 ? 1 : -1;
  const [x, y] = [b[0]! - a[0]!, b[1]! - a[1]!];
  const apart = side.middle.map((at, i) => at - other.middle[i]!);
  const over = (onwards * (apart[0]! * y - apart[1]! * x)) / Math.sqrt(x * x + y * y);
  if (over <= -BESIDE * mesh.extent) return;
  const field = nameOf(mesh, side.patch);
  refuse(
    'INVALID_INPUT',
    `The ${sideNames[side.side]} side of ${field} does not run as that of ${nameOf(mesh, other.patch)} between the same corners.`,
    {
      field,
      accepts: `the middle of that side at [${other.middle.join(', ')}]`,
    },
  );
}

const near = (a: Point, b: Point, size: number) =>
  Math.abs(a[0]! - b[0]!) <= size && Math.abs(a[1]! - b[1]!) <= size;

/** Both patches must cut a common side into the same cells. */
function refuseMismatch(patch: Patch, side: Side, other: Patch, otherSide: Side, reversed: boolean): void {
  const field = `patches[${side.patch}]`;
  const [n, m] = [patch.cells[side.side % 2]!, other.cells[otherSide.side % 2]!];
  if (n !== m)
    refuse(
      'INVALID_INPUT',
      `${field}.N gives ${n} cells on a side where patch ${otherSide.patch} has ${m}.`,
      {
        field: `${field}.N`,
        accepts: 'the same number of cells on both sides of a joint',
      },
    );
  const grade = patch.grade[side.side % 2]!;
  const wanted = reversed ? 1 / other.grade[otherSide.side % 2]! : other.grade[otherSide.side % 2]!;
  if (n > 1 && Math.abs(grade - wanted) > 1e-12 * wanted)
    refuse(
      'INVALID_INPUT',
      `${field}.grade is ${grade} on a side where patch ${otherSide.patch} gives ${wanted}.`,
      {
        field: `${field}.grade`,
        accepts: 'the same grading on both sides of a joint',
      },
    );
}

/**
 * A corner within a side that nothing is joined to: a side that meets two, or one whose corners are too few. They would lie
 * beside each other as the lips of a slit.
 */
function refuseHanging(mesh: Mesh): void {
  const open = mesh.patches.flatMap(({ neighbours }, patch) =>
    neighbours.flatMap((code, side) => (code < 0 ? [{ patch, side }] : [])),
  );
  const corners = new Map<number, { at: Point; patch: number }>();
  for (const { patch, side } of open)
    for (const c of sideCorners[side]!)
      corners.set(mesh.patches[patch]!.corners[c]!, { at: mesh.patches[patch]!.points[c]!, patch });
  const sorted = [...corners].sort(([, a], [, b]) => a.at[0]! - b.at[0]!);
  for (const { patch, side } of open) {
    const found = withinSide(mesh, patch, side, sorted);
    if (found === undefined) continue;
    const field = nameOf(mesh, patch);
    refuse(
      'INVALID_INPUT',
      `A corner of ${nameOf(mesh, found.patch)} lies within the ${sideNames[side]} side of ${field}, at [${found.at.join(', ')}].`,
      {
        field,
        accepts: `two in the place of ${field}, which meet there, or one in the place of those beside it`,
      },
    );
  }
}

type Corner = readonly [number: number, { readonly at: Point; readonly patch: number }];

/** The first of the corners, in order of x, that lies on a side between its ends. */
function withinSide(mesh: Mesh, patch: number, side: number, sorted: readonly Corner[]) {
  const { points, corners } = mesh.patches[patch]!;
  const [a, b] = sideCorners[side]!;
  const [from, to] = [points[a]!, points[b]!];
  const { middle } = sideOf(mesh.patches[patch]!, patch, side);
  const slack = BESIDE * mesh.extent;
  const [left, right] = [Math.min(from[0]!, to[0]!, middle[0]!), Math.max(from[0]!, to[0]!, middle[0]!)];
  // Of a parabola at most an eighth of its ends' distance from the middle lies beyond the three.
  const reach = slack + (right - left) / 4;
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const half = (low + high) >> 1;
    if (sorted[half]![1].at[0]! < left - reach) low = half + 1;
    else high = half;
  }
  for (; low < sorted.length && sorted[low]![1].at[0]! <= right + reach; low++) {
    const [number, corner] = sorted[low]!;
    if (number !== corners[a] && number !== corners[b] && isOn(from, middle, to, corner.at, slack))
      return corner;
  }
  return undefined;
}

/** Whether a point lies on the parabola through three, by the place along it where it is nearest to the chord's. */
function isOn(from: Point, middle: Point, to: Point, at: Point, slack: number): boolean {
  const curve = [0, 1].map((i) => [
    from[i]!,
    4 * middle[i]! - 3 * from[i]! - to[i]!,
    2 * (from[i]! + to[i]! - 2 * middle[i]!),
  ]);
  const place = (t: number) => curve.map(([c, b, a]) => c! + t * (b! + t * a!));
  let t = 0.5;
  for (let k = 0; k < 30; k++) {
    const [p, slope] = [place(t), curve.map(([, b, a]) => b! + 2 * t * a!)];
    const square = slope[0]! * slope[0]! + slope[1]! * slope[1]!;
    if (!(square > 0)) return false;
    t += ((at[0]! - p[0]!) * slope[0]! + (at[1]! - p[1]!) * slope[1]!) / square;
    t = Math.min(1, Math.max(0, t));
  }
  return t > 0 && t < 1 && near(place(t), at, slack);
}

/** Parts joined by corners alone would be hinges: the rigid motions would not be those of one body. */
function refuseLooseParts(mesh: Mesh): void {
  const reached = new Set([0]);
  const pending = [0];
  for (let p = pending.pop(); p !== undefined; p = pending.pop()) {
    for (const code of mesh.patches[p]!.neighbours) {
      if (code < 0 || reached.has(code >> 3)) continue;
      reached.add(code >> 3);
      pending.push(code >> 3);
    }
  }
  if (reached.size === mesh.patches.length) return;
  const loose = mesh.patches.findIndex((_, p) => !reached.has(p));
  const field = nameOf(mesh, loose);
  refuse('INVALID_INPUT', `${field} shares no side with the part that holds the first one.`, {
    field,
    accepts: 'one body, joined over whole sides',
  });
}

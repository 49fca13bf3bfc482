import { power } from '../formula-value.ts';
import { hbar, type Range } from './problem.ts';
import { formulaOf } from './reach.ts';
import type { SchrodingerInput } from './schema.ts';

// How far a packet comes in any V in the plane: points of its rim, in position and wave vector, go the ways of particles, and
// beyond where these turn |ψ| falls off.

/** Shells of the packet, as shares of its tail, and ln of what |ψ| falls by behind where their particles turn. */
const SHELLS = [
  { share: 0, fall: 16 },
  { share: 0.5, fall: 12 },
  { share: 1, fall: 6 },
] as const;
/** Steps of a particle: of the run, of the domain at its speed, and of the time in which its force takes it that far. */
const OF_RUN = 1 / 256;
const OF_DOMAIN = 1 / 128;
const OF_FORCE = 0.06;
const MOST_STEPS = 4000;
/** Of the smaller side, over which a slope is taken, and by which |ψ| is followed outward. */
const SLOPE = 1 / 8192;
const OUTWARD = 1 / 512;

export interface PlaneReach {
  readonly ranges: readonly [Range, Range];
  /** Largest wave vector along an axis [1/m]. */
  readonly k: number;
  /** When the first of it leaves the domain that was sent [s]; the whole run where none does. */
  readonly leaves: number;
}

type Potential = (x: number, y: number) => number;
/** Place [m] and wave vector [1/m]. */
type Point = readonly [x: number, y: number, kx: number, ky: number];

/** V [J] at (x, y), to a few digits. */
function potentialOf(input: SchrodingerInput): Potential | undefined {
  const { type, terms = [] } = input.potential;
  if (type === 'polynomial')
    return (x, y) =>
      terms.reduce((sum, { c, powers }) => sum + c * power(x, powers[0]!) * power(y, powers[1]!), 0);
  return type === 'formula' ? formulaOf(input, ['x', 'y']) : undefined;
}

/** The 24 directions with one number or two of four, of one size. */
function directions(): Point[] {
  const all: Point[] = [];
  for (let i = 0; i < 4; i++)
    for (let j = i; j < 4; j++)
      for (const a of [-1, 1])
        for (const b of j === i ? [0] : [-1, 1]) {
          const size = Math.sqrt(a * a + b * b);
          const of = [0, 1, 2, 3].map((axis) => (axis === i ? a : axis === j ? b : 0) / size);
          all.push(of as unknown as Point);
        }
  return all;
}

interface Medium {
  readonly V: Potential;
  readonly mass: number;
  readonly action: number;
  readonly time: number;
  readonly side: number;
  readonly domain: readonly [Range, Range];
}

/** Of a packet whose |ψ| is taken to end `tail` of its widths from its middle, in position and wave vector; ranges may be NaN. */
export function planeReachOf(
  input: SchrodingerInput,
  domain: readonly [Range, Range],
  time: number,
  tail: number,
): PlaneReach | undefined {
  const V = potentialOf(input);
  const { initial, mass, units } = input;
  if (!V || !initial) return undefined;
  const side = Math.min(...domain.map(([low, high]) => high - low));
  const medium = { V, mass, action: units === 'reduced' ? 1 : hbar, time, side, domain };
  const { x0, k0, sigma } = initial;
  const ways = SHELLS.flatMap(({ share, fall }) =>
    (share === 0 ? [[0, 0, 0, 0] as const] : directions()).map(([a, b, c, d]) => {
      const [wide, fast] = [share * tail * sigma, (share * tail) / (2 * sigma)];
      return follow(
        medium,
        [x0[0]! + wide * a, x0[1]! + wide * b, k0[0]! + fast * c, k0[1]! + fast * d],
        fall,
      );
    }),
  );
  const along = (axis: 0 | 1): Range => [
    Math.min(...ways.map(({ ranges }) => ranges[axis][0])),
    Math.max(...ways.map(({ ranges }) => ranges[axis][1])),
  ];
  const ranges = [along(0), along(1)] as const;
  const k = Math.max(...ways.map((way) => way.k));
  return { ranges, k, leaves: Math.min(...ways.map(({ leaves }) => leaves)) };
}

/** Where a particle comes, with what lies behind where it turns; NaN where V has no value, or its way is too long. */
function follow(medium: Medium, from: Point, fall: number): PlaneReach {
  const { mass, action, time, side, domain } = medium;
  let [x, y, kx, ky] = from;
  const far: [number, number][] = [
    [x, y],
    [x, y],
    [x, y],
    [x, y],
  ];
  let [k, leaves, spent] = [0, time, 0];
  let [fx, fy] = forceAt(medium, x, y);
  for (let i = 0; spent < time; i++) {
    if (!(i < MOST_STEPS && Number.isFinite(fx + fy)))
      return {
        ranges: [
          [NaN, NaN],
          [NaN, NaN],
        ],
        k,
        leaves,
      };
    const speed = (action * (Math.abs(kx) + Math.abs(ky))) / mass;
    const step = Math.min(
      ...[OF_RUN * time, time - spent, (OF_DOMAIN * side) / speed],
      OF_FORCE * Math.sqrt((mass * side) / (Math.abs(fx) + Math.abs(fy))),
    );
    kx += (0.5 * step * fx) / action;
    ky += (0.5 * step * fy) / action;
    x += (step * action * kx) / mass;
    y += (step * action * ky) / mass;
    [fx, fy] = forceAt(medium, x, y);
    kx += (0.5 * step * fx) / action;
    ky += (0.5 * step * fy) / action;
    spent = step < time - spent ? spent + step : time;
    k = Math.max(k, Math.abs(kx), Math.abs(ky));
    if (x < far[0]![0]) far[0] = [x, y];
    if (x > far[1]![0]) far[1] = [x, y];
    if (y < far[2]![1]) far[2] = [x, y];
    if (y > far[3]![1]) far[3] = [x, y];
    const isInside = within(x, domain[0]) && within(y, domain[1]);
    if (!isInside) leaves = Math.min(leaves, spent);
  }
  const end = (which: number, axis: 0 | 1, sign: 1 | -1) => behind(medium, far[which]!, axis, sign, fall);
  return {
    ranges: [
      [end(0, 0, -1), end(1, 0, 1)],
      [end(2, 1, -1), end(3, 1, 1)],
    ],
    k,
    leaves,
  };
}

const within = (at: number, [low, high]: Range) => at > low && at < high;

function forceAt({ V, side }: Medium, x: number, y: number): [number, number] {
  const d = SLOPE * side;
  return [(V(x - d, y) - V(x + d, y)) / (2 * d), (V(x, y - d) - V(x, y + d)) / (2 * d)];
}

/** Along an axis from where a particle was farthest: until |ψ| has fallen, or V does not rise. */
function behind(
  { V, mass, action, side }: Medium,
  [x, y]: readonly [number, number],
  axis: 0 | 1,
  sign: 1 | -1,
  fall: number,
): number {
  const ground = V(x, y);
  const length = OUTWARD * side;
  let [end, fallen] = [axis === 0 ? x : y, 0];
  for (let i = 0; i < MOST_STEPS && fallen < fall; i++) {
    const middle = end + 0.5 * sign * length;
    const rise = (axis === 0 ? V(middle, y) : V(x, middle)) - ground;
    if (!(rise > 0)) break;
    fallen += (length * Math.sqrt(2 * mass * rise)) / action;
    end += sign * length;
  }
  return end;
}

import { exponential, logarithm } from '../elementary.ts';
import { hbar, type Range } from './problem.ts';
import { reachOf } from './reach.ts';
import { planeReachOf } from './reach-plane.ts';
import type { SchrodingerInput } from './schema.ts';
import { isOffered, MOST_NODES, readEvolution } from './waves.ts';

// The room that a packet takes: how far it comes until its end, and the shortest of its waves, by closed forms.

/** Where |ψ| of a packet has fallen to 2.5e-7: in its own width, and in 1/2σ of wave vectors. */
const TAIL = 7.8;
/** All but a millionth of |ψ|² is nearer, and is to have waves of at most ⅔ of the shortest (assembly/verdicts/schrodinger-evolve.ts). */
const [NEARLY_ALL, LONGER] = [4.8, 1.5];
/** As assembly/kernels/schrodinger-evolve.ts takes grids in the plane. */
const MOST_ACROSS = 1024;

const together = (a: number, b: number) => Math.sqrt(a * a + b * b);

interface Room {
  readonly ranges: readonly Range[];
  /** Largest wave vector [1/m]. */
  readonly k: number;
}

/** By closed forms where a potential has them; not for a start of one's own. */
function roomOf(input: SchrodingerInput, time: number, tail = TAIL): Room | undefined {
  const { initial, potential, mass, units } = input;
  if (!initial) return undefined;
  const action = (units === 'reduced' ? 1 : hbar) / mass;
  const { x0, k0, sigma } = initial;
  const own = k0.map((k) => Math.abs(k) + tail / (2 * sigma));
  const around = (reach: number): Range[] => x0.map((x) => [x - reach, x + reach]);
  const { type, omega = 0, V0 = 0, a = 0, lambda = 0 } = potential;
  if (type === 'free') {
    const spread = tail * sigma * together(1, (action * time) / (2 * sigma * sigma));
    return {
      k: Math.max(...own),
      ranges: x0.map((x, axis) => {
        const far = action * k0[axis]! * time;
        return [x + Math.min(0, far) - spread, x + Math.max(0, far) + spread];
      }),
    };
  }
  if (type === 'harmonic') {
    const widest = tail * Math.max(sigma, action / (2 * omega * sigma));
    const reaches = x0.map((x, axis) => together(x, (action * k0[axis]!) / omega) + widest);
    return {
      k: (omega / action) * Math.max(...reaches),
      ranges: reaches.map((reach): Range => [-reach, reach]),
    };
  }
  const fall = (k: number): Room => ({ k, ranges: around(action * k * time + tail * sigma) });
  if (type === 'barrier' || type === 'finite-well')
    return fall(together(own[0]!, Math.sqrt((2 * V0) / (action * action * mass))));
  if (type === 'poschl-teller') return fall(together(own[0]!, a * Math.sqrt(lambda * (lambda + 1))));
  return type === 'morse' ? roomBeforeWall(input, time, tail) : roomByWalk(input, time, tail);
}

/** Waves that V scatters fall off more slowly than a packet does. */
const SCATTERED = 1.2;
/** Of a domain that was as wide as the walk says, and too small. */
const WIDER = 1.5;

/** In a V of one's own. */
function roomByWalk(input: SchrodingerInput, time: number, tail = TAIL): Room | undefined {
  const { problem } = readEvolution(input);
  if (problem.dimensions === 2) return roomInPlane(input, time, tail);
  const [low, high] = problem.x;
  const reach = reachOf(input, problem.x, time, SCATTERED * tail);
  if (!reach) return undefined;
  const { range, k } = reach;
  const isWide = range[0] > low - 0.02 * (high - low) && range[1] < high + 0.02 * (high - low);
  return { k, ranges: [isWide ? longer(problem.x) : range] };
}

const longer = ([low, high]: Range): Range => {
  const more = 0.5 * (WIDER - 1) * (high - low);
  return [low - more, high + more];
};

function roomInPlane(input: SchrodingerInput, time: number, tail: number): Room | undefined {
  const { x, y } = readEvolution(input).problem;
  const reach = planeReachOf(input, [x, y], time, SCATTERED * tail);
  if (!reach || ![...reach.ranges.flat(), reach.k].every(Number.isFinite)) return undefined;
  const isWide = reach.ranges.every(
    ([low, high], axis) =>
      low > [x, y][axis]![0] - 0.02 * (x[1] - x[0]) && high < [x, y][axis]![1] + 0.02 * (x[1] - x[0]),
  );
  return { k: reach.k, ranges: isWide ? [longer(x), longer(y)] : reach.ranges };
}

/** By when a packet in the plane has to end in the domain that it has. */
export function stayInPlane(input: SchrodingerInput): number | undefined {
  const { problem, time } = readEvolution(input);
  if (problem.dimensions === 1) return undefined;
  const reach = planeReachOf(input, [problem.x, problem.y], time, TAIL);
  if (!reach || reach.leaves === time) return undefined;
  return Number((0.9 * reach.leaves).toPrecision(2)) || undefined;
}

/** Where a table of V has to reach, or by when a packet is to end that stays within it. */
export function beyondTable(input: SchrodingerInput): string | undefined {
  if (input.potential.type !== 'table') return undefined;
  const { problem, nx, time } = readEvolution(input);
  const room = roomByWalk(input, time);
  const table = input.potential.x!;
  const [first, last] = [table[0]!, table.at(-1)!];
  const fits = (t: number) => {
    const range = reachOf(input, problem.x, t, TAIL)?.range;
    return range !== undefined && range[0] >= problem.x[0] && range[1] <= problem.x[1];
  };
  let [taken, refused] = [0, time];
  for (let i = 0; i < 12; i++) {
    const middle = 0.5 * (taken + refused);
    if (fits(middle)) taken = middle;
    else refused = middle;
  }
  const shorter = taken > 0 ? `t_max of ${Number((0.97 * taken).toPrecision(2))}` : undefined;
  const range = room && rounded([Math.min(first, room.ranges[0]![0]), Math.max(last, room.ranges[0]![1])]);
  const N =
    range && powerFrom(64, Math.max(((range[1] - range[0]) * shortest(input, room, time)) / Math.PI, nx));
  const further =
    N !== undefined && N <= MOST_NODES
      ? `a table from ${range![0]} to ${range![1]}, with that domain and N = ${N}`
      : undefined;
  return [further, shorter].filter(Boolean).join(', or ') || undefined;
}

/** What of a packet lies within the wall falls down it, and leaves with what V was there. */
function roomBeforeWall(input: SchrodingerInput, time: number, tail: number): Room | undefined {
  const { De = 0, a = 0, re = 0 } = input.potential;
  const { x0, k0, sigma } = input.initial!;
  const action = (input.units === 'reduced' ? 1 : hbar) / input.mass;
  const own = Math.abs(k0[0]!) + tail / (2 * sigma);
  const at = (x: number) => {
    const away = 1 - exponential(a * (re - x));
    return De * away * away;
  };
  const square = (energy: number) => (2 * energy) / (action * action * input.mass);
  const first = x0[0]! - tail * sigma;
  const k = Math.sqrt(own * own + square(Math.max(De, first < re ? at(first) : 0)));
  // Within the wall ψ falls until V is four times as high as it may reach, or 20a is its wave vector.
  const high = Math.max(4 * k * k, 400 * a * a) / square(1);
  if (!Number.isFinite(high / De)) return undefined;
  return {
    k,
    ranges: [
      [re - logarithm(1 + Math.sqrt(high / De)) / a, Math.max(x0[0]!, re) + action * k * time + tail * sigma],
    ],
  };
}

/** Where a packet has to begin that no wall would send beyond all room: what lies within it is as high as the packet itself. */
export function beforeWall({ initial, potential, mass, units }: SchrodingerInput): number | undefined {
  const { type, De = 0, a = 0, re = 0 } = potential;
  if (type !== 'morse' || !initial) return undefined;
  const k = Math.abs(initial.k0[0]!) + TAIL / (2 * initial.sigma);
  const action = units === 'reduced' ? 1 : hbar;
  const high = De + (action * action * k * k) / (2 * mass);
  const least = re - logarithm(1 + Math.sqrt(high / De)) / a + TAIL * initial.sigma;
  return least > initial.x0[0]! ? Number(least.toPrecision(3)) : undefined;
}

export function beginsOutside(input: SchrodingerInput): boolean {
  const { x, y } = readEvolution(input).problem;
  return input.initial?.x0.some((at, axis) => !(at > [x, y][axis]![0] && at < [x, y][axis]![1])) ?? false;
}

/** How far from a jump a packet has to begin: of what lies over one V makes waves of any speed. */
export function besideJump({ initial, potential }: SchrodingerInput): number | undefined {
  const { type, L = 0 } = potential;
  if (!initial || (type !== 'barrier' && type !== 'finite-well')) return undefined;
  const least = TAIL * initial.sigma;
  const nearest = Math.abs(Math.abs(initial.x0[0]!) - L / 2);
  return nearest < least ? Number(least.toPrecision(3)) : undefined;
}

/** Two digits of it or more, away from the packet. */
function outward(end: number, away: (value: number) => number): number {
  if (end === 0 || !Number.isFinite(end)) return end;
  let digit = 1;
  while (100 * digit <= Math.abs(end)) digit *= 10;
  while (10 * digit > Math.abs(end)) digit /= 10;
  return Number((digit * away(end / digit)).toPrecision(6));
}

const rounded = ([low, high]: Range): Range => [outward(low, Math.floor), outward(high, Math.ceil)];

const powerFrom = (least: number, wanted: number): number => {
  let N = least;
  while (N < wanted) N *= 2;
  return N;
};

/** The wave vector that nodes have to tell apart from all others [1/m]. */
function shortest(input: SchrodingerInput, room: Room, time: number): number {
  return Math.max(room.k, LONGER * (roomOf(input, time, NEARLY_ALL)?.k ?? 0));
}

/** How near the edge a packet is looked for: half a step of what it begins with (assembly/kernels/schrodinger-evolve.ts). */
function watched({ initial, mass, units }: SchrodingerInput, step: number): number {
  const square = initial!.k0.reduce((sum, k) => sum + k * k + 1 / (4 * initial!.sigma * initial!.sigma), 0);
  return (0.5 * step * (units === 'reduced' ? 1 : hbar) * Math.sqrt(square)) / mass;
}

/** The domain and nodes in which a packet stays to its end, where they can be said and had. */
export function enoughRoom(input: SchrodingerInput): string | undefined {
  // A job that goes on began with the packet too.
  const { problem, nx, ny, time, begin, steps } = readEvolution(input);
  const room = roomOf(input, time);
  if (!room) return undefined;
  const aside = watched(input, (time - begin) / steps);
  const k = shortest(input, room, time);
  const sent = problem.dimensions === 2 ? [problem.x, problem.y] : [problem.x];
  const ranges = room.ranges.map(([low, high], axis) =>
    rounded([Math.min(low - aside, sent[axis]![0]), Math.max(high + aside, sent[axis]![1])]),
  );
  const N = ranges.map(([low, high], axis) => {
    const [from, to] = sent[axis]!;
    const asFine = ((axis === 0 ? nx : ny) * (high - low)) / (to - from);
    return powerFrom(64, Math.max(((high - low) * k) / Math.PI, 0.5 * asFine));
  });
  const isWider = ranges.some(([low, high], axis) => high - low > 1.02 * (sent[axis]![1] - sent[axis]![0]));
  const plane = ranges.length === 2;
  if (!isWider || Math.max(...N) > (plane ? MOST_ACROSS : MOST_NODES)) return undefined;
  const [domain, nodes] = plane ? [ranges.map((range) => [...range]), N] : [[...ranges[0]!], N[0]!];
  if (!isOffered({ ...input, domain, N: nodes })) return undefined;
  return `domain = ${JSON.stringify(domain)} with N = ${JSON.stringify(nodes)}`;
}

import { refuse } from '../../errors/refusal.ts';
import { TURN } from './lines.ts';
import { type End, tooMuch } from './problem.ts';

// Which modes of a box or duct between impedances are followed: all that can end among the lowest of a list.

const MOST = 2000;

/** A side, and what it is followed from: the nearer of rigid and open. */
export interface Wall {
  readonly code: 0 | 1 | 2 | 3;
  readonly start: End;
  /** ρc/Z. */
  readonly beta: readonly [number, number];
  /** By how many modes it can move one, at most. */
  readonly shift: number;
  /** How much a spring, X < 0, can draw p to itself, as q = k pull: |β|, and of one that loses ρc/|X|, which is more. */
  readonly pull: number;
  /** Of a spring that is followed from rigid: what of k² the lowest p of its axis takes off at least, |1 − β²| − 1. */
  readonly drop: number;
}

export interface WallAxis {
  readonly walls: readonly [Wall, Wall];
  readonly L: number;
  /** Of the lowest mode at the start, in half waves. */
  readonly foot: number;
}

export type Label = readonly number[];

/** k² of index i of an axis, moved by its walls as far as they can. */
function reach({ walls, L, foot }: WallAxis, i: number, way: 1 | -1): number {
  const shift = walls.reduce((sum, wall) => sum + wall.shift, 0);
  const k = (Math.max(0, i + foot + way * shift) * TURN) / (2 * L);
  return k * k;
}

/**
 * Whether p of index i may fall off from a spring: one for each spring that is followed from rigid, as beside p = 0 there those
 * above go like sines (Courant & Hilbert, Methods of Mathematical Physics 1, VI.2); any beside one that is followed from open.
 */
function sinks({ walls }: WallAxis, i: number): boolean {
  const drawn = walls.filter(({ pull }) => pull > 0);
  return drawn.length > 0 && (drawn.some(({ drop }) => drop === 0) || i < drawn.length);
}

/**
 * The least k² that a mode can end at. Beside springs p may fall off as e^(−qx): of all axes together q² is k²B² + kB/L at
 * most, B the sum of |β| at the ends of each (by the trace inequality p(0)² ≤ ∫p²/L + 2(∫p² ∫p′²)^½ in Rayleigh's quotient).
 */
function least(axes: readonly WallAxis[], label: Label): number {
  let [square, line, total] = [1, 0, 0];
  axes.forEach((axis, a) => {
    total += reach(axis, label[a]!, -1);
    if (!sinks(axis, label[a]!)) return;
    const pull = axis.walls[0].pull + axis.walls[1].pull;
    square += pull * pull;
    line += pull / axis.L;
  });
  const k = (Math.sqrt(line * line + 4 * square * total) - line) / (2 * square);
  return k * k;
}

/**
 * The most k² that a mode can end at. The lowest p beside a spring falls off by q tanh qL = k|β| from what is rigid, or a spring
 * too, so that q ≥ k|β|; by q coth qL = k|β| from p = 0, so that q ≥ k|β| − 1/L.
 */
function most(axes: readonly WallAxis[], label: Label): number {
  const falling = axes.filter((axis, a) => falls(axis) && label[a] === 0);
  const total = axes.reduce(
    (sum, axis, a) => sum + (falling.includes(axis) ? 0 : reach(axis, label[a]!, 1)),
    0,
  );
  let [low, high] = [0, Math.sqrt(falling.reduce((sum, axis) => sum + reach(axis, 0, 1), total))];
  if (falling.length === 0) return total;
  for (let round = 0; round < ROUNDS; round++) {
    const k = (low + high) / 2;
    if (k * k + falling.reduce((sum, axis) => sum + taken(axis, k), 0) <= total) low = k;
    else high = k;
  }
  return high * high;
}

const ROUNDS = 50;

const dropOf = ({ walls }: WallAxis) => Math.max(walls[0].drop, walls[1].drop);
const falls = (axis: WallAxis) =>
  dropOf(axis) > 0 && axis.walls.every(({ drop, code }) => drop > 0 || code < 2);

/** What of k² an axis takes off at least, its lowest p beside a spring. */
function taken(axis: WallAxis, k: number): number {
  const open = axis.walls.some(({ code }) => code === 1);
  const q = k * Math.sqrt(dropOf(axis)) - (open ? 1 / axis.L : 0);
  return q > 0 ? q * q : -reach(axis, 0, 1);
}

/** Indices on all axes, from the lowest on, for as long as `holds`. */
function labelsWhile(axes: readonly WallAxis[], holds: (label: Label) => boolean): Label[] {
  const labels: Label[] = [];
  const rests = axes.map(() => 0);
  const extend = (axis: number, before: Label): void => {
    for (let i = 0; ; i++) {
      const label = [...before, i];
      if (!holds([...label, ...rests.slice(axis + 1)])) return;
      if (labels.length > MOST) refuseMany(axes, labels.length);
      if (axis + 1 === axes.length) labels.push(label);
      else extend(axis + 1, label);
    }
  };
  extend(0, []);
  return labels;
}

function refuseMany(axes: readonly WallAxis[], measured: number): never {
  if (axes.every(({ walls }) => walls[0].pull + walls[1].pull === 0)) tooMuch('count', measured, MOST);
  return refuse(
    'LIMIT_EXCEEDED',
    `boundary: beside springs, X < 0, so soft more than ${MOST} modes may come among the lowest.`,
    {
      ...{ field: 'boundary', measured, bound: MOST },
      accepts: 'stiffer springs, as of |X| from ρc on, or open walls in their place',
    },
  );
}

/** All modes that can end among the `count` lowest: those that can end below what as many cannot end above. */
export function followedOf(axes: readonly WallAxis[], count: number): Label[] {
  const rest = axes.every(({ foot }) => foot === 0) ? 1 : 0;
  const wanted = count + rest;
  if (axes.length === 1) return Array.from({ length: wanted + 2 }, (_, i) => [i]);
  const size = (label: Label) => label.reduce((product, i) => product * (i + 1), 1);
  const tops = labelsWhile(axes, (label) => size(label) <= wanted).map((label) => most(axes, label));
  const limit = tops.sort((a, b) => a - b)[wanted - 1]! * (1 + 1e-9);
  return labelsWhile(axes, (label) => least(axes, label) <= limit);
}

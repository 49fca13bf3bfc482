import { sineAndCosine } from '../elementary.ts';
import { readFormula, readParameters, symbolsBeside } from '../expressions.ts';
import { formulaValue, power } from '../formula-value.ts';
import { hbar, type Range } from './problem.ts';
import type { SchrodingerInput } from './schema.ts';

// How far a packet comes in any V on a line: no part of it comes farther than one with the largest energy would, which goes
// its way at the speed that V leaves it, turns where V leaves it none, and falls off behind.

/** Directions in which the edge of the packet is looked at, in position and wave vector. */
const DIRECTIONS = 64;
/** ln of what |ψ| falls by behind where the middle of the packet turns, and where its fastest part does. */
const FALL = 16;
const FALL_OF_FASTEST = 6;
/** Steps of the walk, in widths of the domain, and of what has been walked. */
const STEP = 1 / 2048;
const GROWTH = 1 / 512;
const MOST_STEPS = 40_000;

export interface Reach {
  readonly range: Range;
  /** Largest wave vector [1/m]. */
  readonly k: number;
}

type Potential = (x: number) => number;

/** V [J] at x, to a few digits; a table goes on as it ends. */
export function potentialOf(input: SchrodingerInput): Potential | undefined {
  const { type, terms = [], x = [], V = [] } = input.potential;
  if (type === 'polynomial')
    return (at) => terms.reduce((sum, { c, powers }) => sum + c * power(at, powers[0]!), 0);
  if (type === 'table') return (at) => between(x, V, at);
  return type === 'formula' ? formulaOf(input, ['x']) : undefined;
}

function between(x: readonly number[], V: readonly number[], at: number): number {
  let low = 0;
  let high = x.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle]! <= at) low = middle;
    else high = middle;
  }
  const share = Math.min(1, Math.max(0, (at - x[low]!) / (x[high]! - x[low]!)));
  return V[low]! + share * (V[high]! - V[low]!);
}

/** The formula of a V, of its coordinates. */
export function formulaOf({ potential }: SchrodingerInput, coordinates: readonly string[]) {
  const place = { field: 'potential.equation', parametersField: 'potential.parameters' };
  const parameters = readParameters(potential.parameters ?? {}, place.parametersField);
  const { symbols } = symbolsBeside(
    coordinates.map((name) => ({ name })),
    parameters,
  );
  const { expression } = readFormula(potential.equation!, symbols, place);
  const values = new Map(parameters.map(({ name, value }) => [name, value]));
  return (...at: readonly number[]): number => {
    for (const [i, name] of coordinates.entries()) values.set(name, at[i]!);
    return formulaValue(expression, values);
  };
}

/** Of a packet whose |ψ| is taken to end `tail` of its widths from its middle, in position and wave vector. */
export function reachOf(
  input: SchrodingerInput,
  range: Range,
  time: number,
  tail: number,
): Reach | undefined {
  const V = potentialOf(input);
  const { initial, mass, units } = input;
  if (!V || !initial) return undefined;
  const action = units === 'reduced' ? 1 : hbar;
  const { sigma } = initial;
  const [x0, k0] = [initial.x0[0]!, initial.k0[0]!];
  const energyAt = (x: number, k: number) => (action * action * k * k) / (2 * mass) + V(x);
  let most = energyAt(x0, k0);
  for (let i = 0; i < DIRECTIONS; i++) {
    const [sine, cosine] = sineAndCosine((6.283185307179586 * i) / DIRECTIONS);
    most = Math.max(most, energyAt(x0 + tail * sigma * cosine, k0 + (tail * sine) / (2 * sigma)));
  }
  const walk = (energy: number, fall: number, side: 1 | -1) =>
    walked({ V, mass, action, step: (range[1] - range[0]) * STEP }, x0 + side * tail * sigma, {
      ...{ energy, fall, side, time },
    });
  const ends = ([-1, 1] as const).map((side) => {
    const fastest = walk(most, FALL_OF_FASTEST, side);
    const middle = walk(energyAt(x0, k0), FALL, side);
    return side < 0 ? Math.min(fastest.end, middle.end) : Math.max(fastest.end, middle.end);
  }) as unknown as Range;
  const deepest = Math.min(V(x0), walk(most, 0, -1).deepest, walk(most, 0, 1).deepest);
  const k = Math.sqrt(2 * mass * (most - deepest)) / action;
  return [...ends, k].every(Number.isFinite) ? { range: ends, k } : undefined;
}

interface Medium {
  readonly V: Potential;
  readonly mass: number;
  readonly action: number;
  readonly step: number;
}

interface Walk {
  readonly energy: number;
  readonly fall: number;
  readonly side: 1 | -1;
  readonly time: number;
}

/** Where a part of that energy is at the end, and the lowest V on its way; NaN where it comes too far. */
function walked(
  { V, mass, action, step }: Medium,
  from: number,
  { energy, fall, side, time }: Walk,
): { readonly end: number; readonly deepest: number } {
  let end = from;
  let deepest = V(from);
  let [spent, fallen] = [0, 0];
  for (let i = 0; i < MOST_STEPS; i++) {
    const length = Math.max(step, Math.abs(end - from) * GROWTH);
    const height = V(end + 0.5 * side * length);
    if (Number.isNaN(height)) break;
    const free = energy - height;
    if (free > 0) spent += length / Math.sqrt((2 * free) / mass);
    else fallen += (length * Math.sqrt(-2 * mass * free)) / action;
    if (spent > time || fallen > fall) return { end, deepest };
    deepest = Math.min(deepest, height);
    end += side * length;
  }
  return { end: NaN, deepest: NaN };
}

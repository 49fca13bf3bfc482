import { type Box, flatArray, type GridArray, invalid, missing } from '../grid/box.ts';
import type { MaterialLayer, WaveInput } from './schema.ts';

/** What the wave runs through: assembly/wave/problem.ts. */
export interface Medium {
  /** c² [m²/s²], or 1/μ [m/H]. */
  readonly K: number;
  /** 1, or ε₀ [F/m]. */
  readonly unit: number;
  readonly epsilon: number | readonly MaterialLayer[] | readonly number[];
  readonly sigma: number | readonly number[];
  /** Square of the largest and of the least speed [m²/s²]. */
  readonly fastest: number;
  readonly slowest: number;
}

export const c0 = 299792458;
/** CODATA 2022, N/A². */
export const mu0 = 1.25663706127e-6;

export const isLayers = (epsilon: Medium['epsilon']): epsilon is readonly MaterialLayer[] =>
  typeof epsilon === 'object' && typeof epsilon[0] === 'object';
export const isCells = (epsilon: Medium['epsilon']): epsilon is readonly number[] =>
  typeof epsilon === 'object' && typeof epsilon[0] !== 'object';

/** @throws Refusal MISSING_INPUT, INVALID_INPUT */
export function mediumOf(input: WaveInput, box: Box): Medium {
  return input.mode === 'maxwell' ? materialOf(input, box) : scalarMedium(input);
}

function scalarMedium(input: WaveInput): Medium {
  if (input.source && input.source.type !== 'formula')
    invalid('source', `the scalar wave has no ${input.source.type}`, 'type formula, or mode maxwell');
  const { c } = input;
  if (c === undefined) missing('c', ['c'], 'c [m/s]');
  const square = finite('c', c * c);
  return { K: square, unit: 1, epsilon: 1, sigma: 0, fastest: square, slowest: square };
}

function materialOf(input: WaveInput, box: Box): Medium {
  if (input.epsilonR === undefined)
    missing('epsilonR', ['epsilonR'], 'epsilonR: a number, layers or an array on cells');
  const epsilon = epsilonOf(input.epsilonR, box);
  const sigma = sigmaOf(input.sigma ?? 0, box);
  const muR = input.muR ?? 1;
  const [least, most] = rangeOf(epsilon);
  const light = (c0 * c0) / muR;
  return {
    K: 1 / (mu0 * muR),
    unit: 1 / (mu0 * c0 * c0),
    epsilon,
    sigma,
    fastest: finite('muR', light / least),
    slowest: finite('epsilonR', light / most),
  };
}

function finite(field: string, square: number): number {
  if (square > 1e-200 && square < 1e200) return square;
  return invalid(field, `the square of the speed would be ${square} m²/s²`, '1e-200 to 1e200 m²/s²');
}

function epsilonOf(given: NonNullable<WaveInput['epsilonR']>, box: Box): Medium['epsilon'] {
  if (typeof given === 'number') return given;
  const first = given[0];
  if (typeof first === 'object' && !Array.isArray(first)) {
    const layers = given as readonly MaterialLayer[];
    const sum = layers.reduce((total, { L }) => total + L, 0);
    if (!(Math.abs(sum - box.Lx) <= 1e-9 * box.Lx))
      invalid('epsilonR', `its layers are ${sum} m thick together`, `${box.Lx} m, which is Lx`);
    return layers;
  }
  const cells = flatArray('epsilonR', given as GridArray, box.nx, Math.max(1, box.ny));
  const wrong = cells.findIndex((value) => !(value >= 1));
  if (wrong >= 0) invalid('epsilonR', `cell ${wrong} is below 1`, '≥ 1');
  return cells;
}

function sigmaOf(given: number | GridArray, box: Box): number | readonly number[] {
  if (typeof given === 'number') {
    if (!(given >= 0)) invalid('sigma', 'it is negative', '≥ 0 S/m');
    return given;
  }
  const cells = flatArray('sigma', given, box.nx, Math.max(1, box.ny));
  const wrong = cells.findIndex((value) => !(value >= 0));
  if (wrong >= 0) invalid('sigma', `cell ${wrong} is negative`, '≥ 0 S/m');
  return cells;
}

/** Of a medium on cells finer ones are whole parts of those that were sent, so that it is the same medium. */
export const wholeCells = ({ epsilon, sigma }: Medium, sent: number, least: number): number =>
  isCells(epsilon) || typeof sigma !== 'number' ? sent * Math.ceil(least / sent) : least;

export function rangeOf(epsilon: Medium['epsilon']): [number, number] {
  if (typeof epsilon === 'number') return [epsilon, epsilon];
  const values = isLayers(epsilon) ? epsilon.map((layer) => layer.epsilonR) : epsilon;
  let [least, most] = [values[0]!, values[0]!];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

/** Whether ε and σ depend on x alone. */
export function rowsAlike({ epsilon, sigma }: Medium, { nx }: Box): boolean {
  const isRow = (cells: readonly number[]) => cells.every((value, k) => value === cells[k % nx]);
  return (!isCells(epsilon) || isRow(epsilon)) && (typeof sigma === 'number' || isRow(sigma));
}

// ---- on coarser cells ----------------------------------------------------------------------------------

/** Means over `factor` × `factor` cells. */
export function coarsened(cells: readonly number[], box: Box, factor: number): readonly number[] {
  if (factor === 1) return cells;
  const [nx, ny] = [box.nx / factor, box.ny / factor];
  const high = box.ny === 0 ? 1 : factor;
  const coarse: number[] = [];
  for (let j = 0; j < Math.max(1, ny); j++)
    for (let i = 0; i < nx; i++) {
      let sum = 0;
      for (let q = 0; q < high; q++)
        for (let p = 0; p < factor; p++) sum += cells[(j * high + q) * box.nx + i * factor + p]!;
      coarse.push(sum / (factor * high));
    }
  return coarse;
}

/** ε of n cells along x: the mean of the layers that a cell lies in. */
export function cellsOfLayers(layers: readonly MaterialLayer[], n: number, Lx: number): number[] {
  const dx = Lx / n;
  const cells = new Array<number>(n).fill(0);
  let from = 0;
  layers.forEach(({ L, epsilonR }, index) => {
    const to = index === layers.length - 1 ? Lx : from + L;
    for (let i = Math.max(0, Math.floor(from / dx) - 1); i < n && i * dx < to; i++) {
      const overlap = Math.min(to, (i + 1) * dx) - Math.max(from, i * dx);
      // What rounding leaves of a cell is none, and the rest is all of it.
      if (overlap > dx * (1 - 1e-9)) cells[i] = epsilonR;
      else if (overlap > dx * 1e-9) cells[i]! += (epsilonR * overlap) / dx;
    }
    from = to;
  });
  return cells;
}

/**
 * ε of the nodes 0 … n along x: the mean of the layers under the hat of each node, which keeps ∫ε dx and ∫xε dx, so
 * that an interface between two nodes is where it is to O(dx³). The ends of the box go on outside.
 */
export function nodesOfLayers(layers: readonly MaterialLayer[], n: number, Lx: number): number[] {
  const nodes = new Array<number>(n + 1).fill(0);
  let from = -Infinity;
  let end = 0;
  layers.forEach(({ L, epsilonR }, index) => {
    end += L;
    const to = index === layers.length - 1 ? Infinity : snapped((end / Lx) * n);
    const first = Math.max(0, Math.floor(from) - 1);
    for (let i = first; i <= n && i - 1 < to; i++)
      nodes[i]! += epsilonR * (hatUntil(to - i) - hatUntil(from - i));
    from = to;
  });
  return nodes;
}

/** A place within rounding of a node is that node. */
const snapped = (at: number) => (Math.abs(at - Math.round(at)) < 1e-9 ? Math.round(at) : at);

/** Integral of the hat on −1 … 1 until s. */
function hatUntil(s: number): number {
  if (s <= -1) return 0;
  if (s >= 1) return 1;
  return s < 0 ? ((1 + s) * (1 + s)) / 2 : 1 - ((1 - s) * (1 - s)) / 2;
}

/** The stack as {thickness, ε, σ}, equal neighbours as one. */
export function segmentsOf({ epsilon, sigma }: Medium, { nx, Lx }: Box): [number, number, number][] {
  const sigmaAt = (i: number) => (typeof sigma === 'number' ? sigma : sigma[i]!);
  const pieces: [number, number, number][] =
    isLayers(epsilon) && typeof sigma === 'number'
      ? epsilon.map(({ L, epsilonR }) => [L, epsilonR, sigma])
      : Array.from({ length: nx }, (_, i) => [Lx / nx, 0, sigmaAt(i)]);
  if (pieces.length === nx && !(isLayers(epsilon) && typeof sigma === 'number')) {
    const cells = isLayers(epsilon) ? cellsOfLayers(epsilon, nx, Lx) : epsilon;
    pieces.forEach((piece, i) => {
      piece[1] = typeof cells === 'number' ? cells : cells[i]!;
    });
  }
  return pieces.reduce<[number, number, number][]>((merged, [L, e, s]) => {
    const last = merged.at(-1);
    if (last && last[1] === e && last[2] === s) last[0] += L;
    else merged.push([L, e, s]);
    return merged;
  }, []);
}

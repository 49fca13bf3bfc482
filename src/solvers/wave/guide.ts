import { type Box, invalid } from '../grid/box.ts';
import { cellsOfLayers, isCells, type Medium, rangeOf, rowsAlike, segmentsOf } from './medium.ts';
import type { PointSource } from './schema.ts';

// Power through a plane whose bottom and top keep it: between conductors, or in a row of equal cells. A line source
// sends modes along x, sin(qy) with q = πn/Ly between conductors and e^(±iqy) with q = 2πn/Ly in a row: plane waves at
// sin θ = q/k, of which those with q < k travel (Collin, Field Theory of Guided Waves, §6.1).

/** Smallest cos θ of a wave that an absorbing layer takes well enough. */
const LEAST_COSINE = 0.4;
/** Standard deviations of a pulse's spectrum within which no mode may begin to travel: there it hardly moves on. */
const BAND = 5;
/** Of a mode that does not travel, what may reach the obstacle, of its power where layers leave modes apart; −ln of it. */
const LEAST_TAIL = 1e-4;
const TAIL_LENGTHS = 9.21;
const MOST_MODES = 1000;
/** What comes back between two interfaces at most, as the estimate of the end has it. */
const MOST_RETURNED = 0.95;
/**
 * Turns by which the frequency of a sine and a cutoff differ within the window that parts them: 4 are where its side
 * lobes begin (assembly/wave/lines.ts).
 */
const TURNS_APART = 5;
/** Periods of the longest such window. */
const MOST_PERIODS = 1000;

export interface Guide {
  /** Modes that travel at the frequency where power is taken. */
  readonly modes: number;
  readonly duration: number;
  /** Length of each of the three windows under which a sine is transformed [s], of which the last ends with the run; 0: a pulse. */
  readonly window: number;
}

interface Row {
  readonly source: PointSource;
  readonly frequency: number;
  readonly medium: Medium;
  readonly box: Box;
  readonly isRing: boolean;
  /** Speed in the first medium [m/s], and how far that reaches [m]. */
  readonly light: number;
  readonly inlet: number;
}

/** @throws Refusal INVALID_INPUT where a plane's transmittance could not be held */
export function guideOf(
  source: PointSource,
  frequency: number,
  medium: Medium,
  box: Box,
  isRing: boolean,
): Guide {
  const [epsilon, inlet] = inletOf(medium, box);
  if (source.type === 'sine' && source.frequency !== frequency)
    invalid('frequency', 'a sine has its own frequency only', `${source.frequency} Hz, or a pulse`);
  if (source.x0[0]! >= inlet) invalid('source.x0', 'it lies behind the first medium', `x below ${inlet} m`);
  const light = Math.sqrt(medium.K / (medium.unit * epsilon));
  const row = { source, frequency, medium, box, isRing, light, inlet };
  checkModes(row);
  if (source.type === 'pulse') checkBand(row);
  const before = placeBefore(row);
  if (before)
    invalid('source.x0', `what does not travel reaches ${inlet} m, where the first medium ends`, before);
  const window = source.type === 'sine' ? windowOf(row) : 0;
  return { modes: cutoffs(row, frequency).length, duration: durationOf(row) + 2 * window, window };
}

/** ε of the first medium and the thickness in which it is the only one, without loss. */
function inletOf(medium: Medium, box: Box): [epsilon: number, thickness: number] {
  const { epsilon, sigma } = medium;
  if (!isCells(epsilon) && typeof sigma === 'number') {
    const [[L, e, s]] = segmentsOf(medium, box) as [[number, number, number]];
    if (s !== 0) lossyEnd('0 S/m everywhere, or on cells');
    return [e, L];
  }
  const at = columnReader(medium, box);
  const [first, lossy] = at(0, 0);
  const isFirst = (i: number) =>
    Array.from({ length: box.ny }, (_, j) => at(i, j)).every(([e, s]) => e === first && s === lossy);
  if (lossy !== 0 || !isFirst(0)) lossyEnd('one medium and 0 S/m on the first column of cells');
  for (let j = 0; j < box.ny; j++)
    if (at(box.nx - 1, j)[1] !== 0) lossyEnd('0 S/m on the last column of cells');
  let i = 1;
  while (i < box.nx && isFirst(i)) i++;
  return [first, (i * box.Lx) / box.nx];
}

function lossyEnd(accepts: string): never {
  return invalid(
    'sigma',
    'power is taken in one medium without loss on the left, and without loss on the right',
    accepts,
  );
}

/** ε and σ of cell (i, j). */
function columnReader(
  { epsilon, sigma }: Medium,
  { nx, Lx }: Box,
): (i: number, j: number) => [epsilon: number, sigma: number] {
  const line = typeof epsilon === 'number' || isCells(epsilon) ? undefined : cellsOfLayers(epsilon, nx, Lx);
  const epsilonAt = (i: number, j: number) => {
    if (typeof epsilon === 'number') return epsilon;
    return line ? line[i]! : (epsilon as readonly number[])[j * nx + i]!;
  };
  return (i, j) => [epsilonAt(i, j), typeof sigma === 'number' ? sigma : sigma[j * nx + i]!];
}

// ---- modes ---------------------------------------------------------------------------------------------

/** Frequency from which mode n travels in the first medium. */
const cutoff = ({ light, box, isRing }: Row, n: number) => ((isRing ? 2 : 1) * n * light) / (2 * box.Ly);

/** A line in a node of a mode does not send it; an obstacle may make any. */
function isSent({ source, medium, box, isRing }: Row, n: number): boolean {
  if (isRing || !rowsAlike(medium, box)) return true;
  const turns = (n * source.x0[1]!) / box.Ly;
  return Math.abs(turns - Math.round(turns)) > 1e-6;
}

/** Of the modes that may be there, those that travel below a frequency. */
function cutoffs(row: Row, below: number): number[] {
  const found: number[] = [];
  for (let n = row.isRing ? 0 : 1; cutoff(row, n) < below; n++) {
    if (n > MOST_MODES)
      invalid('Ly', `more than ${MOST_MODES} modes travel`, `fewer, by a smaller Ly or frequency`);
    found.push(cutoff(row, n));
  }
  return found;
}

/** The lowest cutoff above that of a travelling mode. */
function firstSent(row: Row, above = -1): number {
  let n = row.isRing ? 0 : 1;
  while (!(cutoff(row, n) > above && isSent(row, n)) && n < 2 * MOST_MODES) n++;
  return cutoff(row, n);
}

const sentCutoffs = (row: Row, below: number) =>
  cutoffs(row, below).filter((_, k) => isSent(row, row.isRing ? k : k + 1));

/** No mode begins to travel within the pulse. */
function checkBand(row: Row): void {
  const { source, frequency } = row;
  const { frequency: carrier, width } = source;
  const reach = BAND / (2 * Math.PI * width);
  if (!(Math.abs(frequency - carrier) <= (3 / BAND) * reach))
    invalid('frequency', 'the source does not contain it', `${carrier} ± ${(3 / BAND) * reach} Hz`);
  const within = sentCutoffs(row, carrier + reach).filter((f) => f > 0 && f > carrier - reach);
  if (within.length === 0) return;
  const apart = Math.min(...within.map((f) => Math.abs(f - carrier)));
  const before = placeBefore(row);
  const accepts =
    apart > 0
      ? `at least ${BAND / (2 * Math.PI * apart)} s${before ? `, with source.x0 ${before}` : ''}`
      : `another frequency than ${carrier} Hz`;
  invalid('source.width', `a mode begins to travel at ${within[0]} Hz, within the pulse`, accepts);
}

/** From where on a mode of this cutoff does not run nearly along the edges. */
const leastAbove = (cut: number) => cut / Math.sqrt(1 - LEAST_COSINE * LEAST_COSINE);

/** Between there and where the next one begins to travel, of the lowest modes from this on that leave such a place. */
/** The middle in as few digits as lie between both. */
function between(low: number, high: number): number {
  const middle = low + (high - low) / 2;
  for (let digits = 3; digits < 17; digits++) {
    const short = Number(middle.toPrecision(digits));
    if (short > low && short < high) return short;
  }
  return middle;
}

function amidst(row: Row, from: number): string {
  let cut = from;
  for (let tried = 0; tried < 20; tried++) {
    const next = firstSent(row, cut);
    if (next > leastAbove(cut)) {
      const frequency = between(leastAbove(cut), next);
      const before = placeBefore({ ...row, frequency });
      return `, such as ${frequency} Hz${before ? ` with source.x0 ${before}` : ''}`;
    }
    cut = next;
  }
  return '';
}

/** Some mode travels, and none nearly along the edges. */
function checkModes(row: Row): void {
  const { frequency } = row;
  const travelling = sentCutoffs(row, frequency);
  const [lowest, highest] = [firstSent(row), travelling.at(-1)];
  if (highest === undefined)
    invalid(
      'frequency',
      'no wave that the source sends travels',
      `from ${leastAbove(lowest)} Hz on${amidst(row, lowest)}`,
    );
  const least = leastAbove(highest!);
  if (frequency < least)
    invalid(
      'frequency',
      `a wave with its cutoff at ${highest} Hz runs nearly along the edges`,
      `from ${least} Hz on${amidst(row, highest!)}${highest! > lowest ? `, or below ${highest} Hz` : ''}`,
    );
}

/** Where the source would stand far enough before the obstacle for what does not travel; undefined: it does. */
function placeBefore(row: Row): string | undefined {
  const { frequency, box, light, inlet, source } = row;
  if (inlet >= box.Lx * (1 - 1e-12)) return undefined;
  const next = firstSent(row, frequency);
  const decay = ((2 * Math.PI) / light) * Math.sqrt(next * next - frequency * frequency);
  const distance = (rowsAlike(row.medium, box) ? 0.5 : 1) * (TAIL_LENGTHS / decay);
  if (inlet - source.x0[0]! >= distance) return undefined;
  return inlet > distance
    ? `x at most ${inlet - distance} m, or a longer first medium`
    : `a first medium of more than ${distance} m`;
}

// ---- the end -------------------------------------------------------------------------------------------

/** Until the pulse or the ramp, and what goes to and fro within the obstacle, have passed both edges. */
function durationOf(row: Row): number {
  const { source, frequency } = row;
  const { type, frequency: carrier, width } = source;
  const slow = type === 'sine' ? frequency : Math.min(frequency, carrier - 3 / (2 * Math.PI * width));
  const passages = sentCutoffs(row, frequency).map((f) => passage(row, f, Math.max(slow, 1.01 * f)));
  return (type === 'sine' ? 1 : 10) * width + passages.reduce((most, time) => Math.max(most, time), 0);
}

/**
 * What a sine's beginning leaves rings at the cutoffs of the modes in the first and in the last medium, whose waves do
 * not move on: this long a window parts them from the sine.
 *
 * @throws Refusal INVALID_INPUT where that is too long
 */
function windowOf(row: Row): number {
  const { frequency, medium, box, isRing } = row;
  let apart = frequency;
  for (const ratio of [1, lastMedium(row)])
    for (let n = isRing ? 0 : 1; n <= 2 * MOST_MODES; n++) {
      const cut = cutoff(row, n) * ratio;
      if (isSent(row, n)) apart = Math.min(apart, Math.abs(cut - frequency));
      if (cut > 2 * frequency) break;
    }
  if (apart * MOST_PERIODS >= TURNS_APART * frequency) return TURNS_APART / apart;
  const least = (TURNS_APART * frequency) / MOST_PERIODS;
  return invalid(
    'frequency',
    `a mode begins to travel ${apart} Hz from it`,
    `at least ${least} Hz from where one does${rowsAlike(medium, box) ? ', on both sides of the layers' : ''}`,
  );
}

/** Cutoffs in the last medium over those in the first, where it is one and without loss. */
function lastMedium({ medium, box }: Row): number {
  if (!rowsAlike(medium, box)) return 1;
  const segments = segmentsOf(medium, box);
  const [, last, loss] = segments.at(-1)!;
  return loss === 0 ? Math.sqrt(segments[0]![1] / last) : 1;
}

/** Thickness, ε and σ along x; of an obstacle that is no stack the densest of its media. */
function pieces({ medium, box, inlet }: Row): [thickness: number, epsilon: number, sigma: number][] {
  if (rowsAlike(medium, box)) return segmentsOf(medium, box);
  const [least, most] = rangeOf(medium.epsilon);
  const [first] = segmentsOf(medium, box)[0]!.slice(1) as [number];
  const lossy = typeof medium.sigma === 'number' ? 0 : 1;
  const worst = most / first > first / least ? most : least;
  return [
    [inlet, first, 0],
    [box.Lx - inlet, worst, lossy],
    [0, first, 0],
  ];
}

/** Time of a mode with this cutoff at a frequency. */
function passage(row: Row, cut: number, f: number): number {
  const parts = pieces(row).map(([L, e, s]) => {
    const c = Math.sqrt(row.medium.K / (row.medium.unit * e));
    const square = 1 - ((cut * c) / (row.light * f)) * ((cut * c) / (row.light * f));
    return {
      time: L / (c * Math.max(0.2, Math.sqrt(Math.abs(square)))),
      k: Math.sqrt(Math.abs(square)) / c,
      travels: square > 0 && s === 0,
    };
  });
  const back = parts.slice(1).map((b, i) => {
    const a = parts[i]!;
    const share = a.travels && b.travels ? Math.abs(a.k - b.k) / (a.k + b.k) : 1;
    return Math.min(share, MOST_RETURNED);
  });
  const [r1 = 0, r2 = 0] = back.sort((a, b) => b - a);
  const turns = r1 * r2 > 0 ? turnsTo(LEAST_TAIL, r1 * r2) : 0;
  const inner = parts.slice(1, -1).reduce((sum, { time }) => sum + time, 0);
  return 2 * parts.reduce((sum, { time }) => sum + time, 0) + 2 * turns * inner;
}

/** How often `share` is left before it is below `least`. */
function turnsTo(least: number, share: number): number {
  let turns = 0;
  for (let left = 1; left > least; left *= share) turns++;
  return turns;
}

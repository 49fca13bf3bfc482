import { refuse } from '../../errors/refusal.ts';
import { Layout } from '../layout.ts';

export const endings = ['pinned-pinned', 'fixed-free', 'fixed-fixed', 'fixed-pinned'] as const;

interface Step {
  readonly L: number;
  readonly I: number;
}

interface Taper {
  readonly I0: number;
  readonly I1: number;
  readonly power: number;
}

export interface BucklingInput {
  readonly E: number;
  readonly I: number | { readonly steps: readonly Step[] } | { readonly taper: Taper };
  readonly L: number;
  readonly ends: (typeof endings)[number];
  readonly kf?: number;
  readonly q?: number;
  readonly A?: number;
  readonly sigmaY?: number;
  readonly N?: number;
}

/** A stretch whose I^(1/power) is linear, cut into elements and, for the shooting, into panels. */
export interface Piece {
  readonly length: number;
  readonly lower: number;
  readonly upper: number;
  readonly power: number;
  readonly elements: number;
  readonly panels: number;
}

export interface Column {
  readonly pieces: readonly Piece[];
  readonly elements: number;
  /** Loads in the table. */
  readonly loads: number;
}

export const MAX_ELEMENTS = 2048;
const DEFAULT_ELEMENTS = 64;
const MAX_RATIO = 1e4;
const MAX_ROOT_RATIO = 100;
const TABLE = 4;
const SOFTER = 'a softer foundation or a shorter column';

type Stretch = Pick<Piece, 'length' | 'lower' | 'upper' | 'power'>;

/** What the schema cannot say, and the meshes. */
export function readColumn(input: BucklingInput): Column {
  checkYield(input);
  const stretches = stretchesOf(input);
  checkRatio(stretches);
  const waves = foundationWaves(input, stretches);
  const wanted = input.N ?? elementsFor(waves);
  if (!(wanted <= MAX_ELEMENTS)) refuseFoundation(wanted);
  const pieces = stretches.map((stretch) => ({
    ...stretch,
    elements: 4 * Math.max(1, Math.floor((wanted * stretch.length) / (4 * input.L) + 0.5)),
    panels: panelsOf(input, stretch, stretches),
  }));
  const elements = pieces.reduce((sum, piece) => sum + piece.elements, 0);
  return { pieces, elements, loads: elements >= 16 + 5 * waves ? TABLE : 1 };
}

const elementsFor = (waves: number) => Math.max(DEFAULT_ELEMENTS, Math.ceil(5 * waves));

/** An N for a column whose own is too small, or so large that rounding is what shows; another column where none will do. */
export function otherElements(input: BucklingInput): { readonly field: string; readonly accepts: string } {
  const own = elementsFor(foundationWaves(input, stretchesOf(input)));
  const { N = own } = input;
  if (own > MAX_ELEMENTS) return { field: 'kf', accepts: SOFTER };
  if (N < own) return { field: 'N', accepts: `N = ${own} or more` };
  const other = N < 512 || input.N === undefined ? Math.min(MAX_ELEMENTS, 2 * N) : own;
  return other === N ? { field: 'kf', accepts: SOFTER } : { field: 'N', accepts: `N = ${other}` };
}

/** The head of all parameters, without runs: assembly/beam/column.ts. `parts`: elements or panels of a piece. */
export function columnLayout(
  input: BucklingInput,
  pieces: readonly Piece[],
  parts: (piece: Piece) => number,
) {
  const { E, L, ends, kf = 0, q = 0 } = input;
  const layout = new Layout().f64(E, L, endings.indexOf(ends), kf, q, pieces.length);
  for (const piece of pieces) layout.f64(piece.length, piece.lower, piece.upper, piece.power, parts(piece));
  return layout;
}

function stretchesOf({ I, L }: BucklingInput): Stretch[] {
  if (typeof I === 'number') return [{ length: L, lower: I, upper: I, power: 1 }];
  if ('taper' in I) return [{ length: L, lower: I.taper.I0, upper: I.taper.I1, power: I.taper.power }];
  const sum = I.steps.reduce((total, step) => total + step.L, 0);
  if (!(Math.abs(sum - L) <= 1e-9 * L))
    refuse('INVALID_INPUT', `I.steps: their lengths add up to ${sum} m, the column is ${L} m long.`, {
      field: 'I.steps',
      measured: sum,
      accepts: `lengths whose sum is L = ${L}`,
    });
  return I.steps.map((step) => ({ length: step.L, lower: step.I, upper: step.I, power: 1 }));
}

function checkYield({ A, sigmaY }: BucklingInput): void {
  if ((A === undefined) === (sigmaY === undefined)) return;
  const missing = A === undefined ? 'A' : 'sigmaY';
  refuse('MISSING_INPUT', `buckling lacks ${missing}: the test for yield needs A and sigmaY.`, {
    field: missing,
    missing: [missing],
    accepts: 'A and sigmaY, or neither',
  });
}

const ends = (stretch: Stretch) => [stretch.lower, stretch.upper];
const stiffest = (stretches: readonly Stretch[]) => Math.max(...stretches.flatMap(ends));
const softest = (stretches: readonly Stretch[]) => Math.min(...stretches.flatMap(ends));

/** At least (I_max/I_min)^(1/power), by roots alone. */
function rootRatio({ lower, upper, power }: Stretch): number {
  const ratio = Math.max(lower / upper, upper / lower);
  if (power >= 4) return Math.sqrt(Math.sqrt(ratio));
  return power >= 2 ? Math.sqrt(ratio) : ratio;
}

function checkRatio(stretches: readonly Stretch[]): void {
  const ratio = stiffest(stretches) / softest(stretches);
  const taper = Math.max(...stretches.map(rootRatio));
  if (ratio <= MAX_RATIO && taper <= MAX_ROOT_RATIO) return;
  const [measured, bound] = ratio <= MAX_RATIO ? [taper, MAX_ROOT_RATIO] : [ratio, MAX_RATIO];
  refuse('LIMIT_EXCEEDED', `I: its largest value is ${ratio} times its smallest.`, {
    field: 'I',
    measured,
    bound,
    accepts: `I within a factor of ${MAX_RATIO}, its root in a taper within ${MAX_ROOT_RATIO}`,
  });
}

/** (k_f L⁴/EI)^(1/4): π times the half waves on a foundation. */
function foundationWaves({ E, L, kf = 0 }: BucklingInput, stretches: readonly Stretch[]): number {
  return L * Math.sqrt(Math.sqrt(kf / (E * softest(stretches))));
}

function refuseFoundation(wanted: number): never {
  return refuse('LIMIT_EXCEEDED', `kf: the mode would need ${wanted} elements.`, {
    field: 'kf',
    measured: wanted,
    bound: MAX_ELEMENTS,
    accepts: `at most ${MAX_ELEMENTS} elements: ${SOFTER}`,
  });
}

/** Panels short beside the waves of the fourth load and, in a taper, beside the distance to where I would be 0. */
function panelsOf(input: BucklingInput, stretch: Stretch, stretches: readonly Stretch[]): number {
  const { E, L, kf = 0, q = 0 } = input;
  const most = E * stiffest(stretches);
  const least = E * Math.min(...ends(stretch));
  const load = (250 * most) / (L * L) + 2.5 * Math.sqrt(kf * most) + q * L;
  const waves = Math.sqrt(load / least) + Math.sqrt(Math.sqrt(kf / least));
  const taper = stretch.lower === stretch.upper ? 0 : 8 * (rootRatio(stretch) - 1);
  return 4 + Math.ceil(Math.max(stretch.length * waves, taper));
}

import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';

type Matrix = readonly (readonly number[])[];
/** Rows, or all numbers row after row. */
type Table = Matrix | readonly number[];

/** What a request of `kalman` may say; validated by the schema. */
export interface KalmanInput {
  readonly F: Table;
  readonly H: Table;
  readonly Q: Table;
  readonly R: Table;
  readonly x0?: readonly number[];
  readonly P0?: Table;
  readonly z?: Table;
  readonly B?: Table;
  readonly u?: Table;
  readonly smoother?: boolean;
  readonly steady?: boolean;
  readonly quantity: (typeof quantities)[number];
  readonly component?: readonly number[];
  readonly initialState?: { readonly x?: readonly number[]; readonly P?: Table; readonly continue?: string };
  /** Where it goes on: set by the continuation, never by the caller. */
  readonly before?: Before;
}

/** The job that is continued: its filter's whole result and the measurements it had in all. */
export interface Before {
  readonly job: string;
  readonly count: number;
  readonly result: Uint8Array;
}

export const quantities = ['state', 'logLikelihood', 'gain', 'covariance', 'priorCovariance'] as const;
export const MAX_SIZE = 64;
/** Most numbers in the rows of a run. */
const MAX_NUMBERS = 2 ** 21;
const ROUNDING = 1e-12;

export interface Problem {
  readonly n: number;
  readonly m: number;
  readonly p: number;
  readonly count: number;
  readonly window: number;
  /** Index of the value in the run's result. */
  readonly index: number;
  /** All of them row after row. */
  readonly F: readonly number[];
  readonly H: readonly number[];
  readonly Q: readonly number[];
  readonly R: readonly number[];
  readonly B: readonly number[];
  readonly z: readonly number[];
  readonly u: readonly number[];
  /** x0 and P0; nothing where the start is a job's result. */
  readonly start: readonly number[];
}

/** What the schema cannot say: shapes, signs of matrices, one start, measurements unless steady. */
export function readProblem(input: KalmanInput): Problem {
  const { steady } = input;
  const n = sizeOf(input.F);
  const F = square(input.F, n, 'F');
  const m = rowsOf(input.H, n);
  const H = table(input.H, m, n, 'H');
  const Q = covariance(input.Q, n, 'Q', false);
  const R = covariance(input.R, m, 'R', true);
  const start = input.before ? [] : startOf(input, n);
  const { z, B, u, p } = dataOf(input, m, n);
  const count = z.length / m;
  const numbers = count * (n * n + n + m + 2 + n * m);
  if (numbers > MAX_NUMBERS) limit('z', numbers, MAX_NUMBERS, 'numbers in the rows of the run');
  const wide = Math.max(1, Math.floor(Math.min(64, 1024 / n) / m));
  const window = steady ? 1 : Math.min(count, wide);
  return { n, m, p, count, window, index: indexOf(input, n, m), F, H, Q, R, B, z, u, start };
}

function limit(field: string, measured: number, bound: number, what: string): never {
  refuse('LIMIT_EXCEEDED', `${field}: ${measured} ${what}, ${bound} is the limit.`, {
    field,
    measured,
    bound,
    accepts: `at most ${bound} ${what}`,
  });
}

function invalid(field: string, what: string, accepts: unknown): never {
  refuse('INVALID_INPUT', `${field}: ${what}.`, { field, accepts });
}

function missing(field: string, accepts: unknown): never {
  refuse('MISSING_INPUT', `kalman lacks ${field}.`, { field, missing: [field], accepts });
}

// ---- tables --------------------------------------------------------------------------------------------

const isMatrix = (a: Table): a is Matrix => Array.isArray(a[0]);

/** Rows of a table of this many columns; of one whose numbers do not fill its rows, rounded up. */
const rowsOf = (a: Table, columns: number) =>
  isMatrix(a) ? a.length : Math.ceil(a.length / Math.max(columns, 1));

/** Rows of F, which is square: more than any that fit are refused. */
function sizeOf(F: Table): number {
  const n = isMatrix(F) ? F.length : Math.ceil(Math.sqrt(F.length));
  if (n > MAX_SIZE) limit('F', n, MAX_SIZE, 'states');
  return n;
}

/** Its numbers row after row. */
function table(a: Table, rows: number, columns: number, field: string): readonly number[] {
  const fits = isMatrix(a)
    ? a.length === rows && a.every((row) => row.length === columns)
    : a.length === rows * columns;
  if (!fits) invalid(field, `it is not ${rows}×${columns}`, `${rows} rows of ${columns} numbers`);
  return isMatrix(a) ? a.flat() : a;
}

const square = (a: Table, size: number, field: string) => table(a, size, size, field);

/** Symmetric and positive semidefinite, or definite, by symmetric elimination. */
function covariance(sent: Table, size: number, field: string, definite: boolean): readonly number[] {
  const flat = square(sent, size, field);
  const a = Array.from({ length: size }, (_, i) => flat.slice(i * size, (i + 1) * size));
  const scale = flat.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const rest = a.map((row) => [...row]);
  const accepts = `a symmetric positive ${definite ? 'definite' : 'semidefinite'} matrix`;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++)
      if (!(Math.abs(a[i]![j]! - a[j]![i]!) <= ROUNDING * scale))
        invalid(field, 'it is not symmetric', accepts);
  }
  for (let k = 0; k < size; k++) {
    const pivot = rest[k]![k]!;
    const none = Math.abs(pivot) <= ROUNDING * scale;
    const alone = rest[k]!.slice(k + 1).every((entry) => Math.abs(entry) <= 1e-6 * scale);
    if (definite ? !(pivot > ROUNDING * scale) : !(pivot >= -ROUNDING * scale) || (none && !alone))
      invalid(field, `it is not positive ${definite ? 'definite' : 'semidefinite'}`, accepts);
    if (none) continue;
    for (let i = k + 1; i < size; i++) {
      const factor = rest[i]![k]! / pivot;
      for (let j = k + 1; j < size; j++) rest[i]![j]! -= factor * rest[k]![j]!;
    }
  }
  return flat;
}

// ---- start and data ------------------------------------------------------------------------------------

const starts = ['x0 and P0', 'initialState {x, P}'];

function startOf({ x0, P0, initialState, steady }: KalmanInput, n: number): readonly number[] {
  refuseElsewhere('kalman', initialState, starts);
  // The limit is the same from every start.
  if (steady && !initialState && (x0 ?? P0) === undefined) return new Array<number>(n + n * n).fill(0);
  if (initialState && (x0 ?? P0) !== undefined) invalid('initialState', 'the start is given twice', starts);
  const [x, P] = initialState ? [initialState.x, initialState.P] : [x0, P0];
  const names = initialState ? ['initialState.x', 'initialState.P'] : ['x0', 'P0'];
  if (x === undefined) missing(names[0]!, starts);
  if (P === undefined) missing(names[1]!, starts);
  if (x.length !== n) invalid(names[0]!, `it has ${x.length} numbers`, `${n} numbers`);
  return [...x, ...covariance(P, n, names[1]!, false)];
}

function dataOf(
  { steady, smoother, quantity, z, B, u }: KalmanInput,
  m: number,
  n: number,
): Pick<Problem, 'z' | 'B' | 'u' | 'p'> {
  if (steady) {
    const unused = Object.entries({ z, B, u, smoother: smoother || undefined }).find(
      ([, value]) => value !== undefined,
    );
    if (unused) invalid(unused[0], 'the steady state knows no measurements', 'steady: true without it');
    if (quantity === 'state' || quantity === 'logLikelihood')
      invalid('quantity', `the steady state has no ${quantity}`, ['gain', 'covariance', 'priorCovariance']);
    return { z: [], B: [], u: [], p: 0 };
  }
  if (z === undefined) missing('z', 'measurements, each of as many numbers as H has rows; or steady: true');
  const count = rowsOf(z, m);
  const measured = table(z, count, m, 'z');
  if (B === undefined && u === undefined) return { z: measured, B: [], u: [], p: 0 };
  if (B === undefined) missing('B', 'n rows, with u');
  if (u === undefined) missing('u', 'as many rows as z, with B');
  const p = isMatrix(B) ? (B[0]?.length ?? 0) : Math.ceil(B.length / n);
  return { z: measured, B: table(B, n, p, 'B'), u: table(u, count, p, 'u'), p };
}

/** Where the value stands in x n · P n×n · P before the measurement n×n · K n×m · ln L. */
function indexOf({ quantity, component }: KalmanInput, n: number, m: number): number {
  if (quantity === 'logLikelihood') {
    if (component !== undefined) invalid('component', 'the likelihood is one number', 'nothing');
    return n + 2 * n * n + n * m;
  }
  const bounds = quantity === 'state' ? [n] : quantity === 'gain' ? [n, m] : [n, n];
  const accepts = `[${bounds.map((bound) => `0 to ${bound - 1}`).join(', ')}]`;
  if (component === undefined) missing('component', accepts);
  if (component.length !== bounds.length || component.some((index, k) => !(index < bounds[k]!)))
    invalid('component', `${quantity} has no such entry`, accepts);
  const [i, j] = component as [number, number];
  if (quantity === 'state') return i;
  const from = quantity === 'covariance' ? n : quantity === 'priorCovariance' ? n + n * n : n + 2 * n * n;
  return from + i * bounds[1]! + j;
}

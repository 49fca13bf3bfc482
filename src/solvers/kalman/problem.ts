import { refuse } from '../../errors/refusal.ts';

type Matrix = readonly (readonly number[])[];

/** What a request of `kalman` may say; validated by the schema. */
export interface KalmanInput {
  readonly F: Matrix;
  readonly H: Matrix;
  readonly Q: Matrix;
  readonly R: Matrix;
  readonly x0?: readonly number[];
  readonly P0?: Matrix;
  readonly z?: Matrix;
  readonly B?: Matrix;
  readonly u?: Matrix;
  readonly smoother?: boolean;
  readonly steady?: boolean;
  readonly quantity: (typeof quantities)[number];
  readonly component?: readonly number[];
  readonly initialState?: { readonly x?: readonly number[]; readonly P?: Matrix; readonly continue?: string };
}

export const quantities = ['state', 'logLikelihood', 'gain', 'covariance', 'priorCovariance'] as const;
export const MAX_SIZE = 64;
/** Most numbers in the rows of a run, and most numbers measured where all of them are smoothed. */
const MAX_NUMBERS = 2 ** 21;
const MAX_SMOOTHED = 384;
const ROUNDING = 1e-12;

export interface Problem {
  readonly n: number;
  readonly m: number;
  readonly p: number;
  readonly count: number;
  readonly window: number;
  /** Index of the value in the run's result. */
  readonly index: number;
  readonly x0: readonly number[];
  readonly P0: Matrix;
  readonly z: Matrix;
  readonly B: Matrix;
  readonly u: Matrix;
}

/** What the schema cannot say: shapes, signs of matrices, one start, measurements unless steady. */
export function readProblem(input: KalmanInput): Problem {
  const { F, H, Q, R, smoother, steady } = input;
  const [n, m] = [F.length, H.length];
  shape(F, n, n, 'F');
  shape(H, m, n, 'H');
  covariance(Q, n, 'Q', false);
  covariance(R, m, 'R', true);
  const { x0, P0 } = startOf(input, n);
  const { z, B, u } = dataOf(input, m, n);
  const count = z.length;
  const numbers = count * (n * n + n + m + 2);
  if (numbers > MAX_NUMBERS) limit('z', numbers, MAX_NUMBERS, 'numbers in the rows of the run');
  if (smoother && count * m > MAX_SMOOTHED)
    limit('z', count * m, MAX_SMOOTHED, 'measured numbers with smoother');
  const wide = Math.max(1, Math.floor(Math.min(64, 1024 / n) / m));
  const window = steady ? 1 : smoother ? count : Math.min(count, wide);
  return { n, m, p: B[0]?.length ?? 0, count, window, index: indexOf(input, n, m), x0, P0, z, B, u };
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

function shape(a: Matrix, rows: number, columns: number, field: string): void {
  if (a.length !== rows || a.some((row) => row.length !== columns))
    invalid(field, `it is not ${rows}×${columns}`, `${rows} rows of ${columns} numbers`);
}

/** Symmetric and positive semidefinite, or definite, by symmetric elimination. */
function covariance(a: Matrix, size: number, field: string, definite: boolean): void {
  shape(a, size, size, field);
  const scale = Math.max(...a.flat().map(Math.abs));
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
}

const starts = ['x0 and P0', 'initialState {x, P}'];

function startOf({ x0, P0, initialState }: KalmanInput, n: number): Pick<Problem, 'x0' | 'P0'> {
  if (initialState?.continue !== undefined)
    refuse('UNSUPPORTED', 'kalman does not continue a job; send its finalState as initialState.', {
      field: 'initialState.continue',
      accepts: starts,
    });
  if (initialState && (x0 ?? P0) !== undefined) invalid('initialState', 'the start is given twice', starts);
  const [x, P] = initialState ? [initialState.x, initialState.P] : [x0, P0];
  const names = initialState ? ['initialState.x', 'initialState.P'] : ['x0', 'P0'];
  if (x === undefined) missing(names[0]!, starts);
  if (P === undefined) missing(names[1]!, starts);
  if (x.length !== n) invalid(names[0]!, `it has ${x.length} numbers`, `${n} numbers`);
  covariance(P, n, names[1]!, false);
  return { x0: x, P0: P };
}

function dataOf(
  { steady, smoother, quantity, z, B, u }: KalmanInput,
  m: number,
  n: number,
): Pick<Problem, 'z' | 'B' | 'u'> {
  if (steady) {
    const unused = Object.entries({ z, B, u, smoother: smoother || undefined }).find(
      ([, value]) => value !== undefined,
    );
    if (unused) invalid(unused[0], 'the steady state knows no measurements', 'steady: true without it');
    if (quantity === 'state' || quantity === 'logLikelihood')
      invalid('quantity', `the steady state has no ${quantity}`, ['gain', 'covariance', 'priorCovariance']);
    return { z: [], B: [], u: [] };
  }
  if (z === undefined) missing('z', 'measurements, each of as many numbers as H has rows; or steady: true');
  shape(z, z.length, m, 'z');
  if (B === undefined && u === undefined) return { z, B: [], u: [] };
  if (B === undefined) missing('B', 'n rows, with u');
  if (u === undefined) missing('u', 'as many rows as z, with B');
  shape(B, n, B[0]?.length ?? 0, 'B');
  shape(u, z.length, B[0]!.length, 'u');
  return { z, B, u };
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

/**
 * Peer of bench/kernels/fea.ts in plain JavaScript, line by line what bench/native/fea.c does: conjugate gradients with
 * one V-cycle of Chebyshev-Jacobi smoothing on −Δu = 1 over the unit square with N × N nine-node elements; matrices in
 * compressed rows. Levels: Q2, Q1 on the same cells, then half the cells down to 8; dense Cholesky there.
 */
interface Rows {
  readonly n: number;
  readonly row: Int32Array;
  readonly col: Int32Array;
  readonly val: Float64Array;
}

interface Level {
  readonly A: Rows;
  readonly inverseDiagonal: Float64Array;
  readonly r: Float64Array;
  readonly z: Float64Array;
  readonly d: Float64Array;
  /** To the next level and back; the last has none. */
  readonly P?: Rows;
  readonly R?: Rows;
  readonly lambda: number;
}

const elements = {
  stiffness: {
    1: { scale: (h: number) => 1 / h, entries: [1, -1, -1, 1] },
    2: { scale: (h: number) => 1 / (3 * h), entries: [7, -8, 1, -8, 16, -8, 1, -8, 7] },
  },
  mass: {
    1: { scale: (h: number) => h / 6, entries: [2, 1, 1, 2] },
    2: { scale: (h: number) => h / 30, entries: [4, 2, -1, 2, 16, 2, -1, 2, 4] },
  },
} as const;

/** Interior of a matrix in one dimension: entry (i, i − 2 … i + 2). */
function banded(cells: number, degree: 1 | 2, kind: keyof typeof elements) {
  const { scale, entries } = elements[kind][degree];
  const s = scale(1 / cells);
  const n = degree * cells - 1;
  const m = degree + 1;
  const whole = new Float64Array(5 * (n + 2));
  for (let c = 0; c < cells; c++)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < m; j++) {
        const at = 5 * (degree * c + i) + 2 + j - i;
        whole[at] = whole[at]! + s * entries[i * m + j]!;
      }
  const a = whole.subarray(5);
  const at = (i: number, j: number): number =>
    j < i - 2 || j > i + 2 || j < 0 || j >= n ? 0 : a[5 * i + 2 + j - i]!;
  return { n, at };
}

function laplace(cells: number, degree: 1 | 2): Rows {
  const K = banded(cells, degree, 'stiffness');
  const M = banded(cells, degree, 'mass');
  const { n } = K;
  const row = new Int32Array(n * n + 1);
  const col = new Int32Array(25 * n * n);
  const val = new Float64Array(25 * n * n);
  let k = 0;
  for (let j = 0; j < n; j++)
    for (let i = 0; i < n; i++) {
      row[j * n + i] = k;
      for (let J = j - 2; J <= j + 2; J++)
        for (let I = i - 2; I <= i + 2; I++) {
          const [mi, mj] = [M.at(i, I), M.at(j, J)];
          if (mi === 0 || mj === 0) continue;
          col[k] = J * n + I;
          val[k++] = K.at(i, I) * mj + mi * K.at(j, J);
        }
    }
  row[n * n] = k;
  return { n: n * n, row, col, val };
}

/** From n interior points to 2n + 1. */
function prolongation(n: number): Rows {
  const m = 2 * n + 1;
  const row = new Int32Array(m * m + 1);
  const col = new Int32Array(4 * m * m);
  const val = new Float64Array(4 * m * m);
  const first = (i: number): number => (i & 1 ? i >> 1 : (i >> 1) - 1);
  let k = 0;
  for (let j = 0; j < m; j++)
    for (let i = 0; i < m; i++) {
      row[j * m + i] = k;
      for (let J = first(j); J <= j >> 1; J++)
        for (let I = first(i); I <= i >> 1; I++) {
          if (I < 0 || J < 0 || I >= n || J >= n) continue;
          col[k] = J * n + I;
          val[k++] = (i & 1 ? 1 : 0.5) * (j & 1 ? 1 : 0.5);
        }
    }
  row[m * m] = k;
  return { n: m * m, row, col, val };
}

function transposed(P: Rows, n: number): Rows {
  const length = P.row[P.n]!;
  const next = new Int32Array(n + 2);
  for (let k = 0; k < length; k++) next[P.col[k]! + 2]!++;
  for (let i = 0; i < n; i++) next[i + 2] = next[i + 2]! + next[i + 1]!;
  const col = new Int32Array(length);
  const val = new Float64Array(length);
  for (let i = 0; i < P.n; i++)
    for (let k = P.row[i]!; k < P.row[i + 1]!; k++) {
      const to = next[P.col[k]! + 1]!++;
      col[to] = i;
      val[to] = P.val[k]!;
    }
  return { n, row: next, col, val };
}

function apply({ n, row, col, val }: Rows, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let s = 0;
    for (let k = row[i]!; k < row[i + 1]!; k++) s += val[k]! * x[col[k]!]!;
    y[i] = s;
  }
}

function subtract({ n, row, col, val }: Rows, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let s = 0;
    for (let k = row[i]!; k < row[i + 1]!; k++) s += val[k]! * x[col[k]!]!;
    y[i] = y[i]! - s;
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let s = 0;
  for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!;
  return s;
}

function inverseDiagonalOf({ n, row, col, val }: Rows): Float64Array {
  const inverse = new Float64Array(n);
  for (let i = 0; i < n; i++)
    for (let k = row[i]!; k < row[i + 1]!; k++) if (col[k] === i) inverse[i] = 1 / val[k]!;
  return inverse;
}

/** Largest eigenvalue of the scaled matrix by ten steps of the power method, and a tenth more. */
function largestEigenvalue(A: Rows, inverseDiagonal: Float64Array, d: Float64Array, r: Float64Array): number {
  for (let i = 0; i < A.n; i++) d[i] = Math.imul(i, 2654435761) & 0x10000 ? 1 : -1;
  let [before, after] = [1, 1];
  for (let k = 0; k < 10; k++) {
    apply(A, d, r);
    before = after;
    for (let i = 0; i < A.n; i++) d[i] = inverseDiagonal[i]! * r[i]!;
    after = dot(d, d);
  }
  return 1.1 * Math.sqrt(after / before);
}

function levelOf(A: Rows, cells: number | undefined): Level {
  const inverseDiagonal = inverseDiagonalOf(A);
  const vector = () => new Float64Array(A.n);
  const level = { A, inverseDiagonal, r: vector(), z: vector(), d: vector(), lambda: 0 };
  if (cells === undefined) return level;
  const P = prolongation(cells - 1);
  const lambda = largestEigenvalue(A, inverseDiagonal, level.d, level.r);
  return { ...level, P, R: transposed(P, (cells - 1) ** 2), lambda };
}

function hierarchy(N: number): Level[] {
  const levels = [levelOf(laplace(N, 2), N)];
  for (let cells = N; ; cells /= 2) {
    const isLast = cells <= 8 || cells % 2 === 1;
    levels.push(levelOf(laplace(cells, 1), isLast ? undefined : cells / 2));
    if (isLast) return levels;
  }
}

function cholesky({ n, row, col, val }: Rows): Float64Array {
  const L = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let k = row[i]!; k < row[i + 1]!; k++) L[i * n + col[k]!] = val[k]!;
  for (let j = 0; j < n; j++)
    for (let i = j; i < n; i++) {
      let s = L[i * n + j]!;
      for (let k = 0; k < j; k++) s -= L[i * n + k]! * L[j * n + k]!;
      L[i * n + j] = i === j ? Math.sqrt(s) : s / L[j * n + j]!;
    }
  return L;
}

function solveBottom(L: Float64Array, r: Float64Array, z: Float64Array): void {
  const n = r.length;
  for (let i = 0; i < n; i++) {
    let s = r[i]!;
    for (let j = 0; j < i; j++) s -= L[i * n + j]! * z[j]!;
    z[i] = s / L[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    let s = z[i]!;
    for (let j = i + 1; j < n; j++) s -= L[j * n + i]! * z[j]!;
    z[i] = s / L[i * n + i]!;
  }
}

/** Two steps of Chebyshev-Jacobi; `isFresh` where z begins at zero. */
function smooth({ A, inverseDiagonal, r, z, d, lambda }: Level, given: Float64Array, isFresh: boolean): void {
  for (let k = 1; k <= 2; k++) {
    if (k > 1) subtract(A, d, r);
    const a = k === 1 ? 0 : (2 * k - 3) / (2 * k + 1);
    const b = (8 * k - 4) / ((2 * k + 1) * lambda);
    const from = k === 1 ? given : r;
    for (let i = 0; i < A.n; i++) {
      const step = a * d[i]! + b * inverseDiagonal[i]! * from[i]!;
      if (k === 1 && from !== r) r[i] = from[i]!;
      d[i] = step;
      z[i] = isFresh && k === 1 ? step : z[i]! + step;
    }
  }
}

function cycle(levels: readonly Level[], bottom: Float64Array, r: Float64Array): void {
  const last = levels.length - 1;
  for (let l = 0; l < last; l++) {
    const level = levels[l]!;
    smooth(level, l === 0 ? r : level.r, true);
    subtract(level.A, level.d, level.r);
    apply(level.R!, level.r, levels[l + 1]!.r);
  }
  solveBottom(bottom, levels[last]!.r, levels[last]!.z);
  for (let l = last - 1; l >= 0; l--) {
    const level = levels[l]!;
    apply(level.P!, levels[l + 1]!.z, level.d);
    for (let i = 0; i < level.A.n; i++) level.z[i] = level.z[i]! + level.d[i]!;
    subtract(level.A, level.d, level.r);
    smooth(level, level.r, false);
  }
}

export interface PlainSolve {
  /** Unknowns times iterations a second of processor time. */
  readonly rate: number;
  readonly iterations: number;
  /** In the middle. */
  readonly value: number;
}

/** Sets the matrices up once. @returns one solve, timed without them */
export function plainFea(N: number): () => PlainSolve {
  const levels = hierarchy(N);
  const bottom = cholesky(levels.at(-1)!.A);
  const [{ A, z }] = levels as [Level];
  const side = 2 * N - 1;
  return () => {
    const [x, r, w] = [new Float64Array(A.n), new Float64Array(A.n), new Float64Array(A.n)];
    // ∫N_i: 2h/3 at middles, h/3 at vertices
    const load = (i: number): number => (i & 1 ? 1 : 2) / (3 * N);
    for (let j = 0; j < side; j++) for (let i = 0; i < side; i++) r[j * side + i] = load(i) * load(j);
    cycle(levels, bottom, r);
    let rho = dot(r, z);
    const p = z.slice();
    const enough = 1e-12 * Math.sqrt(dot(r, r));
    const start = process.cpuUsage();
    for (let iterations = 1; ; iterations++) {
      apply(A, p, w);
      const alpha = rho / dot(p, w);
      for (let i = 0; i < A.n; i++) {
        x[i] = x[i]! + alpha * p[i]!;
        r[i] = r[i]! - alpha * w[i]!;
      }
      if (Math.sqrt(dot(r, r)) <= enough) {
        const { user, system } = process.cpuUsage(start);
        return { rate: (1e6 * A.n * iterations) / (user + system), iterations, value: x[A.n >> 1]! };
      }
      cycle(levels, bottom, r);
      const next = dot(r, z);
      const beta = next / rho;
      rho = next;
      for (let i = 0; i < A.n; i++) p[i] = z[i]! + beta * p[i]!;
    }
  };
}

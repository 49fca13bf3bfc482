// Small dense matrices, f64 row by row, at addresses. No argument may be the destination unless it is said.

@inline export function at(a: usize, i: i32): f64 { return load<f64>(a + (<usize>i << 3)); }
@inline export function put(a: usize, i: i32, value: f64): void { store<f64>(a + (<usize>i << 3), value); }

/** C = A B, A r×k, B k×c. Two columns at a time; every sum in the order of one. */
export function multiply(a: usize, b: usize, to: usize, r: i32, k: i32, c: i32): void {
  const line = <usize>c << 3, row = <usize>k << 3, pairs = line & ~15;
  for (const end = a + <usize>r * row; a < end; a += row, to += line) {
    for (let j: usize = 0; j < pairs; j += 16) {
      let sum = f64x2.splat(0.0), from = b + j;
      for (let l = a; l < a + row; l += 8, from += line) sum = f64x2.add(sum, f64x2.mul(v128.load64_splat(l), v128.load(from)));
      v128.store(to + j, sum);
    }
    if (pairs == line) continue;
    let sum = 0.0, from = b + pairs;
    for (let l = a; l < a + row; l += 8, from += line) sum += load<f64>(l) * load<f64>(from);
    store<f64>(to + pairs, sum);
  }
}

/** C = A Bᵀ, A r×k, B c×k. Two columns at a time. */
export function multiplyTransposed(a: usize, b: usize, to: usize, r: i32, k: i32, c: i32): void {
  const line = <usize>c << 3, row = <usize>k << 3, pairs = line & ~15;
  for (const end = a + <usize>r * row; a < end; a += row, to += line) {
    let from = b;
    for (let j: usize = 0; j < pairs; j += 16, from += 2 * row) {
      let one = 0.0, other = 0.0;
      for (let l: usize = 0; l < row; l += 8) {
        const factor = load<f64>(a + l);
        one += factor * load<f64>(from + l);
        other += factor * load<f64>(from + row + l);
      }
      store<f64>(to + j, one);
      store<f64>(to + j, other, 8);
    }
    if (pairs == line) continue;
    let sum = 0.0;
    for (let l: usize = 0; l < row; l += 8) sum += load<f64>(a + l) * load<f64>(from + l);
    store<f64>(to + pairs, sum);
  }
}

export function addTo(a: usize, b: usize, count: i32): void {
  for (let i = 0; i < count; i++) put(a, i, at(a, i) + at(b, i));
}

/** A ← (A + Aᵀ)/2. */
export function symmetrise(a: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = 0.5 * (at(a, i * n + j) + at(a, j * n + i));
      put(a, i * n + j, mean);
      put(a, j * n + i, mean);
    }
  }
}

/** The lower factor of A = L Lᵀ over A; false where A is not positive definite. */
export function cholesky(a: usize, n: i32): bool {
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = at(a, i * n + j);
      for (let k = 0; k < j; k++) sum -= at(a, i * n + k) * at(a, j * n + k);
      if (i == j) {
        if (!(sum > 0.0)) return false;
        put(a, j * n + j, sqrt(sum));
      } else put(a, i * n + j, sum / at(a, j * n + j));
    }
  }
  return true;
}

/** B ← L⁻¹ B, L n×n, B n×c. */
export function solveLower(l: usize, b: usize, n: i32, c: i32): void {
  for (let j = 0; j < c; j++) {
    for (let i = 0; i < n; i++) {
      let sum = at(b, i * c + j);
      for (let k = 0; k < i; k++) sum -= at(l, i * n + k) * at(b, k * c + j);
      put(b, i * c + j, sum / at(l, i * n + i));
    }
  }
}

/** B ← L⁻ᵀ B. */
export function solveUpper(l: usize, b: usize, n: i32, c: i32): void {
  for (let j = 0; j < c; j++) {
    for (let i = n - 1; i >= 0; i--) {
      let sum = at(b, i * c + j);
      for (let k = i + 1; k < n; k++) sum -= at(l, k * n + i) * at(b, k * c + j);
      put(b, i * c + j, sum / at(l, i * n + i));
    }
  }
}

/** B ← A⁻¹ B by elimination with pivots, A n×n (lost), B n×c; false where A is singular. */
export function eliminate(a: usize, b: usize, n: i32, c: i32): bool {
  for (let j = 0; j < n; j++) {
    let best = j;
    for (let i = j + 1; i < n; i++) if (abs(at(a, i * n + j)) > abs(at(a, best * n + j))) best = i;
    if (!(abs(at(a, best * n + j)) > 0.0)) return false;
    if (best != j) { exchange(a, j, best, n); exchange(b, j, best, c); }
    for (let i = 0; i < n; i++) {
      if (i == j) continue;
      const factor = at(a, i * n + j) / at(a, j * n + j);
      for (let k = j; k < n; k++) put(a, i * n + k, at(a, i * n + k) - factor * at(a, j * n + k));
      for (let k = 0; k < c; k++) put(b, i * c + k, at(b, i * c + k) - factor * at(b, j * c + k));
    }
  }
  for (let i = 0; i < n; i++) for (let k = 0; k < c; k++) put(b, i * c + k, at(b, i * c + k) / at(a, i * n + i));
  return true;
}

function exchange(a: usize, i: i32, j: i32, width: i32): void {
  for (let k = 0; k < width; k++) {
    const kept = at(a, i * width + k);
    put(a, i * width + k, at(a, j * width + k));
    put(a, j * width + k, kept);
  }
}

export function transpose(a: usize, to: usize, r: i32, c: i32): void {
  for (let i = 0; i < r; i++) for (let j = 0; j < c; j++) put(to, j * r + i, at(a, i * c + j));
}

export function largest(a: usize, count: i32): f64 {
  let most = 0.0;
  for (let i = 0; i < count; i++) most = max(most, abs(at(a, i)));
  return most;
}

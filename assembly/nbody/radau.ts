// Gauss–Radau quadrature of order 15 for r̈ = a(r): the tables, and the polynomials of a step.
//
// Everhart (1985), Rein & Spiegel (2015, MNRAS 446, 1424; equations in brackets). Within a step of length h, s = t/h:
//
//   a(s) = a₀ + Σ b_k s^{k+1} = a₀ + Σ g_k N_k(s),   N_k = s (s − h₁) … (s − h_k)                          [4, 6]
//   x(s) = x₀ + s h v₀ + (s h)² (a₀/2 + Σ b_k s^{k+1} / ((k+2)(k+3)))                                      [9]
//   v(s) = v₀ + s h (a₀ + Σ b_k s^{k+1} / (k+2))                                                          [8]
//
// k = 0 … 6, nodes h₁ … h₇ the inner roots of the Radau polynomial of degree 8 on [0, 1]. Arrays of a coefficient
// hold all bodies, x y z, one coefficient after another ("bundle").

import { allocate } from "../kernel/frame";
import { stride } from "./bodies";

export const COEFFICIENTS: i32 = 7;

/** Index 0 is the start of the step. */
const nodes: StaticArray<f64> = [
  0.0, 0.0562625605369221464656522, 0.1802406917368923649875799, 0.3526247171131696373739078, 0.5471536263305553830014486,
  0.7342101772154105315232106, 0.8853209468390957680903598, 0.9775206135612875018911745,
];
@inline export function node(n: i32): f64 { return load<f64>(changetype<usize>(nodes) + (<usize>n << 3)); }

/** N_k = Σ c_kj s^{j+1} and s^{k+1} = Σ d_kj N_j; row k, column j, eight columns each. */
let cAt: usize = 0;
let dAt: usize = 0;
@inline function at(table: usize, k: i32, j: i32): usize { return table + (<usize>(8 * k + j) << 3); }

export function layTables(): void {
  cAt = allocate(8 * 64);
  dAt = allocate(8 * 64);
  store<f64>(at(cAt, 0, 0), 1);
  store<f64>(at(dAt, 0, 0), 1);
  for (let k = 1; k < COEFFICIENTS; k++) {
    for (let j = 0; j <= k; j++) {
      const cLeft = j > 0 ? load<f64>(at(cAt, k - 1, j - 1)) : 0.0;
      const dLeft = j > 0 ? load<f64>(at(dAt, k - 1, j - 1)) : 0.0;
      store<f64>(at(cAt, k, j), cLeft - node(k) * load<f64>(at(cAt, k - 1, j)));
      store<f64>(at(dAt, k, j), dLeft + node(j + 1) * load<f64>(at(dAt, k - 1, j)));
    }
  }
}

@inline export function bundleBytes(): usize { return <usize>COEFFICIENTS * 3 * stride; }

/** The g of given b. */
export function newtonForm(g: usize, b: usize): void { combine(g, b, dAt); }

/** out_k = Σ_{j ≥ k} table_jk in_j. */
function combine(out: usize, from: usize, table: usize): void {
  const coefficient: usize = 3 * stride;
  for (let k = 0; k < COEFFICIENTS; k++) {
    for (let p: usize = 0; p < coefficient; p += 16) {
      let sum = f64x2.splat(0.0);
      for (let j = COEFFICIENTS - 1; j >= k; j--) {
        const term = f64x2.mul(v128.load64_splat(at(table, j, k)), v128.load(from + <usize>j * coefficient + p));
        sum = f64x2.add(sum, term);
      }
      v128.store(out + <usize>k * coefficient + p, sum);
    }
  }
}

/**
 * The b that the last step's polynomial foretells for the next, q times as long:
 * e_k = q^{k+1} Σ_{j ≥ k} C(j+1, k+1) b_j [13].
 */
export function foretell(e: usize, b: usize, q: f64): void {
  const coefficient: usize = 3 * stride;
  let power: f64 = 1;
  for (let k = 0; k < COEFFICIENTS; k++) {
    power *= q;
    for (let p: usize = 0; p < coefficient; p += 16) {
      let sum = f64x2.splat(0.0), binomial: f64 = 1;
      for (let j = k; j < COEFFICIENTS; j++) {
        sum = f64x2.add(sum, f64x2.mul(f64x2.splat(binomial), v128.load(b + <usize>j * coefficient + p)));
        binomial = binomial * <f64>(j + 2) / <f64>(j + 1 - k);
      }
      v128.store(e + <usize>k * coefficient + p, f64x2.mul(f64x2.splat(power), sum));
    }
  }
}

/** Horner coefficients of x(s) and v(s), all bodies: the step's polynomial at s, h² or h taken out. */
@inline function accelerationSum(p: usize, a0: usize, b: usize, s: f64, twice: bool): v128 {
  const coefficient: usize = 3 * stride;
  let sum = f64x2.splat(0.0);
  for (let k = COEFFICIENTS - 1; k >= 0; k--) {
    const weight = twice ? 1.0 / <f64>((k + 2) * (k + 3)) : 1.0 / <f64>(k + 2);
    const term = f64x2.mul(f64x2.splat(weight), v128.load(b + <usize>k * coefficient + p));
    sum = f64x2.mul(f64x2.splat(s), f64x2.add(sum, term));
  }
  return f64x2.add(sum, f64x2.mul(f64x2.splat(twice ? 0.5 : 1.0), v128.load(a0 + p)));
}

/** out = s h (v₀ + s h (a₀/2 + …)), the way from x₀ to x(s), less what `carry` says that x₀ has too much. */
export function wayAt(out: usize, carry: usize, v0: usize, a0: usize, b: usize, h: f64, s: f64): void {
  const sh = f64x2.splat(s * h);
  for (let p: usize = 0; p < 3 * stride; p += 16) {
    const curved = f64x2.mul(sh, accelerationSum(p, a0, b, s, true));
    const way = f64x2.mul(sh, f64x2.add(v128.load(v0 + p), curved));
    v128.store(out + p, f64x2.sub(way, v128.load(carry + p)));
  }
}

/** out = h (a₀ + Σ b_k / (k+2)), the change of velocity over the step. */
export function velocityChange(out: usize, a0: usize, b: usize, h: f64): void {
  for (let p: usize = 0; p < 3 * stride; p += 16) {
    v128.store(out + p, f64x2.mul(f64x2.splat(h), accelerationSum(p, a0, b, 1.0, false)));
  }
}

/**
 * Node n (1 … 7): g_{n−1} from the acceleration there by divided differences [7], and b with it [5]. Returns the
 * largest change of b₆ (n = 7), or of the leading coefficient of the g that changed.
 */
export function correct(n: i32, a: usize, a0: usize, g: usize, b: usize): f64 {
  const coefficient: usize = 3 * stride;
  const gAt = g + <usize>(n - 1) * coefficient;
  let largest = f64x2.splat(0.0);
  for (let p: usize = 0; p < coefficient; p += 16) {
    let slope = f64x2.div(f64x2.sub(v128.load(a + p), v128.load(a0 + p)), f64x2.splat(node(n)));
    for (let i = 1; i < n; i++) {
      const below = v128.load(g + <usize>(i - 1) * coefficient + p);
      slope = f64x2.div(f64x2.sub(slope, below), f64x2.splat(node(n) - node(i)));
    }
    const change = f64x2.sub(slope, v128.load(gAt + p));
    v128.store(gAt + p, slope);
    for (let j = 0; j < n; j++) {
      const to = b + <usize>j * coefficient + p;
      const term = f64x2.mul(v128.load64_splat(at(cAt, n - 1, j)), change);
      v128.store(to, f64x2.add(v128.load(to), term));
    }
    largest = f64x2.max(largest, f64x2.abs(change));
  }
  return max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
}

/** out = −in */
export function negate(out: usize, from: usize): void {
  for (let p: usize = 0; p < 3 * stride; p += 16) v128.store(out + p, f64x2.neg(v128.load(from + p)));
}

/** Largest absolute entry of x y z arrays. */
export function largestEntry(from: usize): f64 {
  let largest = f64x2.splat(0.0);
  for (let p: usize = 0; p < 3 * stride; p += 16) largest = f64x2.max(largest, f64x2.abs(v128.load(from + p)));
  return max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
}

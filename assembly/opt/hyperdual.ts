// Hyper-dual numbers v + a ε₁ + b ε₂ + c ε₁ε₂, ε₁² = ε₂² = 0 (Fike & Alonso, AIAA 2011-886): a function evaluated in
// them gives a first derivative by each of two variables and the second by both, exact but for rounding. Four f64 each,
// in registers that are addresses.

export const WIDTH: usize = 32;

@inline export function part(x: usize, k: i32): f64 { return load<f64>(x + (<usize>k << 3)); }

@inline function write(to: usize, v: f64, a: f64, b: f64, c: f64): void {
  store<f64>(to, v);
  store<f64>(to, a, 8);
  store<f64>(to, b, 16);
  store<f64>(to, c, 24);
}

/** A number, and whether it is the first, the second variable. */
export function variable(to: usize, v: f64, isFirst: bool, isSecond: bool): void {
  write(to, v, isFirst ? 1.0 : 0.0, isSecond ? 1.0 : 0.0, 0.0);
}

@inline export function constant(to: usize, v: f64): void { write(to, v, 0.0, 0.0, 0.0); }

/** to = p x + q y + r. */
export function combine(to: usize, p: f64, x: usize, q: f64, y: usize, r: f64): void {
  write(
    to, p * part(x, 0) + q * part(y, 0) + r, p * part(x, 1) + q * part(y, 1), p * part(x, 2) + q * part(y, 2),
    p * part(x, 3) + q * part(y, 3),
  );
}

export function multiply(to: usize, x: usize, y: usize): void {
  const v = part(x, 0), a = part(x, 1), b = part(x, 2), w = part(y, 0), d = part(y, 1), e = part(y, 2);
  write(to, v * w, v * d + a * w, v * e + b * w, v * part(y, 3) + a * e + b * d + part(x, 3) * w);
}

/** to = φ(x), with φ, φ′, φ″ at v. */
export function apply(to: usize, x: usize, value: f64, slope: f64, curve: f64): void {
  const a = part(x, 1), b = part(x, 2);
  write(to, value, slope * a, slope * b, slope * part(x, 3) + curve * a * b);
}

export function exponential(to: usize, x: usize): void {
  const e = Math.exp(part(x, 0));
  apply(to, x, e, e, e);
}

export function reciprocal(to: usize, x: usize): void {
  const r = 1.0 / part(x, 0);
  apply(to, x, r, -r * r, 2.0 * r * r * r);
}

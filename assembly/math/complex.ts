// Complex numbers as two f64: every function leaves its value in `re`, `im`.

export let re: f64 = 0, im: f64 = 0;

export function times(a: f64, b: f64, c: f64, d: f64): void {
  re = a * c - b * d;
  im = a * d + b * c;
}

export function over(a: f64, b: f64, c: f64, d: f64): void {
  const square = c * c + d * d;
  re = (a * c + b * d) / square;
  im = (b * c - a * d) / square;
}

/** The root with re ≥ 0. */
export function rootOf(a: f64, b: f64): void {
  const size = Math.hypot(a, b);
  if (size == 0.0) { re = 0.0; im = 0.0; return; }
  const large = sqrt(0.5 * (size + abs(a))), small = 0.5 * b / large;
  re = a >= 0.0 ? large : abs(small);
  im = a >= 0.0 ? small : b < 0.0 ? -large : large;
}

export function cosine(a: f64, b: f64): void {
  re = Math.cos(a) * Math.cosh(b);
  im = -Math.sin(a) * Math.sinh(b);
}

export function sine(a: f64, b: f64): void {
  re = Math.sin(a) * Math.cosh(b);
  im = Math.cos(a) * Math.sinh(b);
}

// Flows that are known in full, for the verdict of `flow`; ψ also for the run beside a steady cavity.

/** Wave number that a central difference over 2h, or two over h, sees instead of k. */
@inline function alongOf(k: f64, h: f64): f64 { return Math.sin(k * h) / (k * h); }
@inline function squareOf(k: f64, h: f64): f64 { const s = 2.0 * Math.sin(0.5 * k * h) / h; return s * s; }

@inline function decayOf(n: i32, m: i32, lengthX: f64, lengthY: f64, nu: f64, t: f64, isExact: bool): f64 {
  const k = 2.0 * Math.PI / lengthX, l = 2.0 * Math.PI / lengthY;
  return Math.exp(-nu * t * (isExact ? k * k + l * l : squareOf(k, lengthX / <f64>n) + squareOf(l, lengthY / <f64>m)));
}
@inline function shiftOf(n: i32, lengthX: f64, drift: f64, t: f64, isExact: bool): f64 {
  return drift * t * (isExact ? 1.0 : alongOf(2.0 * Math.PI / lengthX, lengthX / <f64>n));
}

/**
 * Vortices of Taylor and Green that drift along x, on face (i, j) of n × m cells. Not exact: those of the equation on the
 * grid with exact time, on square cells: their convection by themselves is a gradient there too, drift and decay go by
 * the differences' own wave numbers.
 */
export function vorticesU(i: i32, j: i32, n: i32, m: i32, lengthX: f64, lengthY: f64, U: f64, drift: f64, nu: f64, t: f64, isExact: bool): f64 {
  const x = lengthX * <f64>i / <f64>n - shiftOf(n, lengthX, drift, t, isExact), k = 2.0 * Math.PI / lengthX;
  return drift + U * decayOf(n, m, lengthX, lengthY, nu, t, isExact) * Math.cos(k * x) * Math.sin(2.0 * Math.PI * (<f64>j + 0.5) / <f64>m);
}
export function vorticesV(i: i32, j: i32, n: i32, m: i32, lengthX: f64, lengthY: f64, U: f64, drift: f64, nu: f64, t: f64, isExact: bool): f64 {
  const x = lengthX * (<f64>i + 0.5) / <f64>n - shiftOf(n, lengthX, drift, t, isExact), k = 2.0 * Math.PI / lengthX;
  const size = -U * lengthY / lengthX * decayOf(n, m, lengthX, lengthY, nu, t, isExact);
  return size * Math.sin(k * x) * Math.cos(2.0 * Math.PI * <f64>j / <f64>m);
}

/** ψ = 8 U Ly (ξ⁴ − 2ξ³ + ξ²)(η⁴ − η²): Shih, Tan & Hwang, Int. J. Numer. Methods Fluids 9 (1989) 193. */
export function manufacturedPsi(s: f64, t: f64, U: f64, height: f64): f64 {
  return 8.0 * U * height * (s * s * s * s - 2.0 * s * s * s + s * s) * (t * t * t * t - t * t);
}

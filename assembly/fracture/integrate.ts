// Energies, forces and the derivative by the damage of a plate's state, summed over Gauss points from shape functions.
// It shares nothing with the kernel's cells (elastic.ts, damage.ts), whose sums were written out by hand.

import { allocate, parameterF64 } from "../kernel/frame";

const KAPPA: f64 = 1e-7;
const POINT: f64 = 0.5773502691896258;

export let elasticAnew: f64 = 0, surfaceAnew: f64 = 0, reactionAnew: f64 = 0;
/** Norms of the reactions, and of the forces on free nodes; largest change of d that would lower the energy. */
export let forceAnew: f64 = 0, unbalanced: f64 = 0, damageMove: f64 = 0;

let N: i32 = 0, M: i32 = 0, split: i32 = 0;
let h: f64 = 0, lambda: f64 = 0, mu: f64 = 0, dimensions: f64 = 0;
let fx: usize = 0, fy: usize = 0, slope: usize = 0, curve: usize = 0;
/** Shape functions and their derivatives times h, [point][corner] · corners 0 1 below, 2 3 above, right to left. */
let shapes: usize = 0, alongX: usize = 0, alongY: usize = 0;
/** Of the cell: nodes, displacements, damage. */
let nodeOf: usize = 0, u: usize = 0, v: usize = 0, d: usize = 0;

export function layIntegration(): void {
  N = <i32>parameterF64(0); M = <i32>parameterF64(8); h = parameterF64(16);
  lambda = parameterF64(24); mu = parameterF64(32); split = <i32>parameterF64(64); dimensions = parameterF64(72);
  const bytes = <usize>(N + 1) * <usize>(M + 1) << 3;
  fx = allocate(bytes); fy = allocate(bytes); slope = allocate(bytes); curve = allocate(bytes);
  shapes = allocate(128); alongX = allocate(128); alongY = allocate(128);
  nodeOf = allocate(32); u = allocate(32); v = allocate(32); d = allocate(32);
  for (let g = 0; g < 4; g++)
    for (let c = 0; c < 4; c++) {
      const x = (g & 1 ? POINT : -POINT), y = (g & 2 ? POINT : -POINT), cx = c == 1 || c == 2 ? 1.0 : -1.0, cy = c >= 2 ? 1.0 : -1.0;
      put(shapes, 4 * g + c, 0.25 * (1.0 + cx * x) * (1.0 + cy * y));
      put(alongX, 4 * g + c, 0.5 * cx * (1.0 + cy * y));
      put(alongY, 4 * g + c, 0.5 * cy * (1.0 + cx * x));
    }
}

@inline function put(a: usize, i: i32, value: f64): void { store<f64>(a + (<usize>i << 3), value); }
@inline function get(a: usize, i: i32): f64 { return load<f64>(a + (<usize>i << 3)); }
@inline function add(a: usize, i: i32, value: f64): void { put(a, i, get(a, i) + value); }
@inline function index(c: i32): i32 { return load<i32>(nodeOf + (<usize>c << 2)); }

function at(table: usize, g: i32, values: usize): f64 {
  let sum = 0.0;
  for (let c = 0; c < 4; c++) sum += get(table, 4 * g + c) * get(values, c);
  return sum;
}

// ---- a cell --------------------------------------------------------------------------------------------

/** Mean strains, energy of the deviations from them, and what of the energy of the means the damage lowers. */
let ex: f64 = 0, ey: f64 = 0, shear: f64 = 0, deviation: f64 = 0, opened: f64 = 0, closed: f64 = 0;
let sx: f64 = 0, sy: f64 = 0, sxy: f64 = 0;

function energyOf(a: f64, b: f64, c: f64): f64 {
  return 0.5 * lambda * (a + b) * (a + b) + mu * (a * a + b * b + 0.5 * c * c);
}

function strains(): void {
  ex = 0.0; ey = 0.0; shear = 0.0;
  let all = 0.0;
  for (let g = 0; g < 4; g++) {
    const a = at(alongX, g, u) / h, b = at(alongY, g, v) / h, c = (at(alongY, g, u) + at(alongX, g, v)) / h;
    ex += 0.25 * a; ey += 0.25 * b; shear += 0.25 * c;
    all += 0.25 * energyOf(a, b, c);
  }
  deviation = max(0.0, all - energyOf(ex, ey, shear));
}

/** ψ⁺ and ψ⁻ of the mean strains, and their stress with `g` on the first. */
function stresses(g: f64): void {
  const trace = ex + ey, whole = energyOf(ex, ey, shear);
  opened = whole; closed = 0.0;
  sx = g * (lambda * trace + 2.0 * mu * ex); sy = g * (lambda * trace + 2.0 * mu * ey); sxy = g * mu * shear;
  if (split == 2 && trace < 0.0) {
    const bulk = lambda + 2.0 * mu / dimensions;
    closed = 0.5 * bulk * trace * trace;
    opened = whole - closed;
    sx += (1.0 - g) * bulk * trace; sy += (1.0 - g) * bulk * trace;
  }
  if (split == 1) spectralStresses(g);
}

function spectralStresses(g: f64): void {
  const trace = ex + ey, radius = Math.hypot(0.5 * (ex - ey), 0.5 * shear), angle = 0.5 * Math.atan2(shear, ex - ey);
  const cosine = Math.cos(angle), sine = Math.sin(angle), e1 = 0.5 * trace + radius, e2 = 0.5 * trace - radius;
  const l = lambda * trace * (trace > 0.0 ? g : 1.0);
  const s1 = l + 2.0 * mu * e1 * (e1 > 0.0 ? g : 1.0), s2 = l + 2.0 * mu * e2 * (e2 > 0.0 ? g : 1.0);
  sx = s1 * cosine * cosine + s2 * sine * sine;
  sy = s1 * sine * sine + s2 * cosine * cosine;
  sxy = (s1 - s2) * sine * cosine;
  closed = (trace < 0.0 ? 0.5 * lambda * trace * trace : 0.0) + mu * ((e1 < 0.0 ? e1 * e1 : 0.0) + (e2 < 0.0 ? e2 * e2 : 0.0));
  opened = (trace > 0.0 ? 0.5 * lambda * trace * trace : 0.0) + mu * ((e1 > 0.0 ? e1 * e1 : 0.0) + (e2 > 0.0 ? e2 * e2 : 0.0));
}

/** 1 − d of a corner. */
@inline function sound(k: i32): f64 { return 1.0 - get(d, k & 3); }

function elasticCell(): void {
  let g = KAPPA;
  for (let k = 0; k < 4; k++) g += 0.25 * sound(k) * sound(k + 2);
  strains();
  stresses(g);
  elasticAnew += h * h * (g * (opened + deviation) + closed);
  for (let p = 0; p < 4; p++) {
    // The mean stress, and behind it that of what deviates from the mean, softened as a whole.
    const a = at(alongX, p, u) / h - ex, b = at(alongY, p, v) / h - ey, c = (at(alongY, p, u) + at(alongX, p, v)) / h - shear;
    const px = sx + g * (lambda * (a + b) + 2.0 * mu * a), py = sy + g * (lambda * (a + b) + 2.0 * mu * b), pxy = sxy + g * mu * c;
    for (let k = 0; k < 4; k++) {
      const x = 0.25 * h * get(alongX, 4 * p + k), y = 0.25 * h * get(alongY, 4 * p + k);
      add(fx, index(k), px * x + pxy * y);
      add(fy, index(k), py * y + pxy * x);
    }
  }
}

function damageCell(): void {
  const isAT1 = parameterF64(56) == 1.0, Gc = parameterF64(40), ell = parameterF64(48), norm = isAT1 ? 8.0 / 3.0 : 2.0;
  const drive = opened + deviation, own = Gc / (norm * ell), spread = Gc * ell / (norm * h * h);
  for (let p = 0; p < 4; p++) {
    const here = at(shapes, p, d), x = at(alongX, p, d), y = at(alongY, p, d);
    surfaceAnew += 0.25 * h * h * (own * (isAT1 ? here : here * here) + spread * (x * x + y * y));
    for (let k = 0; k < 4; k++) {
      const n = get(shapes, 4 * p + k), nx = get(alongX, 4 * p + k), ny = get(alongY, 4 * p + k);
      add(slope, index(k), 0.25 * h * h * (own * (isAT1 ? 1.0 : 2.0 * here) * n + 2.0 * spread * (x * nx + y * ny)));
      add(curve, index(k), 0.25 * h * h * ((isAT1 ? 0.0 : 2.0 * own * n * n) + 2.0 * spread * (nx * nx + ny * ny)));
    }
  }
  for (let k = 0; k < 4; k++) add(slope, index(k), -0.5 * h * h * drive * sound(k + 2));
}

// ---- a state -------------------------------------------------------------------------------------------

/** `uv`: [y][x][2]; `damage`, and `lower`, below which it must not fall: [y][x]. */
export function integrate(uv: usize, damage: usize, lower: usize): void {
  elasticAnew = 0.0; surfaceAnew = 0.0;
  for (let j = 0; j < M; j++) {
    for (let i = 0; i < N; i++) {
      for (let c = 0; c < 4; c++) {
        const node = (j + (c >= 2 ? 1 : 0)) * (N + 1) + i + (c == 1 || c == 2 ? 1 : 0);
        store<i32>(nodeOf + (<usize>c << 2), node);
        put(u, c, get(uv, 2 * node)); put(v, c, get(uv, 2 * node + 1)); put(d, c, get(damage, node));
      }
      elasticCell();
      damageCell();
    }
  }
  judgeForces();
  judgeDamage(damage, lower);
}

function judgeForces(): void {
  let held = 0.0, free = 0.0;
  reactionAnew = 0.0;
  for (let j = 0; j <= M; j++)
    for (let i = 0; i <= N; i++) {
      const k = j * (N + 1) + i, square = get(fx, k) * get(fx, k) + get(fy, k) * get(fy, k);
      if (j == 0 || j == M) held += square; else free += square;
      if (j == M) reactionAnew += get(parameterF64(80) == 1.0 ? fx : fy, k);
    }
  forceAnew = sqrt(held);
  unbalanced = sqrt(free);
}

/** Newton's step of each node by itself, where the bounds leave it. */
function judgeDamage(damage: usize, lower: usize): void {
  damageMove = 0.0;
  for (let k = 0, end = (N + 1) * (M + 1); k < end; k++) {
    const here = get(damage, k), bottom = get(lower, k);
    let move = max(bottom - here, min(1.0 - here, -get(slope, k) / get(curve, k)));
    if (here <= bottom + 1e-9) move = max(move, 0.0);
    if (here >= 1.0 - 1e-9) move = min(move, 0.0);
    if (bottom >= 1.0) move = 0.0;
    if (!(abs(move) <= damageMove)) damageMove = abs(move);
  }
}

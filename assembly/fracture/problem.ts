// What the plane runs of `fracture` read from their parameters, and where their fields stand.
//
// Parameters (f64):
//   0 cells N along x · 8 cells M along y · 16 h [m] · 24, 32 Lamé λ (of plane stress: 2λμ/(λ+2μ)), μ [Pa]
//   40 G_c [J/m²] · 48 ℓ [m] · 56 model: 1 AT1, 2 AT2 · 64 split: 0 none, 1 spectral, 2 volumetric
//   72 dimensions n of the volumetric split: 3 plane strain, 2 plane stress · 80 direction: 0 normal, 1 shear
//   88 displacement [m] after 96 load steps · 104 last load step, all jobs together · 112 tol: max|Δd|
//   120 work units allowed · 128, 136 notch: length a, mouth y [m] · 144 its angle [rad]
//   152 start: 0 undamaged, 1 arrays, 2 the result of a run · 160 load steps done in the arrays
//   168 the start: u [y][x][2], d [y][x], or a result
// Result (f64): the 34 numbers of the head, then u [y][x][2], d [y][x], d before the last load step [y][x]
// Head (f64):
//   0 load steps done · 8 displacement U · 16 reaction F [N/m] · 24 elastic energy · 32 surface energy [J/m]
//   40 that of the notch without a load · 48 work of the grips since the start · 56 largest F over the load · 64 U there
//   72 alternations · 80 most of them in one load step · 88, 96 work and gain of energy over stable steps
//   104 largest excess of energy over work · 112 largest |F U/2E − 1| · 120 unstable steps · 128 1: starts undamaged
//   136 energy of the start · 144 halvings with which the next load step begins · 152 error that the load steps leave in 56
//   160 … 200 U and F of the three parts before the last · 208 largest F of a part (peak.ts)
//
// Nodes lie on rows of `stride` f64, padded by zeros, so that pairs of cells can be read anywhere. The lower grip
// moves by −U/2 and the upper by U/2: then a mirrored problem has mirrored bits (see elastic.ts).

import { parameterF64, parameters } from "../kernel/frame";

export const HEAD: usize = 168;
export const RESULT_HEAD: usize = 272;
/** Residual stiffness of a broken cell (Miehe 2010, k). */
export const KAPPA: f64 = 1e-7;

export let N: i32 = 0, M: i32 = 0, split: i32 = 0, isAT1: bool = false, isShear: bool = false;
export let h: f64 = 0, lambda: f64 = 0, mu: f64 = 0, Gc: f64 = 0, ell: f64 = 0;
/** Bytes of a row of nodes, and of a field of M+1 rows. */
export let stride: usize = 0, fieldBytes: usize = 0;

export function readProblem(): void {
  N = <i32>parameterF64(0); M = <i32>parameterF64(8); h = parameterF64(16);
  lambda = parameterF64(24); mu = parameterF64(32); Gc = parameterF64(40); ell = parameterF64(48);
  isAT1 = parameterF64(56) == 1.0; split = <i32>parameterF64(64); isShear = parameterF64(80) == 1.0;
  stride = <usize>((N + 4) & ~1) << 3;
  fieldBytes = stride * <usize>(M + 1);
}

@inline export function nodes(): usize { return <usize>(N + 1) * <usize>(M + 1); }
@inline export function goesOn(): bool { return parameterF64(152) == 2.0; }
@inline export function startAt(): usize { return parameters() + HEAD; }
@inline export function at(field: usize, i: i32, j: i32): usize { return field + <usize>j * stride + (<usize>i << 3); }

/** Displacement after load step `n`, which may be a fraction of one. */
@inline export function loadAt(n: f64): f64 { return parameterF64(88) * n / parameterF64(96); }

/**
 * Whether node (i, j) is of the notch, a segment from the left side: broken from the start. Along a row of nodes they are a
 * line; aslant a staircase without a gap (a naive line of width |cos| + |sin|: Réveillès 1991).
 */
export function isNotched(i: i32, j: i32, cosine: f64, sine: f64): bool {
  const x = <f64>i * h, y = <f64>j * h - parameterF64(136);
  const along = x * cosine + y * sine, across = abs(y * cosine - x * sine);
  const reach = 0.5 * h * (abs(cosine) + abs(sine)) * (1.0 + 1e-9);
  return along <= parameterF64(128) * (1.0 + 1e-9) && across <= reach;
}

// ---- packed and padded ---------------------------------------------------------------------------------

/** `per` numbers a node, of which this is the `part`-th, from or to rows without padding. */
export function unpack(field: usize, from: usize, per: i32, part: i32): void {
  for (let j = 0; j <= M; j++)
    for (let i = 0; i <= N; i++)
      store<f64>(at(field, i, j), load<f64>(from + (<usize>((j * (N + 1) + i) * per + part) << 3)));
}

export function pack(to: usize, field: usize, per: i32, part: i32): void {
  for (let j = 0; j <= M; j++)
    for (let i = 0; i <= N; i++)
      store<f64>(to + (<usize>((j * (N + 1) + i) * per + part) << 3), load<f64>(at(field, i, j)));
}

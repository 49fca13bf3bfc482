// A power network as the parameters of the runs of `grid` have it, and its admittance matrix in rows.
//
// Parameters (f64): 0 n buses · 8 m branches · 16 limits of Q held 1, not 0 · 24 base [MVA] · 32 load scale
//   40 angle of the slack [deg] · 48 n buses of ten numbers · behind them m branches of seven
//   bus      type (1 PQ, 2 PV, 3 slack, 4 isolated), P_d [MW], Q_d [MVAr], G_s [MW], B_s [MVAr] at 1 pu, P_g, Q_g,
//            V_g [pu], Q_min, Q_max [MVAr] of its generators
//   branch   from, to (indices of buses), r, x, b [pu], tap ratio (0: a line), shift [deg]
//
// A branch is a π of series admittance y = 1/(r + jx) and charging jb/2 at each end, behind an ideal transformer
// τ e^(jφ) at its from end (Zimmerman, Murillo-Sánchez & Thomas, IEEE Trans. Power Syst. 26 (2011) 12; MATPOWER User's
// Manual, eq. 3.1–3.3):  Y_ff = (y + jb/2)/τ², Y_ft = −y/(τ e^(−jφ)), Y_tf = −y/(τ e^(jφ)), Y_tt = y + jb/2.

import { allocate, parameterF64 } from "../kernel/frame";

const HEAD: usize = 48;
const BUS: usize = 80;
const BRANCH: usize = 56;
const RADIANS: f64 = 0.017453292519943295;
const SLACK: i32 = 3;

let n: i32 = 0, m: i32 = 0;
let base: f64 = 0, scale: f64 = 0;
let starts: usize = 0, neighbours: usize = 0, admittances: usize = 0;

@inline export function buses(): i32 { return n; }
@inline export function branches(): i32 { return m; }
@inline export function limitsHeld(): bool { return parameterF64(16) == 1.0; }
@inline export function slackAngle(): f64 { return parameterF64(40) * RADIANS; }
@inline function bus(i: i32, offset: usize): f64 { return parameterF64(HEAD + <usize>i * BUS + offset); }
@inline function branch(l: i32, offset: usize): f64 { return parameterF64(HEAD + <usize>n * BUS + <usize>l * BRANCH + offset); }
/** Bytes of the parameters of a network. */
@inline export function networkBytes(): usize { return HEAD + <usize>n * BUS + <usize>m * BRANCH; }

@inline export function typeOf(i: i32): i32 { return <i32>bus(i, 0); }
@inline export function setPoint(i: i32): f64 { return bus(i, 56); }
/** Power into the network at a bus, pu. */
@inline export function activeAt(i: i32): f64 { return (bus(i, 40) - scale * bus(i, 8)) / base; }
@inline export function reactiveAt(i: i32): f64 { return (bus(i, 48) - scale * bus(i, 16)) / base; }
/** The least and the most reactive power into the network, pu. */
@inline export function leastReactive(i: i32): f64 { return (bus(i, 64) - scale * bus(i, 16)) / base; }
@inline export function mostReactive(i: i32): f64 { return (bus(i, 72) - scale * bus(i, 16)) / base; }

@inline export function rowStart(i: i32): i32 { return load<i32>(starts + (<usize>i << 2)); }
@inline export function neighbour(at: i32): i32 { return load<i32>(neighbours + (<usize>at << 2)); }
@inline export function conductance(at: i32): f64 { return load<f64>(admittances + (<usize>at << 4)); }
@inline export function susceptance(at: i32): f64 { return load<f64>(admittances + (<usize>at << 4), 8); }

/** Reads sizes and lays out Y: row i begins with its diagonal, then a distinct neighbour each. */
export function layNetwork(): void {
  n = <i32>parameterF64(0);
  m = <i32>parameterF64(8);
  base = parameterF64(24);
  scale = parameterF64(32);
  starts = allocate(<usize>(n + 1) << 2);
  neighbours = allocate(<usize>(n + 2 * m) << 2);
  admittances = allocate(<usize>(n + 2 * m) << 4);
  const counts = allocate(<usize>n << 2);
  for (let l = 0; l < m; l++) { raise(counts, <i32>branch(l, 0)); raise(counts, <i32>branch(l, 8)); }
  for (let i = 0; i < n; i++) {
    const first = rowStart(i);
    store<i32>(starts + (<usize>(i + 1) << 2), first + 1 + load<i32>(counts + (<usize>i << 2)));
    store<i32>(neighbours + (<usize>first << 2), i);
    store<i32>(counts + (<usize>i << 2), 1);
    add(first, bus(i, 24) / base, bus(i, 32) / base);
  }
  for (let l = 0; l < m; l++) addBranch(l, counts);
  squeeze(counts);
}

@inline function raise(counts: usize, i: i32): void {
  store<i32>(counts + (<usize>i << 2), load<i32>(counts + (<usize>i << 2)) + 1);
}

function add(at: i32, g: f64, b: f64): void {
  const to = admittances + (<usize>at << 4);
  store<f64>(to, load<f64>(to) + g);
  store<f64>(to, load<f64>(to, 8) + b, 8);
}

/** The place of (i, k), which is opened where there is none. `used`: entries of each row so far. */
function place(i: i32, k: i32, used: usize): i32 {
  const first = rowStart(i), count = load<i32>(used + (<usize>i << 2));
  for (let at = first; at < first + count; at++) if (neighbour(at) == k) return at;
  store<i32>(neighbours + (<usize>(first + count) << 2), k);
  raise(used, i);
  return first + count;
}

function addBranch(l: i32, used: usize): void {
  const f = <i32>branch(l, 0), t = <i32>branch(l, 8), r = branch(l, 16), x = branch(l, 24), half = 0.5 * branch(l, 32);
  const z2 = r * r + x * x, g = r / z2, b = -x / z2, ratio = branch(l, 40), tau = ratio == 0.0 ? 1.0 : ratio;
  const shift = branch(l, 48) * RADIANS, c = Math.cos(shift) / tau, s = Math.sin(shift) / tau;
  add(rowStart(f), g / (tau * tau), (b + half) / (tau * tau));
  add(rowStart(t), g, b + half);
  add(place(f, t, used), -(g * c - b * s), -(g * s + b * c));
  add(place(t, f, used), -(g * c + b * s), -(b * c - g * s));
}

/** Parallel branches share an entry: rows close up. */
function squeeze(used: usize): void {
  let to = 0;
  for (let i = 0; i < n; i++) {
    const first = rowStart(i), count = load<i32>(used + (<usize>i << 2));
    store<i32>(starts + (<usize>i << 2), to);
    for (let k = 0; k < count; k++, to++) {
      store<i32>(neighbours + (<usize>to << 2), neighbour(first + k));
      memory.copy(admittances + (<usize>to << 4), admittances + (<usize>(first + k) << 4), 16);
    }
  }
  store<i32>(starts + (<usize>n << 2), to);
}

/**
 * Angles without any load, from the slack along the branches: a transformer of a vector group turns all behind it, by 180°
 * too, and Newton's method from the slack's angle everywhere ends on the wrong side of it. They go to the first of the
 * two unknowns of each bus; the others are to be 0.
 */
export function layStartAngles(unknowns: usize): void {
  const heads = allocate(<usize>n << 2), next = allocate(<usize>m << 3), queue = allocate(<usize>n << 2);
  const reached = allocate(<usize>n);
  for (let end = 2 * m - 1; end >= 0; end--) {
    const head = heads + (<usize>busAt(end) << 2);
    store<i32>(next + (<usize>end << 2), load<i32>(head));
    store<i32>(head, end + 1);
  }
  let last = 0;
  for (let i = 0; i < n; i++) if (typeOf(i) == SLACK) last = reach(i, slackAngle(), unknowns, queue, last, reached);
  for (let first = 0; first < last; first++) {
    const i = load<i32>(queue + (<usize>first << 2)), angle = load<f64>(unknowns + (<usize>i << 4));
    for (let end = load<i32>(heads + (<usize>i << 2)) - 1; end >= 0; end = load<i32>(next + (<usize>end << 2)) - 1) {
      const other = busAt(end ^ 1), shift = branch(end >> 1, 48) * RADIANS;
      if (load<u8>(reached + <usize>other) == 0) last = reach(other, (end & 1) == 0 ? angle - shift : angle + shift, unknowns, queue, last, reached);
    }
  }
}

/** End 2l is that of branch l at `from`, end 2l + 1 that at `to`. */
@inline function busAt(end: i32): i32 { return <i32>branch(end >> 1, <usize>(end & 1) << 3); }

function reach(i: i32, angle: f64, unknowns: usize, queue: usize, last: i32, reached: usize): i32 {
  store<f64>(unknowns + (<usize>i << 4), angle);
  store<u8>(reached + <usize>i, 1);
  store<i32>(queue + (<usize>last << 2), i);
  return last + 1;
}

/** Rounding of a bus's power where it is largest: |V| is near 1, so that it is some 2⁻⁵³ Σ|Y_ik|. */
export function roundingOfPower(): f64 {
  let most = 0.0;
  for (let i = 0; i < n; i++) {
    let sum = 0.0;
    for (let at = rowStart(i); at < rowStart(i + 1); at++) sum += abs(conductance(at)) + abs(susceptance(at));
    most = max(most, sum);
  }
  return most * 8.9e-16;
}

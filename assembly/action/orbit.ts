// Exact motion in one dimension by quadrature, for the verdict of `action`; nothing here knows a step.
//
// Between its turning points q = qc + r sin φ, or sin(q/2) = k sin φ in a pendulum, and E − V is a square times a
// polynomial that has no zero on the orbit, so dt/dφ is smooth (Landau & Lifshitz, Mechanics, §11):
//
//   quartic      q = A sin φ,          dt/dφ = 1/√(λA²(1 + sin²φ)/2m),         A⁴ = 4E/λ
//   double well  q = A sin φ,          dt/dφ = 1/√(b(B² + A² sin²φ)/2m),       above the barrier
//                q = ±(qc + r sin φ),  dt/dφ = 1/√(b(q₊ + |q|)(q₋ + |q|)/2m),  in one of the wells
//   pendulum     sin(q/2) = κ sin φ,   dt/dφ = 1/(ω √(κ′² + κ² cos²φ)),        κ² = E/2mgL, κ′² = 1 − κ²
//                q = 2φ,               dt/dφ = 1/(ω √(κ² − sin²φ)),            where it turns over
//
// Time and W = ∫ p dq are tables over φ, in panels of eight Gauss–Legendre nodes that shrink by halves towards every
// quarter turn: near a separatrix the integrand has a peak there, whatever its width.

import { allocate } from "../kernel/frame";

const PENDULUM: i32 = 1, QUARTIC: i32 = 2;
const HALF_PI: f64 = 1.5707963267948966, TURN: f64 = 6.283185307179586;
/** Halvings from the middle of a quarter to its end; panels in a quarter. */
const GRADES: i32 = 36;
const PANELS: i32 = 2 * (GRADES + 1);

let system: i32 = 0, mass: f64 = 1, first: f64 = 0, second: f64 = 0;
let rotates: bool = false, side: f64 = 1, centre: f64 = 0, reach: f64 = 0;
let low: f64 = 0, high: f64 = 0, omega: f64 = 0, square: f64 = 0, rest: f64 = 0;
let origin: f64 = 0, winding: f64 = 0;
let panels: i32 = 0, edges: usize = 0, times: usize = 0, actions: usize = 0;

export let period: f64 = 0;
/** ∮ p dq. */
export let actionOfTurn: f64 = 0;
export let position: f64 = 0;
export let momentum: f64 = 0;
/** ∫ p dq since the start. */
export let passed: f64 = 0;
let firstTime: f64 = 0, firstAction: f64 = 0;

/** The room of the tables: once, before anything else. */
export function layOutOrbit(): void {
  edges = allocate(<usize>(4 * PANELS + 1) << 3);
  times = allocate(<usize>(4 * PANELS + 1) << 3);
  actions = allocate(<usize>(4 * PANELS + 1) << 3);
}

/** The orbit through (q, p), which must not be an equilibrium. */
export function layOrbit(code: i32, m: f64, a: f64, b: f64, q: f64, p: f64): void {
  system = code; mass = m; first = a; second = b;
  side = 1.0; centre = 0.0; rotates = false; origin = 0.0; winding = 0.0;
  const angle = code == PENDULUM ? pendulumAngle(q, p) : code == QUARTIC ? quarticAngle(q, p) : wellAngle(q, p);
  layTable();
  const span = rotates ? 0.5 * TURN : TURN, within = angle - floor(angle / span) * span;
  find(within);
  period = at(times, panels);
  actionOfTurn = at(actions, panels);
  firstTime = foundTime;
  firstAction = foundAction;
  winding = rotates ? floor(angle / span) : 0.0;
}

@inline function at(table: usize, i: i32): f64 { return load<f64>(table + (<usize>i << 3)); }
@inline function put(table: usize, i: i32, value: f64): void { store<f64>(table + (<usize>i << 3), value); }

// ---- where on the orbit --------------------------------------------------------------------------------

/** `first` g, `second` L. */
function pendulumAngle(q: f64, p: f64): f64 {
  omega = sqrt(first / second);
  const full = mass * second * second * omega, s = NativeMath.sin(0.5 * q), c = NativeMath.cos(0.5 * q);
  const speed = 0.5 * p / full;
  square = s * s + speed * speed;
  rest = c * c - speed * speed;
  rotates = rest < 0.0;
  if (rotates) {
    side = p < 0.0 ? -1.0 : 1.0;
    return 0.5 * side * q;
  }
  origin = TURN * floor(q / TURN + 0.5);
  const sine = NativeMath.sin(0.5 * (q - origin));
  return NativeMath.atan2(sine, speed);
}

function quarticAngle(q: f64, p: f64): f64 {
  const energy = 0.5 * p * p / mass + 0.25 * first * q * q * q * q;
  reach = sqrt(sqrt(4.0 * energy / first));
  return NativeMath.atan2(q / reach, p / (mass * reach * rate(q)));
}

/** D² = a² + 4bE without cancellation at the bottom of a well; q² = (a ± D)/b at the turning points. */
function wellAngle(q: f64, p: f64): f64 {
  const energy = 0.5 * p * p / mass + q * q * (0.25 * second * q * q - 0.5 * first);
  const slope = first - second * q * q, D = sqrt(2.0 * second * p * p / mass + slope * slope);
  const outer = sqrt((first + D) / second), inner = -4.0 * energy / (first + D);
  low = 0.0;
  if (inner <= 0.0) { // over the barrier, q₋² = −B²
    reach = outer;
    high = -inner;
    return NativeMath.atan2(q / reach, p / (mass * reach * rate(q)));
  }
  side = q < 0.0 ? -1.0 : 1.0;
  low = sqrt(inner);
  high = outer;
  centre = 0.5 * (low + high);
  reach = D / (second * (low + high)); // half of q₊ − q₋ = 2D/b / (q₊ + q₋)
  return NativeMath.atan2((side * q - centre) / reach, side * p / (mass * reach * rate(q)));
}

/** dφ/dt, by what q is. */
@inline function rate(q: f64): f64 {
  if (system == QUARTIC) return sqrt(0.5 * first / mass * (reach * reach + q * q));
  if (low == 0.0) return sqrt(0.5 * second / mass * (high + q * q));
  return sqrt(0.5 * second / mass * (high + abs(q)) * (low + abs(q)));
}

/** Sets position and momentum for φ; returns dφ/dt. */
function place(angle: f64): f64 {
  const s = NativeMath.sin(angle), c = NativeMath.cos(angle);
  if (system == PENDULUM) {
    const full = mass * second * second * omega;
    if (rotates) {
      const swing = sqrt(c * c - rest); // κ² − sin²φ
      position = side * 2.0 * (angle + winding * 0.5 * TURN);
      momentum = side * 2.0 * full * swing;
      return omega * swing;
    }
    position = origin + 2.0 * NativeMath.atan2(sqrt(square) * s, sqrt(rest + square * c * c));
    momentum = 2.0 * full * sqrt(square) * c;
    return omega * sqrt(rest + square * c * c);
  }
  position = side * (centre + reach * s);
  const turning = rate(position);
  momentum = side * mass * reach * c * turning;
  return turning;
}

// ---- tables --------------------------------------------------------------------------------------------

let gainTime: f64 = 0, gainAction: f64 = 0;

@inline function node(angle: f64, weight: f64): void {
  const turning = place(angle);
  const inertia = system == PENDULUM ? mass * second * second : mass;
  gainTime += weight / turning;
  gainAction += weight * momentum * momentum / (inertia * turning);
}

/** Time and ∫ p dq from φ to φ + width. */
function panel(angle: f64, width: f64): void {
  const half = 0.5 * width, middle = angle + half;
  gainTime = 0.0; gainAction = 0.0;
  for (let sign = -1.0; sign <= 1.0; sign += 2.0) {
    node(middle + sign * 0.1834346424956498 * half, 0.3626837833783620 * half);
    node(middle + sign * 0.5255324099163290 * half, 0.3137066458778873 * half);
    node(middle + sign * 0.7966664774136267 * half, 0.2223810344533745 * half);
    node(middle + sign * 0.9602898564975363 * half, 0.1012285362903763 * half);
  }
}

function layTable(): void {
  panels = (rotates ? 2 : 4) * PANELS;
  for (let i = 0; i <= panels; i++) {
    const quarter = i / PANELS, j = i % PANELS, nearer = j <= GRADES + 1 ? j : PANELS - j;
    let depth = nearer == 0 ? 0.0 : 0.5 * HALF_PI;
    for (let g = nearer; g > 0 && g <= GRADES; g++) depth *= 0.5;
    put(edges, i, HALF_PI * <f64>quarter + (j <= GRADES + 1 ? depth : HALF_PI - depth));
  }
  put(times, 0, 0.0);
  put(actions, 0, 0.0);
  for (let i = 0; i < panels; i++) {
    panel(at(edges, i), at(edges, i + 1) - at(edges, i));
    put(times, i + 1, at(times, i) + gainTime);
    put(actions, i + 1, at(actions, i) + gainAction);
  }
}

let foundTime: f64 = 0, foundAction: f64 = 0;

@inline function panelOf(table: usize, value: f64): i32 {
  let from = 0, to = panels;
  while (to - from > 1) {
    const half = (from + to) >> 1;
    if (at(table, half) <= value) from = half; else to = half;
  }
  return from;
}

/** Time and action at φ. */
function find(angle: f64): void {
  const i = panelOf(edges, angle);
  panel(at(edges, i), angle - at(edges, i));
  foundTime = at(times, i) + gainTime;
  foundAction = at(actions, i) + gainAction;
}

/** Position, momentum and ∫ p dq at time t since the start. */
export function orbitAt(t: f64): void {
  const total = firstTime + t, turns = floor(total / period), left = total - turns * period;
  const i = panelOf(times, left), from = at(edges, i), width = at(edges, i + 1) - from;
  let angle = from + width * (left - at(times, i)) / (at(times, i + 1) - at(times, i));
  for (let round = 0; round < 4; round++) {
    panel(from, angle - from);
    const step = (left - at(times, i) - gainTime) * place(angle);
    angle += step;
    if (abs(step) <= 1e-15 * width) break;
  }
  panel(from, angle - from);
  passed = turns * actionOfTurn + at(actions, i) + gainAction - firstAction;
  place(angle);
  if (rotates) position += side * TURN * turns;
}

// Gauss–Radau of order 15 for w'' = f(w) (Everhart, Celest. Mech. 10 (1974) 35; Rein & Spiegel, MNRAS 446 (2015) 1424):
// f along a step is a polynomial through eight nodes in Newton's form, f = Σ gₖ Π (τ − τⱼ), whose coefficients are
// found by repeating prediction and correction until nothing changes.

const NODES = memory.data<f64>([
  0.0, 0.0562625605369221465, 0.1802406917368923650, 0.3526247171131696374, 0.5471536263305553830, 0.7342101772154105320,
  0.8853209468390957681, 0.9775206135612875019,
], 16);
/** Values of f, differences g, coefficients of the powers of τ: eight each. */
const VALUES: usize = memory.data(64, 16);
const NEWTON: usize = memory.data(64, 16);
const POWERS: usize = memory.data(64, 16);
const MOST: i32 = 40;

@inline function at(table: usize, i: i32): f64 { return load<f64>(table + (<usize>i << 3)); }
@inline function put(table: usize, i: i32, value: f64): void { store<f64>(table + (<usize>i << 3), value); }

/** w'' of w: light where `pull` is 0, matter where it is (GM/ch)² [with lengths in GM/c²]. */
@inline function force(w: f64, pull: f64): f64 { return pull - w + 3.0 * w * w; }

/** Divided differences, then powers of τ by Horner's scheme on polynomials. */
function fit(): void {
  for (let i = 0; i < 8; i++) put(NEWTON, i, at(VALUES, i));
  for (let k = 1; k < 8; k++) {
    for (let i = 7; i >= k; i--) put(NEWTON, i, (at(NEWTON, i) - at(NEWTON, i - 1)) / (at(NODES, i) - at(NODES, i - k)));
  }
  memory.fill(POWERS, 0, 64);
  for (let k = 7; k >= 0; k--) {
    for (let i = 7; i > 0; i--) put(POWERS, i, at(POWERS, i - 1) - at(NODES, k) * at(POWERS, i));
    put(POWERS, 0, at(NEWTON, k) - at(NODES, k) * at(POWERS, 0));
  }
}

/** ∫∫ f over [0, τ], in units of the step. */
function position(tau: f64): f64 {
  let sum = 0.0;
  for (let k = 7; k >= 0; k--) sum = sum * tau + at(POWERS, k) / <f64>((k + 1) * (k + 2));
  return sum * tau * tau;
}

/** One step of length h from w, w' at `state`. */
export function radauStep(state: usize, h: f64, pull: f64): void {
  const w = load<f64>(state), v = load<f64>(state, 8);
  for (let i = 0; i < 8; i++) put(VALUES, i, force(w, pull));
  let before = Infinity;
  for (let n = 0; n < MOST; n++) {
    fit();
    let change = 0.0;
    for (let i = 1; i < 8; i++) {
      const tau = at(NODES, i), fresh = force(w + h * tau * v + h * h * position(tau), pull);
      change = max(change, abs(fresh - at(VALUES, i)));
      put(VALUES, i, fresh);
    }
    if (change == 0.0 || n > 6 && change >= before) break;
    before = change;
  }
  fit();
  let speed = 0.0;
  for (let k = 7; k >= 0; k--) speed += at(POWERS, k) / <f64>(k + 1);
  store<f64>(state, w + h * v + h * h * position(1.0));
  store<f64>(state, v + h * speed, 8);
}

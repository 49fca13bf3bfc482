// Quantum gates on 2^n amplitudes, re and im interleaved; qubit k is bit k of an index (Nielsen & Chuang, Quantum
// Computation and Quantum Information, §4.2, §4.3).
//
// A gate in the parameters, five f64: 0 kind · 8 target · 16 second target (swap), else −1 · 24 mask of the controls
//   32 angle [rad]
// Kinds: 0 h · 1 x · 2 y · 3 z · 4 s · 5 sdg · 6 t · 7 tdg · 8 rx · 9 ry · 10 rz · 11 p · 12 swap

export const GATE: usize = 40;
const ROOT: f64 = 0.7071067811865476;

let a = f64x2.splat(0), b = f64x2.splat(0), c = f64x2.splat(0), d = f64x2.splat(0);
/** Imaginary parts with the signs of i (re, im) = (−im, re). */
let ai = f64x2.splat(0), bi = f64x2.splat(0), ci = f64x2.splat(0), di = f64x2.splat(0);

function matrix(ar: f64, am: f64, br: f64, bm: f64, cr: f64, cm: f64, dr: f64, dm: f64): void {
  a = f64x2.splat(ar); ai = f64x2(-am, am);
  b = f64x2.splat(br); bi = f64x2(-bm, bm);
  c = f64x2.splat(cr); ci = f64x2(-cm, cm);
  d = f64x2.splat(dr); di = f64x2(-dm, dm);
}

function phase(angle: f64): void { matrix(1, 0, 0, 0, 0, 0, Math.cos(angle), Math.sin(angle)); }

/** The 2 × 2 matrix of a kind. */
function choose(kind: i32, angle: f64): void {
  const cosine = Math.cos(0.5 * angle), sine = Math.sin(0.5 * angle);
  switch (kind) {
    case 0: matrix(ROOT, 0, ROOT, 0, ROOT, 0, -ROOT, 0); break;
    case 1: matrix(0, 0, 1, 0, 1, 0, 0, 0); break;
    case 2: matrix(0, 0, 0, -1, 0, 1, 0, 0); break;
    case 3: matrix(1, 0, 0, 0, 0, 0, -1, 0); break;
    case 4: matrix(1, 0, 0, 0, 0, 0, 0, 1); break;
    case 5: matrix(1, 0, 0, 0, 0, 0, 0, -1); break;
    case 6: matrix(1, 0, 0, 0, 0, 0, ROOT, ROOT); break;
    case 7: matrix(1, 0, 0, 0, 0, 0, ROOT, -ROOT); break;
    case 8: matrix(cosine, 0, 0, -sine, 0, -sine, cosine, 0); break;
    case 9: matrix(cosine, 0, -sine, 0, sine, 0, cosine, 0); break;
    case 10: matrix(cosine, -sine, 0, 0, 0, 0, cosine, sine); break;
    default: phase(angle);
  }
}

@inline function times(real: v128, imaginary: v128, z: v128): v128 {
  return f64x2.add(f64x2.mul(real, z), f64x2.mul(imaginary, i64x2.shuffle(z, z, 1, 2)));
}

/** Applies the gate at `gate` to the 2^n amplitudes at `state`. */
export function applyGate(gate: usize, state: usize, n: i32): void {
  const kind = <i32>load<f64>(gate), target = <i32>load<f64>(gate, 8), controls = <i32>load<f64>(gate, 24);
  if (kind == 12) { swap(target, <i32>load<f64>(gate, 16), controls, state, n); return; }
  choose(kind, load<f64>(gate, 32));
  const bit = 1 << target, size = 1 << n, stride = <usize>bit << 4;
  for (let high = 0; high < size; high += bit << 1) {
    for (let i = high; i < high + bit; i++) if ((i & controls) == controls) pair(state + (<usize>i << 4), stride);
  }
}

@inline function pair(at: usize, stride: usize): void {
  const low = v128.load(at), high = v128.load(at + stride);
  v128.store(at, f64x2.add(times(a, ai, low), times(b, bi, high)));
  v128.store(at + stride, f64x2.add(times(c, ci, low), times(d, di, high)));
}

function swap(first: i32, second: i32, controls: i32, state: usize, n: i32): void {
  const one = 1 << first, other = 1 << second;
  for (let i = 0; i < 1 << n; i++) {
    if (!(i & one) || i & other || (i & controls) != controls) continue;
    const p = state + (<usize>i << 4), q = state + (<usize>(i ^ one ^ other) << 4), z = v128.load(p);
    v128.store(p, v128.load(q));
    v128.store(q, z);
  }
}

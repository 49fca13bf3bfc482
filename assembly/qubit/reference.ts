// A circuit once more, by other means than assembly/qubit/gates.ts: every gate is a rotation about an axis of Bloch's
// sphere times a phase (Nielsen & Chuang, theorem 4.1 and exercise 4.8), applied out of place; each new amplitude
// gathers its two old ones. A swap relabels indices.
//
//   U = e^{iα} (cos(θ/2) − i sin(θ/2) (n_x X + n_y Y + n_z Z))

const HALF_PI: f64 = 1.5707963267948966;
const PI: f64 = 3.141592653589793;

let cosine: f64 = 1, sine: f64 = 0, turn: f64 = 1, lift: f64 = 0, nx: f64 = 0, ny: f64 = 0, nz: f64 = 0;

function rotation(phase: f64, angle: f64, x: f64, y: f64, z: f64): void {
  cosine = Math.cos(0.5 * angle); sine = Math.sin(0.5 * angle);
  turn = Math.cos(phase); lift = Math.sin(phase);
  nx = x; ny = y; nz = z;
}

function choose(kind: i32, angle: f64): void {
  if (kind == 0) rotation(HALF_PI, PI, sqrt(0.5), 0, sqrt(0.5));
  else if (kind <= 3) rotation(HALF_PI, PI, kind == 1 ? 1 : 0, kind == 2 ? 1 : 0, kind == 3 ? 1 : 0);
  else if (kind >= 8 && kind <= 10) rotation(0, angle, kind == 8 ? 1 : 0, kind == 9 ? 1 : 0, kind == 10 ? 1 : 0);
  else {
    const quarter = kind == 4 ? 1.0 : kind == 5 ? -1.0 : kind == 6 ? 0.5 : -0.5;
    const phase = kind == 11 ? angle : quarter * HALF_PI;
    rotation(0.5 * phase, phase, 0, 0, 1);
  }
}

/** `to` = gate · `from`; both hold 2^n amplitudes. */
export function gather(gate: usize, from: usize, to: usize, n: i32): void {
  const kind = <i32>load<f64>(gate), target = 1 << <i32>load<f64>(gate, 8), controls = <i32>load<f64>(gate, 24);
  const other = kind == 12 ? 1 << <i32>load<f64>(gate, 16) : 0;
  choose(kind, load<f64>(gate, 32));
  for (let i = 0; i < 1 << n; i++) {
    const at = <usize>i << 4;
    if ((i & controls) != controls) memory.copy(to + at, from + at, 16);
    else if (kind == 12) memory.copy(to + at, from + (<usize>relabelled(i, target, other) << 4), 16);
    else rotate(i, target, from, to + at);
  }
}

function relabelled(i: i32, first: i32, second: i32): i32 {
  const differ = ((i & first) != 0) != ((i & second) != 0);
  return differ ? i ^ first ^ second : i;
}

/** cos ψ_i − i sin (n·σ ψ)_i: Z keeps the sign of the bit, X and Y bring the other amplitude, Y with ∓i. */
function rotate(i: i32, target: i32, from: usize, to: usize): void {
  const sign = i & target ? -1.0 : 1.0, own = from + (<usize>i << 4), far = from + (<usize>(i ^ target) << 4);
  const re = load<f64>(own), im = load<f64>(own, 8), fr = load<f64>(far), fi = load<f64>(far, 8);
  const vr = sign * nz * re + nx * fr + sign * ny * fi, vi = sign * nz * im + nx * fi - sign * ny * fr;
  const real = cosine * re + sine * vi, imaginary = cosine * im - sine * vr;
  store<f64>(to, turn * real - lift * imaginary);
  store<f64>(to, turn * imaginary + lift * real, 8);
}

// What an isolated system conserves, and how far a run has drifted from it. Part of the state, f64 by index:
//
//    0  E₀      1  scale of the drift, max(|E₀|, 0.1 (K₀ + |U₀|))      2  max_t |E − E₀|, over every step
//    3  P₀ x y z      6  L₀ x y z (about the origin)
//    9  Σ m|v| and 10 Σ m|x||v| at the start
//   11  max |P − P₀| / Σ m|v|      12  max |L − L₀| / Σ m|x||v|, over the rows kept; sums now or at the start,
//       whichever are larger
//   13  E      14  K      15  U      at the last step

import { isFiniteF64 } from "../kernel/frame";
import { count, massesAt, positionsAt, stride, velocitiesAt } from "./bodies";

/** f64 in the state. */
export const CONSERVED: usize = 16;
let at: usize = 0;
export function layConserved(where: usize): void { at = where; }
export function conservedAt(): usize { return at; }

/** Σ ½ m v², compensated (two-sum), even and odd bodies in two lanes. */
export function kineticEnergy(): f64 {
  const s = stride;
  let sum = f64x2.splat(0.0), error = f64x2.splat(0.0);
  for (let p: usize = 0; p < s; p += 16) {
    const vx = v128.load(velocitiesAt + p), vy = v128.load(velocitiesAt + p + s), vz = v128.load(velocitiesAt + p + 2 * s);
    const v2 = f64x2.add(f64x2.add(f64x2.mul(vx, vx), f64x2.mul(vy, vy)), f64x2.mul(vz, vz));
    const term = f64x2.mul(v128.load(massesAt + p), v2);
    const total = f64x2.add(sum, term);
    const kept = f64x2.sub(total, sum);
    error = f64x2.add(error, f64x2.add(f64x2.sub(sum, f64x2.sub(total, kept)), f64x2.sub(term, kept)));
    sum = total;
  }
  const even = f64x2.extract_lane(sum, 0), odd = f64x2.extract_lane(sum, 1);
  const total = even + odd;
  const kept = total - even;
  const lost = (even - (total - kept)) + (odd - kept);
  return 0.5 * (total + (lost + f64x2.extract_lane(error, 0) + f64x2.extract_lane(error, 1)));
}

/** The start of a new run: everything is measured from here. */
export function measureStart(potential: f64): void {
  const kinetic = kineticEnergy();
  const energy = kinetic + potential;
  store<f64>(at, energy);
  store<f64>(at, max(abs(energy), 0.1 * (kinetic + abs(potential))), 8);
  keepEnergies(energy, kinetic, potential);
  momentumSums(at + 24, at + 48);
  store<f64>(at, sumP, 72);
  store<f64>(at, sumL, 80);
}

function keepEnergies(energy: f64, kinetic: f64, potential: f64): void {
  store<f64>(at, energy, 104);
  store<f64>(at, kinetic, 112);
  store<f64>(at, potential, 120);
}

/** Energy at a step's end. A drift that is not finite is kept for good: no gate lets it pass. */
export function recordEnergy(potential: f64): void {
  const kinetic = kineticEnergy();
  const energy = kinetic + potential;
  const drift = abs(energy - load<f64>(at));
  const worst = load<f64>(at, 16);
  if (!(drift <= worst) && isFiniteF64(worst)) store<f64>(at, drift, 16);
  keepEnergies(energy, kinetic, potential);
}

/** (E − E₀) / scale now. */
export function energyDrift(): f64 { return over(load<f64>(at, 104) - load<f64>(at), load<f64>(at, 8)); }
/** max_t |E − E₀| / scale. */
export function energyDriftMax(): f64 { return over(load<f64>(at, 16), load<f64>(at, 8)); }
@inline function over(difference: f64, scale: f64): f64 { return difference == 0 ? 0 : difference / scale; }

const momentum = memory.data(24, 16);
const angular = memory.data(24, 16);

/** Momentum and angular momentum at a row. */
export function recordMomenta(): void {
  momentumSums(momentum, angular);
  const p = over(distance(momentum, at + 24), max(sumP, load<f64>(at, 72)));
  const l = over(distance(angular, at + 48), max(sumL, load<f64>(at, 80)));
  if (!(p <= load<f64>(at, 88))) store<f64>(at, p, 88);
  if (!(l <= load<f64>(at, 96))) store<f64>(at, l, 96);
}

let sumP: f64 = 0;
let sumL: f64 = 0;

function momentumSums(p: usize, l: usize): void {
  let px: f64 = 0, py: f64 = 0, pz: f64 = 0, lx: f64 = 0, ly: f64 = 0, lz: f64 = 0;
  sumP = 0; sumL = 0;
  for (let i: usize = 0; i < <usize>count << 3; i += 8) {
    const m = load<f64>(massesAt + i);
    const q = positionsAt + i, u = velocitiesAt + i;
    const x = load<f64>(q), y = load<f64>(q + stride), z = load<f64>(q + 2 * stride);
    const vx = load<f64>(u), vy = load<f64>(u + stride), vz = load<f64>(u + 2 * stride);
    px += m * vx; py += m * vy; pz += m * vz;
    lx += m * (y * vz - z * vy); ly += m * (z * vx - x * vz); lz += m * (x * vy - y * vx);
    const speed = sqrt(vx * vx + vy * vy + vz * vz);
    sumP += m * speed;
    sumL += m * speed * sqrt(x * x + y * y + z * z);
  }
  store<f64>(p, px); store<f64>(p, py, 8); store<f64>(p, pz, 16);
  store<f64>(l, lx); store<f64>(l, ly, 8); store<f64>(l, lz, 16);
}

function distance(a: usize, b: usize): f64 {
  const x = load<f64>(a) - load<f64>(b), y = load<f64>(a, 8) - load<f64>(b, 8), z = load<f64>(a, 16) - load<f64>(b, 16);
  return sqrt(x * x + y * y + z * z);
}

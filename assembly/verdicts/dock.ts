// Verdict of `dock`: the lower of the two halves' best poses, its energy once more pair by pair, from the pose alone.
//
// A search cannot prove a minimum, so a problem whose minimum is known is searched with the same budget: of the
// thirteen-atom icosahedron, the lowest there is, ten atoms are held and three placed again. Since
// E_A + E_B + E_AB(pose) ≥ E_total, the lowest E_AB is E_total − E_A − E_B (both parts rigid).
//
// Parameters (f64): 0 … 80 those of a run · 88 entries K of a half · 96 reach [Å] · 104 –
//   112 n + m atoms of six · entries of both halves and of the planted problem, 72 K bytes each · 40 bytes of both halves:
//   the lowest energy at a side of the box; energy and centre of the minimum outside that led there · coordinates of the
//   planted thirteen, the three to place last
// Extras (f64): 0 E · 1 centre, quaternion (7) · 8 best of either half (2) · 10 best planted · 11 distinct poses
//   12 16 of E, centre, quaternion · 140 2K energies of poses in the box, rising (the last one repeated to the end)
//   · m of x, y, z of the placed ligand · diagnostics of the energies (40)
//
// Gates: 0 energy · 1 halves · 2 gradient · 3 planted · 4 no lower neighbour (vina, where a term has a corner)

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { BOUND, closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ENTRY: usize = 72, SIDE: usize = 40;
const TOP: i32 = 16;
const SCALARS: i32 = 12;
const NOWHERE: f64 = 1e299;
/** Of thirteen atoms (Hoare & Pal, Adv. Phys. 20 (1971) 161; Cambridge Cluster Database). */
const LOWEST: f64 = -44.326801;

let n: i32 = 0, m: i32 = 0, kept: i32 = 0, order: usize = 0, scratch: usize = 0, posed: usize = 0, slopes: usize = 0;
let trial: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  n = <i32>parameterF64(8);
  m = <i32>parameterF64(16);
  kept = <i32>parameterF64(88);
  order = allocate(<usize>(2 * kept) << 2);
  posed = allocate(<usize>(6 * m) << 3);
  slopes = allocate(<usize>(3 * m) << 3);
  trial = allocate(64);
  scratch = allocate(<usize>diagnosticsScratch(2 * kept) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1500000 + 80 * <u64>n * <u64>m * energies);
  countStep();
  return 1;
}

// ---- what the runs gave --------------------------------------------------------------------------------

@inline function item(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function atomAt(i: i32): usize { return parameters() + 112 + <usize>i * 48; }
@inline function entryAt(i: i32): usize { return atomAt(n + m) + <usize>i * ENTRY; }
@inline function sideAt(half: i32): usize { return entryAt(3 * kept) + <usize>half * SIDE; }
@inline function ranked(i: i32): i32 { return load<i32>(order + (<usize>i << 2)); }

/** Lowest energy of the entries from … to; of equal ones the first. */
function bestOf(from: i32, to: i32): i32 {
  let best = from;
  for (let i = from; i < to; i++) if (item(entryAt(i), 0) < item(entryAt(best), 0)) best = i;
  return best;
}

/** Entries in the box by rising energy; their number. */
function rank(): i32 {
  let count = 0;
  for (let i = 0; i < 2 * kept; i++) {
    const energy = item(entryAt(i), 0);
    if (!(energy < NOWHERE)) continue;
    let j = count++;
    for (; j > 0 && energy < item(entryAt(ranked(j - 1)), 0); j--)
      store<i32>(order + (<usize>j << 2), ranked(j - 1));
    store<i32>(order + (<usize>j << 2), i);
  }
  return count;
}

// ---- energy from the pose ------------------------------------------------------------------------------

/** The ligand's atoms where centre and quaternion put them, by v + 2w(u×v) + 2u×(u×v). */
function pose(at: usize): void {
  let cx = 0.0, cy = 0.0, cz = 0.0;
  for (let i = 0; i < m; i++) { cx += item(atomAt(n + i), 0); cy += item(atomAt(n + i), 1); cz += item(atomAt(n + i), 2); }
  cx /= <f64>m; cy /= <f64>m; cz /= <f64>m;
  const w = item(at, 3), a = item(at, 4), b = item(at, 5), c = item(at, 6);
  for (let i = 0; i < m; i++) {
    const atom = atomAt(n + i), x = item(atom, 0) - cx, y = item(atom, 1) - cy, z = item(atom, 2) - cz;
    const tx = 2.0 * (b * z - c * y), ty = 2.0 * (c * x - a * z), tz = 2.0 * (a * y - b * x), to = posed + <usize>i * 48;
    store<f64>(to, item(at, 0) + x + w * tx + b * tz - c * ty);
    store<f64>(to, item(at, 1) + y + w * ty + c * tx - a * tz, 8);
    store<f64>(to, item(at, 2) + z + w * tz + a * ty - b * tx, 16);
  }
}

let slopeOfPair: f64 = 0, energies: u64 = 0;

/** Lennard-Jones and Coulomb; its derivative to slopeOfPair. */
function lennardJones(first: usize, second: usize, r: f64): f64 {
  const geometric = parameterF64(24) != 0.0, s = item(first, 3), t = item(second, 3);
  const sigma = geometric ? sqrt(s * t) : 0.5 * (s + t), depth = sqrt(item(first, 4) * item(second, 4));
  const six = NativeMath.pow(sigma / r, 6.0), charge = parameterF64(32) * item(first, 5) * item(second, 5) / r;
  slopeOfPair = (-24.0 * depth * six * (2.0 * six - 1.0) - charge) / r;
  return 4.0 * depth * (six * six - six) + charge;
}

/** Vina's five terms with their weights [kcal/mol → kJ/mol]. */
function vina(first: usize, second: usize, r: f64): f64 {
  slopeOfPair = 0.0;
  if (r >= 8.0) return 0.0;
  const d = r - item(first, 3) - item(second, 3), s = <i32>item(first, 4), t = <i32>item(second, 4);
  const g1 = NativeMath.exp(-NativeMath.pow(d / 0.5, 2.0)), g2 = NativeMath.exp(-NativeMath.pow((d - 3.0) / 2.0, 2.0));
  let e = -0.035579 * g1 - 0.005156 * g2, slope = 0.035579 * g1 * 8.0 * d + 0.005156 * g2 * 0.5 * (d - 3.0);
  if (d < 0.0) { e += 0.840245 * d * d; slope += 1.68049 * d; }
  if ((s & 1) == 1 && (t & 1) == 1) {
    e -= 0.035069 * max(0.0, min(1.0, 1.5 - d));
    if (d > 0.5 && d < 1.5) slope += 0.035069;
  }
  const bonds = ((s & 2) != 0 && (t & 4) != 0) || ((s & 4) != 0 && (t & 2) != 0);
  if (bonds) {
    e -= 0.587439 * max(0.0, min(1.0, d / -0.7));
    if (d > -0.7 && d < 0.0) slope += 0.587439 / 0.7;
  }
  slopeOfPair = 4.184 * slope;
  return 4.184 * e;
}

/** Energy of the pose at `at`; the gradient of each ligand atom to `slopes`. */
function energyAt(at: usize): f64 {
  energies++;
  pose(at);
  memory.fill(slopes, 0, <usize>(3 * m) << 3);
  let total = 0.0;
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      const here = posed + <usize>i * 48, there = atomAt(j), own = atomAt(n + i);
      const x = item(here, 0) - item(there, 0), y = item(here, 1) - item(there, 1), z = item(here, 2) - item(there, 2);
      const r = sqrt(x * x + y * y + z * z);
      total += parameterF64(0) == 0.0 ? lennardJones(there, own, r) : vina(there, own, r);
      const g = slopes + <usize>i * 24;
      store<f64>(g, item(g, 0) + slopeOfPair * x / r);
      store<f64>(g, item(g, 1) + slopeOfPair * y / r, 8);
      store<f64>(g, item(g, 2) + slopeOfPair * z / r, 16);
    }
  return total;
}

/** ‖(force, torque/radius)‖ of the pose last measured. */
function steepness(at: usize): f64 {
  let fx = 0.0, fy = 0.0, fz = 0.0, tx = 0.0, ty = 0.0, tz = 0.0, square = 0.0;
  for (let i = 0; i < m; i++) {
    const g = slopes + <usize>i * 24, atom = posed + <usize>i * 48;
    const x = item(atom, 0) - item(at, 0), y = item(atom, 1) - item(at, 1), z = item(atom, 2) - item(at, 2);
    fx += item(g, 0); fy += item(g, 1); fz += item(g, 2);
    tx += y * item(g, 2) - z * item(g, 1); ty += z * item(g, 0) - x * item(g, 2); tz += x * item(g, 1) - y * item(g, 0);
    square += x * x + y * y + z * z;
  }
  const radius = square > 0.0 ? square / <f64>m : 1.0;
  return sqrt(fx * fx + fy * fy + fz * fz + (tx * tx + ty * ty + tz * tz) / radius);
}

/** How much lower any of 24 neighbours 1e-3 and 1e-4 Å (or rad) away lies, relative to the energy. */
function lowerNeighbour(at: usize, energy: f64): f64 {
  let worst = 0.0;
  for (let k = 0; k < 24; k++) {
    memory.copy(trial, at, 56);
    const axis = (k >> 1) % 6, step = (k & 1 ? -1.0 : 1.0) * (k < 12 ? 1e-3 : 1e-4);
    if (axis < 3) store<f64>(trial + (<usize>axis << 3), item(at, axis) + step);
    else turn(axis - 3, step, at);
    worst = max(worst, (energy - energyAt(trial)) / abs(energy));
  }
  return worst;
}

function turn(axis: i32, angle: f64, at: usize): void {
  const c = NativeMath.cos(0.5 * angle), s = NativeMath.sin(0.5 * angle);
  const w = item(at, 3), x = item(at, 4), y = item(at, 5), z = item(at, 6);
  const u = axis == 0 ? s : 0.0, v = axis == 1 ? s : 0.0, t = axis == 2 ? s : 0.0;
  store<f64>(trial, c * w - u * x - v * y - t * z, 24);
  store<f64>(trial, c * x + u * w + v * z - t * y, 32);
  store<f64>(trial, c * y + v * w + t * x - u * z, 40);
  store<f64>(trial, c * z + t * w + u * y - v * x, 48);
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  energies = 0;
  const count = rank();
  const first = bestOf(0, kept), second = bestOf(kept, 2 * kept), best = bestOf(0, 2 * kept);
  const E1 = item(entryAt(first), 0), E2 = item(entryAt(second), 0);
  if (!(E1 < NOWHERE && E2 < NOWHERE) || isLowerAtSide(min(E1, E2))) { failAtSide(); return; }
  const energy = item(entryAt(best), 0), at = entryAt(best) + 8, own = energyAt(at);
  const flat = own == 0.0 ? 1.0 : steepness(at) * parameterF64(96) / abs(own);
  const corner = parameterF64(0) != 0.0 && !(flat <= 1e-6);
  openVerdict(4, SCALARS + 8 * TOP + 2 * kept + m * 3 + DIAGNOSTICS);
  gate(0, Kind.EXACT, energy, own, relativeError(energy, own));
  gate(1, Kind.ESTIMATE, E1, E2, relativeError(E1, E2));
  const lower = corner ? lowerNeighbour(at, own) : 0.0;
  if (corner) gate(4, Kind.CERTIFICATE, lower, 0.0, lower, 1e-6);
  else gate(2, Kind.CERTIFICATE, flat, 0.0, flat, 1e-6);
  const planted = item(entryAt(bestOf(2 * kept, 3 * kept)), 0), lowest = plantedEnergy();
  gate(3, Kind.TWIN, planted, lowest, max(relativeError(planted, lowest), relativeError(wholeEnergy, LOWEST)));
  energyAt(at);
  write(energy, E1, E2, planted, count, at);
  closeVerdict(energy);
}

@inline function lowerSide(): usize { return item(sideAt(1), 0) < item(sideAt(0), 0) ? sideAt(1) : sideAt(0); }

/** Then no minimum in the box is the lowest energy there. */
function isLowerAtSide(energy: f64): bool { return item(lowerSide(), 0) < energy - BOUND * abs(energy); }

/** Shows the minimum outside, where one was found: 1 or 0, its centre. */
function failAtSide(): void {
  const side = lowerSide(), isBound = item(side, 0) < NOWHERE && item(side, 1) < 0.0;
  show(0, isBound ? 1.0 : 0.0);
  for (let axis = 0; axis < 3; axis++) show(1 + axis, isBound ? item(side, 2 + axis) : 0.0);
  fail(Status.DID_NOT_CONVERGE);
}

let wholeEnergy: f64 = 0;

/** E_AB as planted; the energy of the whole, which must be the lowest there is, to wholeEnergy. */
function plantedEnergy(): f64 {
  const x = sideAt(2);
  let across = 0.0;
  wholeEnergy = 0.0;
  for (let i = 1; i < 13; i++)
    for (let j = 0; j < i; j++) {
      let square = 0.0;
      for (let axis = 0; axis < 3; axis++) {
        const d = item(x, 3 * i + axis) - item(x, 3 * j + axis);
        square += d * d;
      }
      const six = NativeMath.pow(square, -3.0), value = 4.0 * six * (six - 1.0);
      wholeEnergy += value;
      if (i >= 10 && j < 10) across += value;
    }
  return across;
}

@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }

/** Poses at least 1e-6 of the energy apart, and 2K energies; beyond their number the last one again. */
function write(energy: f64, E1: f64, E2: f64, planted: f64, count: i32, at: usize): void {
  put(0, energy);
  for (let i = 0; i < 7; i++) put(1 + i, item(at, i));
  put(8, E1); put(9, E2); put(10, planted);
  let distinct = 0, last = 0.0;
  for (let i = 0; i < count; i++) {
    const entry = entryAt(ranked(i)), E = item(entry, 0);
    put(SCALARS + 8 * TOP + i, E);
    if (distinct == TOP || (distinct > 0 && abs(E - last) <= 1e-6 * abs(E))) continue;
    for (let j = 0; j < 8; j++) put(SCALARS + 8 * distinct + j, item(entry, j));
    last = E;
    distinct++;
  }
  for (let i = count; i < 2 * kept; i++) put(SCALARS + 8 * TOP + i, item(entryAt(ranked(count - 1)), 0));
  put(11, <f64>distinct);
  const profile = SCALARS + 8 * TOP, atoms = profile + 2 * kept;
  for (let i = 0; i < m; i++) for (let j = 0; j < 3; j++) put(atoms + 3 * i + j, item(posed + <usize>i * 48, j));
  writeStaticProfile(extras() + (<usize>(atoms + 3 * m) << 3), extras() + (<usize>profile << 3), 2 * kept, scratch);
}

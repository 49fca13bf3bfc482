// Verdict of `dock` in mode cluster: energy and forces of the lowest cluster pair by pair, by the verdict's own terms;
// beside it the known lowest energy, or, where none is, the second search.
//
// Up to four atoms all pairs can be at their distance: −N(N − 1)/2 is a bound that is reached. Other energies are those
// of the Cambridge Cluster Database.
//
// Parameters (f64): 0 potential · 8 ρ · 16 N · 24 the known energy, 0: none · 32 1: a proven bound · 40, 48 entries of
//   the two searches · results of both: lowest, slope, entries, 3N here, 3N lowest
// Extras (f64): 0 E · 1, 2 both searches · 3 largest force/|E| · 4 1: known · 5 shortest, 6 longest distance
//   · entries of the first search · 3N coordinates about the centre · diagnostics of the energies (40)
//
// Gates: 5 energy · 6 table · 7 searches · 8 forces · 9 bound

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 7;
let n: i32 = 0, entries: i32 = 0, scratch: usize = 0, forces: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  n = <i32>parameterF64(16);
  entries = <i32>parameterF64(40);
  forces = allocate(<usize>(3 * n) << 3);
  scratch = allocate(<usize>diagnosticsScratch(entries) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1500000 + <u64>n * <u64>n * 60);
  countStep();
  return 1;
}

@inline function item(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }
@inline function first(): usize { return parameters() + 56; }
@inline function second(): usize { return first() + (<usize>(2 + entries + 6 * n) << 3); }

let shortest: f64 = 0, longest: f64 = 0;

function energyOf(x: usize): f64 {
  const morse = parameterF64(0) != 0.0, rho = parameterF64(8);
  memory.fill(forces, 0, <usize>(3 * n) << 3);
  let total = 0.0;
  shortest = 1e300; longest = 0.0;
  for (let i = 1; i < n; i++)
    for (let j = 0; j < i; j++) {
      let square = 0.0;
      for (let axis = 0; axis < 3; axis++) {
        const d = item(x, 3 * i + axis) - item(x, 3 * j + axis);
        square += d * d;
      }
      const r = sqrt(square), decay = NativeMath.exp(-rho * (r - 1.0));
      const value = morse ? NativeMath.pow(1.0 - decay, 2.0) - 1.0 : 4.0 * (NativeMath.pow(r, -12.0) - NativeMath.pow(r, -6.0));
      const rate = morse ? 2.0 * rho * decay * (1.0 - decay) : -48.0 * NativeMath.pow(r, -13.0) + 24.0 * NativeMath.pow(r, -7.0);
      total += value;
      shortest = min(shortest, r); longest = max(longest, r);
      for (let axis = 0; axis < 3; axis++) {
        const part = rate * (item(x, 3 * i + axis) - item(x, 3 * j + axis)) / r;
        store<f64>(forces + (<usize>(3 * i + axis) << 3), item(forces, 3 * i + axis) + part);
        store<f64>(forces + (<usize>(3 * j + axis) << 3), item(forces, 3 * j + axis) - part);
      }
    }
  return total;
}

function judge(): void {
  const E1 = item(first(), 0), E2 = item(second(), 0), known = parameterF64(24), bound = parameterF64(32) != 0.0;
  const other = <i32>parameterF64(48), best = min(E1, E2);
  const x = E1 <= E2 ? first() + (<usize>(2 + entries + 3 * n) << 3) : second() + (<usize>(2 + other + 3 * n) << 3);
  const energy = energyOf(x);
  let force = 0.0;
  for (let i = 0; i < 3 * n; i++) force = max(force, abs(item(forces, i)));
  openVerdict(3, SCALARS + entries + 3 * n + DIAGNOSTICS);
  gate(5, Kind.EXACT, best, energy, relativeError(best, energy));
  if (known != 0.0) gate(bound ? 9 : 6, bound ? Kind.CERTIFICATE : Kind.EXACT, best, known, relativeError(best, known));
  else gate(7, Kind.ESTIMATE, E1, E2, relativeError(E1, E2));
  gate(8, Kind.CERTIFICATE, force / abs(energy), 0.0, force / abs(energy), 1e-6);
  put(0, best); put(1, E1); put(2, E2); put(3, force / abs(energy)); put(4, known != 0.0 ? 1.0 : 0.0);
  put(5, shortest); put(6, longest);
  for (let i = 0; i < entries; i++) put(SCALARS + i, item(first(), 2 + i));
  writeCoordinates(x);
  const profile = extras() + (<usize>SCALARS << 3), block = extras() + (<usize>(SCALARS + entries + 3 * n) << 3);
  writeStaticProfile(block, profile, entries, scratch);
  closeVerdict(best);
}

function writeCoordinates(x: usize): void {
  for (let axis = 0; axis < 3; axis++) {
    let centre = 0.0;
    for (let i = 0; i < n; i++) centre += item(x, 3 * i + axis);
    centre /= <f64>n;
    for (let i = 0; i < n; i++) put(SCALARS + entries + 3 * i + axis, item(x, 3 * i + axis) - centre);
  }
}

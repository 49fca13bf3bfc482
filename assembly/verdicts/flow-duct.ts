// Verdict of channels and ducts: the parabola, the series of a rectangle, and the start from rest, at the probe and in
// every cell; three grids; what drives the flow against what the walls take.
//
// Parameters (f64): 0 cells along y · 8 along z, 1: channel · 16 Ly · 24 Lz · 32 ν · 40 dt · 48 t, 0: steady · 56 G/ρ
//   64, 72 probe (y, z) · 80 rows of h · 88 start: 0 rest, 1 the same everywhere, 2 cells · 96 what is everywhere [m/s] · 104 time of the
//   start [s] · 112 u in the cells of such a start · results at h, 2h, 4h (assembly/kernels/flow-duct.ts) · rows of h
// Extras (f64): 0, 1, 2 the value at h, 2h, 4h · 3 observed order · 4 extrapolated · 5 closed form · 6 discharge [m³/s]
//   7 mean u · 8 rate or change of momentum, 9 the forces or their impulse · 10 largest u · 11 steps
//   12 y (n) · z (m) · u(y) through the middle of z (n) · t, discharge (rows each) · diagnostics (40)
//
// Gates: 0 value · 1 field · 2 three grids · 3 (none) · 4 divergence · 5 momentum along x

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms } from "../diagnostics/diagnostics";
import { ductAt, layDuct } from "../flow/poiseuille";
import { layStart, startAt } from "../flow/duct-start";
import { laySheet, openSheet, sampled, setValue, setX, setY } from "../flow/sheet";
import { judgeLevels, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const STARTS: usize = 112;
const SCALARS: i32 = 12;

let n: i32 = 0, m: i32 = 0, rows: i32 = 0, rowsAt: usize = 0, scratch: usize = 0;
let Ly: f64 = 0, Lz: f64 = 0, nu: f64 = 0, t: f64 = 0, push: f64 = 0;
let starts: StaticArray<usize> = [0, 0, 0];

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

@inline function along(level: i32): i32 { return n >> level; }
@inline function across(level: i32): i32 { return m == 1 ? 1 : m >> level; }
@inline function node(level: i32, i: i32, k: i32): f64 { return load<f64>(starts[level] + 32 + (<usize>(k * along(level) + i) << 3)); }
@inline function head(level: i32, place: usize): f64 { return load<f64>(starts[level] + (place << 3)); }

function layOut(): void {
  openState(0);
  n = <i32>parameterF64(0); m = <i32>parameterF64(8);
  Ly = parameterF64(16); Lz = parameterF64(24); nu = parameterF64(32); t = parameterF64(48); push = parameterF64(56);
  rows = <i32>parameterF64(80);
  const kind = <i32>parameterF64(88);
  let at = parameters() + STARTS + (kind == 2 ? <usize>(n * m) << 3 : 0);
  for (let level = 0; level < 3; level++) {
    starts[level] = at;
    at += 32 + (<usize>(along(level) * across(level)) << 3);
  }
  rowsAt = at;
  laySheet(n + 2, max(m + 2, 6));
  layDuct(m == 1, Ly, Lz, nu, push, t);
  layStart(kind, parameterF64(96), parameters() + STARTS, n, m, Ly, Lz, nu * t);
  scratch = allocate((6 * <usize>n + <usize>diagnosticsScratch(n)) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(4000000 + 3000 * <u64>n * <u64>m);
  countStep();
  return 1;
}

/** Middles of cells and the walls, where u is 0; of a channel six equal rows. */
function valueAt(level: i32): f64 {
  const p = along(level), q = across(level), isChannel = m == 1, lines = isChannel ? 6 : q + 2;
  openSheet(p + 2, lines);
  for (let i = 0; i < p + 2; i++) setX(i, i == 0 ? 0.0 : i > p ? Ly : Ly * (<f64>i - 0.5) / <f64>p);
  for (let k = 0; k < lines; k++) {
    setY(k, isChannel ? <f64>k : k == 0 ? 0.0 : k > q ? Lz : Lz * (<f64>k - 0.5) / <f64>q);
    for (let i = 0; i < p + 2; i++) {
      const isWall = i == 0 || i > p || (!isChannel && (k == 0 || k > q));
      setValue(i, k, isWall ? 0.0 : node(level, i - 1, isChannel ? 0 : k - 1));
    }
  }
  return sampled(parameterF64(64), isChannel ? 2.5 : parameterF64(72));
}

@inline function knownAt(y: f64, z: f64): f64 { return ductAt(y, z) + startAt(y, z); }

/** What flowed at the start, and what all parts of it carried either way. */
let begun: f64 = 0, carried: f64 = 0;
function layDischarge(): void {
  const kind = parameterF64(88), area = Ly * Lz, count = n * m;
  begun = kind == 1.0 ? parameterF64(96) * area : 0.0;
  carried = abs(begun);
  if (kind != 2.0) return;
  for (let i = 0; i < count; i++) {
    const u = parameterF64(STARTS + (<usize>i << 3));
    begun += u * area / <f64>count;
    carried += abs(u) * area / <f64>count;
  }
}

/** Largest error of a cell, over the largest velocity, in every cell of a coarse lattice that meets all parts. */
function fieldError(size: f64): f64 {
  const stepY = max(1, n / 32), stepZ = max(1, m / 32);
  let worst = 0.0;
  for (let k = 0; k < m; k += stepZ) {
    for (let i = 0; i < n; i += stepY) {
      const apart = abs(node(0, i, k) - knownAt(Ly * (<f64>i + 0.5) / <f64>n, m == 1 ? 0.0 : Lz * (<f64>k + 0.5) / <f64>m));
      if (!(apart <= worst)) worst = apart;
    }
  }
  return worst / size;
}

function judge(): void {
  openVerdict(5, SCALARS + 2 * n + m + 2 * rows + DIAGNOSTICS);
  const v1 = valueAt(0), v2 = valueAt(1), v4 = valueAt(2), size = max(head(0, 2), 1e-300), scale = max(abs(v1), 1e-3 * size);
  judgeLevels(v1, v2, v4, 2.0, scale);
  const value = levelValue, error = levelError, order = levelOrder, extrapolated = levelExtrapolated;
  const exact = knownAt(parameterF64(64), parameterF64(72));
  gate(0, Kind.EXACT, value, exact, abs(value - exact) / max(abs(exact), 1e-3 * size));
  const worst = fieldError(size);
  gate(1, Kind.EXACT, worst, 0.0, worst);
  gate(2, Kind.ESTIMATE, v1, value, error);
  gate(4, Kind.INVARIANT, 0.0, 0.0, 0.0, 1e-12);
  layDischarge();
  // What any part carries, so that a start whose parts cancel is not measured by their rounding.
  const area = Ly * Lz, floor = max(1e-6 * carried, 1e-300), change = t > 0.0 ? head(0, 0) - begun : 0.0, force = push * area * (t > 0.0 ? t : 1.0) - head(0, 1);
  gate(5, Kind.INVARIANT, change, force, abs(change - force) / max(max(abs(push) * area * (t > 0.0 ? t : 1.0), abs(begun)), floor));
  put(0, v1); put(1, v2); put(2, v4); put(3, order); put(4, extrapolated); put(5, exact);
  put(6, head(0, 0)); put(7, head(0, 0) / area); put(8, change); put(9, force); put(10, head(0, 2)); put(11, head(0, 3));
  writeRest(change, force);
  closeVerdict(value);
}

@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }

function writeRest(change: f64, force: f64): void {
  let k = SCALARS;
  for (let i = 0; i < n; i++) put(k++, Ly * (<f64>i + 0.5) / <f64>n);
  for (let i = 0; i < m; i++) put(k++, Lz * (<f64>i + 0.5) / <f64>m);
  const profile = extras() + (<usize>k << 3), line = <usize>n << 3, row = m >> 1;
  for (let i = 0; i < n; i++) put(k++, node(0, i, row));
  for (let r = 0; r < rows; r++) put(k++, parameterF64(104) + load<f64>(rowsAt + 24 * <usize>r));
  for (let r = 0; r < rows; r++) put(k++, load<f64>(rowsAt + 24 * <usize>r, 8));
  const block = extras() + (<usize>k << 3), spread = scratch, source = spread + line, rest = source + line;
  const dy = Ly / <f64>n, dz = Lz / <f64>m;
  for (let i = 1; i < n - 1; i++) {
    let second = (node(0, i + 1, row) - 2.0 * node(0, i, row) + node(0, i - 1, row)) / (dy * dy);
    if (m > 1) second += (node(0, i, row + 1) - 2.0 * node(0, i, row) + node(0, i, row - 1)) / (dz * dz);
    store<f64>(spread + (<usize>i << 3), -nu * second);
    store<f64>(source + (<usize>i << 3), -push);
  }
  writeTerms(block, 1, profile, n, 0, 0, 0, spread, 0, source, rest);
  writeBalance(block, change, force, abs(change - force));
  writeReflection(block, profile, n, rest + line);
  writeBand(block, profile, n, rest + line);
}

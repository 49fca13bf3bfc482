// Verdict of `grid`: the voltages are right when every branch, taken by itself, carries what every bus is to feed.
//
// It shares neither admittance matrix nor mismatch with the kernel: flows are taken branch by branch (../power/
// branchwise.ts). Beside it stand a second solution in another formulation, the table of a known case, and two buses with
// the impedance of the first branch, where V₂⁴ + [2(PR + QX) − V₁²]V₂² + (P² + Q²)(R² + X²) = 0 (Van Cutsem & Vournas,
// Voltage Stability of Electric Power Systems, eq. 2.10).
//
// Parameters (f64): those of the network · value: 0 V, 1 θ, 2 loss, 3 slack, 4 flow · its bus or branch · T entries of
//   the table · n numbers of buses · m numbers of branches · T × (bus, V [pu], θ [deg]) · twin: R, X, P, Q [pu]
//   the results of both forms and of the twin (../kernels/grid.ts)
// Extras (f64): 0, 8 loss [MW], [MVAr] · 16, 24 slack [MW], [MVAr] · 32 iterations · 40 rounds · 48 mismatch [pu]
//   56 least V [pu] · 64 its bus · 72 buses held at a limit · 80, 88 load [MW], [MVAr]
//   columns of the buses: number, V [pu], θ [deg], P, Q fed [MW], [MVAr], held · of the branches: number, from, to,
//   P, Q into it at from, P, Q at to [MW], [MVAr] · diagnostics of V (40)
//
// Gates: 0 power balance · 1 bus powers · 2 second formulation · 3 table · 4 two-bus twin · 5 limits

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import {
  activeFrom, activeTo, behindNetwork, branchNumber, busNumber, countOfBranches, countOfBuses, flow, reactiveFrom,
  reactiveTo,
} from "../power/branchwise";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const DEGREES: f64 = 57.29577951308232;
const SCALARS: i32 = 12;
const SEALED: f64 = 1e-9;
/** Work units: once, a bus, a branch. */
const ONCE: u64 = 200000;
const PER_BUS: u64 = 300;
const PER_BRANCH: u64 = 400;

let n: i32 = 0, m: i32 = 0, entries: i32 = 0;
let base: f64 = 0, scale: f64 = 0;
let rest: usize = 0, table: usize = 0, own: usize = 0, other: usize = 0, twin: usize = 0;
let fed: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  n = countOfBuses();
  m = countOfBranches();
  base = parameterF64(24);
  scale = parameterF64(32);
  rest = parameters() + behindNetwork();
  entries = <i32>get(rest, 2);
  table = rest + (<usize>(3 + n + m) << 3);
  own = table + (<usize>(3 * entries + 4) << 3);
  other = own + 24 + (<usize>n << 5);
  twin = other + 24 + (<usize>n << 5);
  fed = allocate(<usize>n << 4);
  scratch = allocate(<usize>diagnosticsScratch(n) << 3);
}

@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }
@inline function V(i: i32): f64 { return get(own, 3 + 4 * i); }
@inline function theta(i: i32): f64 { return get(own, 4 + 4 * i); }
/** Degrees from −180 to 180: phase shifts one behind the other add up to whole turns, which are none. */
@inline function angle(i: i32): f64 { const turned = DEGREES * theta(i); return turned - 360.0 * nearest(turned / 360.0); }
@inline function typeNow(i: i32): i32 { return <i32>get(own, 5 + 4 * i); }
@inline function held(i: i32): f64 { return get(own, 6 + 4 * i); }
@inline function limited(): bool { return parameterF64(16) == 1.0; }

export function advance(_steps: i32, _budget: i32): i32 {
  spend(ONCE + <u64>n * PER_BUS + <u64>m * PER_BRANCH);
  openVerdict(4 + (entries > 0 ? 1 : 0) + (limited() ? 1 : 0), SCALARS + 6 * n + 7 * m + DIAGNOSTICS);
  layFlows();
  busGate();
  balanceGate();
  secondGate();
  if (entries > 0) tableGate();
  twinGate();
  if (limited()) limitGate();
  writeBuses();
  writeStaticProfile(branchColumns() + (<usize>(7 * m) << 3), extras() + (<usize>(SCALARS + n) << 3), n, scratch);
  closeVerdict(value());
  countStep();
  return 1;
}

@inline function branchColumns(): usize { return extras() + (<usize>(SCALARS + 6 * n) << 3); }

// ---- flows ---------------------------------------------------------------------------------------------

/** All flows go to the columns of the branches, and to what each bus feeds, with its shunt. */
function layFlows(): void {
  const to = branchColumns();
  for (let i = 0; i < n; i++) {
    put(fed, 2 * i, V(i) * V(i) * busNumber(i, 3) / base);
    put(fed, 2 * i + 1, -V(i) * V(i) * busNumber(i, 4) / base);
  }
  for (let l = 0; l < m; l++) {
    const f = <i32>branchNumber(l, 0), t = <i32>branchNumber(l, 1);
    flow(l, V(f), theta(f), V(t), theta(t));
    put(fed, 2 * f, get(fed, 2 * f) + activeFrom());
    put(fed, 2 * f + 1, get(fed, 2 * f + 1) + reactiveFrom());
    put(fed, 2 * t, get(fed, 2 * t) + activeTo());
    put(fed, 2 * t + 1, get(fed, 2 * t + 1) + reactiveTo());
    put(to, l, get(rest, 3 + n + l));
    put(to, m + l, get(rest, 3 + f));
    put(to, 2 * m + l, get(rest, 3 + t));
    put(to, 3 * m + l, base * activeFrom());
    put(to, 4 * m + l, base * reactiveFrom());
    put(to, 5 * m + l, base * activeTo());
    put(to, 6 * m + l, base * reactiveTo());
  }
}

@inline function givenP(i: i32): f64 { return (busNumber(i, 5) - scale * busNumber(i, 1)) / base; }
function givenQ(i: i32): f64 {
  const flag = held(i), generated = flag == 0.0 ? busNumber(i, 6) : flag > 0.0 ? busNumber(i, 9) : busNumber(i, 8);
  return (generated - scale * busNumber(i, 2)) / base;
}

/** P of every bus but the slack, Q of PQ buses, V where it is set; pu. */
function busGate(): void {
  let worst = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i < n; i++) {
    const type = typeNow(i);
    if (type == 4) continue;
    const p = type == 3 ? 0.0 : abs(get(fed, 2 * i) - givenP(i));
    const q = type == 1 ? abs(get(fed, 2 * i + 1) - givenQ(i)) : abs(V(i) - busNumber(i, 7));
    const turned = type == 3 ? abs(theta(i) - parameterF64(40) / DEGREES) : 0.0;
    if (!(max(p, turned) <= worst)) { worst = max(p, turned); measured = get(fed, 2 * i); reference = givenP(i); }
    if (!(q <= worst)) { worst = q; measured = get(fed, 2 * i + 1); reference = givenQ(i); }
  }
  gate(1, Kind.CERTIFICATE, measured, reference, worst, SEALED);
}

/** Generation, with what the slack feeds into its branches, beside load, shunts and the losses of every branch. */
function balanceGate(): void {
  const at = extras(), flows = branchColumns();
  let generated = 0.0, loadP = 0.0, loadQ = 0.0, shunts = 0.0, lossP = 0.0, lossQ = 0.0;
  for (let i = 0; i < n; i++) {
    if (typeNow(i) == 4) continue;
    loadP += scale * busNumber(i, 1);
    loadQ += scale * busNumber(i, 2);
    shunts += V(i) * V(i) * busNumber(i, 3);
    const slack = typeNow(i) == 3, P = base * get(fed, 2 * i) + scale * busNumber(i, 1);
    generated += slack ? P : busNumber(i, 5);
    if (!slack) continue;
    put(at, 2, P);
    put(at, 3, base * get(fed, 2 * i + 1) + scale * busNumber(i, 2));
  }
  for (let l = 0; l < m; l++) {
    lossP += get(flows, 3 * m + l) + get(flows, 5 * m + l);
    lossQ += get(flows, 4 * m + l) + get(flows, 6 * m + l);
  }
  const used = loadP + shunts + lossP;
  gate(0, Kind.INVARIANT, generated, used, abs(generated - used) / max(base, abs(used)));
  put(at, 0, lossP); put(at, 1, lossQ); put(at, 10, loadP); put(at, 11, loadQ);
}

// ---- other solutions -----------------------------------------------------------------------------------

function secondGate(): void {
  let worst = 0.0, measured = V(0), reference = V(0);
  for (let i = 0; i < n; i++) {
    const e = get(other, 3 + 4 * i), f = get(other, 4 + 4 * i);
    const a = V(i) * Math.cos(theta(i)) - e, b = V(i) * Math.sin(theta(i)) - f, error = sqrt(a * a + b * b);
    if (!(error <= worst)) { worst = error; measured = V(i); reference = sqrt(e * e + f * f); }
  }
  gate(2, Kind.CERTIFICATE, measured, reference, worst, SEALED);
}

/** V relative, angles over the widest of the table. */
function tableGate(): void {
  let worst = 0.0, measured = V(0), reference = V(0), widest = 0.0;
  for (let k = 0; k < entries; k++) widest = max(widest, abs(get(table, 3 * k + 2)));
  for (let k = 0; k < entries; k++) {
    const i = <i32>get(table, 3 * k), known = get(table, 3 * k + 1), published = get(table, 3 * k + 2);
    const error = relativeError(V(i), known), turned = abs(angle(i) - published) / widest;
    if (!(error <= worst)) { worst = error; measured = V(i); reference = known; }
    if (!(turned <= worst)) { worst = turned; measured = angle(i); reference = published; }
  }
  gate(3, Kind.EXACT, measured, reference, worst);
}

function twinGate(): void {
  const at = table + (<usize>(3 * entries) << 3), R = get(at, 0), X = get(at, 1), P = get(at, 2), Q = get(at, 3);
  const half = 0.5 - (P * R + Q * X), square = half + sqrt(half * half - (P * P + Q * Q) * (R * R + X * X));
  const V2 = get(twin, 7);
  gate(4, Kind.TWIN, V2, sqrt(square), relativeError(V2, sqrt(square)));
}

/** Buses that keep V within their limits and those at a limit on its right side: the rest is counted. */
function limitGate(): void {
  let wrong = 0.0;
  for (let i = 0; i < n; i++) {
    const Q = get(fed, 2 * i + 1) * base + scale * busNumber(i, 2), room = 1e-6 * base;
    if (typeNow(i) == 2 && (Q > busNumber(i, 9) + room || Q < busNumber(i, 8) - room)) wrong += 1.0;
    if (held(i) * (V(i) - busNumber(i, 7)) > 1e-6) wrong += 1.0;
  }
  gate(5, Kind.CERTIFICATE, wrong, 0.0, wrong, 0.0);
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeBuses(): void {
  const at = extras(), columns = at + (<usize>SCALARS << 3);
  let least = 1e300, where = 0.0, count = 0.0;
  for (let i = 0; i < n; i++) {
    put(columns, i, get(rest, 3 + i));
    put(columns, n + i, V(i));
    put(columns, 2 * n + i, angle(i));
    put(columns, 3 * n + i, base * get(fed, 2 * i));
    put(columns, 4 * n + i, base * get(fed, 2 * i + 1));
    put(columns, 5 * n + i, held(i));
    if (held(i) != 0.0) count += 1.0;
    if (typeNow(i) != 4 && V(i) < least) { least = V(i); where = get(rest, 3 + i); }
  }
  put(at, 4, get(own, 0)); put(at, 5, get(own, 1)); put(at, 6, get(own, 2));
  put(at, 7, least); put(at, 8, where); put(at, 9, count);
}

function value(): f64 {
  const asked = get(rest, 0), k = <i32>get(rest, 1);
  if (asked == 0.0) return V(k);
  if (asked == 1.0) return angle(k);
  return asked == 4.0 ? get(branchColumns(), 3 * m + k) : get(extras(), asked == 2.0 ? 0 : 2);
}

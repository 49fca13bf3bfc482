// Is a device's answer right? V_bi is exact for every doping. E_max of an abrupt junction in equilibrium, and E at every node
// of it, have the first integral of Poisson's equation; a uniform bar has Ohm's law. Elsewhere three grids bound the
// error. Always: Gauss' law from the left contact to every cell, with charges of the verdict's own; with a current,
// that it is one along x, by other algebra than the kernel's, and that electrons recombine as R says. Nothing of the
// kernel's method is used here.
//
// Parameters: those of the kernel (assembly/device/problem.ts), the array, then results and rows of the runs: of the finest
// grid whole, of the others their heads. Extras: SCALARS numbers by `put`, then of a bias V, J and Shockley's J for
// each row, then the diagnostics of ψ.

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { Kind, closeVerdict, extras, gate, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import {
  depletionWidth, dopingBetween, electronsOf, fieldAtPotential, junctionField, leftDopingOf, lengthOf, potentialOf,
  rightDopingOf, saturation,
} from "../device/exact";
import {
  at, checkContact, contactError, debyeOf, electronCurrent, fields, holeCurrent, ns, openJudged, ps, psi, quasiFermiError,
  recombined, width, xs,
} from "../device/judged";
import {
  ARRAY, CHARGE, Lp, Na, Nd, RESULT_HEAD, Vt, arrayNode, biasSteps, cells, columnBytes, isJunction, ni, nodesOfArray, permittivity, readProblem,
} from "../device/problem";
import { judgeLevels, judgeUnresolved, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

namespace Gate {
  export const BUILT_IN: i32 = 0, LARGEST: i32 = 1, FIRST_INTEGRAL: i32 = 2, OHM: i32 = 3, GAUSS: i32 = 4;
  export const GRIDS: i32 = 5, ALONG: i32 = 6, RECOMBINATION: i32 = 7, SLOPE: i32 = 8, CONTACTS: i32 = 9;
  export const QUASI_FERMI: i32 = 10;
}
namespace Quantity { export const VBI: f64 = 0, EMAX: f64 = 1, J: f64 = 2; }
const SCALARS: i32 = 20;
/** e to this is a number. */
const LARGEST: f64 = 700.0;

let fine: usize = 0, rows: usize = 0, middle: usize = 0, coarse: usize = 0, scratch: usize = 0;
let rowCount: i32 = 0, quantity: f64 = 0, V: f64 = 0, isUniform: bool = false, threeGrids: bool = false;

function prepare(): void {
  openState(0);
  readProblem();
  isUniform = parameterF64(168) == 1.0; quantity = parameterF64(176); threeGrids = parameterF64(184) == 3.0;
  rowCount = <i32>parameterF64(192); V = parameterF64(96);
  const column = <usize>(cells + 1) << 3;
  const columns = parameters() + ARRAY + (<usize>nodesOfArray << 3);
  fine = columns + columnBytes(cells);
  rows = fine + RESULT_HEAD;
  middle = rows + <usize>rowCount * 24;
  coarse = middle + RESULT_HEAD;
  openJudged(columns);
  scratch = allocate(3 * column + (<usize>diagnosticsScratch(cells + 1) << 3));
}

export function start(_budget: i32): i32 {
  prepare();
  return 1;
}
export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}
export function resumed(_budget: i32): i32 { return 1; }

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1000000 + 400 * <u64>cells + 100 * <u64>rowCount);
  countStep();
  return 1;
}

@inline function put(i: i32, value: f64): void { store<f64>(extras() + (<usize>i << 3), value); }
/** ∫ of p − n + C over the volume of an inner node [1/m²]. */
function chargeOf(i: i32): f64 {
  const x = at(xs, i), from = x - 0.5 * width(i - 1), to = x + 0.5 * width(i);
  return (at(ps, i) - at(ns, i)) * (to - from) + ni * dopingBetween(from, to);
}

// ---- gates -----------------------------------------------------------------------------------------------

function judge(): void {
  const isExactField = V == 0.0 && isJunction && quantity == Quantity.EMAX, flows = quantity == Quantity.J && V != 0.0;
  const closed = quantity != Quantity.VBI && (isUniform || isExactField || (quantity == Quantity.J && V == 0.0));
  openVerdict(3 + (closed ? 1 : 0) + (isExactField ? 1 : 0) + (threeGrids ? 1 : 0) + (threeGrids && !flows ? 1 : 0) + (flows ? 3 : 0), SCALARS + 3 * rowCount + DIAGNOSTICS);
  checkContact(false);
  checkContact(true);
  const builtIn = Vt * (potentialOf(rightDopingOf()) - potentialOf(leftDopingOf())), measured = load<f64>(fine);
  gate(Gate.BUILT_IN, Kind.EXACT, measured, builtIn, relativeError(measured, builtIn, Vt));
  if (closed && quantity == Quantity.EMAX) judgeField();
  if (closed && quantity == Quantity.J) judgeCurrent();
  const contacts = contactError(V);
  gate(Gate.CONTACTS, Kind.INVARIANT, contacts, 0.0, contacts);
  const gauss = gaussResidual();
  gate(Gate.GAUSS, Kind.INVARIANT, gauss, 0.0, gauss);
  let value = quantity == Quantity.VBI ? measured : load<f64>(fine + (quantity == Quantity.EMAX ? 16 : 24));
  if (threeGrids) {
    judgeGrids();
    value = levelValue;
    if (!flows) judgeSlope();
  }
  if (flows) judgeFlow();
  writeRest(builtIn, value);
  closeVerdict(value);
}

function judgeField(): void {
  const measured = load<f64>(fine, 16);
  if (isUniform) {
    const E = abs(V) / lengthOf(), thermal = Vt / debyeOf(rightDopingOf());
    gate(Gate.LARGEST, Kind.EXACT, measured, E, abs(measured - E) / (E > 0.0 ? E : thermal));
    put(10, E);
    return;
  }
  const E = junctionField();
  gate(Gate.LARGEST, Kind.EXACT, measured, E, relativeError(measured, E));
  put(10, E);
  let worst = 0.0;
  for (let i = 0; i <= cells; i++) {
    const error = abs(at(fields, i) + fieldAtPotential(at(psi, i) / Vt, at(xs, i) > Lp));
    if (!(error <= worst)) worst = error;
  }
  gate(Gate.FIRST_INTEGRAL, Kind.EXACT, worst / E, 0.0, worst / E);
}

/** Ohm's law of a uniform bar; without a bias nothing flows. */
function judgeCurrent(): void {
  const n = electronsOf(rightDopingOf()), measured = load<f64>(fine, 24);
  const J = V == 0.0 ? 0.0 : CHARGE * ni * (parameterF64(112) * n + parameterF64(120) / n) * V / lengthOf();
  gate(Gate.OHM, Kind.EXACT, measured, J, relativeError(measured, J));
  put(11, J);
}

function judgeGrids(): void {
  const offset: usize = quantity == Quantity.EMAX ? 16 : 24, v1 = load<f64>(fine + offset);
  const v2 = load<f64>(middle + offset), v4 = load<f64>(coarse + offset);
  if (isResolved()) judgeLevels(v1, v2, v4, 2.0, abs(v1)); else judgeUnresolved(v1, v2, v4, abs(v1));
  gate(Gate.GRIDS, Kind.ESTIMATE, v1, levelValue, levelError);
  put(5, v1); put(6, v2); put(7, v4); put(8, levelOrder); put(9, levelExtrapolated);
}

/**
 * Whether the cells show how carriers give way to a bare charge, within a Debye length: of an array three in two of the
 * shortest, for its cells are equal; of a junction one in two at the ends of its layer, where they have grown.
 */
function isResolved(): bool {
  if (isJunction) {
    const W = depletionWidth(Vt * (potentialOf(Nd) + potentialOf(Na)) - V), total = Na + Nd;
    return cellAt(Lp - W * (Nd / total)) <= 2.0 * debyeOf(-Na) && cellAt(Lp + W * (Na / total)) <= 2.0 * debyeOf(Nd);
  }
  let shortest = Infinity;
  for (let k = 0; k < nodesOfArray; k++) shortest = min(shortest, debyeOf(arrayNode(k)));
  return 1.5 * width(0) <= shortest;
}

/** Width of the cell at x [m]. */
function cellAt(x: f64): f64 {
  let i = 0;
  while (i < cells - 1 && at(xs, i + 1) < x) i++;
  return width(i);
}

/** The largest of what is left of ε(E − E₀) = ∫ρ up to a cell, over the largest εE; and of the lengths. */
function gaussResidual(): f64 {
  const first = -(at(psi, 1) - at(psi, 0)) / width(0);
  let charge = 0.0, worst = 0.0, largest = abs(first);
  for (let i = 1; i < cells; i++) {
    const E = -(at(psi, i + 1) - at(psi, i)) / width(i);
    charge += chargeOf(i);
    const error = abs(E - first - CHARGE / permittivity * charge);
    largest = max(largest, abs(E));
    if (!(error <= worst)) worst = error;
  }
  const floor = 1e-3 * Vt / min(debyeOf(leftDopingOf()), debyeOf(rightDopingOf()));
  return max(worst / max(largest, floor), abs(at(xs, cells) - lengthOf()) / lengthOf());
}

/** E of the nodes is that of the potential: of both cells beside a node and the charges between; E_max is their largest. */
function judgeSlope(): void {
  const top = load<f64>(fine, 16);
  let worst = 0.0, largest = max(abs(at(fields, 0)), abs(at(fields, cells)));
  for (let i = 1; i < cells; i++) {
    const left = width(i - 1), right = width(i), x = at(xs, i), carriers = at(ps, i) - at(ns, i);
    const before = 0.5 * left * carriers + ni * dopingBetween(x - 0.5 * left, x), behind = 0.5 * right * carriers + ni * dopingBetween(x, x + 0.5 * right);
    const E = 0.5 * ((at(psi, i - 1) - at(psi, i)) / left + (at(psi, i) - at(psi, i + 1)) / right + CHARGE / permittivity * (before - behind));
    const error = abs(E - at(fields, i));
    if (!(error <= worst)) worst = error;
    largest = max(largest, abs(E));
  }
  const error = top >= 0.999999 * largest && top <= 1.05 * largest ? worst / top : 1.0;
  gate(Gate.SLOPE, Kind.INVARIANT, error, 0.0, error);
}

/**
 * That J is one along x, that electrons and holes change by what recombines, and that the steps of their quasi-Fermi
 * potentials, of which the currents are made, are those of n, p and ψ.
 */
function judgeFlow(): void {
  const J = load<f64>(fine, 24), size = abs(J);
  openRange(whole); openRange(electrons); openRange(holes);
  widen(whole, J);
  let R = 0.0;
  for (let i = 0; i < cells; i++) {
    if (i > 0) R += CHARGE * recombined(i);
    const n = electronCurrent(i), p = holeCurrent(i);
    widen(whole, n + p);
    widen(electrons, n - R);
    widen(holes, p + R);
  }
  const spread = range(whole) / size, lost = max(range(electrons), range(holes)), steps = quasiFermiError(V);
  gate(Gate.ALONG, Kind.INVARIANT, spread, 0.0, spread);
  gate(Gate.RECOMBINATION, Kind.INVARIANT, R + lost, R, lost / size);
  gate(Gate.QUASI_FERMI, Kind.INVARIANT, steps, 0.0, steps);
  put(12, spread); put(13, R);
}

/** The least and the largest of some numbers; a NaN stays. */
const whole: usize = memory.data(16, 16), electrons: usize = memory.data(16, 16), holes: usize = memory.data(16, 16);

function openRange(at: usize): void { store<f64>(at, Infinity); store<f64>(at, -Infinity, 8); }
function widen(at: usize, value: f64): void {
  if (!(value >= load<f64>(at))) store<f64>(at, value);
  if (!(value <= load<f64>(at, 8))) store<f64>(at, value, 8);
}
function range(at: usize): f64 { return load<f64>(at, 8) - load<f64>(at); }

// ---- what is shown ---------------------------------------------------------------------------------------

/** E_max or J is the value where that is asked for, else that of the finest grid. */
function writeRest(builtIn: f64, value: f64): void {
  put(0, load<f64>(fine)); put(1, load<f64>(fine, 8)); put(4, load<f64>(fine, 48));
  put(2, quantity == Quantity.EMAX ? value : load<f64>(fine, 16)); put(3, quantity == Quantity.J ? value : load<f64>(fine, 24));
  put(14, load<f64>(fine, 32)); put(15, load<f64>(fine, 40)); put(16, min(debyeOf(leftDopingOf()), debyeOf(rightDopingOf())));
  const W = isJunction ? depletionWidth(builtIn - V) : 0.0, recombines = parameterF64(144) == 1.0;
  put(17, W); put(18, W > 0.0 ? 2.0 * (builtIn - V) / W : 0.0);
  const js = isJunction && biasSteps > 0 ? CHARGE * ni * saturation(parameterF64(112), parameterF64(120), parameterF64(128), parameterF64(136), recombines) : 0.0;
  put(19, js);
  const series = extras() + SCALARS * 8, column = <usize>rowCount << 3;
  for (let k = 0; k < rowCount; k++) {
    const row = rows + <usize>k * 24, to = series + (<usize>k << 3), volts = load<f64>(row);
    store<f64>(to, volts);
    store<f64>(to + column, load<f64>(row, 8));
    store<f64>(to + 2 * column, js > 0.0 ? js * Math.expm1(min(volts / Vt, LARGEST)) : 0.0);
  }
  writeDiagnostics(series + 3 * column);
}

/** Of the carriers' charge: what is left of it where there is none but for rounding. */
const NEUTRAL: f64 = 1e-9;

/** −εψ″ − ρ at the nodes; nothing where the device is neutral throughout. */
function writeDiagnostics(block: usize): void {
  const column = <usize>(cells + 1) << 3, spread = scratch, source = spread + column, total = source + column, rest = total + column;
  let charge = 0.0, apart = 0.0, carriers = 0.0;
  for (let i = 1; i < cells; i++) {
    const left = width(i - 1), right = width(i), w = 0.5 * (left + right), rho = CHARGE * chargeOf(i);
    apart += abs(rho);
    carriers += CHARGE * w * (at(ps, i) + at(ns, i));
    const bend = (at(psi, i + 1) - at(psi, i)) / right - (at(psi, i) - at(psi, i - 1)) / left;
    store<f64>(spread + (<usize>i << 3), -permittivity * bend / w);
    store<f64>(source + (<usize>i << 3), -rho / w);
    charge += rho;
  }
  if (apart <= NEUTRAL * carriers) memory.fill(spread, 0, 2 * column);
  writeTerms(block, 1, psi, cells + 1, 0, 0, 0, spread, 0, source, total);
  const flux = permittivity * ((at(psi, 1) - at(psi, 0)) / width(0) - (at(psi, cells) - at(psi, cells - 1)) / width(cells - 1));
  writeBalance(block, flux, charge, abs(flux - charge));
  writeReflection(block, psi, cells + 1, rest);
  writeBand(block, psi, cells + 1, rest);
}

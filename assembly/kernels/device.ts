// A semiconductor device in one dimension: Poisson's equation with the drift and diffusion of electrons and holes,
// Boltzmann statistics, recombination after Shockley, Read and Hall,
//
//   (εψ′)′ = q(n − p − C),  J_n′ = qR,  J_p′ = −qR,  R = (np − n_i²)/(τ_p(n + n_i) + τ_n(p + n_i)),
//
// on control volumes with the currents of Scharfetter and Gummel (assembly/device/transport.ts); order 2. Contacts are
// ohmic: neutral and in equilibrium. First the equilibrium, then the bias in equal steps, each by Newton's method; one step of
// the run is one iteration. The last step ends with two small updates: the steps of φ_n and φ_p, of which a leakage in a
// neutral piece leaves 10⁻⁴⁰, are right to rounding of the update before. The bias stands at x = 0 against the other end.
//
// Parameters, result, rows: assembly/device/problem.ts.
// State body (f64): 0 step of the bias, 0 the equilibrium · 8 iterations in it · 16 the last update · 24 V_bi [V]
//   32 E_max in equilibrium [V/m] · 40 u = ψ/V_t, then n, p over n_i, of a bias also the steps of φ_n and φ_p over the cells
//   (assembly/device/transport.ts), of cells + 1 numbers each; before the equilibrium is found n and p are its factors
// Behind the state stand x and the doping of the nodes. At the end the result takes the place of all these columns.

import {
  allocate, appendRow, countStep, fail, finish, isFiniteF64, openRows, openState, parameterF64, restoreState, running,
  rowsFull, show, spend, standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { Mesh, leftContact, rightContact } from "../device/mesh";
import { poissonIteration } from "../device/poisson";
import { RESULT_HEAD, ROW, Vt, biasSteps, cells, ni, readProblem, resultBytes } from "../device/problem";
import { fieldAt, findLargestField, largestAt, largestField, openField } from "../device/profile";
import {
  current, layCarriers, layScratch, moveContact, openTransport, transportIteration, transportScratch,
} from "../device/transport";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 40;
/** Work units of a node: before the first iteration, in one of the equilibrium, in one of a bias. */
const START: u64 = 300, EQUILIBRIUM: u64 = 40, BIAS: u64 = 110;
const MOST_ROWS: i32 = 256;
const FORWARD: f64 = 0.2;
/** Newton iterations of a step of the bias, at most. */
const MOST_OF_STEP: f64 = 40.0;

let body: usize = 0, u: usize = 0, ns: usize = 0, ps: usize = 0, xs: usize = 0, dopings: usize = 0;

function prepare(): void {
  readProblem();
  const column = <usize>(cells + 1) << 3, length = HEAD + (biasSteps > 0 ? 5 : 3) * column;
  body = openState(length);
  u = body + HEAD; ns = u + column; ps = ns + column;
  watchFinite(body, <i32>(length >> 3));
  // Nothing lies between, for cells + 1 is odd.
  xs = allocate(2 * column + RESULT_HEAD); dopings = xs + column;
  Mesh.lay(xs, dopings);
  openRows(MOST_ROWS * ROW);
  if (biasSteps == 0) return;
  layCarriers(u, cells);
  layScratch(allocate(transportScratch(cells)));
  openTransport(parameterF64(112), parameterF64(120), parameterF64(128), parameterF64(136), parameterF64(144) == 1.0);
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
/** u where a doping c (over n_i) is neutral. */
function neutral(c: f64): f64 { return Math.asinh(0.5 * c); }

export function start(_budget: i32): i32 {
  prepare();
  for (let i = 1; i < cells; i++) put(u, i, neutral(2.0 * Mesh.doping(i) / (Mesh.width(i - 1) + Mesh.width(i))));
  put(u, 0, neutral(leftContact()));
  put(u, cells, neutral(rightContact()));
  checkBias();
  spend(START * <u64>cells);
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/**
 * Between contacts of p and n forward at most 0.2 V above V_bi: beyond, they are flooded themselves. Between contacts of one
 * kind nothing is injected. Shows reason 1, V and its bound.
 */
function checkBias(): void {
  const left = leftContact(), right = rightContact();
  if (left * right > 0.0 || (left == 0.0 && right == 0.0)) return;
  const V = parameterF64(96), built = Vt * (at(u, cells) - at(u, 0)), forward = built < 0.0 ? -1.0 : 1.0;
  if (forward * V <= abs(built) + FORWARD) return;
  show(0, 1.0); show(1, V); show(2, forward * (abs(built) + FORWARD));
  fail(Status.INVALID_INPUT);
}

/** At most `allowed` iterations and about `budget` work units; says how many it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end && !rowsFull(ROW)) {
    iterate();
    taken++;
  }
  return taken;
}

function iterate(): void {
  const bias = <i32>load<f64>(body), tried = load<f64>(body, 8);
  if (bias > 0 && tried == 0.0) moveContact(neutral(leftContact()) + voltage(bias) / Vt);
  const update = bias == 0 ? poissonIteration(cells, u, ns, ps) : transportIteration();
  countStep();
  spend((bias == 0 ? EQUILIBRIUM : BIAS) * <u64>cells);
  if (!isFiniteF64(update)) { fail(Status.NON_FINITE); return; }
  const before = tried > 0.0 ? load<f64>(body, 16) : Infinity;
  store<f64>(body, tried + 1.0, 8);
  store<f64>(body, update, 16);
  show(0, tried + 1.0); show(1, update); show(2, parameterF64(152)); show(3, voltage(bias));
  if (update <= parameterF64(152) && (bias == 0 || bias < biasSteps || before <= parameterF64(152))) settle(bias);
  else if ((bias > 0 && tried + 1.0 >= MOST_OF_STEP) || <f64>stepsDone() >= parameterF64(160)) fail(Status.DID_NOT_CONVERGE);
}

/** V at a step of the bias. */
function voltage(step: i32): f64 { return biasSteps > 0 ? parameterF64(96) * (<f64>step / <f64>biasSteps) : 0.0; }

/** The end of a step of the bias: its row, and the next one. */
function settle(bias: i32): void {
  if (bias == 0) fillDensities();
  findLargestField(cells, u, ns, ps);
  const J = bias > 0 ? current() : 0.0, row = appendRow(ROW);
  store<f64>(row, voltage(bias)); store<f64>(row, J, 8); store<f64>(row, largestField, 16);
  if (bias == 0) { store<f64>(body, Vt * (at(u, cells) - at(u, 0)), 24); store<f64>(body, largestField, 32); }
  if (bias == biasSteps) { conclude(J); return; }
  store<f64>(body, <f64>(bias + 1));
  store<f64>(body, 0.0, 8);
}

function fillDensities(): void {
  for (let i = 0; i <= cells; i++) {
    put(ns, i, Math.exp(at(u, i)));
    put(ps, i, Math.exp(-at(u, i)));
  }
}

/** Every column becomes one of the result: x and E where x and the doping were. */
function conclude(J: f64): void {
  const head = dopings + (<usize>(cells + 1) << 3);
  let smallest = Infinity;
  openField();
  for (let i = 0; i <= cells; i++) {
    if (i < cells) smallest = min(smallest, Mesh.width(i));
    put(dopings, i, fieldAt(i, u, ns, ps));
  }
  for (let i = 0; i <= cells; i++) {
    put(u, i, Vt * at(u, i));
    put(ns, i, ni * at(ns, i));
    put(ps, i, ni * at(ps, i));
    put(xs, i, Mesh.node(i));
  }
  store<f64>(head, load<f64>(body, 24)); store<f64>(head, load<f64>(body, 32), 8);
  store<f64>(head, largestField, 16); store<f64>(head, J, 24);
  store<f64>(head, <f64>stepsDone(), 32); store<f64>(head, load<f64>(body, 16), 40);
  store<f64>(head, largestAt, 48); store<f64>(head, smallest, 56);
  standResult(u, <i32>resultBytes(cells));
  finish();
}

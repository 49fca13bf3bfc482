// Discounted payoffs and their derivatives along the paths that assembly/quant/bridge.ts has laid.
//
//   ln S_j = ln S₀ + (r − q − σ²/2) t_j + σ W_j,   t_j = jT/m,   exact in law: no step error
//
// Derivatives are pathwise (Glasserman §7.2): ∂S_j/∂S₀ = S_j/S₀, ∂S_j/∂σ = S_j (W_j − σ t_j). A digital payoff has a
// jump, so its derivatives are those of the density (likelihood ratio, §7.3). The barrier is watched continuously: a
// path from S₀ to S_T > H has stayed above H with probability 1 − p, p = exp(−2 ln(S₀/H) ln(S_T/H) / (σ²T)) (§6.4).

import { bindColumn, evaluateStrip, openFormulas, programCount, STRIP } from "../expression/formulas";
import { findLaw, lawCentre, lawColumn, lawDeviation, scoreOfSigma, scoreOfSpot } from "./law";
import { allocate } from "../kernel/frame";
import { PATHS, ROW, rowOf } from "./bridge";
import {
  barrier, BINS, fixings, K, omega, OWN_COLUMNS, payout, q, r, S0, sigma, Sum, SUMS, T, Type, type,
} from "./problem";

let discount: f64 = 0, drift: f64 = 0, logS0: f64 = 0;
/** Mean of the times that X averages; centre and deviation of the ln X that the bins are laid by. */
let meanTime: f64 = 0, centre: f64 = 0, deviation: f64 = 0;
let own: usize = 0;
let meanW: usize = 0, average: usize = 0, turned: usize = 0, partial: usize = 0;

export function openPayoff(): void {
  const m = type == Type.OWN ? 1.0 : <f64>fixings;
  discount = Math.exp(-r * T);
  drift = r - q - 0.5 * sigma * sigma;
  logS0 = Math.log(S0);
  meanTime = T * (m + 1.0) / (2.0 * m);
  centre = logS0 + drift * meanTime;
  deviation = sigma * sqrt(T * (m + 1.0) * (2.0 * m + 1.0) / (6.0 * m * m));
  meanW = allocate(ROW);
  average = allocate(ROW);
  turned = allocate(ROW);
  partial = allocate(SUMS);
}

/** The formula of a payoff of its own; false for a block that is not one. */
export function openOwnPayoff(at: usize, length: i32): bool {
  own = allocate(<usize>OWN_COLUMNS * ROW);
  if (!(openFormulas(at, length, OWN_COLUMNS, 0) && programCount() == 1)) return false;
  findLaw();
  return true;
}

/** Adds the 256 paths to the sums at `sums` and to the counts at `bins`. */
export function takePaths(sums: usize, bins: usize): void {
  memory.fill(partial, 0, SUMS);
  if (type == Type.GEOMETRIC || type == Type.ARITHMETIC) takeAsian(bins);
  else if (type == Type.OWN) takeOwn(bins);
  else takeTerminal(bins);
  store<f64>(partial, <f64>PATHS, Sum.N);
  for (let at: usize = 0; at < SUMS; at += 8) store<f64>(sums + at, load<f64>(sums + at) + load<f64>(partial + at));
}

@inline function add(sum: usize, value: f64): void { store<f64>(partial + sum, load<f64>(partial + sum) + value); }

@inline function addPair(y: f64, c: f64): void {
  add(Sum.Y, y);
  add(Sum.C, c);
  add(Sum.YC, y * c);
  add(Sum.CC, c * c);
  add(Sum.YY, y * y);
}

@inline function count(logX: f64, bins: usize): void {
  const bin = <i32>max(0.0, min(<f64>(BINS - 1), floor((logX - centre) / deviation * 8.0 + <f64>(BINS / 2))));
  const at = bins + (<usize>bin << 3);
  store<f64>(at, load<f64>(at) + 1.0);
}

// ---- of the last price ---------------------------------------------------------------------------------

function takeTerminal(bins: usize): void {
  const last = rowOf(0);
  for (let p: usize = 0; p < ROW; p += 8) {
    const W = load<f64>(last + p), logS = logS0 + drift * T + sigma * W, S = Math.exp(logS);
    count(logS, bins);
    if (type == Type.EUROPEAN) vanilla(S, W);
    else if (type == Type.DIGITAL) digital(S, W);
    else downOut(S, logS, W);
  }
}

@inline function vanilla(S: f64, W: f64): void {
  const inside = omega * (S - K), weight = discount * omega;
  addPair(discount * max(inside, 0.0), discount * S);
  add(Sum.OTHER, discount * max(-inside, 0.0));
  if (inside > 0.0) {
    add(Sum.DELTA, weight * S / S0);
    add(Sum.VEGA, weight * S * (W - sigma * T));
  }
}

@inline function digital(S: f64, W: f64): void {
  const y = omega * (S - K) > 0.0 ? discount * payout : 0.0;
  addPair(y, discount * S);
  add(Sum.OTHER, discount * payout - y);
  add(Sum.DELTA, y * W / (S0 * sigma * T));
  add(Sum.VEGA, y * ((W * W / T - 1.0) / sigma - W));
}

function downOut(S: f64, logS: f64, W: f64): void {
  const inside = omega * (S - K), gain = discount * max(inside, 0.0);
  if (S <= barrier) { addPair(0.0, discount * S); return; }
  const logH = Math.log(barrier), a = logS0 - logH, b = logS - logH, square = sigma * sigma;
  const hit = Math.exp(-2.0 * a * b / (square * T));
  addPair(gain * (1.0 - hit), discount * S);
  if (inside <= 0.0) return;
  const slope = W - sigma * T, weight = discount * omega * S * (1.0 - hit);
  add(Sum.DELTA, weight / S0 + gain * hit * (2.0 / (square * T)) * (a + b) / S0);
  add(Sum.VEGA, weight * slope + gain * hit * (2.0 / T) * (a * slope / square - 2.0 * a * b / (square * sigma)));
}

// ---- of a formula --------------------------------------------------------------------------------------

@inline function ownColumn(i: i32): usize { return own + <usize>i * ROW; }

/** Columns S_T, A, G, low and high of the paths, then the formula on strips of them. */
function takeOwn(bins: usize): void {
  layColumns(bins);
  for (let from = 0; from < PATHS; from += STRIP) {
    const skip = <usize>from << 3;
    for (let i = 0; i < OWN_COLUMNS; i++) bindColumn(i, ownColumn(i) + skip);
    const payoffs = evaluateStrip(0, STRIP), last = ownColumn(0) + skip;
    for (let p: usize = 0; p < <usize>STRIP << 3; p += 8) {
      addPair(discount * load<f64>(payoffs + p), discount * load<f64>(last + p));
    }
    if (lawColumn >= 0) takeScores(payoffs, ownColumn(lawColumn) + skip);
  }
}

/** Derivatives of a strip's payoffs, whose price is the only one that the formula names. */
function takeScores(payoffs: usize, prices: usize): void {
  for (let p: usize = 0; p < <usize>STRIP << 3; p += 8) {
    const y = discount * load<f64>(payoffs + p), z = (Math.log(load<f64>(prices + p)) - lawCentre) / lawDeviation;
    add(Sum.DELTA, y * scoreOfSpot(z));
    add(Sum.VEGA, y * scoreOfSigma(z));
  }
}

function layColumns(bins: usize): void {
  const m = <f64>fixings;
  memory.fill(own, 0, <usize>OWN_COLUMNS * ROW);
  for (let j = 0; j < fixings; j++) {
    const t = T * <f64>(j + 1) / m, start = logS0 + drift * t, row = rowOf(j), isLast = j == fixings - 1;
    for (let p: usize = 0; p < ROW; p += 8) {
      const logS = start + sigma * load<f64>(row + p), S = Math.exp(logS);
      store<f64>(ownColumn(1) + p, load<f64>(ownColumn(1) + p) + S);
      store<f64>(ownColumn(2) + p, load<f64>(ownColumn(2) + p) + logS);
      store<f64>(ownColumn(3) + p, j == 0 ? S : min(load<f64>(ownColumn(3) + p), S));
      store<f64>(ownColumn(4) + p, j == 0 ? S : max(load<f64>(ownColumn(4) + p), S));
      if (isLast) { store<f64>(ownColumn(0) + p, S); count(logS, bins); }
    }
  }
  for (let p: usize = 0; p < ROW; p += 8) {
    store<f64>(ownColumn(1) + p, load<f64>(ownColumn(1) + p) / m);
    store<f64>(ownColumn(2) + p, Math.exp(load<f64>(ownColumn(2) + p) / m));
  }
}

// ---- of an average -------------------------------------------------------------------------------------

function takeAsian(bins: usize): void {
  const m = <f64>fixings, isArithmetic = type == Type.ARITHMETIC, last = rowOf(fixings - 1);
  memory.fill(meanW, 0, ROW);
  memory.fill(average, 0, ROW);
  memory.fill(turned, 0, ROW);
  for (let j = 0; j < fixings; j++) {
    addRow(meanW, rowOf(j));
    if (isArithmetic) addPrices(rowOf(j), T * <f64>(j + 1) / m);
  }
  for (let p: usize = 0; p < ROW; p += 8) {
    const W = load<f64>(meanW + p) / m, logG = centre + sigma * W, G = Math.exp(logG);
    const gained = discount * max(omega * (G - K), 0.0), slope = G * (W - sigma * meanTime);
    const isIn = omega * (G - K) > 0.0, weight = isIn ? discount * omega : 0.0;
    if (isArithmetic) {
      arithmetic(load<f64>(average + p) / m, load<f64>(turned + p) / m, gained, bins);
      add(Sum.CONTROL_DELTA, weight * G / S0);
      add(Sum.CONTROL_VEGA, weight * slope);
    } else {
      count(logG, bins);
      addPair(gained, discount * Math.exp(logS0 + drift * T + sigma * load<f64>(last + p)));
      add(Sum.OTHER, discount * max(omega * (K - G), 0.0));
      add(Sum.DELTA, weight * G / S0);
      add(Sum.VEGA, weight * slope);
    }
  }
}

@inline function arithmetic(A: f64, slope: f64, control: f64, bins: usize): void {
  const inside = omega * (A - K), weight = discount * omega;
  count(Math.log(A), bins);
  addPair(discount * max(inside, 0.0), control);
  add(Sum.OTHER, discount * max(-inside, 0.0));
  if (inside > 0.0) {
    add(Sum.DELTA, weight * A / S0);
    add(Sum.VEGA, weight * slope);
  }
}

function addRow(to: usize, from: usize): void {
  for (let p: usize = 0; p < ROW; p += 16) v128.store(to + p, f64x2.add(v128.load(to + p), v128.load(from + p)));
}

/** ΣS_j and ΣS_j (W_j − σ t_j). */
function addPrices(row: usize, t: f64): void {
  const start = logS0 + drift * t, back = sigma * t;
  for (let p: usize = 0; p < ROW; p += 8) {
    const W = load<f64>(row + p), S = Math.exp(start + sigma * W);
    store<f64>(average + p, load<f64>(average + p) + S);
    store<f64>(turned + p, load<f64>(turned + p) + S * (W - back));
  }
}

// A bar of unit section by the phase field: springs in a row at given damage, damage of least energy at given strains.
// Linear d and u on N elements, 2 Gauss points; a tridiagonal problem whose active set is found anew after each solution.

import { allocate, parameterF64, spend } from "../kernel/frame";

const KAPPA: f64 = 1e-7;
/** Share by which the two middle elements are less tough. */
const SEED: f64 = 1e-8;

/** Displacements, damage and what it must not fall below, on the nodes: fields of the state. */
export let u: usize = 0, d: usize = 0, lower: usize = 0;
/** What drives the damage of each element; of each node NOW where it is held, CHOSEN where it is to be, in bytes. */
let drive: usize = 0, held: usize = 0;
const NOW: u8 = 1, CHOSEN: u8 = 2;
export let N: i32 = 0;
/** Work units of one pass over the nodes. */
export let units: u64 = 0;
let isAT1: bool = false, h: f64 = 0, E: f64 = 0, width: f64 = 0, mass: f64 = 0, spread: f64 = 0;

@inline export function node(field: usize, i: i32): f64 { return load<f64>(field + (<usize>i << 3)); }
@inline export function put(field: usize, i: i32, value: f64): void { store<f64>(field + (<usize>i << 3), value); }
@inline export function columnBytes(): usize { return <usize>(N + 1) << 3; }

/** Parameters: assembly/kernels/fracture-bar.ts. */
export function readBar(): void {
  N = <i32>parameterF64(0);
  h = parameterF64(8) / <f64>N;
  E = parameterF64(16);
  isAT1 = parameterF64(40) == 1.0;
  width = parameterF64(32);
  const perNorm = parameterF64(24) / (isAT1 ? 8.0 / 3.0 : 2.0);
  mass = perNorm * h / width;
  spread = perNorm * width / h;
  units = 120 * <u64>(N + 1);
}

/** `fields`: u, d and d before, one after the other. */
export function layBar(fields: usize): void {
  const bytes = columnBytes();
  u = fields; d = u + bytes; lower = d + bytes;
  drive = allocate(bytes);
  held = allocate(<usize>(N + 1));
}

// ---- springs in a row ----------------------------------------------------------------------------------

/** Mean of (1 − d)² over the element, by its Gauss points. */
@inline function softness(e: i32): f64 {
  const a = 1.0 - node(d, e), b = 1.0 - node(d, e + 1);
  return (a * a + a * b + b * b) / 3.0 + KAPPA;
}

/** Displacements and what drives the damage of each element, at that of the far end; gives the stress. */
export function stretch(displacement: f64): f64 {
  let compliance = 0.0;
  for (let e = 0; e < N; e++) compliance += h / (E * softness(e));
  const stress = displacement / compliance;
  let sum = 0.0;
  put(u, 0, 0.0);
  for (let e = 0; e < N; e++) {
    const strain = stress / (E * softness(e));
    sum += strain * h;
    put(u, e + 1, sum);
    put(drive, e, 0.5 * E * strain * strain * h);
  }
  put(u, N, displacement);
  return stress;
}

export function elasticEnergy(): f64 {
  let sum = 0.0;
  for (let e = 0; e < N; e++) sum += softness(e) * node(drive, e);
  return sum;
}

// ---- damage --------------------------------------------------------------------------------------------

@inline function massOf(e: i32): f64 { return e == N / 2 - 1 || e == N / 2 ? mass * (1.0 - SEED) : mass; }

/** ½ ∂E/∂d of a node: the diagonal entry, the entry with the next node, and the right side. */
let diagonal: f64 = 0, beside: f64 = 0, right: f64 = 0;
function addElement(e: i32): void {
  if (e < 0 || e >= N) return;
  const W = node(drive, e), weight = W + (isAT1 ? 0.0 : massOf(e));
  diagonal += weight / 3.0 + spread;
  right += 0.5 * W - (isAT1 ? 0.25 * massOf(e) : 0.0);
}
@inline function link(e: i32): f64 { return (node(drive, e) + (isAT1 ? 0.0 : massOf(e))) / 6.0 - spread; }

function rowAt(i: i32): void {
  diagonal = 0.0; right = 0.0;
  addElement(i - 1);
  addElement(i);
}

@inline function marks(i: i32): u8 { return load<u8>(held + <usize>i); }
@inline function isHeld(i: i32): bool { return (marks(i) & NOW) != 0; }
@inline function mark(i: i32, value: u8): void { store<u8>(held + <usize>i, value); }

/** Where `soften` begins: broken nodes are held, and those farther from the middle than `reach`. */
export function hold(reach: f64): void {
  for (let i = 0; i <= N; i++) mark(i, node(lower, i) >= 1.0 || h * abs(<f64>i - <f64>(N / 2)) > reach ? NOW : 0);
}
/** How far AT1's damage reaches around a crack in a long bar; AT2's has no end. */
export function reachOfCrack(): f64 { return isAT1 ? 2.0 * width : Infinity; }

/**
 * Least energy between the bounds. Held nodes are first guessed to be those of the last call: an edge of damage moves by
 * a node a sweep, so that a fine grid would not have found it from nothing. Says whether they are those of the least energy.
 * Factors stand where u stood, which is worth nothing beside another damage.
 */
export function soften(): bool {
  for (let sweep = 0; sweep < 60; sweep++) {
    solveFree();
    spend(units);
    if (!chooseHeld()) return true;
  }
  return false;
}

/** Thomas' algorithm, its right sides in d; a held node keeps its damage. */
function solveFree(): void {
  let lastFactor = 0.0, lastRight = 0.0;
  for (let i = 0; i <= N; i++) {
    rowAt(i);
    if (isHeld(i)) { lastFactor = 0.0; lastRight = node(d, i); continue; }
    const back = i > 0 ? link(i - 1) : 0.0, ahead = i < N ? link(i) : 0.0, pivot = diagonal - back * lastFactor;
    lastFactor = ahead / pivot;
    lastRight = (right - back * lastRight) / pivot;
    put(u, i, lastFactor);
    put(d, i, lastRight);
  }
  for (let i = N - 1; i >= 0; i--) if (!isHeld(i)) put(d, i, node(d, i) - node(u, i) * node(d, i + 1));
}

/** Nodes outside their bounds are held there, and those let go that are pushed inside; says whether any changed. */
function chooseHeld(): bool {
  let changed = false;
  for (let i = 0; i <= N; i++) {
    const bottom = node(lower, i), value = node(d, i);
    const isChosen = bottom >= 1.0 || (isHeld(i) ? isPushed(i) : value < bottom || value > 1.0);
    if (isChosen != isHeld(i)) changed = true;
    if (isChosen) mark(i, marks(i) | CHOSEN);
  }
  for (let i = 0; i <= N; i++) {
    const isChosen = (marks(i) & CHOSEN) != 0;
    if (isChosen) put(d, i, min(1.0, max(node(lower, i), node(d, i))));
    mark(i, isChosen ? NOW : 0);
  }
  return changed;
}

function isPushed(i: i32): bool {
  rowAt(i);
  let force = diagonal * node(d, i) - right;
  if (i > 0) force += link(i - 1) * node(d, i - 1);
  if (i < N) force += link(i) * node(d, i + 1);
  return node(d, i) >= 1.0 ? force <= 0.0 : force >= 0.0;
}

export function surfaceEnergy(): f64 {
  let sum = 0.0;
  for (let e = 0; e < N; e++) {
    const a = node(d, e), b = node(d, e + 1), w = isAT1 ? 0.5 * (a + b) : (a * a + a * b + b * b) / 3.0;
    sum += massOf(e) * w + spread * (b - a) * (b - a);
  }
  return sum;
}

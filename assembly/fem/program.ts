// The iteration as a list of operations that can be interrupted: an operation covers a range of rows, and the
// interpreter does as much of it as the budget allows. Which operations follow each other, and each operation's
// result, do not depend on where it was cut.
//
// Operations by rows that follow each other on one level go over it together, each behind the one before by as many
// rows as a stencil reaches, so that what one leaves in the cache the next finds there:
//
//   rows   ──────────────────────────────────►
//   d ← …  ███████████████████
//   r −= A d   ██████████████
//   d ← …          █████████         (M. Wolfe, Int. J. Parallel Program. 15 (1986) 279)
//
// What an operation reads is then as it would be had the one before ended, and nothing that it writes is still to be
// read by that one: the numbers are those of one after the other.
//
// Several threads (../kernel/team.ts) take blocks of rows. In a block each operation leaves out, beside a border, as many
// more rows than the one before as a stencil reaches; those are done when all blocks are, between the blocks (split tiling,
// T. Grosser et al., GPGPU-6 (2013) 24):
//
//   d ← …  ███████████│███████████
//   r −= A d  ███████     ███████
//   d ← …       ███   ░░░   ███
//
//   preconditioner: one V-cycle, z ← M⁻¹ r (W. L. Briggs et al., A Multigrid Tutorial, ch. 3), SMOOTHINGS steps
//   before and after each coarse correction, the coarsest level by LDLᵀ.

import { allocate } from "../kernel/frame";
import { TEAM, each } from "../kernel/team";
import { dotLeaf, foldTree } from "../math/reduce";
import { solveBottom } from "./bottom";
import { LevelField, bottomLevel, isShared, levelField, levelSize, setSpectralBound, spectralBound } from "./levels";
import { unknownsPerNode } from "./problem";
import { collect, spread, zeroFixed } from "./sharing";
import { smoothNodes, widened } from "./smooth";
import { applyRows, largestCoefficient, reach, rowCount, rowEnd, rowFirst, rowLength, rowWork, subtractRounded, takePointers, widenedHigh } from "./stencil";
import { prolongToElements, prolongVertices, restrictFromElements, restrictVertices } from "./transfer";

export namespace Op {
  export const END: i32 = 0;
  /** b ← A a on level 0 */
  export const APPLY: i32 = 1;
  /** b ← b − A a on level 0 */
  export const SUBTRACT: i32 = 2;
  /** parted a → owned, zero where prescribed */
  export const COLLECT: i32 = 3;
  /** owned a → spread; flags: a is in f32 */
  export const SPREAD: i32 = 4;
  /** d ← x d + (y/λ) D⁻¹ r, z ← d or z + d */
  export const SMOOTH: i32 = 5;
  export const RESTRICT: i32 = 6;
  /** b ← P a, zero where prescribed, spread; b in f32 */
  export const PROLONG: i32 = 7;
  export const BOTTOM: i32 = 8;
  /** scalar ← a·b */
  export const DOT: i32 = 9;
  /** b ← b + s a for scalar s times x */
  export const AXPY: i32 = 10;
  /** b ← t a + s b for two scalars */
  export const XPAY: i32 = 11;
  /** b ← a + b, a in f32 */
  export const ADD: i32 = 12;
  /** λ of the level from two successive sizes */
  export const BOUND: i32 = 13;
  /** b ← b − A a, a in f32, with rounded coefficients */
  export const RESIDUAL: i32 = 14;
  /** b ← 0 */
  export const CLEAR: i32 = 15;
  /** the kernel's own operations from here on */
  export const OWN: i32 = 32;
}

// An operation: code, level, a, b, flags, positions, x, y, how many go together from this one on, work of a
// position, on average, and of all.
const OP_BYTES: usize = 56;
const CAPACITY: i32 = 2048;
const SMOOTHINGS: i32 = 2;
const POWER_STEPS: i32 = 10;
/** The power method comes from below; a smoother tolerates a bound that is a little too large. */
const BOUND_MARGIN: f64 = 1.1;

/** Rows that an operation takes at once: at 261,121 unknowns a twelfth faster than with 4, and as fast as with 32. */
const ROWS_AT_ONCE: i32 = 16;
/** Copies that it takes at once, about, where rows are long: a cut comes no sooner. */
const COPIES_AT_ONCE: i64 = 65536;

let table: usize = 0;
let emitted: i32 = 0;
/** The operation that the next one by rows goes along with, or −1. */
let leader: i32 = -1;
let leaves: usize = 0;
let scalars: usize = 0;

/** Scalars of the program. */
@inline export function scalar(n: i32): f64 { return load<f64>(scalars + (<usize>n << 3)); }
@inline export function setScalar(n: i32, value: f64): void { store<f64>(scalars + (<usize>n << 3), value); }

export function layProgram(): void {
  table = allocate(<usize>CAPACITY * OP_BYTES);
  emitted = 0;
  leader = -1;
  leaves = allocate(<usize>rowCount(0) << 3);
  scalars = allocate(64 * 8);
}

export function programEnd(): i32 { return emitted; }

export function emit(code: i32, l: i32, a: usize, b: usize, flags: i32 = 0, x: f64 = 0, y: f64 = 0): void {
  if (emitted >= CAPACITY) unreachable();
  const at = opAt(emitted);
  store<i32>(at, code);
  store<i32>(at, l, 4);
  store<u32>(at, <u32>a, 8);
  store<u32>(at, <u32>b, 12);
  store<i32>(at, flags, 16);
  store<i32>(at, extent(code, l), 20);
  store<f64>(at, x, 24);
  store<f64>(at, y, 32);
  store<i32>(at, 1, 40);
  const work = wholeWork(code, l);
  store<i32>(at, <i32>(work / extent(code, l)) + 1, 44);
  store<i64>(at, work, 48);
  lead(code, l);
  emitted++;
}

/** Lets the operation that is emitted go along with those before it, or lead. */
function lead(code: i32, l: i32): void {
  if (!byRows(code)) { leader = -1; return; }
  if (leader >= 0 && load<i32>(opAt(leader), 4) == l) store<i32>(opAt(leader), emitted + 1 - leader, 40);
  else leader = emitted;
  // The scalar is there when all rows are.
  if (code == Op.DOT) leader = -1;
}

// ---- interpreter -----------------------------------------------------------------------------------------

let counter: i32 = 0;
let position: i32 = 0;

@inline function opAt(n: i32): usize { return table + <usize>n * OP_BYTES; }

export function jump(to: i32): void { counter = to; position = 0; }
@inline export function opCode(): i32 { return load<i32>(opAt(counter)); }
@inline export function opFlags(): i32 { return load<i32>(opAt(counter), 16); }
export function nextOp(): void { counter++; position = 0; }

/** Whether a position is a row of the level, of which nothing is read that lies beyond the reach of its stencil. */
function byRows(code: i32): bool {
  switch (code) {
    case Op.APPLY: case Op.SUBTRACT: case Op.RESIDUAL: case Op.SMOOTH:
    case Op.DOT: case Op.AXPY: case Op.XPAY: case Op.ADD: case Op.CLEAR: return true;
    default: return false;
  }
}

/** Rows, of the coarser level where that is written, or 1 for lists. */
function extent(code: i32, l: i32): i32 {
  if (byRows(code)) return rowCount(l);
  return code == Op.RESTRICT ? rowCount(l + 1) : code == Op.PROLONG ? rowCount(max(l, 1)) : 1;
}

/** Units of work (ns) per position, from the measured speed of each operation. */
function positionWork(code: i32, l: i32, row: i32): i32 {
  switch (code) {
    case Op.APPLY: case Op.SUBTRACT: case Op.RESIDUAL: return (rowWork(l, row) >> 1) + 40;
    case Op.SMOOTH: return rowLength(l, row) * unknownsPerNode();
    case Op.RESTRICT: case Op.PROLONG: return 4 * (levelSize(l) * unknownsPerNode()) / max(1, extent(code, l)) + 20;
    case Op.DOT: return (3 * rowLength(l, row) * unknownsPerNode() >> 3) + 1;
    case Op.AXPY: case Op.XPAY: case Op.ADD: case Op.CLEAR: return (5 * rowLength(l, row) * unknownsPerNode() >> 3) + 1;
    case Op.BOTTOM: return 2000;
    default: return 4 * levelField(l, LevelField.SHARED_COUNT) + 2 * levelField(l, LevelField.FIXED_COUNT) + 20;
  }
}

/** Work of all positions. */
function wholeWork(code: i32, l: i32): i64 {
  let total: i64 = 0;
  if (code >= Op.OWN || code == Op.END) return total;
  for (let n = 0; n < extent(code, l); n++) total += positionWork(code, l, n);
  return total;
}

/** Work of operations [from, to). */
export function programWork(from: i32, to: i32): i64 {
  let total: i64 = 0;
  for (let n = from; n < to; n++) total += load<i64>(opAt(n), 48);
  return total;
}

/** Runs built-in operations from where it stands; returns the budget left, ≤ 0 when it was cut, at an own operation or END. */
export function run(budget: i32): i32 {
  while (budget > 0) {
    const at = opAt(counter), code = load<i32>(at), l = load<i32>(at, 4);
    if (code == Op.END || code >= Op.OWN) return budget;
    const together = load<i32>(at, 40), behind = reach(l), some = rowsAtOnce(l);
    if (TEAM && position == 0 && layBlocks(at, together, behind, some)) {
      budget -= shareBlocks(at, together);
      counter += together;
      continue;
    }
    const end = load<i32>(at, 20) + (together - 1) * behind;
    while (position < end && budget > 0) {
      for (let k = 0; k < together; k++) budget -= go(at + <usize>k * OP_BYTES, position - k * behind, some);
      position += some;
    }
    if (position >= end) { counter += together; position = 0; }
  }
  return budget;
}

function rowsAtOnce(l: i32): i32 {
  return max(1, min(ROWS_AT_ONCE, <i32>(COPIES_AT_ONCE * rowCount(l) / levelSize(l))));
}

/** Does those of the operation's positions that lie in the `some` from `first` on; returns their work. */
function go(at: usize, first: i32, some: i32): i32 {
  const from = max(first, 0), to = min(first + some, load<i32>(at, 20));
  if (from >= to) return 0;
  execute(at, load<i32>(at), load<i32>(at, 4), from, to);
  if (to == load<i32>(at, 20)) settle(at);
  return (to - from) * load<i32>(at, 44);
}

// ---- in blocks ---------------------------------------------------------------------------------------------

/** Work of a block at least, some 20 µs. */
const BLOCK_WORK: i64 = 40_000;

/** The operations that are shared: the first of them, how many, rows that each stays behind, rows at once; blocks. */
let sharedAt: usize = 0, sharedCount: i32 = 0, sharedReach: i32 = 0, sharedSome: i32 = 0, sharedRows: i32 = 0, blocks: i32 = 0;

/** Cuts the rows so that what is left out beside a border does not touch what is beside the next; says whether there are several. */
function layBlocks(at: usize, together: i32, behind: i32, some: i32): bool {
  let work: i64 = 0;
  for (let k = 0; k < together; k++) work += load<i64>(at + <usize>k * OP_BYTES, 48);
  const rows = load<i32>(at, 20);
  sharedAt = at; sharedCount = together; sharedReach = behind; sharedSome = some; sharedRows = rows;
  blocks = min(rows / (2 * together * behind), <i32>min<i64>(work / BLOCK_WORK, 4096));
  return blocks > 1;
}

@inline function border(block: i32): i32 { return <i32>(<i64>sharedRows * block / blocks); }

/** Does all rows of them; returns their work. */
function shareBlocks(at: usize, together: i32): i32 {
  each(inBlock, blocks);
  if (together > 1) each(betweenBlocks, blocks - 1);
  let work: i64 = 0;
  for (let k = 0; k < together; k++) {
    settle(at + <usize>k * OP_BYTES);
    work += load<i64>(at + <usize>k * OP_BYTES, 48);
  }
  return <i32>min<i64>(work, i32.MAX_VALUE);
}

function inBlock(block: i32): void {
  takePointers();
  const low = border(block), high = border(block + 1), end = high + (sharedCount - 1) * sharedReach;
  for (let first = low; first < end; first += sharedSome) {
    for (let k = 0; k < sharedCount; k++) {
      const left = k * sharedReach;
      doRows(k, max(first - left, block == 0 ? 0 : low + left), min(first + sharedSome - left, block == blocks - 1 ? high : high - left));
    }
  }
}

/** On both sides of the border behind a block. */
function betweenBlocks(block: i32): void {
  takePointers();
  const at = border(block + 1);
  for (let k = 1; k < sharedCount; k++) doRows(k, at - k * sharedReach, at + k * sharedReach);
}

function doRows(k: i32, from: i32, to: i32): void {
  const at = sharedAt + <usize>k * OP_BYTES;
  if (from < to) execute(at, load<i32>(at), load<i32>(at, 4), from, to);
}

// ---- operations --------------------------------------------------------------------------------------------

function execute(at: usize, code: i32, l: i32, from: i32, to: i32): void {
  const a = <usize>load<u32>(at, 8), b = <usize>load<u32>(at, 12), flags = load<i32>(at, 16);
  const x = load<f64>(at, 24), y = load<f64>(at, 32);
  const d = unknownsPerNode();
  switch (code) {
    case Op.APPLY: applyRows(a, b, false, from, to); break;
    case Op.SUBTRACT: applyRows(a, b, true, from, to); break;
    case Op.RESIDUAL: subtractRounded(l, a, b, from, to); break;
    case Op.COLLECT: collect(l, a, d); zeroFixed<f64>(l, a); break;
    case Op.SPREAD:
      if (flags == SINGLE) spread<f32>(l, a, d);
      else spread<f64>(l, a, d);
      break;
    case Op.SMOOTH: smoothStep(l, a, b, flags, x, y / spectralBound(l), rowFirst(l, from), rowEnd(l, to - 1)); break;
    case Op.RESTRICT:
      if (l == 0) restrictFromElements(a, b, from, to);
      else restrictVertices(l, a, b, from, to);
      break;
    case Op.PROLONG:
      if (l == 0) prolongToElements(a, b, from, to);
      else prolongVertices(l, a, b, from, to);
      break;
    case Op.BOTTOM: solveBottom(a, b); break;
    case Op.DOT: dotRows(l, a, b, from, to); break;
    case Op.AXPY: case Op.XPAY: case Op.ADD: case Op.CLEAR:
      for (let c = 0; c < d; c++) {
        combine(code, a, b, flags, x, c * levelSize(l) + rowFirst(l, from), c * levelSize(l) + rowEnd(l, to - 1));
      }
      break;
    case Op.BOUND: boundFrom(l, flags); break;
    default: break;
  }
}

/** What is left to do of an operation when all its rows are done. */
function settle(at: usize): void {
  const code = load<i32>(at), l = load<i32>(at, 4), b = <usize>load<u32>(at, 12);
  if (code == Op.DOT) setScalar(load<i32>(at, 16), foldTree(leaves, load<i32>(at, 20)));
  else if (code == Op.PROLONG) {
    zeroFixed<f32>(l, b);
    spread<f32>(l, b, unknownsPerNode());
  }
}

function combine(code: i32, a: usize, b: usize, flags: i32, x: f64, from: i32, to: i32): void {
  if (code == Op.AXPY) axpy(a, b, scalar(flags) * x, from, to);
  else if (code == Op.XPAY) xpay(a, b, scalar(flags), scalar(flags + 1), from, to);
  else if (code == Op.ADD) addSingle(a, b, from, to);
  else memory.fill(b + (<usize>from << 3), 0, <usize>(to - from) << 3);
}

/** Leaves [from, to) of a·b, one a row. */
function dotRows(l: i32, a: usize, b: usize, from: i32, to: i32): void {
  for (let row = from; row < to; row++) {
    let sum = 0.0;
    for (let c = 0; c < unknownsPerNode(); c++) {
      const o = <usize>(c * levelSize(l) + rowFirst(l, row)) << 3;
      sum += dotLeaf(a + o, b + o, rowLength(l, row));
    }
    store<f64>(leaves + (<usize>row << 3), sum);
  }
}
/** b ← b + s a. */
function axpy(a: usize, b: usize, s: f64, from: i32, to: i32): void {
  const vs = f64x2.splat(s), end = b + (<usize>to << 3);
  a += <usize>from << 3; b += <usize>from << 3;
  for (; b + 64 <= end; a += 64, b += 64) {
    v128.store(b, f64x2.add(v128.load(b), f64x2.mul(vs, v128.load(a))));
    v128.store(b, f64x2.add(v128.load(b, 16), f64x2.mul(vs, v128.load(a, 16))), 16);
    v128.store(b, f64x2.add(v128.load(b, 32), f64x2.mul(vs, v128.load(a, 32))), 32);
    v128.store(b, f64x2.add(v128.load(b, 48), f64x2.mul(vs, v128.load(a, 48))), 48);
  }
  for (; b < end; a += 16, b += 16) v128.store(b, f64x2.add(v128.load(b), f64x2.mul(vs, v128.load(a))));
}
/** b ← t a + s b. */
function xpay(a: usize, b: usize, s: f64, t: f64, from: i32, to: i32): void {
  const vs = f64x2.splat(s), vt = f64x2.splat(t), end = b + (<usize>to << 3);
  a += <usize>from << 3; b += <usize>from << 3;
  for (; b + 32 <= end; a += 32, b += 32) {
    v128.store(b, f64x2.add(f64x2.mul(vt, v128.load(a)), f64x2.mul(vs, v128.load(b))));
    v128.store(b, f64x2.add(f64x2.mul(vt, v128.load(a, 16)), f64x2.mul(vs, v128.load(b, 16))), 16);
  }
  if (b < end) v128.store(b, f64x2.add(f64x2.mul(vt, v128.load(a)), f64x2.mul(vs, v128.load(b))));
}
/** b ← a + b, a in f32. */
function addSingle(a: usize, b: usize, from: i32, to: i32): void {
  const end = b + (<usize>to << 3);
  a += <usize>from << 2; b += <usize>from << 3;
  for (; b + 32 <= end; a += 16, b += 32) {
    const four = v128.load(a);
    v128.store(b, f64x2.add(v128.load(b), f64x2.promote_low_f32x4(four)));
    v128.store(b, f64x2.add(v128.load(b, 16), widenedHigh(four)), 16);
  }
  if (b < end) v128.store(b, f64x2.add(v128.load(b), widened(a)));
}

const FRESH: i32 = 1;
/** A vector of f32. */
const SINGLE: i32 = 1;

/** A power of two, times which r goes into the cycle: directions, in f32, are then near 1 whatever the unit. */
let cycleScale: f64 = 1;

/** Chooses it for a residual of this size; gives the factor that takes a correction back. */
export function scaleCycle(size: f64): f64 {
  const power = reinterpret<f64>(reinterpret<u64>(largestCoefficient() / size) & 0x7ff0000000000000);
  cycleScale = power > 0 && power < Infinity ? power : 1;
  return 1 / cycleScale;
}

/** a: residual; b: where to copy the residual, or 0. */
function smoothStep(l: i32, r: usize, copy: usize, flags: i32, x: f64, y: f64, from: i32, to: i32): void {
  smoothNodes(l, r, direction(l), correction(l), x, y, (flags & FRESH) != 0, copy, cycleScale, from, to);
}

/** Scalars `flags` and `flags`+1: squares of the sizes before and after the last power step. */
function boundFrom(l: i32, flags: i32): void {
  const before = scalar(flags), after = scalar(flags + 1);
  setSpectralBound(l, before > 0 && after > 0 ? BOUND_MARGIN * sqrt(after / before) : 1);
}

// ---- programs --------------------------------------------------------------------------------------------

@inline export function residual(l: i32): usize { return <usize>levelField(l, LevelField.RESIDUAL); }
@inline export function correction(l: i32): usize { return <usize>levelField(l, LevelField.CORRECTION); }
/** In f32. */
@inline export function direction(l: i32): usize { return <usize>levelField(l, LevelField.DIRECTION); }

/** Makes a vector of the level spread, where there is more than one copy of a node. */
function emitSpread(l: i32, a: usize, flags: i32 = 0): void {
  if (isShared(l)) emit(Op.SPREAD, l, a, 0, flags);
}

/** r ← r − A d, owned; not zero where prescribed if no copies are to be collected: D⁻¹ is zero there. */
function emitResidual(l: i32): void {
  emit(Op.RESIDUAL, l, direction(l), residual(l));
  if (isShared(l)) emit(Op.COLLECT, l, residual(l), 0);
}

/** SMOOTHINGS Chebyshev steps from residual `from`; leaves d of the last step unspread. */
function emitSmoothing(l: i32, from: usize, fresh: i32): void {
  for (let k = 1; k <= SMOOTHINGS; k++) {
    if (k > 1) { emitSpread(l, direction(l), SINGLE); emitResidual(l); }
    const copy = k == 1 && from != residual(l) ? residual(l) : 0;
    const x = k == 1 ? 0.0 : <f64>(2 * k - 3) / <f64>(2 * k + 1);
    emit(Op.SMOOTH, l, k == 1 ? from : residual(l), copy, k == 1 ? fresh : 0, x, <f64>(8 * k - 4) / <f64>(2 * k + 1));
  }
}

/** correction(0) ← M⁻¹ r times the scale of the cycle, spread; scalar `product` ← r·correction(0); residual(0) is scratch. */
export function emitCycle(r: usize, product: i32): void {
  const bottom = bottomLevel();
  for (let l = 0; l < bottom; l++) {
    emitSmoothing(l, l == 0 ? r : residual(l), FRESH);
    emitSpread(l, direction(l), SINGLE);
    emit(Op.RESIDUAL, l, direction(l), residual(l));
    emit(Op.COLLECT, l, residual(l), 0);
    emit(Op.RESTRICT, l, residual(l), residual(l + 1));
    emit(Op.COLLECT, l + 1, residual(l + 1), 0);
  }
  emit(Op.BOTTOM, bottom, residual(bottom), correction(bottom));
  for (let l = bottom - 1; l >= 0; l--) {
    emit(Op.PROLONG, l, correction(l + 1), direction(l));
    emit(Op.ADD, l, direction(l), correction(l));
    emitResidual(l);
    emitSmoothing(l, residual(l), 0);
    if (l == 0) emit(Op.DOT, 0, r, correction(0), product);
    emitSpread(l, correction(l));
  }
}

/** λ of −D⁻¹A on each level but the last by the power method, from a rough vector in direction(l). */
export function emitBounds(first: i32): void {
  for (let l = 0; l < bottomLevel(); l++) {
    setSpectralBound(l, 1);
    for (let n = 0; n < POWER_STEPS; n++) {
      emitSpread(l, direction(l), SINGLE);
      emit(Op.CLEAR, l, 0, residual(l));
      emit(Op.RESIDUAL, l, direction(l), residual(l));
      emit(Op.COLLECT, l, residual(l), 0);
      emit(Op.SMOOTH, l, residual(l), 0, FRESH, 0, 1);
      if (n >= POWER_STEPS - 2) emit(Op.DOT, l, correction(l), correction(l), first + n - (POWER_STEPS - 2));
    }
    emit(Op.BOUND, l, 0, 0, first);
  }
}

/** A rough start for the power method: ±1 by a hash of the index (finaliser of MurmurHash3), 0 where prescribed. */
export function roughen(l: i32): void {
  const at = direction(l), count = levelSize(l) * unknownsPerNode();
  for (let n = 0; n < count; n++) {
    let h = <u32>n + 0x9e3779b9;
    h = (h ^ (h >> 16)) * 0x85ebca6b;
    h = (h ^ (h >> 13)) * 0xc2b2ae35;
    store<f32>(at + (<usize>n << 2), h & 0x10000 ? 1.0 : -1.0);
  }
  zeroFixed<f32>(l, at);
}

// What an engine does at the edges: every kind of arithmetic, comparison, conversion and SIMD instruction that kernels
// may use, on values where rounding, overflow, denormals, signed zeros and NaN decide. Its rows hold every result, so
// the digests of a run tell whether two engines agree to the bit (docs/protocol.md, 'Kernel').
//
// A step takes one value x against every value y. A NaN that comes out of arithmetic is written as
// 0x7ff8000000000000 (f32: 0x7fc00000): the standard leaves its sign and payload open (WebAssembly Core 2.0, §4.3.3).
//
// Parameters (f64):  0 group, 0 … 10, as the functions below are numbered
// State body (u64):  0 FNV-1a over all results so far, 64 bits at a time
// Rows: the results of a step, u64 each, in the order of y
// Result (u64): 0 the hash

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64, restoreState, rowsFull,
  running, show, spend, stepsDone,
} from "../kernel/frame";
import { Status } from "../kernel/status";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const GROUPS: i32 = 11;
/** Of results of one step, and so of its row. */
const MOST: usize = 131072;
/** Work units of a step. */
const UNITS: u64 = 100000;

// ---- edge values -----------------------------------------------------------------------------------------

/** Patterns of f64, each taken with either sign: borders of f64, f32, i32 and i64, ties, and NaNs of both kinds. */
const FLOATS: i32 = 50;
const floats: usize = memory.data<u64>([
  0x0000000000000000, 0x0000000000000001, 0x0000000000000003, 0x000fffffffffffff, 0x0010000000000000,
  0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x1e5fffffffffffff, 0x2000000000000000,
  0x3690000000000000, 0x3690000000000001, 0x36a0000000000000, 0x380fffffc0000000, 0x380fffffe0000000,
  0x3810000000000000, 0x3ca0000000000000, 0x3ca0000000000001, 0x3cb0000000000000, 0x3fb999999999999a,
  0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001, 0x3fefffffffffffff, 0x3ff0000000000000,
  0x3ff0000000000001, 0x3ff0000010000000, 0x3ff0000010000001, 0x3ff0000030000000, 0x3ff8000000000000,
  0x4004000000000000, 0x400921fb54442d18, 0x40dfffe000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
  0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x432fffffffffffff, 0x4330000000000001,
  0x4340000000000001, 0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff, 0x47efffffe0000000,
  0x47effffff0000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
]);

const INTEGERS: i32 = 40;
const integers: usize = memory.data<u64>([
  0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003, 0x0000000000000007,
  0x000000000000001f, 0x0000000000000020, 0x0000000000000021, 0x000000000000003f, 0x0000000000000040,
  0x000000000000007f, 0x0000000000000080, 0x00000000000000ff, 0x0000000000000100, 0x0000000000007fff,
  0x0000000000008000, 0x000000000000ffff, 0x0000000000010000, 0x000000007fffffff, 0x0000000080000000,
  0x00000000ffffffff, 0x0000000100000000, 0x001fffffffffffff, 0x0020000000000001, 0x7fffffffffffffff,
  0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff, 0xaaaaaaaaaaaaaaaa,
  0x5555555555555555, 0x0123456789abcdef, 0xfedcba9876543210, 0xff00ff00ff00ff00, 0x8080808080808080,
  0x7f7f7f7f7f7f7f7f, 0x8001800180018001, 0x80007fff80007fff, 0xffffffff00000000, 0x7ffffc007ffffe00,
]);

@inline function isFloatGroup(group: i32): bool { return group < 5; }
@inline function countOf(group: i32): i32 { return isFloatGroup(group) ? 2 * FLOATS : INTEGERS; }

/** Pattern i of a group; every second one of the floats with the sign set. */
function bitsOf(group: i32, i: i32): u64 {
  if (!isFloatGroup(group)) return load<u64>(integers + (<usize>i << 3));
  return load<u64>(floats + (<usize>(i >> 1) << 3)) | (<u64>(i & 1) << 63);
}

// ---- writing results -------------------------------------------------------------------------------------

let body: usize = 0;
let scratch: usize = 0; // two vectors and what the memory group needs
let buffer: usize = 0;
let at: usize = 0;

function put(bits: u64): void {
  store<u64>(at, bits);
  at += 8;
  store<u64>(body, (load<u64>(body) ^ bits) * 0x00000100000001b3);
}
@inline function putF64(x: f64): void { put(x == x ? reinterpret<u64>(x) : 0x7ff8000000000000); }
@inline function putF32(x: f32): void { put(x == x ? <u64>reinterpret<u32>(x) : 0x7fc00000); }
@inline function putBool(x: bool): void { put(x ? 1 : 0); }
function putV(v: v128): void {
  put(<u64>i64x2.extract_lane(v, 0));
  put(<u64>i64x2.extract_lane(v, 1));
}
function putF64x2(v: v128): void {
  putF64(f64x2.extract_lane(v, 0));
  putF64(f64x2.extract_lane(v, 1));
}
function putF32x4(v: v128): void {
  putF32(f32x4.extract_lane(v, 0));
  putF32(f32x4.extract_lane(v, 1));
  putF32(f32x4.extract_lane(v, 2));
  putF32(f32x4.extract_lane(v, 3));
}

// ---- 0, 1: f64 and f32 ---------------------------------------------------------------------------------------

function doubles(x: f64, y: f64): void {
  putF64(x + y); putF64(x - y); putF64(x * y); putF64(x / y);
  putF64(min(x, y)); putF64(max(x, y)); put(reinterpret<u64>(copysign(x, y)));
  putF64(x * y + x); putF64((x + y) - x);
  put((<u64>(x == y)) | (<u64>(x != y) << 1) | (<u64>(x < y) << 2) | (<u64>(x > y) << 3) | (<u64>(x <= y) << 4) | (<u64>(x >= y) << 5));
  putF64(sqrt(y)); putF64(ceil(y)); putF64(floor(y)); putF64(trunc(y)); putF64(nearest(y));
  put(reinterpret<u64>(abs(y))); put(reinterpret<u64>(-y));
}

/** x as f32. A NaN that was rounded may have either sign, which copysign would show. */
@inline function single(x: f64): f32 { return x == x ? <f32>x : reinterpret<f32>(0x7fc00000); }

function singles(x64: f64, y64: f64): void {
  const x = single(x64), y = single(y64);
  putF32(x); putF32(x + y); putF32(x - y); putF32(x * y); putF32(x / y);
  putF32(min(x, y)); putF32(max(x, y)); putF32(copysign(x, y));
  putF32(x * y + x); putF32((x + y) - x);
  put((<u64>(x == y)) | (<u64>(x != y) << 1) | (<u64>(x < y) << 2) | (<u64>(x > y) << 3) | (<u64>(x <= y) << 4) | (<u64>(x >= y) << 5));
  putF32(sqrt(y)); putF32(ceil(y)); putF32(floor(y)); putF32(trunc(y)); putF32(nearest(y)); putF32(abs(y)); putF32(-y);
}

// ---- 2: conversions --------------------------------------------------------------------------------------------

/** Of floats to integers, which saturate, and of their bits as integers back to floats. */
function conversions(x: f64, y: f64): void {
  const rounded = <f32>y, mixed = x + y, bits = reinterpret<u64>(y) ^ (reinterpret<u64>(x) >> 7);
  put(<u64><u32><i32>mixed); put(<u64><u32>mixed); put(<u64><i64>mixed); put(<u64>mixed);
  put(<u64><u32><i32>rounded); put(<u64><u32>rounded); put(<u64><i64>rounded); put(<u64>rounded);
  putF64(<f64><i32>bits); putF64(<f64><u32>bits); putF64(<f64><i64>bits); putF64(<f64>bits);
  putF32(<f32><i32>bits); putF32(<f32><u32>bits); putF32(<f32><i64>bits); putF32(<f32>bits);
  putF64(<f64>rounded); putF32(<f32>mixed); putF64(reinterpret<f64>(bits)); putF32(reinterpret<f32>(<u32>bits));
  put(<u64><i64><i8>bits); put(<u64><i64><i16>bits); put(<u64><i64><i32>bits); put(<u64><u32><i32><i8>bits); put(<u64><u32><i32><i16>bits);
}

// ---- 3, 4: SIMD of floats --------------------------------------------------------------------------------------

function doubleLanes(x: f64, y: f64): void {
  const a = f64x2.replace_lane(f64x2.splat(x), 1, y), b = f64x2.replace_lane(f64x2.splat(y), 1, -x);
  putF64x2(f64x2.add(a, b)); putF64x2(f64x2.sub(a, b)); putF64x2(f64x2.mul(a, b)); putF64x2(f64x2.div(a, b));
  putF64x2(f64x2.min(a, b)); putF64x2(f64x2.max(a, b)); putF64x2(f64x2.pmin(a, b)); putF64x2(f64x2.pmax(a, b));
  putF64x2(f64x2.sqrt(b)); putF64x2(f64x2.ceil(b)); putF64x2(f64x2.floor(b)); putF64x2(f64x2.trunc(b)); putF64x2(f64x2.nearest(b));
  putF64x2(f64x2.abs(b)); putF64x2(f64x2.neg(b));
  putV(f64x2.eq(a, b)); putV(f64x2.ne(a, b)); putV(f64x2.lt(a, b)); putV(f64x2.gt(a, b)); putV(f64x2.le(a, b)); putV(f64x2.ge(a, b));
  putF64x2(f64x2.convert_low_i32x4_s(b)); putF64x2(f64x2.convert_low_i32x4_u(b)); putF64x2(f64x2.promote_low_f32x4(b));
  putV(i32x4.trunc_sat_f64x2_s_zero(a)); putV(i32x4.trunc_sat_f64x2_u_zero(a)); putF32x4(f32x4.demote_f64x2_zero(a));
}

function singleLanes(x: f64, y: f64): void {
  const a = f32x4.replace_lane(f32x4.splat(<f32>x), 2, <f32>y), b = f32x4.replace_lane(f32x4.splat(<f32>y), 1, <f32>-x);
  putF32x4(f32x4.add(a, b)); putF32x4(f32x4.sub(a, b)); putF32x4(f32x4.mul(a, b)); putF32x4(f32x4.div(a, b));
  putF32x4(f32x4.min(a, b)); putF32x4(f32x4.max(a, b)); putF32x4(f32x4.pmin(a, b)); putF32x4(f32x4.pmax(a, b));
  putF32x4(f32x4.sqrt(b)); putF32x4(f32x4.ceil(b)); putF32x4(f32x4.floor(b)); putF32x4(f32x4.trunc(b)); putF32x4(f32x4.nearest(b));
  putF32x4(f32x4.abs(b)); putF32x4(f32x4.neg(b));
  putV(f32x4.eq(a, b)); putV(f32x4.ne(a, b)); putV(f32x4.lt(a, b)); putV(f32x4.gt(a, b)); putV(f32x4.le(a, b)); putV(f32x4.ge(a, b));
  putV(i32x4.trunc_sat_f32x4_s(a)); putV(i32x4.trunc_sat_f32x4_u(a));
}

// ---- 5, 6: integers ----------------------------------------------------------------------------------------------

function words(wideX: u64, wideY: u64): void {
  const x = <u32>wideX, y = <u32>wideY, signedX = <i32>x, signedY = <i32>y;
  put(x + y); put(x - y); put(x * y); put(x & y); put(x | y); put(x ^ y); put(x << y); put(x >> y); put(<u64><u32>(signedX >> signedY));
  put(rotl<u32>(x, y)); put(rotr<u32>(x, y)); put(clz<u32>(y)); put(ctz<u32>(y)); put(popcnt<u32>(y));
  if (y != 0) { put(x / y); put(x % y); put(<u64><u32>(signedX % signedY)); }
  if (y != 0 && !(x == 0x80000000 && y == 0xffffffff)) put(<u64><u32>(signedX / signedY));
  put((<u64>(x == y)) | (<u64>(x < y) << 1) | (<u64>(x > y) << 2) | (<u64>(x <= y) << 3) | (<u64>(x >= y) << 4));
  put((<u64>(signedX < signedY)) | (<u64>(signedX > signedY) << 1) | (<u64>(signedX <= signedY) << 2) | (<u64>(signedX >= signedY) << 3));
  put(<u64>(select<u32>(x, y, signedX < signedY)));
}

function longWords(x: u64, y: u64): void {
  const signedX = <i64>x, signedY = <i64>y;
  put(x + y); put(x - y); put(x * y); put(x & y); put(x | y); put(x ^ y); put(x << y); put(x >> y); put(<u64>(signedX >> signedY));
  put(rotl<u64>(x, y)); put(rotr<u64>(x, y)); put(clz<u64>(y)); put(ctz<u64>(y)); put(popcnt<u64>(y));
  if (y != 0) { put(x / y); put(x % y); put(<u64>(signedX % signedY)); }
  if (y != 0 && !(x == 0x8000000000000000 && y == 0xffffffffffffffff)) put(<u64>(signedX / signedY));
  put((<u64>(x == y)) | (<u64>(x < y) << 1) | (<u64>(x > y) << 2) | (<u64>(x <= y) << 3) | (<u64>(x >= y) << 4));
  put((<u64>(signedX < signedY)) | (<u64>(signedX > signedY) << 1) | (<u64>(signedX <= signedY) << 2) | (<u64>(signedX >= signedY) << 3));
}

// ---- 7 … 9: SIMD of integers -------------------------------------------------------------------------------------

@inline function vectorOf(x: u64, y: u64): v128 {
  return i64x2.replace_lane(i64x2.splat(<i64>x), 1, <i64>y);
}

function byteLanes(x: u64, y: u64): void {
  const a = vectorOf(x, ~y), b = vectorOf(y, rotl<u64>(x, 9)), count = <i32>(y & 31);
  putV(i8x16.add(a, b)); putV(i8x16.sub(a, b)); putV(i8x16.neg(b)); putV(i8x16.abs(b)); putV(i8x16.popcnt(b));
  putV(i8x16.add_sat_s(a, b)); putV(i8x16.add_sat_u(a, b)); putV(i8x16.sub_sat_s(a, b)); putV(i8x16.sub_sat_u(a, b));
  putV(i8x16.min_s(a, b)); putV(i8x16.min_u(a, b)); putV(i8x16.max_s(a, b)); putV(i8x16.max_u(a, b)); putV(i8x16.avgr_u(a, b));
  putV(i8x16.shl(a, count)); putV(i8x16.shr_s(a, count)); putV(i8x16.shr_u(a, count));
  putV(i8x16.eq(a, b)); putV(i8x16.ne(a, b)); putV(i8x16.lt_s(a, b)); putV(i8x16.lt_u(a, b)); putV(i8x16.gt_s(a, b)); putV(i8x16.gt_u(a, b));
  putV(i8x16.le_s(a, b)); putV(i8x16.le_u(a, b)); putV(i8x16.ge_s(a, b)); putV(i8x16.ge_u(a, b));
  putV(i8x16.narrow_i16x8_s(a, b)); putV(i8x16.narrow_i16x8_u(a, b)); putV(i8x16.swizzle(a, b));
  put(<u64>i8x16.bitmask(b)); putBool(i8x16.all_true(b)); putBool(v128.any_true(b));
  putV(v128.and(a, b)); putV(v128.or(a, b)); putV(v128.xor(a, b)); putV(v128.andnot(a, b)); putV(v128.not(b)); putV(v128.bitselect(a, b, i8x16.splat(<i8>x)));
  putV(v128.shuffle<i8>(a, b, 0, 31, 2, 29, 4, 27, 6, 25, 8, 23, 10, 21, 12, 19, 14, 17));
}

function shortLanes(x: u64, y: u64): void {
  const a = vectorOf(x, ~y), b = vectorOf(y, rotl<u64>(x, 9)), count = <i32>(y & 31);
  putV(i16x8.add(a, b)); putV(i16x8.sub(a, b)); putV(i16x8.mul(a, b)); putV(i16x8.neg(b)); putV(i16x8.abs(b));
  putV(i16x8.add_sat_s(a, b)); putV(i16x8.add_sat_u(a, b)); putV(i16x8.sub_sat_s(a, b)); putV(i16x8.sub_sat_u(a, b));
  putV(i16x8.min_s(a, b)); putV(i16x8.min_u(a, b)); putV(i16x8.max_s(a, b)); putV(i16x8.max_u(a, b)); putV(i16x8.avgr_u(a, b));
  putV(i16x8.shl(a, count)); putV(i16x8.shr_s(a, count)); putV(i16x8.shr_u(a, count)); putV(i16x8.q15mulr_sat_s(a, b));
  putV(i16x8.eq(a, b)); putV(i16x8.lt_s(a, b)); putV(i16x8.lt_u(a, b)); putV(i16x8.gt_s(a, b)); putV(i16x8.gt_u(a, b));
  putV(i16x8.narrow_i32x4_s(a, b)); putV(i16x8.narrow_i32x4_u(a, b));
  putV(i16x8.extend_low_i8x16_s(b)); putV(i16x8.extend_low_i8x16_u(b)); putV(i16x8.extend_high_i8x16_s(b)); putV(i16x8.extend_high_i8x16_u(b));
  putV(i16x8.extmul_low_i8x16_s(a, b)); putV(i16x8.extmul_low_i8x16_u(a, b)); putV(i16x8.extmul_high_i8x16_s(a, b)); putV(i16x8.extmul_high_i8x16_u(a, b));
  putV(i16x8.extadd_pairwise_i8x16_s(b)); putV(i16x8.extadd_pairwise_i8x16_u(b)); put(<u64>i16x8.bitmask(b)); putBool(i16x8.all_true(b));
}

function wordLanes(x: u64, y: u64): void {
  const a = vectorOf(x, ~y), b = vectorOf(y, rotl<u64>(x, 9)), count = <i32>(y & 127);
  putV(i32x4.add(a, b)); putV(i32x4.sub(a, b)); putV(i32x4.mul(a, b)); putV(i32x4.neg(b)); putV(i32x4.abs(b));
  putV(i32x4.min_s(a, b)); putV(i32x4.min_u(a, b)); putV(i32x4.max_s(a, b)); putV(i32x4.max_u(a, b)); putV(i32x4.dot_i16x8_s(a, b));
  putV(i32x4.shl(a, count)); putV(i32x4.shr_s(a, count)); putV(i32x4.shr_u(a, count));
  putV(i32x4.eq(a, b)); putV(i32x4.lt_s(a, b)); putV(i32x4.lt_u(a, b)); putV(i32x4.ge_s(a, b)); putV(i32x4.ge_u(a, b));
  putV(i32x4.extend_low_i16x8_s(b)); putV(i32x4.extend_high_i16x8_u(b)); putV(i32x4.extmul_low_i16x8_s(a, b)); putV(i32x4.extmul_high_i16x8_u(a, b));
  putV(i32x4.extadd_pairwise_i16x8_s(b)); putV(i32x4.extadd_pairwise_i16x8_u(b)); put(<u64>i32x4.bitmask(b)); putBool(i32x4.all_true(b));
  putF32x4(f32x4.convert_i32x4_s(b)); putF32x4(f32x4.convert_i32x4_u(b));
  putV(i64x2.add(a, b)); putV(i64x2.sub(a, b)); putV(i64x2.mul(a, b)); putV(i64x2.neg(b)); putV(i64x2.abs(b));
  putV(i64x2.shl(a, count)); putV(i64x2.shr_s(a, count)); putV(i64x2.shr_u(a, count));
  putV(i64x2.eq(a, b)); putV(i64x2.ne(a, b)); putV(i64x2.lt_s(a, b)); putV(i64x2.gt_s(a, b)); putV(i64x2.le_s(a, b)); putV(i64x2.ge_s(a, b));
  putV(i64x2.extend_low_i32x4_s(b)); putV(i64x2.extend_high_i32x4_u(b)); putV(i64x2.extmul_low_i32x4_s(a, b)); putV(i64x2.extmul_high_i32x4_u(a, b));
  put(<u64>i64x2.bitmask(b)); putBool(i64x2.all_true(b));
}

// ---- 10: memory and calls ------------------------------------------------------------------------------------------

/** Loads and stores of every width at addresses that are not aligned, copies onto themselves, and a call by table. */
function memories(x: u64, y: u64): void {
  const p = scratch + 3;
  store<u64>(p, x); store<u64>(p + 8, y); store<u64>(p + 16, x ^ y);
  put(load<u64>(p + 5)); put(<u64>load<i8>(p + 7)); put(<u64>load<u8>(p + 7)); put(<u64>load<i16>(p + 6)); put(<u64>load<u16>(p + 6));
  put(<u64>load<i32>(p + 5)); put(<u64>load<u32>(p + 5)); putF64(load<f64>(p + 4)); putF32(load<f32>(p + 3));
  store<u8>(p + 2, <u8>y); store<u16>(p + 5, <u16>x); store<u32>(p + 9, <u32>y); put(load<u64>(p + 2)); put(load<u64>(p + 8));
  memory.copy(p + 1, p, 20); put(load<u64>(p)); put(load<u64>(p + 9)); memory.copy(p, p + 3, 20); put(load<u64>(p + 1));
  memory.fill(p + 4, <u8>x, 7); put(load<u64>(p + 2));
  const v = v128.load(p + 1);
  putV(v); putV(v128.load8x8_s(p)); putV(v128.load16x4_u(p + 2)); putV(v128.load32x2_s(p + 1)); putV(v128.load8_splat(p + 3));
  putV(v128.load16_splat(p + 3)); putV(v128.load32_splat(p + 3)); putV(v128.load64_splat(p + 3)); putV(v128.load32_zero(p)); putV(v128.load64_zero(p));
  v128.store(p + 6, v); putV(v128.load(p + 3)); put(byTable(<i32>(y % 5), x));
}

function increased(x: u64): u64 { return x + 1; }
function turned(x: u64): u64 { return ~x; }
function swapped(x: u64): u64 { return bswap<u64>(x); }
const functions: StaticArray<(x: u64) => u64> = [increased, turned, swapped, increased, turned];

function byTable(index: i32, x: u64): u64 {
  const called = unchecked(functions[index])(x);
  switch (index) {
    case 0: return called ^ 3;
    case 1: return called * 5;
    case 2: return called - 7;
    case 3: return called >> 2;
    default: return called;
  }
}

// ---- the run -----------------------------------------------------------------------------------------------------

function layout(): void {
  body = openState(8);
  openRows(<i32>MOST);
  scratch = allocate(64);
  buffer = allocate(MOST);
}

export function start(_budget: i32): i32 {
  layout();
  store<u64>(body, 0xcbf29ce484222325);
  const group = parameterF64(0);
  if (!(group >= 0 && group < <f64>GROUPS && group == floor(group))) fail(Status.INVALID_INPUT);
  return 1;
}

export function restore(length: i32): usize {
  layout();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

export function advance(steps: i32, _budget: i32): i32 {
  const group = <i32>parameterF64(0), count = countOf(group);
  let taken = 0;
  // A step is far below any budget; after each one the rows are drained.
  if (taken < steps && running() && !rowsFull(<i32>MOST)) {
    takeStep(group, count, bitsOf(group, <i32>stepsDone()));
    countStep();
    spend(UNITS);
    taken++;
    show(0, <f64>stepsDone());
    if (stepsDone() == <u64>count) { store<u64>(openResult(8), load<u64>(body)); finish(); }
  }
  return taken;
}

function takeStep(group: i32, count: i32, x: u64): void {
  at = buffer;
  for (let i = 0; i < count; i++) takePair(group, x, bitsOf(group, i));
  const bytes = at - buffer;
  memory.copy(appendRow(<i32>bytes), buffer, bytes);
}

function takePair(group: i32, x: u64, y: u64): void {
  const p = reinterpret<f64>(x), q = reinterpret<f64>(y);
  switch (group) {
    case 0: return doubles(p, q);
    case 1: return singles(p, q);
    case 2: return conversions(p, q);
    case 3: return doubleLanes(p, q);
    case 4: return singleLanes(p, q);
    case 5: return words(x, y);
    case 6: return longWords(x, y);
    case 7: return byteLanes(x, y);
    case 8: return shortLanes(x, y);
    case 9: return wordLanes(x, y);
    case 10: return memories(x, y);
    default: unreachable();
  }
}

// One instruction over a strip of points: arithmetic on two lanes at a time, which gives the bits of one lane, and
// the functions point by point. Operands are f64 at their addresses; one that is the same everywhere is spread.

import { isBinary, Op } from "./opcodes";
import { binary, powerOf, unary } from "./partials";

// Bits of an instruction's form: ./formulas.
const LEFT_MANY: i32 = 1;
const RIGHT_MANY: i32 = 2;
const LEFT_COLUMN: i32 = 4;
const RIGHT_COLUMN: i32 = 8;

export function runOverStrip(at: usize, count: i32): void {
  const op = load<i32>(at), form = load<i32>(at, 4);
  let left = <usize>load<u32>(at, 8), right = <usize>load<u32>(at, 12);
  const to = <usize>load<u32>(at, 16), bytes = <usize>((count + 3) & ~3) << 3;
  if (form & LEFT_COLUMN) left = load<usize>(left);
  if (form & RIGHT_COLUMN) right = load<usize>(right);
  switch (op) {
    case Op.ADD: { arithmetic(Op.ADD, form, left, right, to, bytes); return; }
    case Op.SUBTRACT: { arithmetic(Op.SUBTRACT, form, left, right, to, bytes); return; }
    case Op.MULTIPLY: { arithmetic(Op.MULTIPLY, form, left, right, to, bytes); return; }
    case Op.DIVIDE: { arithmetic(Op.DIVIDE, form, left, right, to, bytes); return; }
    case Op.MIN: { arithmetic(Op.MIN, form, left, right, to, bytes); return; }
    case Op.MAX: { arithmetic(Op.MAX, form, left, right, to, bytes); return; }
    case Op.NEGATE: { alone(Op.NEGATE, left, to, bytes); return; }
    case Op.SQRT: { alone(Op.SQRT, left, to, bytes); return; }
    case Op.ABS: { alone(Op.ABS, left, to, bytes); return; }
    case Op.FLOOR: { alone(Op.FLOOR, left, to, bytes); return; }
    default:
  }
  if (op == Op.POWER_OF) raise(load<i32>(at, 20), left, to, count);
  else if (isBinary(op)) pointwise2(op, form, left, right, to, count);
  else pointwise(op, left, to, count);
}

// `op` is a constant where these are inlined, so that each is a loop of its own.

@inline function lanes2(op: i32, a: v128, b: v128): v128 {
  if (op == Op.ADD) return f64x2.add(a, b);
  if (op == Op.SUBTRACT) return f64x2.sub(a, b);
  if (op == Op.MULTIPLY) return f64x2.mul(a, b);
  if (op == Op.DIVIDE) return f64x2.div(a, b);
  if (op == Op.MIN) return f64x2.min(a, b);
  return f64x2.max(a, b);
}

@inline function arithmetic(op: i32, form: i32, left: usize, right: usize, to: usize, bytes: usize): void {
  if ((form & (LEFT_MANY | RIGHT_MANY)) == (LEFT_MANY | RIGHT_MANY)) {
    for (let i: usize = 0; i < bytes; i += 32) {
      v128.store(to + i, lanes2(op, v128.load(left + i), v128.load(right + i)));
      v128.store(to + i, lanes2(op, v128.load(left + i, 16), v128.load(right + i, 16)), 16);
    }
  } else if (form & LEFT_MANY) {
    const b = f64x2.splat(load<f64>(right));
    for (let i: usize = 0; i < bytes; i += 32) {
      v128.store(to + i, lanes2(op, v128.load(left + i), b));
      v128.store(to + i, lanes2(op, v128.load(left + i, 16), b), 16);
    }
  } else {
    const a = f64x2.splat(load<f64>(left));
    for (let i: usize = 0; i < bytes; i += 32) {
      v128.store(to + i, lanes2(op, a, v128.load(right + i)));
      v128.store(to + i, lanes2(op, a, v128.load(right + i, 16)), 16);
    }
  }
}

@inline function lanes(op: i32, a: v128): v128 {
  if (op == Op.NEGATE) return f64x2.neg(a);
  if (op == Op.SQRT) return f64x2.sqrt(a);
  if (op == Op.ABS) return f64x2.abs(a);
  return f64x2.floor(a);
}

@inline function alone(op: i32, left: usize, to: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 32) {
    v128.store(to + i, lanes(op, v128.load(left + i)));
    v128.store(to + i, lanes(op, v128.load(left + i, 16)), 16);
  }
}

function raise(n: i32, left: usize, to: usize, count: i32): void {
  if (n == 2) {
    for (let i: usize = 0; i < <usize>count << 3; i += 16) {
      const a = v128.load(left + i);
      v128.store(to + i, f64x2.mul(a, a));
    }
  } else if (n == 3) { // in the order of `powerOf`: a · a²
    for (let i: usize = 0; i < <usize>count << 3; i += 16) {
      const a = v128.load(left + i);
      v128.store(to + i, f64x2.mul(a, f64x2.mul(a, a)));
    }
  } else for (let i = 0; i < count; i++) store<f64>(to + (<usize>i << 3), powerOf(load<f64>(left + (<usize>i << 3)), n));
}

function pointwise(op: i32, left: usize, to: usize, count: i32): void {
  const end = to + (<usize>count << 3);
  if (op == Op.EXP) for (; to < end; to += 8, left += 8) store<f64>(to, Math.exp(load<f64>(left)));
  else if (op == Op.SIN) for (; to < end; to += 8, left += 8) store<f64>(to, Math.sin(load<f64>(left)));
  else if (op == Op.COS) for (; to < end; to += 8, left += 8) store<f64>(to, Math.cos(load<f64>(left)));
  else for (; to < end; to += 8, left += 8) store<f64>(to, unary(op, load<f64>(left)));
}

function pointwise2(op: i32, form: i32, left: usize, right: usize, to: usize, count: i32): void {
  const end = to + (<usize>count << 3);
  const a: usize = form & LEFT_MANY ? 8 : 0, b: usize = form & RIGHT_MANY ? 8 : 0;
  for (; to < end; to += 8, left += a, right += b) store<f64>(to, binary(op, load<f64>(left), load<f64>(right)));
}

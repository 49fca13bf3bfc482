// What stencils over the rows of a field share. Two nodes in a vector; lanes are independent nodes, so that the bits are
// those of scalar code.
//
// Rows go two by two, each in turns of two pairs: the two share what lies between them, and pointers that advance first
// need no second register.

const slot: usize = memory.data(16, 16);

/**
 * A factor of a loop. V8 moves what is computed from arguments and globals, a broadcast too, into the loop and computes it
 * again in every turn (a third of a step of heat); what is loaded stays where it is. Not within a block that threads share
 * (../kernel/team.ts): there is one slot.
 */
@inline export function pinned(factor: f64): v128 {
  v128.store(slot, f64x2.splat(factor));
  return v128.load(slot);
}

/** The pair of the second node of one pair and the first of the next. */
@inline export function between(lower: v128, upper: v128): v128 { return v128.shuffle<f64>(lower, upper, 1, 2); }

/** What the neighbours give. */
@inline export function spread(alongX: v128, left: v128, right: v128, alongY: v128, below: v128, above: v128): v128 {
  return f64x2.add(f64x2.mul(alongX, f64x2.add(left, right)), f64x2.mul(alongY, f64x2.add(below, above)));
}

/** Bytes of the whole pairs over nodes 0 … nx. */
@inline export function pairBytes(nx: i32): usize { return <usize>((nx + 2) >> 1) << 4; }

// One run on several threads. `each(op, blocks)` does op(0) … op(blocks − 1), in any order and on any thread. A block
// writes what no other block of the call reads or writes, and how work is cut into blocks depends on the problem alone, so
// that the number of threads changes no bit.
//
// The plain module, which receipts name, does the blocks one after another. A kernel that imports this has a twin, built
// from the same source with a memory that threads share (scripts/team-twin.mjs). In it one thread, the leader, runs the
// kernel as ever; others `assist`: they come and go while it runs, and take blocks as the leader does. The leader waits for
// blocks that others have begun and never for a thread to come.
//
// An op sees the leader's globals as they stood when each() was called: they are published in memory, and an assistant
// adopts them. What it sets in them is its own. Memory is shared: rooms to work in are one a block, or one a seat.

/** Threads of one run at most, the leader among them. */
export const SEATS: i32 = 8;
/** Whether this module is the twin. */
export const TEAM: bool = ASC_FEATURE_THREADS;

/** 0 u64 the ticket: call, 32 bits; its blocks, 16; the next of them, 16 · 8 op · 16 blocks not done yet · 20 seats besides
 *  the leader's, −1 when an assistant was lost · 24 assistants asleep. In one word, so that no block of one call is taken by
 *  the number of another's. */
const control = memory.data(64, 64);
const OP: usize = 8, OPEN: usize = 16, OTHERS: usize = 20, ASLEEP: usize = 24;
/** Blocks of a call that threads share, at most: of more the leader does all. */
const MOST_BLOCKS: i32 = 0xffff;
/** Globals, 16 bytes each; scripts/team-twin.mjs refuses a kernel that has more. */
const published = memory.data(8192, 16);

/** Looks before a thread sleeps, some 50 µs; and how long it sleeps where nobody wakes it, in ns. */
const LOOKS: i32 = 50_000;
const NAP: i64 = 10_000_000;

@external("team", "publish") declare function publish(at: usize): void;
@external("team", "adopt") declare function adopt(at: usize): void;

let seatNow: i32 = 0;
/** Which of the threads computes this block: 0, the leader, to SEATS − 1. */
@inline export function seat(): i32 { return seatNow; }

/** Within a block: what it does by each() it does alone. */
let within: bool = false;

export function each(op: (block: i32) => void, blocks: i32): void {
  if (!TEAM) {
    for (let block = 0; block < blocks; block++) op(block);
  } else if (blocks < 2 || blocks > MOST_BLOCKS || within || atomic.load<i32>(control, OTHERS) == 0) {
    for (let block = 0; block < blocks; block++) op(block);
  } else {
    publish(published);
    const call = (atomic.load<u64>(control) >> 32) + 1;
    atomic.store<i32>(control, <i32>changetype<usize>(op), OP);
    atomic.store<i32>(control, blocks, OPEN);
    atomic.store<u64>(control, (call << 32) | (<u64>blocks << 16));
    if (atomic.load<i32>(control, ASLEEP) != 0) atomic.notify(control + 4, -1);
    while (takeBlock(atomic.load<u64>(control))) {}
    awaitOthers();
  }
}

@inline function hasBlock(ticket: u64): bool { return (ticket & 0xffff) < ((ticket >> 16) & 0xffff); }

/** Does the next block of the call that `ticket` is of; false when none was left. */
function takeBlock(ticket: u64): bool {
  if (!hasBlock(ticket)) return false;
  if (atomic.cmpxchg<u64>(control, ticket, ticket + 1) != ticket) return true;
  within = true;
  changetype<(block: i32) => void>(<usize>atomic.load<i32>(control, OP))(<i32>(ticket & 0xffff));
  within = false;
  if (atomic.sub<i32>(control, 1, OPEN) == 1) atomic.notify(control + OPEN, 1);
  return true;
}

function awaitOthers(): void {
  for (let looks = 0; ; looks++) {
    const open = atomic.load<i32>(control, OPEN);
    if (open == 0) return;
    if (atomic.load<i32>(control, OTHERS) < 0) unreachable();
    if (looks > LOOKS) atomic.wait<i32>(control + OPEN, open, NAP);
  }
}

/** Where the host says how many may assist: an i32. */
export function others(): usize { return control + OTHERS; }

/** Takes blocks for as long as there is the seat (1 to SEATS − 1). */
export function assist(seat: i32): void {
  if (TEAM) {
    let adopted: u64 = 0;
    for (let idle = 0; atomic.load<i32>(control, OTHERS) >= seat; idle++) {
      const ticket = atomic.load<u64>(control), call = ticket >> 32;
      if (hasBlock(ticket)) {
        // The leader publishes for the next call when all blocks of this one are done: then the ticket is no longer this one.
        if (call != adopted) { adopt(published); seatNow = seat; adopted = call; }
        takeBlock(ticket);
        idle = 0;
      } else if (idle > LOOKS) {
        atomic.add<i32>(control, 1, ASLEEP);
        atomic.wait<i32>(control + 4, <i32>call, NAP);
        atomic.sub<i32>(control, 1, ASLEEP);
        idle = 0;
      }
    }
  }
}

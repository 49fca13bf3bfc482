// The periodic L × L lattice, its links and the random numbers of a sweep.
//
// A link of direction 0 goes from (x, y) to (x+1, y), one of direction 1 to (x, y+1); item number of a link:
// direction·V + y·L + x. A link is one f64 (Z2: ±1), two (U(1): cos θ, sin θ) or four (SU(2): a₀ + i a·σ).
// The plaquette at (x, y) is U₀(x,y) U₁(x+1,y) U₀(x,y+1)† U₁(x,y)†.

import { allocate } from "../kernel/frame";
import { Purpose, uniformsOfItems } from "../math/philox";

/** Links whose draws are made at once: 16 KiB of uniforms, which stay in L1. */
const CHUNK: i32 = 1024;

export let L: i32 = 0;
export let volume: i32 = 0;
/** Bytes of a link, and the address of the first. */
export let width: usize = 0;
export let links: usize = 0;

export let key0: u32 = 0, key1: u32 = 0;
/** Fourth word of every counter: the purpose and the chain. */
export let stream: u32 = 0;

/** First and second uniform of the draw's block for each link of the chunk, behind each other for six blocks' halves. */
export let draws: usize = 0;
export const PLANE: usize = (1024 + 8) * 8;
const PLANES: usize = 6;

/**
 * Proposals a link gets. The least likely is accepted six times in ten, so that 256 refusals, 10⁻¹⁰², are a number
 * that is none: the kernel fails and never hangs.
 */
export const MAX_ATTEMPTS: u32 = 256;

export function openLattice(size: i32, linkBytes: usize, at: usize): void {
  L = size;
  volume = size * size;
  width = linkBytes;
  links = at;
  draws = allocate(PLANE * PLANES);
}

export function openStream(low: u32, high: u32, chain: u32): void {
  key0 = low;
  key1 = high;
  stream = Purpose.LINKS | chain;
}

@inline export function linkAt(direction: i32, y: i32, x: i32): usize {
  return links + width * <usize>(direction * volume + y * L + x);
}

@inline export function next(i: i32): i32 { return i + 1 == L ? 0 : i + 1; }
@inline export function previous(i: i32): i32 { return i == 0 ? L - 1 : i - 1; }

/** Lines of L links whose draws stand in the buffer together. */
@inline export function linesPerChunk(): i32 { return max(1, CHUNK / L); }

/**
 * Makes the draws of the lines from `line` on, at the start of a chunk; the draw `c0` goes to the planes `plane` and
 * `plane + 1`. Returns the byte offset of the line's first link in a plane.
 */
export function drawLine(direction: i32, line: i32, sweep: u32, c0: u32, plane: usize): usize {
  const lines = linesPerChunk();
  const inChunk = line % lines;
  if (inChunk == 0) {
    const count = min(lines, L - line) * L;
    const at = draws + plane * PLANE;
    uniformsOfItems(c0, sweep, direction * volume + line * L, count, stream, key0, key1, at, at + PLANE);
  }
  return <usize>(inChunk * L) << 3;
}

// How many modes lie in a rectangle of the plane of k, by the principle of the argument: F goes round 0 as often as it has
// roots inside (assembly/acoustics/rim.ts). The others' μ(k) go along the rim, and must come back to what they were.
//
// A step is taken where F turns by less than 0.7 in each of its halves. It is never longer than 0.3 over the length of the
// axis, as e^{ikL} alone turns by as much, nor than half the way to the next mode that is known, or to k = 0.

import { characteristicAt, solvedAxis, valueIm, valueRe } from "./characteristic";
import { clearance, longestEdge, rimIm, rimRe } from "./rim";
import { axes, lengthOf } from "./walls";

const TURN: f64 = 0.7;
const SHORTEST: f64 = 1e-9;
const LONGEST: f64 = 0.03125;
const WALK: i32 = 64;
/** Steps at most: of a duct with a list of 100 about 5000 come. */
const STEPS: i32 = 100000;

let own: usize = 0, kept: usize = 0, begun: usize = 0;

/** `mus`: μ of the axes as openCharacteristic has them; `room`: twice as much. */
export function openWinding(mus: usize, room: usize): void {
  own = mus;
  kept = room;
  begun = room + (<usize>axes << 4);
}

@inline function bytes(): usize { return <usize>axes << 4; }

/** From a mode to the corner where the rim begins, straight; whether the others came along. */
function walk(kRe: f64, kIm: f64): bool {
  for (let i = 1; i <= WALK; i++) {
    const share = <f64>i / <f64>WALK;
    if (!characteristicAt(kRe + (rimRe(0.0) - kRe) * share, kIm + (rimIm(0.0) - kIm) * share)) return false;
  }
  return true;
}

let lastRe: f64 = 0, lastIm: f64 = 0, turned: f64 = 0;

/** To u, unless F turns too far. */
function turnTo(u: f64): bool {
  if (!characteristicAt(rimRe(u), rimIm(u))) return false;
  const size = max(abs(valueRe), abs(valueIm)), x = valueRe / size, y = valueIm / size;
  const angle = Math.atan2(y * lastRe - x * lastIm, x * lastRe + y * lastIm);
  if (!(abs(angle) <= TURN)) return false;
  lastRe = x;
  lastIm = y;
  turned += angle;
  return true;
}

/** Roots inside for the others' μ of a mode at k; −1 where the rim cannot be followed. */
export function rootsFrom(kRe: f64, kIm: f64): i32 {
  if (!walk(kRe, kIm)) return -1;
  memory.copy(begun, own, bytes());
  const size = max(abs(valueRe), abs(valueIm));
  lastRe = valueRe / size;
  lastIm = valueIm / size;
  turned = 0.0;
  const reach = 0.3 / (lengthOf(solvedAxis) * longestEdge());
  let u = 0.0, h = min(reach, LONGEST);
  for (let step = 0; u < 4.0; step++) {
    // Beside a mode on the rim itself the steps become ever shorter.
    if (step == STEPS || 0.5 * clearance(u) < SHORTEST) return -1;
    const next = min(u + min(h, 0.5 * clearance(u)), Math.floor(u) + 1.0), wasRe = lastRe, wasIm = lastIm, before = turned;
    memory.copy(kept, own, bytes());
    if (turnTo(0.5 * (u + next)) && turnTo(next)) {
      u = next;
      h = min(2.0 * h, min(reach, LONGEST));
      continue;
    }
    memory.copy(own, kept, bytes());
    lastRe = wasRe;
    lastIm = wasIm;
    turned = before;
    h *= 0.5;
    if (h < SHORTEST) return -1;
  }
  return cameBack() ? <i32>Math.round(turned / (2.0 * Math.PI)) : -1;
}

function cameBack(): bool {
  for (let i = 0; i < 2 * axes; i++) {
    const before = load<f64>(begun + (<usize>i << 3)), now = load<f64>(own + (<usize>i << 3));
    const L = lengthOf(i >> 1);
    if (!(abs(now - before) <= 1e-6 * (abs(before) + 1.0 / (L * L)))) return false;
  }
  return true;
}

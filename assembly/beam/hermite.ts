// Cubic Hermite elements of the column: K of bending, foundation and self-weight, G of the load (Bažant & Cedolin,
// Stability of Structures, §1.7; Przemieniecki, Theory of Matrix Structural Analysis, §15.2):
//
//   K = ∫ e w″v″ + k w v − q (1 − x) w′v′ dx,   G = ∫ w′v′ dx,   K w = P G w
//
// Unknowns are w and w′ of the nodes from the foot on. Four Gauss points integrate a polynomial e of degree 4 exactly.
// A held unknown keeps its row with 1 in K and 0 in G: a positive pivot that counts for nothing.

import { bandAt, bandBytes } from "../linear/banded";
import { ends, foundation, growthOf, lowerStiffness, pieceLength, pieceParts, piecePower, pieces, weight } from "./column";

export const BAND: i32 = 3;
export const SAMPLES: i32 = 129;

const NODE1: f64 = 0.3399810435848563, WEIGHT1: f64 = 0.6521451548625461;
const NODE2: f64 = 0.8611363115940526, WEIGHT2: f64 = 0.3478548451374538;

export function elementCount(): i32 {
  let count = 0;
  for (let piece = 0; piece < pieces; piece++) count += pieceParts(piece);
  return count;
}

/** Values, first or second derivatives of the four shape functions at t of an element of length h. */
function shape(t: f64, h: f64, derivative: i32, to: usize): void {
  if (derivative == 0) {
    store<f64>(to, 1.0 - t * t * (3.0 - 2.0 * t)); store<f64>(to, h * t * (1.0 - t) * (1.0 - t), 8);
    store<f64>(to, t * t * (3.0 - 2.0 * t), 16); store<f64>(to, -h * t * t * (1.0 - t), 24);
  } else if (derivative == 1) {
    store<f64>(to, -6.0 * t * (1.0 - t) / h); store<f64>(to, 1.0 - t * (4.0 - 3.0 * t), 8);
    store<f64>(to, 6.0 * t * (1.0 - t) / h, 16); store<f64>(to, -t * (2.0 - 3.0 * t), 24);
  } else {
    store<f64>(to, (12.0 * t - 6.0) / (h * h)); store<f64>(to, (6.0 * t - 4.0) / h, 8);
    store<f64>(to, (6.0 - 12.0 * t) / (h * h), 16); store<f64>(to, (6.0 * t - 2.0) / h, 24);
  }
}

/** matrix ← matrix + factor · shape shapeᵀ of the element whose first unknown is `first`. */
function addProducts(matrix: usize, first: i32, factor: f64, shapes: usize): void {
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j <= i; j++) {
      const at = bandAt(matrix, BAND, first + i, first + j);
      const product = load<f64>(shapes + (<usize>i << 3)) * load<f64>(shapes + (<usize>j << 3));
      store<f64>(at, load<f64>(at) + factor * product);
    }
  }
}

/** K and G, both zero before; `scratch`: 4 f64. */
export function assemble(k: usize, g: usize, scratch: usize): void {
  let first = 0, foot = 0.0;
  for (let piece = 0; piece < pieces; piece++) {
    const count = pieceParts(piece), h = pieceLength(piece) / <f64>count;
    const lower = lowerStiffness(piece), growth = growthOf(piece), power = piecePower(piece);
    for (let element = 0; element < count; element++) {
      for (let point = 0; point < 4; point++) {
        const node = point < 2 ? NODE1 : NODE2, weigh = 0.5 * h * (point < 2 ? WEIGHT1 : WEIGHT2);
        const t = 0.5 + 0.5 * (point & 1 ? node : -node), along = (<f64>element + t) / <f64>count;
        const bending = growth == 0.0 ? lower : lower * Math.pow(1.0 + growth * along, power);
        const above = 1.0 - (foot + (<f64>element + t) * h);
        shape(t, h, 2, scratch);
        addProducts(k, first, weigh * bending, scratch);
        shape(t, h, 1, scratch);
        addProducts(g, first, weigh, scratch);
        if (weight != 0.0) addProducts(k, first, -weigh * weight * above, scratch);
        if (foundation == 0.0) continue;
        shape(t, h, 0, scratch);
        addProducts(k, first, weigh * foundation, scratch);
      }
      first += 2;
    }
    foot += pieceLength(piece);
  }
  holdEnds(k, g, first);
}

function holdEnds(k: usize, g: usize, last: i32): void {
  hold(k, g, 0, last + 2);
  if (ends != 0) hold(k, g, 1, last + 2);
  if (ends != 1) hold(k, g, last, last + 2);
  if (ends == 2) hold(k, g, last + 1, last + 2);
}

function hold(k: usize, g: usize, unknown: i32, n: i32): void {
  for (let i = max(0, unknown - BAND); i <= min(n - 1, unknown + BAND); i++) {
    const row = max(i, unknown), column = min(i, unknown);
    store<f64>(bandAt(k, BAND, row, column), i == unknown ? 1.0 : 0.0);
    store<f64>(bandAt(g, BAND, row, column), 0.0);
  }
}

/** w of the unknowns `x` at 129 equal distances from foot to head. `scratch`: 4 f64. */
export function sampleShape(x: usize, to: usize, scratch: usize): void {
  let first = 0, piece = 0, element = 0, foot = 0.0;
  for (let i = 0; i < SAMPLES; i++) {
    const at = <f64>i / <f64>(SAMPLES - 1);
    let h = pieceLength(piece) / <f64>pieceParts(piece);
    while (at > foot + h * (1.0 + 1e-9) && !(piece == pieces - 1 && element == pieceParts(piece) - 1)) {
      foot += h; first += 2; element++;
      if (element == pieceParts(piece)) { element = 0; piece++; h = pieceLength(piece) / <f64>pieceParts(piece); }
    }
    shape(min(1.0, max(0.0, (at - foot) / h)), h, 0, scratch);
    let w = 0.0;
    for (let j = 0; j < 4; j++) w += load<f64>(scratch + (<usize>j << 3)) * load<f64>(x + (<usize>(first + j) << 3));
    store<f64>(to + (<usize>i << 3), w);
  }
}

/** Scales samples to a largest size of 1; the first above a tenth of it is positive. */
export function normaliseShape(samples: usize): void {
  let most = 0.0, sign = 0.0;
  for (let i = 0; i < SAMPLES; i++) most = max(most, abs(load<f64>(samples + (<usize>i << 3))));
  for (let i = 0; i < SAMPLES && sign == 0.0; i++) {
    const w = load<f64>(samples + (<usize>i << 3));
    if (abs(w) > 0.1 * most) sign = w > 0.0 ? 1.0 : -1.0;
  }
  for (let i = 0; i < SAMPLES; i++) {
    const at = samples + (<usize>i << 3);
    store<f64>(at, load<f64>(at) * sign / most);
  }
}

export function matrixBytes(n: i32): usize { return bandBytes(n, BAND); }

// Sobol points in 64 dimensions of 32 bits, with the direction numbers of Joe & Kuo, SIAM J. Sci. Comput. 30 (2008)
// 2635 (new-joe-kuo-6.21201), in the Gray-code order of Antonov & Saleev, USSR Comput. Math. 19 (1979) 252: point n is
// the XOR of the direction numbers at the ones of n ^ (n >>> 1).
//
// Of the points 256 k … 256 k + 255 the low eight bits of the Gray code run through the same 256 values or, for odd k,
// the same with bit 7 turned over. A block is therefore a fixed table XOR one word.

/** Primitive polynomial, all its bits, and up to nine odd m_i, for the dimensions 1 … 63; dimension 0 is van der Corput's. */
const TABLE = memory.data<u16>([
  3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 1, 3, 0, 0, 0, 0, 0, 0, 0, 11, 1, 3, 1, 0, 0, 0, 0, 0, 0,
  13, 1, 1, 1, 0, 0, 0, 0, 0, 0, 19, 1, 1, 3, 3, 0, 0, 0, 0, 0, 25, 1, 3, 5, 13, 0, 0, 0, 0, 0,
  37, 1, 1, 5, 5, 17, 0, 0, 0, 0, 41, 1, 1, 5, 5, 5, 0, 0, 0, 0, 47, 1, 1, 7, 11, 19, 0, 0, 0, 0,
  55, 1, 1, 5, 1, 1, 0, 0, 0, 0, 59, 1, 1, 1, 3, 11, 0, 0, 0, 0, 61, 1, 3, 5, 5, 31, 0, 0, 0, 0,
  67, 1, 3, 3, 9, 7, 49, 0, 0, 0, 91, 1, 1, 1, 15, 21, 21, 0, 0, 0, 97, 1, 3, 1, 13, 27, 49, 0, 0, 0,
  103, 1, 1, 1, 15, 7, 5, 0, 0, 0, 109, 1, 3, 1, 15, 13, 25, 0, 0, 0, 115, 1, 1, 5, 5, 19, 61, 0, 0, 0,
  131, 1, 3, 7, 11, 23, 15, 103, 0, 0, 137, 1, 3, 7, 13, 13, 15, 69, 0, 0, 143, 1, 1, 3, 13, 7, 35, 63, 0, 0,
  145, 1, 3, 5, 9, 1, 25, 53, 0, 0, 157, 1, 3, 1, 13, 9, 35, 107, 0, 0, 167, 1, 3, 1, 5, 27, 61, 31, 0, 0,
  171, 1, 1, 5, 11, 19, 41, 61, 0, 0, 185, 1, 3, 5, 3, 3, 13, 69, 0, 0, 191, 1, 1, 7, 13, 1, 19, 1, 0, 0,
  193, 1, 3, 7, 5, 13, 19, 59, 0, 0, 203, 1, 1, 3, 9, 25, 29, 41, 0, 0, 211, 1, 3, 5, 13, 23, 1, 55, 0, 0,
  213, 1, 3, 7, 3, 13, 59, 17, 0, 0, 229, 1, 3, 1, 3, 5, 53, 69, 0, 0, 239, 1, 1, 5, 5, 23, 33, 13, 0, 0,
  241, 1, 1, 7, 7, 1, 61, 123, 0, 0, 247, 1, 1, 7, 9, 13, 61, 49, 0, 0, 253, 1, 3, 3, 5, 3, 55, 33, 0, 0,
  285, 1, 3, 1, 15, 31, 13, 49, 245, 0, 299, 1, 3, 5, 15, 31, 59, 63, 97, 0, 301, 1, 3, 1, 11, 11, 11, 77, 249, 0,
  333, 1, 3, 1, 11, 27, 43, 71, 9, 0, 351, 1, 1, 7, 15, 21, 11, 81, 45, 0, 355, 1, 3, 7, 3, 25, 31, 65, 79, 0,
  357, 1, 3, 1, 1, 19, 11, 3, 205, 0, 361, 1, 1, 5, 9, 19, 21, 29, 157, 0, 369, 1, 3, 7, 11, 1, 33, 89, 185, 0,
  391, 1, 3, 3, 3, 15, 9, 79, 71, 0, 397, 1, 3, 7, 11, 15, 39, 119, 27, 0, 425, 1, 1, 3, 1, 11, 31, 97, 225, 0,
  451, 1, 1, 1, 3, 23, 43, 57, 177, 0, 463, 1, 3, 7, 7, 17, 17, 37, 71, 0, 487, 1, 3, 1, 5, 27, 63, 123, 213, 0,
  501, 1, 1, 3, 5, 11, 43, 53, 133, 0, 529, 1, 3, 5, 5, 29, 17, 47, 173, 479, 539, 1, 3, 3, 11, 3, 1, 109, 9, 69,
  545, 1, 1, 1, 5, 17, 39, 23, 5, 343, 557, 1, 3, 1, 5, 25, 15, 31, 103, 499,
  563, 1, 1, 1, 11, 11, 17, 63, 105, 183, 601, 1, 1, 5, 11, 9, 29, 97, 231, 363,
  607, 1, 1, 5, 15, 19, 45, 41, 7, 383, 617, 1, 3, 7, 7, 31, 19, 83, 137, 221,
  623, 1, 1, 1, 3, 23, 15, 111, 223, 83, 631, 1, 1, 5, 13, 31, 15, 55, 25, 161,
  637, 1, 1, 3, 13, 25, 47, 39, 87, 257,
], 16);

const ENTRY: usize = 20;
export const SOBOL_DIMENSIONS: i32 = 64;
/** Points of a block, and bytes that a dimension needs: 32 direction numbers and the table of a block. */
export const SOBOL_BLOCK: i32 = 256;
export const SOBOL_BYTES: usize = 32 * 4 + 256 * 4;

@inline function direction(at: usize, bit: i32): u32 { return load<u32>(at + (<usize>bit << 2)); }

/** Direction numbers of a dimension and its block, at `at`: SOBOL_BYTES bytes. */
export function layDimension(dimension: i32, at: usize): void {
  const entry = TABLE + ENTRY * <usize>(dimension - 1);
  const polynomial = dimension == 0 ? 1 : <u32>load<u16>(entry);
  const degree = 31 - <i32>clz<u32>(polynomial);
  for (let bit = 0; bit < 32; bit++) {
    let v: u32 = 0;
    if (dimension == 0) v = <u32>1 << (31 - bit);
    else if (bit < degree) v = <u32>load<u16>(entry + 2 + (<usize>bit << 1)) << (31 - bit);
    else v = recurrence(at, bit, polynomial, degree);
    store<u32>(at + (<usize>bit << 2), v);
  }
  for (let i: u32 = 0; i < 256; i++) store<u32>(at + 128 + (<usize>i << 2), pointAt(at, i));
}

/** v_i = a_1 v_{i−1} ^ … ^ a_{s−1} v_{i−s+1} ^ v_{i−s} ^ (v_{i−s} >>> s). */
function recurrence(at: usize, bit: i32, polynomial: u32, degree: i32): u32 {
  const last = direction(at, bit - degree);
  let v = last ^ (last >>> degree);
  for (let j = 1; j < degree; j++) if ((polynomial >>> (degree - j)) & 1) v ^= direction(at, bit - j);
  return v;
}

/** Word of point n. */
export function pointAt(at: usize, n: u32): u32 {
  let x: u32 = 0;
  for (let gray = n ^ (n >>> 1); gray; gray &= gray - 1) x ^= direction(at, ctz<u32>(gray));
  return x;
}

/**
 * The 256 points from 256 `block` on as uniforms (x + ½) 2⁻³² at `out`, each word XOR `shift` (a digital shift: Owen,
 * in Monte Carlo and Quasi-Monte Carlo Methods 2002, p. 171).
 */
export function blockUniforms(at: usize, block: u32, shift: u32, out: usize): void {
  const turn = i32x4.splat(pointAt(at, block << 8) ^ shift);
  const unit = f64x2.splat(2.3283064365386963e-10), half = f64x2.splat(1.1641532182693481e-10);
  for (let i: usize = 0; i < 256; i += 4) {
    const x = v128.xor(v128.load(at + 128 + (i << 2)), turn), to = out + (i << 3);
    v128.store(to, f64x2.add(f64x2.mul(f64x2.convert_low_i32x4_u(x), unit), half));
    const y = i32x4.shuffle(x, x, 2, 3, 2, 3);
    v128.store(to, f64x2.add(f64x2.mul(f64x2.convert_low_i32x4_u(y), unit), half), 16);
  }
}

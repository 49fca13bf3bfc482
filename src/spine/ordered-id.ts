import { randomFillSync } from 'node:crypto';

const RANDOM_BYTES = 10;
const pool = new Uint8Array(RANDOM_BYTES * 256);
let used = pool.length;

/** Random bytes are drawn many at a time: a draw costs more than the bytes. */
function randomHex(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  return Buffer.from(pool.buffer, used - RANDOM_BYTES, RANDOM_BYTES).toString('hex');
}

/**
 * 32 hexadecimal digits: 12 of time in steps of 65536 ns, then 80 random bits. Rows of one time so stand side by
 * side in a store's trees, and a commit writes few pages instead of one for each row.
 */
export function orderedId(atNs: bigint): string {
  return (atNs >> 16n).toString(16).padStart(12, '0') + randomHex();
}

import { createHash } from 'node:crypto';
import t from 'tap';
import { beaconMessage, beaconOf, drawnNumber } from '../../../mesh/decide/beacon.ts';

const sha = (...parts: readonly (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

t.test('a beacon is the hash of a signature over its time and the last checkpoint', async (t) => {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(1_763_751_600_000_000_000n);
  t.same(
    Buffer.from(beaconMessage(1_763_751_600_000_000_000n, 'checkpoint')),
    sha('SVC-BEACON-1\0', time, 'checkpoint'),
  );
  t.same(Buffer.from(beaconOf(Uint8Array.of(1, 2, 3))), sha(Uint8Array.of(1, 2, 3)));
});

t.test('a draw is the first 53 bits that the hash of beacon and subject gives', async (t) => {
  const beacon = new Uint8Array(32).fill(9);
  const hash = sha('SVC-DRAW-1\0', beacon, 'run/3');
  const bits = BigInt(hash.readUInt32LE(0)) * 2n ** 21n + BigInt(hash.readUInt32LE(4) >>> 11);
  t.equal(drawnNumber(beacon, 'run/3'), Number(bits) / 2 ** 53);
});

t.test('draws are even: no value is favoured by more than chance allows', async (t) => {
  const [bins, draws] = [16, 16_000];
  const counts = new Array<number>(bins).fill(0);
  const beacon = new Uint8Array(32);
  for (let i = 0; i < draws; i++) {
    const drawn = drawnNumber(beacon, `run/${i}`);
    if (!(drawn >= 0 && drawn < 1)) t.fail(`${drawn}`);
    counts[Math.floor(drawn * bins)]!++;
  }
  const squares = counts.reduce((sum, count) => sum + (count - draws / bins) ** 2 / (draws / bins), 0);
  // χ² of 15 degrees of freedom passes 37.70 in one case of 1,000 (Abramowitz and Stegun 1964, table 26.8).
  t.ok(squares < 37.7, `${squares}`);
});

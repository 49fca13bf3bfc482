import t from 'tap';
import { toHex, u32le, u64le } from '../../src/proof/bytes.ts';

const counts: [number | bigint, string][] = [
  [0, '0000000000000000'],
  [1, '0100000000000000'],
  [0x01020304, '0403020100000000'],
  [2 ** 32 - 1, 'ffffffff00000000'],
  [2 ** 32, '0000000001000000'],
  [2 ** 53 - 1, 'ffffffffffff1f00'],
  [2 ** 53, '0000000000002000'],
  [2n ** 53n + 1n, '0100000000002000'],
  [2n ** 64n - 1n, 'ffffffffffffffff'],
  [0x0102030405060708n, '0807060504030201'],
];

t.test('a count is eight bytes, the lowest first, whether number or BigInt', async (t) => {
  for (const [count, bytes] of counts) t.equal(toHex(u64le(count)), bytes, `${count}`);
  t.throws(() => u64le(Number.NaN), RangeError, 'what is no count');
  t.throws(() => u64le(0.5), RangeError, 'what is no whole number');
});

t.test('a word is four bytes, the lowest first', async (t) => {
  for (const [word, bytes] of [
    [0, '00000000'],
    [0x01020304, '04030201'],
    [2 ** 32 - 1, 'ffffffff'],
  ] as const)
    t.equal(toHex(u32le(word)), bytes, `${word}`);
});

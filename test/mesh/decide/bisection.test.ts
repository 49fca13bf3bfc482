import fc from 'fast-check';
import t from 'tap';
import {
  areChildrenOf,
  type Bisection,
  beginBisection,
  childrenIn,
  exchangesLeft,
  narrowed,
} from '../../../mesh/decide/bisection.ts';
import { fromHex, toHex } from '../../../src/proof/bytes.ts';
import type { Digest } from '../../../src/proof/job.ts';
import { leafHash, merkleRoot } from '../../../src/proof/merkle.ts';
import { kernels } from './scene.ts';

const digest = (n: number): Digest => kernels.hash(`leaf ${n}`);
const root = (list: readonly Digest[]): Digest => toHex(merkleRoot(list.map(fromHex)));

/** The first segment that differs, once it is found. */
const foundDifference = ({ from, count }: Bisection): number | undefined => (count === 1 ? from : undefined);

/** Whether a digest is the leaf that the search ended at, on this side. */
const isFoundDigest = ({ count, hashes }: Bisection, side: 0 | 1, found: Digest): boolean =>
  count === 1 && toHex(leafHash(fromHex(found))) === hashes[side];

/** Both sides answer until the difference is found. */
function search(
  a: readonly Digest[],
  b: readonly Digest[],
): { found: number; exchanges: number; last: Bisection } {
  let bisection = beginBisection(a.length, [root(a), root(b)])!;
  let exchanges = 0;
  for (; foundDifference(bisection) === undefined; exchanges++) {
    const { from, count } = bisection;
    bisection = narrowed(bisection, [childrenIn(a, from, count), childrenIn(b, from, count)]);
  }
  return { found: foundDifference(bisection)!, exchanges, last: bisection };
}

const pair = fc
  .array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 200 })
  .filter((list) => list.some(([a, b]) => a !== b));

t.test('the first difference of any two lists is found in at most ⌈log₂ n⌉ exchanges', async (t) => {
  fc.assert(
    fc.property(pair, (list) => {
      const [a, b] = [list.map(([x]) => digest(x)), list.map(([, y]) => digest(y))];
      const { found, exchanges, last } = search(a, b);
      t.equal(
        found,
        list.findIndex(([x, y]) => x !== y),
      );
      t.ok(exchanges <= Math.ceil(Math.log2(list.length)));
      return (
        isFoundDigest(last, 0, a[found]!) &&
        isFoundDigest(last, 1, b[found]!) &&
        !isFoundDigest(last, 0, b[found]!)
      );
    }),
  );
});

t.test('one difference among 10,000 is found wherever it is', async (t) => {
  const list = Array.from({ length: 10_000 }, (_, i) => digest(i));
  for (const at of [0, 1, 4095, 4096, 8191, 8192, 9999]) {
    const { found, exchanges } = search(list, list.with(at, digest(-1)));
    t.equal(found, at);
    t.ok(exchanges <= 14, `${exchanges} exchanges`);
  }
});

t.test('how many exchanges are left is told, and never too few', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (count) => {
      const left = exchangesLeft({ from: 0, count, hashes: ['', ''] });
      return 2 ** left >= count && (count === 1 || 2 ** (left - 1) < count);
    }),
  );
});

t.test('equal roots are no dispute', async (t) => {
  const list = [digest(1), digest(2)];
  t.equal(beginBisection(2, [root(list), root(list)]), undefined);
});

t.test('a side that is not held to its root is refused', async (t) => {
  const [a, b] = [[1, 2, 3, 4, 5].map(digest), [1, 2, 3, 4, 6].map(digest)];
  const bisection = beginBisection(5, [root(a), root(b)])!;
  const [left, right] = [childrenIn(a, 0, 5), childrenIn(b, 0, 5)];
  t.throws(
    () => narrowed(bisection, [{ ...left, left: digest(9) }, right]),
    /side 0 is not held to its root/,
  );
  t.throws(() => narrowed(bisection, [left, { left: right.right, right: right.left }]), /side 1 is not held/);
  t.throws(() => narrowed(bisection, [right, left]), /is not held to its root/);
});

t.test('what hashes to the root without being two digests is refused', async (t) => {
  const list = [1, 2, 3, 4].map(digest);
  const { left, right } = childrenIn(list, 0, 4);
  t.ok(areChildrenOf(root(list), { left, right }));
  const shifted = { left: left.slice(0, 62), right: left.slice(62) + right };
  t.notOk(areChildrenOf(root(list), shifted), '31 and 33 bytes');
  t.notOk(
    areChildrenOf(root(list), { left: left.toUpperCase(), right }),
    'another spelling of the same bytes',
  );
  t.throws(() => beginBisection(4, [root(list).toUpperCase(), root(list)]), /hexadecimal/);
});

t.test('a list has a length, and what is found is found', async (t) => {
  for (const length of [0, -1, 0.5, Number.NaN])
    t.throws(() => beginBisection(length, [digest(1), digest(2)]), RangeError);
  const one = beginBisection(1, [root([digest(1)]), root([digest(2)])])!;
  t.equal(foundDifference(one), 0);
  t.ok(isFoundDigest(one, 0, digest(1)));
  t.throws(
    () =>
      narrowed(one, [
        { left: '', right: '' },
        { left: '', right: '' },
      ]),
    /found already/,
  );
});

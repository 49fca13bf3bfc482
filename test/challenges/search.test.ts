import fc from 'fast-check';
import t from 'tap';
import { sha256 } from '#crypto';
import type { Claim, SealedClaim } from '../../src/challenges/claims.ts';
import { DigestTree } from '../../src/challenges/digest-tree.ts';
import { firstDispute, narrowedBy } from '../../src/challenges/opening.ts';
import { toHex, u64le } from '../../src/proof/bytes.ts';
import { leafHash, merkleRoot, nodeLevel } from '../../src/proof/merkle.ts';
import { seeded } from '../http/test-app.ts';

const digest = (k: number) => sha256(u64le(k));
const other = (k: number) => sha256(u64le(k), u64le(1));
const none = '0'.repeat(64);

/** Lists of n + 1 digests that differ at some places, listed at a level as an answer would. */
const disputes = fc
  .record({ count: fc.integer({ min: 1, max: 300 }), level: fc.integer({ min: 0, max: 4 }) })
  .chain(({ count, level }) =>
    fc.record({
      count: fc.constant(count),
      level: fc.constant(level),
      places: fc.uniqueArray(fc.nat(count - 1), { minLength: 1, maxLength: 5 }),
    }),
  );

function lists({ count, places }: { count: number; places: readonly number[] }) {
  const sealed = Array.from({ length: count }, (_, k) => digest(k));
  const claimed = sealed.map((each, k) => (places.includes(k) ? other(k) : each));
  return { sealed, claimed };
}

/** As it is read from an answer: nodes of the level, and no digests below them. */
const listed = (digests: readonly Uint8Array[], level: number): DigestTree =>
  DigestTree.of({
    digests:
      level === 0 ? digests.map(toHex) : { level, nodes: nodeLevel(digests.map(leafHash), level).map(toHex) },
  });

const claims = (sealed: readonly Uint8Array[], claimed: readonly Uint8Array[], level: number) => {
  const end = { resultHash: none, work: '1', segments: sealed.length - 1 };
  const run = { kernel: none, runHash: none, stepsPerSegment: 1, level };
  return {
    sealed: { ...end, ...run, root: toHex(merkleRoot(sealed)) } satisfies SealedClaim,
    claim: { ...end, root: toHex(merkleRoot(claimed)) } satisfies Claim,
  };
};

t.test('the search ends at the first difference, within ⌈log₂(n + 1)⌉ exchanges (property)', async () => {
  fc.assert(
    fc.property(disputes, ({ count, level, places }) => {
      const { sealed, claimed } = lists({ count, places });
      const [tree, own] = [listed(sealed, level), DigestTree.over(claimed, 0)];
      const said = claims(sealed, claimed, level);
      let dispute = firstDispute(said.sealed, said.claim, tree);
      let exchanges = 0;
      for (; dispute.children; exchanges++) {
        const shown = own.children(dispute.from, dispute.count);
        dispute = narrowedBy(dispute, shown, tree);
      }
      const span = 2 ** level;
      const first = Math.min(...places);
      const { from, count: leaves } = dispute;
      const within = merkleRoot(sealed.slice(from, from + leaves));
      return (
        from === Math.floor(first / span) * span &&
        leaves === Math.min(span, count - from) &&
        exchanges <= Math.ceil(Math.log2(count)) &&
        dispute.sealed === toHex(within) &&
        dispute.claimed === own.node(from, leaves) &&
        tree.startsLike(DigestTree.over(claimed, level), from)
      );
    }),
    { ...seeded, numRuns: 300 },
  );
});

t.test(
  'a challenger is held to its root: other children are refused, however they are spelled',
  async (t) => {
    const { sealed, claimed } = lists({ count: 9, places: [5] });
    const [tree, own] = [listed(sealed, 0), DigestTree.over(claimed, 0)];
    const said = claims(sealed, claimed, 0);
    const dispute = firstDispute(said.sealed, said.claim, tree);
    const { left, right } = own.children(0, 9);
    const twins = [
      { left: right, right: left },
      { left, right: tree.children(0, 9).left },
      { left: left.toUpperCase(), right },
      { left: left + right.slice(0, 2), right: right.slice(2) },
      { left: '', right: left + right },
    ];
    for (const twin of twins) t.throws(() => narrowedBy(dispute, twin, tree), { code: 'INVALID_INPUT' });
    t.ok(narrowedBy(dispute, { left, right }, tree));
  },
);

t.test('a run of no segments is in dispute at once', async (t) => {
  const said = claims([digest(0)], [other(0)], 0);
  t.match(firstDispute(said.sealed, said.claim, listed([digest(0)], 0)), { from: 0, count: 1 });
});

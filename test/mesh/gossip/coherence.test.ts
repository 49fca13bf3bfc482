import fc from 'fast-check';
import t from 'tap';
import { agreement, coherenceScore, heldDigests } from '../../../mesh/gossip/coherence.ts';
import type { Told } from '../../../mesh/gossip/merge.ts';
import { seeded } from '../../http/test-app.ts';

const through = 1000;
const event = (subject: string, tick = through, id = subject): Told => ({
  kind: 'job-broadcast',
  subject,
  tick,
  id: id.padStart(64, '0'),
});
const many = (count: number, name = 's') => Array.from({ length: count }, (_, i) => event(`${name}${i}`));
const share = (a: readonly Told[], b: readonly Told[]) =>
  coherenceScore([agreement(heldDigests(a, through), heldDigests(b, through))]);

t.test('coherence is null until something was compared (MESH-07)', async (t) => {
  t.equal(coherenceScore([]), null);
  t.equal(share([], []), null);
});

t.test('who holds the same agrees wholly, who holds nothing of it not at all', async (t) => {
  t.equal(share(many(500), many(500).reverse()), 1);
  t.equal(share(many(500), []), 0);
  t.equal(share([], many(3)), 0);
});

t.test('one different event spoils its bucket and no other: never more than the true share', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (count, at) => {
      const own = many(count);
      const other = own.with(at % count, event(`s${at % count}`, through, 'other'));
      const found = share(own, other)!;
      return found < 1 && found <= (count - 1) / count;
    }),
    { ...seeded, numRuns: 300 },
  );
});

t.test('with every subject in a bucket of its own the share is exact', async (t) => {
  const alone = new Map(many(500).map((each) => [heldDigests([each], through)[0]!.bucket, each]));
  const own = [...alone.values()];
  const other = own.map((each, i) => (i % 4 === 0 ? event(each.subject, through, `x${i}`) : each));
  const expected = own.filter((_, i) => i % 4 !== 0).length / own.length;
  t.equal(share(own, other), expected);
});

t.test('only the last 120 ticks are compared, and reports are not reported', async (t) => {
  const told = [
    event('old', through - 120),
    event('young', through + 1),
    { ...event('r'), kind: 'held-digests' },
  ];
  t.same(heldDigests(told, through), []);
  t.match(heldDigests([event('a', through - 119), event('b', through)], through), { length: 2 });
});

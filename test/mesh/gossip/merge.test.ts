import fc from 'fast-check';
import t from 'tap';
import { sha256 } from '#crypto';
import { absorb, forget, type Held, merge, presence, type Told } from '../../../mesh/gossip/merge.ts';
import { toHex, utf8 } from '../../../src/proof/bytes.ts';
import { seeded } from '../../http/test-app.ts';

const told: fc.Arbitrary<Told> = fc
  .record({
    kind: fc.constantFrom('a', 'b'),
    subject: fc.constantFrom('s', 't', 'u', 'v', 'w'),
    tick: fc.nat(6),
    said: fc.nat(3),
  })
  .map(({ said, ...event }) => ({ ...event, id: toHex(sha256(utf8(`${JSON.stringify(event)}${said}`))) }));
const heard = fc.array(told, { maxLength: 30 });
const MOST = 5;

function heldOf(events: readonly Told[], most = MOST): Held {
  const held = new Map<string, Told>();
  for (const event of events) absorb(held, event, most);
  return held;
}

/** What is held, in one order: maps remember in which order they were filled. */
const shown = (held: Held) => [...held].sort(([a], [b]) => (a < b ? -1 : 1));
const same = (a: Held, b: Held) => JSON.stringify(shown(a)) === JSON.stringify(shown(b));
const runs = { ...seeded, numRuns: 500 };

t.test(
  'merging is commutative, associative and idempotent, also where there is not room for all',
  async () => {
    for (const most of [MOST, 1, 100]) {
      const arbitrary = heard.map((events) => heldOf(events, most));
      fc.assert(
        fc.property(arbitrary, arbitrary, (a, b) => same(merge(a, b, most), merge(b, a, most))),
        runs,
      );
      fc.assert(
        fc.property(arbitrary, arbitrary, arbitrary, (a, b, c) =>
          same(merge(merge(a, b, most), c, most), merge(a, merge(b, c, most), most)),
        ),
        runs,
      );
      fc.assert(
        fc.property(arbitrary, (a) => same(merge(a, a, most), a)),
        runs,
      );
    }
  },
);

t.test('in whatever order events come, and however often, the same is held', async () => {
  const shuffled = heard.chain((events) =>
    fc.tuple(
      fc.constant(events),
      fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([events, again]) => same(heldOf(events), heldOf(again))),
    runs,
  );
});

t.test('the earlier tick wins a conflict, and of one tick the smaller id (MESH-08)', async (t) => {
  const event = (tick: number, id: string): Told => ({ kind: 'a', subject: 's', tick, id });
  const winner = (...events: Told[]) => heldOf(events).get('a s');
  t.same(winner(event(2, 'x'), event(1, 'z'), event(3, 'a')), event(1, 'z'));
  t.same(winner(event(1, 'z'), event(1, 'b'), event(1, 'c')), event(1, 'b'));
  fc.assert(
    fc.property(heard, (events) =>
      [...heldOf(events, 100).values()].every((kept) =>
        events.every(
          (other) => other.kind !== kept.kind || other.subject !== kept.subject || kept.tick <= other.tick,
        ),
      ),
    ),
    runs,
  );
});

t.test('what is held never grows past its room, and whoever came first stays', async (t) => {
  const flood = Array.from({ length: 1000 }, (_, i) => ({
    kind: 'a',
    subject: `s${i}`,
    tick: i,
    id: `${i}`,
  }));
  const held = new Map<string, Told>();
  for (const event of flood) absorb(held, event, 10);
  t.equal(held.size, 10);
  t.ok([...held.values()].every(({ tick }) => tick < 10));
  t.notOk(absorb(held, flood[999]!, 10), 'who is turned away is told so');
  forget(held, 5);
  t.equal(held.size, 5);
});

t.test('who is not heard is unknown, not dead', async (t) => {
  t.equal(presence(100, 220), 'present');
  t.equal(presence(100, 221), 'unknown');
  t.equal(presence(0, 1e15), 'unknown');
});

import fc from 'fast-check';
import t from 'tap';
import { eventBytes, type GossipEvent } from '../../../mesh/gossip/event.ts';
import { HANDSHAKE_HEADER, handshakeText } from '../../../mesh/gossip/handshake.ts';
import { gossipEvents } from '../../../mesh/gossip/records.ts';
import { catalogue } from '../../../src/errors/catalogue.ts';
import { Refusal } from '../../../src/errors/refusal.ts';
import { canonicalText } from '../../../src/proof/canonical.ts';
import { seeded, testApp } from '../../http/test-app.ts';
import { plainSentence } from '../../plain-sentence.ts';
import {
  admit,
  broadcast,
  contributorIdentity,
  contributorSelf,
  keyOf,
  member,
  meshSecret,
  sent,
  serviceIdentity,
  TestTime,
  testStore,
} from './members.ts';

const RUNS = 400;
const alice = serviceIdentity('alice');

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(0, -1, 1e308, 5e-324, 2 ** 53, -(2 ** 53), 1.5, null, true, '', [], {}, [[]]),
  fc.constantFrom('__proto__', 'node-discovery', 'a b', '\u0000', '\u202e', '../../etc', alice.id, 'é'),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
);

type Json = Record<string, unknown>;

function* placesIn(value: object): Generator<{ holder: Json; key: string }> {
  for (const [key, inner] of Object.entries(value)) {
    yield { holder: value as Json, key };
    if (typeof inner === 'object' && inner !== null) yield* placesIn(inner);
  }
}

const change = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'add'),
  value: hostile,
  name: fc.oneof(fc.constantFrom('__proto__', 'constructor', 'tick', 'role', 'x', ''), fc.string()),
});

function changed(
  event: Json,
  { at, how, value, name }: { at: number; how: string; value: unknown; name: string },
) {
  const copy = structuredClone(event);
  const places = [...placesIn(copy)];
  const { holder, key } = places[at % places.length]!;
  if (how === 'remove') delete holder[key];
  else
    Object.defineProperty(holder, how === 'add' && !Array.isArray(holder) ? name : key, {
      value: structuredClone(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return copy;
}

/** JSON.stringify where a value has no canonical form, such as half a surrogate pair. */
function spelled(value: unknown): string {
  try {
    return canonicalText(value);
  } catch {
    return JSON.stringify(value);
  }
}

const parsed = (bytes: Uint8Array): Json => JSON.parse(new TextDecoder().decode(bytes));

/** Whatever was refused, it was in the catalogue's words and stored nothing. */
function faultOf(error: unknown): string | undefined {
  if (!(error instanceof Refusal)) return `no refusal: ${(error as Error).stack}`;
  if (!Object.hasOwn(catalogue, error.code) || error.status >= 500) return `${error.code} ${error.status}`;
  return plainSentence.test(error.message)
    ? undefined
    : `no plain sentence: ${JSON.stringify(error.message)}`;
}

t.test('an event that was changed in any way under a good handshake is refused in words', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  const contributor = contributorIdentity(1);
  await admit(store, contributor.id);
  const examples: [typeof alice, string, Json][] = [
    [alice, 'job-broadcast', broadcast('run_1')],
    [alice, 'shard-placement', { run: 'run_1', shard: 0, fence: 1, node: contributor.id }],
    [
      alice,
      'held-digests',
      { through: time.tick, buckets: [{ bucket: 1, count: 1, digest: '0'.repeat(16) }] },
    ],
    [contributor, 'node-discovery', contributorSelf],
  ];
  const property = fc.asyncProperty(
    fc.constantFrom(...examples),
    change,
    async ([identity, kind, body], by) => {
      time.pass(10); // so that no sender spends its share
      const { bytes } = sent(identity, kind, body, { tick: time.tick });
      const text = spelled(changed(parsed(bytes), by));
      const forged = new TextEncoder().encode(text);
      if (Buffer.from(forged).equals(bytes)) return;
      const header = handshakeText(keyOf(identity.id), identity.id, time.tick, forged);
      const before = await store.count(gossipEvents);
      const fault = await node.receive(forged, header).then(() => 'taken', faultOf);
      if (fault !== undefined) throw new Error(`${fault}: ${text}`);
      if ((await store.count(gossipEvents)) !== before) throw new Error(`stored: ${text}`);
    },
  );
  await fc.assert(property, { ...seeded, numRuns: RUNS, interruptAfterTimeLimit: 30_000 });
  t.pass();
});

t.test('any bytes and any header are refused in words, and throw nothing else', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  const good = sent(alice, 'job-broadcast', broadcast('run_1'), { tick: time.tick });
  const words = good.header.split(' ');
  const headers = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.tuple(fc.nat(4), hostile).map(([at, value]) => words.with(at, String(value)).join(' ')),
    fc.constant(good.header),
  );
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.jsonValue().map((value) => new TextEncoder().encode(spelled(value))),
  );
  const property = fc.asyncProperty(bodies, headers, fc.boolean(), async (bytes, header, isBound) => {
    time.pass(1);
    const key = keyOf(alice.id);
    const fault = await node
      .receive(bytes, isBound ? handshakeText(key, alice.id, time.tick, bytes) : header)
      .then(() => 'taken', faultOf);
    if (fault !== undefined) throw new Error(fault);
  });
  await fc.assert(property, { ...seeded, numRuns: RUNS, interruptAfterTimeLimit: 30_000 });
  t.equal(await store.count(gossipEvents), 0);
});

t.test('over HTTP too: never a 5xx, always a code of the catalogue with its status', async (t) => {
  const time = new TestTime();
  const { node, post } = await testApp(t, { node: { clock: time, gossip: { secret: meshSecret } } });
  const key = keyOf(alice.id);
  const property = fc.asyncProperty(change, fc.boolean(), async (by, isBound) => {
    time.pass(10);
    const { bytes, header } = sent(alice, 'job-broadcast', broadcast('run_1'), { tick: time.tick });
    const text = spelled(changed(parsed(bytes), by));
    const forged = new TextEncoder().encode(text);
    if (Buffer.from(forged).equals(bytes)) return;
    const { status, body } = await post('/api/mesh/gossip', text, {
      authorization: '',
      [HANDSHAKE_HEADER]: isBound ? handshakeText(key, alice.id, time.tick, forged) : header,
    });
    const known = catalogue[body?.error?.code as keyof typeof catalogue];
    if (status >= 500 || known?.status !== status)
      throw new Error(`${status} ${JSON.stringify(body)}: ${text}`);
  });
  await fc.assert(property, { ...seeded, numRuns: RUNS, interruptAfterTimeLimit: 30_000 });
  t.equal(await node.store.count(gossipEvents), 0);
  const event = parsed(sent(alice, 'job-broadcast', broadcast('run_1'), { tick: time.tick }).bytes);
  const good = eventBytes(event as unknown as GossipEvent);
  const answer = await post('/api/mesh/gossip', new TextDecoder().decode(good), {
    authorization: '',
    [HANDSHAKE_HEADER]: handshakeText(key, alice.id, time.tick, good),
  });
  t.equal(answer.status, 200, 'and what was not changed is taken');
});

import t from 'tap';
import { eventBytes, type GossipEvent } from '../../../mesh/gossip/event.ts';
import type { GossipWay } from '../../../mesh/gossip/gossip.ts';
import { HANDSHAKE_HEADER, handshakeText } from '../../../mesh/gossip/handshake.ts';
import { gossipEvents } from '../../../mesh/gossip/records.ts';
import {
  admit,
  broadcast,
  contributorIdentity,
  contributorSelf,
  keyOf,
  member,
  sent,
  serviceIdentity,
  TestTime,
  testStore,
} from './members.ts';

/** What a node says, kept to be carried by hand. */
class Caught implements GossipWay {
  readonly messages: { bytes: Uint8Array; header: string }[] = [];
  send({ bytes, headers }: Parameters<GossipWay['send']>[0]): void {
    this.messages.push({ bytes, header: headers()[HANDSHAKE_HEADER]! });
  }
}

const alice = serviceIdentity('alice');

t.test('an event is stored once handshake, sender and signature hold, and only then (MESH-04)', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  const { tick } = time;
  const good = sent(alice, 'job-broadcast', broadcast('run_1'), { tick });
  const event = JSON.parse(new TextDecoder().decode(good.bytes)) as GossipEvent;
  const key = keyOf(alice.id);
  const forged = eventBytes({ ...event, body: broadcast('run_2') });
  const refused: [string, Uint8Array, string | undefined][] = [
    ['MISSING_HANDSHAKE', good.bytes, undefined],
    ['BAD_HANDSHAKE', good.bytes, 'v1'],
    ['STALE_HANDSHAKE', good.bytes, handshakeText(key, alice.id, tick - 121, good.bytes)],
    ['HANDSHAKE_MISUSED', forged, good.header],
    ['BAD_SIGNATURE', forged, handshakeText(key, alice.id, tick, forged)],
    ['PAYLOAD_TOO_LARGE', new Uint8Array(8193), good.header],
  ];
  for (const [code, bytes, header] of refused) await t.rejects(node.receive(bytes, header), { code }, code);
  const carol = serviceIdentity('carol');
  const asCarol = handshakeText(keyOf(carol.id), carol.id, tick, good.bytes);
  await t.rejects(node.receive(good.bytes, asCarol), { code: 'HANDSHAKE_MISUSED' }, 'of another sender');
  const old = sent(alice, 'job-broadcast', broadcast('run_3'), { tick, event: tick - 121 });
  await t.rejects(
    node.receive(old.bytes, old.header),
    { code: 'STALE_HANDSHAKE' },
    'an old event in a new handshake',
  );
  const ahead = sent(alice, 'job-broadcast', broadcast('run_3'), { tick, event: tick + 1 });
  await t.rejects(
    node.receive(ahead.bytes, ahead.header),
    { code: 'STALE_HANDSHAKE' },
    'an event of the future',
  );
  t.equal(await store.count(gossipEvents), 0, 'nothing of it was stored');
  t.match(await node.receive(good.bytes, good.header), { holds: true, event: { subject: 'run_1' } });
  t.equal(await store.count(gossipEvents), 1);
});

t.test(
  'a replay within the window is refused, by another process and after a restart too (MESH-02)',
  async (t) => {
    const [store, time] = [await testStore(t), new TestTime()];
    const node = member(store, 'bob', time);
    const { bytes, header } = sent(alice, 'job-broadcast', broadcast('run_1'), { tick: time.tick });
    const twice = await Promise.allSettled([node.receive(bytes, header), node.receive(bytes, header)]);
    t.match(twice, [{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'GOSSIP_REPLAYED' } }]);
    const again = handshakeText(keyOf(alice.id), alice.id, time.tick, bytes);
    for (const process of [node, member(store, 'bob', time)])
      for (const each of [header, again])
        await t.rejects(process.receive(bytes, each), { code: 'GOSSIP_REPLAYED' });
    t.equal(await store.count(gossipEvents), 1);
    await t.resolves(
      member(store, 'carol', time).receive(bytes, header),
      'another node has not heard it yet',
    );
  },
);

t.test('a contributor is handed the key of its nkey, and none that passes for a service node', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  const { id } = contributorIdentity(1);
  t.same(node.keyForContributor(id), keyOf(id));
  for (const other of [alice.id, node.id, '', id.toLowerCase(), `${id} `])
    t.throws(() => node.keyForContributor(other), { code: 'UNKNOWN_SENDER' }, other);
});

t.test('a contributor is heard while it is admitted', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  const identity = contributorIdentity(1);
  const say = () => sent(identity, 'node-discovery', contributorSelf, { tick: time.tick });
  const first = say();
  await t.rejects(node.receive(first.bytes, first.header), { code: 'UNKNOWN_SENDER' });
  await admit(store, identity.id);
  await t.resolves(node.receive(first.bytes, first.header), 'the refusal spent nothing');
  t.match((await node.status()).nodes, { contributing: 1, service: 0, unknown: 0 });
  await admit(store, identity.id, 'barred');
  time.pass(1);
  const second = say();
  await t.rejects(node.receive(second.bytes, second.header), { code: 'UNKNOWN_SENDER' });
  time.pass(121);
  t.match((await node.status()).nodes, { contributing: 0, unknown: 1 }, 'not heard is unknown, not dead');
});

t.test('a sender that says too much waits, and nobody else does', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  const loud = contributorIdentity(1);
  const quiet = contributorIdentity(2);
  for (const { id } of [loud, quiet]) await admit(store, id);
  const say = (identity = loud, n = 0) => {
    const said = { ...contributorSelf, cores: n + 1 };
    const { bytes, header } = sent(identity, 'node-discovery', said, { tick: time.tick });
    return node.receive(bytes, header);
  };
  for (let n = 0; n < 24; n++) await say(loud, n);
  await t.rejects(say(loud, 24), { code: 'RATE_LIMITED', details: { retryAfter: 94 } });
  await t.resolves(say(quiet));
  time.pass(120);
  await t.resolves(say(loud, 25), 'the next window');
});

t.test('a node says no more than its peers listen to', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  const said = await Promise.allSettled(
    Array.from({ length: 2401 }, (_, i) => node.publish('job-broadcast', broadcast(`run_${i}`))),
  );
  t.match(
    said.filter(({ status }) => status === 'rejected'),
    [{ reason: { code: 'RATE_LIMITED' } }],
  );
});

t.test('a report of any content leaves a score between 0 and 1', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  await node.publish('job-broadcast', broadcast('run_1'));
  const bucket = { bucket: 1, count: 1e6, digest: '0'.repeat(16) };
  const bodies = [
    { through: 0, buckets: [] },
    { through: Number.MAX_SAFE_INTEGER, buckets: [bucket, bucket] },
    { through: time.tick, buckets: Array.from({ length: 64 }, (_, i) => ({ ...bucket, bucket: i })) },
  ];
  for (const [i, body] of bodies.entries()) {
    const { bytes, header } = sent(serviceIdentity(`peer${i}`), 'held-digests', body, { tick: time.tick });
    await node.receive(bytes, header);
    const { coherenceScore } = await node.status();
    t.ok(coherenceScore === null || (coherenceScore >= 0 && coherenceScore <= 1), String(coherenceScore));
  }
});

t.test('the earlier tick wins, in whatever order two nodes hear it (MESH-08)', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const nodes = [member(store, 'bob', time), member(store, 'carol', time)] as const;
  const { tick } = time;
  const placed = (name: string, event: number) => ({
    identity: serviceIdentity(name),
    body: { run: 'run_1', shard: 0, fence: 1, node: name },
    at: { tick, event },
  });
  const claims = [placed('xenia', tick - 2), placed('yves', tick - 5), placed('zoe', tick - 1)];
  for (const [i, node] of nodes.entries())
    for (const { identity, body, at } of i === 0 ? claims : claims.toReversed()) {
      const { bytes, header } = sent(identity, 'shard-placement', body, at);
      await node.receive(bytes, header);
    }
  for (const node of nodes) t.match(node.heard('shard-placement'), [{ body: { node: 'yves' } }]);
  const reopened = member(store, 'bob', time);
  await reopened.status();
  t.match(reopened.heard('shard-placement'), [{ body: { node: 'yves' } }], 'and after a restart');
});

t.test(
  'coherence is null until peers are heard, 1 where they agree, less where one missed something (MESH-07)',
  async (t) => {
    const [store, time] = [await testStore(t), new TestTime()];
    const [bob, carol] = [member(store, 'bob', time), member(store, 'carol', time)];
    const ways = [new Caught(), new Caught()] as const;
    bob.addWay(ways[0]);
    carol.addWay(ways[1]);
    const exchange = async () => {
      for (const { bytes, header } of ways[0].messages.splice(0)) await carol.receive(bytes, header);
      for (const { bytes, header } of ways[1].messages.splice(0)) await bob.receive(bytes, header);
    };
    await bob.publish('job-broadcast', broadcast('run_1'));
    t.match(await bob.status(), {
      coherenceScore: null,
      peersCompared: 0,
      recentGossipCount: 0,
      lastGossipTick: null,
    });
    await bob.beat();
    await carol.beat();
    const { tick } = time;
    await exchange();
    t.match(
      await carol.status(),
      { coherenceScore: null, lastGossipTick: tick },
      'what is said is settled first',
    );
    time.pass(8);
    await bob.beat();
    await carol.beat();
    await exchange();
    for (const node of [bob, carol])
      t.match(await node.status(), { coherenceScore: 1, peersCompared: 1, nodes: { service: 2 } });
    await bob.publish('job-broadcast', broadcast('run_2'));
    ways[0].messages.length = 0; // lost
    time.pass(8);
    await bob.beat();
    await carol.beat();
    await exchange();
    for (const node of [bob, carol]) t.equal((await node.status()).coherenceScore, 3 / 4);
    time.pass(121);
    t.match(await bob.status(), {
      coherenceScore: null,
      recentGossipCount: 0,
      nodes: { service: 0, unknown: 2 },
    });
  },
);

t.test('a node says who it is when it starts, again every 60 ticks, and forgets what is old', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time);
  await node.beat();
  await node.beat();
  t.match(node.heard(), [
    { kind: 'node-discovery', sender: node.id, body: { role: 'service', cores: 2, mode: null } },
  ]);
  time.pass(60);
  await node.beat();
  t.match(node.heard('node-discovery'), { length: 2 });
  time.pass(600);
  await node.beat();
  t.match(node.heard('node-discovery'), { length: 1 });
  t.equal(await store.count(gossipEvents), 1);
});

t.test('without a mesh secret nothing is said or heard (MESH-06)', async (t) => {
  const [store, time] = [await testStore(t), new TestTime()];
  const node = member(store, 'bob', time, '');
  await node.beat();
  const closed = { code: 'NO_MESH_SECRET', status: 503 };
  await t.rejects(node.receive(new Uint8Array(), undefined), closed);
  await t.rejects(node.publish('job-broadcast', broadcast('run_1')), closed);
  t.match(await node.status(), { coherenceScore: null, lastGossipTick: null });
  t.equal(await store.count(gossipEvents), 0);
});

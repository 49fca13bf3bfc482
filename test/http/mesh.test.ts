import t from 'tap';
import { isBeaconOf } from '../../mesh/beacon-proof.ts';
import { HANDSHAKE_HEADER, handshakeText } from '../../mesh/gossip/handshake.ts';
import { gossipEvents } from '../../mesh/gossip/records.ts';
import { serve } from '../../src/http/server.ts';
import {
  broadcast,
  contributorIdentity,
  contributorSelf,
  keyOf,
  meshSecret,
  sent,
  serviceIdentity,
  TestTime,
} from '../mesh/gossip/members.ts';
import { plainSentence } from '../plain-sentence.ts';
import { oscillator, testNode } from '../spine/test-node.ts';
import { testApp } from './test-app.ts';

const URL = '/api/mesh/gossip';
const open = { authorization: '', 'content-type': 'application/json' };

async function meshApp(t: Parameters<typeof testApp>[0]) {
  const time = new TestTime();
  const api = await testApp(t, { node: { clock: time, gossip: { secret: meshSecret } } });
  const tell = (bytes: Uint8Array, header?: string) =>
    api.post(
      URL,
      new TextDecoder().decode(bytes),
      header === undefined ? open : { ...open, [HANDSHAKE_HEADER]: header },
    );
  return { api, time, tell };
}

t.test('POST /api/mesh/gossip', async (t) => {
  const { api, time, tell } = await meshApp(t);
  const { store } = api.node;
  const alice = serviceIdentity('alice');
  const say = (run: string, identity = alice, at = { tick: time.tick }) =>
    sent(identity, 'job-broadcast', broadcast(run), at);
  const refusal = (code: string, status = 403) => ({ status, body: { error: { code, message: String } } });

  t.test('takes an event whose handshake and signature hold, without an account (MESH-01)', async (t) => {
    const { bytes, header } = say('run_1');
    t.match(await tell(bytes, header), {
      status: 200,
      body: { subject: 'run_1', kind: 'job-broadcast', holds: true },
    });
    t.match((await api.get('/api/mesh/status', open)).body, {
      recentGossipCount: 1,
      lastGossipTick: time.tick,
    });
  });

  t.test('refuses what is not so, each with its code, and stores nothing', async (t) => {
    const stored = await store.count(gossipEvents);
    const [good, other] = [say('run_2'), say('run_3')];
    const { tick } = time;
    const old = say('run_2', alice, { tick: tick - 121 });
    const forger = { id: alice.id, sign: serviceIdentity('mallory').sign };
    const forged = say('run_2', forger);
    const stranger = sent(contributorIdentity(9), 'node-discovery', contributorSelf, { tick });
    const heard = say('run_1');
    t.match(await tell(good.bytes), refusal('MISSING_HANDSHAKE'), 'no header (MESH-05)');
    t.match(await tell(good.bytes, 'v1 a b c'), refusal('BAD_HANDSHAKE'), 'no handshake');
    t.match(
      await tell(
        good.bytes,
        good.header.replace(/.$/, (d) => (d === '0' ? '1' : '0')),
      ),
      refusal('BAD_HANDSHAKE'),
    );
    t.match(await tell(old.bytes, old.header), refusal('STALE_HANDSHAKE'), 'after 120 ticks (MESH-02)');
    t.match(await tell(other.bytes, good.header), refusal('HANDSHAKE_MISUSED'), 'on another event (MESH-03)');
    t.match(await tell(forged.bytes, forged.header), refusal('BAD_SIGNATURE'), 'signed by another (MESH-04)');
    t.match(
      await tell(stranger.bytes, stranger.header),
      refusal('UNKNOWN_SENDER'),
      'a node that is not admitted',
    );
    t.match(
      await tell(heard.bytes, heard.header),
      refusal('GOSSIP_REPLAYED', 409),
      'what was heard before (MESH-02)',
    );
    const nobody = handshakeText(keyOf('nobody'), 'nobody', tick, good.bytes);
    t.match(await tell(good.bytes, nobody), refusal('UNKNOWN_SENDER'), 'no key at all');
    t.equal(await store.count(gossipEvents), stored);
    t.match(await tell(good.bytes, good.header), { status: 200 }, 'the event itself was good');
  });

  t.test('refuses bodies of any other kind in words', async (t) => {
    const { tick } = time;
    const key = keyOf(alice.id);
    const deep = `${'['.repeat(4000)}${']'.repeat(4000)}`;
    const bodies: [string, string, number][] = [
      ['null', 'INVALID_INPUT', 400],
      ['{}', 'INVALID_INPUT', 400],
      ['{"kind":"\u202e","x":"ünïcode\\u0000"}', 'INVALID_INPUT', 400],
      [deep, 'INVALID_INPUT', 400],
      ['{"body":{},"kind":7,"sender":"a","signature":"","tick":1}', 'INVALID_INPUT', 400],
      [`{"body":"${'x'.repeat(9000)}"}`, 'PAYLOAD_TOO_LARGE', 413],
      [`{"body":"${'x'.repeat(2 ** 20)}"}`, 'PAYLOAD_TOO_LARGE', 413],
    ];
    for (const [text, code, status] of bodies) {
      const bytes = new TextEncoder().encode(text);
      const answer = await tell(bytes, handshakeText(key, alice.id, tick, bytes));
      t.match(answer, refusal(code, status), text.slice(0, 40));
      t.match(answer.body.error.message, plainSentence);
    }
    const text = await api.post(URL, 'x', {
      ...open,
      [HANDSHAKE_HEADER]: say('r').header,
      'content-type': 'text/plain',
    });
    t.match(text, refusal('UNSUPPORTED_MEDIA_TYPE', 415));
  });
});

t.test('without a mesh secret gossip is 503, with or without a handshake (MESH-06)', async (t) => {
  const api = await testApp(t);
  for (const headers of [open, { ...open, [HANDSHAKE_HEADER]: 'v1 a 1 b c' }])
    t.match(await api.post(URL, {}, headers), { status: 503, body: { error: { code: 'NO_MESH_SECRET' } } });
  t.match((await api.get('/api/mesh/status', open)).body, {
    coherenceScore: null,
    recentGossipCount: 0,
    lastGossipTick: null,
    nodes: { service: 0, unknown: 0 },
  });
});

t.test('two nodes that gossip over HTTP come to show coherence, and null before (MESH-07)', async (t) => {
  const time = new TestTime();
  const http = { host: '127.0.0.1', port: 0, logLevel: 'silent', requestsPerMinute: 0 };
  const peers: string[] = [];
  const config = { clock: time, threads: 1, gossip: { secret: meshSecret, peers } };
  const listener = await testNode(t, config);
  const first = await serve(listener, http);
  t.teardown(() => first.app.close());
  // The first came up before it knew of the second, so it is told by hand where that listens.
  const second = await testNode(t, { ...config, gossip: { secret: meshSecret, peers: [first.url] } });
  const served = await serve(second, http);
  t.teardown(() => served.app.close());
  const { HttpPeers } = await import('../../mesh/gossip/peers.ts');
  const back = new HttpPeers({ peers: [served.url] });
  listener.gossip.addWay(back);
  const status = async (url: string) => (await fetch(`${url}/api/mesh/status`)).json();
  const said = () => Promise.all([second.gossipSaid(), back.settled()]);
  await said();
  t.match(await status(first.url), { coherenceScore: null, recentGossipCount: 2, lastGossipTick: time.tick });
  for (const node of [listener, second]) {
    await node.gossip.announce();
    await node.gossip.publish('job-broadcast', broadcast(`run_${node.name}`));
  }
  await said();
  time.pass(8);
  for (const node of [listener, second]) await node.gossip.beat();
  await said();
  for (const { url } of [first, served])
    t.match(await status(url), { coherenceScore: 1, peersCompared: 1, nodes: { service: 2 } });
});

t.test('beacons that drew something are shown, and strangers can check them', async (t) => {
  const api = await testApp(t);
  t.same((await api.get('/api/mesh/beacons', open)).body, { vkey: api.node.vkey, beacons: [] });
  const before = await api.node.beacons.next();
  await api.post('/api/svc/solve', oscillator); // now the log has a head
  const after = await api.node.beacons.next();
  for (const { tNs } of [before, after]) await api.node.beacons.used(tNs);
  const { body } = await api.get('/api/mesh/beacons?limit=2', open);
  t.equal(body.beacons.length, 2);
  for (const shown of body.beacons) t.ok(isBeaconOf(body.vkey, shown));
  t.match(body.beacons, [{ checkpoint: /^proofmesh-/ }, { checkpoint: '' }]);
  for (const limit of ['0', '501', 'x'])
    t.equal((await api.get(`/api/mesh/beacons?limit=${limit}`)).status, 400);
});

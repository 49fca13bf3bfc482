import { once } from 'node:events';
import { connect, headers as natsHeaders } from 'nats';
import t from 'tap';
import type { Gossip } from '../../../mesh/gossip/gossip.ts';
import { HANDSHAKE_HEADER } from '../../../mesh/gossip/handshake.ts';
import { gossipEvents } from '../../../mesh/gossip/records.ts';
import { subjects } from '../../../mesh/subjects.ts';
import { natsMissing, startNats } from '../../servers/nats.ts';
import { broadcast, member, sent, serviceIdentity, TestTime, testStore } from './members.ts';

interface Test {
  teardown(work: () => Promise<void>): void;
}

/** A member on a real nats-server; `heard(n)` resolves once n messages went through its entrance. */
async function onNats(t: Test, url: string, gossip: Gossip) {
  const connection = await connect({ servers: url });
  t.teardown(() => connection.close());
  const results: boolean[] = [];
  const bell = new EventTarget();
  const subscription = connection.subscribe(subjects.gossip('*'));
  void (async () => {
    for await (const { data, headers } of subscription) {
      results.push(await gossip.onMessage(data, (name) => headers?.get(name) || undefined));
      bell.dispatchEvent(new Event('heard'));
    }
  })();
  await connection.flush();
  const publish = (bytes: Uint8Array, fields: Readonly<Record<string, string>>) => {
    const headers = natsHeaders();
    for (const [name, value] of Object.entries(fields)) headers.append(name, value);
    connection.publish(subjects.gossip('job-broadcast'), bytes, { headers });
  };
  gossip.addWay({ send: ({ bytes, headers }) => publish(bytes, headers()) });
  const heard = async (count: number) => {
    while (results.length < count) await once(bell, 'heard');
    return results;
  };
  return { publish, heard };
}

t.test('the NATS entrance', { skip: natsMissing }, async (t) => {
  const server = await startNats();
  t.teardown(() => server.stop());
  const time = new TestTime();
  const stores = [await testStore(t), await testStore(t)] as const;
  const [bob, carol] = [member(stores[0], 'bob', time), member(stores[1], 'carol', time)];
  const [atBob, atCarol] = [await onNats(t, server.url, bob), await onNats(t, server.url, carol)];

  await t.test('carries what one service node says to another', async (t) => {
    const event = await bob.publish('job-broadcast', broadcast('run_1'));
    t.same(await atCarol.heard(1), [true]);
    t.match(carol.heard('job-broadcast'), [{ id: event.id, sender: bob.id }]);
    t.same(await atBob.heard(1), [false], 'its own words come back and change nothing');
  });

  await t.test('checks handshake and signature before storage, as HTTP does (MESH-04)', async (t) => {
    const stored = await stores[1].count(gossipEvents);
    const { tick } = time;
    const alice = serviceIdentity('alice');
    const good = sent(carol, alice, 'job-broadcast', broadcast('run_2'), { tick });
    const forger = { id: alice.id, sign: serviceIdentity('mallory').sign };
    const forged = sent(carol, forger, 'job-broadcast', broadcast('run_3'), { tick });
    const moved = sent(carol, alice, 'job-broadcast', broadcast('run_4'), { tick });
    atBob.publish(good.bytes, {}); // no handshake
    atBob.publish(forged.bytes, { [HANDSHAKE_HEADER]: forged.header }); // another's signature
    atBob.publish(moved.bytes, { [HANDSHAKE_HEADER]: good.header }); // a handshake that was moved
    t.same((await atCarol.heard(4)).slice(1), [false, false, false]);
    t.equal(await stores[1].count(gossipEvents), stored, 'nothing of it was stored');
    atBob.publish(good.bytes, { [HANDSHAKE_HEADER]: good.header });
    atBob.publish(good.bytes, { [HANDSHAKE_HEADER]: good.header });
    t.same((await atCarol.heard(6)).slice(4), [true, false], 'once');
    t.equal(await stores[1].count(gossipEvents), stored + 1);
  });
});

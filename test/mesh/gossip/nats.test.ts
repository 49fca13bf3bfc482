import { once } from 'node:events';
import t from 'tap';
import { isBeaconOf } from '../../../mesh/beacon-proof.ts';
import { Beacons } from '../../../mesh/beacons.ts';
import type { Gossip } from '../../../mesh/gossip/gossip.ts';
import { HANDSHAKE_HEADER } from '../../../mesh/gossip/handshake.ts';
import { joinBus, type Speakers } from '../../../mesh/gossip/on-bus.ts';
import { gossipEvents } from '../../../mesh/gossip/records.ts';
import { Bus } from '../../../mesh/nats/bus.ts';
import { subjects } from '../../../mesh/subjects.ts';
import { natsMissing, startNats } from '../../servers/nats.ts';
import {
  broadcast,
  contributorIdentity,
  member,
  sent,
  serviceIdentity,
  TestTime,
  testStore,
} from './members.ts';

interface Test {
  teardown(work: () => Promise<void>): void;
}

/** A member on a real nats-server; `heard(n)` resolves once n messages went through its entrance. */
async function onNats(t: Test, url: string, gossip: Gossip, beacons: Beacons, n: number) {
  const bus = await Bus.connect({ servers: url, identity: contributorIdentity(n), name: `service ${n}` });
  const results: boolean[] = [];
  const bell = new EventTarget();
  const counted: Speakers['gossip'] = {
    addWay: (way) => gossip.addWay(way),
    onMessage: async (bytes, header) => {
      const holds = await gossip.onMessage(bytes, header);
      results.push(holds);
      bell.dispatchEvent(new Event('heard'));
      return holds;
    },
  };
  const leave = joinBus(bus, { gossip: counted, beacons }, (error) => {
    throw error;
  });
  t.teardown(async () => {
    leave();
    await bus.close();
  });
  await bus.flush();
  const heard = async (count: number) => {
    while (results.length < count) await once(bell, 'heard');
    return results;
  };
  return { bus, heard };
}

t.test('the NATS entrance', { skip: natsMissing }, async (t) => {
  const server = await startNats();
  t.teardown(() => server.stop());
  const time = new TestTime();
  const stores = [await testStore(t), await testStore(t)] as const;
  const [bob, carol] = [member(stores[0], 'bob', time), member(stores[1], 'carol', time)];
  const beaconsOf = (i: 0 | 1, name: string) =>
    new Beacons({
      store: stores[i],
      node: name,
      sign: serviceIdentity(name).sign,
      now: time.now,
      checkpoint: async () => undefined,
    });
  const bobs = beaconsOf(0, 'bob');
  const atBob = await onNats(t, server.url, bob, bobs, 1);
  const atCarol = await onNats(t, server.url, carol, beaconsOf(1, 'carol'), 2);
  const publish = (bytes: Uint8Array, headers: Record<string, string>) =>
    atBob.bus.publish(subjects.gossip('job-broadcast'), bytes, { headers });

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
    const good = sent(alice, 'job-broadcast', broadcast('run_2'), { tick });
    const forger = { id: alice.id, sign: serviceIdentity('mallory').sign };
    const forged = sent(forger, 'job-broadcast', broadcast('run_3'), { tick });
    const moved = sent(alice, 'job-broadcast', broadcast('run_4'), { tick });
    publish(good.bytes, {}); // no handshake
    publish(forged.bytes, { [HANDSHAKE_HEADER]: forged.header }); // another's signature
    publish(moved.bytes, { [HANDSHAKE_HEADER]: good.header }); // a handshake that was moved
    t.same((await atCarol.heard(4)).slice(1), [false, false, false]);
    t.equal(await stores[1].count(gossipEvents), stored, 'nothing of it was stored');
    publish(good.bytes, { [HANDSHAKE_HEADER]: good.header });
    publish(good.bytes, { [HANDSHAKE_HEADER]: good.header });
    t.same((await atCarol.heard(6)).slice(4).sort(), [false, true], 'once');
    t.equal(await stores[1].count(gossipEvents), stored + 1);
  });

  await t.test('publishes a beacon once it drew something, for everybody to check', async (t) => {
    const told = new Promise<Uint8Array>((done) =>
      atCarol.bus.subscribe(subjects.beacon, ({ data }) => done(data)),
    );
    await atCarol.bus.flush();
    await bobs.next();
    const drew = await bobs.next();
    await bobs.used(drew.tNs);
    const shown = JSON.parse(new TextDecoder().decode(await told));
    t.equal(shown.t_ns, String(drew.tNs));
    t.ok(isBeaconOf(bob.id, shown));
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { hmacKey } from '#crypto';
import { ContributorVoice } from '../../../mesh/gossip/contributor-voice.ts';
import { eventBytes, signedEvent } from '../../../mesh/gossip/event.ts';
import { HANDSHAKE_HEADER, handshakeText, nodeHandshakeKey } from '../../../mesh/gossip/handshake.ts';
import { gossipEvents } from '../../../mesh/gossip/records.ts';
import type { Identity } from '../../../mesh/nats/nkey.ts';
import { meshNodes } from '../../../mesh/records.ts';
import { subjects } from '../../../mesh/subjects.ts';
import { tickOf } from '../../../src/clock/pulse.ts';
import { utf8 } from '../../../src/proof/bytes.ts';
import { natsMissing } from '../../servers/nats.ts';
import { testNode } from '../../spine/test-node.ts';
import { contributor, secret, server } from '../over-nats.ts';

// A contributor on the NATS entrance, with the permissions of a contributor: who it is let in as, and what is dropped.

const keyOf = ({ id }: Identity) => nodeHandshakeKey(hmacKey(utf8(secret)), id);
const kind = 'node-discovery';

t.test(
  'a contributor says over NATS who it is, under the same check as over HTTP (MESH-04)',
  { skip: natsMissing },
  async (t) => {
    const nats = await server(t);
    const mesh = { nats: [nats.url], secret, policy: 'sampled' } as const;
    const node = await testNode(t, { mesh, gossip: { secret } });
    await node.startRecovery((error) => t.comment(`the service: ${error}`));
    const [one, other] = [await contributor(t, nats.url, node, 1), await contributor(t, nats.url, node, 2)];
    const mode = 'contributing';
    const { bus } = one.desk;
    const presence = { engine: 'v8-11.3 x64', cores: 2, memory: 2 ** 30 };
    const newVoice = () =>
      new ContributorVoice({
        ...{ bus, identity: one.identity, key: keyOf(one.identity), presence },
        ...{ mode: () => mode, now: node.now },
      });
    const heardOf = (id: string) => node.gossip.heard(kind).filter(({ sender }) => sender === id);
    /** What is said while the service, or its connection, is away is lost, and said again. */
    const saidUntil = async (say: () => unknown, isHeard: () => boolean | Promise<boolean>) => {
      for (let looks = 0; !(await isHeard()); looks++) {
        if (looks % 500 === 0) say();
        await delay(20);
      }
    };

    await one.desk.alive([]); // who answers has subscribed to all that it hears
    await saidUntil(
      () => {
        const voice = newVoice();
        t.ok(voice.beat());
        t.notOk(voice.beat(), 'once in 60 ticks');
      },
      () => heardOf(one.identity.id).length > 0,
    );
    t.match(heardOf(one.identity.id), [{ body: { role: 'contributor', ...presence, mode } }]);
    t.match((await node.gossip.status()).nodes, { service: 1, contributing: 1, unknown: 0 });

    /** Publishes as this contributor what somebody made up; the voice's own words come behind it. */
    const said = (
      event: { bytes: Uint8Array; header?: string },
      subject = subjects.gossipOf(kind, one.identity.id),
    ) =>
      bus.publish(subject, event.bytes, {
        headers: event.header === undefined ? {} : { [HANDSHAKE_HEADER]: event.header },
      });
    const now = tickOf(node.now()); // of all that is said: a handshake is bound to the tick of its event
    const event = (identity: Identity, { tick = now, what = kind, cores = 3 } = {}) =>
      eventBytes(
        signedEvent(
          identity,
          what,
          what === kind
            ? { role: 'contributor', ...presence, cores, mode }
            : { run: 'run_1', class: 'paid-small', kernel: 'ab'.repeat(32), work: 1000 },
          tick,
        ),
      );
    const stored = await node.store.count(gossipEvents, { sender: one.identity.id });
    const header = (identity: Identity, bytes: Uint8Array, at = now, key = keyOf(identity)) =>
      handshakeText(key, identity.id, at, bytes);
    const plain = event(one.identity);
    said({ bytes: plain }); // MESH-05
    said({ bytes: plain, header: header(one.identity, plain, now, keyOf(other.identity)) }); // MESH-01
    const old = event(one.identity, { tick: now - 130 });
    said({ bytes: old, header: header(one.identity, old, now - 130) }); // MESH-02
    said({ bytes: event(one.identity, { cores: 4 }), header: header(one.identity, plain) }); // MESH-03
    const forger = { id: one.identity.id, sign: other.identity.sign };
    const forged = event(forger);
    said({ bytes: forged, header: header(forger, forged) }); // MESH-04
    const others = event(other.identity);
    said({ bytes: others, header: header(one.identity, others) }); // for another
    const strange = event(one.identity, { what: 'job-broadcast' });
    said(
      { bytes: strange, header: header(one.identity, strange) },
      subjects.gossipOf('job-broadcast', one.identity.id),
    );
    const own = event(other.identity);
    said({ bytes: own, header: header(other.identity, own) }, subjects.gossipOf(kind, other.identity.id)); // NATS drops it
    said({ bytes: own, header: header(other.identity, own) }, subjects.gossip(kind)); // and this

    const next = event(one.identity, { tick: now + 1, cores: 5 });
    await saidUntil(
      () => said({ bytes: next, header: header(one.identity, next, now + 1) }),
      async () => (await node.store.count(gossipEvents, { sender: one.identity.id })) > stored,
    );
    t.equal(
      await node.store.count(gossipEvents, { sender: one.identity.id }),
      stored + 1,
      'nothing else was stored',
    );
    t.equal(await node.store.count(gossipEvents, { sender: other.identity.id }), 0, 'nor under another name');
    t.equal(node.gossip.heard('job-broadcast').length, 0, 'nor what only a service node says');
    t.match(heardOf(one.identity.id)[0], { body: { cores: 2 } }, 'the earlier tick wins (MESH-08)');

    said({ bytes: next, header: header(one.identity, next) }); // MESH-02: heard before
    await node.store.transaction((tx) => tx.update(meshNodes, { id: one.identity.id }, { state: 'left' }));
    const late = event(one.identity, { cores: 6 });
    said({ bytes: late, header: header(one.identity, late) }); // is admitted no longer
    const good = event(other.identity);
    const headers = { [HANDSHAKE_HEADER]: header(other.identity, good) };
    await saidUntil(
      () => other.desk.bus.publish(subjects.gossipOf(kind, other.identity.id), good, { headers }),
      () => heardOf(other.identity.id).length > 0,
    );
    t.equal(await node.store.count(gossipEvents, { sender: one.identity.id }), stored + 1);
    t.match((await node.gossip.status()).nodes, { service: 1, unknown: 0 });
  },
);

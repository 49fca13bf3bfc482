import { connect, type JetStreamClient } from 'nats';
import type { Work } from '../../mesh/desk.ts';
import type { Front } from '../../mesh/front.ts';
import { NatsDesk } from '../../mesh/nats/desk.ts';
import { NatsFront } from '../../mesh/nats/front.ts';
import { deploymentKeys } from '../../mesh/nats/keys.ts';
import { identityOf } from '../../mesh/nats/nkey.ts';
import { serverConfig } from '../../mesh/nats/server-config.ts';
import { utf8 } from '../../src/proof/bytes.ts';
import { type NatsServer, natsMissing, startNats } from '../../test/servers/nats.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { alternatingMedians, median } from '../timing.ts';

/**
 * A segment on the mesh, but for its computing and for the store: bell, lease, commitment, reveal with 1 KiB of state,
 * each signed, checked and answered. The peer is what NATS itself needs for three messages a segment: published,
 * pulled and acknowledged by the client's own JetStream, on the same server, with as many in flight.
 */
const SEGMENTS = quick ? 50 : 2000;
const IN_FLIGHT = 64;
const digest = '0'.repeat(64);
const keys = deploymentKeys(new Uint8Array(32).fill(1));
const contributor = identityOf('user', new Uint8Array(32).fill(2));
const limits = { resultsBytes: 1 << 28, partsBytes: 1 << 28, segmentsBytes: 1 << 28, jobsBytes: 1 << 25 };

const work = (run: string): Work => ({
  ...{ run, fence: 1, kernel: digest, parameters: digest, stepsPerSegment: 1, memory: 1, work: 1, from: 0 },
});

/** A service whose store is instant. */
const instant: Front = {
  asked: async () => 0,
  leases: async (_, runs) => runs.map((run) => ({ lease: work(run) })),
  alive: async () => ({ mode: 'contributing', lost: [] }),
  release: async () => {},
  results: async (batch) => batch.map(() => 'kept'),
  bytesFor: async () => undefined,
};

async function segment(desk: NatsDesk): Promise<void> {
  const [bell] = await desk.take(1);
  if (!bell) throw new Error('the queue is empty');
  const [answer] = await desk.lease([bell.run]);
  if (!answer || !('lease' in answer)) throw new Error('no lease');
  const { run, fence } = answer.lease;
  bell.ack();
  await desk.commit({ run, fence, from: 0, to: 0, commitment: digest });
  const [state, salt, rows] = [new Uint8Array(1024), new Uint8Array(32), [new Uint8Array(64)]];
  const claim = {
    ...{ from: 0, to: 0, digests: [digest], steps: 1, work: '1' },
    ...{ state: digest, rowsRoot: digest, rowsHash: digest },
  };
  await desk.reveal({ run, fence, claim, salt, state, rows, observed: [] });
}

let round = 0;

async function segmentsPerSecond(front: NatsFront, desk: NatsDesk): Promise<number> {
  const prefix = `r${round++}`;
  await inFlight(SEGMENTS, (i) => front.ring([{ id: `${prefix}-${i}`, class: 'free-small' }]));
  return inFlight(SEGMENTS, () => segment(desk));
}

/** @returns works a second */
async function inFlight(count: number, one: (i: number) => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  let next = 0;
  const carry = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, carry));
  return (count / (performance.now() - beganMs)) * 1000;
}

/** Three messages a segment through the client's own JetStream. */
async function rawPerSecond(jetstream: JetStreamClient): Promise<number> {
  const payload = new Uint8Array(1024);
  const messages = 3 * SEGMENTS;
  const beganMs = performance.now();
  const published = inFlight(messages, () => jetstream.publish('raw', payload));
  const consumer = await jetstream.consumers.get('RAW', 'raw');
  for (let taken = 0; taken < messages; )
    for await (const message of await consumer.fetch({
      max_messages: Math.min(128, messages - taken),
      expires: 1000,
    })) {
      message.ack();
      taken++;
    }
  await published;
  return (SEGMENTS / (performance.now() - beganMs)) * 1000;
}

async function rawStream(url: string) {
  const { service } = keys;
  const sig = (nonce: string) => Buffer.from(service.sign(utf8(nonce))).toString('base64url');
  const nats = await connect({
    servers: url,
    authenticator: (nonce = '') => ({ nkey: service.id, sig: sig(nonce) }),
  });
  const { streams, consumers } = await nats.jetstreamManager();
  await streams.add({ name: 'RAW', subjects: ['raw'], retention: 'workqueue' as never });
  await consumers.add('RAW', { durable_name: 'raw', ack_policy: 'explicit' as never });
  return nats;
}

/** From a bell that is rung to the node that hears it and has taken it; ms. */
async function bellMs(front: NatsFront, desk: NatsDesk): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < (quick ? 3 : 50); i++) {
    const heard = new Promise<void>((done) =>
      desk.listen({ check: () => {}, lost: () => {}, mode: () => {}, bell: () => done() }),
    );
    const beganMs = performance.now();
    await front.ring([{ id: `bell-${i}`, class: 'paid-small' }]);
    await heard;
    const [bell] = await desk.take(1);
    times.push(performance.now() - beganMs);
    bell?.ack();
  }
  return median(times);
}

async function measure({ url }: NatsServer): Promise<Row[]> {
  const front = await NatsFront.open({
    ...{
      servers: url,
      keys,
      limits,
      isAdmitted: async () => true,
      now: () => BigInt(Date.now()) * 1_000_000n,
    },
    onError: (error) => console.error(error),
  });
  front.serve(instant);
  const presence = { engine: 'bench', cores: 1, memory: 1 };
  const desk = await NatsDesk.open({
    servers: url,
    identity: contributor,
    service: keys.service.id,
    presence,
  });
  const nats = await rawStream(url);
  const rates = await alternatingMedians(quick ? 1 : 3, {
    mesh: () => segmentsPerSecond(front, desk),
    raw: () => rawPerSecond(nats.jetstream()),
  });
  const latency = await bellMs(front, desk);
  await Promise.all([desk.close(), front.close(), nats.close()]);
  return [
    rated({
      ...{
        figure: 'mesh: segments dispatched and committed, 64 in flight',
        unit: 'segments/s',
        value: rates.mesh,
      },
      ...{ against: 'NATS alone, three messages a segment', peer: rates.raw },
    }),
    {
      figure: 'mesh: from a run that is rung to the node that has taken it, one after another',
      value: latency,
      unit: 'ms',
    },
  ];
}

async function run(): Promise<Row[]> {
  if (natsMissing) return [{ figure: 'mesh: transport', unit: 'segments/s', note: natsMissing }];
  const whole = (port: number, folder: string) => serverConfig({ keys, port, folder: `${folder}/jetstream` });
  const server = await startNats({ whole });
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

export const figure: Figure = {
  title: 'mesh: segments through NATS without computing them → segments/s, against JetStream alone',
  run,
};

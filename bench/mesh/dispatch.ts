import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunSheet } from '../../mesh/coordinator/run-rows.ts';
import { openRun } from '../../mesh/decide/run.ts';
import { Bus } from '../../mesh/nats/bus.ts';
import type { NatsServer } from '../../mesh/nats/server.ts';
import { type MeshRunRow, meshRuns, meshSpans } from '../../mesh/records.ts';
import type { Store } from '../../src/store/store.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { rateInFlight } from '../store/durable-commits.ts';
import { alternatingMedians, median, secondsOf } from '../timing.ts';
import { admit, keys, withServer } from './deployment.ts';
import { type Parts, partsOfSegment } from './segment-parts.ts';
import type { Asked, SourceConfig } from './segment-source.ts';
import { openService, type Service } from './service.ts';

const RUNS = quick ? 8 : 128;
const SEGMENTS = quick ? 4 : 12;
/** Segments shorter than a contributor's span are shown together (mesh/contributor, `spanMs`): eight of 31 ms. */
const SPAN = 8;
const ROUNDS = quick ? 1 : 3;
const IN_FLIGHT = RUNS;
const SEEDS = [1, 2, 3, 4];
const STATE_BYTES = 1024;
/** A commitment and a claim with its bytes, as they are in the stream (mesh/nats/results.ts). */
const MESSAGE_BYTES = [400, 1900];
const digest = 'ab'.repeat(32);

const sheet: RunSheet = {
  ...{ runHash: digest, kernel: digest, parameters: digest, stepsPerSegment: 10 },
  ...{ memory: 2 ** 20, work: 1e9, class: 'paid-small' },
};

let batch = 0;
/** Microseconds of this process's processor time a span of one segment, of each round. */
const cpuTimes: number[] = [];

/** Runs of so many spans each, from the queue to the last accepted one. @returns segments a second */
async function overMesh({ store, coordinator }: Service, source: ChildProcess, span = 1): Promise<number> {
  const ids = Array.from({ length: RUNS }, (_, i) => `run-${batch}-${i}`);
  batch++;
  const begin = (id: string) =>
    coordinator.begin(
      id,
      sheet,
      openRun({ id, kernel: digest, payer: 'payer', policy: 'none' }, 0),
      2n ** 62n,
    );
  const before = process.cpuUsage();
  const seconds = await secondsOf(async () => {
    await Promise.all(ids.map(begin));
    await ask(source, { kind: 'begin', segments: SEGMENTS * span, span });
  });
  const { user, system } = process.cpuUsage(before);
  if (span === 1) cpuTimes.push((user + system) / (RUNS * SEGMENTS));
  const done = await store.count(meshRuns, { id: { in: ids }, state: 'done' });
  if (done !== RUNS) throw new Error(`${done} of ${RUNS} runs were done`);
  return (RUNS * SEGMENTS * span) / seconds;
}

async function ask(source: ChildProcess, asked: Asked): Promise<void> {
  const answered = once(source, 'message');
  source.send(asked);
  await answered;
}

/** Publishing, pulling and acknowledging alone: two messages a segment. @returns segments a second */
async function rawJetStream(bus: Bus, source: ChildProcess): Promise<number> {
  const count = 2 * RUNS * SEGMENTS;
  let taken = 0;
  const take = async () => {
    while (taken < count) {
      const there = await bus.pull('RAW', 'raw', { batch: 128 });
      const deliveries = there.length > 0 ? there : await bus.pull('RAW', 'raw', { batch: 1, waitMs: 1000 });
      taken += deliveries.length;
      for (const delivery of deliveries) delivery.ack();
    }
  };
  const published = { kind: 'raw', count, sizes: MESSAGE_BYTES, inFlight: IN_FLIGHT } as const;
  const seconds = await secondsOf(() => Promise.all([ask(source, published), take()]));
  return count / 2 / seconds;
}

async function rawStream(nats: NatsServer): Promise<Bus> {
  const bus = await Bus.connect({ servers: nats.url, identity: keys.service, name: 'raw' });
  const config = { name: 'RAW', subjects: ['raw.*'], retention: 'workqueue', storage: 'file' };
  await bus.api('STREAM.CREATE.RAW', config);
  const consumer = { durable_name: 'raw', name: 'raw', ack_policy: 'explicit', filter_subject: 'raw.*' };
  await bus.api('CONSUMER.CREATE.RAW.raw.raw.*', { stream_name: 'RAW', config: consumer });
  return bus;
}

/** What must be durable and nothing else: a row changed for the commitment, changed and another one written for the claim. */
function storeAlone(store: Store): () => Promise<number> {
  let n = 0;
  const run = async (id: string) => {
    const row = (await store.get(meshRuns, { id }))!;
    const span = { node: 'n', owner: 'o', claim: row.machine, bytes: digest, work: 1n, accepted_ns: 1n };
    for (let segment = 0; segment < SEGMENTS; segment++) {
      await store.transaction((tx) => tx.update(meshRuns, { id }, changed(row)));
      const key = { run: `alone-${n++}`, from_segment: BigInt(segment), to_segment: BigInt(segment) };
      await store.transaction(async (tx) => {
        await tx.put(meshSpans, { ...key, ...span, drawn_ns: null });
        await tx.update(meshRuns, { id }, changed(row));
      });
    }
  };
  return async () => (await rateInFlight(RUNS, RUNS, (i) => run(`run-0-${i}`))) * SEGMENTS;
}

const changed = ({ machine, pending, version }: MeshRunRow) => ({ machine, pending, version: version + 1n });

async function startSource(nats: NatsServer): Promise<ChildProcess> {
  const config: SourceConfig = {
    ...{ nats: nats.url, seeds: SEEDS, runHash: digest, stateBytes: STATE_BYTES },
  };
  const entry = fileURLToPath(new URL('segment-source.js', import.meta.url));
  const source = fork(entry, [JSON.stringify(config)]);
  await once(source, 'message');
  return source;
}

async function measure(nats: NatsServer, folder: string): Promise<Row[]> {
  const service = await openService(nats, folder);
  const { store } = service;
  await admit(store, SEEDS, RUNS);
  const source = await startSource(nats);
  const bus = await rawStream(nats);
  try {
    const parts: Parts[] = [];
    const rates = await alternatingMedians(ROUNDS, {
      mesh: () => overMesh(service, source),
      spans: () => overMesh(service, source, SPAN),
      jetstream: () => rawJetStream(bus, source),
      store: storeAlone(store),
      least: async () => {
        const sizes = { runHash: digest, stateBytes: STATE_BYTES };
        parts.push(await partsOfSegment({ store, objects: service.front.objects }, 'run-0-0', sizes));
        return Object.values(parts.at(-1)!).reduce((sum, each) => sum + each, 0);
      },
    });
    const part = (figure: string, name: keyof Parts): Row => ({
      figure: `of it at the least: ${figure}`,
      value: median(parts.slice(quick ? 0 : 1).map((each) => each[name])),
      unit: 'µs',
    });
    const lower = Math.min(rates.jetstream, rates.store);
    const beside = { unit, against: 'the lower of the two below', peer: lower, goal: { atLeast: 0.5 } };
    return [
      rated({ ...beside, figure: name, value: rates.mesh }),
      rated({ ...beside, figure: together, value: rates.spans }),
      { figure: 'JetStream alone: published, pulled, acknowledged', value: rates.jetstream, unit },
      { figure: 'embedded store alone: its durable batches', value: rates.store, unit },
      {
        figure: 'processor time of the service, a segment',
        value: median(cpuTimes.slice(quick ? 0 : 1)),
        unit: 'µs',
      },
      part('hashes that hold bytes and claim to their commitment', 'hashes'),
      part('its share of the signatures of a parcel and of the answer', 'signatures'),
      part('its six statements, sixteen segments to a transaction', 'rows'),
      part('its bytes, put into the object store', 'object'),
    ];
  } finally {
    source.disconnect();
    await bus.close();
    await service.close();
  }
}

const name = `mesh: ${RUNS} runs of ${SEGMENTS} segments, dispatched, committed, revealed, accepted, paid`;
const together = `the same, ${SPAN} segments shown together, as contributors show those below 0.25 s`;
const unit = 'segments/s';

export const figure: Figure = {
  title: `${name} → segments/s, against raw JetStream and the store's own batches`,
  run: () => withServer([{ figure: name, unit }], measure),
};

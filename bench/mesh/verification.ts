import type { NatsServer } from '../../mesh/nats/server.ts';
import { meshSpans, meshTrust, meshVerdicts } from '../../mesh/records.ts';
import { workCredits } from '../../src/contribute/records.ts';
import { orbits } from '../../test/mesh/orbits.ts';
import { ended } from '../ended.ts';
import { type Figure, quick, type Row } from '../figure.ts';
import { median } from '../timing.ts';
import { contribute } from './contributor.ts';
import { admit, identity, withServer } from './deployment.ts';
import { openService, type Service } from './service.ts';

/** Spans as short as they may be, so that there are many of them. */
const SPAN_MS = 2;
const STEPS_PER_SEGMENT = 20_000;
const SEGMENTS = quick ? 16 : 640;
const LIARS = quick ? 1 : 4;
const MOST_CHECKED = 0.05;
/** Matches from which on one span in 32 is checked (mesh/decide/trust.ts). */
const TRUSTED = 40n;
const steady = `mesh: work done twice under sampled checks, nodes with ${TRUSTED} matches`;
const fresh = 'mesh: spans of a liar until it is caught, a new node';
const trusted = `mesh: spans of a liar until it is caught, a node with ${TRUSTED} matches`;

const spec = () => orbits({ steps: STEPS_PER_SEGMENT * SEGMENTS, stepsPerSegment: STEPS_PER_SEGMENT });

async function trust({ store }: Service, seed: number): Promise<void> {
  const { kernel } = spec();
  await store.transaction((tx) => tx.put(meshTrust, { node: identity(seed).id, kernel, matches: TRUSTED }));
}

const nameOf = (id: string) => ({ name: { id, job: id, payer: 'payer', paid: true } });

/** Share of the accepted work that was done a second time. */
async function steadyShare(service: Service): Promise<number> {
  await service.executor('sampled').execute(spec(), nameOf('steady'));
  const work = (kind: string) => service.store.sum(workCredits, 'work', { run: 'steady', kind });
  return Number(await work('check')) / Number(await work('segment'));
}

/** A liar is alone when its run begins; the honest ones come back then. @returns spans until the verdict, it included */
async function detection(nats: NatsServer, folder: string, service: Service, seed: number): Promise<number> {
  const { store } = service;
  const liar = await contribute(nats, folder, { seed, lies: 'throughout', spanMs: SPAN_MS });
  const run = `liar-${seed}`;
  const aborted = new AbortController();
  const running = service
    .executor('sampled')
    .execute(spec(), { ...nameOf(run), signal: aborted.signal })
    .catch(() => undefined);
  const honest = await contribute(nats, folder, { seed: 1, spanMs: SPAN_MS });
  let isOver = false;
  void running.then(() => {
    isOver = true;
  });
  while (!isOver && (await store.count(meshVerdicts, { run })) === 0)
    await new Promise((done) => setTimeout(done, 20));
  const untrue = await store.count(meshSpans, { run, node: identity(seed).id });
  aborted.abort();
  await running;
  await Promise.all([ended(liar), ended(honest)]);
  return untrue + 1;
}

async function measure(nats: NatsServer, folder: string): Promise<Row[]> {
  const service = await openService(nats, folder);
  const seeds = Array.from({ length: 2 * LIARS }, (_, i) => 10 + i);
  service.employ();
  await admit(service.store, [1, 2, ...seeds]);
  for (const seed of [1, 2, ...seeds.slice(LIARS)]) await trust(service, seed);
  try {
    const nodes = [
      await contribute(nats, folder, { seed: 1, spanMs: SPAN_MS }),
      await contribute(nats, folder, { seed: 2, spanMs: SPAN_MS }),
    ];
    const share = await steadyShare(service);
    await Promise.all(nodes.map(ended));
    const spans: number[] = [];
    for (const seed of seeds) spans.push(await detection(nats, folder, service, seed));
    const note = share === 0 ? 'too few spans: none was drawn' : undefined;
    return [
      {
        ...{ figure: steady, value: 100 * share || undefined, unit: '%', note },
        ...{ goal: '≤ 5 %', met: share === 0 ? undefined : share <= MOST_CHECKED },
      },
      { figure: fresh, value: median(spans.slice(0, LIARS)), unit: 'spans' },
      { figure: trusted, value: median(spans.slice(LIARS)), unit: 'spans' },
    ];
  } finally {
    await service.close();
  }
}

export const figure: Figure = {
  title: 'mesh: sampled checks with real kernels → share of work, spans until a liar is caught',
  run: () =>
    withServer(
      [
        { figure: steady, unit: '%' },
        { figure: fresh, unit: 'spans' },
      ],
      measure,
    ),
};

import type { NatsServer } from '../../mesh/nats/server.ts';
import { orbits, priceShards } from '../../test/mesh/orbits.ts';
import type { RunSpec } from '../../workers/executor.ts';
import { ended } from '../ended.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { median, secondsOf } from '../timing.ts';
import { contribute } from './contributor.ts';
import { admit, withServer } from './deployment.ts';
import { openService, type Service } from './service.ts';

const RUNS = quick ? 2 : 8;
/** A little more than a second of an idle core. */
const STEPS_PER_SEGMENT = quick ? 50_000 : 5_000_000;
const STEPS = (quick ? 2 : 3) * STEPS_PER_SEGMENT;
const ROUNDS = quick ? 1 : 3;
const LEAST_SCALING = 1.9;
const FIXINGS = quick ? 2 : 1024;
const BATCHES = quick ? 1 : 8;
const unit = 'runs/s';

interface Load {
  readonly figure: string;
  readonly specs: readonly RunSpec[];
}

const goal = { atLeast: LEAST_SCALING };
const loads: readonly Load[] = [
  {
    figure: `mesh: ${RUNS} runs that know nothing of each other, two contributor processes`,
    specs: Array<RunSpec>(RUNS).fill(orbits({ steps: STEPS, stepsPerSegment: STEPS_PER_SEGMENT })),
  },
  {
    figure: 'the same, the shards of a price by Monte-Carlo',
    specs: priceShards(FIXINGS, 'own'),
  },
  {
    figure: 'the same, shards of a fifth of a second',
    specs: Array(BATCHES).fill(priceShards(FIXINGS, 'asian')).flat(),
  },
];

let batch = 0;

/** Runs a second over the contributors that are there. */
async function rate(service: Service, { specs }: Load): Promise<number> {
  const executor = service.executor('none');
  const job = `batch-${batch++}`;
  const seconds = await secondsOf(() =>
    Promise.all(
      specs.map((spec, i) =>
        executor.execute(spec, { name: { id: `${job}-${i}`, job, payer: 'payer', paid: true } }),
      ),
    ),
  );
  return specs.length / seconds;
}

async function measure(nats: NatsServer, folder: string): Promise<Row[]> {
  const service = await openService(nats, folder);
  await admit(service.store, [1, 2]);
  const first = await contribute(nats, folder, { seed: 1 });
  const rows: Row[] = [];
  try {
    for (const load of loads) {
      const [one, two]: [number[], number[]] = [[], []];
      await rate(service, load);
      for (let round = 0; round < ROUNDS; round++) {
        one.push(await rate(service, load));
        const other = await contribute(nats, folder, { seed: 2 });
        await rate(service, load); // who has just come still compiles
        two.push(await rate(service, load));
        await ended(other);
      }
      const against = 'one contributor process';
      const { figure } = load;
      rows.push(rated({ figure, value: median(two), unit, against, peer: median(one), goal }));
    }
    return rows;
  } finally {
    await ended(first);
    await service.close();
  }
}

export const figure: Figure = {
  title: `${loads[0]!.figure} → runs/s, against one`,
  run: () =>
    withServer(
      loads.map(({ figure }) => ({ figure, unit })),
      measure,
    ),
};

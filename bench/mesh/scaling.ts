import type { NatsServer } from '../../mesh/nats/server.ts';
import { orbits, priceShards } from '../../test/mesh/orbits.ts';
import type { RunSpec } from '../../workers/executor.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { median, secondsOf } from '../timing.ts';
import { contribute, end } from './contributor.ts';
import { admit, withServer } from './deployment.ts';
import { openService, type Service } from './service.ts';

const RUNS = quick ? 2 : 8;
const STEPS = quick ? 100_000 : 7_500_000;
const STEPS_PER_SEGMENT = quick ? 50_000 : 1_875_000;
const ROUNDS = quick ? 1 : 3;
const LEAST_SCALING = 1.9;
const FIXINGS = quick ? 2 : 1024;
const BATCHES = quick ? 1 : 8;
const name = `mesh: ${RUNS} runs that know nothing of each other, two contributor processes`;
const shards = 'the same, the shards of a price by Monte-Carlo';
const unit = 'runs/s';

let batch = 0;

const loads = {
  orbits: Array<RunSpec>(RUNS).fill(orbits({ steps: STEPS, stepsPerSegment: STEPS_PER_SEGMENT })),
  prices: Array(BATCHES).fill(priceShards(FIXINGS)).flat() as RunSpec[],
};
type Load = keyof typeof loads;

/** Runs a second over the contributors that are there. */
async function rate(service: Service, load: Load): Promise<number> {
  const specs = loads[load];
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
  const one = await contribute(nats, folder, { seed: 1 });
  const rates = new Map<string, number[]>();
  const measured = async (who: string, load: Load): Promise<void> => {
    const all = rates.get(`${who} ${load}`) ?? [];
    rates.set(`${who} ${load}`, [...all, await rate(service, load)]);
  };
  try {
    for (const load of ['orbits', 'prices'] as const) {
      await rate(service, load);
      for (let round = 0; round < ROUNDS; round++) {
        await measured('one', load);
        const other = await contribute(nats, folder, { seed: 2 });
        await rate(service, load); // who has just come still compiles
        await measured('two', load);
        await end(other);
      }
    }
    const against = 'one contributor process';
    const goal = { atLeast: LEAST_SCALING };
    const row = (figure: string, load: Load): Row => {
      const [value, peer] = [median(rates.get(`two ${load}`)!), median(rates.get(`one ${load}`)!)];
      return rated({ figure, value, unit, against, peer, goal });
    };
    return [row(name, 'orbits'), row(shards, 'prices')];
  } finally {
    await end(one);
    await service.close();
  }
}

export const figure: Figure = {
  title: `${name} → runs/s, against one`,
  run: () =>
    withServer(
      [name, shards].map((each) => ({ figure: each, unit })),
      measure,
    ),
};

import type { NatsServer } from '../../mesh/nats/server.ts';
import { orbits } from '../../test/mesh/orbits.ts';
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
const name = `mesh: ${RUNS} runs that know nothing of each other, two contributor processes`;
const unit = 'runs/s';

let batch = 0;

/** Runs a second over the contributors that are there. */
async function rate(service: Service): Promise<number> {
  const spec = orbits({ steps: STEPS, stepsPerSegment: STEPS_PER_SEGMENT });
  const executor = service.executor('none');
  const job = `batch-${batch++}`;
  const seconds = await secondsOf(() =>
    Promise.all(
      Array.from({ length: RUNS }, (_, i) =>
        executor.execute(spec, { name: { id: `${job}-${i}`, job, payer: 'payer', paid: true } }),
      ),
    ),
  );
  return RUNS / seconds;
}

async function measure(nats: NatsServer, folder: string): Promise<Row[]> {
  const service = await openService(nats, folder);
  await admit(service.store, [1, 2]);
  const one = await contribute(nats, folder, { seed: 1 });
  const [alone, together]: [number[], number[]] = [[], []];
  try {
    await rate(service);
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await rate(service));
      const other = await contribute(nats, folder, { seed: 2 });
      together.push(await rate(service));
      await end(other);
    }
    const against = 'one contributor process';
    const goal = { atLeast: LEAST_SCALING };
    return [rated({ figure: name, value: median(together), unit, against, peer: median(alone), goal })];
  } finally {
    await end(one);
    await service.close();
  }
}

export const figure: Figure = {
  title: `${name} → runs/s, against one`,
  run: () => withServer([{ figure: name, unit }], measure),
};

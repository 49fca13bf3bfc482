import type { NatsServer } from '../../mesh/nats/server.ts';
import { orbits } from '../../test/mesh/orbits.ts';
import { ended } from '../ended.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { alternatingMedians, secondsOf } from '../timing.ts';
import { contribute } from './contributor.ts';
import { admit, withServer } from './deployment.ts';
import { openService } from './service.ts';

/** A little more than a second of an idle core: each is kept before the next begins. */
const STEPS_PER_SEGMENT = quick ? 100_000 : 5_000_000;
const SEGMENTS = quick ? 2 : 12;
const ROUNDS = quick ? 1 : 3;
const MOST_OVERHEAD = 1.03;
const name = `mesh: one run of ${SEGMENTS} segments of a second, unchecked`;
const unit = 'segments/s';

async function measure(nats: NatsServer, folder: string): Promise<Row[]> {
  const service = await openService(nats, folder);
  await admit(service.store, [1]);
  const child = await contribute(nats, folder, { seed: 1 });
  const spec = orbits({ steps: STEPS_PER_SEGMENT * SEGMENTS, stepsPerSegment: STEPS_PER_SEGMENT });
  const executor = service.executor('none');
  let n = 0;
  const overMesh = () => {
    const id = `run-${n++}`;
    return executor.execute(spec, { name: { id, job: id, payer: 'payer', paid: true } });
  };
  const rate = async (work: () => Promise<unknown>) => SEGMENTS / (await secondsOf(work));
  try {
    const rates = await alternatingMedians(ROUNDS, {
      mesh: () => rate(overMesh),
      local: () => rate(() => service.pool.execute(spec)),
    });
    const against = 'the same run on a thread of this machine';
    const goal = { atMost: MOST_OVERHEAD };
    return [rated({ figure: name, value: rates.mesh, unit, against, peer: rates.local, goal })];
  } finally {
    await ended(child);
    await service.close();
  }
}

export const figure: Figure = {
  title: `${name} → segments/s, against the threads of this machine`,
  run: () => withServer([{ figure: name, unit }], measure),
};

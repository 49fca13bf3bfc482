import type { NatsServer } from '../../mesh/nats/server.ts';
import { orbits, priceShards } from '../../test/mesh/orbits.ts';
import type { ExecuteOptions, RunSpec } from '../../workers/executor.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { ended } from '../ended.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { median } from '../timing.ts';
import { contribute } from './contributor.ts';
import { admit, withServer } from './deployment.ts';
import { openService, type Service } from './service.ts';

/** A little more than a second of an idle core. */
const STEPS_PER_SEGMENT = quick ? 50_000 : 5_000_000;
const SEGMENTS = 2;
const FIXINGS = quick ? 2 : 1024;
const ROUNDS = quick ? 1 : 3;
const LEAST_SCALING = 1.9;
/** So many are under way at once: each of two has one that it computes, one that it fetched ahead, and one waits. */
const UNDER_WAY = 5;
const unit = 'runs/s';

interface Load {
  readonly name: string;
  readonly specs: readonly RunSpec[];
  /** Ended runs that are counted. An even number: of two that take turns the last is then whose the first was. */
  readonly runs: number;
}

const loads: readonly Load[] = [
  {
    name: 'runs of two segments of a second that know nothing of each other',
    specs: [orbits({ steps: SEGMENTS * STEPS_PER_SEGMENT, stepsPerSegment: STEPS_PER_SEGMENT })],
    runs: quick ? 2 : 8,
  },
  {
    name: 'the shards of a price by Monte-Carlo',
    specs: priceShards(FIXINGS, 'own'),
    runs: quick ? 2 : 8,
  },
  {
    name: 'shards of a fifth of a second',
    specs: priceShards(FIXINGS, 'asian'),
    runs: quick ? 2 : 40,
  },
];

const goal = { atLeast: LEAST_SCALING };
const figures = loads.flatMap(({ name }) => [
  `mesh: ${name}, two contributor processes`,
  `mesh: ${name}, two threads and no mesh`,
]);

const ENOUGH = 'enough';

type Execute = (spec: RunSpec, options: ExecuteOptions) => Promise<unknown>;

/**
 * Runs a second while there are always some that wait, from an end to an end: neither how the first begins is in it
 * nor that the last of a batch leave one without work, which grows less the more there are.
 */
async function rate(execute: Execute, { specs, runs }: Load): Promise<number> {
  const over = new AbortController();
  const ends: number[] = [];
  let begun = 0;
  // Of two that have just begun both have a second run before it counts.
  const warm = 2;
  const goOn = async () => {
    while (!over.signal.aborted) {
      await execute(specs[begun++ % specs.length]!, { signal: over.signal });
      ends.push(performance.now());
      if (ends.length > warm + runs) over.abort(ENOUGH);
    }
  };
  const loops = Array.from({ length: UNDER_WAY }, () => goOn().catch((why: unknown) => over.abort(why)));
  await Promise.all(loops);
  if (over.signal.reason !== ENOUGH) throw over.signal.reason;
  return (1000 * runs) / (ends[warm + runs]! - ends[warm]!);
}

/** Of one and of two, in turn, so that a machine that is busy for a while is busy for both. */
async function rates(one: () => Promise<number>, two: () => Promise<number>) {
  const measured: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    measured[0].push(await one());
    measured[1].push(await two());
  }
  return { one: median(measured[0]), two: median(measured[1]) };
}

let batch = 0;

function overMesh(service: Service): Execute {
  const executor = service.executor('none');
  const job = `batch-${batch++}`;
  let n = 0;
  return (spec, options) =>
    executor.execute(spec, { ...options, name: { id: `${job}-${n++}`, job, payer: 'payer', paid: true } });
}

async function measure(nats: NatsServer, folder: string): Promise<Row[]> {
  const service = await openService(nats, folder);
  await admit(service.store, [1, 2]);
  const contributors = await Promise.all([1, 2].map((seed) => contribute(nats, folder, { seed })));
  const threads = [1, 2].map((count) => new ThreadPool({ threads: count }));
  const mesh = (load: Load, mode: 'idle' | 'contributing') => async () => {
    await service.switchMode('owner-2', mode);
    return rate(overMesh(service), load);
  };
  const alone = (load: Load, pool: ThreadPool) => () =>
    rate((spec, options) => pool.execute(spec, options), { ...load, runs: load.runs / 2 });
  const rows: Row[] = [];
  try {
    for (const [i, load] of loads.entries()) {
      await mesh(load, 'contributing')(); // who has just come still compiles
      const ours = await rates(mesh(load, 'idle'), mesh(load, 'contributing'));
      await service.switchMode('owner-2', 'idle');
      const machine = await rates(alone(load, threads[0]!), alone(load, threads[1]!));
      rows.push(
        rated({
          ...{ figure: figures[2 * i]!, value: ours.two, unit },
          ...{ against: 'one contributor process', peer: ours.one, goal },
        }),
        rated({
          ...{ figure: figures[2 * i + 1]!, value: machine.two, unit },
          ...{ against: 'one thread and no mesh', peer: machine.one },
        }),
      );
    }
    return rows;
  } finally {
    for (const child of contributors) await ended(child);
    for (const pool of threads) await pool.close();
    await service.close();
  }
}

export const figure: Figure = {
  title: `mesh: ${loads[0]!.name} → runs/s, two contributor processes against one`,
  run: () =>
    withServer(
      figures.map((figure) => ({ figure, unit })),
      measure,
    ),
};

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Census, MeshSize } from '../../test/mesh/simulator/census.ts';
import { type Figure, quick, type Row, whole } from '../figure.ts';
import { curvesSvg } from './curves.ts';
import type { Answer, Seeds, Task } from './simulation-worker.ts';

/** `SIM_SEEDS=n` takes another number of seeds, `SIM_FROM=n` begins at another. */
const SEEDS = Number(process.env.SIM_SEEDS ?? (quick ? 60 : whole ? 2000 : 100_000));
const FROM = Number(process.env.SIM_FROM ?? 1);
const CHUNK = quick ? 20 : 250;
const plot = new URL('../../../docs/mesh-simulation.svg', import.meta.url);

const steady = (nodes: number, seconds: number): MeshSize => ({
  ...{ nodes, seconds, matches: 40, liars: Math.ceil(nodes / 50), seed: nodes },
});
const sizes: readonly MeshSize[] = quick
  ? [steady(10, 120)]
  : [steady(10, 7200), steady(100, 1200), steady(1000, 240), steady(10_000, 120)];
/** Nodes that nobody knows: each of their first claims is checked. No liar is among them. */
const strangers: MeshSize = { nodes: 10, seconds: quick ? 120 : 7200, matches: 0, liars: 0, seed: 1 };

/** Does the tasks on all cores, the long ones first. */
async function onAllCores(tasks: readonly Task[], count: number): Promise<Answer[]> {
  const answers: Answer[] = new Array(tasks.length);
  let next = 0;
  const work = async () => {
    const worker = new Worker(new URL('./simulation-worker.js', import.meta.url));
    try {
      for (let i = next++; i < tasks.length; i = next++) answers[i] = await asked(worker, tasks[i]!);
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  return answers;
}

function asked(worker: Worker, task: Task): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage(task);
  });
}

async function seedRows(cores: number): Promise<Row[]> {
  const tasks: Task[] = [];
  for (let from = FROM; from < FROM + SEEDS; from += CHUNK)
    tasks.push({ kind: 'seeds', from, to: Math.min(from + CHUNK, FROM + SEEDS) });
  const start = performance.now();
  const parts = (await onAllCores(tasks, cores)) as Seeds[];
  const seconds = (performance.now() - start) / 1000;
  const violations = parts.flatMap((part) => part.violations);
  for (const { seed, violation } of violations) console.error(`seed ${seed}: ${violation}`);
  if (violations.length > 0) throw new Error(`${violations.length} of ${SEEDS} seeds break a promise`);
  const worst = parts.map((part) => part.worst).reduce((a, b) => (b.recovery > a.recovery ? b : a));
  const sum = (key: keyof Seeds['counts']) => parts.reduce((total, { counts }) => total + counts[key], 0);
  const note = `no promise broken in ${SEEDS} seeds from ${FROM} on: ${sum('accepted')} segments accepted, ${sum('checks')} checks, ${sum('verdicts')} verdicts, ${sum('slashed')} bonds withheld`;
  return [
    { figure: `mesh: faults, ${cores} cores`, value: SEEDS / seconds, unit: 'seeds/s', note },
    {
      figure: `mesh: worst recovery of ${SEEDS} seeds`,
      value: worst.recovery + 1,
      unit: 'ticks',
      note: `from the last fault to the end of the last run, seed ${worst.seed}`,
    },
  ];
}

function overheadRow(figure: string, { overhead }: Census): Row {
  const row = { figure, value: 100 * overhead, unit: '%' };
  // In a small size nobody gets to the steady state.
  return quick ? row : { ...row, goal: '≤ 5 %', met: overhead <= 0.05 };
}

function censusRows({ nodes }: MeshSize, counted: Census): Row[] {
  const { segmentsPerSecond, queueMs, spansUntilCaught, caught, leases } = counted;
  const of = (what: string) => `mesh: ${nodes} nodes, ${what}`;
  return [
    { figure: of('throughput'), value: segmentsPerSecond, unit: 'segments/s' },
    { figure: of('queue delay p50'), value: queueMs.p50, unit: 'ms', note: `${leases} leases` },
    { figure: of('queue delay p99'), value: queueMs.p99, unit: 'ms' },
    overheadRow(of('checked over useful work'), counted),
    caught > 0
      ? {
          figure: of('lies until caught'),
          value: spansUntilCaught,
          unit: 'spans',
          note: `${caught} liars, trusted before`,
        }
      : { figure: of('lies until caught'), unit: 'spans', note: 'no liar was caught in the time' },
  ];
}

async function run(): Promise<Row[]> {
  const cores = quick ? 1 : availableParallelism();
  const all = [...sizes].reverse();
  const tasks = [...all, strangers].map((size): Task => ({ kind: 'census', size }));
  const counted = (await onAllCores(tasks, cores)) as Census[];
  const bySize = sizes.map((size) => ({ size, counted: counted[all.indexOf(size)]! }));
  if (!quick && !whole) writeFileSync(plot, curvesSvg(bySize));
  return [
    ...(await seedRows(cores)),
    ...bySize.flatMap(({ size, counted }) => censusRows(size, counted)),
    overheadRow(`mesh: 10 nodes that nobody knew, second half of ${strangers.seconds} s`, counted.at(-1)!),
  ];
}

export const figure: Figure = {
  title:
    'mesh: decisions under faults and at 80 % load, 10 to 10,000 nodes → seeds/s, segments/s, ms, %, simulated',
  run,
  // 100,000 seeds take some 300 s of two idle cores, and must end on busy ones too.
  limitMs: 3_600_000,
};

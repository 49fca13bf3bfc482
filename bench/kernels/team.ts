import { concat } from '../../src/proof/bytes.ts';
import { readInput } from '../../src/solvers/input.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import type { RunSpec } from '../../workers/executor.ts';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { alternatingMedians, secondsOf } from '../timing.ts';

// One run of some seconds, on one thread and on two that share its memory (assembly/kernel/team.ts), from the message to
// the pool to the finished run: what it takes to bring the second thread to it is in the figure.

const ROUNDS = 3;
/** Above it a run is assisted. */
const LONG_WORK = 600_000_000;

interface Case {
  readonly solver: string;
  readonly what: string;
  readonly body: object;
  readonly goal: number;
}

/** Weyl sequences in a cube, at rest. */
function bodies(count: number, steps: number, more: object) {
  const unit = (i: number) => (((i + 1) * 0.6180339887498949) % 1) - 0.5;
  const each = Array.from({ length: count }, (_, i) => i);
  return {
    ...{
      referenceMode: 'gravity',
      G: 1,
      softening: 0.05,
      integrator: 'leapfrog',
      dt: 1e-3,
      t_max: 1e-3 * steps,
    },
    position: each.map((i) => [unit(3 * i), unit(7 * i + 1), unit(11 * i + 2)]),
    velocity: each.map(() => [0, 0, 0]),
    mass: each.map(() => 1 / count),
    ...more,
  };
}

/** On a quadrilateral without parallel sides; the finest of its meshes has four times the cells along each side. */
const membrane = (cells: number) => ({
  ...{ analysis: 'poisson', k: 1, f: 1, quantity: 'u', probe: [0.5, 0.5] },
  patches: [
    {
      corners: [
        [0, 0],
        [1, 0],
        [0.9, 0.95],
        [0, 1],
      ],
      N: [cells, cells],
    },
  ],
  supports: [{ on: 'outer', u: 0 }],
});

const cases: readonly Case[] = [
  {
    solver: 'multibody',
    what: 'multibody: direct sum, 2048 bodies',
    body: bodies(quick ? 128 : 2048, quick ? 2 : 400, {}),
    goal: 1.9,
  },
  {
    solver: 'multibody',
    what: 'multibody: tree, 20,000 bodies',
    body: bodies(quick ? 500 : 20_000, quick ? 1 : 8, { force: 'tree', theta: 0.6 }),
    goal: 1.9,
  },
  {
    solver: 'fea',
    what: `fea: Poisson, no two cells alike, ${quick ? 16 : 512} × ${quick ? 16 : 512} cells`,
    body: membrane(quick ? 4 : 128),
    goal: 1.6,
  },
];

const catalogue = new KernelCatalogue();

/** The largest run of the job. */
async function runOf({ solver: id, body }: Case): Promise<RunSpec> {
  const solver = solverOf(id);
  const { input } = readInput(solver.input, body);
  const { runs } = await solver.plan(input, { requestHash: new Uint8Array(32) });
  const { kernel, parts, stepsPerSegment, memory, work } = runs.reduce((a, b) => (b.work > a.work ? b : a));
  const parameters = concat(parts.map((part) => (part as { bytes: Uint8Array }).bytes));
  const known = { kernel: catalogue.digest(kernel), parameters, stepsPerSegment, memory };
  return { ...known, work: Math.max(work, LONG_WORK) };
}

async function measure(which: Case): Promise<Row> {
  const spec = await runOf(which);
  const [one, two] = [1, 2].map((threads) => new ThreadPool({ threads, catalogue }));
  const on = (pool: ThreadPool) => async () => 1 / (await secondsOf(() => pool.execute(spec)));
  try {
    const rates = await alternatingMedians(ROUNDS, { two: on(two!), one: on(one!) });
    return rated({
      figure: `${which.what}, two threads`,
      value: rates.two,
      unit: 'runs/s',
      against: 'one thread',
      peer: rates.one,
      goal: { atLeast: which.goal },
    });
  } finally {
    await Promise.all([one!.close(), two!.close()]);
  }
}

export const figure: Figure = {
  title: 'long runs on two threads that share a memory → runs/s, against one',
  run: async () => {
    const rows: Row[] = [];
    for (const which of cases) rows.push(await measure(which));
    return rows;
  },
};

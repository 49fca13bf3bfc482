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

/** Cells a side of a plane, and how much of a run is made. */
const side = quick ? 32 : 512;
const part = quick ? 0.01 : 1;
const STENCIL_GOAL = 1.4;

/** Planes whose steps are stencils, divergences and transforms. */
const planes: readonly Case[] = [
  {
    solver: 'wave',
    what: `wave: membrane, ${side} × ${side} cells`,
    body: {
      ...{ c: 1, Lx: 1, Ly: 1, N: side, boundary: 'fixed', t_end: 12 * part },
      initial: { type: 'mode', A: 1, m: 2, n: 2 },
    },
    goal: STENCIL_GOAL,
  },
  {
    solver: 'wave',
    what: `wave: light that leaves, ${side} × ${side} cells`,
    body: {
      ...{ mode: 'maxwell', Lx: 1, Ly: 1, N: side, boundary: 'pml', epsilonR: 1, t_end: 2e-8 * part },
      ...{ source: { type: 'pulse', x0: [0.4, 0.4], frequency: 1e8, width: 3e-9 }, probe: [0.7, 0.6] },
    },
    goal: STENCIL_GOAL,
  },
  {
    solver: 'heat',
    what: `heat: explicit, ${side} × ${side} cells`,
    body: {
      ...{
        k: 1,
        rho: 1,
        cp: 1,
        Lx: side,
        Ly: side,
        N: side,
        scheme: 'explicit',
        dt: 0.2,
        t_end: 1600 * part,
      },
      ...{ initial: { type: 'mode', A: 1, m: 2, n: 2, T: 300 }, boundary: { type: 'dirichlet', T: 300 } },
    },
    goal: STENCIL_GOAL,
  },
  {
    solver: 'heat',
    what: `heat: adi, ${side} × ${side} cells`,
    body: {
      ...{ k: 1, rho: 1, cp: 1, Lx: side, Ly: side, N: side, scheme: 'adi', dt: 2, t_end: 600 * part },
      ...{ initial: { type: 'mode', A: 1, m: 2, n: 2, T: 300 }, boundary: { type: 'dirichlet', T: 300 } },
    },
    goal: STENCIL_GOAL,
  },
  {
    solver: 'react',
    what: `react: Gray–Scott, ${side} × ${side} cells`,
    body: {
      ...{ model: 'grayscott', Du: 25.6, Dv: 12.8, F: 0.04, k: 0.06, Lx: side, Ly: side, N: side },
      initial: { type: 'gaussian', x0: [side / 2, side / 2], w: side / 8, deltaU: -0.5, deltaV: 0.25 },
      ...{ boundary: 'periodic', t_end: 20 * part },
    },
    goal: STENCIL_GOAL,
  },
  {
    solver: 'flow',
    what: `flow: vortices, ${side} × ${side} cells`,
    body: {
      ...{ case: 'taylor-green', nu: 0.01, Lx: 1, Ly: 1, U: 0.1, quantity: 'u', probe: [0.1, 0.2] },
      ...{ N: side, t_end: 0.02 * part },
    },
    goal: STENCIL_GOAL,
  },
];

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

  ...planes,
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

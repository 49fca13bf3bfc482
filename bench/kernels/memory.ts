import { Refusal } from '../../src/errors/refusal.ts';
import type { RunPlan } from '../../src/proof/job.ts';
import { notchedSquare } from '../../src/solvers/fracture/examples.ts';
import { readInput } from '../../src/solvers/input.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { kernelDigest, kernelModule } from '../../test/solvers/run-job.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { type Figure, quick, type Row } from '../figure.ts';

// What a run really takes at its end, its result in it, beside the arrays of its state; where a method solves linear
// equations that are not its state, also beside what plain C of the same method holds. Pages of 64 KiB and constants
// count, so that sizes are such that a state has some MiB where a kernel can have that.

const GOAL = 1.5;
const MIB = 2 ** 20;
/** Cells a side of a plane, of a line. */
const side = quick ? 32 : 512;
const line = quick ? 256 : 65_536;

interface Case {
  readonly solver: string;
  /** Of the runs of the job the largest of this kernel. */
  readonly kernel: string;
  readonly what: string;
  readonly body: object;
  readonly inC?: { readonly holds: string; readonly bytes: number };
}

// ---- what C holds ------------------------------------------------------------------------------------------

/** Bytes of an entry in compressed rows, i32 and f64; of the beginning of a row; of a number of a vector. */
const [ENTRY, ROW, NUMBER] = [12, 4, 8];
const csr = (rows: number, perRow: number) => rows * (perRow * ENTRY + ROW);
/** Levels of a half, a quarter … of the cells a side. */
const COARSER = 4 / 3;

/** bench/native/fea.c: the matrix of every level, P and its transpose, D⁻¹, r, z, d, and x, r, w, p of the iteration. */
function multigridCg(nodes: number, unknowns: 1 | 2): number {
  const fine = nodes * unknowns;
  const coarse = fine / 4;
  const level = (rows: number, perNode: number, carried: number) =>
    csr(rows, perNode * unknowns) + 2 * csr(rows, carried) + 4 * NUMBER * rows;
  return level(fine, 16, 2.25) + COARSER * level(coarse, 9, 2.25) + 4 * NUMBER * fine;
}

/** The matrix of displacements, of damage, their CG with the diagonal: x, b, r, z, p, w, D⁻¹; d before. */
const plateCg = (nodes: number) =>
  csr(2 * nodes, 18) + csr(nodes, 9) + 7 * NUMBER * 3 * nodes + NUMBER * nodes;

/** Five entries a row; x, b, r, p, w, D⁻¹. */
const fivePointCg = (nodes: number) => csr(nodes, 5) + 6 * NUMBER * nodes;

// ---- cases -------------------------------------------------------------------------------------------------

const rigid = { type: 'dirichlet', T: 0 };
const held = [{ on: 'outer', u: 0 }];
const square = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];
const unlike = [
  [0, 0],
  [1, 0],
  [0.9, 0.95],
  [0, 1],
];
const cells = quick ? 16 : 256;
const q2Nodes = (2 * cells + 1) ** 2;
const electron = { mass: 9.1093837139e-31 };
const silicon = { temperature: 300, epsR: 11.7, ni: 1e16 };
/** The largest lattice that is taken; of SU(2) its chains would take minutes. */
const links = quick ? 16 : 256;
const plate = quick ? 32 : 256;

const poisson = (corners: number[][]) => ({
  ...{ analysis: 'poisson', patches: [{ corners, N: [cells, cells] }], k: 1, f: 1, supports: held },
  ...{ quantity: 'u', probe: [0.5, 0.5] },
});
const feaInC = (unknowns: 1 | 2) => ({
  holds: 'plain C: multigrid CG, CSR',
  bytes: multigridCg(q2Nodes, unknowns),
});

/** Weyl sequences in a cube, at rest. */
function bodies(count: number) {
  const unit = (i: number) => (((i + 1) * 0.6180339887498949) % 1) - 0.5;
  const each = Array.from({ length: count }, (_, i) => i);
  return {
    ...{ referenceMode: 'gravity', G: 1, softening: 0.01, integrator: 'leapfrog', dt: 1e-6, t_max: 2e-6 },
    position: each.map((i) => [unit(3 * i), unit(7 * i + 1), unit(11 * i + 2)]),
    velocity: each.map(() => [0, 0, 0]),
    mass: each.map(() => 1 / count),
  };
}

/** As many clauses as make half of such formulas satisfiable, from a Weyl sequence. */
function clauses(variables: number): string {
  const count = Math.floor(4.2 * variables);
  let at = 0.5;
  const next = () => {
    at = (at + 0.6180339887498949) % 1;
    return (at * 7919.31) % 1;
  };
  const literal = () => (1 + Math.floor(next() * variables)) * (next() < 0.5 ? -1 : 1);
  const lines = Array.from({ length: count }, () => `${literal()} ${literal()} ${literal()} 0`);
  return `p cnf ${variables} ${count}\n${lines.join('\n')}\n`;
}

const cases: readonly Case[] = [
  {
    solver: 'wave',
    kernel: 'wave',
    what: `membrane, ${side} × ${side} cells`,
    body: {
      ...{ c: 1, Lx: 1, Ly: 1, initial: { type: 'mode', A: 1, m: 1, n: 1 }, boundary: 'fixed' },
      ...{ t_end: 16 / side, dt: 0.5 / side, N: side, probe: [0.5, 0.5] },
    },
  },
  ...(['explicit', 'adi'] as const).map((scheme) => ({
    solver: 'heat',
    kernel: 'heat',
    what: `${scheme}, ${side} × ${side} cells`,
    body: {
      ...{ alpha: 1, Lx: side, Ly: side, initial: { type: 'uniform', T: 100 }, boundary: rigid },
      ...{ scheme, dt: 0.2, t_end: 0.2 * 16, N: side },
    },
  })),
  {
    solver: 'heat',
    kernel: 'heat-steady',
    what: `${side} × ${side} cells`,
    body: {
      ...{ alpha: 1, Lx: 1, Ly: 1, steady: true, N: side },
      boundary: { left: { type: 'dirichlet', T: 100 }, right: rigid, bottom: rigid, top: rigid },
    },
    inC: { holds: 'plain C: CG, CSR', bytes: fivePointCg((side + 1) ** 2) },
  },
  {
    solver: 'react',
    kernel: 'react',
    what: `Gray–Scott, ${side} × ${side} cells`,
    body: {
      ...{ model: 'grayscott', Du: 1e-4, Dv: 5e-5, F: 0.04, k: 0.06, Lx: 8, Ly: 8, boundary: 'periodic' },
      initial: { type: 'gaussian', x0: [4, 4], w: 1, deltaU: -0.5, deltaV: 0.25 },
      ...{ t_end: 1, N: side },
    },
  },
  {
    solver: 'tumor',
    kernel: 'tumor-invade',
    what: `front, ${line} cells`,
    body: {
      ...{ mode: 'invade', D: 1e-20, r: 1e-6, Lx: 0.1, t_max: 1e5, N: line },
      initial: { type: 'front', x0: [0.04] },
    },
  },
  {
    solver: 'flow',
    kernel: 'flow',
    what: `vortices, ${side} × ${side} cells`,
    body: {
      ...{ case: 'taylor-green', nu: 0.01, Lx: 1, Ly: 1, U: 1, t_end: 0.008 / side, dt: 0.001 / side },
      ...{ N: side, quantity: 'u' },
    },
  },
  {
    solver: 'flow',
    kernel: 'flow-steady',
    what: `cavity, ${side} × ${side} cells`,
    body: {
      ...{ case: 'cavity', nu: 0.01, Lx: 1, Ly: 1, U: 1, lidProfile: 'uniform', N: side, quantity: 'uMin' },
    },
  },
  {
    solver: 'flow',
    kernel: 'flow-duct',
    what: `steady, ${side} × ${side} cells`,
    body: {
      ...{ case: 'duct', mu: 0.001, rho: 1000, Ly: 0.01, Lz: 0.01, G: 1, steady: true, N: side },
      ...{ quantity: 'u', probe: [0, 0.005, 0.005] },
    },
  },
  {
    solver: 'fea',
    kernel: 'fea',
    what: `Poisson, ${q2Nodes} nodes, cells alike`,
    body: poisson(square),
    inC: feaInC(1),
  },
  {
    solver: 'fea',
    kernel: 'fea',
    what: `Poisson, ${q2Nodes} nodes, no two cells alike`,
    body: poisson(unlike),
    inC: feaInC(1),
  },
  {
    solver: 'fea',
    kernel: 'fea',
    what: `plane stress, ${q2Nodes} nodes, no two cells alike`,
    body: {
      ...{ analysis: 'elasticity', planeType: 'stress', E: 1, nu: 0.3, thickness: 1 },
      patches: [{ corners: unlike, N: [cells, cells] }],
      supports: [{ on: { patch: 0, side: 'left' }, ux: 0, uy: 0 }],
      loads: [{ on: { patch: 0, side: 'right' }, total: [0, 1] }],
      ...{ quantity: 'displacement', component: 'y', probe: [0.9, 0.95] },
    },
    inC: feaInC(2),
  },
  ...(['none', 'spectral'] as const).map((split) => ({
    solver: 'fracture',
    kernel: 'fracture',
    what: `notched square, ${plate} × ${plate} cells, split ${split}`,
    body: { ...notchedSquare, split, ell: 8e-3 / plate, N: plate, loading: { uMax: 1e-6, steps: 1 } },
    inC: { holds: 'plain C: CG, CSR', bytes: plateCg((plate + 1) ** 2) },
  })),
  {
    solver: 'fracture',
    kernel: 'fracture-bar',
    what: `${line} elements`,
    body: {
      ...{ mode: 'bar', model: 'at1', E: 3e10, Gc: 100, ell: 0.01, L: 0.2, N: line },
      loading: { uMax: 1e-6, steps: 1 },
    },
  },
  {
    solver: 'gauge',
    kernel: 'gauge',
    what: `Z2, ${links} × ${links} links`,
    body: { group: 'Z2', beta: 0.4, L: links, loop: [1, 2], seed: 7, sweeps: 64 },
  },
  {
    solver: 'schrodinger',
    kernel: 'schrodinger-evolve',
    what: `packet, ${line} points`,
    body: {
      ...{ mode: 'evolve', ...electron, potential: { type: 'free' }, domain: [-2e-8, 2e-8], N: line },
      initial: { type: 'gaussian', x0: [0], sigma: 1e-9, k0: [0] },
      ...{ dt: 1e-17, t_max: 3.2e-16, quantity: 'width' },
    },
  },
  {
    solver: 'schrodinger',
    kernel: 'schrodinger-plane',
    what: 'oscillator in the plane',
    body: {
      ...{ mode: 'eigen2d', units: 'reduced', mass: 1, n: 0, N: quick ? [16, 16] : [96, 96] },
      potential: {
        type: 'polynomial',
        terms: [
          { c: 0.5, powers: [2, 0] },
          { c: 0.5, powers: [0, 2] },
        ],
      },
      domain: [
        [-7, 7],
        [-7, 7],
      ],
    },
  },
  {
    solver: 'schrodinger',
    kernel: 'schrodinger-dvr',
    what: 'fourth power',
    body: {
      ...{ mode: 'eigen1d', units: 'reduced', mass: 0.5, domain: [-5, 5], scheme: 'dvr', n: 1 },
      ...{ N: quick ? 64 : 512, potential: { type: 'polynomial', terms: [{ c: 1, powers: [4] }] } },
    },
  },
  {
    solver: 'device',
    kernel: 'device',
    what: `diode under a bias, ${line} cells`,
    body: {
      ...{ dim: 1, ...silicon, Na: 1e22, Nd: 1e22, Lp: 2e-6, Ln: 2e-6, mun: 0.135, mup: 0.048 },
      ...{ taun: 1e-9, taup: 1e-9, V: 0.1, quantity: 'J', N: line },
    },
  },
  {
    solver: 'device',
    kernel: 'device-plane',
    what: `junction, ${side} × ${side} cells`,
    body: {
      ...{ ...silicon, Lx: 3e-6, Ly: 3e-6, quantity: 'Emax', N: side },
      doping: [
        [-1e22, -1e22, 1e22, 1e22],
        [-1e22, -1e21, 1e22, 1e22],
      ],
    },
    inC: {
      holds: 'plain C: multigrid CG, CSR',
      // u, its doping and the update; the matrix, r, z, p, w and the levels of a cycle.
      bytes: (side + 1) ** 2 * (2 * NUMBER + COARSER * (5 * ENTRY + ROW + 4 * NUMBER) + 3 * NUMBER),
    },
  },
  {
    solver: 'sat',
    kernel: 'sat',
    what: `random 3-SAT, ${quick ? 50 : 20_000} variables`,
    body: { mode: 'decide', dimacs: clauses(quick ? 50 : 20_000), conflictBudget: quick ? 1000 : 20_000 },
  },
  {
    solver: 'acoustic',
    kernel: 'acoustic-mask',
    what: 'modes of an L',
    body: {
      ...{ analysis: 'modes', c: 343, boundary: 'rigid', count: 2, N: quick ? 8 : 64 },
      domain: {
        type: 'mask',
        cells: [
          [1, 1],
          [1, 0],
        ],
        h: 1,
      },
    },
  },
  {
    solver: 'acoustic',
    kernel: 'acoustic-field',
    what: 'a piston in a duct',
    body: {
      ...{ analysis: 'forced', c: 343, rho: 1.204, frequency: 210, u0: 0.001, probe: [1.5, 0.25] },
      domain: { type: 'mask', cells: [[1, 1, 1]], h: 0.5 },
      boundary: { right: 'rigid', bottom: 'rigid', top: 'rigid' },
    },
  },
  ...(['direct', 'tree'] as const).map((force) => ({
    solver: 'multibody',
    kernel: 'multibody',
    what: `${quick ? 200 : 10_000} bodies, ${force}`,
    body: { ...bodies(quick ? 200 : 10_000), force },
  })),
  {
    solver: 'evolve',
    kernel: 'evolve',
    what: `${quick ? 256 : 16_384} atoms`,
    body: {
      ...{ units: 'lj', r_c: 2.5, truncation: 'shifted-force', dt: 0.004, t_max: 0.008, seed: 42 },
      initialState: { cells: quick ? 4 : 16, density: 0.8442, temperature: 0.728 },
    },
  },
];

// ---- measured ----------------------------------------------------------------------------------------------

/** What the largest run of the kernel takes, in an instance of its own, whose memory has never grown for another. */
async function measured({ solver: id, kernel, body }: Case): Promise<{ taken: number; state: number }> {
  const solver = solverOf(id);
  const read = readInput(solver.input, body).input;
  const input = solver.canonical ? solver.canonical(read) : read;
  let most = { taken: 0, state: 0 };
  const run = async ({ kernel: name, stepsPerSegment, memory }: RunPlan, parameters: Uint8Array) => {
    const instance = instantiateKernel(kernelModule(name));
    const spec = { kernel: kernelDigest(name), parameters, stepsPerSegment, memory, work: 0 };
    const finished = driveRun(instance, spec);
    const taken = instance.memory.buffer.byteLength;
    if (name === kernel && taken > most.taken) most = { taken, state: instance.stateLength() >>> 0 };
    return finished;
  };
  const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('no blobs here')) };
  await executeRounds(solver, input, context, run).catch((error: unknown) => {
    // So few steps need not hold a gate; a run that was never made is an error.
    if (!(error instanceof Refusal) || most.taken === 0) throw error;
  });
  return most;
}

function beside(figure: string, taken: number, against: string, peer: number): Row {
  const ratio = taken / peer;
  const goal = `ratio ≤ ${GOAL}`;
  return {
    figure,
    value: taken / MIB,
    unit: 'MiB',
    against,
    peer: peer / MIB,
    ratio,
    goal,
    met: ratio <= GOAL,
  };
}

async function rowsOf(each: Case): Promise<Row[]> {
  const { taken, state } = await measured(each);
  const figure = `memory: ${each.kernel}, ${each.what}`;
  const ofState = beside(figure, taken, 'its state', state);
  if (!each.inC) return [ofState];
  const { holds, bytes } = each.inC;
  return [ofState, beside(`${figure}: with its linear equations`, taken, holds, bytes)];
}

export const figure: Figure = {
  title: `kernels: memory at the end of a run, ${side} × ${side} cells and lines of ${line} → MiB, against its state and plain C`,
  async run() {
    const rows: Row[] = [];
    for (const each of cases) rows.push(...(await rowsOf(each)));
    return rows;
  },
};

import { heldSquare, type Mesh, Place, parameters, square } from '../../test/kernels/fea-run.ts';
import { kernelModule } from '../../test/solvers/run-job.ts';
import { instantiateKernel } from '../../workers/kernel-host.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { flagsOf, NativePeer, nativeMissing } from '../native.ts';
import { PythonPeer, pythonMissing } from '../python.ts';
import { alternatingMedians } from '../timing.ts';
import { plainFea } from './plain-fea.ts';

// −Δu = 1 on the unit square, n × n nine-node elements.
const sizes = quick ? [32, 64] : [16, 32, 64, 128, 256];
/** 500 a side are 10⁶ unknowns, for which SciPy's direct solver takes minutes. */
const solved = quick ? 32 : Number(process.env.FEA_CELLS ?? 250);
const rounds = quick ? 1 : 7;
const BUDGET = 5_000_000;

const kernel = instantiateKernel(kernelModule('fea'));

/** All cells of the square have one matrix and its rows share it; of these no two are alike, and each is kept. */
const skewed = [
  [0, 0],
  [1, 0],
  [0.9, 0.95],
  [0, 1],
] as const;

const poisson = (n: number, points: Mesh['patches'][number]['points']): Mesh => ({
  patches: [{ points, cells: [n, n] }],
  supports: heldSquare,
  source: [1, 0],
  probe: [0.5, 0.5],
});

interface Measured {
  /** Unknowns times iterations a second. */
  readonly rate: number;
  readonly iterations: number;
  readonly unknowns: number;
  /** Processor seconds from the parameters to the result, and of the iterations alone. */
  readonly total: number;
  readonly value: number;
}

const seconds = (since: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
};

/** A run by hand, so that iterations are timed without digests and without the result. */
function solve(n: number, points: Mesh['patches'][number]['points'] = square): Measured {
  const bytes = parameters(poisson(n, points));
  const begin = process.cpuUsage();
  const at = kernel.configure(bytes.length);
  new Uint8Array(kernel.memory.buffer, at, bytes.length).set(bytes);
  while (kernel.start(BUDGET) === 0);
  const started = process.cpuUsage();
  let [steps, before, iterating] = [0, 0, 0];
  while (kernel.status() === 0) {
    iterating = before;
    steps += kernel.advance(1, BUDGET);
    before = seconds(started);
  }
  const total = seconds(begin);
  const result = new Float64Array(kernel.memory.buffer, kernel.result(), Place.samples);
  const unknowns = result[Place.unknowns]!;
  // The last step also writes the result: it is left out, with its iteration.
  return {
    rate: (unknowns * (steps - 1)) / iterating,
    iterations: result[Place.iterations]!,
    unknowns,
    total,
    value: result[Place.value]!,
  };
}

async function iterationRates(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const n of sizes.slice(-2)) {
    const figure = `fea: multigrid CG, ${(2 * n - 1) ** 2} unknowns`;
    const shared = { figure, unit: 'DOF·it/s' };
    const inC = { ...shared, against: 'plain C, CSR', goal: { atMost: 0.65 } };
    const inJs = { ...shared, against: 'plain JavaScript, CSR' };
    const unlike = { ...inC, figure: `${figure}, no two cells alike` };
    const plain = plainFea(n);
    const contenders = {
      ours: () => solve(n).rate,
      kept: () => solve(n, skewed).rate,
      js: () => plain().rate,
    };
    if (nativeMissing) {
      const { ours, kept, js } = await alternatingMedians(rounds, contenders);
      rows.push(
        rated({ ...inC, value: ours, peer: nativeMissing }),
        rated({ ...unlike, value: kept, peer: nativeMissing }),
        rated({ ...inJs, value: ours, peer: js }),
      );
      continue;
    }
    const peer = new NativePeer<{ rate: number; checksum: number }>('fea', [n], flagsOf.plain);
    // With C's fused operations the bits differ, not the iteration.
    const { checksum } = await peer.round();
    if (!(Math.abs(checksum / plain().value - 1) < 1e-9)) throw new Error('C and JavaScript differ');
    const { ours, kept, js, theirs } = await alternatingMedians(rounds, {
      ...contenders,
      theirs: async () => (await peer.round()).rate,
    });
    peer.close();
    // What C does in an iteration does not depend on the numbers in its matrix.
    rows.push(
      rated({ ...inC, value: ours, peer: theirs }),
      rated({ ...unlike, value: kept, peer: theirs }),
      rated({ ...inJs, value: ours, peer: js }),
    );
  }
  return rows;
}

/** Iterations to 1e-12 over the mesh, the coarsest against the finest. */
function meshRows(): Row[] {
  const counts = sizes.map((n) => solve(n).iterations);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return [
    {
      figure: `fea: iterations for n = ${sizes.join(', ')} cells a side: ${counts.join(', ')}`,
      value: most,
      unit: 'iterations',
      against: 'the fewest of them',
      peer: least,
      ratio: most / least,
      goal: 'ratio ≤ 1.5',
      met: most <= 1.5 * least,
    },
  ];
}

/** SciPy's solves per second by its sparse direct solver and by its conjugate gradients, or why there are none. */
async function scipyRates(): Promise<Record<'direct' | 'gradients', number | string>> {
  if (pythonMissing) return { direct: pythonMissing, gradients: pythonMissing };
  const peer = new PythonPeer('poisson');
  const direct = await peer.round('direct', { N: solved }, 0);
  const gradients = await peer.round('gradients', { N: solved }, 0);
  peer.close();
  return { direct: direct.rate, gradients: gradients.rate };
}

async function solveRows(): Promise<Row[]> {
  const { total, unknowns, value } = solve(solved);
  const { direct, gradients } = await scipyRates();
  const perUnknowns = (total / unknowns) * 1e5;
  const shared = {
    figure: `fea: Poisson, ${unknowns} unknowns, all in all`,
    value: 1 / total,
    unit: 'solves/s',
  };
  return [
    { figure: 'fea: time per 1e5 unknowns, all in all', value: perUnknowns, unit: 's', note: `u = ${value}` },
    rated({ ...shared, against: 'Python: SciPy spsolve', peer: direct, goal: { atLeast: 10 } }),
    rated({ ...shared, against: 'Python: SciPy cg', peer: gradients, goal: { atLeast: 1 } }),
  ];
}

export const figure: Figure = {
  title:
    'kernels: finite elements, Poisson on nine-node squares → DOF·CG-iterations/s, against plain C, plain JavaScript and SciPy',
  async run() {
    solve(sizes[0]!); // tiers the code up
    return [...(await iterationRates()), ...meshRows(), ...(await solveRows())];
  },
};

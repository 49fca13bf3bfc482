import { Layout } from '../../src/solvers/layout.ts';
import { kernelModule } from '../../test/solvers/run-job.ts';
import { instantiateKernel } from '../../workers/kernel-host.ts';
import { type Figure, type Measured, quick, type Row, rated } from '../figure.ts';
import { flagsOf, NativePeer, nativeMissing } from '../native.ts';
import { PythonPeer, pythonMissing } from '../python.ts';
import { alternatingMedians, type Contender } from '../timing.ts';

const rounds = quick ? 1 : 9;
const height = 1e8;
const terms = Math.floor(Math.sqrt(height / (2 * Math.PI)));
const samples = 129;
const budget = 5_000_000;
const kernel = instantiateKernel(kernelModule('zeta'));

/** Seconds of processor time: other work on the machine does not count. */
function processorSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function begin(...parameters: number[]): void {
  const bytes = new Layout().f64s(parameters).bytes();
  const at = kernel.configure(bytes.length);
  new Uint8Array(kernel.memory.buffer, at, bytes.length).set(bytes);
  while (kernel.start(budget) === 0);
}

/** Steps until the run is finished, in slices; tables are made before. */
function finish(): number {
  let steps = 0;
  while (kernel.status() === 0) {
    steps += kernel.advance(2 ** 30, budget);
    kernel.drain();
  }
  return steps;
}

/** Terms of the main sum per second: Z at 129 heights, each by a sum of its own. */
function sumRate(): number {
  const passes = quick ? 1 : 20;
  let seconds = 0;
  for (let i = 0; i < passes; i++) {
    begin(0, height, 0, 0, 1, 1);
    seconds += processorSeconds(finish);
  }
  return (passes * samples * terms) / seconds;
}

/** What anybody would write first. */
function javascript(t: number, theta: number): number {
  let sum = 0;
  for (let n = 1; n <= terms; n++) sum += Math.cos(theta - t * Math.log(n)) / Math.sqrt(n);
  return 2 * sum;
}

/** Kept, so that no engine may leave the sum out. */
export let checksum = 0;
function javascriptRate(): number {
  const calls = quick ? 2 : 60;
  const seconds = processorSeconds(() => {
    for (let i = 0; i < calls; i++) checksum += javascript(height + i, 0.5 * i);
  });
  return (calls * terms) / seconds;
}

/** A scan's figures: certified zeros per second, and terms times grid points per second, the search included. */
function scan(from: number, length: number): { zeros: number; rotations: number } {
  begin(2, from, from + length, 0, 1, 4);
  let steps = 0;
  const seconds = processorSeconds(() => {
    steps = finish();
  });
  const zeros = new Float64Array(kernel.memory.buffer.slice(kernel.result(), kernel.result() + 40))[4]!;
  const terms = Math.floor(Math.sqrt(from / (2 * Math.PI)));
  return { zeros: zeros / seconds, rotations: (steps * 256 * terms) / seconds };
}

/** Zeros per second of mpmath's zetazero at t ≈ 10⁴ and 10⁶, or why there are none. */
async function mpmathRates(): Promise<(number | string)[]> {
  if (pythonMissing) return [pythonMissing, pythonMissing];
  if (quick) return ['not measured in a quick run', 'not measured in a quick run'];
  const peer = new PythonPeer('choices');
  const low = await peer.round('zero', { n: 10_143 });
  const high = await peer.round('zero', { n: 1_747_147 });
  peer.close();
  return [low.rate, high.rate];
}

const ways = ['libm', 'same', 'rotations'] as const;

async function rates() {
  const calls = quick ? 2 : 200;
  const peers = nativeMissing
    ? []
    : ways.map(
        (way) => new NativePeer('zeta', [way, height, way === 'same' ? calls * 10 : calls], flagsOf.strict),
      );
  const natives = Object.fromEntries(
    peers.map((peer, i): [string, Contender] => [ways[i]!, async () => (await peer.round()).rate]),
  );
  try {
    return await alternatingMedians<string>(rounds, {
      sum: sumRate,
      javascript: javascriptRate,
      rotations8: () => scan(height, quick ? 20 : 1000).rotations,
      zeros4: () => scan(1e4, quick ? 100 : 5000).zeros,
      zeros6: () => scan(1e6, quick ? 50 : 8000).zeros,
      ...natives,
    });
  } finally {
    for (const peer of peers) peer.close();
  }
}

export const figure: Figure = {
  title: `zeta: Riemann–Siegel, t = 1e8, ${terms} terms → terms/s, zeros/s, against native C, JavaScript and mpmath`,
  async run(): Promise<Row[]> {
    const measured = await rates();
    const native = (way: string) => measured[way] ?? (nativeMissing || 'not measured');
    const [mpmath4, mpmath6] = await mpmathRates();
    const sum = { figure: 'zeta: main sum', value: measured.sum!, unit: 'terms/s' };
    const rows: Measured[] = [
      { ...sum, against: 'C strict, libm', peer: native('libm'), goal: { atMost: 0.08 } },
      { ...sum, against: 'C strict, same algorithm, 128 bits', peer: native('same') },
      { ...sum, against: 'JavaScript', peer: measured.javascript! },
      { ...sum, against: 'rate asked for', peer: 5e8, goal: { atLeast: 1 } },
      {
        figure: 'zeta: grid, search included',
        value: measured.rotations8!,
        unit: 'terms × points/s',
        against: 'C strict, rotations alone',
        peer: native('rotations'),
      },
      {
        figure: 'zeta: certified zeros, t = 1e4',
        value: measured.zeros4!,
        unit: 'zeros/s',
        against: 'Python: mpmath zetazero',
        peer: mpmath4!,
      },
      {
        figure: 'zeta: certified zeros, t = 1e6',
        value: measured.zeros6!,
        unit: 'zeros/s',
        against: 'Python: mpmath zetazero',
        peer: mpmath6!,
        goal: { atLeast: 1000 },
      },
    ];
    return rows.map(rated);
  },
};

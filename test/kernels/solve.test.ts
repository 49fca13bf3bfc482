import t from 'tap';
import { Layout } from '../../src/solvers/layout.ts';
import { driveRun, instantiateKernel, RunInProgress } from '../../workers/kernel-host.ts';
import { evidenceOf } from '../solvers/evidence.ts';
import { kernelDigest, kernelModule, runKernel } from '../solvers/run-job.ts';

interface Setup {
  order?: number;
  m?: number;
  c?: number;
  k?: number;
  beta?: number;
  F?: number;
  Omega?: number;
  b?: number;
  x0?: number;
  v0?: number;
  t0?: number;
  tEnd?: number;
  steps?: number;
  stride?: number;
  pulse?: number;
}

function parameters(s: Setup): Uint8Array {
  const steps = s.steps ?? 100;
  return new Layout()
    .f64(s.order ?? 2, s.m ?? 1, s.c ?? 0, s.k ?? 1, s.beta ?? 0, s.F ?? 0, s.Omega ?? 0, s.b ?? 0)
    .f64(
      s.x0 ?? 1,
      s.v0 ?? 0,
      s.t0 ?? 0,
      s.tEnd ?? 1,
      steps,
      s.stride ?? Math.ceil(steps / 256),
      s.pulse ?? 0,
      0,
      0,
    )
    .bytes();
}

const numbers = (result: Uint8Array) => new Float64Array(result.slice().buffer);
const finalX = (s: Setup) => numbers(runKernel('solve', parameters(s), 2 ** 20).result)[0]!;

t.test('RK4 takes from an oscillator exactly 1 − (ωh)⁶/72 + (ωh)⁸/576 of its energy in a step', (t) => {
  // Hairer & Wanner II, IV.2: |R(iz)|² of RK4. ωh = 0.1, 1000 steps: 0.999986128568335.
  const result = numbers(runKernel('solve', parameters({ tEnd: 100, steps: 1000, stride: 4 }), 1000).result);
  t.ok(Math.abs(result[3]! / result[14]! / 0.999986128568335 - 1) < 1e-13);
  t.end();
});

const orders: [string, Setup, number][] = [
  ['damped oscillator', { m: 2, c: 0.4, k: 50, x0: 0.1, tEnd: 3 }, -0.0551672173869299],
  ['Duffing oscillator', { beta: 1, tEnd: 5 }, 0.947129542080219],
  ['first order', { order: 1, c: 1, k: 0.3, x0: 5, tEnd: 4 }, 1.50597105956101],
  // test/fixtures/solve/reference.json, `forced`.
  ['forced', { c: 0.2, k: 3, F: 1.1, Omega: 2.5, x0: 0.7, v0: -0.3, tEnd: 9 }, -0.1616818460132822],
];

for (const [title, setup, exact] of orders) {
  t.test(`order 4 ± 0.1: ${title}`, (t) => {
    const [coarse, fine] = [320, 640].map((steps) => Math.abs(finalX({ ...setup, steps }) - exact));
    const order = Math.log2(coarse! / fine!);
    t.ok(Math.abs(order - 4) <= 0.1, `observed ${order}`);
    evidenceOf('solve').orders.push({ title, observed: order, theory: 4 });
    t.end();
  });
}

t.test('x¹ to x⁴ in time are integrated without error: free fall is a parabola', (t) => {
  t.ok(Math.abs(finalX({ k: 0, b: 2, x0: 0, v0: 3, tEnd: 2, steps: 8 }) - 10) < 1e-14);
  t.end();
});

t.test('−x₀, −v₀ give the mirrored motion bit for bit', (t) => {
  const setup = { beta: 0.7, x0: 0.9, v0: 0.4, tEnd: 7 };
  t.equal(finalX({ ...setup, x0: -0.9, v0: -0.4 }), -finalX(setup));
  t.end();
});

t.test('a run cut anywhere and resumed is the uninterrupted run, and slices change nothing', (t) => {
  const setup = { c: 0.1, beta: 1, F: 0.3, Omega: 1.2, tEnd: 9, steps: 1000, stride: 4, pulse: 100 };
  const spec = {
    kernel: kernelDigest('solve'),
    parameters: parameters(setup),
    stepsPerSegment: 90,
    memory: 2 ** 20,
    work: 0,
  };
  const kernel = instantiateKernel(kernelModule('solve'));
  const whole = driveRun(kernel, spec);
  t.same(driveRun(kernel, spec, { budget: 700 }).digests, whole.digests, 'in slices of 700 work units');
  const part = new RunInProgress(kernel, spec);
  part.start({});
  for (let i = 0; i < 5; i++) part.advanceSegment({});
  const resumeFrom = part.checkpoint(0);
  const resumed = driveRun(instantiateKernel(kernelModule('solve')), spec, { resumeFrom });
  t.same(resumed.digests, whole.digests);
  t.same(resumed.result, whole.result);
  t.equal(resumed.work, whole.work);
  t.end();
});

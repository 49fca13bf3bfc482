import { readFileSync } from 'node:fs';
import t from 'tap';
import type { FinishedRun } from '../../src/proof/job.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { driveRun, instantiateKernel, RunInProgress } from '../../workers/kernel-host.ts';
import { evidenceOf } from '../solvers/evidence.ts';
import { kernelDigest, kernelModule, runKernel } from '../solvers/run-job.ts';
import { brokenTwin } from './broken-twin.ts';

/** test/fixtures/zeta/hardy.py, mpmath with 40 digits. */
interface Fixture {
  readonly Z: readonly [t: number, Z: number][];
  readonly cycles: readonly (readonly [t: number, Z: number][])[];
  readonly gram: readonly [m: number, g: number][];
}

const fixtureFile = new URL('../../../test/fixtures/zeta/hardy.json', import.meta.url);
const fixture = JSON.parse(readFileSync(fixtureFile, 'utf8')) as Fixture;

const PROFILE = 129;
const numbers = (bytes: Uint8Array) => new Float64Array(new Uint8Array(bytes).buffer);
const parameters = (...values: number[]) => new Layout().f64s(values).bytes();
const profileOf = (height: number) => parameters(0, height, 0, 0, 1, 1);
const scanOf = (from: number, to: number, part = 0, parts = 1, density = 4) =>
  parameters(2, from, to, part, parts, density);

const profile = (from: number, to = 0) =>
  numbers(runKernel('zeta', parameters(0, from, to, 0, 1, 1), PROFILE).result);
const Z = (height: number) => profile(height)[PROFILE + 64]!;

interface Zero {
  readonly height: number;
  readonly lower: number;
  readonly upper: number;
  readonly atLower: number;
  readonly atUpper: number;
}

function zerosOf({ rows }: FinishedRun): Zero[] {
  const all = numbers(Buffer.concat(rows));
  return Array.from({ length: all.length / 5 }, (_, i) => {
    const [height, lower, upper, atLower, atUpper] = all.subarray(5 * i, 5 * i + 5) as unknown as number[];
    return { height: height!, lower: lower!, upper: upper!, atLower: atLower!, atUpper: atUpper! };
  });
}

/** Gabcke's |R₄| ≤ 0.017 t^(−11/4) and the rounding of the main sum; below t = 200 Euler–Maclaurin's rounding. */
const bound = (height: number) =>
  height < 200
    ? 2 ** -36
    : 0.017 * height ** -2.75 + 2 ** -38 * Math.sqrt(Math.floor(Math.sqrt(height / (2 * Math.PI))));

t.test('Z agrees with mpmath within Gabcke’s bound and the bound of rounding, from t = 0 to 10¹⁰', (t) => {
  for (const [height, value] of fixture.Z) {
    const error = Math.abs(Z(height) - value);
    t.ok(error <= bound(height), `t = ${height}: off by ${error}, bound ${bound(height)}`);
  }
  t.end();
});

t.test(
  'without C₄ the error leaves Gabcke’s bound for five coefficients, so that the bound can fail',
  async (t) => {
    const twin = await brokenTwin('assembly/kernels/zeta.ts', {
      file: 'assembly/zeta/hardy.ts',
      find: 'i * (c3 + i * f64x2.extract_lane(c4, 0))',
      replace: 'i * c3',
    });
    const spec = { kernel: kernelDigest('zeta'), stepsPerSegment: PROFILE, memory: 2 ** 22, work: 0 };
    const heights = fixture.Z.filter(([height]) => height >= 200 && height <= 300);
    const outside = heights.filter(([height, value]) => {
      const run = driveRun(instantiateKernel(twin), { ...spec, parameters: profileOf(height) });
      const error = Math.abs(numbers(run.result)[PROFILE + 64]! - value);
      // Gabcke: |R₃| ≤ 0.031 t^(−9/4).
      t.ok(error <= 0.031 * height ** -2.25 + 1e-11, `R₃ at t = ${height}: ${error}`);
      return error > bound(height);
    });
    t.ok(outside.length >= 15, `${outside.length} of ${heights.length}`);
  },
);

t.test('what C₀ … C₄ leave out falls with the power 11/2 of a = √(t/2π), at the same fractions of a', (t) => {
  const [near, far] = fixture.cycles.map((cycle) => cycle.map(([t, value]) => Math.abs(Z(t) - value)));
  const [from, to] = fixture.cycles.map((cycle) => cycle.map(([t]) => Math.sqrt(t / (2 * Math.PI))));
  const orders = near!.map((error, i) => Math.log(error / far![i]!) / Math.log(to![i]! / from![i]!));
  const observed = orders.reduce((sum, order) => sum + order / orders.length, 0);
  t.ok(Math.abs(observed - 5.5) <= 0.1, `observed ${orders}`);
  evidenceOf('zeta').orders.push({ title: 'terms of Riemann and Siegel', observed, theory: 5.5 });
  t.end();
});

t.test('Riemann–Siegel and Euler–Maclaurin agree from t = 200 to 300', async (t) => {
  const euler = await brokenTwin('assembly/kernels/zeta.ts', {
    file: 'assembly/zeta/hardy.ts',
    find: 'SIEGEL_FROM: f64 = 200;',
    replace: 'SIEGEL_FROM: f64 = 400;',
  });
  const run = driveRun(instantiateKernel(euler), {
    kernel: kernelDigest('zeta'),
    parameters: parameters(0, 200, 300, 0, 1, 1),
    stepsPerSegment: PROFILE,
    memory: 2 ** 22,
    work: 0,
  });
  const byEuler = numbers(run.result);
  const bySiegel = profile(200, 300);
  for (let i = 0; i < PROFILE; i++) {
    const height = bySiegel[i]!;
    const difference = Math.abs(bySiegel[PROFILE + i]! - byEuler[PROFILE + i]!);
    t.ok(difference <= bound(height), `t = ${height}: ${difference}`);
  }
});

t.test(
  'e^{iθ}ζ(½ + it) is real, as the functional equation says: turned by a quarter its cosines sum to 0',
  async (t) => {
    const turned = await brokenTwin('assembly/kernels/zeta.ts', {
      file: 'assembly/zeta/hardy.ts',
      find: 'const turns = thetaTurns(t);\n  if (t < SIEGEL_FROM)',
      replace: 'const turns = thetaTurns(t) - 0.25;\n  if (t < SIEGEL_FROM)',
    });
    const spec = { kernel: kernelDigest('zeta'), stepsPerSegment: PROFILE, memory: 2 ** 22, work: 0 };
    for (const [from, to] of [
      [0, 60],
      [60, 199.9],
    ]) {
      const run = driveRun(instantiateKernel(turned), {
        ...spec,
        parameters: parameters(0, from!, to!, 0, 1, 1),
      });
      const imaginary = numbers(run.result).subarray(PROFILE);
      const real = profile(from!, to).subarray(PROFILE);
      t.ok(Math.max(...imaginary.map(Math.abs)) <= bound(to!), `${Math.max(...imaginary.map(Math.abs))}`);
      t.ok(Math.max(...real.map(Math.abs)) > 1, 'where Z itself is not small');
    }
  },
);

t.test('a profile around t = 0 goes below it, to the mirror image, bit for bit', (t) => {
  const samples = profile(0);
  t.ok(samples[0]! < 0 && samples[PROFILE - 1] === -samples[0]!);
  t.same([...samples.subarray(PROFILE)], [...samples.subarray(PROFILE)].reverse());
  t.end();
});

t.test('scans begin and end at Gram points', (t) => {
  const gram = new Map(fixture.gram);
  const result = numbers(runKernel('zeta', scanOf(100, 100), 64).result);
  t.equal(result[0], -1);
  t.ok(Math.abs(result[1]! - gram.get(-1)!) < 1e-14 * gram.get(-1)!, 'g₋₁');
  // A scan around g_m + 28 Gram intervals begins at g_m.
  for (const m of [1000, 100_000]) {
    const height = gram.get(m)! + 28.5 * ((2 * Math.PI) / Math.log(gram.get(m)! / (2 * Math.PI)));
    const [index, start] = numbers(runKernel('zeta', scanOf(height, height), 64).result);
    t.ok(Math.abs(index! - m) <= 1, `index ${index}`);
    if (index === m) t.ok(Math.abs(start! - gram.get(m)!) < 1e-14 * start!, `g of index ${m}`);
  }
  t.end();
});

// At 2π·400² and 2π·4000² the sum takes a term more.
for (const height of [1e3, 1e6, 2 * Math.PI * 400 ** 2, 1e8, 2 * Math.PI * 4000 ** 2]) {
  t.test(`Z from the grid equals Z from its own sum at the ends of brackets, t = ${height}`, (t) => {
    const zeros = zerosOf(runKernel('zeta', scanOf(height, height), 64));
    t.ok(zeros.length > 50);
    for (const { lower, upper, atLower, atUpper } of zeros.slice(24, 36)) {
      t.ok(Math.abs(Z(lower) - atLower) <= 2 ** -44 * Math.sqrt(Math.sqrt(height)), `lower end ${lower}`);
      t.ok(Math.abs(Z(upper) - atUpper) <= 2 ** -44 * Math.sqrt(Math.sqrt(height)), `upper end ${upper}`);
    }
    t.end();
  });
}

t.test(
  'brackets are ascending, disjoint, narrow, and Z has certain and opposite signs at their ends',
  (t) => {
    const zeros = zerosOf(runKernel('zeta', scanOf(200, 2000), 64));
    t.ok(zeros.length > 1500);
    let before = 0;
    const wrong = zeros.filter(({ height, lower, upper, atLower, atUpper }) => {
      const ordered = before <= lower && lower <= height && height <= upper && lower < upper;
      before = upper;
      const certain = Math.min(Math.abs(atLower), Math.abs(atUpper)) > bound(lower);
      return !(ordered && certain && atLower * atUpper < 0 && upper - lower < 1e-7);
    });
    t.same(wrong, []);
    t.end();
  },
);

t.test('a scan cut into parts finds the same zeros as the whole', (t) => {
  const whole = zerosOf(runKernel('zeta', scanOf(20_000, 20_500), 64));
  const parts = [0, 1, 2].flatMap((part) => zerosOf(runKernel('zeta', scanOf(20_000, 20_500, part, 3), 64)));
  t.equal(parts.length, whole.length);
  t.ok(parts.every(({ height }, i) => Math.abs(height - whole[i]!.height) < 1e-8));
  t.end();
});

t.test('one sample a Gram interval is enough for Lehmer’s pair: the dip is followed', (t) => {
  const zeros = zerosOf(runKernel('zeta', scanOf(7005, 7005.2, 0, 1, 2), 64)).map(({ height }) => height);
  // Odlyzko, tables of zeros: γ_6709, γ_6710.
  for (const expected of [7005.06286617492, 7005.10056467265]) {
    t.ok(
      zeros.some((zero) => Math.abs(zero - expected) < 1e-9),
      `${expected}`,
    );
  }
  t.end();
});

const runs: [string, Uint8Array, number][] = [
  ['a scan from 0 over both formulas', scanOf(0, 900), 3],
  ['a scan at 10⁶', scanOf(1e6, 1e6 + 400), 2],
  ['a profile', profileOf(123456.789), 50],
];

for (const [title, bytes, stepsPerSegment] of runs) {
  const spec = { kernel: kernelDigest('zeta'), parameters: bytes, stepsPerSegment, memory: 2 ** 22, work: 0 };

  t.test(`cut anywhere and resumed it is the uninterrupted run: ${title}`, (t) => {
    const kernel = instantiateKernel(kernelModule('zeta'));
    const whole = driveRun(kernel, spec);
    const part = new RunInProgress(kernel, spec);
    part.start({});
    part.advanceSegment({});
    const resumeFrom = part.checkpoint(0);
    const resumed = driveRun(instantiateKernel(kernelModule('zeta')), spec, { resumeFrom });
    t.same(resumed.digests, whole.digests);
    t.same(resumed.result, whole.result);
    t.equal(resumed.work, whole.work);
    t.end();
  });

  t.test(`slices change nothing: ${title}`, (t) => {
    const kernel = instantiateKernel(kernelModule('zeta'));
    const whole = driveRun(kernel, spec);
    for (const budget of [1, 999, 20_000, 333_333]) {
      t.same(driveRun(kernel, spec, { budget }).digests, whole.digests, `in slices of ${budget} work units`);
    }
    t.end();
  });
}

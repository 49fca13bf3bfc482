import t from 'tap';
import { Layout } from '../../src/solvers/layout.ts';
import { driveRun, instantiateKernel, RunInProgress } from '../../workers/kernel-host.ts';
import { kernelDigest, kernelModule, runKernel } from '../solvers/run-job.ts';
import { assemblyModule } from './assembly-module.ts';

const [Z2, U1, SU2] = [0, 1, 2];
const HEAD = 1616;

interface Chain {
  beta: number;
  L: number;
  loop?: [number, number];
  burn?: number;
  samples: number;
  first?: number;
  chain?: number;
  links?: Float64Array;
  hot?: boolean;
}

function parameters(group: number, c: Chain): Uint8Array {
  return new Layout()
    .f64(
      group,
      c.beta,
      c.L,
      c.loop?.[0] ?? 0,
      c.loop?.[1] ?? 0,
      c.burn ?? 0,
      c.samples,
      c.first ?? 0,
      c.chain ?? 0,
    )
    .u64(20260101n)
    .f64(c.links ? 2 : c.hot ? 1 : 0)
    .f64s(c.links ?? [])
    .bytes();
}

const numbers = (bytes: Uint8Array) => new Float64Array(bytes.slice().buffer);
const run = (group: number, c: Chain) => numbers(runKernel('gauge', parameters(group, c), 1000).result);

interface Exact {
  room(): number;
  exactLoop(group: number, beta: number, volume: number, area: number, scratch: number): number;
}
const exact = await assemblyModule<Exact>(`
export { exactLoop } from "../gauge/exact";
export function room(): usize { return (__heap_base + 15) & ~15; }
`);
const exactLoop = (group: number, beta: number, L: number, area: number) =>
  exact.exactLoop(group, beta, L * L, area, exact.room());

// ---- exact values --------------------------------------------------------------------------------------

/** All 2^{2V} fields of Z2: the mean of the R × T loop, summed as it stands in the definition. */
function enumerated(beta: number, L: number, R: number, T: number): number {
  const V = L * L;
  const link = (field: number, direction: number, y: number, x: number) =>
    (field >> (direction * V + (y % L) * L + (x % L))) & 1;
  const loop = (field: number, y: number, x: number, r: number, s: number) => {
    let sign = 0;
    for (let i = 0; i < r; i++) sign ^= link(field, 0, y, x + i) ^ link(field, 0, y + s, x + i);
    for (let j = 0; j < s; j++) sign ^= link(field, 1, y + j, x) ^ link(field, 1, y + j, x + r);
    return 1 - 2 * sign;
  };
  let above = 0;
  let below = 0;
  for (let field = 0; field < 2 ** (2 * V); field++) {
    let action = 0;
    for (let y = 0; y < L; y++) for (let x = 0; x < L; x++) action += loop(field, y, x, 1, 1);
    const weight = Math.exp(beta * (action - V));
    above += weight * loop(field, 0, 0, R, T);
    below += weight;
  }
  return above / below;
}

t.test('Z2: the character expansion is the sum over all fields, for the plaquette and every loop', (t) => {
  const near = (value: number, expected: number, title: string) =>
    t.ok(Math.abs(value / expected - 1) < 1e-11, title);
  near(enumerated(1.5, 2, 1, 1), 0.985333417568648, 'L = 2, β = 1.5');
  near(exactLoop(Z2!, 1.5, 2, 1), 0.985333417568648, 'L = 2, by characters');
  near(exactLoop(Z2!, 1.5, 3, 1), 0.962982107138589, 'L = 3, by characters');
  for (const [R, T] of [
    [1, 1],
    [2, 1],
    [1, 2],
    [2, 2],
  ] as const) {
    near(exactLoop(Z2!, 0.7, 3, R * T), enumerated(0.7, 3, R, T), `L = 3, ${R} × ${T}`);
  }
  t.end();
});

t.test('U(1) and SU(2): published torus values, and the infinite lattice as the limit', (t) => {
  const near = (value: number, expected: number, title: string) =>
    t.ok(Math.abs(value / expected - 1) < 1e-13, title);
  near(exactLoop(U1!, 5, 4, 1), 0.899928853026897, 'U(1), β = 5, L = 4');
  near(exactLoop(SU2!, 8, 2, 1), 0.833754410111425, 'SU(2), β = 8, L = 2');
  near(exactLoop(Z2!, 1.2, 4, 1), 0.852539127671786, 'Z2, β = 1.2, L = 4');
  near(exactLoop(U1!, 5, 8, 4), 0.637430686491613, 'U(1), 2 × 2 loop');
  near(exactLoop(U1!, 1, 40, 1), 0.446389965896535, 'I₁/I₀(1)');
  near(exactLoop(SU2!, 2, 40, 1), 0.433127426722312, 'I₂/I₁(2)');
  near(exactLoop(SU2!, 2, 40, 4), 0.433127426722312 ** 4, 'area law on the infinite lattice');
  near(exactLoop(Z2!, 0.5, 40, 1), 0.46211715726001, 'tanh 0.5');
  t.end();
});

// ---- the chain -----------------------------------------------------------------------------------------

t.test(
  'heat bath, measurement and flux moves are gauge covariant: U(1) goes the same way in any gauge',
  (t) => {
    const L = 4;
    const first = run(U1!, { beta: 2, L, samples: 64, hot: true });
    const links = first.slice(HEAD / 8);
    const angle = (y: number, x: number) => Math.sin(1 + 7 * ((y + L) % L) + 3 * ((x + L) % L)) * 3;
    const turned = links.slice();
    for (let item = 0; item < 2 * L * L; item++) {
      const [direction, y, x] = [Math.floor(item / (L * L)), Math.floor(item / L) % L, item % L];
      const turn = angle(y, x) - (direction === 0 ? angle(y, x + 1) : angle(y + 1, x));
      const [re, im] = [links[2 * item]!, links[2 * item + 1]!];
      turned[2 * item] = re * Math.cos(turn) - im * Math.sin(turn);
      turned[2 * item + 1] = re * Math.sin(turn) + im * Math.cos(turn);
    }
    const common = { beta: 2, L, samples: 64, first: 64, loop: [2, 2] as [number, number] };
    const [a, b] = [run(U1!, { ...common, links }), run(U1!, { ...common, links: turned })];
    for (let i = 1; i < HEAD / 8; i++) {
      if (Math.abs(a[i]! - b[i]!) > 1e-9) t.fail(`number ${i} of the result: ${a[i]} and ${b[i]}`);
    }
    t.not(a[HEAD / 8], b[HEAD / 8], 'the links themselves differ');
    t.end();
  },
);

t.test(
  'Z2 heat bath keeps Boltzmann’s distribution: the histogram of plaquettes is that of all fields',
  (t) => {
    const [samples, L] = [64 * 2000, 2];
    const result = run(Z2!, { beta: 0.6, L, burn: 64, samples });
    const histogram = result.subarray(1088 / 8, 1600 / 8);
    const up = histogram[63]! / (histogram[0]! + histogram[63]!);
    const expected = (1 + enumerated(0.6, L, 1, 1)) / 2;
    t.ok(
      Math.abs(up - expected) < 4.5 * Math.sqrt((expected * (1 - expected)) / (samples / 16)),
      `${up}, ${expected}`,
    );
    t.end();
  },
);

t.test('U(1) links stay unit complex numbers, SU(2) links unit quaternions, and charges are whole', (t) => {
  for (const [group, width] of [
    [U1!, 2],
    [SU2!, 4],
  ] as const) {
    const links = run(group, { beta: 3, L: 6, samples: 640, hot: true }).slice(HEAD / 8);
    let worst = 0;
    for (let i = 0; i < links.length; i += width) {
      const square = links.subarray(i, i + width).reduce((sum, value) => sum + value * value, 0);
      worst = Math.max(worst, Math.abs(square - 1));
    }
    t.ok(worst < 1e-13, `${worst}`);
  }
  const result = run(U1!, { beta: 2, L: 4, samples: 640, hot: true });
  t.ok(Number.isInteger(result[4]) && Number.isInteger(result[5]));
  t.end();
});

for (const [name, group] of [
  ['Z2', Z2!],
  ['U(1)', U1!],
  ['SU(2)', SU2!],
] as const) {
  t.test(`${name}: cut, sliced or resumed, a chain is the same bits`, (t) => {
    const bytes = parameters(group, {
      beta: 1.7,
      L: 5,
      loop: [2, 1],
      burn: 10,
      samples: 128,
      hot: true,
      chain: 3,
    });
    const spec = {
      kernel: kernelDigest('gauge'),
      parameters: bytes,
      stepsPerSegment: 30,
      memory: 2 ** 24,
      work: 0,
    };
    const kernel = instantiateKernel(kernelModule('gauge'));
    const whole = driveRun(kernel, spec);
    for (const budget of [1, 777, 12345])
      t.same(driveRun(kernel, spec, { budget }).digests, whole.digests, `${budget}`);
    const part = new RunInProgress(kernel, spec);
    part.start({});
    part.advanceSegment({});
    part.advanceSegment({});
    const resumed = driveRun(instantiateKernel(kernelModule('gauge')), spec, {
      resumeFrom: part.checkpoint(0),
    });
    t.same(resumed.digests, whole.digests);
    t.same(resumed.result, whole.result);
    t.end();
  });

  t.test(`${name}: two rounds are one long chain`, (t) => {
    const common = { beta: 1.7, L: 4, hot: true };
    const [whole, half] = [run(group, { ...common, samples: 256 }), run(group, { ...common, samples: 128 })];
    const rest = run(group, { ...common, samples: 128, first: 128, links: half.slice(HEAD / 8) });
    t.same(rest.slice(HEAD / 8), whole.slice(HEAD / 8), 'the same links at the end');
    t.end();
  });
}

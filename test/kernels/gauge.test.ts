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

// ---- gauge ---------------------------------------------------------------------------------------------

interface Loops {
  memory: WebAssembly.Memory;
  open(group: number, L: number, width: number): number;
  plaquette(y: number, x: number): number;
  meanLoop(R: number, T: number): number;
}
const measured = await assemblyModule<Loops>(`
import { allocate, configure } from "../kernel/frame";
import { openLattice } from "../gauge/lattice";
import { openLoops } from "../gauge/loops";
export { plaquette, meanLoop } from "../gauge/loops";
export function open(group: i32, L: i32, width: i32): usize {
  configure(0);
  const links = allocate(<usize>(2 * L * L * width));
  openLattice(L, width, links);
  openLoops(group, L);
  return links;
}
`);

/** a b of quaternions a₀ + i a·σ; of complex numbers and signs, whose other parts are 0, as well. */
const product = (a: readonly number[], b: readonly number[]) => [
  a[0]! * b[0]! - a[1]! * b[1]! - a[2]! * b[2]! - a[3]! * b[3]!,
  a[0]! * b[1]! + b[0]! * a[1]! - (a[2]! * b[3]! - a[3]! * b[2]!),
  a[0]! * b[2]! + b[0]! * a[2]! - (a[3]! * b[1]! - a[1]! * b[3]!),
  a[0]! * b[3]! + b[0]! * a[3]! - (a[1]! * b[2]! - a[2]! * b[1]!),
];
const adjoint = ([a, b, c, d]: readonly number[]) => [a!, -b!, -c!, -d!];
/** Element number i of a group, anyhow, as a quaternion. */
function element(group: number, i: number): number[] {
  if (group === Z2) return [Math.sin(12.9898 * i + 0.5) < 0 ? -1 : 1, 0, 0, 0];
  if (group === U1) return [Math.cos(78.233 * i), Math.sin(78.233 * i), 0, 0];
  const four = [0, 1, 2, 3].map((k) => Math.sin(37.719 * i + 2.3 * k * (i + 1)));
  return four.map((each) => each / Math.hypot(...four));
}

for (const [name, group, numbers] of [
  ['Z2', Z2!, 1],
  ['U(1)', U1!, 2],
  ['SU(2)', SU2!, 4],
] as const)
  t.test(`${name}: plaquettes and loops are the same in any gauge`, (t) => {
    const L = 5;
    const site = (y: number, x: number) => (y % L) * L + (x % L);
    const links = Array.from({ length: 2 * L * L }, (_, i) => element(group, i));
    const seen = (field: readonly number[][]) => {
      const at = measured.open(group, L, 8 * numbers);
      const to = new Float64Array(measured.memory.buffer, at, field.length * numbers);
      field.forEach((link, i) => {
        to.set(link.slice(0, numbers), i * numbers);
      });
      const loops = [1, 2, 3].flatMap((R) => [1, 2, 4].map((T) => measured.meanLoop(R, T)));
      return [...loops, measured.plaquette(2, L - 1), measured.plaquette(L - 1, 0)];
    };
    const turned = links.map((link, i) => {
      const [direction, y, x] = [Math.floor(i / (L * L)), Math.floor(i / L) % L, i % L];
      const [from, to] = [site(y, x), direction === 0 ? site(y, x + 1) : site(y + 1, x)];
      const [g, h] = [element(group, 1000 + from), element(group, 1000 + to)];
      return product(product(g, link), adjoint(h));
    });
    t.notSame(turned, links);
    const [whole, again] = [seen(links), seen(turned)];
    t.ok(Math.max(...whole.map((value, i) => Math.abs(value - again[i]!))) < 1e-14, `${whole}`);
    const one = links.map((link, i) =>
      i === 7 ? product(element(group, 1000 + (group === Z2 ? 3 : 1)), link) : link,
    );
    t.ok(
      Math.max(...whole.map((value, i) => Math.abs(value - seen(one)[i]!))) > 1e-3,
      'one link alone is seen',
    );
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

import t from 'tap';
import { gauge } from '../../src/solvers/gauge.ts';
import { readInput } from '../../src/solvers/input.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { runJob } from './run-job.ts';
import { refusalOfTwin } from './twin-job.ts';

type Input = typeof gauge extends Solver<infer I> ? I : never;
const read = (body: unknown) => readInput(gauge.input, body).input as unknown as Input;

const u1 = { group: 'U1', beta: 5, L: 4, seed: 1, sweeps: 16384 };
const tiny = { group: 'U1', beta: 5, L: 2, seed: 1, sweeps: 16384 };
const small = { group: 'U1', beta: 0.4, L: 8, seed: 1, sweeps: 16384 };
const su2 = { group: 'SU2', beta: 12, L: 3, seed: 1, sweeps: 16384 };
const z2 = { group: 'Z2', beta: 0.8, L: 8, seed: 1, sweeps: 65536 };
const rare = { group: 'Z2', beta: 4, L: 4, seed: 1, sweeps: 65536 };
const loop = { group: 'U1', beta: 20, L: 4, loop: [2, 2], seed: 1, sweeps: 16384 };
const [U1, SU2, Z2, LOOPS] = ['u1', 'su2', 'z2', 'loops'].map((name) => `assembly/gauge/${name}.ts`) as [
  string,
  string,
  string,
  string,
];

const twins: [string, Record<string, unknown>, string, string, string][] = [
  [
    'U(1) staples with one link not conjugated',
    u1,
    U1,
    're = f64x2.sub(f64x2.mul(ar, br), f64x2.mul(ai, bi)); im = f64x2.add(f64x2.mul(ar, bi), f64x2.mul(ai, br));',
    're = f64x2.add(f64x2.mul(ar, br), f64x2.mul(ai, bi)); im = f64x2.sub(f64x2.mul(ai, br), f64x2.mul(ar, bi));',
  ],
  ['β a percent too large', u1, U1, 'f64x2.splat(2.0 * beta)', 'f64x2.splat(2.02 * beta)'],
  [
    'every proposal accepted',
    u1,
    U1,
    'f64x2.ge(rest, f64x2.splat(0.0)))) ^ 3;',
    'f64x2.ge(rest, f64x2.splat(0.0)))) & 0;',
  ],
  [
    'a von Mises angle off by the proposal’s scale',
    u1,
    U1,
    'f64x2.sqrt(f64x2.add(one, f64x2.mul(twice, twice)))',
    'f64x2.sqrt(f64x2.add(f64x2.splat(2.0), f64x2.mul(twice, twice)))',
  ],
  [
    'flux moves that are always accepted',
    tiny,
    U1,
    'if (gain < 0.0 && uniform(',
    'if (gain < -1e9 && uniform(',
  ],
  [
    'the integrated link two percent too large',
    small,
    U1,
    '0.5 * load<f64>(at) * seriesRatio',
    '0.51 * load<f64>(at) * seriesRatio',
  ],
  [
    'the direction taken with the staple’s own phase',
    u1,
    U1,
    'f64x2.sub(f64x2.mul(sine, wr), f64x2.mul(cosine, wi))',
    'f64x2.add(f64x2.mul(sine, wr), f64x2.mul(cosine, wi))',
  ],
  [
    'a loop with a side too short',
    loop,
    LOOPS,
    'for (let i = 1; i < count; i++) {',
    'for (let i = 1; i < count - 1; i++) {',
  ],
  [
    'SU(2) heat bath without its cos²',
    su2,
    SU2,
    '(Math.log(r1) + c * c * Math.log(r2))',
    '(Math.log(r1) + Math.abs(c) * Math.log(r2))',
  ],
  ['SU(2) acceptance without its half', su2, SU2, 'r4 * r4 <= 1.0 - 0.5 * delta', 'r4 * r4 <= 1.0 - delta'],
  [
    'SU(2) staples in the wrong order',
    su2,
    SU2,
    'addProduct(staple, linkAt(0, up, x), 1.0, linkAt(1, y, right), -1.0, linkAt(0, y, x), -1.0);',
    'addProduct(staple, linkAt(1, y, right), -1.0, linkAt(0, up, x), 1.0, linkAt(0, y, x), -1.0);',
  ],
  [
    'SU(2) links X V in place of X V†',
    su2,
    SU2,
    'multiply(linkAt(direction, y, x), words, 1.0, staple, -1.0);',
    'multiply(linkAt(direction, y, x), words, 1.0, staple, 1.0);',
  ],
  ['Z2 without the 2 of 2βs', z2, Z2, 'Math.exp(-2.0 * beta * s)', 'Math.exp(-1.0 * beta * s)'],
  [
    'Z2 without the 2 of 2βs, where links hardly ever turn over',
    rare,
    Z2,
    'Math.exp(-2.0 * beta * s)',
    'Math.exp(-1.0 * beta * s)',
  ],
  [
    'Z2 with one staple twice',
    z2,
    Z2,
    'z(0, y, left) * z(1, y, left) * z(0, up, left)',
    'z(0, y, x) * z(1, y, right) * z(0, up, x)',
  ],
];

t.test('the whole kernel is sealed where its twins are not', async (t) => {
  for (const body of [u1, tiny, small, su2, z2, rare, loop])
    await t.resolves(runJob(gauge, read(body)), JSON.stringify(body));
});

for (const [title, body, file, find, replace] of twins) {
  t.test(`a kernel with ${title} is never sealed`, async (t) => {
    const twin = await brokenTwin('assembly/kernels/gauge.ts', { file, find, replace });
    const refusal = await refusalOfTwin(gauge, read(body), 'gauge', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|DID_NOT_CONVERGE/);
  });
}

const notNumbers: [string, Record<string, unknown>, string, string, string][] = [
  [
    'U(1)',
    u1,
    U1,
    'f64x2.sqrt(f64x2.add(one, f64x2.mul(twice, twice)))',
    'f64x2.sqrt(f64x2.sub(f64x2.neg(one), f64x2.mul(twice, twice)))',
  ],
  ['SU(2), Kennedy & Pendleton', su2, SU2, 'Math.log(r2)) / alpha;', 'Math.log(-r2)) / alpha;'],
  ['SU(2), Creutz', { ...su2, beta: 0.3 }, SU2, 'Math.log1p(span * r1)', 'Math.log1p(-2.0 - r1)'],
];

for (const [title, body, file, find, replace] of notNumbers) {
  t.test(`${title}: proposals that are not numbers end the run, which never hangs`, async (t) => {
    const twin = await brokenTwin('assembly/kernels/gauge.ts', { file, find, replace });
    const refusal = await refusalOfTwin(gauge, read(body), 'gauge', twin);
    t.equal(refusal?.code, 'NON_FINITE');
  });
}

import t from 'tap';
import type { FeaInput } from '../../src/solvers/fea/schema.ts';
import { fea } from '../../src/solvers/fea.ts';
import { readInput } from '../../src/solvers/input.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { refusalOfTwin, refusalWith } from './twin-job.ts';

const read = (body: unknown) => readInput(fea.input, body).input as FeaInput;
const bodies = fea.examples.map(({ body }) => body);
const cook = read({ ...bodies[0], patches: [{ ...(bodies[0] as FeaInput).patches![0]!, N: [16, 16] }] });
const poisson = read(bodies[2]);
const truss = read(bodies[3]);
const tension = read({ ...bodies[4], quantity: 'stress', component: 'vonMises' });
/** The unit square in two patches. */
const joined = read({
  ...bodies[2],
  patches: [0, 0.5].map((x) => ({
    corners: [
      [x, 0],
      [x + 0.5, 0],
      [x + 0.5, 1],
      [x, 1],
    ],
    N: [8, 16],
  })),
});

const fem = (name: string) => `assembly/fem/${name}.ts`;
const twins: [title: string, input: FeaInput, file: string, find: string, replace: string][] = [
  [
    'a shear modulus of 1−ν',
    cook,
    fem('element'),
    'shear = e / (2 * (1 + nu));',
    'shear = e / (2 * (1 - nu));',
  ],
  ['ν squared in the stiffness', cook, fem('element'), ': stiffC1 * nu;', ': stiffC1 * nu * nu;'],
  [
    'a dropped term of the stiffness',
    cook,
    fem('element'),
    'stiffC2 * xy + shear * yx, stiffC2 * yx + shear * xy,',
    'stiffC2 * xy, stiffC2 * yx,',
  ],
  ['a Gauss weight that is off', poisson, fem('shape'), '0.4444444444444444,', '0.4544444444444444,'],
  ['a wrong slope of a shape function', poisson, fem('shape'), 'return 4 - 8 * t;', 'return 4 - 7 * t;'],
  ['half the source', poisson, fem('element'), 'source(c) * sum);', '0.5 * source(c) * sum);'],
  ['half the load on a side', cook, fem('boundary'), '? 1 / sideLength', '? 0.5 / sideLength'],
  [
    'a row that reads the wrong coefficient',
    cook,
    fem('stencil'),
    'f64x2.mul(v128.load(a, 64), u0)), f64x2.mul(v128.load(a, 96), v0)',
    'f64x2.mul(v128.load(a, 64), u0)), f64x2.mul(v128.load(a, 96), u0)',
  ],
  [
    'an iteration that stops too early',
    cook,
    'assembly/kernels/fea.ts',
    'if (relative <= tolerance()) jump',
    'if (relative <= 1e-2) jump',
  ],
  [
    'a solution that is moved by half the step',
    cook,
    'assembly/kernels/fea.ts',
    'emit(Op.AXPY, 0, p, x, ALPHA, 1);',
    'emit(Op.AXPY, 0, p, x, ALPHA, 0.5);',
  ],
  [
    'a joint that forgets one patch',
    joined,
    fem('sharing'),
    'store<f64>(owner, load<f64>(owner) + load<f64>(other));',
    'store<f64>(owner, load<f64>(owner));',
  ],
  ['twice the energy', cook, 'assembly/kernels/fea.ts', 'strain = 0.5 * dot(', 'strain = 1.0 * dot('],
  [
    'a gradient with the wrong sign in the output',
    tension,
    fem('output'),
    '(dt * xs - ds * xt) / det',
    '(dt * xs + ds * xt) * -1.0 / det',
  ],
  [
    'von Mises without shear',
    tension,
    fem('output'),
    '+ 3 * xy * xy);\n}\n\n/** The field that',
    ');\n}\n\n/** The field that',
  ],
];

for (const [title, input, file, find, replace] of twins) {
  t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
    const twin = await brokenTwin('assembly/kernels/fea.ts', { file, find, replace });
    const refusal = await refusalOfTwin(fea, input, 'fea', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|DID_NOT_CONVERGE|NON_FINITE/);
  });
}

const trussTwins: [title: string, file: string, find: string, replace: string][] = [
  [
    'bars that push where they should pull',
    'assembly/kernels/fea-truss.ts',
    's == t ? barStiffness(b) : -barStiffness(b)',
    's == t ? barStiffness(b) : barStiffness(b)',
  ],
  ['a pivot that grows', fem('envelope'), 'pivot -= g * l;', 'pivot += g * l;'],
  [
    'stiffnesses doubled',
    'assembly/kernels/fea-truss.ts',
    'const value = stiffness * barDirection(b, c)',
    'const value = 2 * stiffness * barDirection(b, c)',
  ],
  [
    'stretches that are not those of its bars',
    'assembly/kernels/fea-truss.ts',
    'const apart = ddAdd(moved(j), movedLow(j), -moved(i)',
    'const apart = ddAdd(moved(j), movedLow(j), -0.5 * moved(i)',
  ],
  [
    'loads that are half of what they are',
    'assembly/kernels/fea-truss.ts',
    'load<f64>(at, 8), -load<f64>(external + (<usize>i << 3)), 0);',
    'load<f64>(at, 8), -0.5 * load<f64>(external + (<usize>i << 3)), 0);',
  ],
  [
    'a largest displacement that is half of it',
    'assembly/kernels/fea-truss.ts',
    'largestMove = max(largestMove, abs(u));',
    'largestMove = max(largestMove, 0.5 * abs(u));',
  ],
  [
    'one displacement that is shown otherwise than it is',
    'assembly/kernels/fea-truss.ts',
    'set(TRUSS_HEAD + i, u);',
    'set(TRUSS_HEAD + i, i == 4 ? 1.01 * u : u);',
  ],
  [
    'one bar force that is shown otherwise than it is',
    'assembly/kernels/fea-truss.ts',
    'set(forces + b, force);',
    'set(forces + b, b == 1 ? 0.99 * force : force);',
  ],
];
/** A truss whose free joints are coupled, so that the factorisation has something to eliminate. */
const triangle = read({
  ...bodies[3],
  nodes: [
    [0, 0],
    [1, 0],
    [0.4, 0.9],
  ],
  bars: [
    [0, 1],
    [1, 2],
    [2, 0],
  ].map((nodes) => ({ nodes, E: 2e11, A: 1e-3 })),
  supports: [
    { on: { node: 0 }, ux: 0, uy: 0 },
    { on: { node: 1 }, uy: 0 },
  ],
  loads: [{ on: { node: 2 }, force: [300, -1000] }],
  probe: [0.4, 0.9],
});

t.test('the triangle itself is sealed', async (t) => {
  const whole = await brokenTwin('assembly/kernels/fea-truss.ts', {
    file: fem('envelope'),
    find: 'pivot -= g * l;',
    replace: 'pivot = pivot - g * l;',
  });
  t.equal(await refusalWith(fea, triangle, 'fea-truss', whole), undefined);
  t.equal(await refusalWith(fea, truss, 'fea-truss', whole), undefined);
});

for (const [title, file, find, replace] of trussTwins) {
  t.test(`a truss with ${title} is never sealed (HON-16)`, async (t) => {
    const twin = await brokenTwin('assembly/kernels/fea-truss.ts', { file, find, replace });
    const refusal = await refusalOfTwin(fea, triangle, 'fea-truss', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|UNDER_CONSTRAINED/);
  });
}

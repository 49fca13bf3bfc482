import t from 'tap';
import type { MultibodyInput } from '../../src/solvers/multibody/problem.ts';
import { multibody } from '../../src/solvers/multibody.ts';
import { brokenTwin, type Fault } from '../kernels/broken-twin.ts';
import { runJob } from './run-job.ts';
import { refusalOfTwin, refusalWith } from './twin-job.ts';

// A kernel made wrong in one place is as deterministic as the right one; only a gate can tell (HON-16).

const input = (title: string) =>
  multibody.examples.find((one) => one.title.includes(title))!.body as unknown as MultibodyInput;
const kepler = input('Kepler');
const figureEight = input('figure-eight');
const pythagorean = input('Pythagorean');
/** Two bodies whose orbit lies askew, so that no axis is left out. */
const askew: MultibodyInput = {
  ...kepler,
  velocity: [
    [0.1, 0.6, 0.55],
    [-0.1, -0.6, -0.55],
  ],
  t_max: 3,
};
const leapfrog: MultibodyInput = { ...askew, integrator: 'leapfrog', dt: 0.002 };
const yoshida: MultibodyInput = { ...askew, integrator: 'yoshida6' };
const cloud = Array.from({ length: 130 }, (_, i) => [
  Math.sin(i),
  Math.sin(2.1 * i + 1),
  Math.sin(3.3 * i + 2),
]);
const many: MultibodyInput = {
  ...figureEight,
  position: cloud,
  velocity: cloud.map(() => [0, 0, 0]),
  mass: cloud.map((_, i) => (i + 1) / 10_000),
  softening: 0.05,
  dt: 0.01,
  t_max: 1,
};
/** One of them without mass, so that a pair has two products. */
const testBody: MultibodyInput = { ...many, mass: cloud.map((_, i) => (i === 7 ? 0 : (i + 1) / 10_000)) };
const tree: MultibodyInput = { ...many, force: 'tree', theta: 0.3, t_max: 0.1 };
/** 17 bodies in each of 64 cells: one more than a leaf has, so that there would be 585 nodes. */
const crowded: MultibodyInput = {
  ...tree,
  position: Array.from({ length: 64 * 17 }, (_, i) =>
    [1, 4, 16].map((step) => (Math.floor(i / step) % 4) + 0.15 + ((i * step * 0.6180339887498949) % 0.7)),
  ),
  velocity: Array.from({ length: 64 * 17 }, () => [0, 0, 0]),
  mass: Array.from({ length: 64 * 17 }, (_, i) => (1 + (i % 5)) / 3000),
  t_max: 0.02,
};

const kernel = 'assembly/kernels/multibody.ts';
const radau = 'assembly/kernels/multibody-radau15.ts';
const direct = 'assembly/nbody/direct.ts';
const few = 'assembly/nbody/few.ts';
const bodies = 'assembly/nbody/bodies.ts';
const [octree, trees] = ['assembly/nbody/octree.ts', 'assembly/nbody/tree.ts'];

const alone: MultibodyInput = { ...kepler, position: [[1, 2, 3]], velocity: [[1, -1, 0.5]], mass: [1] };

const twins: [string, MultibodyInput, string, Fault][] = [
  [
    'one body that goes half as far',
    alone,
    kernel,
    {
      file: kernel,
      find: 'length = duration() / <f64>lastStep;',
      replace: 'length = 0.5 * duration() / <f64>lastStep;',
    },
  ],
  [
    'a reaction of the wrong sign',
    figureEight,
    kernel,
    {
      file: few,
      find: 'f64x2.sub(v128.load(other), f64x2.mul(onJ, dx))',
      replace: 'f64x2.add(v128.load(other), f64x2.mul(onJ, dx))',
    },
  ],
  [
    'reactions of a block of the wrong sign',
    many,
    kernel,
    {
      file: direct,
      find: 'f64x2.sub(v128.load(at), f64x2.add(even',
      replace: 'f64x2.add(v128.load(at), f64x2.add(even',
    },
  ],
  [
    'a block whose reactions forget the other mass',
    testBody,
    kernel,
    { file: direct, find: 'onesided ? f64x2.mul(onJ, d) : force', replace: 'force' },
  ],
  [
    'attraction that falls with the distance instead of its square',
    askew,
    kernel,
    { file: few, find: 'cube = inverse * inverse * inverse;', replace: 'cube = inverse * inverse;' },
  ],
  [
    'a force that lacks one axis',
    askew,
    kernel,
    { file: few, find: 'load<f64>(to + 2 * s) + onI * dz);', replace: 'load<f64>(to + 2 * s));' },
  ],
  [
    'one reaction in a pair that is left out',
    askew,
    kernel,
    { file: few, find: 'store<f64>(other, load<f64>(other) - onJ * dx);', replace: '' },
  ],
  [
    'a block pair that is never dealt',
    many,
    kernel,
    {
      file: direct,
      find: 'share = 0;\n  for (let k = rooms() - 1; k >= 0; k--) openShare(k);',
      replace: 'share = 1;\n  openShare(1);',
    },
  ],
  [
    'G that is one per cent too large',
    askew,
    kernel,
    {
      file: bodies,
      find: 'gravity() * load<f64>(massesAt + i)',
      replace: '1.01 * gravity() * load<f64>(massesAt + i)',
    },
  ],
  [
    'half a kick that is missing',
    leapfrog,
    kernel,
    { file: kernel, find: '= [0.5, 1.0, 0.5];', replace: '= [0.5, 1.0, 0.0];' },
  ],
  [
    'a step that is half a step long',
    leapfrog,
    kernel,
    {
      file: kernel,
      find: 'length = duration() / <f64>lastStep;',
      replace: 'length = 0.5 * duration() / <f64>lastStep;',
    },
  ],
  [
    'three bodies that stop half way',
    figureEight,
    kernel,
    {
      file: kernel,
      find: 'length = duration() / <f64>lastStep;',
      replace: 'length = 0.5 * duration() / <f64>lastStep;',
    },
  ],
  [
    'a drift of PEFRL that forgets one coefficient',
    askew,
    kernel,
    { file: kernel, find: '1.0 - 2.0 * (CHI + XI), LAMBDA', replace: '1.0 - 2.0 * CHI, LAMBDA' },
  ],
  [
    'a weight of Yoshida with one digit wrong',
    { ...yoshida, dt: 0.05 },
    kernel,
    {
      file: kernel,
      find: 'const W0: f64 = 1.0 - 2.0 * (W1 + W2 + W3);',
      replace: 'const W0: f64 = 1.1 - 2.0 * (W1 + W2 + W3);',
    },
  ],
  [
    'accelerations that are not renewed after a drift',
    { ...askew, dt: 0.02 },
    kernel,
    {
      file: kernel,
      find: 'drift(tau);\n      fresh = false;',
      replace: 'drift(tau);\n      fresh = stage > 0;',
    },
  ],
  [
    'a carry that is added instead of taken off',
    { ...askew, dt: 0.0005, t_max: 200 },
    kernel,
    {
      file: bodies,
      find: 'v128.store(carry + p, f64x2.sub(f64x2.sub(sum, old), addend));',
      replace: 'v128.store(carry + p, f64x2.mul(addend, f64x2.splat(-1e-3)));',
    },
  ],
  [
    'a divided difference of the wrong sign',
    pythagorean,
    radau,
    { file: 'assembly/nbody/radau.ts', find: 'f64x2.sub(slope, below)', replace: 'f64x2.add(slope, below)' },
  ],
  [
    'a velocity without the last coefficient',
    { ...pythagorean, t_max: 3 },
    radau,
    { file: 'assembly/nbody/radau.ts', find: ': 1.0 / <f64>(k + 2);', replace: ': 1.0 / <f64>(k + 3);' },
  ],
  [
    'a tree whose quadrupole has the wrong sign',
    { ...tree, theta: 0.5 },
    kernel,
    {
      file: trees,
      find: 'const along = f64x2.mul(i3, f64x2.add(mass,',
      replace: 'const along = f64x2.mul(i3, f64x2.sub(mass,',
    },
  ],
  [
    'a tree that leaves out the centre of a node',
    tree,
    kernel,
    { file: octree, find: 'mass > 0 ? load<f64>(node + axis, 8) / mass : middle', replace: 'middle' },
  ],
  [
    'a G that is one per cent too large, among many bodies',
    many,
    kernel,
    {
      file: bodies,
      find: 'gravity() * load<f64>(massesAt + i)',
      replace: '1.01 * gravity() * load<f64>(massesAt + i)',
    },
  ],
  [
    'a tree with more nodes than have room',
    crowded,
    kernel,
    { file: octree, find: 'if (above + before <= mostNodes) return;', replace: 'return;' },
  ],
  [
    'a tree whose nodes open too late',
    tree,
    kernel,
    {
      file: octree,
      find: 'edge / openingAngle() + sqrt(away)',
      replace: 'edge * openingAngle() + sqrt(away)',
    },
  ],
];

for (const [title, body, entry, fault] of twins) {
  t.test(`a kernel with ${title} is never sealed`, async (t) => {
    const twin = await brokenTwin(entry, fault);
    const name = entry.replace(/^.*\/|\.ts$/g, '');
    const refusal = await refusalOfTwin(multibody, body, name, twin);
    const again = await refusalWith(multibody, body, name, twin);
    t.match(refusal?.code ?? 'sealed', /ENERGY_NOT_CONSERVED|OUTSIDE_TOLERANCE|NON_FINITE|DID_NOT_CONVERGE/);
    t.same(again?.details, refusal?.details, 'deterministic');
  });
}

t.test('the same requests are sealed by the right kernels', async (t) => {
  for (const body of [
    kepler,
    askew,
    leapfrog,
    yoshida,
    figureEight,
    many,
    testBody,
    tree,
    { ...yoshida, dt: 0.05 },
    { ...tree, theta: 0.5 },
    crowded,
    // More in one octant of the finest than a group has.
    { ...crowded, position: crowded.mass!.map((_, i) => [i % 9 ? i % 7 : 1e-9 * i, i % 5, 1 + 1e-12 * i]) },
  ]) {
    const { verdict } = await runJob(multibody, body);
    t.ok(verdict.precisionActual <= 1e-3);
  }
});

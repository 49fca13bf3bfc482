import t from 'tap';
import type { FeaInput } from '../../src/solvers/fea/schema.ts';
import { fea } from '../../src/solvers/fea.ts';
import { readInput } from '../../src/solvers/input.ts';
import { runJob } from './run-job.ts';
import { refusalOf } from './solver-test.ts';

const read = (body: unknown) => readInput(fea.input, body).input as FeaInput;
const job = async (body: unknown) => (await runJob(fea, read(body))).verdict;
const refused = async (body: unknown) => (await refusalOf(fea, read(body))).details;
/** SciPy, elements of degree 10 that shrink towards all corners: how far the plate below bends. */
const BENDS = 6.833125;

/** Places of the nodes of an element, in half elements. */
const PLACES = [
  [0, 0],
  [2, 0],
  [2, 2],
  [0, 2],
  [1, 0],
  [2, 1],
  [1, 2],
  [0, 1],
  [1, 1],
] as const;

/** A square plate of n × n elements, clamped on the left, sheared on the right. */
function plate(n: number, of: object = {}) {
  const row = 2 * n + 1;
  const counted = Array.from({ length: n }, (_, k) => k);
  return {
    ...{ analysis: 'elasticity', planeType: 'stress', E: 1, nu: 0.3, thickness: 1 },
    nodes: Array.from({ length: row * row }, (_, k) => [(k % row) / (2 * n), Math.floor(k / row) / (2 * n)]),
    elements: counted.flatMap((j) =>
      counted.map((i) => PLACES.map(([x, y]) => (2 * j + y) * row + 2 * i + x)),
    ),
    supports: counted.map((j) => ({ on: { element: j * n, side: 'left' }, ux: 0, uy: 0 })),
    loads: counted.map((j) => ({ on: { element: j * n + n - 1, side: 'right' }, traction: [0, 1] })),
    ...{ quantity: 'displacement', component: 'y', probe: [1, 0.5] },
    ...of,
  };
}

t.test('elements that are too coarse are refused with how often to divide them, which does', async (t) => {
  for (const n of [1, 2]) {
    const { accepts } = await refused(plate(n));
    const parts = Number(/^each element divided into (\d+) × \d+$/.exec(String(accepts))?.[1]);
    t.ok(parts > 1, String(accepts));
    const { value } = await job(plate(n * parts));
    t.ok(Math.abs(value - BENDS) < 1e-3 * BENDS, `${n} times ${parts}: ${value}`);
  }
});

t.test('a value that has no limit as cells shrink is refused with one that has', async (t) => {
  const held = [
    { on: { node: 0 }, ux: 0, uy: 0 },
    { on: { node: 20 }, ux: 0 },
  ];
  t.match(await refused(plate(2, { supports: held })), {
    field: 'supports',
    reason: /^a node that alone is held bears a force/,
    accepts: ['supports over a side, on {element, side}', String],
  });
  const force = [{ on: { node: 14 }, force: [0, 1] }];
  t.match(await refused(plate(2, { loads: force })), { field: 'loads', reason: /the value grows/ });
  const { probe: _, component: __, ...energy } = plate(4, { quantity: 'energy' });
  t.match(await refused({ ...energy, loads: force }), {
    field: 'loads',
    accepts: ['the force as total over a side, on {element, side}', String],
  });
  // SciPy as above.
  t.ok(Math.abs((await job(energy)).value - 3.519345) < 1e-3 * 3.519345);
  t.match(await refused(plate(2, { quantity: 'stress', component: 'xx', probe: [0, 0] })), {
    field: 'probe',
    accepts: 'a probe away from there',
  });
});

t.test('loads on a bent side are those of its length', async (t) => {
  // A parabola 0.2 deep is ½ (√(1+a²) + arsinh(a)/a) long, a = 0.8. The energy by SciPy, elements of degree 9: 0.67840797.
  const bent = {
    ...{ analysis: 'poisson', k: 1, f: 0, quantity: 'energy' },
    nodes: [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0.5, -0.2],
      [1, 0.5],
      [0.5, 1],
      [0, 0.5],
      [0.5, 0.4],
    ],
    elements: [[0, 1, 2, 3, 4, 5, 6, 7, 8]],
    supports: [{ on: { element: 0, side: 'top' }, u: 0 }],
    loads: [{ on: { element: 0, side: 'bottom' }, flux: 1 }],
  };
  const { verdict, presentation } = await runJob(fea, read(bent));
  t.ok(Math.abs(verdict.value - 0.67840797) < 1e-4);
  const length = (Math.sqrt(1.64) + Math.asinh(0.8) / 0.8) / 2;
  t.ok(Math.abs((presentation.outputs.applied as number) - length) < 1e-9);
});

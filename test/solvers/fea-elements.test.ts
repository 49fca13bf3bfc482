import t from 'tap';
import type { FeaInput } from '../../src/solvers/fea/schema.ts';
import { fea } from '../../src/solvers/fea.ts';
import { readInput } from '../../src/solvers/input.ts';
import { runJob } from './run-job.ts';

const read = (body: unknown) => readInput(fea.input, body).input as FeaInput;

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

import t from 'tap';
import type { GivenInputs } from '../../src/operators/apply.ts';
import { registry } from '../../src/operators/registry.ts';
import { apart, byMathjs } from './by-mathjs.ts';
import { sealedValue } from './laws.ts';

const TOLERANCE = 1e-9;

const byKernel = async (id: string, inputs: GivenInputs) => Number(await sealedValue(id, inputs));
const rows = [...registry().rows.values()].filter((row) => row.expression && row.examples.length > 0);

// That the kernel gives the examples' values is a law of every row (laws.test.ts), and random inputs stand there too.
t.test('mathjs evaluates the formulas of the registry to the same values', async (t) => {
  const unlike: string[] = [];
  for (const { id, examples } of rows) {
    for (const { inputs, value, tolerance } of examples) {
      const theirs = byMathjs(id, inputs as GivenInputs);
      if (!(apart(theirs, value) <= Math.max(TOLERANCE, tolerance)))
        unlike.push(`${id}: ${value}, mathjs ${theirs}`);
    }
  }
  t.same(unlike, []);
});

t.test('a formula that is another one is told apart', async (t) => {
  const inputs = { P_signal: 10, P_noise: 0.1 };
  const ours = await byKernel('SP7', inputs);
  t.ok(apart(ours, byMathjs('SP7', inputs)) <= TOLERANCE);
  t.notOk(
    apart(
      ours,
      byMathjs('SP7', inputs, (text) => text.replace('log10', 'log')),
    ) <= TOLERANCE,
  );
});

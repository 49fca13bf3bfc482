import t from 'tap';
import { applyInputs, type GivenInputs } from '../../src/operators/apply.ts';
import { operator, registry, rowOf } from '../../src/operators/registry.ts';
import { type ComputeInput, compute } from '../../src/solvers/compute.ts';
import { readInput } from '../../src/solvers/input.ts';
import { runJob } from '../solvers/run-job.ts';
import { mathjsInstance, mathjsText } from './notations.ts';

const math = mathjsInstance();
const TOLERANCE = 1e-9;

/** An operator by mathjs, which parses the row's text itself, in doubles; undefined where it lacks a function. */
function byMathjs(id: string, inputs: GivenInputs, change = (text: string) => text): number | undefined {
  const [application] = applyInputs([operator(id)], inputs);
  const { program, values } = application!;
  const text = mathjsText(rowOf(id).expression!, program.symbols);
  if (text === undefined) return undefined;
  const scope = Object.fromEntries(values.map(({ hi }, i) => [`v${i}`, hi]));
  return math.evaluate(change(text), scope);
}

async function byKernel(id: string, inputs: GivenInputs): Promise<number> {
  const { input } = readInput(compute.input, { operators: [id], inputs });
  return (await runJob(compute, compute.canonical!(input as ComputeInput))).verdict.value;
}

const apart = (a: number, b: number): number => (a === b ? 0 : Math.abs(a - b) / Math.abs(b));
const rows = [...registry().rows.values()].filter((row) => row.expression && row.examples.length > 0);

t.test('mathjs evaluates the formulas of the registry to the same values', async (t) => {
  const unlike: string[] = [];
  let compared = 0;
  for (const { id, examples } of rows) {
    const inputs = examples[0]!.inputs as GivenInputs;
    const theirs = byMathjs(id, inputs);
    if (theirs === undefined) continue;
    compared++;
    const ours = await byKernel(id, inputs);
    if (!(apart(ours, theirs) <= TOLERANCE)) unlike.push(`${id}: ${ours}, mathjs ${theirs}`);
  }
  t.same(unlike, []);
  t.ok(compared > 0.97 * rows.length, `${compared} of ${rows.length}; mathjs has no erfc`);
});

t.test('a formula that is another one is told apart', async (t) => {
  const inputs = { P_signal: 10, P_noise: 0.1 };
  const ours = await byKernel('SP7', inputs);
  t.ok(apart(ours, byMathjs('SP7', inputs)!) <= TOLERANCE);
  t.notOk(apart(ours, byMathjs('SP7', inputs, (text) => text.replace('log10', 'log'))!) <= TOLERANCE);
});

import t from 'tap';
import { applyInputs, type GivenInputs } from '../../src/operators/apply.ts';
import { readEquation } from '../../src/operators/equation.ts';
import { operator, registry } from '../../src/operators/registry.ts';
import { readSystem } from '../../src/solvers/solve/differential.ts';
import { constants } from '../../src/units/constants.ts';
import { apart } from './by-mathjs.ts';
import { nearInputs, type Row, sealedValue } from './laws.ts';
import { javascriptText } from './notations.ts';

// Rows without a closed form, integrated again from their LaTeX in plain JavaScript: the kernel has their expressions
// and RK4 of a fixed step, this has an embedded pair of order 5 that chooses its steps.

const rows = [...registry().rows.values()].filter(({ ode }) => ode !== undefined) as Row[];
const RELATIVE = 1e-10;
const AGREES = 3e-8;

type State = readonly number[];
type Rates = (at: number, state: State) => State;

// Dormand, Prince, J. Comput. Appl. Math. 6 (1980) 19, RK5(4)7M: nodes, rows of the tableau, 5th less 4th order.
const NODES = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1];
const TABLEAU = [
  [],
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];

const combined = (stages: readonly State[], weights: readonly number[], i: number): number =>
  weights.reduce((sum, weight, k) => sum + weight * stages[k]![i]!, 0);

/** From 0 to `end`; each component's error is held against the largest that it has been. */
function integrated(rates: Rates, start: State, end: number): State {
  let [at, state, step] = [0, start, end / 1000];
  const scale = start.map(Math.abs);
  while (at < end) {
    step = Math.min(step, end - at);
    const stages: State[] = [];
    let last = state;
    for (const [k, weights] of TABLEAU.entries()) {
      last = state.map((x, i) => x + step * combined(stages, weights, i));
      stages.push(rates(at + NODES[k]! * step, last));
    }
    last.forEach((x, i) => {
      scale[i] = Math.max(scale[i]!, Math.abs(x));
    });
    const error = Math.max(
      ...scale.map((size, i) => Math.abs(step * combined(stages, ERROR, i)) / (RELATIVE * size || 1e-300)),
    );
    if (error <= 1) [at, state] = [at + step, last];
    step *= Math.min(4, Math.max(0.2, 0.9 * error ** -0.2));
  }
  return state;
}

/** A function of variable and components, from text that this reads on its own: the row's LaTeX. */
function functionOf(text: string, names: readonly string[], known: ReadonlyMap<string, number>) {
  const given = [...known.keys()];
  const code = javascriptText(readEquation(text).expression, [...names, ...given]);
  const letters = [...names, ...given].map((_, i) => `v${i}`);
  const call = new Function(...letters, `return ${code}`) as (...numbers: number[]) => number;
  const values = [...known.values()];
  return (at: number, state: State) => call(at, ...state, ...values);
}

function byPlainSteps(row: Row, inputs: GivenInputs, change = (text: string) => text): number {
  const { program, values } = applyInputs([operator(row.id)], inputs)[0]!;
  const known = new Map(program.symbols.map((symbol, i) => [symbol, values[i]!.hi]));
  for (const key of row.constants ?? []) known.set(key, Number(constants.get(key)!.value));
  const { variable, components } = readSystem(change(row.equation));
  const end = known.get(row.ode!.variable)!;
  known.delete(variable);
  const names = [variable, ...components.map(({ name }) => name)];
  const rates = components.map(({ rate }) => functionOf(rate, names, known));
  const start = row.ode!.components.map(({ start }) => known.get(start) ?? Number(start));
  const last = integrated((at, state) => rates.map((rate) => rate(at, state)), start, end);
  return functionOf(row.ode!.value, names, known)(end, last);
}

t.test('rows without a closed form give what another integration gives (HON-03)', async (t) => {
  let state = 20261122;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  t.equal(rows.length, 20);
  for (const row of rows) {
    let agreed = 0;
    for (const spread of [1, 1.1, 1.3]) {
      const inputs = nearInputs(operator(row.id), row, spread, next);
      const found = await sealedValue(row.id, inputs);
      if (typeof found === 'string') continue;
      const error = apart(found, byPlainSteps(row, inputs));
      t.ok(error <= AGREES, `${row.id} within ${error.toExponential(1)}`);
      agreed++;
    }
    t.ok(agreed > 1, `${row.id}: ${agreed} of 3`);
  }
});

t.test('a system with another sign is told apart', async (t) => {
  const row = rows.find(({ id }) => id === 'ODE_PENDULUM_DAMPED')!;
  const inputs = row.examples[0]!.inputs as GivenInputs;
  const found = Number(await sealedValue(row.id, inputs));
  t.ok(apart(found, byPlainSteps(row, inputs)) <= AGREES);
  t.notOk(
    apart(
      found,
      byPlainSteps(row, inputs, (text) => text.replace('- \\gamma', '+ \\gamma')),
    ) <= AGREES,
  );
});

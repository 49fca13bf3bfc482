import fc from 'fast-check';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { solverOf, solvers } from '../../src/solvers/registry.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { randomRequests } from './random-requests.ts';
import { runKernel } from './run-job.ts';
import { inputOf } from './solver-test.ts';

const REQUESTS = 12;

/** Kinds whose hard requests cannot be told from easy ones: what is expected of them is what most take. */
const untold = ['structured'];

interface Price {
  readonly most: number;
  readonly expected: number;
  readonly spent: number;
}

/** What a request was quoted and took, also where it is refused in the end. */
async function priceOf(id: string, body: object): Promise<Price> {
  const solver = solverOf(id);
  const input = inputOf(solver, body);
  const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('no blobs here')) };
  const { work: most, expected = most } = solver.quote(input, context);
  let spent = 0;
  try {
    await executeRounds(solver, input, context, async (plan, parameters) => {
      const run = runKernel(plan.kernel, parameters, plan.stepsPerSegment);
      spent += Number(run.work);
      return run;
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return { most, expected, spent };
}

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;

t.test('no request costs more than its quote, and what is expected is near', async (t) => {
  for (const [solver, kinds] of Object.entries(randomRequests))
    for (const [kind, requests] of Object.entries(kinds)) {
      const prices: Price[] = [];
      for (const body of fc.sample(requests, { numRuns: REQUESTS, seed: 29 }))
        prices.push(await priceOf(solver, body));
      const title = `${solver}, ${kind}`;
      for (const { most, expected, spent } of prices) {
        t.ok(spent <= most, `${title}: ${spent} of at most ${most}`);
        t.ok(Number.isInteger(expected) && expected <= most, `${title}: ${expected} expected of ${most}`);
      }
      const ratio = median(prices.map(({ expected, spent }) => expected / spent));
      t.ok(ratio <= 5 && ratio >= 0.9, `${title}: ${ratio} times what is spent is expected`);
      const within = prices.filter(({ expected, spent }) => expected <= 10 * spent).length;
      t.ok(within >= (3 * REQUESTS) / 4, `${title}: ${within} cost a tenth of what is expected or more`);
      const above = prices.filter(({ expected, spent }) => spent > expected).length;
      if (!untold.includes(kind)) t.ok(above <= REQUESTS / 4, `${title}: ${above} cost more than expected`);
    }
});

t.test(
  'what an example is expected to cost is no less than it costs, and at most about three times that',
  async (t) => {
    for (const id of ['fea', 'gauge', 'fracture'])
      for (const [i, { body }] of solverOf(id).examples.entries()) {
        const { expected, spent } = await priceOf(id, body);
        t.ok(expected >= spent && expected <= 3.1 * spent, `${id}, example ${i}: ${expected} for ${spent}`);
      }
  },
);

t.test('formulas that contradict themselves soon, or never, are not expected to be hard', async (t) => {
  const clause = (variables: number, size: number) =>
    fc
      .uniqueArray(fc.integer({ min: 1, max: variables }), { minLength: size, maxLength: size })
      .chain((own) =>
        fc.tuple(...own.map((variable) => fc.boolean().map((isTrue) => (isTrue ? variable : -variable)))),
      );
  for (const [variables, count, size] of [
    [200, 4000, 3],
    [400, 1600, 2],
    [200, 1500, 7],
  ] as const) {
    const clauses = fc.sample(clause(variables, size), { numRuns: count, seed: 31 });
    const { expected, spent } = await priceOf('sat', { mode: 'decide', clauses });
    t.ok(expected >= spent && expected <= 10 * spent, `${count} of ${size}: ${expected} for ${spent}`);
  }
});

t.test('where a ceiling is twice what is expected or more, it says of what', async (t) => {
  const context = { requestHash: new Uint8Array(32) };
  const quoted = solvers.flatMap((solver) =>
    solver.examples
      .filter(({ expect }) => !('status' in expect))
      .map(({ body }) => ({ id: solver.id, ...solver.quote(inputOf(solver, body), context) })),
  );
  const far = quoted.filter(({ work, expected = work }) => work >= 2 * expected);
  t.ok(far.length >= 8);
  for (const { id, ceiling } of far) t.type(ceiling, 'string', id);
  const [sat] = far.filter(({ id }) => id === 'sat').slice(-1);
  t.equal(sat?.ceiling, '10000 conflicts (conflictBudget), and the check of as long a proof');
});

t.test('the quote of a truss is what it costs, held, moved or in space', async (t) => {
  const bar = (a: number, b: number) => ({ nodes: [a, b], E: 2e11, A: 1e-3 });
  const held = {
    ...{ analysis: 'truss', quantity: 'energy' },
    loads: [{ on: { node: 3 }, force: [1, 2, -9] }],
  };
  const nodes = [
    [0, 0, 0],
    [1, 0, 0],
    [0.3, 1, 0],
    [0.4, 0.3, 1],
    [1.2, 0.7, 1.1],
  ];
  const bars = [bar(0, 3), bar(1, 3), bar(2, 3), bar(4, 1), bar(4, 2), bar(3, 4), bar(0, 1)];
  const foot = (node: number, uz = 0) => ({ on: { node }, ux: 0, uy: 0, uz });
  for (const supports of [
    [foot(0), foot(1), foot(2)],
    [foot(0), foot(1), foot(2, 1e-4), { on: { node: 4 }, ux: 0 }],
  ]) {
    const { most, spent } = await priceOf('fea', { ...held, nodes, bars, supports });
    t.equal(most, spent);
  }
});

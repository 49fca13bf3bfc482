import fc from 'fast-check';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { solverOf } from '../../src/solvers/registry.ts';
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

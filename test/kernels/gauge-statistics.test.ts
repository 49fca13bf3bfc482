import t from 'tap';
import { Layout } from '../../src/solvers/layout.ts';
import { runKernel } from '../solvers/run-job.ts';
import { assemblyModule } from './assembly-module.ts';

const [Z2, U1] = [0, 1];
const HEAD = 1616;
const CHAINS = 8;
const [DID_NOT_CONVERGE, OUTSIDE_TOLERANCE] = [17, 18];

interface Errors {
  withExcursions(g: number, group: number, beta: number, V: number, A: number, sweeps: number): number;
}
const { withExcursions } = await assemblyModule<Errors>(
  'export { withExcursions } from "../gauge/excursions";',
);

// ---- excursions ----------------------------------------------------------------------------------------

t.test('an excursion counts with what it adds on average, three of them at most', (t) => {
  // (1 − W)(1 + e^{4β})/2V by mpmath, 30 digits; few are expected in n sweeps, λ = 2V n/(1 + e^{4β}).
  const cases: [number, number, number, number][] = [
    [4, 16, 1, 0.9374906456210541],
    [4, 16, 2, 1.7499816851110532],
    [6, 64, 1, 0.9843749485437396],
  ];
  for (const [beta, V, A, one] of cases) {
    const sweeps = 1e4;
    const expected = (2 * V * sweeps) / (1 + Math.exp(4 * beta));
    const found = withExcursions(0, Z2!, beta, V, A, sweeps);
    t.ok(Math.abs(found / ((one / sweeps) * Math.sqrt(2 * expected)) - 1) < 1e-12, `β = ${beta}, A = ${A}`);
  }
  const many = withExcursions(0, Z2!, 3, 16, 1, 1e6);
  t.ok(Math.abs(many / ((3 * 0.9369895824610216) / 1e6) - 1) < 1e-12, 'no more than three');
  t.equal(withExcursions(0.25, U1!, 3, 16, 1, 1e6), 0.25, 'links of U(1) are never frozen');
  t.ok(withExcursions(0, Z2!, 50, 16, 1, 1e4) < 1e-40, 'and none are expected at β = 50');
  t.end();
});

const seeds = 200;
const samples = 128;

/** Heads of eight short chains. */
function heads(beta: number, L: number, seed: number): Uint8Array[] {
  return Array.from({ length: CHAINS }, (_, chain) => {
    const head = new Layout()
      .f64(Z2!, beta, L, 0, 0, 4 * L * L, samples, 0, chain)
      .u64(BigInt(seed))
      .f64(chain % 2);
    return runKernel('gauge', head.bytes(), 1000).result.slice(0, HEAD);
  });
}

function merged(beta: number, L: number, groups: readonly Uint8Array[]): { mean: number; error: number } {
  const head = new Layout().f64(1, Z2!, beta, L, 0, 0).bytes();
  const bytes = Buffer.concat([head, ...groups]);
  const [mean, error] = new Float64Array(runKernel('gauge-merge', bytes, 1).result.slice().buffer);
  return { mean: mean!, error: error! };
}

t.test('however few excursions short Z2 chains saw, their mean is within 4.5 standard errors', (t) => {
  // (t + t^{V−1})/(1 + t^V), mpmath, 30 digits. In 1024 sweeps 0.004 to 6 excursions are expected.
  const cases: [number, number, number][] = [
    [2, 3, 0.9946842615143073],
    [3, 4, 0.9998157751169569],
    [4, 4, 0.9999966239788246],
  ];
  for (const [beta, L, exact] of cases) {
    let worst = 0;
    let still = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const { mean, error } = merged(beta, L, heads(beta, L, seed));
      worst = Math.max(worst, Math.abs(mean - exact) / error);
      if (Math.abs(mean - Math.tanh(2 * beta)) < 1e-12) still++;
    }
    t.ok(worst <= 4.5, `β = ${beta}, L = ${L}: ${worst} at the worst, ${still} of ${seeds} saw none`);
  }
  t.end();
});

// ---- verdict -------------------------------------------------------------------------------------------

/** A job whose every chain has the blocks' means that are given, in turn. */
function status(group: number, beta: number, means: readonly number[]): number {
  const numbers = new Float64Array(HEAD / 8);
  const mean = (means[0]! + means[means.length - 1]!) / 2;
  numbers.set([64, 64 * mean, 64 * mean ** 2]);
  for (let block = 0; block < 64; block++) {
    numbers[8 + block] = means[block % means.length]!;
    numbers[72 + block] = means[block % means.length]!;
  }
  numbers[136] = 1;
  const head = new Layout().f64(group, beta, 4, 0, 0, 1).bytes();
  const groups = Array.from({ length: CHAINS }, () => new Uint8Array(numbers.buffer));
  return runKernel('gauge.verdict', Buffer.concat([head, ...groups]), 1).status;
}

t.test('no error, and no mean to hold one against, are refused in words, not as broken numbers', (t) => {
  t.equal(status(U1!, 5, [0.5]), OUTSIDE_TOLERANCE, 'frozen at a wrong value');
  t.equal(status(U1!, 5, [0.9]), OUTSIDE_TOLERANCE, 'frozen within 1e-3 of 0.89993');
  t.equal(status(U1!, 5, [1, -1]), DID_NOT_CONVERGE, 'a mean of zero');
  t.equal(status(Z2!, 3, [0.9998]), DID_NOT_CONVERGE, '512 sweeps are too few to have seen an excursion');
  t.end();
});

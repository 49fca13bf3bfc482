import { readFileSync } from 'node:fs';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { readInput } from '../../src/solvers/input.ts';
import type { SolveInput } from '../../src/solvers/solve/problem.ts';
import { solve } from '../../src/solvers/solve.ts';
import { runJob } from './run-job.ts';
import { testSolver } from './solver-test.ts';

interface Reference {
  readonly title: string;
  readonly inputs: Record<string, number>;
  readonly value: string;
}

const fixture = new URL('../../../test/fixtures/solve/reference.json', import.meta.url);
const references = JSON.parse(readFileSync(fixture, 'utf8')) as Reference[];

const read = (body: unknown) => readInput(solve.input, body).input as unknown as SolveInput;
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

async function refusalOf(body: unknown): Promise<Refusal> {
  try {
    await runJob(solve, read(body));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('was not refused');
}

t.test('a spring at rest that a constant force pulls', async (t) => {
  // m ẍ + kx = b from rest: x = b/k (1 − cos ωt), here 1 − cos 1; with βx³ besides, by DOP853 at a tolerance of 1e-13.
  const inputs = { m: 1, k: 1, x0: 0, v0: 0, b: 1, t_end: 1 };
  const value = async (more: object) =>
    (await runJob(solve, read({ inputs: { ...inputs, ...more } }))).verdict.value;
  t.ok(Math.abs((await value({})) / (1 - Math.cos(1)) - 1) < 1e-12);
  t.ok(Math.abs((await value({ beta: 1 })) / 0.4578157835444 - 1) < 1e-6);
});

t.test('values agree with mpmath in every regime, closed form to 1e-13 and RK4 to the gate', async (t) => {
  for (const { title, inputs, value } of references) {
    const { t0, ...rest } = inputs;
    const input = { inputs: rest, ...(t0 !== undefined && { initialState: { t0 } }) } as SolveInput;
    const { verdict, presentation } = await runJob(solve, input);
    const fallback = title.startsWith('fallback');
    t.ok(relative(verdict.value, Number(value)) <= (fallback ? 1e-7 : 1e-13), title);
    t.ok(relative(presentation.outputs.rk4 as number, Number(value)) <= 1e-3, `${title}: RK4`);
    t.equal(
      /^NUMERICAL FALLBACK: /.test((presentation.outputs.note as string | undefined) ?? ''),
      fallback,
      `${title}: NUMERICAL FALLBACK only there (HON-14, HON-15)`,
    );
  }
});

t.test('the Duffing period is 4K/ω: 4.76802202910246', async (t) => {
  const { presentation } = await runJob(solve, { inputs: { t_end: 5, m: 1, k: 1, beta: 1, x0: 1, v0: 0 } });
  t.ok(relative(presentation.outputs.period as number, 4.76802202910246) < 1e-14);
});

t.test('the pulse mean is the mean of the closed form over 777,000,777 ns', async (t) => {
  const { presentation } = await runJob(solve, { inputs: { t_end: 4, c: 1, k: 0.3, y0: 5 } });
  const mean = (presentation.outputs.pulseMean as { value: number }).value;
  const T = 0.777000777;
  t.ok(relative(mean, (5 * Math.exp(-1.2) * -Math.expm1(-0.3 * T)) / (0.3 * T)) < 1e-9);
});

t.test('identical inputs give bit-identical runs (HON-17)', async (t) => {
  const input = read(solve.examples[3]!.body);
  const [first, second] = [await runJob(solve, input), await runJob(solve, input)];
  t.same(
    first.finished.map((run) => run.digests),
    second.finished.map((run) => run.digests),
  );
});

testSolver(solve, {
  references: references.slice(0, 12).map(({ title, inputs: { t0, ...inputs }, value }) => ({
    title,
    body: { inputs, ...(t0 !== undefined && { initialState: { t0 } }) },
    expect: Number(value),
    tolerance: title.startsWith('fallback') ? 1e-7 : 1e-13,
    source: 'mpmath',
  })),
});

const forced = { t_end: 60, m: 1, c: 0.02, k: -1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0 };

t.test('strict refines until the estimate holds, or times out (SOLV-06, SOLV-07, OPEN-30)', async (t) => {
  const exact = { t_end: 200, m: 1, k: 1, x0: 1, v0: 0 };
  const converged = await runJob(solve, read({ inputs: exact, dt: 1, strict: true, maxIterations: 10 }));
  t.equal(converged.presentation.outputs.tuneStatus, 'converged');
  t.ok((converged.presentation.outputs.iterations as number) > 2, 'refined beyond the plain levels');

  const sealed = await runJob(
    solve,
    read({ inputs: { ...exact, t_end: 2.5 }, dt: 0.5, strict: true, maxIterations: 1 }),
  );
  t.equal(sealed.presentation.outputs.tuneStatus, 'timeout', 'the closed form holds it all the same');

  const refused = await refusalOf({ inputs: forced, dt: 0.5, strict: true, maxIterations: 1 });
  t.equal(refused.code, 'DID_NOT_CONVERGE', 'a timeout without a closed form');
});

t.test('strict holds for levels that may be needed, not for every one that is allowed', async (t) => {
  for (const inputs of [
    { t_end: 3, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 },
    { t_end: 50, m: 1, k: 1, beta: 1, x0: 1, v0: 0 },
    { t_end: 100, m: 1, c: 0.1, k: 4, F: 0.3, Omega: 1.2, x0: 1, v0: 0 },
    { t_end: 4, c: 1, k: 0.3, y0: 5 },
    { t_end: 200, m: 1, c: 0.01, k: 1, beta: 0.5, x0: 1, v0: 0 },
  ]) {
    const input = read({ inputs, strict: true, maxIterations: 40 });
    const { finished, presentation } = await runJob(solve, input);
    const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
    const { work } = solve.quote(input, { requestHash: new Uint8Array(32) });
    t.equal(presentation.outputs.tuneStatus, 'converged');
    t.ok(spent <= work && work <= 10 * spent, `quoted ${work}, spent ${spent}`);
  }
});

t.test('a motion that escapes to infinity is DID_NOT_CONVERGE', async (t) => {
  const refused = await refusalOf({ inputs: { t_end: 20, m: 1, k: 1, beta: -1, x0: 1.2, v0: 0 } });
  t.equal(refused.code, 'DID_NOT_CONVERGE');
  t.equal(refused.details.reason, 'the motion escapes');
  const [longest] = refused.details.accepts as string[];
  const t_end = Number(/^t_end of about (\S+) s$/.exec(longest!)?.[1]);
  // SciPy 1.17.1, DOP853 with rtol 1e-12: |x| passes 10⁶ at t = 2.0858.
  t.ok(t_end > 0.8 * 2.0858 && t_end < 2.0858, `${t_end} s`);
});

// Ueda's oscillator (Ueda, J. Stat. Phys. 20 (1979) 181): two levels part within a few hundred seconds.
t.test('a chaotic fallback whose levels disagree is refused and never sealed (HON-16)', async (t) => {
  const refused = await refusalOf({
    inputs: { t_end: 400, m: 1, c: 0.05, k: 0, beta: 1, F: 7.5, Omega: 1, x0: 1, v0: 0 },
  });
  t.equal(refused.code, 'OUTSIDE_TOLERANCE');
  t.match(refused.details, { gate: /three steps|two steps/, bound: 1e-3 });
  t.notOk('value' in refused.details);
});

const set2 = { t_end: 4, c: 1, k: 0.3, y0: 5 };
const set1 = { t_end: 3, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 };
const refused: [string, unknown, string, string][] = [
  ['nothing but an end', { inputs: { t_end: 1 } }, 'MISSING_INPUT', 'inputs'],
  ['no mass', { inputs: { t_end: 1, k: 1, x0: 1, v0: 0 } }, 'MISSING_INPUT', 'inputs'],
  ['no end', { inputs: { m: 1, k: 1, x0: 1, v0: 0 } }, 'MISSING_INPUT', 'inputs'],
  ['a start for both orders', { inputs: { ...set1, y0: 1 } }, 'INVALID_INPUT', 'inputs'],
  ['a force without Omega', { inputs: { ...set1, F: 1 } }, 'MISSING_INPUT', 'inputs'],
  ['Omega without a force', { inputs: { ...set1, Omega: 1 } }, 'MISSING_INPUT', 'inputs'],
  ['negative mass', { inputs: { ...set1, m: -1 } }, 'INVALID_INPUT', 'inputs.m'],
  ['no damping at order 1', { inputs: { ...set2, c: 0 } }, 'INVALID_INPUT', 'inputs.c'],
  ['an end before the start', { inputs: set2, initialState: { t0: 5 } }, 'INVALID_INPUT', 'inputs.t_end'],
  ['a start given twice', { inputs: set1, initialState: { x: 1 } }, 'INVALID_INPUT', 'initialState.x'],
  ['strict without a limit', { inputs: set1, strict: true }, 'MISSING_INPUT', 'maxIterations'],
  ['a limit without strict', { inputs: set1, maxIterations: 4 }, 'INVALID_INPUT', 'maxIterations'],
  ['41 levels', { inputs: set1, strict: true, maxIterations: 41 }, 'INVALID_INPUT', 'maxIterations'],
  ['an unstable step', { inputs: set1, dt: 0.6 }, 'STABILITY_LIMIT', 'dt'],
  ['a trillion steps', { inputs: { ...set1, t_end: 1e12 } }, 'LIMIT_EXCEEDED', 'inputs.t_end'],
  ['a tiny step', { inputs: set1, dt: 1e-300 }, 'LIMIT_EXCEEDED', 'dt'],
  ['no operator but KO42', { inputs: set1, operators: ['KO42'] }, 'INVALID_INPUT', 'operators'],
  ['an operator with a closed form', { inputs: {}, operators: ['SP7'] }, 'UNSUPPORTED', 'operators'],
  ['an equation for no derivative', { inputs: set1, equation: 'x' }, 'INVALID_INPUT', 'equation'],
  [
    'a continuation',
    { inputs: { t_end: 9, m: 1, k: 1 }, initialState: { continue: 'j' } },
    'UNSUPPORTED',
    'initialState.continue',
  ],
];

t.test(
  'input that is not a problem is refused before it runs, with the field and what is accepted',
  async (t) => {
    for (const [title, body, code, field] of refused) {
      const refusal = await refusalOf(body);
      t.equal(refusal.code, code, title);
      t.equal(refusal.details.field, field, `${title}: ${field}`);
      t.ok(refusal.details.accepts, `${title}: what is accepted`);
    }
  },
);

t.test('insufficient inputs list every accepted combination (SOLV-05)', async (t) => {
  const { message, details } = await refusalOf({ inputs: { t_end: 1, k: 2 } });
  t.equal((details.accepts as string[]).length, 4);
  for (const words of details.accepts as string[]) t.ok(message.includes(words), words);
});

t.test('a start in initialState is the start in inputs, and y keeps its unit', async (t) => {
  const { t_end, m, c, k } = set1;
  const a = await runJob(solve, read({ inputs: set1 }));
  const b = await runJob(solve, read({ inputs: { t_end, m, c, k }, initialState: { x: 0.1, v: 0 } }));
  t.equal(a.verdict.value, b.verdict.value);
  t.equal(solve.unit(read({ inputs: { ...set2, y0: { value: 5, unit: 'mV' } } })), 'mV');
});

t.test(
  'the receipt diagnostics close the master equation without advection and diffusion (ENV-07, ENV-08)',
  async (t) => {
    for (const { title, body } of solve.examples.filter((each) => !('equation' in each.body))) {
      const { presentation } = await runJob(solve, read(body));
      const { masterEquation, functionalEquation } = presentation.diagnostics as unknown as {
        masterEquation: { basis: string; closure: number; terms: Record<string, { rms: number | null }> };
        functionalEquation: { balance: { lhs: number; rhs: number }; reflection: { warn: boolean } };
      };
      t.equal(masterEquation.basis, 'solver');
      t.ok(masterEquation.closure < 0.01, `${title}: closure ${masterEquation.closure}`);
      t.equal(masterEquation.terms.advection!.rms, null);
      t.equal(masterEquation.terms.diffusion!.rms, null);
      const { lhs, rhs } = functionalEquation.balance;
      t.ok(Math.abs(lhs - rhs) < 0.01 * Math.max(Math.abs(lhs), 0.1), `${title}: ${lhs} and ${rhs}`);
      t.notOk(functionalEquation.reflection.warn);
    }
  },
);

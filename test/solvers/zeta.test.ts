import { readFileSync } from 'node:fs';
import t from 'tap';
import { readInput } from '../../src/solvers/input.ts';
import type { ZetaInput } from '../../src/solvers/zeta/problem.ts';
import { zeta } from '../../src/solvers/zeta.ts';
import { testRefusals } from './refusals.ts';
import { runJob } from './run-job.ts';
import { testSolver } from './solver-test.ts';

/** test/fixtures/zeta/hardy.py, mpmath with 40 digits. */
interface Fixture {
  readonly Z: readonly [t: number, Z: number][];
  readonly theta: readonly [t: number, theta: number, index: number, part: number][];
  readonly zeros: readonly [n: number, zero: number][];
  readonly counts: readonly [T: number, N: number][];
}

const fixtureFile = new URL('../../../test/fixtures/zeta/hardy.json', import.meta.url);
const fixture = JSON.parse(readFileSync(fixtureFile, 'utf8')) as Fixture;
const context = { requestHash: new Uint8Array(32) };

const read = (body: unknown) => readInput(zeta.input, body).input as unknown as ZetaInput;
const run = (body: ZetaInput) => runJob(zeta, read(body));

// Odlyzko, Tables of zeros of the Riemann zeta function (zeros1, zeros5); LMFDB. Rounded to f64.
const odlyzko: [n: number, zero: number][] = [
  [1, 14.134725141734695],
  [10, 49.7738324776723],
  [100, 236.5242296658162],
  [1000, 1419.4224809459956],
  [10_000, 9877.782654005501],
  [100_000, 74920.82749899419],
  [6709, 7005.06286617492],
  [6710, 7005.10056467265],
];

testSolver(zeta, {
  references: odlyzko.map(([n, expect]) => ({
    title: `zero ${n}`,
    body: { mode: 'zero', n },
    expect,
    tolerance: 1e-10,
    source: 'Odlyzko',
  })),
});

t.test('zeros stand in Odlyzko’s tables and in mpmath’s, index and all', async (t) => {
  for (const [n, zero] of [...odlyzko, ...fixture.zeros]) {
    const { verdict, presentation } = await run({ mode: 'zero', n });
    const spacing = (2 * Math.PI) / Math.log(Math.max(zero, 20) / (2 * Math.PI));
    const [lower, upper] = presentation.outputs.bracket as [number, number];
    t.ok(Math.abs(verdict.value - zero) <= 1e-8 * spacing, `γ of index ${n}: ${verdict.value}`);
    t.ok(lower - 1e-11 <= zero && zero <= upper + 1e-11, `γ of index ${n} lies in its bracket`);
  }
});

t.test('N(T) are the counts of mpmath, which uses Turing’s method by itself', async (t) => {
  for (const [T, N] of [...fixture.counts, [0, 0] as const, [1e5, 138_069] as const]) {
    const { verdict } = await run({ mode: 'count', T });
    t.equal(verdict.value, N, `N(${T})`);
  }
});

t.test('the 10th power of ten: 32,130,158,315 zeros lie below it', async (t) => {
  // Gourdon, The 10^13 first zeros of the Riemann zeta function (2004). θ(10¹⁰)/π + 1 = 32130158314.7846444337 (mpmath).
  const { verdict, presentation } = await run({ mode: 'count', T: 1e10 });
  t.equal(verdict.value, 32_130_158_315);
  t.ok(Math.abs((presentation.outputs.S as number) - 0.2153555663) < 1e-9);
});

t.test('S(T) = N(T) − 1 − θ(T)/π with θ of mpmath', async (t) => {
  for (const [T, , index, part] of fixture.theta.filter(([height]) => [14, 50, 1000, 1e6].includes(height))) {
    const { presentation } = await run({ mode: 'count', T });
    const { N, S } = presentation.outputs as { N: number; S: number };
    t.ok(Math.abs(S - (N - 1 - index - part)) < 1e-10, `S(${T}) = ${S}`);
  }
});

t.test('Z(t) is mpmath’s to the gate; near a zero to an absolute error', async (t) => {
  for (const [height, value] of fixture.Z) {
    const { verdict } = await run({ mode: 'Z', t: height });
    t.ok(Math.abs(verdict.value - value) <= 1e-6 * Math.max(Math.abs(value), 1e-3), `Z(${height})`);
  }
  const { verdict } = await run({ mode: 'Z', t: 14.134725141734693 });
  t.ok(Math.abs(verdict.value) < 1e-10);
});

t.test('Gram’s law fails first at g₁₂₆, where Z = −0.0276', async (t) => {
  // g_126 = 282.4547208234622 (mpmath grampoint); −0.0276: Hutchinson 1925, Edwards 8.4.
  const { verdict } = await run({ mode: 'Z', t: 282.4547208234622 });
  t.equal(verdict.value.toFixed(4), '-0.0276');
});

t.test('zeros(t1, t2) is the difference of counts, and lists what it counts', async (t) => {
  const { verdict, presentation, finished } = await run({ mode: 'zeros', t1: 0, t2: 1000 });
  t.equal(verdict.value, 649);
  const zeros = presentation.outputs.zeros as number[];
  t.equal(zeros.length, 649);
  for (const [n, zero] of odlyzko.slice(0, 3)) t.ok(Math.abs(zeros[n - 1]! - zero) < 1e-8, `γ of index ${n}`);
  t.match(presentation.outputs, { N1: 0, N2: 649 });
  const field = presentation.fields.find(({ name }) => name === 'zeros')!;
  const bytes = finished[field.source.run]!.result.slice(
    field.source.from,
    field.source.from + field.source.length,
  );
  t.same([...new Float64Array(bytes.buffer)], zeros, 'the field shows the same numbers');
});

t.test('a range of many zeros is cut into parts, by the request alone', async (t) => {
  const body = { mode: 'zeros', t1: 10_000, t2: 20_000 } as const;
  const { verdict, finished } = await run(body);
  // N(20000) − N(10000) = 22491 − 10142 (mpmath nzeros).
  t.equal(verdict.value, 12_349);
  t.equal(finished.length, 4, 'two parts, the profile and the verdict');
});

t.test('the work is within the quote, and the profile around Z(t) is quoted closely', async (t) => {
  const bodies: ZetaInput[] = [
    { mode: 'Z', t: 1e6 },
    { mode: 'zero', n: 1 },
    { mode: 'zero', n: 1_000_000 },
    { mode: 'count', T: 1e9 },
    { mode: 'zeros', t1: 0, t2: 9000 },
    { mode: 'zeros', t1: 1e6, t2: 1e6 + 300 },
  ];
  for (const body of bodies) {
    const { finished } = await run(body);
    const spent = finished.reduce((sum, { work }) => sum + Number(work), 0);
    const { work } = zeta.quote(read(body), context);
    t.ok(spent <= work, `${JSON.stringify(body)}: ${spent} of ${work}`);
    if (body.mode === 'Z') t.ok(work <= 1.2 * spent);
  }
});

const refused: [title: string, body: object, code: string, field?: string][] = [
  ['t below 0', { mode: 'Z', t: -1 }, 'INVALID_INPUT', 't'],
  ['t above 10¹⁰', { mode: 'Z', t: 1.0000001e10 }, 'INVALID_INPUT', 't'],
  ['n below 1', { mode: 'zero', n: 0 }, 'INVALID_INPUT', 'n'],
  ['n that is no integer', { mode: 'zero', n: 1.5 }, 'INVALID_INPUT', 'n'],
  ['n beyond t = 10¹⁰', { mode: 'zero', n: 32_130_158_316 }, 'LIMIT_EXCEEDED', 'n'],
  ['an enormous n', { mode: 'zero', n: 9007199254740991 }, 'LIMIT_EXCEEDED', 'n'],
  ['t2 = t1', { mode: 'zeros', t1: 5, t2: 5 }, 'INVALID_INPUT', 't2'],
  ['t2 below t1', { mode: 'zeros', t1: 5, t2: 4 }, 'INVALID_INPUT', 't2'],
  ['more than a million zeros', { mode: 'zeros', t1: 0, t2: 1e6 }, 'LIMIT_EXCEEDED', 't2'],
  ['T beyond the limit', { mode: 'count', T: 1e11 }, 'INVALID_INPUT', 'T'],
  ['no mode', { t: 5 }, 'MISSING_INPUT', 'mode'],
  ['an unknown mode', { mode: 'pole', t: 5 }, 'INVALID_INPUT', 'mode'],
  ['mode Z without t', { mode: 'Z' }, 'MISSING_INPUT', 't'],
  ['mode zero without n', { mode: 'zero' }, 'MISSING_INPUT', 'n'],
  ['mode zeros without t2', { mode: 'zeros', t1: 1 }, 'MISSING_INPUT', 't2'],
  ['mode count without T', { mode: 'count' }, 'MISSING_INPUT', 'T'],
  ['mode Z with n', { mode: 'Z', t: 5, n: 3 }, 'INVALID_INPUT', 'n'],
  ['mode zero with t', { mode: 'zero', n: 3, t: 5 }, 'INVALID_INPUT', 't'],
  ['mode zeros with T', { mode: 'zeros', t1: 1, t2: 2, T: 5 }, 'INVALID_INPUT', 'T'],
  ['mode count with t1', { mode: 'count', T: 5, t1: 1 }, 'INVALID_INPUT', 't1'],
  ['a field of no mode', { mode: 'Z', t: 5, s: 1 }, 'INVALID_INPUT'],
  ['a height that is no number', { mode: 'Z', t: 'high' }, 'INVALID_INPUT', 't'],
  ['a height that is not finite', { mode: 'Z', t: null }, 'INVALID_INPUT', 't'],
  ['an n that is no number', { mode: 'zero', n: [1] }, 'INVALID_INPUT', 'n'],
  ['a negative T', { mode: 'count', T: -1 }, 'INVALID_INPUT', 'T'],
  ['a height with a unit', { mode: 'count', T: { value: 1, unit: 'm' } }, 'INVALID_INPUT', 'T.unit'],
  ['mode zeros without t1', { mode: 'zeros', t2: 1 }, 'MISSING_INPUT', 't1'],
];

testRefusals('zeta', [
  ...refused.map(([title, body, code, field]) => ({ title, body, code, ...(field && { field }) })),
  {
    title: 'a count at γ₁₀₀₀ rounded to the nearest number',
    body: { mode: 'zeros', t1: 1419.4224809459956, t2: 1421 },
    code: 'OUTSIDE_TOLERANCE',
  },
]);

t.test('a height that is a zero to the last bit cannot be counted at: the error bound decides', async (t) => {
  const t1 = 1419.4224809459956; // γ_1000 rounded to the nearest f64
  await t.rejects(run({ mode: 'zeros', t1, t2: 1421 }), { code: 'OUTSIDE_TOLERANCE' });
});

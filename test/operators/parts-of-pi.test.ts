import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { compute } from '../../src/solvers/compute.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { repositoryRoot } from '../root.ts';
import { refusalOf, solved } from '../solvers/solver-test.ts';

const formula = async (equation: string, inputs: object = {}) => {
  const { verdict, presentation } = await solved(compute, { equation, inputs });
  return { value: verdict.value, uncertainty: presentation.outputs.uncertainty as number };
};
const refused = (equation: string, inputs: object = {}) => refusalOf(compute, { equation, inputs });

const file = join(repositoryRoot, 'test', 'operators', 'fixtures', 'pi-angles.json');
const rows = JSON.parse(readFileSync(file, 'utf8')) as [string, Record<string, unknown>, number | null][];

t.test(
  'sines, cosines and tangents of parts of π are those of mpmath, zeros exactly, and poles refused',
  async (t) => {
    t.ok(rows.length > 500);
    for (const [equation, inputs, expected] of rows) {
      const said = `${equation} at ${JSON.stringify(inputs)}`;
      if (expected === null) {
        const refusal = await refused(equation, inputs);
        t.ok(['NON_FINITE', 'OUTSIDE_TOLERANCE'].includes(String(refusal?.code)), `${said} is a pole`);
        continue;
      }
      const { value } = await formula(equation, inputs);
      // 30.1 ms is the double nearest to it: of an angle of six half turns some 1e-15.
      const bound = 4e-16 * Math.abs(expected) + ('t' in inputs ? 1e-14 * (325 + Math.abs(expected)) : 0);
      const isAlike = expected === 0 ? value === 0 : Math.abs(value - expected) <= bound;
      if (!isAlike) t.fail(`${said} is ${value}, by mpmath ${expected}`);
    }
  },
);

t.test('a part of π that is uncertain has its zero too, with its uncertainty', async (t) => {
  const { value, uncertainty } = await formula('sin(n*pi)', { n: { value: 3, uncertainty: 0.1 } });
  t.equal(value, 0);
  t.ok(Math.abs(uncertainty - 0.1 * Math.PI) < 1e-15);
  const lattice = await solved(solverOf('lattice'), {
    solver: 'compute',
    inputs: { equation: 'A*sin(pi*x)', inputs: { A: 2 } },
    axes: [{ name: 'inputs.x', values: [0, 0.5, 1, 3] }],
    reduce: 'sum',
  });
  t.equal(lattice.verdict.value, 2, 'at every point of a lattice');
});

// By hand: 0.7/0.1 = 7, 2.4/0.2 = 12, 1.1 mod 0.1 = 0, 0.3 = 0.1 + 0.2 in decimals; in doubles none of it holds.
t.test('where the decimals that were sent are exactly on a step, they decide', async (t) => {
  const exact: [string, object, number][] = [
    ['floor(a/b)', { a: 0.3, b: 0.1 }, 3],
    ['floor(0.7/0.1)', {}, 7],
    ['ceil(a/b)', { a: '240 cm', b: '20 cm' }, 12],
    ['floor(-a/b)', { a: 0.6, b: 0.2 }, -3],
    ['mod(a, b)', { a: 1.1, b: 0.1 }, 0],
    ['sign(c - a - b)', { a: 0.1, b: 0.2, c: 0.3 }, 0],
    ['floor(20*floor(a/b)/60)', { a: 0.3, b: 0.1 }, 1],
    ['floor((T - T_0)/b)', { T: '20 degC', T_0: '273.15 K', b: '5 K' }, 4],
    ['floor(x/pi)', { x: '540 deg' }, 3],
  ];
  for (const [equation, inputs, value] of exact)
    t.equal((await formula(equation, inputs)).value, value, `${equation} ${JSON.stringify(inputs)}`);
  for (const [equation, inputs] of [
    ['floor(a/b)', { a: 0.30000000000000004, b: 0.1 }],
    ['floor(a/b)', { a: { value: 0.3, uncertainty: 0.1 }, b: 0.1 }],
    ['floor(a*3)', { a: 1 / 3 }],
    ['floor(exp(ln(a)))', { a: 3 }],
    ['sign(sqrt(a)^2 - a)', { a: 2 }],
  ] as const)
    t.match(await refused(equation, inputs), { code: 'OUTSIDE_TOLERANCE' }, `${equation} is not decided`);
  t.match(await refused('mod(0.3, 0*a)', { a: 1 }), { code: 'NON_FINITE' });
});

t.test(
  'a zero that is not exact is refused with why and what to write, and what it says is taken',
  async (t) => {
    const refusal = await refused('A*sin(2*pi*f*t)', { A: 5, f: { value: 50, uncertainty: 0.1 }, t: 0.01 });
    t.match(refusal, { code: 'OUTSIDE_TOLERANCE', details: { field: 'equation', gate: 'evaluation' } });
    t.match(refusal?.message, /zero is not exact.*numbers without uncertainty/);
    t.equal((await formula('A*sin(2*pi*f*t)', { A: 5, f: 50, t: 0.01 })).value, 0);
    const over = (equation: string, values: number[], unit?: string) => ({
      solver: 'compute',
      inputs: { equation, inputs: { f: 50 } },
      axes: [{ name: 'inputs.t', values, ...(unit && { unit }) }],
      reduce: 'sum',
    });
    const wave = await refusalOf(solverOf('lattice'), over('sin(2*pi*f*t)', [10, 15], 'ms'));
    t.match(wave?.message, /over a lattice whole ones/);
    const whole = await solved(solverOf('lattice'), over('sin(2*pi*f*t/1000)', [10, 15]));
    t.equal(whole.verdict.value, -1);
    const cancelled = await refused('(1 - cos(x))/x^2', { x: 1e-9 });
    t.match(cancelled?.message, /terms cancel.*2\*sin\(x\/2\)\^2 for 1 - cos\(x\)/);
    t.equal((await formula('2*sin(x/2)^2/x^2', { x: 1e-9 })).value, 0.5);
  },
);

import t from 'tap';
import { printableWord } from '../../src/errors/printable.ts';
import { analyze } from '../../src/operators/analysis.ts';
import { refuseMiscounted } from '../../src/operators/counts.ts';
import { readEquation } from '../../src/operators/equation.ts';
import { compute } from '../../src/solvers/compute.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { inputOf, refusalOf, solved } from '../solvers/solver-test.ts';

// SI Brochure, 9th edition, 2.3.4: Hz, rad/s and Bq are all 1/s, and 10 Hz is 62.8 rad/s. In a free-form equation only
// the formula says which of them a letter is.

const units: Readonly<Record<string, string>> = {
  ...{
    omega: 'rad/s',
    f: 'Hz',
    f_2: 'kHz',
    k: 'Hz/s',
    A: 'Bq',
    r: '1/s',
    nu: '1/s',
    T: 's',
    t: 's',
    phi: 'rad',
  },
  ...{
    Omega_0: 'deg/s',
    theta: 'rad',
    a: 'm',
    d: 'm',
    c: 'm/s',
    x: 'm',
    x0: 'm',
    n: '1',
    omega_d: 'Hz',
    ω: 'Hz',
    w: 'Hz',
    w_m: 'cycles/min',
    theta_dot: 'Hz',
    phidot: 'Hz',
    angular_speed: 'kHz',
    weight: 'Hz',
  },
};
const fault = (text: string): string | undefined => {
  try {
    refuseMiscounted(readEquation(text).expression, (name) => units[name]);
    return undefined;
  } catch (error) {
    return (error as { details: { field: string } }).details.field;
  }
};

t.test('cycles under a sine without a 2π, and angles with one, are refused by their letter', async (t) => {
  const cases: [string, string][] = [
    ['sin(f*t)', 'f'],
    ['A*cos(f*t + phi)', 'f'],
    ['tan(phi - f_2*t)', 'f_2'],
    ['cos(k*t^2)', 'k'],
    ['sin(t/sqrt(1/f^2))', 'f'],
    ['\\sin\\left(f t\\right)', 'f'],
    ['sin(2*pi*omega*t)', 'omega'],
    ['cospi(2*omega*t)', 'omega'],
    ['sin(pi*Omega_0*t/180)', 'Omega_0'],
  ];
  for (const [text, letter] of cases) t.equal(fault(text), `inputs.${letter}.unit`, text);
});

t.test('an ω in Hz is refused wherever it stands', async (t) => {
  t.equal(fault('a*omega_d'), 'inputs.omega_d.unit');
  for (const name of ['w', 'w_m', 'theta_dot', 'phidot', 'angular_speed'])
    t.equal(fault(`a*${name}`), `inputs.${name}.unit`);
  t.equal(fault('a*weight'), undefined);
  t.equal(fault('a*ω^2'), `inputs.${printableWord('ω')}.unit`);
  t.equal(fault('sin(2*pi*ω*t)'), `inputs.${printableWord('ω')}.unit`);
});

t.test('a sum of what counts unlike things is refused', async (t) => {
  t.equal(fault('f - omega'), 'inputs.f.unit');
  t.equal(fault('A + f'), 'inputs.A.unit');
  t.equal(fault('max(omega, f_2)'), 'inputs.f_2.unit');
  t.equal(fault('exp(-t*(A + f))'), 'inputs.A.unit');
});

t.test('what says its 2π, and what counts nothing, is taken', async (t) => {
  for (const text of [
    ...[
      'sin(2*pi*f*t)',
      'sin(omega*t + phi)',
      'cos(2*pi*(f*t + n))',
      'sinpi(2*f*t)',
      'sin(r*t)',
      'sin(nu*t)',
    ],
    ...['sin(6.283185307*f*t)', 'cos(pi*k*t^2)', '2*pi*f - omega', 'omega/(2*pi) + f', 'f + r', 'omega - r'],
    ...[
      'sin(pi*a*theta/d)',
      'a*sin(2*pi*x/x0)',
      'cos(pi*omega/Omega_0)',
      'sin(f/f_2)',
      'f*(1 + a/d)',
      '2*pi*f',
    ],
    ...['sqrt(omega^2 - r^2)', 'exp(-f*t)', 'c/f', 'atan2(omega, Omega_0)', 'exp(-A*t)', 'f^n*0 + phi'],
  ])
    t.equal(fault(text), undefined, text);
});

t.test('compute, analyze, lattice and solve say it', async (t) => {
  const wave = (omega: unknown) => ({
    ...{
      equation: 'A*sin(omega*t)',
      inputs: { A: { value: 2, unit: 'm' }, t: { value: 0.1, unit: 's' }, omega },
    },
  });
  const inHertz = await refusalOf(compute, wave('10 Hz'));
  t.match(inHertz, { code: 'INVALID_INPUT', details: { field: 'inputs.omega.unit' } });
  t.match(
    inHertz.message,
    /counts cycles: 10 Hz is 62\.8 rad\/s; accepted: rad\/s, or a frequency f and 2\*pi\*f/,
  );
  const inRadians = await solved(compute, wave('10 rad/s'));
  t.ok(Math.abs(inRadians.verdict.value / (2 * Math.sin(1)) - 1) < 1e-15);
  const understood = analyze('sin(omega*t)', { omega: 'Hz', t: 's' });
  await t.rejects(understood, { message: /^inputs\.omega\.unit is "Hz", which counts cycles/ });

  const { omega: _, ...inputs } = wave(0).inputs;
  const sweep = {
    ...{ solver: 'compute', inputs: { equation: 'A*sin(omega*t)', inputs }, reduce: 'max' },
    axes: [{ name: 'inputs.omega', values: [1, 2], unit: 'Hz' }],
  };
  t.match(await refusalOf(solverOf('lattice'), sweep), { code: 'INVALID_INPUT' });

  const driven = (k: unknown) => ({
    equation: "x'' = -x/T^2 + a*sin(k*t)",
    inputs: {
      ...{ x0: { value: 1, unit: 'm' }, x_dot0: { value: 0, unit: 'm/s' }, T: { value: 1, unit: 's' } },
      ...{ a: { value: 1, unit: 'm/s^2' }, k, t_end: { value: 5, unit: 's' } },
    },
  });
  const solve = solverOf('solve');
  t.ok(inputOf(solve, driven({ value: 2, unit: 'rad/s' })));
  t.match(await refusalOf(solve, driven({ value: 2, unit: 'Hz' })), {
    code: 'INVALID_INPUT',
    details: { field: 'inputs.k.unit' },
  });
});

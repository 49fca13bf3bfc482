import t, { type Test } from 'tap';
import { refuseMiscounted } from '../../src/operators/counts.ts';
import { readEquation } from '../../src/operators/equation.ts';
import { coherentUnit } from '../../src/operators/turns.ts';
import { compute } from '../../src/solvers/compute.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { parseUnit } from '../../src/units/unit.ts';
import { refusalOf, solved } from '../solvers/solver-test.ts';

// 1 rpm is 0.104 719 8 rad/s (NIST SP 811, B.8) and 1/60 Hz. A formula in ω wants the one, a formula in n, which has its own
// 2π, the other (ISO 80000-3, 3-17: ω = 2π n). Expected values: mpmath 1.3.0.

const answered = async (equation: string, inputs: object) =>
  (await solved(compute, { equation, inputs })).verdict.value;
const near = (t: Test, found: number, expected: number, text: string) =>
  t.ok(Math.abs(found / expected - 1) < 1e-15, `${text}: ${found} for ${expected}`);

const shaft = { T: '200 N*m', r: '0.1 m', I: '2 kg*m^2', D: '0.2 m', t: '3 s' };
const given = (equation: string, more: object): object => {
  const inputs = { ...shaft, ...more };
  const names = readEquation(equation).inputs;
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => names.includes(name)));
};

t.test('under the name of an angle in a time a turn is 2π rad', async (t) => {
  const cases: [string, object, number][] = [
    ['P = T*omega', { omega: '3000 rpm' }, 62831.853071795864],
    ['P = T*w', { w: '3000 rpm' }, 62831.853071795864],
    ['P = T \\omega', { omega: '50 rev/s' }, 62831.853071795864],
    ['v = r*omega_2', { omega_2: '60 r/min' }, 0.6283185307179586],
    ['E = 1/2*I*theta_dot^2', { theta_dot: '60 rpm' }, 39.47841760435743],
    ['M = I*alpha', { alpha: '60 rpm/s' }, 12.566370614359172],
    ['s = r*theta', { theta: '2 turns' }, 1.2566370614359172],
    ['f = omega/(2*pi)', { omega: '3000 rpm' }, 50],
    ['x = sin(omega*t)', { omega: '1 rpm' }, 0.3090169943749474],
    ['d = omega - Omega_2', { omega: '3000 rpm', Omega_2: '300 rad/s' }, 14.159265358979312],
  ];
  for (const [equation, more, expected] of cases)
    near(t, await answered(equation, given(equation, more)), expected, equation);
});

t.test('under the name of a frequency it is a cycle', async (t) => {
  const cases: [string, object, number][] = [
    ['P = 2*pi*n*T', { n: '3000 rpm' }, 62831.853071795864],
    ['v = pi*D*N', { N: '60 rpm' }, 0.6283185307179586],
    ['omega = 2*pi*n', { n: '1500 rev/min' }, 157.07963267948966],
    ['Re = rho*N*D^2/mu', { rho: '1000 kg/m^3', N: '120 rpm', mu: '1 Pa*s' }, 80],
    ['f = p*n', { p: 2, n: '1500 rpm' }, 50],
    ['s = (N_s - N)/N_s', { N_s: '1500 rpm', N: '1440 rpm' }, 0.04],
    ['L = 2*pi*r*N', { N: '7 turns' }, 4.39822971502571],
    ['x = sin(2*pi*f*t)', { f: '1 rpm' }, 0.3090169943749474],
    ['v = f_z*n', { f_z: '0.2 mm/rev', n: '600 rpm' }, 0.002],
    ['i = speed_1/speed_2', { speed_1: '3000 rpm', speed_2: '25 rev/s' }, 2],
  ];
  for (const [equation, more, expected] of cases)
    near(t, await answered(equation, given(equation, more)), expected, equation);
});

t.test('where nothing says which, or the formula says otherwise, it is refused', async (t) => {
  const fault = (equation: string, units: Readonly<Record<string, string>>) => {
    try {
      refuseMiscounted(readEquation(equation).expression, (name) => units[name]);
      return undefined;
    } catch (error) {
      return (error as { details: { field: string } }).details.field;
    }
  };
  const cases: [string, Record<string, string>, string][] = [
    ['T*speed', { speed: 'rpm' }, 'speed'],
    ['T*x', { x: 'rev/s' }, 'x'],
    ['r*x', { x: 'turns' }, 'x'],
    ['0.5*I*x^2', { x: 'rpm' }, 'x'],
    ['exp(x)', { x: 'rev' }, 'x'],
    ['a + x', { x: 'rpm', a: '1/s' }, 'x'],
    ['omega/x', { x: 'rpm', omega: 'rpm' }, 'x'],
    ['f_z*omega', { f_z: 'mm/rev', omega: 'rpm' }, 'f_z'],
    ['K*V', { K: 'rpm/V', V: 'V' }, 'K'],
    // A lever, a torque or an inertia times turns is 2π too small.
    ['T*N', { T: 'N*m', N: 'rpm' }, 'N'],
    ['r*N', { r: 'm', N: 'rpm' }, 'N'],
    ['I*n^2/2', { I: 'kg*m^2', n: 'rev/s' }, 'n'],
    // The minute stands in the unit already.
    ['2*pi*N*T/60', { T: 'N*m', N: 'rpm' }, 'N'],
    ['T*omega/9550', { T: 'N*m', omega: 'rpm' }, 'omega'],
    // ω beside a π may be meant for n.
    ['2*pi*omega*T', { T: 'N*m', omega: 'rpm' }, 'omega'],
    ['0.5*I*(2*pi*omega)^2', { I: 'kg*m^2', omega: 'rpm' }, 'omega'],
    ['2*pi*r*theta', { r: 'm', theta: 'turns' }, 'theta'],
    ['sin(2*pi*theta)', { theta: 'turns' }, 'theta'],
    ['cospi(2*theta) + 1', { theta: 'rev' }, 'theta'],
    ['a + 2*pi*r*theta', { r: 'm', theta: 'turns', a: 'm' }, 'theta'],
    ['sin(2*pi*omega*t)', { omega: 'rpm', t: 's' }, 'omega'],
    ['sin(N*t)', { N: 'rpm', t: 's' }, 'N'],
    ['omega - N', { N: 'rpm', omega: 'rpm' }, 'N'],
  ];
  for (const [equation, units, letter] of cases)
    t.equal(fault(equation, units), `inputs.${letter}.unit`, equation);
  for (const [equation, units] of [
    ['2*pi*N*T', { T: 'N*m', N: 'rpm' }],
    ['6.2832*N*T', { T: 'N*m', N: 'rpm' }],
    ['pi*r^2*theta/(2*pi)', { r: 'm', theta: 'turns' }],
    ['cos(theta + pi/3)', { theta: 'turns' }],
    ['2*pi/omega', { omega: 'rpm' }],
    ['W*n', { W: 'J', n: 'rpm' }],
    ['2*L*N', { L: 'm', N: 'rpm' }],
    ['T*N/60', { T: 'N*m', N: '1/s' }],
  ] as const)
    t.equal(fault(equation, units), undefined, equation);
});

t.test('a refusal names the figures and what to write', async (t) => {
  t.match(
    await refusalOf(compute, { equation: 'P = T*speed', inputs: { T: '200 N*m', speed: '3000 rpm' } }),
    {
      code: 'INVALID_INPUT',
      message:
        /^inputs\.speed\.unit is "rpm", which counts turns.* 1 rpm is 0\.1047198 rad\/s, or 1\/s, where it is 0\.0166667 1\/s, or a name that says which: omega or n\.$/,
      details: { field: 'inputs.speed.unit' },
    },
  );
});

t.test('lattice, shift, solve and a row have the same numbers', async (t) => {
  const lattice = await solved(solverOf('lattice'), {
    solver: 'compute',
    inputs: { equation: 'T*omega', inputs: { T: '200 N*m' } },
    axes: [{ name: 'inputs.omega', values: [1500, 3000], unit: 'rpm' }],
    reduce: 'max',
  });
  near(t, lattice.verdict.value, 62831.853071795864, 'lattice');
  const shifted = await solved(solverOf('shift'), {
    solver: 'compute',
    inputs: { equation: 'T*omega', inputs: { T: '200 N*m', omega: { value: 3000, unit: 'rpm' } } },
    shift: { omega: { value: 60, unit: 'rpm' } },
  });
  near(t, shifted.verdict.value, 1256.6370614359173, 'shift');
  const turned = await solved(solverOf('solve'), {
    equation: "theta' = omega",
    inputs: {
      ...{ theta0: { value: 0, unit: 'rad' }, omega: { value: 60, unit: 'rpm' } },
      t_end: { value: 2, unit: 's' },
    },
  });
  near(t, turned.verdict.value, 12.566370614359172, 'solve');
  t.match(
    await refusalOf(solverOf('solve'), {
      equation: "x' = -x/T",
      inputs: {
        ...{ x0: { value: 60, unit: 'rpm' }, T: { value: 60, unit: 's' } },
        t_end: { value: 2, unit: 's' },
      },
    }),
    { details: { field: 'inputs.x0.unit' } },
  );
  const disk = { t_s: '4 ms', n: '15000 rpm', b: 4096, N: 1e6 };
  near(
    t,
    (await solved(compute, { operators: ['COMP_DISK_ACCESS'], inputs: disk })).verdict.value,
    0.006016384,
    'row',
  );
});

t.test('what a number of turns is taken to is a unit that reads back', async (t) => {
  for (const unit of ['rpm', 'rev', 'mm/rev', 'V/rpm', 'rpm/V', 'rev^2/s^2', '1/(rpm*kg)', 'rpm^(1/2)'])
    for (const name of ['omega', 'n', 'x'])
      t.ok(parseUnit(coherentUnit(name, unit)), `${name} in ${unit} to ${coherentUnit(name, unit)}`);
});

import t from 'tap';
import { applyInputs } from '../../src/operators/apply.ts';
import { operator } from '../../src/operators/registry.ts';
import { type ComputeInput, compute } from '../../src/solvers/compute.ts';
import { inputFromFlags } from '../../src/solvers/input/flags.ts';
import { readInput } from '../../src/solvers/input.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { convertWide } from '../../src/units/conversion.ts';
import { toDoubleDouble } from '../../src/units/fraction.ts';
import { runJob } from '../solvers/run-job.ts';
import { solved } from '../solvers/solver-test.ts';

const read = (body: unknown): ComputeInput =>
  compute.canonical!(readInput(compute.input, body).input as ComputeInput);
const run = async (body: unknown) => {
  const { verdict, presentation } = await runJob(compute, read(body));
  return { ...verdict, uncertainty: presentation.outputs.uncertainty as number };
};
const formula = (equation: string, inputs: object) => run({ equation, inputs });
const of = (value: number, unit: string) => ({ value, unit });

// Python: Fraction(value) by the factor of the SI Brochure as a Fraction (π to 50 digits), hi = float(x), lo = float(x − hi).
t.test('a conversion is the double-double nearest to the exact value', async (t) => {
  const rows: [number, string, string, number, number][] = [
    [20.01, 'degC', 'K', 293.16, -2.3447910280083305e-14],
    [180, 'deg', 'rad', Math.PI, 1.2246467991473532e-16],
    [100, 'mm', 'm', 0.1, -5.551115123125783e-18],
    [0.1, 'in', 'm', 0.00254, -1.5959455978986625e-20],
    [-40, 'degF', 'K', 233.15, -5.684341886080802e-15],
    [1e300, 'km', 'm', 1e303, 5.234299517841796e286],
    [3, 'min', 'h', 0.05, -2.7755575615628915e-18],
    [5, 'eV', 'J', 8.01088317e-19, 2.904776067254937e-35],
    [5e-324, 'km', 'm', 4.94e-321, 0],
    [7, 'm', 'm', 7, 0],
  ];
  for (const [value, from, to, hi, lo] of rows)
    t.same(convertWide(value, from, to), { hi, lo }, `${value} ${from} in ${to}`);
  t.equal(convertWide(1e308, 'km', 'm').hi, Number.POSITIVE_INFINITY);
  t.equal(convertWide(Number.NaN, 'km', 'm').lo, 0);
  t.throws(() => convertWide(1, 'm', 's'), { name: 'UnitError' });
  t.same(toDoubleDouble({ n: 6n, d: 4n }), { hi: 1.5, lo: 0 }, 'in lowest terms or not');
});

// Python: float(Fraction(20.01) - 20).
const DIFFERENCE = 0.010000000000001563;

t.test('a difference of two temperatures is that of the numbers that were sent', async (t) => {
  const celsius = { a: of(20.01, 'degC'), b: of(20, 'degC') };
  const { value, precisionActual } = await formula('a - b', celsius);
  t.equal(value, DIFFERENCE);
  t.ok(precisionActual > 1e-12 && precisionActual < 1e-11, 'what double precision would have made of it');
  t.equal((await formula('a - b', { a: of(20, 'degC'), b: of(20, 'degC') })).value, 0);
  t.equal((await formula('a - b', { a: of(100, 'degC'), b: of(212, 'degF') })).value, 0, 'one temperature');
  await t.rejects(
    formula('a - b', { a: of(20, 'degC'), b: of(293.15, 'K') }),
    { code: 'OUTSIDE_TOLERANCE' },
    '293.15 as a double is not 20 degC',
  );
  const { inputs, id } = {
    id: 'HEAT_SPHERE_CONDUCTION',
    inputs: { T_1: of(20.01, 'degC'), T_2: of(20, 'degC') },
  };
  const given = { ...registryExample(id), ...inputs };
  const kelvin = { ...registryExample(id), T_1: DIFFERENCE + 256, T_2: 256 };
  const [found, expected] = [
    await run({ operators: [id], inputs: given }),
    await run({ operators: [id], inputs: kelvin }),
  ];
  t.ok(Math.abs(found.value / expected.value - 1) < 1e-11, `${found.value} and ${expected.value}`);
});

const registryExample = (id: string): Record<string, unknown> => {
  const { inputs } = operator(id);
  const filled = inputs.map(({ symbol }): [string, unknown] => [symbol, symbol === 'r_2' ? 2 : 1]);
  return Object.fromEntries(filled);
};

t.test('180 degrees are π: sines, cosines and tangents of degrees have their zeros', async (t) => {
  const exact: [equation: string, degrees: number, value: number][] = [
    ['sin(x)', 180, 0],
    ['sin(x)', -1e9 * 180, 0],
    ['cos(x)', 90, 0],
    ['cos(x)', 1e6 * 360, 1],
    ['tan(x)', 180, 0],
    ['tan(x)', 45, 1],
    ['sin(2*x)', 90, 0],
    ['cos(x/2)', 180, 0],
    ['sin(x - pi/2)', 90, 0],
    ['cos(2*pi - 3*x)', 60, -1],
    ['3*sin(x)^2 + x/pi', 180, 1],
    ['1 + sin(x)', 180, 1],
    ['sin(x)', 30, 0.5],
    ['x/pi', 360, 2],
  ];
  for (const [equation, degrees, value] of exact)
    t.equal(
      (await formula(equation, { x: of(degrees, 'deg') })).value,
      value,
      `${equation} at ${degrees} deg`,
    );
  t.equal((await formula('sin(x + y)', { x: of(90, 'deg'), y: of(90 * 60, 'arcmin') })).value, 0);
  t.equal((await formula('cos(w*t)', { w: of(45, 'deg/s'), t: of(2, 's') })).value, 0);
  await t.rejects(formula('tan(x)', { x: of(90, 'deg') }), { code: 'NON_FINITE' });
  // mpmath, 40 digits: sin(1 deg), tan(arcsec), cos(0.1 rad + 30 deg).
  t.equal((await formula('sin(x)', { x: of(1, 'deg') })).value, 0.01745240643728351);
  t.equal((await formula('tan(x)', { x: of(1, 'arcsec') })).value, 4.848136811133344e-6);
  t.equal((await formula('cos(y + x)', { x: of(30, 'deg'), y: 0.1 })).value, 0.8117821756786865);
  const { uncertainty } = await formula('sin(x)', { x: { ...of(60, 'deg'), uncertainty: 2 } });
  const bend = Math.sqrt(3 / 2) * (1 - Math.cos(Math.PI / 90));
  t.ok(
    Math.abs(uncertainty - Math.hypot(Math.PI / 180, bend)) < 1e-15,
    'cos(60 deg) times 2 deg, and second order',
  );
});

t.test(
  'an operator has the zeros too, and where radians stand for degrees an inexact one is refused',
  async (t) => {
    for (const [id, inputs, value] of [
      ['MECH_PROJECTILE_RANGE', { v: 3, theta: of(90, 'deg'), h: 0 }, 0],
      ['POWR_THREE_PHASE_POWER', { U: 400, I: 2, phi: of(-90, 'deg') }, 0],
      ['OPTI_WAVEPLATE_CROSSED', { phi: of(45, 'deg'), Delta_n: 0.5, d: 3, lambda: 1 }, 1],
    ] as const)
      t.equal((await run({ operators: [id], inputs })).value, value, id);
    const lattice = await solved(solverOf('lattice'), {
      solver: 'compute',
      inputs: { equation: 'A*sin(x)', inputs: { A: 2 } },
      axes: [{ name: 'inputs.x', values: [0, 30, 90, 180], unit: 'deg' }],
      reduce: 'sum',
    });
    t.equal(lattice.verdict.value, 3, '2·(0 + ½ + 1 + 0)');
    await t.rejects(formula('sin(x + sqrt(y)^2 - y)', { x: of(180, 'deg'), y: 2 }), {
      code: 'OUTSIDE_TOLERANCE',
    });
  },
);

t.test('equal numbers in other units are equal, and a whole number is one', async (t) => {
  t.equal((await formula('a - b', { a: of(1500, 'mm'), b: of(1.5, 'm') })).value, 0);
  t.equal((await formula('floor(a/b)', { a: of(1, 'h'), b: of(1, 'min') })).value, 60);
  t.throws(() => applyInputs([operator('SP12')], { n: of(0.5, '1'), N: 51 }), { code: 'INVALID_INPUT' });
  t.same(applyInputs([operator('SP12')], { n: of(5000, '%'), N: 51 })[0]!.given.get('n'), of(5000, '%'));
});

t.test('the canonical request says what was sent, under the symbols', async (t) => {
  const inputs = { signal_power: { value: 10, unit: 'mW', uncertainty: 0.1 }, noise_power: '3 ± 0.5 uW' };
  t.same(read({ operators: ['SP7'], inputs }), {
    operators: ['KO42', 'SP7'],
    inputs: {
      P_signal: { value: 10, unit: 'mW', uncertainty: 0.1 },
      P_noise: { value: 3, unit: 'uW', uncertainty: 0.5 },
    },
  });
  const again = read(read({ operators: ['SP7'], inputs }));
  t.same(again, read({ operators: ['SP7'], inputs }));
  t.same(read({ equation: 'x', inputs: { x: of(2, 'km') } }).inputs, { x: of(2, 'km') });
});

t.test('an input is text as well: a number, its uncertainty, its unit', async (t) => {
  const text = await formula('s/t', { s: '36 km', t: '1 h' });
  t.equal(text.value, 10);
  t.equal((await formula('x', { x: ' −2.5e-3 ' })).value, -0.0025);
  const known = await formula('x', { x: '3 ± 0.25 km/h' });
  t.ok(Math.abs(known.uncertainty - 0.25 / 3.6) < 1e-15);
  for (const same of ['(3 ± 0.25) km/h', '3.00(25) km/h', '3 km/h ± 0.25 km/h'])
    t.equal((await formula('x', { x: same })).uncertainty, known.uncertainty, same);
  t.equal((await run({ operators: ['SP7'], inputs: { P_signal: '10 W', P_noise: '100 mW' } })).value, 20);
  for (const [given, field] of [
    ['three', 'inputs.x'],
    ['', 'inputs.x'],
    ['1,5', 'inputs.x'],
    ['1e999', 'inputs.x'],
    ['3 ± -1 m', 'inputs.x.uncertainty'],
    ['3 furlong', 'inputs.x.unit'],
    ['3 ± 5% km', 'inputs.x'],
    ['3 m ± 2 cm', 'inputs.x'],
    ['5e-324 mm', 'inputs.x'],
    ['1e-322 km/h', 'inputs.x'],
    ['-300 degC', 'inputs.x'],
  ])
    t.throws(
      () => read({ equation: 'x', inputs: { x: given } }),
      { code: 'INVALID_INPUT', details: { field } },
      given,
    );
});

t.test('a unit of no name is refused with what to write', async (t) => {
  for (const [sent, accepts] of [
    ['3 mhz', 'MHz or mHz'],
    ['3 hbar', 'J*s with 1.054571817e-34 times the number for ħ, or bar with a hundred times it'],
    ['3 furlong', 'a unit'],
    ['3 m ± 2 cm', '63.2 m ± 0.1 m or (63.2 ± 0.1) m'],
  ])
    t.throws(
      () => read({ equation: 'x', inputs: { x: sent } }),
      { code: 'INVALID_INPUT', details: { accepts } },
      sent,
    );
});

t.test('letters of a name that are given each are taken for a product that lacks its signs', async (t) => {
  for (const [equation, inputs, said] of [
    [
      'E=mc^2',
      { m: 1, c: 3e8 },
      /^inputs\.m is no input here; mc is one name here, write m\*c for the product/,
    ],
    ['F=ma', { m: '2 kg', a: 3 }, /ma is one name here, write m\*a for the product/],
    ['P = nRT/V', { n: 1, R: 8, T: 300, V: 2 }, /write n\*R\*T for the product/],
    ['E=mc^2', { m: 1 }, /^inputs\.m is no input here, the nearest is mc; accepted: mc\.$/],
  ] as const)
    t.throws(() => read({ equation, inputs }), { code: 'INVALID_INPUT', message: said }, equation);
});

t.test('a flag of the command line says the same', async (t) => {
  const flags = (x: string) => inputFromFlags(compute.input, { equation: 'x', 'inputs.x': x }).inputs;
  t.same(flags('3 km/h'), { x: { value: 3, unit: 'km/h' } });
  for (const text of ['3 ± 0.25 km/h', '3 +/- 0.25 km/h', '3±0.25km/h'])
    t.same(read({ equation: 'x', inputs: flags(text) }).inputs, {
      x: { value: 3, unit: 'km/h', uncertainty: 0.25 },
    });
});

t.test('lattice and shift have the same numbers', async (t) => {
  const lattice = await solved(solverOf('lattice'), {
    solver: 'compute',
    inputs: { equation: 'a - b', inputs: { b: of(20, 'degC') } },
    axes: [{ name: 'inputs.a', values: [20.01, 30], unit: 'degC' }],
    reduce: 'min',
  });
  t.equal(lattice.verdict.value, DIFFERENCE);
  const equation = 'a - b';
  const inputs = { a: of(20.01, 'degC'), b: of(20, 'degC') };
  for (const delta of [1, of(1, 'delta_degC'), of(1.8, 'delta_degF')]) {
    const { presentation } = await solved(solverOf('shift'), {
      solver: 'compute',
      inputs: { equation, inputs },
      shift: { 'inputs.a': delta },
    });
    const { base, shifts } = presentation.outputs as unknown as { base: number; shifts: object[] };
    t.equal(base, DIFFERENCE);
    t.same(shifts, [{ name: 'inputs.a', from: 293.16, delta: 1, to: 294.16, unit: 'K' }]);
  }
});

t.test('of an input of any unit a plain shift is in the unit that it came in', async (t) => {
  for (const [x, delta, to, unit] of [
    [of(20, 'cm'), 1, 0.21, 'm'],
    [of(0, 'deg'), 180, Math.PI, '1'],
    [of(68, 'degF'), 9, 298.15, 'K'],
    [20, 1, 21, null],
  ] as const) {
    const body = {
      solver: 'compute',
      inputs: { equation: 'x', inputs: { x } },
      shift: { 'inputs.x': delta },
    };
    const { presentation } = await solved(solverOf('shift'), body);
    const [shift] = presentation.outputs.shifts as unknown as { to: number; unit: string }[];
    t.equal(shift!.unit, unit);
    t.ok(Math.abs(shift!.to - to) < 1e-15 * to, JSON.stringify(x));
  }
});

t.test('a plain shift is in the unit of the row, whichever unit the input came in', async (t) => {
  const body = (P_signal: unknown, delta: unknown) => ({
    operators: ['SP7'],
    inputs: { P_signal, P_noise: 1 },
    shift: { P_signal: delta },
  });
  for (const [P_signal, delta] of [
    [1, 9],
    [of(1000, 'mW'), 9],
    [of(1000, 'mW'), of(9, 'W')],
    [of(1000, 'mW'), of(9000, 'mW')],
    [of(1, 'W'), of(0.009, 'kW')],
  ]) {
    const { verdict, presentation } = await solved(solverOf('shift'), body(P_signal, delta));
    t.equal(verdict.value, 10, JSON.stringify([P_signal, delta]));
    t.match(presentation.outputs.shifts, [{ from: 1, to: 10, unit: 'W' }]);
  }
});

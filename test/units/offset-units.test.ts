import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { applyInputs, type GivenInputs } from '../../src/operators/apply.ts';
import { operator, registry } from '../../src/operators/registry.ts';
import { isCoefficient, isDifference } from '../../src/operators/temperatures.ts';
import { type ComputeInput, compute } from '../../src/solvers/compute.ts';
import { readParameter } from '../../src/solvers/expressions.ts';
import { readInput } from '../../src/solvers/input.ts';
import { convert } from '../../src/units/conversion.ts';
import { repositoryRoot } from '../root.ts';
import { runJob } from '../solvers/run-job.ts';

interface Combination {
  readonly left: string;
  readonly operator: '+' | '-' | '*' | '/';
  readonly right: string;
  /** Of 100 left and 10 right, in SI units without a factor; null where Pint refuses. */
  readonly value: number | null;
}

const file = join(repositoryRoot, 'test', 'units', 'offset-arithmetic.json');
/** From Pint 0.25.3 (offset_arithmetic.py). */
const byPint: readonly Combination[] = JSON.parse(readFileSync(file, 'utf8'));
const units = [...new Set(byPint.map(({ left }) => left))];
const points = ['degC', 'degF'];
const differences = ['delta_degC', 'delta_degF'];
const neutral = ['K', 'mK'];

/** The value in SI units, or the code that it is refused with. */
async function computed(body: object): Promise<number | string> {
  try {
    const { input } = readInput(compute.input, body);
    const { verdict } = await runJob(compute, compute.canonical!(input as ComputeInput));
    return verdict.value;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const combined = (equation: string, left: string, right: string) =>
  computed({ equation, inputs: { a: { value: 100, unit: left }, b: { value: 10, unit: right } } });

/** Where Pint refuses and there is one value whichever way it is read: a point and 5 K more is a point. */
const isPointAndKelvin = ({ left, operator, right }: Combination): boolean =>
  operator === '+' &&
  ((points.includes(left) && neutral.includes(right)) || (neutral.includes(left) && points.includes(right)));
/** Where Pint has a value that means nothing: a point taken from a difference. */
const isPointFromDifference = ({ left, operator, right }: Combination): boolean =>
  operator === '-' && differences.includes(left) && points.includes(right);

t.test('256 combinations of offset units by + − × ÷ are what Pint has, or refused', async (t) => {
  t.equal(byPint.length, 256);
  for (const combination of byPint) {
    const { left, operator, right, value } = combination;
    const ours = await combined(`a ${operator} b`, left, right);
    const name = `100 ${left} ${operator} 10 ${right}`;
    if (isPointFromDifference(combination)) t.equal(ours, 'INVALID_INPUT', name);
    else if (isPointAndKelvin(combination))
      t.ok(isNear(ours, convert(100, left, 'K') + convert(10, right, 'K')), `${name} = ${ours}`);
    else if (value === null) t.equal(ours, 'INVALID_INPUT', name);
    else t.ok(isNear(ours, value), `${name} = ${ours}, Pint ${value}`);
  }
});

t.test('128 more by min and max: points with points and with kelvins, never with differences', async (t) => {
  for (const name of ['min', 'max'] as const)
    for (const left of units)
      for (const right of units) {
        const ours = await combined(`${name}(a, b)`, left, right);
        const both = [left, right];
        const isMixed =
          both.some((unit) => points.includes(unit)) && both.some((unit) => differences.includes(unit));
        const isAlike = left === right || both.every((unit) => unit !== 'm' && unit !== '1');
        const what = `${name}(100 ${left}, 10 ${right}) = ${ours}`;
        if (isMixed || !isAlike) t.equal(ours, 'INVALID_INPUT', what);
        else t.ok(isNear(ours, Math[name](inSi(100, left), inSi(10, right))), what);
      }
});

const inSi = (value: number, unit: string): number =>
  unit === 'm' || unit === '1' ? value : convert(value, unit, 'K');
const isNear = (found: number | string, value: number): boolean =>
  typeof found === 'number' && Math.abs(found - value) <= 1e-12 * Math.max(1, Math.abs(value));

t.test(
  'in a longer formula a point is refused where it is ambiguous, and the sentence names it',
  async (t) => {
    const celsius = (...values: number[]) =>
      Object.fromEntries(values.map((value, i) => [`T_${i + 1}`, { value, unit: 'degC' }]));
    t.ok(isNear(await computed({ equation: '2*(T_1 - T_2)', inputs: celsius(30, 10) }), 40));
    t.ok(isNear(await computed({ equation: 'T_1 + (T_2 - T_3)/2', inputs: celsius(20, 30, 10) }), 303.15));
    const zeros = ['0 - T_1', 'T_1 - 0', 'max(T_1, 0)', 'max(0.0, T_1)', 'min(T_1, 0)', 'min(0, T_1)'];
    for (const equation of [
      ...['2*T_1', '(T_1 + T_2)/2', 'T_1^2', '-T_1', 'abs(T_1)', 'sqrt(T_1)', '1/T_1'],
      ...zeros,
    ]) {
      const inputs = equation.includes('T_2') ? celsius(30, 10) : celsius(30);
      const { input } = readInput(compute.input, { equation, inputs });
      t.throws(() => compute.canonical!(input as ComputeInput), {
        code: 'INVALID_INPUT',
        message: /^inputs\.T_1 is a point on a scale.*accepted: a temperature in K, or a difference/,
        details: { field: 'inputs.T_1.unit' },
      });
    }
  },
);

t.test('a 0 beside a difference, or beside kelvins, is that difference or 0 K', async (t) => {
  const at = (equation: string, unit: string) => computed({ equation, inputs: { T: { value: 9, unit } } });
  for (const unit of ['K', 'delta_degC', 'delta_degF']) {
    // 9 K, 9 K and, by 5/9, 5 K.
    const kelvins = unit === 'delta_degF' ? 5 : 9;
    t.ok(isNear(await at('max(T, 0)', unit), kelvins), unit);
    t.ok(isNear(await at('min(T, 0)', unit), 0), unit);
    t.ok(isNear(await at('0 - T', unit), -kelvins), unit);
  }
  t.ok(isNear(await at('T + 0', 'degC'), 282.15), 'nothing added to 9 degC: 9 + 273.15 K');
});

t.test('a parameter of a formula in a solver is no point on a scale', async (t) => {
  for (const unit of points)
    t.throws(() => readParameter('T', { value: 20, unit }, 'parameters'), {
      code: 'INVALID_INPUT',
      details: { field: 'parameters.T' },
    });
  for (const unit of [...differences, 'K'])
    t.equal(readParameter('T', { value: 18, unit }, 'parameters').value, convert(18, unit, 'K'));
});

t.test('a difference converts to no point on a scale, nor a point to a difference', async (t) => {
  for (const point of points)
    for (const difference of differences) {
      t.throws(() => convert(1, point, difference), /a difference is no point on a scale/);
      t.throws(() => convert(1, difference, point), /a difference is no point on a scale/);
    }
  t.equal(convert(9, 'delta_degF', 'delta_degC'), 5);
  t.equal(convert(9, 'delta_degF', 'K'), 5);
  t.equal(convert(18, 'J/(kg*delta_degF)', 'J/(kg*K)'), 32.4, 'in a product it is like any other unit');
});

t.test('an operator takes no point for a difference, and no difference for a temperature', async (t) => {
  const given = (value: number, unit: string) => ({ value, unit });
  const bimetal = registry().rows.get('STRU_BIMETAL_CURVATURE')!;
  const { inputs } = bimetal.examples[0]!;
  const at = (Delta_T: object) => computed({ operators: [bimetal.id], inputs: { ...inputs, Delta_T } });
  const inKelvin = await at(given(90, 'K'));
  t.type(inKelvin, 'number');
  t.equal(await at(given(90, 'delta_degC')), inKelvin);
  t.equal(await at(given(162, 'delta_degF')), inKelvin);
  t.equal(await at(given(90, 'degC')), 'INVALID_INPUT', '90 degC would be 363.15 K');
  const noise = (T: object) => computed({ operators: ['METE_MAGNUS_WATER'], inputs: { T } });
  t.equal(await noise(given(20, 'delta_degC')), 'INVALID_INPUT');
});

t.test('every input of the registry that is a difference of temperatures refuses a point', async (t) => {
  const words = /\b(difference|rise|drop|change|excess|less|amplitude)\b/;
  const named = [...registry().rows.values()].flatMap(({ id, inputs }) =>
    inputs.filter(({ unit, meaning }) => unit === 'K' && words.test(meaning)).map((input) => ({ id, input })),
  );
  t.ok(named.length >= 12, `${named.length} of them`);
  for (const { id, input } of named) t.ok(isDifference(input), `${id} ${input.symbol}`);
});

/** By hand, from all 367 inputs in K: those that are no temperature of anything but a number of kelvins. */
const coefficients = [
  'FLUI_SUTHERLAND S',
  'KINE_ARRHENIUS_MODIFIED T_0',
  'MATE_LARSON_MILLER P_LM',
  'MATE_VFT B',
  'MATE_WLF C_2',
  'PCHE_ANTOINE B',
  'PCHE_ANTOINE C',
  'POWR_ADIABATIC_SECTION beta',
  'SEMI_VARSHNI_GAP beta',
  'SOLI_BCS_TC Theta',
  'SOLI_EINSTEIN_HEAT Theta',
  'SOLI_LOW_T_HEAT Theta',
  'SOLI_MCMILLAN_TC Theta',
];

t.test('a coefficient in K is no point on a scale, and a temperature beside it is one', async (t) => {
  const found = [...registry().rows.values()].flatMap(({ id, inputs }) =>
    inputs.filter(isCoefficient).map(({ symbol }) => `${id} ${symbol}`),
  );
  t.same(found.sort(), coefficients);
  for (const name of coefficients) {
    const [id, symbol] = name.split(' ') as [string, string];
    const { inputs } = registry().rows.get(id)!.examples[0]!;
    const given = inputs[symbol]!;
    const kelvins = Number(typeof given === 'object' ? (given as { value: unknown }).value : given);
    const at = (unit: string) =>
      computed({ operators: [id], inputs: { ...inputs, [symbol]: { value: kelvins, unit } } });
    const inKelvin = await at('K');
    t.type(inKelvin, 'number', name);
    t.equal(await at('delta_degC'), inKelvin, `${name} in delta_degC`);
    t.equal(await at('degC'), 'INVALID_INPUT', `${name} in degC`);
    t.throws(
      () =>
        applyInputs([operator(id)], { ...inputs, [symbol]: { value: kelvins, unit: 'degC' } } as GivenInputs),
      { message: /a point on a scale; accepted: a number of kelvins/ },
    );
  }
  const { inputs } = registry().rows.get('PCHE_ANTOINE')!.examples[0]!;
  const kelvins = Number(inputs.T);
  const celsius = { value: kelvins - 273.15, unit: 'degC' };
  const value = await computed({ operators: ['PCHE_ANTOINE'], inputs });
  t.type(value, 'number');
  const again = await computed({ operators: ['PCHE_ANTOINE'], inputs: { ...inputs, T: celsius } });
  t.ok(typeof again === 'number' && Math.abs(again / (value as number) - 1) < 1e-9, `${again} is ${value}`);
});

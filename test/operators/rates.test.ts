import t from 'tap';
import { printableWord } from '../../src/errors/printable.ts';
import { applyInputs, type GivenInputs } from '../../src/operators/apply.ts';
import { isOtherRate } from '../../src/operators/rates.ts';
import { operator, registry } from '../../src/operators/registry.ts';
import { convert, convertDifference } from '../../src/units/conversion.ts';

// SI Brochure, 9th edition, 2.3.4: Hz, rad/s and Bq are all 1/s, and none is to be written for another.

const perSecond = ['Hz', 'kHz', 'rpm', 'rad/s', 'deg/s', 'arcsec/yr', 'Bq', '1/s', '1/min'];
const taken: Readonly<Record<string, readonly string[]>> = {
  'rad/s': ['rad/s', 'deg/s', 'arcsec/yr', 'rpm'],
  Hz: ['Hz', 'kHz', 'rpm', '1/s', '1/min'],
  Bq: ['Bq', '1/s', '1/min'],
  '1/s': ['1/s', '1/min'],
};

t.test('a rate is taken in a unit that counts what the row counts', async (t) => {
  for (const [own, units] of Object.entries(taken))
    for (const sent of perSecond)
      t.equal(isOtherRate(own, sent), !units.includes(sent), `${sent} for ${own}`);
  for (const [own, sent] of [
    ['rad', '1'],
    ['rad/m', '1/m'],
    ['m/s', 'km/h'],
    ['V*s/rad', 'N*m/A'],
  ] as const)
    t.equal(isOtherRate(own, sent), false, `${sent} for ${own} is no rate`);
  t.equal(isOtherRate('rad/s', 'rad*Hz'), true);
  t.equal(isOtherRate('1/(s*T)', 'MHz/T'), true, '42.58 MHz/T are 2.675e8 1/(s*T)');
  t.equal(isOtherRate('1/(s*T)', 'rad/(s*T)'), false);
  t.equal(isOtherRate('J', 'N*m/rad'), false);
  t.equal(isOtherRate('m', 'mm/rev'), true);
  t.equal(isOtherRate('V*s/rad', 'V/rpm'), false);
});

/** Of every row, its inputs in 1/s, with the inputs of its worked example. */
const rates = [...registry().rows.values()].flatMap(({ id, inputs, examples, refuses }) =>
  refuses === undefined && examples.length
    ? inputs.filter(({ unit }) => unit in taken).map((input) => ({ id, input, example: examples[0]!.inputs }))
    : [],
);

t.test('no row takes cycles for angles, angles for cycles, or either for a rate', async (t) => {
  t.ok(rates.length > 300, `${rates.length} inputs`);
  for (const { id, input, example } of rates) {
    const names = [input.symbol, ...input.aliases];
    const others = Object.fromEntries(Object.entries(example).filter(([name]) => !names.includes(name)));
    const named = Object.entries(example).find(([name]) => names.includes(name))?.[1];
    const number = typeof named === 'object' ? named.value : (named ?? Number(input.value));
    for (const name of names)
      for (const unit of perSecond) {
        const given = { ...others, [name]: { value: number, unit } } as GivenInputs;
        const refusal = refusalOf(() => applyInputs([operator(id)], given));
        const isTaken = taken[input.unit]!.includes(unit);
        const isItsUnit = refusal?.details.field === `inputs.${printableWord(name)}.unit`;
        if (isItsUnit === isTaken) t.fail(`${id}: ${name} in ${unit}, which is ${input.unit}`);
      }
  }
});

function refusalOf(work: () => unknown): { details: { field?: unknown } } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as { details: { field?: unknown } };
  }
}

t.test('what is refused says what is taken', async (t) => {
  const at = (id: string, inputs: GivenInputs) => () => applyInputs([operator(id)], inputs);
  t.throws(at('ECHO5', { A: 1, t: 1, tau: 1, omega: { value: 10, unit: 'Hz' } }), {
    code: 'INVALID_INPUT',
    message: /^inputs\.omega\.unit is "Hz", where rad\/s belongs; accepted: rad\/s, deg\/s/,
    details: { field: 'inputs.omega.unit' },
  });
  t.throws(at('SP14', { f: { value: 10, unit: 'rad/s' }, f_c: 1 }), {
    message: /^inputs\.f\.unit is "rad\/s", where Hz belongs; accepted: Hz, rpm or 1\/s/,
  });
});

// NIST SP 811, B.8: rpm to rad/s 1.047 198 E−01, revolution to rad 6.283 185; the digits by Python fractions with π to 50 digits.
t.test('a turn is 2π rad and a cycle, as the other unit says', async (t) => {
  for (const [value, from, to, expected] of [
    [1, 'rpm', 'rad/s', 0.10471975511965978],
    [3000, 'r/min', 'rad/s', 314.1592653589793],
    [1, 'rev', 'rad', 6.283185307179586],
    [0.25, 'turns', 'deg', 90],
    [1, 'rev/s', 'deg/s', 360],
    [1, 'rps', 'rpm', 60],
    [1, 'rpm/s', 'rad/s^2', 0.10471975511965978],
    [3000, 'rpm', 'Hz', 50],
    [30, 'rad/s', 'rpm', 286.4788975654116],
    [1, 'V/rpm', 'V*s/rad', 9.54929658551372],
    [3, 'N*m/rev', 'N*m/rad', 0.477464829275686],
    [2, 'rev^2/s^2', 'rad^2/s^2', 78.95683520871486],
    [50, 'Hz', 'rpm', 3000],
  ] as const)
    t.equal(convert(value, from, to), expected, `${value} ${from} in ${to}`);
  t.equal(convertDifference(1, 'rpm', 'rad/s'), 0.10471975511965978);
  for (const [from, to] of [
    ['rpm', '1/s'],
    ['1/min', 'rpm'],
    ['rev', '1'],
    ['mm/rev', 'm'],
    ['rpm', 'Bq'],
  ] as const)
    t.throws(() => convert(1, from, to), { name: 'UnitError' }, `${from} to ${to}`);
});

t.test('Hz, rad/s and Bq do not convert into one another, in no product either', async (t) => {
  for (const [from, to] of [
    ['Hz', 'rad/s'],
    ['rad/s', 'Hz'],
    ['deg/s', 'kHz'],
    ['Bq', 'Hz'],
    ['MBq', 'rad/s'],
    ['Hz/T', 'rad/(s*T)'],
    ['J/Hz', 'J*s/rad'],
  ] as const)
    t.throws(
      () => convert(1, from, to),
      { name: 'UnitError', message: /cycles.*angles.*decays/ },
      `${from} to ${to}`,
    );
  t.equal(convert(3, 'kHz', '1/s'), 3000);
  t.equal(convert(90, '1/min', 'Hz'), 1.5);
  t.equal(convert(1, 'rad^2/Hz', 'rad^2*s'), 1, 'both are squares of angles');
  t.equal(convert(1, 'W/Hz', 'W*s'), 1);
  t.equal(convert(720, 'deg/s', 'deg/min'), 43200);
});

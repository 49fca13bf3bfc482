import t from 'tap';
import { convert } from '../../src/units/conversion.ts';
import { sameUnit } from '../../src/units/unit.ts';

t.test('a power at the end of a parenthesis leaves the parenthesis to be closed', async (t) => {
  for (const text of ['m^3/(kg s^2)', 'm^3/(kg*s^2)', '(m^3)/(kg s^(2))', 'm^3 / ( kg s^2 )'])
    t.ok(sameUnit(text, 'm^3 kg^-1 s^-2'), text);
  t.ok(sameUnit('yr^(-1/2)', 'yr^-1/2'));
});

t.test("Gauss's constant in au, days and solar masses is G in SI units", async (t) => {
  const G = convert(2.95912208286e-4, 'au^3/(M_sun*d^2)', 'm^3/(kg s^2)');
  t.ok(Math.abs(G / 6.6743e-11 - 1) < 1e-4, `CODATA 2022 gives 6.67430e-11, not ${G}`);
});

t.test('a parenthesis that is not closed is refused', async (t) => {
  for (const text of ['m/(s^2', 'm/s^(2', 'm/s^2)'])
    t.throws(() => sameUnit(text, 'm'), { name: 'UnitError' });
});

import { readFileSync } from 'node:fs';
import t from 'tap';
import { constants, edition } from '../../src/units/constants.ts';
import { isUnit } from '../../src/units/unit.ts';

// Reference: SciPy 1.17.1, which reads NIST's table of CODATA 2022 (codata.py).
const published = JSON.parse(
  readFileSync(new URL('../../../test/units/codata.json', import.meta.url), 'utf8'),
) as Record<string, [value: number, unit: string, uncertainty: number]>;

t.test(`constants are those of ${edition}`, async (t) => {
  for (const { key, name, value, uncertainty, unit } of constants.values()) {
    const [expected, , standard] = published[name]!;
    const allowed = value.length > 15 && uncertainty === '0' ? 2e-15 * Math.abs(expected!) : 0; // SciPy multiplies these in double
    t.ok(Math.abs(Number(value) - expected!) <= allowed, key);
    t.equal(Number(uncertainty), standard, `${key}: standard uncertainty`);
    t.ok(isUnit(unit), unit);
  }
  t.same([...constants.values()].map(({ name }) => name).sort(), Object.keys(published).sort());
});

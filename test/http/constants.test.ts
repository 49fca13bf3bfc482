import t from 'tap';
import { sameDimension } from '../../src/units/dimension.ts';
import { parseUnit } from '../../src/units/unit.ts';
import { testApp } from './test-app.ts';

t.test('physical constants over HTTP', async (t) => {
  const api = await testApp(t);
  const noKey = { authorization: '' };

  t.test('all 355 of CODATA 2022 are listed, without a key (CMP-16)', async (t) => {
    const { status, body } = await api.get('/api/constants', noKey);
    t.equal(status, 200);
    t.equal(body.edition, 'CODATA 2022');
    t.same([body.total, body.constants.length], [355, 355], 'as many as the table of NIST has');
    t.same(new Set(body.constants.map(({ key }: { key: string }) => key)).size, 355);
  });

  // E. Tiesinga et al., CODATA recommended values 2022; https://physics.nist.gov/constants
  const published = [
    ['h', 6.62607015e-34, 'J/Hz', '0', true],
    ['c', 299792458, 'm/s', '0', true],
    ['m_e', 9.1093837139e-31, 'kg', '0.0000000028e-31', false],
    ['G', 6.6743e-11, 'm^3/(kg*s^2)', '0.00015e-11', false],
  ] as const;
  t.test('one is answered by its key with value, uncertainty, unit and exactness (CMP-16)', async (t) => {
    for (const [key, value, unit, uncertainty, exact] of published) {
      const { body } = await api.get(`/api/constants/${key}`, noKey);
      t.match(body, { key, value, uncertainty, exact, edition: 'CODATA 2022' }, key);
      t.ok(sameDimension(parseUnit(body.unit).dimension, parseUnit(unit).dimension), unit);
      t.equal(Number(body.numeral), value);
    }
  });

  t.test('a key that is not there is 404 and names the nearest', async (t) => {
    t.match(await api.get('/api/constants/m_ee', noKey), {
      status: 404,
      body: { error: { code: 'NOT_FOUND', nearest: 'm_e' } },
    });
    for (const key of ['__proto__', 'toString', 'x'.repeat(90), '%00'])
      t.equal((await api.get(`/api/constants/${key}`, noKey)).body.error.code, 'NOT_FOUND', key);
  });
});

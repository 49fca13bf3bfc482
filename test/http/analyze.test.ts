import t from 'tap';
import { testApp } from './test-app.ts';

t.test('POST /api/analyze', async (t) => {
  const api = await testApp(t);
  const ask = (equation: unknown, inputs?: unknown) =>
    api.post(
      '/api/analyze',
      { equation, ...(inputs === undefined ? {} : { inputs }) },
      { authorization: '' },
    );

  t.test('plain text and LaTeX are understood alike (OPEN-29)', async (t) => {
    const plain = (await ask('x = A*exp(-t/tau)*cos(omega*t)')).body;
    const latex = (await ask('x(t) = A\\,e^{-t/\\tau}\\cos(\\omega t)')).body;
    t.match(plain, { syntax: 'plain', result: 'x', expression: 'A*exp(-t/tau)*cos(omega*t)' });
    t.match(latex, { syntax: 'latex', result: 'x', expression: 'A*exp(-(t/tau))*cos(omega*t)' });
    t.same(latex.inputs, plain.inputs);
    t.match(latex.constants, [{ key: 'e', because: 'e is raised to a power' }], 'HON-07');
    for (const { operators } of [plain, latex]) t.equal(operators[0].id, 'ECHO5', 'what it is stands first');
  });

  t.test('letters are asked for; a constant is bound by what stands beside it, and says why', async (t) => {
    const { body } = await ask('E = h*nu + m*c^2');
    t.same(
      body.inputs.map(({ symbol }: { symbol: string }) => symbol),
      ['nu', 'm', 'c'],
    );
    t.match(body.constants, [{ key: 'h', value: 6.62607015e-34, exact: true, because: /frequency/ }]);
    t.same((await ask('m*g*h')).body.constants, [], 'HON-08');
  });

  t.test('the unit follows from those given, or names what withholds it (HON-05, OPEN-43)', async (t) => {
    const units = { nu: 'THz', m: { value: 2, unit: 'g' }, c: 'km/h' };
    t.match((await ask('h*nu + m*c^2', units)).body, { unit: 'J', unitUnknown: [] });
    t.match((await ask('h*nu + m*c^2', { nu: 'Hz' })).body, { unit: null, unitUnknown: ['m', 'c'] });
  });

  t.test('a formula is found under other letters, each with its own', async (t) => {
    const { body } = await ask('10*log10(a/b)');
    const snr = body.operators.find(({ id }: { id: string }) => id === 'SP7');
    t.same(snr.letters, { a: 'P_signal', b: 'P_noise' });
    const other = (await ask('10*log10(a*b)')).body.operators;
    t.notOk(
      other.some(({ id }: { id: string }) => id === 'SP7'),
      'and another formula is not',
    );
  });

  t.test('a letter that is Planck’s constant is no letter of another formula', async (t) => {
    t.same((await ask('h*f')).body.operators, [], 'no voltage is R·I here');
    const { operators } = (await ask('h*nu - phi')).body;
    t.same(
      operators.map(({ id }: { id: string }) => id),
      ['QM_PHOTOELECTRIC'],
      'and no other a*b - c',
    );
  });

  t.test('operators near by are named where the formula is none of them', async (t) => {
    const { body } = await ask('P_signal - 2*P_noise');
    t.ok(body.near.some(({ id }: { id: string }) => id === 'SP7'));
  });

  t.test('what is no single number is refused by its kind (HON-10 to HON-13)', async (t) => {
    const cases: [string, number, string][] = [
      ['f_s \\geq 2 f_{max}', 422, 'NON_SCALAR_RESULT'],
      ['\\lim_{x \\to 0} x', 422, 'NON_SCALAR_RESULT'],
      ['H(s) = \\frac{1}{s + 1}', 422, 'NON_SCALAR_RESULT'],
      ['\\begin{pmatrix} a & b \\end{pmatrix}', 422, 'NON_SCALAR_RESULT'],
      ['\\int x dx', 400, 'UNSUPPORTED'],
      ['x +', 400, 'INVALID_INPUT'],
      ['', 400, 'INVALID_INPUT'],
    ];
    for (const [equation, status, code] of cases)
      t.match(await ask(equation), { status, body: { error: { code } } }, equation);
  });

  t.test('units that do not fit, or of a letter that is not there, are refused with the field', async (t) => {
    t.match(await ask('a + b', { a: 'm', b: 's' }), {
      status: 400,
      body: { error: { message: /one dimension/ } },
    });
    t.match(await ask('alpha + b', { alhpa: 'm' }), {
      status: 400,
      body: { error: { field: 'inputs.alhpa' } },
    });
    t.match(await ask('a + b', { a: 'furlongs' }), { status: 400, body: { error: { field: 'inputs.a' } } });
    for (const inputs of [[], { a: null }, { a: { unit: 7 } }, 'm'])
      t.equal((await ask('a', inputs)).status, 400, JSON.stringify(inputs));
  });
});

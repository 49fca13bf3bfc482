import { createHash } from 'node:crypto';
import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import { canonicalText } from '../../src/proof/canonical.ts';
import { readCheckpoint } from '../../src/proof/checkpoint.ts';
import { isSignedBy, readNote, readVkey } from '../../src/proof/note.ts';
import { books, testApp } from './test-app.ts';

t.test('POST /api/attest', async (t) => {
  const api = await testApp(t);
  const noKey = { authorization: '' };
  const ask = (body: unknown) => api.post('/api/attest', body, noKey);
  const { vkey } = (await api.get('/api/identity', noKey)).body;
  const snr = { operators: 'SP7', inputs: { P_signal: { value: 10, unit: 'W' }, P_noise: 0.1 } };
  // E = hν with the h of the SI (2019), 500 THz: 3.313035075e-19 J; in eV by the e of the SI 2.0678338…
  const photon = { equation: 'E = h\\nu', inputs: { nu: { value: 500, unit: 'THz' } } };
  const joule = 3.313035075e-19;
  const electronvolt = joule / 1.602176634e-19;

  t.test('a claim within 0.1 % holds, and one beyond it fails (CMP-15)', async (t) => {
    const cases: [object, number, string, string][] = [
      [snr, 20, 'dB', 'holds'],
      [snr, 20.0199, 'dB', 'holds'],
      [snr, 20.0201, 'dB', 'fails'],
      [snr, -20, 'dB', 'fails'],
      [photon, joule, 'J', 'holds'],
      [photon, joule * 1000, 'mJ', 'holds'],
      [photon, joule, 'mJ', 'fails'],
      [photon, electronvolt * 1.0009, 'eV', 'holds'],
      [photon, electronvolt * 1.0011, 'eV', 'fails'],
    ];
    for (const [request, value, unit, verdict] of cases) {
      const { status, body } = await ask({ ...request, claim: { value, unit } });
      t.equal(status, 200, JSON.stringify(body));
      t.match(body, { verdict, claimed: { value, unit }, bound: 0.001 }, `${value} ${unit}`);
      t.ok(body.precision < 1e-15 && body.computed.uncertainty >= 0);
    }
    const { body } = await ask({ ...photon, claim: { value: 2, unit: 'eV' } });
    t.ok(Math.abs(body.computed.value / joule - 1) < 1e-15);
    t.ok(Math.abs(body.computed.inClaimUnit / electronvolt - 1) < 1e-15);
    t.ok(Math.abs(body.error - (electronvolt - 2) / electronvolt) < 1e-15);
  });

  t.test('a point on a scale is no difference, and a difference no temperature', async (t) => {
    const degrees = { x: { value: 30, unit: 'degC' }, y: { value: 20, unit: 'degC' } };
    const difference = { equation: 'x - y', inputs: degrees };
    const point = { equation: 'x', inputs: { x: degrees.x } };
    const lmtd = { operators: 'HEAT_LMTD', inputs: registry().rows.get('HEAT_LMTD')!.examples[0]!.inputs };
    for (const [request, unit] of [
      [difference, 'degC'],
      [point, 'delta_degC'],
      [lmtd, 'degF'],
    ] as const) {
      const { status, body } = await ask({ ...request, claim: { value: 10, unit } });
      t.match([status, body.error?.field], [400, 'claim.unit'], unit);
    }
    t.match((await ask({ ...difference, claim: { value: 10, unit: 'delta_degC' } })).body, {
      verdict: 'holds',
    });
    t.match((await ask({ ...point, claim: { value: 86, unit: 'degF' } })).body, { verdict: 'holds' });
  });

  t.test('a smaller tolerance is held, a larger one refused', async (t) => {
    const claim = { value: joule * (1 + 1e-8), unit: 'J' };
    t.match((await ask({ ...photon, claim, tolerance: 1e-7 })).body, { verdict: 'holds', bound: 1e-7 });
    t.match((await ask({ ...photon, claim, tolerance: 1e-9 })).body, { verdict: 'fails' });
    for (const tolerance of [0.01, 0, -1, 1e-15])
      t.equal((await ask({ ...photon, claim, tolerance })).status, 400, String(tolerance));
  });

  t.test('the verdict is signed by the node, and its key opens it', async (t) => {
    const { body } = await ask({ ...snr, claim: { value: 20, unit: 'dB' } });
    const note = readNote(body.note);
    t.ok(isSignedBy(note, readVkey(vkey)));
    t.equal(note.text, `svc-attest-1\n${body.statement}\n`);
    const statement = JSON.parse(body.statement);
    t.equal(canonicalText(statement), body.statement, 'canonical');
    t.match(statement, { verdict: 'holds', node: api.node.name, request: { operators: ['KO42', 'SP7'] } });
    t.equal(
      createHash('sha256').update(canonicalText(statement.request)).digest('hex'),
      statement.requestHash,
    );
    t.equal(statement.kernel, api.node.catalogue.digest('expression'));

    const forged = body.note.replace('"verdict":"holds"', '"verdict":"fails"');
    t.notOk(isSignedBy(readNote(forged), readVkey(vkey)), 'a changed verdict is not signed');
    t.throws(() => readCheckpoint(body.note), 'and no statement reads as the head of a log');
  });

  t.test('a claim about an operator without closed form is judged by its integral (HON-14)', async (t) => {
    // The value of the row's example is SciPy's.
    const { inputs, value, unit } = registry().rows.get('ODE_PENDULUM_DAMPED')!.examples[0]!;
    const pendulum = { operators: 'ODE_PENDULUM_DAMPED', inputs };
    for (const [factor, verdict] of [
      [1, 'holds'],
      [1.0009, 'holds'],
      [1.0011, 'fails'],
      [-1, 'fails'],
    ] as const) {
      const { status, body } = await ask({ ...pendulum, claim: { value: factor * value, unit } });
      t.equal(status, 200, JSON.stringify(body));
      t.match(body, { verdict, fallback: /^NUMERICAL FALLBACK: / }, String(factor));
      const statement = JSON.parse(body.statement);
      t.match(statement, { verdict, fallback: body.fallback });
      t.equal(statement.kernel, api.node.catalogue.digest('solve-system.verdict'));
    }
    const { body } = await ask({ ...snr, claim: { value: 20, unit: 'dB' } });
    t.notOk('fallback' in body, 'a closed form is not integrated');
  });

  t.test('nothing is charged, minted or logged', async (t) => {
    const before = await books(api);
    await ask({ ...snr, claim: { value: 20, unit: 'dB' } });
    await ask({ ...snr, claim: { value: 7, unit: 'dB' } });
    t.same(await books(api), before);
  });

  t.test('a value of 0 is claimed by 0 alone', async (t) => {
    const zero = { equation: 'a - b', inputs: { a: { value: 1, unit: 'm' }, b: { value: 1, unit: 'm' } } };
    t.match((await ask({ ...zero, claim: { value: 0, unit: 'm' } })).body, { verdict: 'holds', error: 0 });
    t.match((await ask({ ...zero, claim: { value: 1e-300, unit: 'm' } })).body, {
      verdict: 'fails',
      error: null,
    });
  });

  t.test('what is no claim about one closed form is refused', async (t) => {
    const claim = { value: 20, unit: 'dB' };
    const many = Array.from({ length: 199 }, (_, i) => `sin(a${i})`).join('+');
    const uncertain = Object.fromEntries(
      Array.from({ length: 199 }, (_, i) => [`a${i}`, { value: 1, unit: '1', uncertainty: 0.1 }]),
    );
    const cases: [object, number, string][] = [
      [{ ...snr }, 400, 'INVALID_INPUT'],
      [{ ...snr, claim: { value: 20 } }, 400, 'INVALID_INPUT'],
      [{ ...snr, claim: { value: 20, unit: 'm' } }, 400, 'INVALID_INPUT'],
      [{ ...snr, claim: { value: 20, unit: '?' } }, 400, 'INVALID_INPUT'],
      [{ ...snr, operators: ['SP7', 'ECHO5'], claim }, 400, 'INVALID_INPUT'],
      [{ ...snr, operators: 'SP77', claim }, 400, 'UNKNOWN_OPERATOR'],
      [{ ...snr, inputs: { P_signal: 1 }, claim }, 400, 'MISSING_INPUT'],
      [{ operators: 'SP10', inputs: {}, claim }, 422, 'NON_SCALAR_RESULT'],
      [{ equation: 'x < 3', inputs: {}, claim }, 422, 'NON_SCALAR_RESULT'],
      [{ equation: 'a*b', inputs: { a: 1, b: 2 }, claim }, 400, 'INVALID_INPUT'],
      [
        {
          equation: '(1 - cos(x))/x^2',
          inputs: { x: { value: 1e-9, unit: '1' } },
          claim: { value: 0.5, unit: '1' },
        },
        422,
        'OUTSIDE_TOLERANCE',
      ],
      [
        {
          equation: '(1 - cos(x))/x^2',
          inputs: { x: { value: 1e-4, unit: '1' } },
          claim: { value: 0.5, unit: '1' },
          tolerance: 1e-9,
        },
        422,
        'OUTSIDE_TOLERANCE',
      ],
      [
        { equation: '1/(a - a)', inputs: { a: { value: 1, unit: '1' } }, claim: { value: 0, unit: '1' } },
        422,
        'NON_FINITE',
      ],
      [{ equation: many, inputs: uncertain, claim: { value: 1, unit: '1' } }, 400, 'LIMIT_EXCEEDED'],
      [{ inputs: {}, claim }, 400, 'INVALID_INPUT'],
    ];
    for (const [body, status, code] of cases) {
      const answer = await ask(body);
      t.match(
        { status: answer.status, code: answer.body.error?.code },
        { status, code },
        JSON.stringify(body).slice(0, 100) + (answer.body.error?.message ?? ''),
      );
    }
  });
});

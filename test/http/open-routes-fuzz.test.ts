import fc from 'fast-check';
import t from 'tap';
import { catalogue } from '../../src/errors/catalogue.ts';
import { oscillator } from '../spine/test-node.ts';
import { books, type Reply, seeded, testApp } from './test-app.ts';

const RUNS = 250;
const api = await testApp(t);
const sealed = (await api.post('/api/svc/solve', oscillator)).body;

/** A good body of every open POST route. */
const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  '/api/svc/operator-spec': { operators: ['SP7', 'ECHO5'] },
  '/api/svc/lib-search': { query: 'signal km/h', category: 'signal_processing', limit: 3 },
  '/api/analyze': {
    equation: 'E = \\frac{hc}{\\lambda} + m c^{2}',
    inputs: { m: 'kg', c: { value: 1, unit: 'm/s' } },
  },
  '/api/attest': {
    operators: 'SP7',
    inputs: { P_signal: { value: 10, unit: 'W', uncertainty: 0.1 }, P_noise: 1 },
    claim: { value: 10, unit: 'dB' },
    tolerance: 1e-4,
  },
  '/api/svc/reverify': sealed,
};

const hostile = fc.oneof(
  fc.constantFrom(0, -1, 1e308, -1e308, 5e-324, 2 ** 53, null, true, '', [], {}, [[]], '__proto__', '\ud800'),
  fc.constantFrom(
    'km/h',
    '1/0',
    'x^x^x',
    '\\frac',
    '{',
    '\u0085',
    '\\',
    '9^16^16',
    '((',
    'a=b=c',
    '1e308*1e308',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

type Json = Record<string, unknown>;

function* placesIn(value: object): Generator<{ holder: Json; key: string }> {
  for (const [key, inner] of Object.entries(value)) {
    yield { holder: value as Json, key };
    if (typeof inner === 'object' && inner !== null) yield* placesIn(inner);
  }
}

/** The body with a value at one place exchanged, or with a member more. */
function changed(body: Json, at: number, value: unknown, name: string | undefined): Json {
  const copy = structuredClone(body);
  const places = [...placesIn(copy)];
  const { holder, key } = places[at % places.length]!;
  const entry = { value, enumerable: true, writable: true, configurable: true };
  Object.defineProperty(holder, name === undefined || Array.isArray(holder) ? key : name, entry);
  return copy;
}

function fault({ status, body }: Reply): string | undefined {
  if (status === 200) return undefined;
  const known = catalogue[body?.error?.code as keyof typeof catalogue];
  if (status >= 500 || known?.status !== status) return `${status}: ${JSON.stringify(body)}`;
  return undefined;
}

for (const [path, body] of Object.entries(bodies)) {
  t.test(`${path} answers anything with a result or a typed refusal, and moves nothing`, async (t) => {
    t.equal((await api.post(path, body, { authorization: '' })).status, 200, 'as it stands it is taken');
    const before = await books(api);
    const names = fc.option(fc.oneof(fc.constantFrom('__proto__', 'toString', 'e', 'unit'), fc.string()), {
      nil: undefined,
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(), hostile, names, async (at, value, name) => {
        const found = fault(await api.post(path, changed(body, at, value, name), { authorization: '' }));
        if (found !== undefined) throw new Error(found);
      }),
      { ...seeded, numRuns: path.endsWith('reverify') ? RUNS / 10 : RUNS, interruptAfterTimeLimit: 20_000 },
    );
    t.same(await books(api), before);
  });
}

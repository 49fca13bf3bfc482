import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { catalogue } from '../../src/errors/catalogue.ts';
import { solvers } from '../../src/solvers/registry.ts';
import { plainSentence } from '../plain-sentence.ts';
import { repositoryRoot } from '../root.ts';
import { accountOn, books, type Reply, seeded, type TestApp, testApp } from './test-app.ts';

/** Enough for every small run and for no long one, which is then refused with 402 before it starts. */
const MEANS = 20_000_000n;
const RUNS = 120;
const MS_PER_SOLVER = 500;

/** Values that no field expects, and numbers at the ends of every range. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(0, -0, -1, 1e-320, 1e308, -1e308, 2 ** 53, 1e9, 1e12, 0.1, 1e-12),
  fc.constantFrom(
    null,
    true,
    '',
    '0',
    'NaN',
    'Infinity',
    '1e309',
    '\u0000',
    '\ud800',
    '\u202e',
    '‮"; DROP',
    '../../etc',
  ),
  fc.constantFrom([], {}, [[]], { $blob: 'sha256:' }, { value: 1 }, { unit: 'm' }, { value: 1, unit: '^' }),
  fc.constantFrom(
    { value: 1e308, unit: 'ly' },
    { value: 1, unit: 'furlong' },
    { constructor: { prototype: 1 } },
  ),
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc.double(),
  fc.jsonValue({ maxDepth: 4 }),
);

type Json = Record<string, unknown>;

/** One to three changes at random places of an example: a value replaced, a field removed, a field added. */
function mutated(example: Json): fc.Arbitrary<Json> {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'remove', 'add'),
    value: hostile,
    name: fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'dt', 'value', ''), fc.string()),
  });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const body = structuredClone(example);
    for (const { at, how, value, name } of changes) {
      const places = [...placesIn(body)];
      const { holder, key } = places[at % places.length] ?? { holder: body, key: name };
      if (how === 'remove') delete holder[key];
      else define(holder, how === 'add' && !Array.isArray(holder) ? name : key, structuredClone(value));
    }
    return body;
  });
}

const define = (holder: Json, key: string, value: unknown) =>
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });

function* placesIn(value: object): Generator<{ holder: Json; key: string }> {
  for (const [key, inner] of Object.entries(value)) {
    yield { holder: value as Json, key };
    if (typeof inner === 'object' && inner !== null) yield* placesIn(inner);
  }
}

/** What may come back for a body of any kind: a sealed answer, or a refusal with a code of the catalogue. */
function fault({ status, body, headers }: Reply): string | undefined {
  if (status >= 500) return `${status}: ${JSON.stringify(body)}`;
  if (status === 200)
    return body.envelope || body.inputError ? undefined : 'a value without envelope or inputError';
  if (status === 202) return undefined;
  const { code, message, request_id } = body?.error ?? {};
  if (!Object.hasOwn(catalogue, code)) return `no code of the catalogue: ${JSON.stringify(body)}`;
  if (catalogue[code as keyof typeof catalogue].status !== status) return `${code} with status ${status}`;
  if (!plainSentence.test(message)) return `no plain sentence: ${JSON.stringify(message)}`;
  return request_id === headers['x-request-id'] ? undefined : 'another request id';
}

async function topUp({ node, zid }: TestApp): Promise<void> {
  const { free } = await node.accounts.means(zid);
  if (free < MEANS) await node.accounts.grant(zid, MEANS - free);
}

/** Posts a body; a refusal must have moved nothing. */
async function posted(api: TestApp, url: string, body: unknown): Promise<string | undefined> {
  await topUp(api);
  const before = await books(api);
  const reply = await api.post(url, body);
  const after = await books(api);
  const isSealed = reply.status === 200 && reply.body.envelope;
  const moved = !isSealed && JSON.stringify(before, bigints) !== JSON.stringify(after, bigints);
  return fault(reply) ?? (moved ? 'a refusal moved the books' : undefined);
}

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

interface Hostile {
  readonly title: string;
  readonly solver: string;
  readonly body?: unknown;
  /** Text that is no JSON, or that JSON.stringify cannot say. */
  readonly text?: string;
  /** The code that it must be refused with. */
  readonly code?: string;
}

const corpus: readonly Hostile[] = JSON.parse(
  readFileSync(join(repositoryRoot, 'test', 'http', 'hostile-bodies.json'), 'utf8'),
);

const node = await testApp(t);

t.test('bodies that once did harm, or might, are refused in words and move nothing', async (t) => {
  const api = await accountOn(node, MEANS);
  for (const { title, solver, body, text, code } of corpus) {
    const url = `/api/svc/${solver}`;
    t.equal(await posted(api, url, text ?? body), undefined, title);
    if (code === undefined) continue;
    const reply = await api.post(url, text ?? body);
    t.equal(reply.body.error?.code ?? reply.body.inputError?.code, code, `${title}: ${code}`);
  }
});

t.test('a body nested a hundred thousand times deep is refused', async (t) => {
  const api = await accountOn(node, MEANS);
  const depth = 100_000;
  const nested = [
    `${'['.repeat(depth)}${']'.repeat(depth)}`,
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  ];
  for (const text of nested)
    for (const body of [text, `{"inputs":${text}}`])
      t.equal(await posted(api, '/api/svc/solve', body), undefined);
});

for (const { id, examples } of solvers) {
  t.test(`${id} answers anything with a result or a typed refusal`, async (t) => {
    const api = await accountOn(node, MEANS);
    const bodies = fc.oneof(
      { weight: 1, arbitrary: fc.jsonValue() },
      { weight: 6, arbitrary: fc.oneof(...examples.map(({ body }) => mutated(body))) },
    );
    let last: Promise<unknown> = Promise.resolve();
    const property = fc.asyncProperty(bodies, fc.boolean(), async (body, asksPrice) => {
      const asked = posted(api, `/api/svc/${id}${asksPrice ? '/quote' : ''}`, JSON.stringify(body));
      last = asked;
      const found = await asked;
      const isQuote = asksPrice && found === 'a value without envelope or inputError';
      return found === undefined || isQuote || Promise.reject(new Error(found));
    });
    const budget = { ...seeded, numRuns: RUNS, interruptAfterTimeLimit: MS_PER_SOLVER };
    const { counterexample, seed, errorInstance } = await fc.check(property, budget);
    await last; // time that is up does not wait for it, and it moves the books of the next solver's
    t.equal(counterexample, null, `${errorInstance} (seed ${seed}): ${JSON.stringify(counterexample)}`);
  });
}

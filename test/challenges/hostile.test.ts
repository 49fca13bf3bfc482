import fc from 'fast-check';
import t from 'tap';
import { catalogue } from '../../src/errors/catalogue.ts';
import { books, seeded } from '../http/test-app.ts';
import { court, slander } from './challenged.ts';

const api = await court(t);
const { stranger } = api;
const sealed = await api.seal(undefined);
const { envelope } = sealed.answer;
const { run, claim } = slander(sealed, 0, 7);
const body = { envelope, run, ...claim };
const path = '/api/svc/challenges';

t.test('what is no claim about a sealed run is refused in words, and holds no stake', async (t) => {
  const before = await api.node.accounts.means(stranger.zid);
  const { root, resultHash, work, segments } = sealed.runs[0]!;
  const cases: [change: object, status: number, code: string, message: RegExp][] = [
    [{ root: 'g'.repeat(64) }, 400, 'INVALID_INPUT', /\broot\b/],
    [{ root: undefined }, 400, 'INVALID_INPUT', /\broot\b/],
    [{ work: '-1' }, 400, 'INVALID_INPUT', /\bwork\b/],
    [{ work: '01' }, 400, 'INVALID_INPUT', /\bwork\b/],
    [{ run: -1 }, 400, 'INVALID_INPUT', /run/],
    [{ run: 99 }, 404, 'NOT_FOUND', /no run 99: this job has 4/],
    [{ segments: segments + 2 }, 400, 'INVALID_INPUT', /segments is/],
    [{ root, resultHash, work, segments }, 400, 'INVALID_INPUT', /says what was sealed/],
    [{ envelope: {} }, 404, 'NOT_FOUND', /no result with this envelope/],
    [{ envelope: 'text' }, 400, 'INVALID_INPUT', /envelope/],
    [{ envelope: { ...envelope, value: 1 } }, 404, 'NOT_FOUND', /no result with this envelope/],
    [{ envelope: { ...envelope, more: 1 } }, 404, 'NOT_FOUND', /no result/],
    [{ envelope: { ...envelope, token_id: null } }, 404, 'NOT_FOUND', /no result/],
    [{ envelope: { ...envelope, token_id: '\ud800' } }, 404, 'NOT_FOUND', /no result/],
    [{ envelope: { ...envelope, unit: '\ud800' } }, 404, 'NOT_FOUND', /no result/],
    [{ envelope: { ...envelope, operators: [[['KO42']]] } }, 404, 'NOT_FOUND', /no result/],
  ];
  for (const [change, status, code, message] of cases) {
    const reply = await stranger.post(path, { ...body, ...change });
    t.match(reply, { status, body: { error: { code, message } } }, JSON.stringify(change).slice(0, 80));
  }
  t.match(await api.get(`${path}/chl_%1b[31m`), { status: 404 });
  t.match(await api.get(`/api/svc/revocations?since=-1`), { status: 400 });
  t.match(await stranger.post(`${path}/chl_0/children`, { from: 0, count: 1, left: root, right: root }), {
    status: 404,
  });
  t.same(await api.node.accounts.means(stranger.zid), before);
});

t.test('a challenge takes a key and a stake', async (t) => {
  t.equal((await api.post(path, body, { authorization: '' })).status, 401);
  const poor = await api.another(1n);
  t.match(await poor.post(path, body), { status: 402, body: { error: { code: 'INSUFFICIENT_BALANCE' } } });
  t.match((await api.get(path)).body, { total: 0 });
});

t.test('of one account eight are open at once', async (t) => {
  const many = await api.another();
  const claims = Array.from({ length: 9 }, (_, i) => ({ ...body, ...slander(sealed, 0, i).claim }));
  for (const each of claims.slice(0, 8)) t.equal((await many.post(path, each)).status, 200);
  t.match(await many.post(path, claims[8]), { status: 429, body: { error: { code: 'RATE_LIMITED' } } });
});

const hostile = fc.oneof(
  fc.constantFrom(0, -1, 1e308, 2 ** 53, null, true, '', [], {}, [[]], '__proto__', '\ud800', '0'.repeat(64)),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

t.test('anything is answered with a typed refusal, and moves nothing', async (t) => {
  const before = await books(api);
  const opened = (await (await api.another()).post(path, body)).body;
  const places: [string, Record<string, unknown>][] = [
    [path, body],
    [path, { ...body, envelope: { ...envelope } }],
    [`${path}/${opened.challenge}/children`, { from: 0, count: 126, left: claim.root, right: claim.root }],
  ];
  const place = fc.nat(places.length - 1);
  await fc.assert(
    fc.asyncProperty(place, fc.nat(), hostile, fc.boolean(), async (which, at, value, isInside) => {
      const [url, good] = structuredClone(places[which]!);
      const holder = isInside && good.envelope ? (good.envelope as Record<string, unknown>) : good;
      const names = Object.keys(holder);
      holder[names[at % names.length]!] = value;
      const { status, body: answer } = await stranger.post(url, good);
      if (status === 200) return;
      const known = catalogue[answer?.error?.code as keyof typeof catalogue];
      if (status >= 500 || known?.status !== status) throw new Error(`${status}: ${JSON.stringify(answer)}`);
    }),
    { ...seeded, numRuns: 200, interruptAfterTimeLimit: 20_000 },
  );
  t.same(await books(api), before);
});

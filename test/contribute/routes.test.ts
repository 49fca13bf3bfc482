import fc from 'fast-check';
import t from 'tap';
import { Contributions } from '../../src/contribute/contributions.ts';
import { catalogue } from '../../src/errors/catalogue.ts';
import { envelopes } from '../../src/spine/records.ts';
import { type Reply, seeded, testApp } from '../http/test-app.ts';
import { oscillator } from '../spine/test-node.ts';
import { admission, door, identity, mint, putJob, putRun, rightAnswers } from './world.ts';

const api = await testApp(t);
const { node, zid } = api;
const { contributions, store } = node;
const post = (verb: string, body: unknown = {}) => api.post(`/api/contribute/${verb}`, body);
const get = (verb: string) => api.get(`/api/contribute/${verb}`);
const remove = async (id: string) =>
  (
    await api.app.inject({
      method: 'DELETE',
      url: `/api/contribute/nodes/${id}`,
      headers: { authorization: `Bearer ${api.key}` },
    })
  ).statusCode;

t.test('a node without a mesh admits nobody and says so', async (t) => {
  t.match(await get('self-test'), { status: 400, body: { error: { code: 'UNSUPPORTED' } } });
});

t.test('a key is needed for all but policy and census (CONTRIB-09)', async (t) => {
  const asked = await Promise.all(
    (['self-test', 'nodes', 'status', 'earnings', 'policy', 'census'] as const).map(async (verb) => {
      const { statusCode } = await api.app.inject({ url: `/api/contribute/${verb}` });
      return [verb, statusCode];
    }),
  );
  const open = { policy: 200, census: 200 };
  t.same(
    asked,
    asked.map(([verb]) => [verb, open[verb as keyof typeof open] ?? 401]),
  );
});

t.test('admission', async (t) => {
  contributions.join({ door });
  const me = identity(3);
  const paper = (await get('self-test')).body;
  const admit = (body: unknown) => post('nodes', body);

  t.test('the self-test asks and does not answer', async (t) => {
    t.match(paper, { id: /^[0-9a-f]{80}$/, questions: [{ probe: 'sums of denormals', segments: 2 }] });
    t.notMatch(JSON.stringify(paper.questions), rightAnswers[0]!.leaf);
    t.not((await get('self-test')).body.id, paper.id, 'each paper is fresh');
  });

  t.test('a node whose engine differs is refused with the first difference', async (t) => {
    const wrong = rightAnswers.map((answer, i) => (i === 0 ? answer : { ...answer, leaf: 'f'.repeat(64) }));
    const { status, body } = await admit(admission(me, paper.id, wrong));
    t.equal(status, 400);
    t.match(body.error, { code: 'INVALID_INPUT', field: 'selfTest.answers' });
    t.match(body.error.message, /rounding to even .* leads to f{16}…, and elsewhere to 0{16}…/);
    t.match((await admit(admission(me, paper.id, []))).body.error.message, /0 answers were given to 3/);
  });

  t.test('what is not signed by the node, or was asked of another account, is refused', async (t) => {
    const stranger = await node.accounts.create();
    const theirs = (await contributions.selfTest(stranger.zid)).id;
    const good = admission(me, paper.id);
    const wrongs: Record<string, unknown> = {
      'another key': { ...good, proof: admission(identity(4), paper.id).proof },
      'another paper': { ...good, proof: admission(me, theirs).proof },
      'no signature': { ...good, proof: '' },
      'a signature cut off': { ...good, proof: good.proof.slice(0, 84) },
      'no nkey': { ...good, node: `U${'A'.repeat(55)}` },
      'an account nkey': { ...good, node: good.node.replace('U', 'A') },
      "another account's paper": admission(me, theirs),
      'a paper of nobody': admission(me, '0'.repeat(80)),
      'a paper from tomorrow': admission(me, paper.id.replace(/(?<=^.{32}).{16}/, 'f'.repeat(16))),
      'no cores': { ...good, cores: 0 },
      'an engine that is a page': { ...good, engine: '<script>' },
    };
    for (const [title, body] of Object.entries(wrongs))
      t.match(await admit(body), { status: 400, body: { error: { code: 'INVALID_INPUT' } } }, title);
    t.same((await get('nodes')).body, { nodes: [] });
  });

  t.test('a node that computes as the reference does is admitted, and gets its key', async (t) => {
    const { status, body } = await admit(admission(me, paper.id));
    t.equal(status, 201);
    t.match(body, {
      node: { node: me.id, state: 'admitted', mode: 'idle', cores: 2, memory: 2 ** 30 },
      nats: 'nats://127.0.0.1:4222',
      nkey: /^U[A-Z2-7]{55}$/,
      service: node.vkey,
      mode: 'idle',
      handshake: /^[0-9a-f]{64}$/,
    });
    const again = (await admit(admission(me, (await get('self-test')).body.id))).body;
    t.equal(again.handshake, body.handshake, 'the key of a node is its own, whenever it comes back');
    const other = await admit(admission(identity(5), paper.id));
    t.not(other.body.handshake, body.handshake);
    t.equal((await get('nodes')).body.nodes.length, 2);
    t.notMatch(JSON.stringify((await get('status')).body), body.handshake, 'and shown here only');
  });

  t.test('a node leaves once it is asked to, and its mode with it', async (t) => {
    const { id } = identity(5);
    t.equal(await remove(identity(6).id), 404);
    t.equal(await remove('nobody'), 400);
    t.equal(await remove(id), 200);
    t.equal(await contributions.isAdmitted(id), false);
    t.match(await post('mode', { mode: 'contributing', node: id }), { status: 409 });
  });
});

t.test('modes over HTTP (CONTRIB-03, CONTRIB-04, CONTRIB-05)', async (t) => {
  const { id } = identity(3);
  for (const mode of ['selling', 'IDLE', '', 5, null, {}, []])
    t.match(await post('mode', { mode }), { status: 400, body: { error: { code: 'INVALID_INPUT' } } });
  t.same((await post('mode', { mode: 'contributing' })).body, { mode: 'contributing', nodes: [id] });
  const beat = await post('heartbeat', { node: id, mode: 'experimenting' });
  t.match(beat, { status: 200, body: { mode: 'contributing', heard_ns: /^\d+$/ } });
  t.match((await get('status')).body, { mode: 'contributing', nodes: [{ mode: 'contributing' }, {}] });
  const counted = await new Contributions({ store, now: node.now }).census();
  const expected = { nodes: 1, present: 0, modes: { contributing: 1 }, owners: 1 };
  t.match(counted, { ...expected, engines: { 'v8-13.6 x64': 1 } });
  const { status, text } = await get('census');
  t.equal(status, 200);
  t.notMatch(
    text + JSON.stringify(counted),
    new RegExp(`${zid}|${id}`),
    'the census names nobody (CONTRIB-09)',
  );
});

t.test('bond and release over HTTP (CONTRIB-01, CONTRIB-02, CONTRIB-08)', async (t) => {
  await api.post('/api/svc/solve', oscillator); // on given fuel: its coin is soulbound (OPEN-56)
  await mint(store, zid, 999);
  const few = await post('bond');
  t.match(few, {
    status: 409,
    body: { error: { code: 'CONFLICT', needed: 1000, movable: 999, soulbound: 1 } },
  });
  t.match((await get('status')).body.bond, {
    state: 'not bonded',
    coins: 0,
    days_remaining: 0,
    ends_ns: null,
  });
  await mint(store, zid, 1);
  const both = await Promise.all([post('bond'), post('bond')]);
  t.same(
    both.map(({ status }) => status),
    [200, 200],
  );
  t.match((await get('status')).body.bond, { state: 'bonded', coins: 1000, days_remaining: 30 });
  t.equal(await store.count(envelopes, { owner: zid, issued_to: zid }), 1001, 'nothing moved (CONTRIB-10)');
  t.match(await post('release'), { status: 200, body: { bond: { state: 'not bonded' } } });
  t.match(await post('release'), { status: 409 });
});

t.test('a withheld bond is told with its verdict, and is not released (CONTRIB-06)', async (t) => {
  const { id } = identity(3);
  await post('bond');
  await store.transaction((tx) =>
    contributions.withhold(tx, { node: id, verdict: 'r-7-2', atNs: node.now() }),
  );
  const { body } = await get('status');
  t.match(body.bond, { state: 'withheld', coins: 1000, days_remaining: 0 });
  t.match(body.verdicts, [{ verdict: 'r-7-2', node: id, coins: 1000, at_ns: /^\d+$/ }]);
  t.match(await post('release'), { status: 409, body: { error: { verdict: 'r-7-2' } } });
  t.equal(await remove(id), 409);
  t.match(await post('nodes', admission(identity(3), (await get('self-test')).body.id)), { status: 403 });
});

t.test('earnings are paged, in coins and in work units', async (t) => {
  const { id } = identity(3);
  await putRun(store, 'r', 'paid-small');
  const done = {
    node: id,
    owner: zid,
    run: 'r',
    payer: 'p',
    kind: 'segment',
    fence: 0,
    atNs: node.now(),
  } as const;
  for (const from of [0, 2, 4])
    await store.transaction((tx) =>
      contributions.credit(tx, { ...done, from, to: from + 1, work: 900_000_000_000n }),
    );
  await putJob(store, 'job-of-r', 'running');
  await contributions.payOut();
  const waiting = await get('earnings');
  t.match(waiting.body, { coins: '0', pending: { coins: '0.75', work_units: '2700000000000' } });
  await putJob(store, 'job-of-r', 'done');
  await contributions.payOut();
  const { body } = await get(`earnings?limit=2&node=${id}`);
  t.match(body, {
    coins: '0.75',
    work_units: '2700000000000',
    pending: { coins: '0', work_units: '0' },
    paid: { total: 3 },
    unpaid: { total: 0, lines: [] },
  });
  t.equal(body.paid.lines.length, 2);
  t.match(body.paid.lines[0], {
    node: id,
    run: 'r',
    kind: 'segment',
    work: '900000000000',
    coins: '0.25',
    reason: null,
  });
  for (const query of ['limit=0', 'limit=201', 'offset=-1', 'limit=x', 'node=nobody'])
    t.equal((await get(`earnings?${query}`)).status, 400, query);
  t.equal((await get(`earnings?node=${identity(9).id}`)).status, 404);
});

t.test('the policy says what bond, coin, checks and leases are (CONTRIB-09)', async (t) => {
  const { body } = await get('policy');
  t.match(body, {
    bond: { coins: 1000, required: false, term_days: 30 },
    coin: { work_units: '3600000000000' },
    checks: { first_rate: 1, least_rate: 1 / 32 },
    lease: { silent_ticks: 8, silent_seconds: 6.216 },
    modes: { idle: String, contributing: String, experimenting: String },
  });
});

// ---- anything at all ---------------------------------------------------------------------------------------

const hostile = fc.oneof(
  fc.constantFrom(0, -1, 1e308, 2 ** 53, null, true, '', [], {}, [[]], '__proto__', '\ud800', '\u0000'),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

t.test('answers any body with a result or a typed refusal', async () => {
  const paper = (await get('self-test')).body.id as string;
  const bodies: Record<string, object> = {
    nodes: admission(identity(11), paper),
    mode: { mode: 'idle', node: identity(11).id },
    heartbeat: { node: identity(11).id },
    bond: {},
    release: {},
  };
  const isTyped = ({ status, body }: Reply) =>
    status < 300 || (status < 500 && Object.hasOwn(catalogue, body.error.code));
  const request = fc.constantFrom(...Object.keys(bodies)).chain((verb) =>
    fc.record({
      verb: fc.constant(verb),
      field: fc.constantFrom('', ...Object.keys(bodies[verb]!)),
      value: hostile,
    }),
  );
  const property = fc.asyncProperty(request, async ({ verb, field, value }) => {
    const reply = await post(verb, field === '' ? value : { ...bodies[verb], [field]: value });
    if (!isTyped(reply)) throw new Error(`${verb} answers ${reply.status} ${reply.text.slice(0, 300)}`);
  });
  await fc.assert(property, { numRuns: 300, ...seeded });
});

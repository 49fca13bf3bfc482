import { createHash } from 'node:crypto';
import t from 'tap';
import { holdBlobsOfAnswers, keepJobBlobs } from '../../src/spine/job-blobs.ts';
import { blobHolders } from '../../src/store/blob-records.ts';
import { blobBytes, hasBlob } from '../../src/store/blobs.ts';
import { figureEight } from '../spine/test-node.ts';
import { type TestApp, testApp } from './test-app.ts';

const day = 86_400_000_000_000n;
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const masses = (...each: number[]) => Buffer.from(new Float64Array(each).buffer);

async function keyOfAnother({ node }: TestApp): Promise<string> {
  const { zid } = await node.accounts.create({ fuel: 10n ** 15n });
  return (await node.accounts.mintKey(zid)).key;
}

async function send(
  api: TestApp,
  method: 'PUT' | 'GET' | 'DELETE',
  path: string,
  bytes?: Buffer,
  key = api.key,
) {
  const answer = await api.app.inject({
    method,
    url: `/api/svc/blobs${path}`,
    headers: {
      authorization: `Bearer ${key}`,
      ...(bytes && { 'content-type': 'application/octet-stream' }),
    },
    ...(bytes && { payload: bytes }),
  });
  return {
    status: answer.statusCode,
    bytes: answer.rawPayload,
    body: answer.payload && tryJson(answer.payload),
  };
}

function tryJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

t.test('an upload is its account’s alone: another neither reads, names nor deletes it', async (t) => {
  const api = await testApp(t);
  const other = await keyOfAnother(api);
  const bytes = masses(1, 1, 1);
  const path = `/${digestOf(bytes)}`;
  t.equal((await send(api, 'PUT', '', bytes)).status, 201);
  t.same((await send(api, 'GET', path)).bytes, bytes);
  for (const method of ['GET', 'DELETE'] as const)
    t.match(await send(api, method, path, undefined, other), {
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
  const body = { ...figureEight, mass: { $blob: `sha256:${digestOf(bytes)}` } };
  const theirs = { authorization: `Bearer ${other}` };
  t.match(await api.post('/api/svc/multibody', body, theirs), {
    status: 400,
    body: { error: { field: 'mass' } },
  });
  t.equal((await api.post('/api/svc/multibody', body)).status, 200);
  t.equal((await send(api, 'PUT', '', bytes, other)).status, 201, 'who has the bytes may put them');
  t.same((await send(api, 'GET', path, undefined, other)).bytes, bytes);
});

t.test('uploads count against a quota, and the refusal says how much and how to free it', async (t) => {
  const api = await testApp(t, { node: { uploadQuotaBytes: 20_000 } });
  const [first, second] = [Buffer.alloc(10_000, 1), Buffer.alloc(10_001, 2)];
  t.equal((await send(api, 'PUT', '', first)).status, 201);
  t.equal((await send(api, 'PUT', '', first)).status, 201, 'the same again counts once');
  const refused = await send(api, 'PUT', '', second);
  t.match(refused, {
    status: 400,
    body: {
      error: { code: 'LIMIT_EXCEEDED', used_bytes: 10_000, limit_bytes: 20_000, message: /DELETE .*7 days/ },
    },
  });
  t.notOk(await hasBlob(api.node.store, digestOf(second)));
  t.match(await send(api, 'GET', ''), {
    body: { total: 1, used_bytes: 10_000, blobs: [{ sha256: digestOf(first), length: 10_000 }] },
  });
  t.equal((await send(api, 'PUT', '', second, await keyOfAnother(api))).status, 201, 'each account its own');
  t.match(await send(api, 'DELETE', `/${digestOf(first)}`), { status: 200, body: { used_bytes: 0 } });
  t.notOk(await hasBlob(api.node.store, digestOf(first)), 'its bytes are gone at once');
  t.equal((await send(api, 'PUT', '', second)).status, 201);
  t.match((await send(api, 'GET', '')).body, { used_bytes: 10_001 });
});

t.test('uploads at one time do not pass the quota together, and tiny ones are not for nothing', async (t) => {
  const api = await testApp(t, { node: { uploadQuotaBytes: 4 * 4096 } });
  const puts = Array.from({ length: 10 }, (_, i) => send(api, 'PUT', '', Buffer.from([i])));
  const statuses = (await Promise.all(puts)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 201).length, 4);
  t.match((await send(api, 'GET', '')).body, { total: 4, used_bytes: 4 * 4096 });
});

t.test(
  'an upload that no job names goes after a week; one that a job names stays, and stays counted',
  async (t) => {
    const api = await testApp(t);
    const [named, idle] = [masses(1, 1, 1), masses(2, 2, 2)];
    for (const bytes of [named, idle]) await send(api, 'PUT', '', bytes);
    const mass = { $blob: `sha256:${digestOf(named)}` };
    const { headers } = await api.post('/api/svc/multibody', { ...figureEight, mass });
    t.match(await send(api, 'DELETE', `/${digestOf(named)}`), {
      status: 409,
      body: { error: { code: 'CONFLICT', job: headers['x-svc-job'] } },
    });
    const { node } = api;
    await node.sweep(node.now() + 6n * day);
    for (const bytes of [named, idle]) t.ok(await hasBlob(node.store, digestOf(bytes)));
    for (const days of [8n, 9n, 10n]) await node.sweep(node.now() + days * day);
    t.notOk(await hasBlob(node.store, digestOf(idle)));
    t.same((await send(api, 'GET', `/${digestOf(named)}`)).bytes, named);
    t.match((await send(api, 'GET', '')).body, { total: 1, used_bytes: 4096 });
  },
);

t.test('a running job keeps what it names; once it is cancelled its blobs may go', async (t) => {
  const api = await testApp(t);
  const bytes = masses(1, 1, 1);
  await send(api, 'PUT', '', bytes);
  const body = {
    ...{ ...figureEight, dt: 1e-6, t_max: 400, integrator: 'leapfrog' },
    mass: { $blob: `sha256:${digestOf(bytes)}` },
  };
  const { body: accepted } = await api.post('/api/svc/multibody', body, { prefer: 'respond-async' });
  const { node } = api;
  for (const days of [8n, 9n]) await node.sweep(node.now() + days * day);
  t.ok(await hasBlob(node.store, digestOf(bytes)), 'it runs');
  const job = node.spine.liveJobs.get(accepted.job)!;
  node.spine.cancel(accepted.job);
  await t.rejects(job.outcome, { code: 'CANCELLED' });
  for (const days of [11n, 12n, 13n]) await node.sweep(node.now() + days * day);
  t.notOk(await hasBlob(node.store, digestOf(bytes)));
  t.equal(await node.store.count(blobHolders), 0);
});

t.test('blobs of an answer that never came go after a day; those of one that did stay', async (t) => {
  const api = await testApp(t);
  const { node, zid } = api;
  const { headers } = await api.post('/api/svc/multibody', figureEight);
  const job = String(headers['x-svc-job']);
  const made = (seed: number) => {
    const bytes = new Uint8Array(100_000).fill(seed);
    return [digestOf(bytes), bytes] as const;
  };
  const [[lost, lostBytes], [kept, keptBytes]] = [made(1), made(2)];
  const none = new Set<string>();
  await keepJobBlobs(
    node.store,
    { id: 'job_unpaid', account: zid },
    new Map([[lost, lostBytes]]),
    none,
    node.now(),
  );
  await keepJobBlobs(node.store, { id: job, account: zid }, new Map([[kept, keptBytes]]), none, node.now());
  t.equal((await send(api, 'GET', `/${lost}`)).status, 404, 'no answer names it');
  t.equal((await send(api, 'GET', `/${kept}`)).status, 200, 'an own answer does');
  t.equal((await send(api, 'GET', `/${kept}`, undefined, await keyOfAnother(api))).status, 404);
  for (const days of [2n, 3n, 100n]) await node.sweep(node.now() + days * day);
  t.notOk(await hasBlob(node.store, lost));
  t.same(await blobBytes(node.store, kept), keptBytes);
  await t.rejects(
    keepJobBlobs(node.store, { id: job, account: zid }, new Map(), new Set([lost]), node.now()),
    { code: 'NOT_FOUND' },
    'an answer never names what is gone',
  );
});

/** Processor time in ms of the longest turn of the event loop while this is done, and how often others were answered. */
async function longestTurn(api: TestApp, work: () => Promise<unknown>) {
  let longest = 0;
  let answered = 0;
  let isDone = false;
  const pending = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const before = process.cpuUsage();
    await api.app.inject('/health/live');
    await new Promise(setImmediate);
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    if (!isDone) answered++;
  }
  await pending;
  return { longest, answered };
}

t.test('while 16 MiB of numbers are read and laid out, others are answered', async (t) => {
  const api = await testApp(t, { fuel: 10n ** 15n });
  const nodes = 1445;
  const field = Float64Array.from({ length: nodes ** 2 }, (_, i) => 0.5 + 0.4 * Math.sin(i / 1e4));
  const bytes = Buffer.from(field.buffer);
  await send(api, 'PUT', '', bytes);
  const body = {
    ...{ model: 'fisher', dim: 2, D: 1e-3, r: 0.1, Lx: 1, Ly: 1, boundary: 'noflux', N: nodes - 1 },
    ...{ t_end: 1e-4, initialState: { u: { $blob: `sha256:${digestOf(bytes)}` } } },
  };
  // The shortest of a few: what else the machine does comes on top. In one turn it was 500 to 600 ms.
  const BOUND_MS = 150;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5 && least > BOUND_MS; i++) {
    const { longest, answered } = await longestTurn(api, async () => {
      const quote = await api.post('/api/svc/react/quote', body);
      t.match(quote, { status: 200, body: { exact: true } });
    });
    t.ok(answered > 0, `${answered} answers meanwhile, ${longest.toFixed(0)} ms at a time`);
    least = Math.min(least, longest);
  }
  t.ok(least <= BOUND_MS, `${least.toFixed(0)} ms`);
});

t.test(
  'answers from before blobs had holders hold what they name, once the store is brought up',
  async (t) => {
    const api = await testApp(t);
    const { node } = api;
    const bytes = masses(1, 1, 1);
    const digest = digestOf(bytes);
    await send(api, 'PUT', '', bytes);
    await api.post('/api/svc/multibody', { ...figureEight, mass: { $blob: `sha256:${digest}` } });
    const holders = await node.store.find(blobHolders, { where: { digest } });
    await node.store.transaction(async (tx) => {
      for (const { kind, holder } of holders) await tx.delete(blobHolders, { digest, kind, holder });
    });
    t.equal((await send(api, 'GET', `/${digest}`)).status, 404);
    await node.store.transaction(holdBlobsOfAnswers);
    t.same((await send(api, 'GET', `/${digest}`)).bytes, bytes);
    for (const days of [8n, 9n]) await node.sweep(node.now() + days * day);
    t.ok(await hasBlob(node.store, digest));
  },
);

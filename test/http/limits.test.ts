import t from 'tap';
import { REQUEST_TIMEOUT_MS } from '../../src/http/options.ts';
import { Throttle } from '../../src/http/throttle.ts';
import { testApp } from './test-app.ts';

t.test('requests above the limit are 429 with Retry-After, counted by account (OPEN-22)', async (t) => {
  const api = await testApp(t, { requestsPerMinute: 3 });
  for (let i = 0; i < 3; i++) t.equal((await api.get('/api/svc/jobs')).status, 200);
  const refused = await api.get('/api/svc/jobs');
  t.match(refused, { status: 429, body: { error: { code: 'RATE_LIMITED', request_id: String } } });
  const wait = Number(refused.headers['retry-after']);
  t.ok(wait >= 1 && wait <= 60, `${wait} s`);
  const other = await api.node.accounts.mintKey((await api.node.accounts.create()).zid);
  const neighbour = { authorization: `Bearer ${other.key}` };
  t.equal(
    (await api.get('/api/svc/jobs', neighbour)).status,
    200,
    'another account at the same address goes on',
  );
  const second = await api.node.accounts.mintKey(api.zid);
  const again = { authorization: `Bearer ${second.key}` };
  t.equal((await api.get('/api/svc/jobs', again)).status, 429, 'another key of the same account does not');
});

t.test('without a key they are counted by address, unknown paths too; health never is', async (t) => {
  const api = await testApp(t, { requestsPerMinute: 2 });
  t.equal((await api.get('/api/identity')).status, 200);
  t.equal((await api.get('/nowhere')).status, 404);
  t.equal((await api.get('/nowhere')).status, 429);
  t.equal((await api.get('/api/identity')).status, 429);
  for (const path of ['/health/live', '/health/ready', '/metrics'])
    for (let i = 0; i < 3; i++) t.equal((await api.get(path)).status, 200, path);
});

t.test('a request that never ends is given up, and so is its memory', async (t) => {
  const { app } = await testApp(t);
  t.equal(app.server.requestTimeout, REQUEST_TIMEOUT_MS, 'Fastify alone would wait for ever');
});

t.test('many refused keys from one address are 429; a good key still passes', async (t) => {
  const api = await testApp(t);
  const guess = () => api.get('/api/svc/jobs', { authorization: `Bearer svc_ak_${'0'.repeat(52)}` });
  for (let i = 0; i < 60; i++) t.equal((await guess()).status, 401);
  const refused = await guess();
  t.match(refused, { status: 429, body: { error: { code: 'RATE_LIMITED' } } });
  t.ok(Number(refused.headers['retry-after']) >= 1);
  t.equal((await api.get('/api/svc/jobs')).status, 200);
});

t.test('a throttle forgets after a minute, and remembers a bounded number of addresses', async (t) => {
  let now = 0;
  const throttle = new Throttle(2, () => now);
  t.equal(throttle.failed('a'), undefined);
  t.equal(throttle.failed('a'), undefined);
  t.equal(throttle.failed('a'), 60);
  now = 30_500;
  t.equal(throttle.failed('a'), 30);
  t.equal(throttle.failed('b'), undefined, 'each address by itself');
  now = 60_000;
  t.equal(throttle.failed('a'), undefined, 'a new window');
  for (let i = 0; i < 20_000; i++) throttle.failed(`address ${i}`);
  t.equal(throttle.failed('b'), undefined, 'forgotten');
});

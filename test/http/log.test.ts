import t from 'tap';
import { oscillator } from '../spine/test-node.ts';
import { testApp } from './test-app.ts';

t.test('the log names requests, never a key, a token, a query, an input or what a blob holds', async (t) => {
  const lines: string[] = [];
  const api = await testApp(t, { logLevel: 'trace', logTo: { write: (line) => void lines.push(line) } });
  const secret = 'c0ffee'.repeat(6);
  const blob = Buffer.from(`blob ${secret}`);
  await api.post('/api/svc/solve', oscillator);
  await api.post('/api/svc/solve', { inputs: { ...oscillator.inputs, [secret]: 1 } });
  await api.post('/api/svc/solve', `{"inputs": "${secret}`);
  await api.get(`/api/identity?token=${secret}&sig=${secret}`);
  await api.get(`/nowhere?token=${secret}`);
  await api.get(`/api/svc/jobs/svc_ak_${secret}`);
  const encoded = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
  for (const key of [
    ...[
      `svc%5Fak%5F${secret}`,
      `SVC_AK%5f${secret}`,
      `svc_ak_%2f${secret}`,
      `svc_ak_${secret.slice(0, 20)}/${secret}`,
    ],
    ...[encoded(`svc_ak_${secret}`), encoded(encoded(`svc_ak_${secret}`)), `svc%255fak%255f${secret}`],
    ...[`svc_ak_${secret}/%252525252525252541`, `svc%5fak_${secret}%252525252525252541`],
  ])
    await api.get(`/api/svc/jobs/${key}`);
  await api.get('/api/svc/jobs', {
    authorization: `Bearer svc_ak_${secret}`,
    cookie: `svc_auth_token=${secret}`,
  });
  await api.post('/api/svc/solve', oscillator, { 'idempotency-key': secret });
  await api.app.inject({
    method: 'PUT',
    url: '/api/svc/blobs',
    headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/octet-stream' },
    payload: blob,
  });
  const gone = () => Promise.reject(new Error('the store is gone')); // so that failures are logged too
  Object.assign(api.node.store, { get: gone, find: gone, page: gone, transaction: gone });
  const unsealed = await api.post('/api/svc/solve', oscillator);
  t.match(
    unsealed.body,
    { value: Number, envelope: null },
    'what cannot be sealed goes back without (CMP-11)',
  );
  const failed = await api.get('/api/svc/jobs');
  t.ok(failed.status >= 500);
  t.equal((await api.get('/health/ready')).status, 503, 'without its store it takes no work');
  t.equal((await api.get('/health/live')).status, 200);
  const log = lines.join('');
  t.ok(log.includes('/api/svc/solve') && lines.length > 15, 'there is a log');
  for (const word of [secret, api.key, api.key.slice(7), blob.toString('base64'), 'Bearer'])
    t.notOk(log.includes(word), `no ${word.slice(0, 12)}`);
  const id = failed.headers['x-request-id'] as string;
  t.ok(log.includes(id), 'the request id of a failure leads to its line');
});

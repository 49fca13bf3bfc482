import { createHash } from 'node:crypto';
import t from 'tap';
import { doublesOf } from '../../src/proof/bytes.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import { checkpoints, jobs } from '../../src/spine/records.ts';
import { figureEight, oscillator } from '../spine/test-node.ts';
import { books, testApp } from './test-app.ts';

t.test('routes over one node', async (t) => {
  const api = await testApp(t);

  t.test(
    'a result is answered with its receipt, which verifies with the public key alone (CMP-07)',
    async (t) => {
      const { status, headers, body } = await api.post('/api/svc/solve', oscillator);
      t.equal(status, 200);
      t.match(headers['x-svc-job'], /^job_/);
      const { vkey } = (await api.get('/api/identity')).body;
      t.match(verifyAnswer(readAnswer(body), { vkeys: [vkey] }), { sound: true });
      t.match(body.charges, { from_bond_plancks: '0', from_fuel_plancks: /^\d+$/ }, 'CMP-12');
      t.ok('tick_receipt' in body && 'tick_averaged' in body, 'CMP-06');
    },
  );

  t.test('a missing input on compute is HTTP 200 with no value and what is accepted (CMP-04)', async (t) => {
    const before = await books(api);
    const body = { operators: ['SP7'], inputs: { P_signal: { value: 10, unit: 'W' } } };
    for (const headers of [{}, { prefer: 'respond-async' }] as Record<string, string>[]) {
      const answer = await api.post('/api/svc/compute', body, headers);
      t.equal(answer.status, 200);
      t.match(answer.body, { value: null, inputError: { code: 'MISSING_INPUT', missing: 'P_noise' } });
      t.ok(answer.body.inputError.accepts.length > 0);
      t.match(answer.body.trace, [{}, {}, {}, { state: 'degraded' }, { state: 'degraded' }], 'CMP-09');
    }
    t.same(await books(api), before);
  });

  t.test(
    'the registry is listed, and an operator is described with its aliases (OP-02, OPEN-49)',
    async (t) => {
      const { body } = await api.get('/api/svc/operators?category=signal_processing');
      t.equal(body.total, body.operators.length);
      const page = await api.get('/api/svc/operators?category=signal_processing&limit=2&offset=1');
      t.same(page.body, { ...body, operators: body.operators.slice(1, 3) }, 'a page has the total of all');
      const one = await api.get('/api/svc/operators/SP7');
      t.match(one.body, { id: 'SP7', category: 'signal_processing', description: String, equation: String });
      t.ok(one.body.inputs[0].aliases.length > 0);
      const { id, name, description, equation, category } = one.body;
      t.same(
        body.operators.find((row: { id: string }) => row.id === 'SP7'),
        { id, name, description, equation, category, unit: 'dB' },
        'the list has the short row',
      );
      const unknown = await api.get('/api/svc/operators/SP77');
      t.match(unknown, { status: 400, body: { error: { code: 'UNKNOWN_OPERATOR', nearest: 'SP7' } } });
    },
  );

  t.test('elsewhere it is 400', async (t) => {
    const { status, body } = await api.post('/api/svc/solve', { inputs: { t_end: 3 } });
    t.equal(status, 400);
    t.match(body.error, { code: 'MISSING_INPUT', message: String, request_id: /^[0-9a-f-]{36}$/ });
  });

  t.test(
    'a route with a key answers 401 without one, and says which header it wants (AUTH-01)',
    async (t) => {
      const wrong = [
        '',
        'Bearer',
        'Basic abc',
        'Bearer svc_ak_0123',
        `Bearer svc_ak_${'0'.repeat(52)}`,
        `Bearer ${api.key}0`,
      ];
      for (const authorization of wrong) {
        const { status, headers, body } = await api.post('/api/svc/solve', oscillator, { authorization });
        t.match(
          { status, code: body.error.code, challenge: headers['www-authenticate'] },
          {
            status: 401,
            code: 'UNAUTHORIZED',
            challenge: 'Bearer',
          },
          authorization,
        );
      }
      const { id } = await api.node.accounts.mintKey(api.zid).then(async (minted) => {
        await api.node.accounts.revokeKey(minted.id);
        return { id: minted.key };
      });
      t.equal((await api.get('/api/svc/jobs', { authorization: `Bearer ${id}` })).status, 401, 'revoked');
    },
  );

  t.test('what cannot be read is refused with a code of the catalogue (OPEN-21, OPEN-22)', async (t) => {
    const json = { 'content-type': 'application/json' };
    const cases: [number, string, string, string, Record<string, string>][] = [
      [400, 'INVALID_INPUT', '/api/svc/solve', '{"inputs":', json],
      [400, 'INVALID_INPUT', '/api/svc/solve', '', json],
      [400, 'INVALID_INPUT', '/api/svc/solve', '[]', json],
      [400, 'INVALID_INPUT', '/api/svc/solve', '{"__proto__": {"dt": 1}}', json],
      [415, 'UNSUPPORTED_MEDIA_TYPE', '/api/svc/solve', 'dt=1', { 'content-type': 'text/plain' }],
      [404, 'NOT_FOUND', '/api/svc/solvr', '{}', json],
      [
        413,
        'PAYLOAD_TOO_LARGE',
        '/api/svc/solve',
        '{}',
        { ...json, 'content-length': String(64 * 2 ** 20 + 1) },
      ],
      [
        400,
        'INVALID_INPUT',
        '/api/svc/solve',
        JSON.stringify(oscillator),
        { ...json, 'idempotency-key': 'a b' },
      ],
      [400, 'INVALID_INPUT', '/api/svc/solve', JSON.stringify(oscillator), { ...json, replication: 'twice' }],
    ];
    for (const text of ['{"__proto__": {"dt": 1}}', '{"a": [{"constructor": {"prototype": {}}}]}'])
      t.match((await api.post('/api/svc/solve', text, json)).body.error, {
        code: 'INVALID_INPUT',
        message: /"__proto__".*"constructor".*"prototype"/,
      });
    for (const [status, code, url, text, headers] of cases) {
      const answer = await api.post(url, text, headers);
      t.match({ status: answer.status, code: answer.body.error.code }, { status, code }, `${url} ${text}`);
    }
    for (const [status, url] of [
      [400, '/api/svc/jobs?limit=many'],
      [400, '/api/svc/jobs?limit=1000'],
      [400, '/api/svc/kernels/nothing'],
      [404, `/api/svc/kernels/${'0'.repeat(64)}`],
      [404, `/api/svc/blobs/${'0'.repeat(64)}`],
      [404, '/api/svc/jobs/job_0'],
      [404, '/api/svc/jobs/..%2f..%2fetc'],
      [404, '/nowhere/%00%1b[31m'],
      [404, '/api/svc/log/proof/999'],
    ] as const) {
      const answer = await api.get(url);
      t.match({ status: answer.status, code: answer.body.error.code }, { status, code: String }, url);
    }
  });

  t.test('an Idempotency-Key gives the same answer again and is charged once', async (t) => {
    const headers = { 'idempotency-key': 'once' };
    const first = await api.post('/api/svc/solve', oscillator, headers);
    const before = await books(api);
    const second = await api.post('/api/svc/solve', oscillator, headers);
    t.equal(second.text, first.text);
    t.same(await books(api), before);
    const other = { inputs: { ...oscillator.inputs, x0: 0.2 } };
    t.match(await api.post('/api/svc/solve', other, headers), {
      status: 409,
      body: { error: { code: 'IDEMPOTENCY_CONFLICT' } },
    });
  });

  t.test('the price is known before anything runs, and asking for it moves nothing', async (t) => {
    const before = await books(api);
    const quote = await api.post('/api/svc/solve/quote', oscillator);
    t.match(quote, { status: 200, body: { exact: true, price_plancks: /^\d+$/, memory: Number } });
    t.same(await books(api), before);
    const { body } = await api.post('/api/svc/solve', oscillator);
    t.equal(body.charges.price_plancks, quote.body.price_plancks);
  });

  t.test('a job in the background is a resource: accepted, watched, answered, listed', async (t) => {
    const accepted = await api.post('/api/svc/multibody', figureEight, { prefer: 'respond-async' });
    t.match(accepted, { status: 202, body: { job: /^job_/, location: /^\/api\/svc\/jobs\/job_/ } });
    t.equal(accepted.headers.location, accepted.body.location);
    const at = accepted.body.location as string;
    const events = await api.get(`${at}/events`, { accept: 'text/event-stream' });
    t.match(events.headers['content-type'], /text\/event-stream/);
    t.match(events.text, /event: end\n/);
    const { body: row } = await api.get(at);
    t.match(row, { state: 'done', solver: 'multibody', answer: { value: Number } });
    const answer = await api.get(`${at}/answer`);
    t.equal(answer.body.envelope.token_id, row.token_id);
    const listed = await api.get('/api/svc/jobs?limit=1');
    t.match(listed.body, { jobs: [{ job: row.job }], total: Number });
    t.ok(listed.body.total > 1, 'the total is that of all pages');
    t.match(await api.get(`${at}/fields/position`), {
      status: 200,
      headers: { 'x-svc-shape': '3,3', 'x-svc-unit': 'm' },
    });
    t.match(await api.get(`${at}/fields/nothing`), { status: 404, body: { error: { accepts: ['time'] } } });
  });

  t.test('a job that another node runs is watched through the store until it is over', async (t) => {
    const { store } = api.node;
    const { body } = await api.get('/api/svc/jobs?limit=1');
    const done = (await store.get(jobs, { id: body.jobs[0].job }))!;
    const id = `job_${'e'.repeat(32)}`;
    const lease_until_ns = 2n ** 62n; // held by a node that is not this one
    const elsewhere = { ...done, id, state: 'running', answer: null, token_id: null, lease_until_ns };
    await store.transaction(async (tx) => {
      await tx.insert(jobs, elsewhere);
      await tx.insert(checkpoints, { job: id, run: 0n, run_hash: '', segment: 3n, steps: 30n, work: 77n });
    });
    const { body: seen } = await api.get(`/api/svc/jobs/${id}`);
    t.match(seen, { state: 'running', progress: { work: '77', runs: [{ steps: 30 }] } }, 'as a state too');
    const { find } = store;
    const isAsked = new Promise<void>((resolve) => {
      const watched = (...args: Parameters<typeof find>) => {
        if ((args[0] as unknown) === checkpoints) resolve();
        return find(...args);
      };
      Object.assign(store, { find: watched });
    });
    t.teardown(() => Object.assign(store, { find }));
    const ended = api.get(`/api/svc/jobs/${id}/events`);
    await Promise.race([ended, isAsked]);
    await store.transaction((tx) => tx.update(jobs, { id }, { state: 'cancelled' }));
    const { text } = await ended;
    t.match(text, /event: progress\ndata: .*"work":"77".*"steps":30/s);
    t.match(text, /event: end\ndata: .*"state":"cancelled"/);
    t.equal(text.match(/event: end/g)?.length, 1);
  });

  t.test('a job of another account is as if it were not there', async (t) => {
    const { zid } = await api.node.accounts.create();
    const { key } = await api.node.accounts.mintKey(zid);
    const { body } = await api.get('/api/svc/jobs?limit=1');
    const other = { authorization: `Bearer ${key}` };
    for (const path of ['', '/answer', '/events', '/fields/x'])
      t.equal((await api.get(`/api/svc/jobs/${body.jobs[0].job}${path}`, other)).status, 404, path);
    t.same((await api.get('/api/svc/jobs', other)).body, { jobs: [], total: 0 });
  });

  t.test('a long job is cancelled, and its hold voided', async (t) => {
    const before = await books(api);
    const body = { ...figureEight, dt: 1e-5, t_max: 400, integrator: 'leapfrog' };
    const { body: accepted } = await api.post('/api/svc/multibody', body, { prefer: 'respond-async' });
    const cancelled = await api.app.inject({
      method: 'DELETE',
      url: accepted.location,
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
    });
    t.equal(cancelled.statusCode, 202, 'with the type of a body that is not there');
    await api.get(`${accepted.location}/events`);
    t.match(await api.get(`${accepted.location}/answer`), {
      status: 409,
      body: { error: { code: 'CANCELLED' } },
    });
    t.same((await books(api)).means, before.means);
  });

  t.test('a blob stands for an array, and comes back by its digest', async (t) => {
    const bytes = Buffer.from(new Float64Array([1, 1, 1]).buffer);
    const put = await api.app.inject({
      method: 'PUT',
      url: '/api/svc/blobs',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/octet-stream' },
      payload: bytes,
    });
    const digest = createHash('sha256').update(bytes).digest('hex');
    t.match(put.json(), { $blob: `sha256:${digest}`, length: 24 });
    const back = await api.app.inject({
      url: `/api/svc/blobs/${digest}`,
      headers: { authorization: `Bearer ${api.key}` },
    });
    t.same([...doublesOf(new Uint8Array(back.rawPayload))], [1, 1, 1]);
    const direct = await api.post('/api/svc/multibody', figureEight);
    const byBlob = await api.post('/api/svc/multibody', {
      ...figureEight,
      mass: { $blob: `sha256:${digest}` },
    });
    t.equal(byBlob.body.value, direct.body.value);
    const unknown = { ...figureEight, mass: { $blob: `sha256:${'0'.repeat(64)}` } };
    t.match(await api.post('/api/svc/multibody', unknown), {
      status: 400,
      body: { error: { field: 'mass' } },
    });
  });

  t.test('the log gives a stranger its head, a proof of each leaf and of its own growth', async (t) => {
    const head = await api.get('/api/svc/log/checkpoint');
    t.match(head.text, /^proofmesh-.*\n\d+\n/);
    t.match((await api.get('/api/svc/log/proof/0')).text, /^c2sp.org\/tlog-proof/);
    t.match((await api.get('/api/svc/log/consistency?first=1&second=2')).body, { path: [String] });
    t.match(await api.get('/api/svc/log/consistency?first=2&second=1'), {
      status: 400,
      body: { error: { code: 'INVALID_INPUT', field: 'first', message: /first is 2 and second is 1/ } },
    });
    t.equal((await api.get('/api/svc/log/consistency?first=2&second=100000')).status, 404);
    const { body } = await api.post('/api/svc/solve', oscillator);
    const kernel = await api.app.inject({ url: `/api/svc/kernels/${body.runs[0].kernel}` });
    t.equal(createHash('sha256').update(kernel.rawPayload).digest('hex'), body.runs[0].kernel);
  });

  t.test('metrics name routes, never what was asked for', async (t) => {
    await api.get('/api/svc/jobs/job_secret');
    const { text } = await api.get('/metrics');
    t.match(
      text,
      /http_request_duration_seconds_count\{method="GET",route="\/api\/svc\/jobs\/:id",status="404"\}/,
    );
    t.notMatch(text, /job_secret|svc_ak_|z[0-9a-f]{20}/);
  });
});

t.test('means that do not cover the price are 402 naming it, before anything runs (CMP-10)', async (t) => {
  const api = await testApp(t, { fuel: 1n });
  const before = await books(api);
  const quote = await api.post('/api/svc/solve/quote', oscillator);
  const { status, body } = await api.post('/api/svc/solve', oscillator);
  t.match(
    { status, body },
    {
      status: 402,
      body: { error: { code: 'INSUFFICIENT_BALANCE', price_plancks: quote.body.price_plancks } },
    },
  );
  t.same(await books(api), before);
});

t.test(
  'a result outside its gate is 422 with the measured figure and the bound, never the value',
  async (t) => {
    const api = await testApp(t);
    const before = await books(api);
    const { status, body } = await api.post('/api/svc/multibody', {
      ...figureEight,
      dt: 1,
      integrator: 'leapfrog',
    });
    t.equal(status, 422);
    t.match(body.error, { code: 'ENERGY_NOT_CONSERVED', driftPct: Number, boundPct: 0.1 });
    t.notOk('value' in body || 'value' in body.error);
    t.same(await books(api), before, 'nothing charged, minted or logged (CMP-08, CMP-13)');
  },
);

t.test('a job above a minute of the reference core is answered 202 at once', async (t) => {
  const api = await testApp(t);
  const body = { ...figureEight, dt: 1e-7, t_max: 40, integrator: 'leapfrog' };
  const { status, body: accepted } = await api.post('/api/svc/multibody', body);
  t.equal(status, 202);
  t.ok(api.node.spine.cancel(accepted.job));
});

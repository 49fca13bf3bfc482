import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { jsonLimits, refuseLargeStructure } from '../../src/http/json-bodies.ts';
import { serve } from '../../src/http/server.ts';
import { figureEight, oscillator, testNode } from '../spine/test-node.ts';
import { testApp } from './test-app.ts';

const list = (count: number, item: string) => Array.from({ length: count }, () => item).join(',');

t.test('the structure of a body is counted before it is parsed', async (t) => {
  const { items, fields, depth } = jsonLimits;
  const passes: [string, string][] = [
    ['as many numbers as may be', `[${list(items, '0')}]`],
    ['structure inside of a string', JSON.stringify({ a: '[{,:"\\'.repeat(items) })],
    ['a string that ends in backslashes', `{"a":"${'\\\\'.repeat(9)}","b":"${'[,'.repeat(items)}"}`],
    ['as deep as may be', '['.repeat(depth) + ']'.repeat(depth)],
  ];
  for (const [what, body] of passes) t.doesNotThrow(() => refuseLargeStructure(body), what);
  const refused: [string, string][] = [
    ['items', `[${list(items + 1, '0')}]`],
    ['items', `[${list(items / 2 + 1, '[]')}]`],
    ['fields', `{${list(fields + 1, '"a":0')}}`],
    ['depth', '['.repeat(depth + 1)],
    ['items', `{"a":"${'\\\\'.repeat(9)}",${'[],'.repeat(items)}`],
  ];
  for (const [limit, body] of refused)
    t.throws(() => refuseLargeStructure(body), { code: 'PAYLOAD_TOO_LARGE', details: { limit } }, limit);
});

t.test('a field that is given twice is refused by its path, wherever it stands', async (t) => {
  const api = await testApp(t);
  const { t_end: _, ...others } = oscillator.inputs;
  const inputs = JSON.stringify({ ...others, note: '"m":1,{\\' }).slice(1, -1);
  const cases: [string, string][] = [
    [`{"inputs":{${inputs},"t_end":3,"t_end":4}}`, 'inputs.t_end'],
    [`{"inputs":{${inputs},"t_end":3,"t\\u005fend":3}}`, 'inputs.t_end'],
    [`{"inputs":{},"inputs":{${inputs},"t_end":3}}`, 'inputs'],
    [`{"a":[0,[{}],{"b":[]},{"b":"{","c":1,"b":2}]}`, 'a[3].b'],
    [`[{"":1,"":1}]`, '[0].'],
    [`{${list(9000, '"a":[0,0]')}}`, 'a'],
  ];
  for (const [body, field] of cases.slice(0, -1))
    t.match(await api.post('/api/svc/solve', body), {
      status: 400,
      body: { error: { code: 'INVALID_INPUT', field, message: /given twice/ } },
    });
  t.match(await api.post('/api/svc/solve/quote', oscillator), { status: 200 });
  const [long] = cases.at(-1)!;
  t.match(await api.post('/api/svc/solve', long), { status: 413 }, 'what is too much is said first');
  const same = { inputs: { ...oscillator.inputs, inputs: { inputs: 1 } } };
  t.notMatch((await api.post('/api/svc/solve/quote', same)).text, /given twice/, 'one name on two levels');
});

t.test(
  'a body that is no JSON is refused with what is wrong, and the numbers that JSON has no word for by name',
  async (t) => {
    const api = await testApp(t);
    const noNumber = (word: string) => new RegExp(`^The body holds ${word}, for which JSON has no word`);
    const noJson = /^The body is no JSON; accepted: a JSON object\.$/;
    for (const [body, message] of [
      ['{"inputs": {"m": NaN}}', noNumber('NaN')],
      ['{"inputs": {"m": -Infinity}}', noNumber('Infinity')],
      ['{"note": "inf", "x": inf}', noNumber('inf')],
      ['{"note": "NaN", "x": }', noJson],
      ['{"x": Nanny}', noJson],
      ["{'x': 1}", noJson],
      ['{"x": "NaN', noJson],
    ] as const)
      t.match(await api.post('/api/svc/solve', body), {
        status: 400,
        body: { error: { code: 'INVALID_INPUT', field: 'body', message } },
      });
  },
);

t.test('a million keys or lists, and any body above 4 MiB, are 413 and say what to do instead', async (t) => {
  const api = await testApp(t);
  const keys = `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":0`).join(',')}}`;
  const bodies = [
    keys,
    `{"a":[${list(1_000_000, '[]')}]}`,
    '['.repeat(2_000_000),
    `{"a":"${'x'.repeat(2 ** 22)}"}`,
  ];
  for (const route of ['/api/svc/solve', '/api/svc/multibody/quote'])
    for (const body of bodies)
      t.match(await api.post(route, body), {
        status: 413,
        body: { error: { code: 'PAYLOAD_TOO_LARGE', message: /PUT \/api\/svc\/blobs/ } },
      });
});

t.test('a known path with another method is 405 and says which methods it takes', async (t) => {
  const { app } = await testApp(t);
  const cases: [string, string, string][] = [
    ['GET', '/api/svc/solve', 'POST'],
    ['PUT', '/api/svc/jobs/job_1', 'DELETE, GET, HEAD'],
    ['POST', '/api/identity', 'GET, HEAD'],
    ['POST', '/api/identity/?x=1', 'GET, HEAD'],
    ['POST', '/api/svc/blobs', 'GET, HEAD, PUT'],
    ['PATCH', '/api/openapi.json', 'GET, HEAD'],
  ];
  for (const [method, url, allow] of cases) {
    const answer = await app.inject({ method: method as 'GET', url });
    t.match(
      { status: answer.statusCode, allow: answer.headers.allow, body: answer.json() },
      { status: 405, allow, body: { error: { code: 'METHOD_NOT_ALLOWED', accepts: allow.split(', ') } } },
      `${method} ${url}`,
    );
  }
  for (const url of ['/api/svc/nothing', '/api/svc/jobs//events', '/api'])
    t.equal((await app.inject({ method: 'POST', url })).statusCode, 404, url);
});

t.test('metrics are for this machine, or for who has the token', async (t) => {
  const open = await testApp(t);
  const get = (api: typeof open, options: object) => api.app.inject({ url: '/metrics', ...options });
  t.equal((await get(open, { remoteAddress: '127.0.0.1' })).statusCode, 200);
  t.equal((await get(open, { remoteAddress: '::1' })).statusCode, 200);
  t.equal((await get(open, { remoteAddress: '10.0.0.7' })).statusCode, 404);
  const proxied = { remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': '203.0.113.9' } };
  t.equal((await get(open, proxied)).statusCode, 404, 'a proxy on this machine speaks for somebody else');
  const guarded = await testApp(t, { metricsToken: 'letmein' });
  const withToken = (token: string) => ({
    remoteAddress: '10.0.0.7',
    headers: { authorization: `Bearer ${token}` },
  });
  t.equal((await get(guarded, withToken('letmein'))).statusCode, 200);
  t.equal((await get(guarded, withToken('letmein2'))).statusCode, 404);
  t.equal(
    (await get(guarded, { remoteAddress: '127.0.0.1' })).statusCode,
    404,
    'with a token, the token counts',
  );
});

t.test('over a socket', async (t) => {
  const node = await testNode(t);
  const server = await serve(node, { host: '127.0.0.1', port: 0, logLevel: 'silent', requestsPerMinute: 0 });
  t.teardown(() => server.app.close());
  const { zid } = await node.accounts.create({ fuel: 10n ** 15n });
  const { key } = await node.accounts.mintKey(zid);
  const port = Number(new URL(server.url).port);
  const open = (path: string, more = '') => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`);
    return socket;
  };

  t.test('what is no request is answered in the one shape of errors', async (t) => {
    const cases: [string, number, string][] = [
      ['nonsense\r\n\r\n', 400, 'INVALID_INPUT'],
      ['GET / HTTP/9.9\r\n\r\n', 400, 'INVALID_INPUT'],
      [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
      ['GET /api/identity HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'INVALID_INPUT'],
      ['GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400, 'INVALID_INPUT'],
      ['POST /api/svc/solve HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400, 'INVALID_INPUT'],
    ];
    for (const [sent, status, code] of cases) {
      const socket = connect(port, '127.0.0.1');
      socket.write(sent);
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
      t.match(
        head,
        new RegExp(`^HTTP/1\\.1 ${status} .*\\r\\ncontent-type: application/json`, 'is'),
        sent.slice(0, 40),
      );
      const { error } = JSON.parse(body);
      t.match(error, { code, message: String, request_id: /^[0-9a-f-]{36}$/ });
      t.match(head, new RegExp(`x-request-id: ${error.request_id}`, 'i'), 'and names its request');
    }
  });

  t.test('a path that leads nowhere, however it is written, is refused as all others', async (t) => {
    const cases: [string, number, string][] = [
      ['/api/svc/%zz', 400, 'INVALID_INPUT'],
      [`/api/svc/operators/${'x'.repeat(101)}`, 400, 'INVALID_INPUT'],
      ['/api/docs/static/../../../package.json', 404, 'NOT_FOUND'],
      ['/api/docs/static/%00', 404, 'NOT_FOUND'],
    ];
    for (const [path, status, code] of cases) {
      const [head = '', body = ''] = (await text(open(path, 'Connection: close\r\n'))).split('\r\n\r\n');
      t.match(head, new RegExp(`^HTTP/1\\.1 ${status} `), path);
      for (const header of ['x-request-id', 'content-security-policy', 'x-content-type-options'])
        t.match(head, new RegExp(`^${header}: .`, 'im'), `${path}: ${header}`);
      t.match(JSON.parse(body).error, { code }, path);
    }
  });

  t.test('an expectation is met or refused as all else', async (t) => {
    const answered = async (expect: string) => {
      const [head = '', body = ''] = (
        await text(open('/api/identity', `Expect: ${expect}\r\nConnection: close\r\n`))
      )
        .replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
        .split('\r\n\r\n');
      return { head, body: JSON.parse(body) };
    };
    const { head, body } = await answered('200-ok');
    t.match(head, /^HTTP\/1\.1 417 /);
    t.match(head, /^content-security-policy: ./im);
    t.match(body.error, { code: 'EXPECTATION_FAILED', field: 'Expect', request_id: String });
    for (const met of ['100-continue', '100-Continue']) t.match((await answered(met)).body, { vkey: String });
  });

  t.test('a body that is packed is refused, and not read as JSON', async (t) => {
    const sent = (encoding: string, body: BodyInit) =>
      fetch(`${server.url}/api/operators/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body,
      });
    const body = JSON.stringify({ q: 'energy' });
    for (const encoding of ['gzip', 'br', 'gzip, identity']) {
      const response = await sent(encoding, gzipSync(body));
      t.equal(response.status, 415, encoding);
      const accepts = 'identity, or no Content-Encoding header';
      const error = { code: 'UNSUPPORTED_MEDIA_TYPE', field: 'Content-Encoding', accepts };
      t.match((await response.json()).error, { ...error, request_id: String });
    }
    t.not((await sent('Identity', body)).status, 415);
  });

  t.test('OPTIONS that is no preflight is answered', async (t) => {
    const response = await fetch(`${server.url}/api/svc/solve`, { method: 'OPTIONS' });
    t.match(response, { status: 204 });
    t.match(response.headers.get('access-control-allow-methods'), /POST/);
  });

  t.test('an account has so many event streams and no more; a closed one makes room', async (t) => {
    const body = { ...figureEight, dt: 1e-6, t_max: 400, integrator: 'leapfrog' };
    const job = await node.spine.submit({ account: zid, solver: 'multibody', body, background: true });
    const path = `/api/svc/jobs/${job.id}/events`;
    const firstLine = async (socket: ReturnType<typeof open>) =>
      String((await once(socket, 'data'))[0]).split('\r\n')[0];
    const sockets = Array.from({ length: 32 }, () => open(path));
    for (const line of await Promise.all(sockets.map(firstLine))) t.match(line, /200/);
    t.equal(await firstLine(open(path)), 'HTTP/1.1 429 Too Many Requests');
    sockets[0]!.destroy();
    await once(sockets[0]!, 'close');
    let line = '';
    for (let tries = 0; tries < 100 && !/200/.test(line); tries++) line = (await firstLine(open(path))) ?? '';
    t.match(line, /200/);
    node.spine.cancel(job.id);
    await t.rejects(job.outcome, { code: 'CANCELLED' });
    for (const socket of sockets) socket.destroy();
  });

  t.test('only a few large bodies are under way at once, of one account', async (t) => {
    const begin = () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(
        `PUT /api/svc/blobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
          `Content-Type: application/octet-stream\r\nExpect: 100-continue\r\nContent-Length: ${2 ** 22}\r\n\r\n`,
      );
      return socket;
    };
    const sockets = Array.from({ length: 4 }, begin);
    await Promise.all(sockets.map((socket) => once(socket, 'data'))); // 100 Continue
    const fifth = begin();
    const replies = await text(fifth.end());
    t.match(replies, /429 Too Many Requests.*"RATE_LIMITED"/s);
    const small = await fetch(`${server.url}/api/svc/solve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(oscillator),
    });
    t.equal(small.status, 200, 'small ones go on');
    for (const socket of sockets) socket.destroy();
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import t, { type Test } from 'tap';
import { figureEight, oscillator } from '../spine/test-node.ts';
import { type NodeProcess, svcUp } from './node-process.ts';
import { svcProcess as svc, svcPath } from './svc.ts'; // one that ends leaves no connection to the node open

/** 3 s and 0.8 s of the reference core: the first is recorded while it runs, the second is small. */
const long = { ...figureEight, dt: 1e-5, t_max: 80, integrator: 'leapfrog' };
const short = { ...long, t_max: 20 };

/** As many unknowns as make a list of runs that is no part of its answer. */
const threeOscillators = {
  equation: ['xy', 'uv', 'pq'].map(([x, v]) => `${x}' = ${v}; ${v}' = -${x}`).join('; '),
  inputs: { t_end: 3, ...Object.fromEntries([...'xyuvpq'].map((name, i) => [`${name}0`, 1 - (i % 2)])) },
};

/** A server that gives the same bytes under each name. */
async function otherBytes(t: Test): Promise<string> {
  const server = createServer((_, response) => response.end('[]'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Code that reads beyond the memory of a module of WebAssembly, again and again, on each thread of a process. */
const trapping = `
  const loads = Uint8Array.from(atob('AGFzbQEAAAABBgFgAX8BfwMCAQAFAwEAAQcFAQFmAAAKCQEHACAAKAIACw=='), (c) => c.charCodeAt(0));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(loads));
  const trap = () => { try { exports.f(1 << 30); } catch (error) { if (!(error instanceof WebAssembly.RuntimeError)) throw error; } };
  setInterval(trap, 20).unref();`;

t.test('a kernel that reads beyond its memory traps, and the node answers', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'svc-trap-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  const preload = `data:text/javascript,${encodeURIComponent(trapping)}`;
  const node = await svcUp(data, ['--port', '0'], { NODE_OPTIONS: `--import=${preload}` });
  t.teardown(() => node.child.kill('SIGKILL'));
  for (let round = 0; round < 5; round++) {
    await new Promise((done) => setTimeout(done, 100));
    const answer = await fetch(`${node.url}/api/identity`, { signal: AbortSignal.timeout(10_000) });
    t.equal(answer.status, 200);
  }
  t.equal(await node.end('SIGTERM'), 0);
});

type Call = (method: string, path: string, body?: unknown, headers?: object) => Promise<Response>;

const caller =
  (node: NodeProcess, key: string): Call =>
  (method, path, body, headers = {}) =>
    fetch(`${node.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

t.test('a node in the foreground', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'svc-test-up-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  const account = await svc(['account', 'create', '--fuel-hours', '1', '--json', '--data', data]);
  const { zid } = JSON.parse(account.stdout);
  let node = await svcUp(data);
  t.teardown(() => node.end('SIGKILL'));

  t.test('is ready when it says where it listens', async (t) => {
    t.equal((await fetch(`${node.url}/health/ready`)).status, 200);
  });

  const minted = await svc(['key', 'create', '--account', zid, '--json', '--data', data]);
  const { key } = JSON.parse(minted.stdout);

  t.test('a key minted beside it is good at once', async (t) => {
    const response = await caller(node, key)('POST', '/api/svc/solve', oscillator);
    t.equal(response.status, 200);
    await response.arrayBuffer();
  });

  t.test('svc run --url shows results and refusals as a run on this machine does', async (t) => {
    const remote = ['--url', node.url, '--key', key];
    const input = JSON.stringify(oscillator);
    const here = await svc(['run', 'solve', '--input', '-', '--data', data], { input });
    const there = await svc(['run', 'solve', '--input', '-', ...remote], { input });
    t.match([here.code, there.code], [0, 0]);
    const value = (text: string) => text.split('\n')[0];
    t.equal(value(there.stdout), value(here.stdout));
    for (const [solver, flags] of [
      ['solve', ['--inputs.t_end', '3', '--inputs.m=-1']],
      ['compute', ['--operators', '["SP7"]', '--inputs.P_signal', '10W']],
    ] as const) {
      const local = await svc(['run', solver, ...flags, '--data', data]);
      const refused = await svc(['run', solver, ...flags, ...remote]);
      t.match([local.code, refused.code], [1, 1], solver);
      t.equal(refused.stderr.split('\n')[0], local.stderr.split('\n')[0], solver);
    }
    t.match(await svc(['quote', 'solve', '--input', '-', ...remote], { input }), {
      code: 0,
      stdout: /^solve costs \d+ plancks/,
    });
    t.match(await svc(['jobs', ...remote, '--json']), { code: 0, stdout: /"solver": "solve"/ });
  });

  t.test('a node signs a verdict on an answer, which its key opens offline', async (t) => {
    const [answer, verdict] = [join(data, 'answer.json'), join(data, 'verdict.txt')];
    const response = await caller(node, key)('POST', '/api/svc/solve', oscillator);
    writeFileSync(answer, await response.text());
    const asked = await svc(['reverify', answer, '--url', node.url, '--out', verdict]);
    t.match(asked, { code: 0, stdout: /^SOUND: .*\nwritten to / });
    t.match(await svc(['verify', verdict, '--data', data]), {
      code: 0,
      stdout: /^SIGNED by proofmesh-.*: svc-reverify-1: SOUND\n/,
    });
    const { vkey } = (await (await fetch(`${node.url}/api/identity`)).json()) as { vkey: string };
    const note = readFileSync(verdict, 'utf8');
    t.match(await svc(['verify', '-', '--key', vkey, '--json'], { input: note }), {
      code: 0,
      stdout: /"signed": true/,
    });
    const forged = note.replace('"SOUND"', '"NOT_SOUND"');
    t.match(await svc(['verify', '-', '--key', vkey], { input: forged }), {
      code: 1,
      stdout: /^UNKNOWN_NODE/,
    });
    t.match(await svc(['verify', '-', '--key', vkey], { input: 'svc-attest-1\n' }), {
      code: 2,
      stderr: /no signed statement/,
    });
    const changed = JSON.stringify({ ...JSON.parse(readFileSync(answer, 'utf8')), value: 1 });
    t.match(await svc(['reverify', '-', '--url', node.url], { input: changed }), {
      code: 1,
      stdout: /^NOT_SOUND: \/value/,
    });
  });

  t.test('runs that are no part of the file are fetched, and who has not got them is told how', async (t) => {
    const file = join(data, 'long.json');
    const response = await caller(node, key)('POST', '/api/svc/solve', threeOscillators);
    const answer = (await response.json()) as { runs: { $blob: string } };
    t.match(answer.runs.$blob, /^sha256:/, 'the list of runs is a blob');
    writeFileSync(file, JSON.stringify(answer));
    const remote = ['--url', node.url, '--account-key', key, '--data', data];
    const [alone, keyless, fetched, bundled, forged] = await Promise.all([
      svc(['verify', file, '--data', data]),
      svc(['verify', file, '--url', node.url, '--data', data]),
      svc(['verify', file, ...remote]),
      svc(['bundle', file, '--out', join(data, 'long-bundle.json'), ...remote]),
      otherBytes(t).then((url) => svc(['verify', file, '--url', url, '--data', data])),
    ]);
    t.match(alone, { code: 2, stderr: /names its runs as blob .* `svc verify FILE --url URL` fetches them/ });
    t.match(keyless, { code: 1, stderr: /^UNAUTHORIZED: / });
    t.match(fetched, { code: 0, stdout: /^SOUND: .*not revoked as of checkpoint/s }, fetched.stderr);
    t.match(bundled, { code: 0, stdout: /\d+ blobs, 2 kernels/ }, bundled.stderr);
    t.match(forged, { code: 2, stderr: /other bytes under [0-9a-f]{64}, which the file names as its runs/ });
    t.match(await svc(['rerun', join(data, 'long-bundle.json')]), { code: 0, stdout: /^AGREES: / });
  });

  t.test('a second node on its port says so and ends with 1', async (t) => {
    const port = new URL(node.url).port;
    const other = mkdtempSync(join(tmpdir(), 'svc-test-up-'));
    t.teardown(() => rmSync(other, { recursive: true, force: true }));
    const refused = await svc(['up', '--port', port, '--data', other]);
    t.match(refused, { code: 1, stderr: new RegExp(`port ${port} of 127.0.0.1 is in use`) });
  });

  t.test('a node whose mesh is not there says so and ends with 1', async (t) => {
    const other = mkdtempSync(join(tmpdir(), 'svc-test-up-'));
    t.teardown(() => rmSync(other, { recursive: true, force: true }));
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    const env = { SVC_NATS_URL: `nats://127.0.0.1:${port}`, SVC_MESH_SECRET: 'a'.repeat(64) };
    const refused = await svc(['up', '--port', '0', '--data', other], { env });
    t.match(refused, { code: 1, stderr: /MESH_UNAVAILABLE: The mesh cannot be reached/ });
  });

  t.test('SIGTERM: the small job answers, the long one goes on after the restart', async (t) => {
    const call = caller(node, key);
    const accepted = await call('POST', '/api/svc/multibody', long, { prefer: 'respond-async' });
    const { job } = (await accepted.json()) as { job: string };
    const waiting = call('POST', '/api/svc/multibody', { ...long, t_max: 81 });
    const small = call('POST', '/api/svc/multibody', short);
    await live(node, 3);
    const ended = node.end('SIGTERM');
    const answered = await small;
    t.equal(answered.status, 200);
    t.match(await answered.json(), { envelope: { solver: 'multibody' } });
    const told = await waiting;
    t.equal(told.status, 503);
    t.match(await told.json(), { error: { code: 'SHUTTING_DOWN', job: /^job_/ } });
    t.equal(await ended, 0);
    node = await svcUp(data);
    const watched = await svc(['watch', job, '--url', node.url, '--key', key, '--json']);
    t.match(watched, { code: 0, stdout: /"envelope"/ });
  });

  t.test('its log holds neither key nor token', async (t) => {
    t.ok(node.log().length > 0);
    t.notMatch(node.log(), new RegExp(`${key}|${key.slice(7)}|Bearer`));
    t.equal(await node.end('SIGTERM'), 0);
  });
});

/** Until so many jobs run or wait in the node. */
async function live(node: NodeProcess, count: number): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    if (metrics.includes(`\nsvc_jobs_live ${count}\n`)) return;
  }
}

t.test(
  'a data folder that cannot be used, or a setting that means nothing, ends with 2 and a sentence',
  async (t) => {
    for (const [args, sentence] of [
      [['--data', '/dev/null/folder'], /\/dev\/null\/folder/],
      [['--port', '70000'], /whole number from 0 to 65535/],
      [['--port', 'http'], /whole number/],
      [['--prot', '1'], /unknown option '--prot'\n\(Did you mean --port\?\)/],
    ] as const)
      t.match(await svc(['up', ...args]), { code: 2, stdout: '', stderr: sentence }, args.join(' '));
    const settings = {
      SVC_LOG_LEVEL: 'loud',
      SVC_THREADS: '0',
      SVC_REQUESTS_PER_MINUTE: '-1',
      SVC_PORT: '1e3',
    };
    for (const [name, value] of Object.entries(settings)) {
      const refused = await svc(['up', '--data', '/dev/null/folder'], { env: { [name]: value } });
      t.match(refused, { code: 2, stderr: new RegExp(`"${value}"; it is `) }, name);
    }
  },
);

t.test('a node whose log cannot be written loses lines, and answers', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'svc-test-full-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  const full = openSync('/dev/full', 'w');
  const env = { ...process.env, SVC_THREADS: '1', SVC_LOG_LEVEL: 'trace' };
  const child = spawn(process.execPath, [svcPath, 'up', '--data', data, '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', full],
  });
  closeSync(full);
  const ended = once(child, 'exit');
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout!), 'line');
  const url = line.replace('listening on ', '');
  for (let i = 0; i < 3; i++) t.equal((await fetch(`${url}/api/identity`)).status, 200);
  child.kill('SIGTERM');
  t.same(await ended, [0, null], 'and it drains');
});

t.test('a reader of the log that is late has every line', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'svc-test-late-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  const env = { ...process.env, SVC_THREADS: '1', SVC_LOG_LEVEL: 'info', SVC_REQUESTS_PER_MINUTE: '0' };
  const child = spawn(process.execPath, [svcPath, 'up', '--data', data, '--port', '0'], { env });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  const url = line.replace('listening on ', '');
  const asked = 400; // three times what a pipe holds
  for (let i = 0; i < asked; i++)
    t.equal((await fetch(`${url}/api/nowhere-${'x'.repeat(200)}-${i}`)).status, 404);
  let log = '';
  child.stderr.on('data', (piece) => {
    log += piece;
  });
  child.kill('SIGTERM');
  await ended;
  await finished(child.stderr);
  for (let i = 0; i < asked; i++) t.match(log, `-${i}"`);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { serve } from '../../src/http/server.ts';
import { ServiceNode } from '../../src/node.ts';
import type { Answer } from '../../src/proof/answer.ts';
import { readCheckpoint } from '../../src/proof/checkpoint.ts';
import { backupTo } from '../../src/store/backup.ts';
import { hour, oscillator } from '../spine/test-node.ts';
import { type Ended, svc, svcPath } from './svc.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-test-restore-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const on = (place: string, ...args: string[]): Promise<Ended> => svc([...args, '--data', at(place)]);

/** Works with a node of this process on a folder, and lets go of it. */
async function withNodeOn<T>(place: string, work: (node: ServiceNode) => Promise<T>): Promise<T> {
  const node = await ServiceNode.open({ dataDir: at(place), threads: 1 });
  try {
    return await work(node);
  } finally {
    await node.close();
  }
}

async function seal(node: ServiceNode, x0: number): Promise<Answer> {
  const body = { inputs: { ...oscillator.inputs, x0 } };
  const job = await node.spine.submit({ account: 'payer', solver: 'solve', body });
  return JSON.parse(new TextDecoder().decode((await job.outcome).answer));
}

/** Sealed before the backup, and after it. */
const [first, second] = await withNodeOn('node', async (node) => {
  await node.accounts.create({ zid: 'payer', fuel: hour });
  const before = await seal(node, 0.1);
  await backupTo(node.store, at('backup'));
  return [before, await seal(node, 0.2)];
});
writeFileSync(at('second.json'), JSON.stringify(second));

t.test('a restore beside a running node is refused, and changes nothing', (t) =>
  withNodeOn('node', async (node) => {
    const refused = await on('node', 'restore', at('backup'), '--replace');
    t.match(refused, { code: 1, stdout: '', stderr: /^CONFLICT: .*stop the nodes/ });
    t.equal(await node.log.size(node.store), 2);
  }),
);

/** Shows one page of revocations, whatever is asked. */
async function showing(t: Test, page: object): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('a log that was cut and gone on with is a fork: exit 1, and both signed heads', async (t) => {
  mkdirSync(at('twin'));
  copyFileSync(join(at('node'), 'node-keys.json'), join(at('twin'), 'node-keys.json'));
  const restored = await on('twin', 'restore', at('backup'));
  t.match(restored, { code: 0, stdout: /^restored \d+ rows .*\n.*nothing here says .*--continue-log/ });
  t.match(await on('twin', 'identity', '--continue-log'), { code: 0, stderr: /goes on behind its 1 leaves/ });
  await withNodeOn('twin', async (node) => {
    await seal(node, 0.3); // the word was false
    const server = await serve(node, {
      host: '127.0.0.1',
      port: 0,
      logLevel: 'silent',
      requestsPerMinute: 0,
    });
    const { code, stdout } = await on('node', 'verify', at('second.json'), '--url', server.url, '--json');
    const { verdict, sound, fork } = JSON.parse(stdout);
    t.match(
      { code, verdict, sound, fork },
      { code: 1, verdict: 'FORKED', sound: false, fork: { proof: true } },
    );
    const [a, b] = fork.checkpoints.map(readCheckpoint);
    t.same([a.size, b.size], [2, 2]);
    t.notSame(a.root, b.root);
    await server.app.close();
  });
  const page = { node: first!.envelope.node, since: 2, revocations: [], next: null };
  const url = await showing(t, { ...page, checkpoint: first!.receipt.log.checkpoint });
  const cut = await on('node', 'verify', at('second.json'), '--url', url);
  t.match(cut, { code: 1, stderr: '', stdout: /^FORKED: .* shows a log of 1 leaves, and it has signed 2\n/ });
  for (const answer of [first!, second!])
    t.ok(cut.stdout.includes(answer.receipt.log.checkpoint.trimEnd()), 'the head, to be kept');
});

t.test('after an older backup the node does not start, and says what can be done', async (t) => {
  const restored = await on('node', 'restore', at('backup'), '--replace', '--json');
  t.match(JSON.parse(restored.stdout), {
    log_goes_on: false,
    log: /has 1 leaves, and this node has signed 2/,
  });
  const refused = { code: 1, stderr: /^LOG_NOT_CONTINUED: .*svc identity --new-key/ };
  t.match(await on('node', 'up', '--port', '0'), { ...refused, stdout: '' });
  t.match(await on('node', 'identity', '--continue-log'), { ...refused, stdout: '' });
  t.match(await on('node', 'audit'), { code: 1, stdout: /has signed 2\n.*NOT SOUND/ });

  t.match(await on('node', 'identity', '--new-key', '--json'), { code: 0, stdout: /"vkey"/ });
  t.match(
    await on('node', 'verify', at('second.json')),
    { code: 0, stdout: /^SOUND/ },
    'the old key is known',
  );
  const child = spawn(process.execPath, [svcPath, 'up', '--json', '--port', '0', '--data', at('node')], {
    env: { ...process.env, SVC_THREADS: '1', SVC_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  t.match(JSON.parse(line), { listening: /^http:/, vkey: String, node: /^proofmesh-/ });
  t.not(JSON.parse(line).node, first!.envelope.node);
  child.kill('SIGTERM');
  await once(child, 'exit');
  await withNodeOn('node', (node) => seal(node, 0.4));
  t.match(await on('node', 'audit'), { code: 0, stdout: /^2 leaves/ });
  const mesh = await svc(['mesh', 'config', '--json'], { env: { SVC_MESH_SECRET: 'x'.repeat(32) } });
  t.match(JSON.parse(mesh.stdout), { config: /jetstream/ });
});

t.test('--out is looked at before anything is asked', async (t) => {
  const nowhere = ['--out', at('nowhere/x.json')];
  const url = ['--url', 'http://127.0.0.1:1'];
  for (const args of [
    ['watch', 'job_1', ...url],
    ['bundle', at('second.json')],
    ['challenge', at('second.json'), ...url],
    ['challenges', 'chl_1', ...url],
    ['reverify', at('second.json'), ...url],
  ])
    t.match(
      await svc([...args, ...nowhere]),
      { code: 2, stdout: '', stderr: /no folder .*nowhere/ },
      args[0],
    );
  t.equal(JSON.parse(readFileSync(at('second.json'), 'utf8')).format, 'svc-answer-1');
});

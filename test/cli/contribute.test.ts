import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { natsMissing } from '../servers/nats.ts';
import { svcUp } from './node-process.ts';
import { svc, svcPath } from './svc.ts';

// `svc contribute` as a process, against `svc up` with a mesh and without one.

t.setTimeout(240_000);
const folder = mkdtempSync(join(tmpdir(), 'svc-contribute-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const data = join(folder, 'data');

t.test('what is not understood ends with 2', async (t) => {
  const cases: [string[], RegExp][] = [
    [[], /required option '--url <url>'/],
    [['--url', 'nowhere'], /is no URL of a node/],
    [
      ['--url', 'http://127.0.0.1:1', '--threads', '0'],
      /--threads is "0"; it is a whole number from 1 to 256/,
    ],
    [['--url', 'http://127.0.0.1:1', '--memory', 'all'], /--memory is "all"/],
    [
      ['--url', 'http://127.0.0.1:1', '--memory', '127'],
      /--memory is "127"; it is a whole number from 128 to/,
    ],
    [['--url', 'http://127.0.0.1:1', '--mode', 'asleep'], /it is contributing, idle or experimenting/],
  ];
  for (const [args, sentence] of cases) {
    const { code, stderr } = await svc(['contribute', '--data', data, ...args]);
    t.equal(code, 2, args.join(' '));
    t.match(stderr, sentence);
  }
});

t.test('without a node, a key or a mesh it ends with 1 and says why', async (t) => {
  const nobody = await svc(['contribute', '--url', 'http://127.0.0.1:1', '--data', data]);
  t.equal(nobody.code, 1);
  t.match(nobody.stderr, /no node answers at/);
  const node = await svcUp(join(folder, 'lone'));
  t.teardown(() => node.end('SIGTERM'));
  const keyless = await svc(['contribute', '--url', node.url, '--data', data]);
  t.equal(keyless.code, 1);
  t.match(keyless.stderr, /UNAUTHORIZED/);
  const key = await accountKey(join(folder, 'lone'));
  const meshless = await svc(['contribute', '--url', node.url, '--key', key, '--data', data]);
  t.equal(meshless.code, 1);
  t.match(meshless.stderr, /UNSUPPORTED: This node runs no mesh/);
});

t.test('a machine is admitted, runs a job, is paid and leaves', { skip: natsMissing }, async (t) => {
  const home = join(folder, 'mesh');
  const node = await svcUp(home, ['--port', '0', '--mesh', '0']);
  t.teardown(() => node.end('SIGTERM'));
  const key = await accountKey(home);
  const contributor = started(['--url', node.url, '--key', key, '--data', data, '--threads', '1', '--json']);
  t.teardown(() => contributor.child.kill('SIGKILL'));
  const { node: id } = await contributor.seen('contributing');
  t.match(id, /^U[A-Z2-7]{55}$/);
  t.equal(statSync(join(data, 'contributor', 'contributor.nkey')).mode & 0o777, 0o600);
  t.match(readFileSync(join(data, 'contributor', 'contributor.nkey'), 'utf8'), /^SU/);
  const payer = await accountKey(home, '--fuel-hours', '10');
  await submitted(node.url, payer);
  const { run } = await contributor.seen('leased');
  const span = await contributor.seen('span');
  t.equal(span.run, run);
  const earned = await contributor.seenWhere('earned', ({ accepted }) => Number(accepted) > 0);
  t.ok(BigInt(earned.workUnits as string) > 0n, `${earned.coins} coins`);
  contributor.child.kill('SIGINT');
  await contributor.seen('left');
  t.equal(await contributor.ended, 0);
});

t.test(
  'a key is for one process: a second one is refused, and whoever is idle because it left elsewhere comes back',
  { skip: natsMissing },
  async (t) => {
    const home = join(folder, 'keys');
    const node = await svcUp(home, ['--port', '0', '--mesh', '0']);
    t.teardown(() => node.end('SIGTERM'));
    const key = await accountKey(home);
    const [own, copy] = [join(folder, 'own'), join(folder, 'copy')];
    const args = (data: string) => [
      '--url',
      node.url,
      '--key',
      key,
      '--data',
      data,
      '--threads',
      '1',
      '--json',
    ];
    const first = started(args(own));
    t.teardown(() => first.child.kill('SIGKILL'));
    const { node: id } = await first.seen('contributing');
    const twice = await svc(['contribute', ...args(own)]);
    t.equal(twice.code, 1);
    t.match(JSON.parse(twice.stdout).error, {
      code: 'CONFLICT',
      message: new RegExp(`^Process ${first.child.pid} contributes with the key .* --data`),
    });
    first.child.kill('SIGKILL');
    await first.ended;
    const again = started(args(own));
    t.teardown(() => again.child.kill('SIGKILL'));
    t.equal((await again.seen('contributing')).node, id, "a killed one is in nobody's way");
    mkdirSync(join(copy, 'contributor'), { recursive: true });
    cpSync(join(own, 'contributor', 'contributor.nkey'), join(copy, 'contributor', 'contributor.nkey'));
    const other = started(args(copy));
    t.teardown(() => other.child.kill('SIGKILL'));
    await other.seen('contributing');
    other.child.kill('SIGINT');
    t.equal(await other.ended, 0);
    await again.seen('left-elsewhere');
    await again.seen('admitted');
    const switched = await svc(['mode', 'contributing', '--url', node.url, '--key', key]);
    t.match(switched.stdout, /1 node/);
    await again.seenWhere('mode', ({ mode }) => mode === 'contributing');
    again.child.kill('SIGINT');
    t.equal(await again.ended, 0);
  },
);

/** Key of a new account. */
async function accountKey(home: string, ...args: string[]): Promise<string> {
  const { stdout } = await svc(['account', 'create', '--data', home, '--json']);
  const { zid } = JSON.parse(stdout);
  if (args.length > 0) await svc(['account', 'grant', zid, '--data', home, ...args]);
  const key = await svc(['key', 'create', '--account', zid, '--data', home, '--json']);
  return JSON.parse(key.stdout).key;
}

/** A run of some seconds, which the node hands to the mesh. */
async function submitted(url: string, key: string): Promise<void> {
  const body = {
    position: [
      [0.25, 0, 0],
      [-0.25, 0, 0],
    ],
    velocity: [
      [0, 0.866025403784439, 0],
      [0, -0.866025403784439, 0],
    ],
    ...{ mass: [0.5, 0.5], referenceMode: 'gravity', G: 1, dt: 2e-5, t_max: 100, integrator: 'yoshida6' },
  };
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    prefer: 'respond-async',
  };
  const response = await fetch(`${url}/api/svc/multibody`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(await response.text());
}

type Notice = Record<string, unknown> & { readonly kind: string };

/** `svc contribute --json`, with what it says. */
function started(args: readonly string[]) {
  const env = { ...process.env, NO_COLOR: '1' };
  const child: ChildProcess = spawn(process.execPath, [svcPath, 'contribute', ...args], { env });
  const notices: Notice[] = [];
  const waiting = new Set<() => void>();
  let log = '';
  child.stderr!.on('data', (piece) => {
    log += piece;
  });
  createInterface(child.stdout!).on('line', (line) => {
    notices.push(JSON.parse(line));
    for (const wake of waiting) wake();
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  void ended.then(() => {
    for (const wake of waiting) wake();
  });
  const seenWhere = (kind: string, fits: (notice: Notice) => boolean): Promise<Notice> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = notices.find((notice) => notice.kind === kind && fits(notice));
        if (!found && child.exitCode === null) return;
        waiting.delete(look);
        if (found) resolve(found);
        else reject(new Error(`ended without ${kind}: ${log}`));
      };
      waiting.add(look);
      look();
    });
  return { child, ended, seenWhere, seen: (kind: string) => seenWhere(kind, () => true) };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { accountKey, Client, NodeProcess, svcJson } from './node-process.ts';

// A job of 64 bodies and a million steps is killed with -9 half way; when the node is back it goes on from its
// checkpoint and ends with the root of the uninterrupted job.

interface Job {
  readonly state: string;
  readonly progress?: {
    readonly work: string;
    readonly expected: number;
    readonly runs: readonly { readonly label: string; readonly steps: number }[];
  };
  readonly answer?: { readonly envelope: { readonly jobRoot: string } };
}

const BODIES = 64;
const STEPS = 1_000_000;

/** Bodies on a shell of a cubic lattice, far apart and slow: what they do is not the subject here. */
function slowCluster() {
  const position = Array.from({ length: BODIES }, (_, i) => [
    i % 4,
    Math.floor(i / 4) % 4,
    Math.floor(i / 16),
  ]);
  const velocity = position.map(([x, y]) => [0.05 * (1.5 - y!), 0.05 * (x! - 1.5), 0]);
  const mass = position.map(() => 0.001);
  const dt = 1e-5;
  return {
    position,
    velocity,
    mass,
    referenceMode: 'gravity',
    G: 1,
    dt,
    t_max: STEPS * dt,
    integrator: 'leapfrog',
  };
}

t.setTimeout(600_000);
const dataDir = mkdtempSync(join(tmpdir(), 'svc-kill-'));
t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));

/** Waits until the job is where it should be; polls, for another process works on it. */
async function until(client: Client, id: string, isThere: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job = await client.json<Job>('GET', `/api/svc/jobs/${id}`);
    if (isThere(job)) return job;
    if (!['running', 'done'].includes(job.state)) throw new Error(`the job is ${JSON.stringify(job)}`);
    await delay(100);
  }
}

const part = ({ progress }: Job) => (progress ? Number(progress.work) / progress.expected : 0);
const stepsDone = ({ progress }: Job) => progress?.runs.find(({ label }) => label === 'run')?.steps ?? 0;

t.test('a long job killed half way goes on from its checkpoint', { timeout: 600_000 }, async (t) => {
  const { zid, key } = accountKey(dataDir);
  let node = await NodeProcess.start(dataDir);
  const client = new Client(node.url, key);
  t.teardown(() => node.stop());
  const start = () =>
    client.json<{ job: string }>('POST', '/api/svc/multibody', slowCluster(), { prefer: 'respond-async' });

  const whole = await start();
  const uninterrupted = await until(client, whole.job, ({ state }) => state === 'done');
  const killed = await start();
  const before = await until(client, killed.job, (job) => part(job) > 0.5);
  await node.kill();
  t.equal(before.state, 'running', `killed at ${(100 * part(before)).toFixed(1)} % of the work`);

  node = await NodeProcess.start(dataDir);
  client.url = node.url;
  const steps = stepsDone(await until(client, killed.job, (job) => stepsDone(job) > 0));
  t.ok(steps > 0.3 * STEPS, `it went on at step ${steps}, not from the start`);
  const resumed = await until(client, killed.job, ({ state }) => state === 'done');
  t.equal(resumed.answer!.envelope.jobRoot, uninterrupted.answer!.envelope.jobRoot);
  await node.stop();

  t.match(
    svcJson(dataDir, 'audit'),
    { sound: true, problems: [], leaves: 2 },
    'charged once, in the log once',
  );
  t.match(svcJson(dataDir, 'account', 'show', zid), { held_plancks: '0' });
});

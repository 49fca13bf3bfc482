import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { childrenIn } from '../../mesh/decide/bisection.ts';
import { type Difference, firstDifference } from '../../src/challenges/challenger.ts';
import type { ChallengeView } from '../../src/challenges/view.ts';
import { ServiceNode } from '../../src/node.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { accountKey, Client, NodeProcess, svcJson } from '../spine/node-process.ts';
import { figureEight } from '../spine/test-node.ts';
import { LyingExecutor, type SealedJob, sealedBy } from './lying.ts';

// The node is killed with -9 in the middle of the search, and again while it runs the segment and writes the verdict.

t.setTimeout(560_000);
const dataDir = mkdtempSync(join(tmpdir(), 'svc-kill-challenge-'));
t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));

/** From the answer to the last exchange to the kill, in ms: while it runs the segment, about its end, behind it. */
const killedAfterMs = [0, 200, 500];
/** About 0.4 s of this machine to the segment of the lie. */
const body = { ...figureEight, dt: 2e-5, t_max: 20, integrator: 'leapfrog' };

const { zid } = accountKey(dataDir);
const stranger = accountKey(dataDir);

async function falsified(): Promise<SealedJob[]> {
  const node = await ServiceNode.open({ dataDir, threads: 1 });
  const jobs: SealedJob[] = [];
  for (const i of killedAfterMs.keys()) {
    const executor = new LyingExecutor(node, { run: 0, segment: 80 + i }, { steps: 10_000 });
    jobs.push(await sealedBy(node, dataDir, zid, executor, ['multibody', body]));
  }
  await node.close();
  return jobs;
}

async function honest(jobs: readonly SealedJob[]): Promise<Difference[]> {
  const executor = new ThreadPool({ threads: 1 });
  const found = [];
  for (const { text } of jobs)
    found.push((await firstDifference({ file: readAnswer(text), executor, run: 0 }))!);
  await executor.close();
  return found;
}

const path = '/api/svc/challenges';

/** So many exchanges, or to the end of the search. */
async function exchanges(
  client: Client,
  { digests }: Difference,
  from: ChallengeView,
  count: number,
): Promise<ChallengeView> {
  const hex = digests.map(toHex);
  let view = from;
  for (let i = 0; i < count && view.state === 'bisecting'; i++) {
    const { dispute } = view;
    const shown = { from: dispute.from, count: dispute.count };
    const children = childrenIn(hex, shown.from, shown.count);
    view = await client.json('POST', `${path}/${view.challenge}/children`, { ...shown, ...children });
  }
  return view;
}

t.test('a challenge goes on where a killed node left it, and its end is whole or not there', async (t) => {
  const jobs = await falsified();
  const differences = await honest(jobs);
  const before = svcJson<{ fuel_plancks: string }>(dataDir, 'account', 'show', stranger.zid);
  let node = await NodeProcess.start(dataDir);
  t.teardown(() => node.stop());
  const client = new Client(node.url, stranger.key);
  const again = async () => {
    await node.kill();
    const { sound, problems } = svcJson<{ sound: boolean; problems: string[] }>(dataDir, 'audit');
    t.same({ sound, problems }, { sound: true, problems: [] }, 'what it left is whole');
    node = await NodeProcess.start(dataDir);
    client.url = node.url;
  };
  for (const [i, killMs] of killedAfterMs.entries()) {
    const [{ answer }, difference] = [jobs[i]!, differences[i]!];
    const claim = { envelope: answer.envelope, run: 0, ...difference.claim };
    const opened = await client.json<ChallengeView>('POST', path, claim);
    const half = await exchanges(client, difference, opened, 3);
    if (i === 0) await again();
    t.same(await client.json('POST', path, claim), half, 'it stands where it stood');
    const found = await exchanges(client, difference, half, Number.POSITIVE_INFINITY);
    t.match(found, { state: 'executing', dispute: { from: 80 + i, count: 1 } });
    await delay(killMs);
    await again();
    let view = found;
    while (view.state === 'executing') {
      await delay(100);
      view = await client.json('GET', `${path}/${found.challenge}`);
    }
    t.match(
      view,
      { state: 'settled', outcome: 'contributor_wrong' },
      `killed ${killMs} ms after the last exchange`,
    );
  }
  await node.stop();
  const { sound, problems } = svcJson<{ sound: boolean; problems: string[] }>(dataDir, 'audit');
  t.same({ sound, problems }, { sound: true, problems: [] });
  t.match(svcJson(dataDir, 'account', 'show', stranger.zid), { fuel_plancks: before.fuel_plancks });
  t.match(svcJson(dataDir, 'account', 'show', zid), { fuel_plancks: '36000000000000', held_plancks: '0' });
});

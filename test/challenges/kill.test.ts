import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { childrenIn } from '../../mesh/decide/bisection.ts';
import { Accounts } from '../../src/accounts/accounts.ts';
import { type Difference, firstDifference } from '../../src/challenges/challenger.ts';
import { openStakes } from '../../src/challenges/stakes.ts';
import type { ChallengeView } from '../../src/challenges/view.ts';
import { openNodeStore } from '../../src/node/node-store.ts';
import { ServiceNode } from '../../src/node.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { Client, NodeProcess } from '../spine/node-process.ts';
import { figureEight, hour } from '../spine/test-node.ts';
import { LyingExecutor, type SealedJob, sealedBy } from './lying.ts';

// The node is killed with -9 while it runs a segment and writes the verdict, and another challenge is in mid-search.

t.setTimeout(560_000);
const dataDir = mkdtempSync(join(tmpdir(), 'svc-kill-challenge-'));
t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));

/** From the answer to the last exchange to the kill, in ms: while it runs the segment, about its end, behind it. */
const killedAfterMs = [0, 200, 500];
/** About 0.4 s of this machine to the segment of the lie. */
const body = { ...figureEight, dt: 2e-5, t_max: 20, integrator: 'leapfrog' };

/** What a lying contributor sealed, who paid for it, and a stranger with fuel and a key. */
async function falsified() {
  const node = await ServiceNode.open({ dataDir, threads: 1 });
  const { zid } = await node.accounts.create({ fuel: 10n * hour });
  const stranger = await node.accounts.create({ fuel: 10n * hour });
  const { key } = await node.accounts.mintKey(stranger.zid);
  const jobs: SealedJob[] = [];
  for (const i of killedAfterMs.keys()) {
    const executor = new LyingExecutor(node, { run: 0, segment: 80 + i }, { steps: 10_000 });
    jobs.push(await sealedBy(node, dataDir, zid, executor, ['multibody', body]));
  }
  await node.close();
  return { zid, stranger: { zid: stranger.zid, key }, jobs };
}

/** What the node has left in its store while it is not there. */
async function left(): Promise<{ sound: boolean; problems: readonly string[]; fuel: readonly bigint[] }> {
  const store = await openNodeStore({ dataDir });
  const { sound, problems } = await auditSpine(store, undefined, { vkeys: [] }, [openStakes]);
  const accounts = new Accounts(store, () => 0n);
  const fuel = await Promise.all([zid, stranger.zid].map(async (each) => (await accounts.means(each)).free));
  await store.close();
  return { sound, problems, fuel };
}

const { zid, stranger, jobs } = await falsified();

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
  const differences = await honest(jobs);
  let node = await NodeProcess.start(dataDir);
  t.teardown(() => node.stop());
  const client = new Client(node.url, stranger.key);
  const again = async () => {
    await node.kill();
    t.match(await left(), { sound: true, problems: [] }, 'what it left is whole');
    node = await NodeProcess.start(dataDir);
    client.url = node.url;
  };
  const claimOf = (i: number) => ({
    ...{ envelope: jobs[i]!.answer.envelope, run: 0 },
    ...differences[i]!.claim,
  });
  const halfWay = async (i: number) =>
    exchanges(client, differences[i]!, await client.json<ChallengeView>('POST', path, claimOf(i)), 3);
  let half = await halfWay(0);
  for (const [i, killMs] of killedAfterMs.entries()) {
    // The next one is in the middle of its search when the node is killed.
    const next = i + 1 < jobs.length ? await halfWay(i + 1) : undefined;
    t.same(await client.json('POST', path, claimOf(i)), half, 'it stands where it stood');
    const found = await exchanges(client, differences[i]!, half, Number.POSITIVE_INFINITY);
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
    half = next ?? half;
  }
  await node.stop();
  const given = 10n * hour;
  t.strictSame(
    await left(),
    { sound: true, problems: [], fuel: [given, given] },
    'charges and stakes are back',
  );
});

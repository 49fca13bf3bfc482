import t, { type Test } from 'tap';
import { checkRate } from '../../../mesh/decide/trust.ts';
import { meshNodes, meshTrust, meshVerdicts } from '../../../mesh/records.ts';
import { contest } from '../../../src/challenges/challenger.ts';
import type { ChallengeView } from '../../../src/challenges/view.ts';
import { bonds, contributors } from '../../../src/contribute/records.ts';
import { readVerdict } from '../../../src/proof/challenge-verdict.ts';
import { readAnswer } from '../../../src/proof/read-answer.ts';
import { readStatement } from '../../../src/proof/statement.ts';
import { auditSpine } from '../../../src/spine/audit.ts';
import type { Store } from '../../../src/store/store.ts';
import { slander } from '../../challenges/challenged.ts';
import { natsMissing } from '../../servers/nats.ts';
import { svcJson } from '../../spine/node-process.ts';
import { hour } from '../../spine/test-node.ts';
import { ContributorProcess, customer, ServiceProcess, startServer, until } from './mesh-processes.ts';
import { books, jobOf, leases, submit, undisturbedRoot } from './orbit-job.ts';

// A contributor that lies, among others that do not, each a process. It is alone at first, so that a lease is its own;
// it begins to lie when the others are there, so that somebody can say so.

t.setTimeout(300_000);

/** As placing it leaves it: coins of the account, marked. */
async function bond(store: Store, owner: string): Promise<string> {
  const id = `bond-of-${owner}`;
  await store.transaction(async (tx) => {
    await tx.put(contributors, { owner, mode: 'contributing', bond: id, changed_ns: 0n });
    await tx.insert(bonds, { id, owner, state: 'bonded', tokens: [], bonded_ns: 0n, ends_ns: 2n ** 62n });
  });
  return id;
}

const stateOf = async (store: Store, id: string) => (await store.get(bonds, { id }))?.state;

/** Matches of a node over all kernels, the fewest of them. */
async function matchesOf(store: Store, { id }: ContributorProcess): Promise<number> {
  const rows = await store.find(meshTrust, { where: { node: id } });
  return Math.max(0, ...rows.map(({ matches }) => Number(matches)));
}

/** Of a liar: claims that it has shown since it began to lie. */
function liesOf({ said }: ContributorProcess): number {
  const since = said.findIndex(({ kind }) => kind === 'lies');
  return since < 0 ? 0 : said.slice(since).filter(({ kind }) => kind === 'span').length;
}

interface Liar {
  readonly policy: string;
  readonly lies: 'throughout' | 'later';
  /** Matches that it has gathered before its first lie. */
  readonly trusted: number;
  readonly steps: number;
}

async function besideLiar(t: Test, how: Liar) {
  const nats = await startServer(t);
  const service = await ServiceProcess.start(t, nats.url, how);
  const store = await service.store(t);
  const client = await customer(store, service);
  const liar = await ContributorProcess.admit(t, store, { nats: nats.url, seed: 66, lies: how.lies });
  const job = await submit(client, how.steps);
  const hasLease = async () => (await leases(store)).some(({ node }) => node === liar.id);
  await until('the liar has a lease', hasLease);
  const honest = await Promise.all(
    [1, 2].map((seed) => ContributorProcess.admit(t, store, { nats: nats.url, seed })),
  );
  const [staked, ...others] = await Promise.all([liar, ...honest].map(({ zid }) => bond(store, zid)));
  await until('the liar is trusted', async () => (await matchesOf(store, liar)) >= how.trusted);
  await until('the liar has a lease', hasLease);
  const rate = how.policy === 'full' ? 1 : checkRate(await matchesOf(store, liar));
  liar.signal('SIGUSR2');
  await until('its bond is withheld', async () => (await stateOf(store, staked!)) === 'withheld');
  const node = await store.get(meshNodes, { id: liar.id });
  t.match(node, { state: 'barred', mode: 'idle' }, 'it is barred');
  const verdicts = await store.find(meshVerdicts);
  t.ok(
    verdicts.length > 0 && verdicts.every(({ faulty }) => faulty === liar.id),
    'and nobody else is found faulty',
  );
  for (const other of others) t.equal(await stateOf(store, other), 'bonded', 'nor loses its bond');
  return { store, service, client, job, liar, rate, others };
}

t.test(
  'who lies in every span is caught by the first check, its bond withheld; who slanders the result loses its stake',
  { skip: natsMissing },
  async (t) => {
    const steps = 60_000;
    const { store, service, client, job, liar, others } = await besideLiar(t, {
      ...{ policy: 'full', lies: 'throughout', trusted: 0, steps },
    });
    await until('the job is done', async () => (await jobOf(client, job)).state === 'done');
    const sealed = await jobOf(client, job);

    const root = await undisturbedRoot(t, steps);
    t.equal(sealed.answer!.envelope.jobRoot, root, 'the root is that of an honest run');
    const { runs, problems, accepted, credited, owners } = await books(store);
    t.strictSame(problems, []);
    t.strictSame(credited, accepted);
    t.notOk(owners.includes(liar.zid), 'none of its spans was accepted');
    const leaves = 1 + (await store.count(meshVerdicts));
    t.match(await auditSpine(store), { sound: true, problems: [], leaves }, 'its answer and the verdicts');

    const slanderer = await customer(store, service);
    const { runs: entries } = readAnswer(sealed.answer);
    const run = entries.findIndex((_, i) => runs.includes(`${job}-${i}`));
    const path = '/api/svc/challenges';
    const difference = slander({ runs: entries }, run, 2);
    const found = await contest(sealed.answer!, difference, {
      open: (body) => slanderer.json('POST', path, body),
      children: (id, body) => slanderer.json('POST', `${path}/${id}/children`, body),
    });
    const view = () => slanderer.json<ChallengeView>('GET', `${path}/${found.challenge}`);
    await until('the challenge is settled', async () => (await view()).state !== 'executing');
    const { state, outcome, verdict, stake_plancks } = await view();
    t.match({ state, outcome }, { state: 'settled', outcome: 'challenger_wrong' });
    const { third, service: own, faulty } = readVerdict(readStatement(verdict!, []).content);
    t.ok(third && third.node !== own.node, 'a contributor ran the segment too, in a process of its own');
    t.strictSame(faulty, []);
    t.match(
      svcJson(service.place.dataDir, 'account', 'show', slanderer.zid),
      { fuel_plancks: String(10n * hour - BigInt(stake_plancks)), held_plancks: '0' },
      'the stake is gone',
    );
    for (const other of others)
      t.equal(await stateOf(store, other), 'bonded', 'who was slandered keeps its bond');
  },
);

t.test(
  'who lies once it is trusted is caught within some spans, and is trusted with nothing any more',
  { skip: natsMissing },
  async (t) => {
    const { store, client, job, liar, rate } = await besideLiar(t, {
      ...{ policy: 'sampled', lies: 'later', trusted: 8, steps: 3_000_000 },
    });
    // A claim that is drawn at this rate stays hidden so many times in a row once in a million.
    const most = Math.ceil(Math.log(1e-6) / Math.log(1 - rate));
    t.ok(rate < 1 && liesOf(liar) <= most, `${liesOf(liar)} false spans went by, each checked at ${rate}`);
    t.equal(await matchesOf(store, liar), 0);
    await client.send('DELETE', `/api/svc/jobs/${job}`);
  },
);

import t, { type Test } from 'tap';
import type { CreditedWork } from '../../mesh/coordinator/ports.ts';
import type { Claim } from '../../mesh/decide/claim.ts';
import { meshNodes, meshSchema, meshUnpaid } from '../../mesh/records.ts';
import { Contributions } from '../../src/contribute/contributions.ts';
import { reasonOfPaid } from '../../src/contribute/earnings.ts';
import type { ContributePolicy } from '../../src/contribute/policy.ts';
import { bonds, contributeSchema, runCredits } from '../../src/contribute/records.ts';
import {
  accountId,
  accountRow,
  available,
  house,
  houseBalance,
  openAccounts,
} from '../../src/ledger/accounts.ts';
import { audit } from '../../src/ledger/audit.ts';
import { ledgerSchema, transfersTable } from '../../src/ledger/records.ts';
import { transfer } from '../../src/ledger/transfers.ts';
import { envelopes, jobs } from '../../src/spine/records.ts';
import { spineSchema } from '../../src/spine/schema.ts';
import { blobSchema } from '../../src/store/blob-records.ts';
import type { Store } from '../../src/store/store.ts';
import type { Open } from '../store/contract.ts';
import { admission, DAY, door, identity, marked, mint, putJob, putNode, putRun, startNs } from './world.ts';

const schemas = [blobSchema, ledgerSchema, spineSchema, meshSchema, contributeSchema];
const HOUR = 3_600_000_000_000n;

interface World {
  readonly store: Store;
  readonly contributions: Contributions;
  /** Time that has passed. */
  at: bigint;
}

/** What contributing promises, on any store; `bondCoins` is 1,000, or less where a store is slow. */
export function run(name: string, open: Open, bondCoins: number): void {
  let places = 0;

  function test(
    title: string,
    work: (world: World, t: Test) => Promise<void>,
    policy: Partial<ContributePolicy> = {},
  ): void {
    t.test(`${name}: ${title}`, async (t) => {
      const store = await open(`contribute-${name}-${++places}`, schemas);
      const world: World = {
        store,
        contributions: new Contributions({
          store,
          now: () => startNs + world.at,
          policy: { bondCoins, ...policy },
        }),
        at: 0n,
      };
      try {
        await store.transaction((tx) => openAccounts(tx, 'ada', startNs));
        await store.transaction((tx) => openAccounts(tx, 'bob', startNs));
        await work(world, t);
        t.same((await audit(store)).problems, [], 'the books are sound afterwards');
      } finally {
        await store.close();
      }
    });
  }

  // ---- bond ----------------------------------------------------------------------------------------------

  test('a bond marks 1,000 coins where they are (CONTRIB-01, CONTRIB-10)', async ({
    store,
    contributions,
  }, t) => {
    await mint(store, 'ada', bondCoins + 1);
    const before = await store.find(envelopes);
    await contributions.bond('ada');
    const { bond } = await contributions.standing('ada');
    t.match(bond, { state: 'bonded', coins: bondCoins, daysRemaining: 30 });
    const oldest = before.slice(0, bondCoins).map(({ token_id }) => token_id);
    t.same(await marked(store, 'ada'), oldest, 'the oldest go first');
    const unmarked = (await store.find(envelopes)).map((row) => ({ ...row, locked_by: null }));
    t.same(unmarked, before, 'owner, issued_to and everything else stay');
    await contributions.release('ada');
    t.same(await store.find(envelopes), before, 'and a release takes the marks away (CONTRIB-02)');
    t.match((await contributions.standing('ada')).bond, { state: 'not bonded', coins: 0, daysRemaining: 0 });
    await t.rejects(contributions.release('ada'), { code: 'CONFLICT' });
  });

  test('only coins that can move and are not locked can be bonded (OPEN-55)', async ({
    store,
    contributions,
  }, t) => {
    await mint(store, 'ada', bondCoins - 3);
    await mint(store, 'ada', 5, { funding: 'free' });
    await mint(store, 'ada', 2, { locked_by: 'vote/1' });
    await mint(store, 'bob', 3, { issued_to: 'ada' });
    const few = { code: 'CONFLICT', details: { needed: bondCoins, movable: bondCoins - 3, soulbound: 5 } };
    await t.rejects(contributions.bond('ada'), few);
    t.equal((await marked(store, 'ada')).length, 2, 'nothing was marked');
    await mint(store, 'ada', 3, { issued_to: 'bob' });
    await contributions.bond('ada');
    t.equal((await marked(store, 'ada')).length, bondCoins + 2, 'a coin that was received counts');
  });

  test('two bonds at once mark 1,000 coins', async ({ store, contributions }, t) => {
    await mint(store, 'ada', 2 * bondCoins);
    await Promise.all([contributions.bond('ada'), contributions.bond('ada')]);
    t.equal((await marked(store, 'ada')).length, bondCoins);
    t.equal(await store.count(bonds), 1);
    const ends = await Promise.allSettled([contributions.release('ada'), contributions.release('ada')]);
    t.same(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'and one release ends it');
    t.equal((await marked(store, 'ada')).length, 0);
  });

  test('a bond stands for 30 days and begins anew when it is asked for (CONTRIB-08, OPEN-37)', async (world, t) => {
    const { store, contributions } = world;
    await mint(store, 'ada', bondCoins);
    await contributions.bond('ada');
    const daysAt = async (at: bigint) => {
      world.at = at;
      return (await contributions.standing('ada')).bond.daysRemaining;
    };
    const days: readonly (readonly [at: bigint, days: number])[] = [
      [0n, 30],
      [1n, 30],
      [DAY, 29],
      [29n * DAY, 1],
      [30n * DAY - 1n, 1],
      [30n * DAY, 0],
      [31n * DAY, 0],
    ];
    for (const [at, expected] of days) t.equal(await daysAt(at), expected, `${expected} days at ${at} ns`);
    world.at = 29n * DAY;
    await contributions.bond('ada');
    t.equal(await daysAt(29n * DAY), 30);
    world.at = 31n * DAY;
    t.equal(await contributions.endTerms(), 0, 'it has 28 days left');
    world.at = 59n * DAY;
    t.equal(await contributions.endTerms(), 1);
    t.match((await contributions.standing('ada')).bond, { state: 'not bonded' });
    t.equal((await marked(store, 'ada')).length, 0);
  });

  test('a bond is released at any time unless it is challenged (CONTRIB-02, OPEN-37)', async (world, t) => {
    const { store, contributions } = world;
    await mint(store, 'ada', bondCoins);
    await contributions.bond('ada');
    const against = { owner: 'ada', challenge: 'chl_1' };
    await store.transaction((tx) => contributions.challengeOpened(tx, { ...against, atNs: startNs }));
    await t.rejects(contributions.release('ada'), { code: 'CONFLICT', details: { challenge: 'chl_1' } });
    world.at = 40n * DAY;
    t.equal(await contributions.endTerms(), 0, 'nor does its term end it');
    await store.transaction((tx) => contributions.challengeClosed(tx, against));
    const claim = {} as Claim;
    const spans = [{ owner: 'ada', claim, sound: true }, { owner: 'ada' }, { owner: 'bob', claim }];
    await putRun(store, 'r', 'paid-small', { spans: [...spans, { owner: 'ada', claim, sound: false }] });
    const waits = { code: 'CONFLICT', details: { unchecked: 1 } };
    await t.rejects(contributions.release('ada'), waits, 'nor while a claim waits for its check');
    await putRun(store, 'r', 'paid-small', { spans });
    await contributions.release('ada');
    t.equal((await marked(store, 'ada')).length, 0);
  });

  // ---- verdicts --------------------------------------------------------------------------------------------

  test('a verdict withholds the whole bond and bars the node (CONTRIB-06)', async (world, t) => {
    const { store, contributions } = world;
    const coins = await mint(store, 'ada', bondCoins);
    await contributions.bond('ada');
    await putNode(store, 'ada', 'liar');
    await putNode(store, 'ada', 'other');
    await putNode(store, 'bob', 'honest');
    const fault = { node: 'liar', verdict: 'v1', atNs: startNs + 5n };
    for (let i = 0; i < 2; i++) await store.transaction((tx) => contributions.withhold(tx, fault));
    const { bond, verdicts, nodes } = await contributions.standing('ada');
    t.match(bond, { state: 'withheld', coins: bondCoins, daysRemaining: 0 });
    t.same(
      verdicts,
      [{ verdict: 'v1', node: 'liar', coins: bondCoins, atNs: startNs + 5n }],
      'once, with its verdict',
    );
    t.same(nodes.map(({ id, state, mode }) => [id, state, mode]).sort(), [
      ['liar', 'barred', 'idle'],
      ['other', 'admitted', 'idle'],
    ]);
    t.same((await marked(store, 'ada')).sort(), coins.sort(), 'the coins stay marked');
    await t.rejects(contributions.release('ada'), { code: 'CONFLICT', details: { verdict: 'v1' } });
    t.equal(await contributions.isAdmitted('liar'), false);
    t.equal(await contributions.isAdmitted('honest'), true);
    await t.rejects(contributions.leave('ada', 'liar'), { code: 'CONFLICT' }, 'a barred node stays barred');
    await t.rejects(contributions.switchMode('ada', 'contributing'), { code: 'CONFLICT' });
    await t.rejects(contributions.bond('ada'), { code: 'CONFLICT' }, 'withheld coins are no bond');
    await mint(store, 'ada', bondCoins);
    await contributions.bond('ada');
    t.same(await contributions.switchMode('ada', 'contributing'), { mode: 'contributing', nodes: ['other'] });
    t.equal((await marked(store, 'ada')).length, 2 * bondCoins);
  });

  test('a verdict without a bond bars the node, and its owner needs a bond from then on', async (world, t) => {
    const { store, contributions } = world;
    await contributions.switchMode('ada', 'contributing');
    await putNode(store, 'ada', 'liar');
    await store.transaction((tx) =>
      contributions.withhold(tx, { node: 'liar', verdict: 'v', atNs: startNs }),
    );
    t.match((await contributions.standing('ada')).verdicts, [{ coins: 0 }]);
    await t.rejects(contributions.switchMode('ada', 'contributing'), { code: 'CONFLICT' });
    contributions.join({ door });
    const paper = await contributions.selfTest('ada');
    const { row } = await contributions.admit('ada', admission(identity(2), paper.id));
    t.equal(row.mode, 'idle', 'a new node of the account is idle, though it was to contribute');
    await store.transaction((tx) =>
      contributions.withhold(tx, { node: 'nobody', verdict: 'v', atNs: startNs }),
    );
  });

  test('a release and a verdict at once: the bond is the one or the other, never both', async (world, t) => {
    const { store, contributions } = world;
    await mint(store, 'ada', bondCoins);
    await putNode(store, 'ada', 'liar');
    await contributions.bond('ada');
    await Promise.allSettled([
      contributions.release('ada'),
      store.transaction((tx) => contributions.withhold(tx, { node: 'liar', verdict: 'v', atNs: startNs })),
    ]);
    const [bond] = await store.find(bonds);
    t.equal((await marked(store, 'ada')).length, bond!.state === 'withheld' ? bondCoins : 0, bond!.state);
    t.not(bond!.state, 'bonded');
    const [verdict] = (await contributions.standing('ada')).verdicts;
    t.equal(verdict!.coins, bond!.state === 'withheld' ? bondCoins : 0);
  });

  test('a challenge and a release at once: a bond that is challenged stands', async ({
    store,
    contributions,
  }, t) => {
    await mint(store, 'ada', bondCoins);
    await contributions.bond('ada');
    const opened = { owner: 'ada', challenge: 'c', atNs: startNs };
    const [released] = await Promise.allSettled([
      contributions.release('ada'),
      store.transaction((tx) => contributions.challengeOpened(tx, opened)),
    ]);
    const { bond } = await contributions.standing('ada');
    t.equal(bond.state, released.status === 'fulfilled' ? 'not bonded' : 'bonded');
  });

  // ---- modes -----------------------------------------------------------------------------------------------

  test('a mode is idle, contributing or experimenting, and another is refused (CONTRIB-03)', async (world, t) => {
    const { contributions } = world;
    const told: unknown[] = [];
    contributions.join({ modeChanged: (nodes, mode) => told.push([[...nodes].sort(), mode]) });
    await putNode(world.store, 'ada', 'a1', { mode: 'idle' });
    await putNode(world.store, 'ada', 'a2', { mode: 'contributing' });
    await putNode(world.store, 'ada', 'gone', { mode: 'idle', state: 'left' });
    await putNode(world.store, 'bob', 'b1', { mode: 'idle' });
    for (const wrong of ['', 'Idle', 'idle ', 'selling', 'constructor', 7, null, undefined, ['idle'], {}])
      await t.rejects(contributions.switchMode('ada', wrong), { code: 'INVALID_INPUT' }, String(wrong));
    t.same(told, []);
    for (const mode of ['contributing', 'experimenting', 'idle'] as const) {
      await contributions.switchMode('ada', mode);
      const rows = await contributions.nodes('ada');
      const expected = new Map([
        ['a1', mode],
        ['a2', mode],
        ['gone', 'idle'],
      ] as const);
      t.same(
        new Map(rows.map(({ id, mode }) => [id, mode])),
        expected,
        'a node has one mode: never two at once (CONTRIB-04)',
      );
    }
    t.same(
      told,
      [
        [['a1'], 'contributing'],
        [['a1', 'a2'], 'experimenting'],
        [['a1', 'a2'], 'idle'],
      ],
      'whoever runs something is told of each switch (CONTRIB-04)',
    );
    await contributions.switchMode('ada', 'contributing', 'a2');
    t.same(await contributions.heartbeat('ada', 'a1').then(({ mode }) => mode), 'idle');
    for (const node of ['b1', 'nobody', 'gone'])
      await t.rejects(contributions.switchMode('ada', 'idle', node), {
        code: node === 'gone' ? 'CONFLICT' : 'NOT_FOUND',
      });
  });

  test('a heartbeat tells the mode and cannot change it (CONTRIB-05)', async (world, t) => {
    const { store, contributions } = world;
    await putNode(store, 'ada', 'a1', { mode: 'experimenting' });
    world.at = 77n;
    t.same(await contributions.heartbeat('ada', 'a1'), { mode: 'experimenting', heardNs: startNs + 77n });
    t.match(await store.get(meshNodes, { id: 'a1' }), { mode: 'experimenting', heard_ns: startNs + 77n });
    t.match(await contributions.heartbeat('ada'), { mode: 'idle' });
    await t.rejects(contributions.heartbeat('bob', 'a1'), { code: 'NOT_FOUND' });
  });

  test(
    'where a bond is required nobody contributes without one, and a release ends contributing',
    async ({ store, contributions }, t) => {
      await putNode(store, 'ada', 'a1', { mode: 'idle' });
      await t.rejects(contributions.switchMode('ada', 'contributing'), { code: 'CONFLICT' });
      await mint(store, 'ada', bondCoins);
      await contributions.bond('ada');
      await contributions.switchMode('ada', 'contributing');
      const told: unknown[] = [];
      contributions.join({ modeChanged: (nodes, mode) => told.push([...nodes, mode]) });
      await contributions.release('ada');
      t.match(await store.get(meshNodes, { id: 'a1' }), { mode: 'idle' });
      t.same(told, [['a1', 'idle']]);
    },
    { bondRequired: true },
  );

  // ---- admission -------------------------------------------------------------------------------------------

  test('a node belongs to one account for ever, and comes back after it has left', async (world, t) => {
    const { contributions } = world;
    contributions.join({ door });
    const node = identity(1);
    const admitAs = async (zid: string) =>
      contributions.admit(zid, admission(node, (await contributions.selfTest(zid)).id));
    await Promise.all([admitAs('ada'), admitAs('ada')]);
    t.equal(await contributions.isAdmitted(node.id), true);
    t.equal((await contributions.nodes('ada')).length, 1, 'two calls at once admit it once');
    await t.rejects(admitAs('bob'), { code: 'FORBIDDEN' });
    await t.rejects(contributions.leave('bob', node.id), { code: 'NOT_FOUND' });
    await contributions.leave('ada', node.id);
    t.equal(await contributions.isAdmitted(node.id), false);
    await t.rejects(admitAs('bob'), { code: 'FORBIDDEN' }, 'also when it has left');
    await admitAs('ada');
    await world.store.transaction((tx) =>
      contributions.withhold(tx, { node: node.id, verdict: 'v', atNs: startNs }),
    );
    await t.rejects(admitAs('ada'), { code: 'FORBIDDEN' }, 'a barred node stays barred');
  });

  // ---- credit ----------------------------------------------------------------------------------------------

  const done = (more: Partial<CreditedWork> = {}): CreditedWork => ({
    ...{
      node: 'n1',
      owner: 'ada',
      run: 'r1',
      payer: 'bob',
      from: 0,
      to: 3,
      work: HOUR,
      kind: 'segment',
      fence: 0,
    },
    atNs: startNs,
    ...more,
  });
  const credit = ({ store, contributions }: World, work: CreditedWork) =>
    store.transaction((tx) => contributions.credit(tx, work));
  /** The job of a run is over, and all that waited for that is settled. */
  const over = async ({ store, contributions }: World, run: string, state = 'done') => {
    await putJob(store, `job-of-${run}`, state);
    await contributions.payOut();
  };
  const coinsOf = async ({ store }: World, zid: string) =>
    available(await accountRow(store, accountId('coin', zid)));

  test('a CPU-hour of accepted work is a coin, paid once for each first segment (ECO-08)', async (world, t) => {
    await putRun(world.store, 'r1', 'paid-large');
    await Promise.all([
      credit(world, done()),
      credit(world, done()),
      credit(world, done({ to: 9, atNs: startNs + 1n })),
    ]);
    await putJob(world.store, 'job-of-r1', 'running');
    await world.contributions.payOut();
    t.equal(await coinsOf(world, 'ada'), 0n, 'none while the job runs');
    const { pending, paid } = await world.contributions.earnings('ada', { limit: 9, offset: 0 });
    t.same([pending, paid.rows.map(reasonOfPaid)[0]?.slice(0, 25)], [HOUR, 'Paid when the job is over']);
    for (let i = 0; i < 7; i++) await credit(world, done({ from: 4 + i, work: HOUR / 7n }));
    await over(world, 'r1');
    t.equal(await coinsOf(world, 'ada'), HOUR + 7n * (HOUR / 7n), 'what is no whole coin is not rounded');
    t.equal(await houseBalance(world.store, house.work, 'coin'), -(HOUR + 7n * (HOUR / 7n)));
    await credit(world, done({ owner: 'house', from: 99 }));
    await credit(world, done({ from: 98, work: 0n }));
    t.equal(
      await world.store.count(transfersTable, { unit: 'coin' }),
      8,
      "the service's threads earn nothing",
    );
  });

  test('a run is paid no more than it was planned with, whatever its nodes say of their work', async (world, t) => {
    await putRun(world.store, 'r1', 'paid-large', { work: 100 });
    const said: readonly (readonly [from: number, work: bigint, paid: bigint])[] = [
      [0, 60n, 60n],
      [1, 2n ** 62n, 40n],
      [2, 30n, 0n],
    ];
    for (const [from, work] of said) await credit(world, done({ from, to: from, work }));
    await over(world, 'r1');
    t.equal(await coinsOf(world, 'ada'), 100n);
    const { paid } = await world.contributions.earnings('ada', { limit: 10, offset: 0 });
    t.same(
      new Map(paid.rows.map((line) => [Number(line.from_segment), line.paid])),
      new Map(said.map(([from, , paid]) => [from, paid])),
    );
    t.same(paid.rows.map(({ short }) => short).sort(), ['plan', 'plan', null].sort());
    await credit(world, done({ kind: 'check', fence: 3, work: 101n }));
    await over(world, 'r1');
    t.equal(await coinsOf(world, 'ada'), 200n, 'nor is a check');
    await credit(world, done({ run: 'unknown', work: 50n }));
    t.equal(await coinsOf(world, 'ada'), 200n, 'a run that nobody knows pays nothing');
  });

  test('each check of a span is paid once, to the node that made it', async (world, t) => {
    await putRun(world.store, 'r1', 'paid-small');
    const second = done({ kind: 'check', owner: 'bob', node: 'n2', payer: 'ada', fence: 5, work: 10n });
    for (const work of [second, second, { ...second, fence: 6, work: 4n }]) await credit(world, work);
    await over(world, 'r1');
    t.equal(await coinsOf(world, 'bob'), 14n);
  });

  test(
    'what nobody pays is paid by the house up to a daily cap for each payer',
    async (world, t) => {
      await putRun(world.store, 'free', 'free-small');
      const free = (from: number, more: Partial<CreditedWork> = {}) =>
        done({ run: 'free', from, work: 60n, ...more });
      for (const from of [0, 1, 2, 1, 2]) await credit(world, free(from));
      t.equal(await coinsOf(world, 'ada'), 100n, 'the second in part, the third not at all, a repeat never');
      await credit(world, free(3, { payer: 'cyd' }));
      t.equal(await coinsOf(world, 'ada'), 160n, 'another payer has a day of its own');
      await credit(world, free(4, { atNs: startNs + DAY }));
      t.equal(await coinsOf(world, 'ada'), 220n, 'and the next day is another');
      await putRun(world.store, 'more', 'free-large');
      await credit(world, done({ run: 'more', work: 50n, atNs: startNs + DAY }));
      t.equal(await coinsOf(world, 'ada'), 260n, 'whatever the run');
      const { paid } = await world.contributions.earnings('ada', { limit: 10, offset: 0 });
      t.equal(paid.total, 6, 'every line is there');
      t.same(paid.rows.filter((line) => line.paid < line.work).length, 3);
      t.equal(await houseBalance(world.store, house.freeWork, 'coin'), -260n);
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'what is taken back of the day of an asker pays whoever runs it again',
    async (world, t) => {
      const { store, contributions } = world;
      await putRun(store, 'f', 'free-small');
      for (const from of [0, 1])
        await credit(world, done({ run: 'f', from, to: from, work: 60n, counter: 60n }));
      t.equal(await coinsOf(world, 'ada'), 100n, 'the day is over');
      const refuted = { node: 'n1', run: 'f', from: 0, atNs: startNs + DAY };
      await store.transaction((tx) => contributions.takeBack(tx, refuted));
      t.equal(await coinsOf(world, 'ada'), 0n);
      const again = {
        ...done({ run: 'f', owner: 'bob', node: 'n2', from: 0, to: 0 }),
        work: 60n,
        counter: 60n,
      };
      await store.transaction((tx) => contributions.creditAgain(tx, again));
      t.equal(await coinsOf(world, 'bob'), 60n);
      await store.transaction((tx) => contributions.takeBack(tx, refuted));
      await credit(world, done({ run: 'f', owner: 'bob', node: 'n2', from: 2, to: 2, work: 60n }));
      t.equal(await coinsOf(world, 'bob'), 100n, 'and no more than the day, however often it is taken back');
      t.equal(await houseBalance(store, house.freeWork, 'coin'), -100n);
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'what a liar has spent of the day of an asker is gone',
    async (world, t) => {
      const { store, contributions } = world;
      await putRun(store, 'f', 'free-small');
      await credit(world, done({ run: 'f', from: 0, to: 0, work: 100n }));
      const spent = { id: 'spent', debit: accountId('coin', 'ada'), credit: accountId('coin', 'bob') };
      await store.transaction((tx) =>
        transfer(tx, { ...spent, amount: 70n, unit: 'coin', reason: 'gift', atNs: startNs }),
      );
      const refuted = { node: 'n1', run: 'f', from: 0, atNs: startNs };
      await store.transaction((tx) => contributions.takeBack(tx, refuted));
      await credit(world, done({ run: 'f', owner: 'bob', node: 'n2', from: 1, to: 1, work: 100n }));
      t.equal(await coinsOf(world, 'bob'), 70n + 30n);
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'a job that nobody was charged for pays no more than the day of its asker, line by line',
    async (world, t) => {
      const { contributions } = world;
      for (const [run, state] of [
        ['p', 'refused'],
        ['q', 'cancelled'],
        ['r', 'unsealed'],
      ] as const) {
        await putRun(world.store, run, 'paid-small');
        await credit(world, done({ run, work: 40n }));
        await over(world, run, state);
        await over(world, run, state);
      }
      t.equal(await coinsOf(world, 'ada'), 100n, 'of 120: whoever cancels mints no coins');
      await putRun(world.store, 'f', 'free-small');
      await credit(world, done({ run: 'f', work: 50n }));
      t.equal(await coinsOf(world, 'ada'), 100n, 'and the day is over for given fuel too');
      t.equal(await houseBalance(world.store, house.work, 'coin'), 0n);
      t.equal(await houseBalance(world.store, house.freeWork, 'coin'), -100n);
      const { paid } = await contributions.earnings('ada', { limit: 9, offset: 0 });
      const short = paid.rows.filter((line) => line.paid < line.work);
      t.same(short.map(({ run }) => run).sort(), ['f', 'r']);
      t.match(reasonOfPaid(short.find(({ run }) => run === 'r')!), /was not charged .* was spent/);
      t.same(await world.store.find(runCredits, { where: { state: { in: ['pending', 'refunded'] } } }), []);
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'executions for challenges are paid by the house, out of one day for all of them',
    async (world, t) => {
      const third = { kind: 'check', payer: 'house:challenges', fence: 1, planned: 60n } as const;
      for (const run of ['errand-1', 'errand-1', 'errand-2'])
        await credit(world, done({ ...third, run, from: 3, work: 60n }));
      t.equal(await coinsOf(world, 'ada'), 100n, 'each once');
      await credit(world, done({ ...third, run: 'errand-3', work: 60n, atNs: startNs + DAY }));
      t.equal(await coinsOf(world, 'ada'), 160n);
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'a run that a charged job did not need is paid by the house, up to the day',
    async (world, t) => {
      await putRun(world.store, 'kept', 'paid-small', { job: 'job_1' });
      await putRun(world.store, 'dropped', 'paid-small', { job: 'job_1', state: 'cancelled' });
      for (const run of ['kept', 'dropped']) await credit(world, done({ run, work: 150n }));
      await putJob(world.store, 'job_1', 'done');
      await world.contributions.payOut();
      t.equal(await houseBalance(world.store, house.work, 'coin'), -150n);
      t.equal(await houseBalance(world.store, house.freeWork, 'coin'), -100n);
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'a job that is refunded after it was paid gives back what is beyond the day, as far as it is there',
    async (world, t) => {
      const { store, contributions } = world;
      await putRun(store, 'r1', 'paid-small');
      for (const from of [0, 1]) await credit(world, done({ from, to: from, work: 80n }));
      await credit(world, done({ owner: 'bob', node: 'n2', from: 2, work: 80n }));
      await over(world, 'r1');
      t.equal(await coinsOf(world, 'ada'), 160n);
      const { token_id } = (await store.get(jobs, { id: 'job-of-r1' }))!;
      for (let i = 0; i < 2; i++) {
        await store.transaction(async (tx) => {
          await tx.update(envelopes, { token_id: token_id! }, { revoked_ns: startNs });
          await contributions.jobRefunded(tx, { job: 'job-of-r1', atNs: startNs });
        });
        await contributions.payOut();
      }
      const left = (await coinsOf(world, 'ada')) + (await coinsOf(world, 'bob'));
      t.equal(left, 100n, 'the day of the asker');
      t.equal(await houseBalance(store, house.work, 'coin'), 0n);
      t.equal(await houseBalance(store, house.freeWork, 'coin'), -100n);
      const { paid } = await contributions.earnings('ada', { limit: 9, offset: 0 });
      for (const line of paid.rows.filter(({ taken_back }) => taken_back !== null))
        t.match(reasonOfPaid(line), /gave the asker the money back/);
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'a job that 0.2.0 paid for and that is refunded now gives back the same way',
    async (world, t) => {
      const { store, contributions } = world;
      for (const run of ['job_7-0', 'job_71-0']) {
        const job = run.slice(0, -2);
        await putRun(store, run, 'paid-small', { job });
        await credit(world, done({ run, work: 150n }));
        await putJob(store, job, 'done');
        await contributions.payOut();
        await store.transaction((tx) => tx.update(runCredits, { run }, { job: null, payer: null }));
      }
      t.equal(await coinsOf(world, 'ada'), 300n);
      const { token_id } = (await store.get(jobs, { id: 'job_7' }))!;
      await store.transaction(async (tx) => {
        await tx.update(envelopes, { token_id: token_id! }, { revoked_ns: startNs });
        await contributions.jobRefunded(tx, { job: 'job_7', atNs: startNs });
      });
      await contributions.payOut();
      t.equal(await coinsOf(world, 'ada'), 250n, 'the day of its asker stays, and the pay for another job');
    },
    { freeWorkPerDay: 100n },
  );

  test(
    'a job that is refunded before its coins were paid pays from the day only',
    async (world, t) => {
      await putRun(world.store, 'r1', 'paid-small');
      await credit(world, done({ work: 130n }));
      await putJob(world.store, 'job-of-r1', 'done');
      const { token_id } = (await world.store.get(jobs, { id: 'job-of-r1' }))!;
      await world.store.transaction((tx) =>
        tx.update(envelopes, { token_id: token_id! }, { revoked_ns: startNs }),
      );
      await world.contributions.payOut();
      t.equal(await coinsOf(world, 'ada'), 100n);
    },
    { freeWorkPerDay: 100n },
  );

  test('many lines are paid in batches, by two processes at once, each once', async (world, t) => {
    await putRun(world.store, 'r1', 'paid-large');
    for (let from = 0; from < 150; from++) await credit(world, done({ from, to: from, work: 2n }));
    await putJob(world.store, 'job-of-r1', 'done');
    await Promise.all([world.contributions.payOut(), world.contributions.payOut()]);
    await world.contributions.payOut();
    t.equal(await coinsOf(world, 'ada'), 300n);
    t.equal((await world.contributions.earnings('ada', { limit: 1, offset: 0 })).pending, 0n);
  });

  test('what was paid for refuted work is taken back, as far as it is there', async (world, t) => {
    const { store, contributions } = world;
    await putRun(store, 'r1', 'paid-small');
    await putRun(store, 'r2', 'paid-small');
    for (const from of [0, 2, 4]) await credit(world, done({ from, to: from + 1, work: 10n }));
    await credit(world, done({ node: 'n2', from: 6, to: 7, work: 10n }));
    await credit(world, done({ run: 'r2', work: 10n }));
    await credit(world, done({ kind: 'check', from: 4, fence: 9, work: 10n }));
    await putJob(store, 'job-of-r2', 'done');
    await over(world, 'r1');
    const refuted = { node: 'n1', run: 'r1', from: 3, atNs: startNs };
    for (let i = 0; i < 2; i++) await store.transaction((tx) => contributions.takeBack(tx, refuted));
    t.equal(await coinsOf(world, 'ada'), 40n, 'the spans that hold segment 3 and what comes behind it');
    const { paid } = await contributions.earnings('ada', { limit: 10, offset: 0 });
    const taken = paid.rows.filter(({ taken_back }) => taken_back === 10n);
    t.same(taken.map(({ id }) => id).sort(), ['work/r1/2', 'work/r1/4']);
    t.equal(await houseBalance(store, house.work, 'coin'), -40n);
  });

  test('a line of pay goes whole where any of it is refuted', async (world, t) => {
    const { store, contributions } = world;
    await putRun(store, 'r1', 'paid-small', { work: 80 });
    for (const from of [0, 3, 6, 9]) await credit(world, done({ from, to: from + 2, work: 10n }));
    const refuted = { node: 'n1', run: 'r1', from: 5, through: 6, atNs: startNs };
    const taken = await store.transaction((tx) => contributions.takeBack(tx, refuted));
    t.same(
      taken.sort((a, b) => a.from - b.from),
      [
        { from: 3, to: 5 },
        { from: 6, to: 8 },
      ],
      'a line may begin before what is refuted, or end behind it',
    );
    await over(world, 'r1');
    t.equal(await coinsOf(world, 'ada'), 20n);
  });

  test('who runs again what a liar was paid for is paid for it, once and within the plan', async (world, t) => {
    const { store, contributions } = world;
    await putRun(store, 'r1', 'paid-small', { work: 40 });
    const span = (more: Partial<CreditedWork>) => done({ work: 20n, ...more });
    for (const [from, counter] of [
      [0, 20n],
      [2, 40n],
    ] as const)
      await credit(world, span({ from, to: from + 1, counter }));
    const again = { ...span({ owner: 'bob', node: 'n2', from: 1, to: 3 }), work: 30n, counter: 40n };
    const paidAgain = () => store.transaction((tx) => contributions.creditAgain(tx, again));
    t.equal(await paidAgain(), 0n, 'nothing while somebody is paid for it');
    const refuted = { node: 'n1', run: 'r1', from: 2, atNs: startNs };
    t.same(await store.transaction((tx) => contributions.takeBack(tx, refuted)), [{ from: 2, to: 3 }]);
    t.equal(await paidAgain(), 20n);
    t.equal(await paidAgain(), 0n, 'and nothing again');
    t.equal(await store.transaction((tx) => contributions.creditAgain(tx, { ...again, owner: 'house' })), 0n);
    await over(world, 'r1');
    t.same([await coinsOf(world, 'ada'), await coinsOf(world, 'bob')], [20n, 20n]);
    t.equal(await houseBalance(store, house.work, 'coin'), -40n, 'what the run was planned with');
    const { paid } = await contributions.earnings('bob', { limit: 10, offset: 0 });
    t.match(paid.rows, [{ id: 'work/r1/2/1', work: 20n, short: null }]);
  });

  test('earnings are told line by line, paid and unpaid, with real totals', async (world, t) => {
    const { store, contributions } = world;
    await putRun(store, 'r1', 'paid-small');
    await putNode(store, 'ada', 'n1');
    await putNode(store, 'ada', 'n2', { state: 'left' });
    await putNode(store, 'bob', 'n3');
    for (let from = 0; from < 5; from++)
      await credit(
        world,
        done({ node: from % 2 ? 'n2' : 'n1', from, to: from, work: 3n, atNs: startNs + BigInt(from) }),
      );
    await credit(world, done({ owner: 'bob', node: 'n3', from: 9, work: 1n }));
    await over(world, 'r1');
    const lost = { run: 'r1', from_segment: 9n, work: 5n, at_ns: startNs };
    const reasons = { n1: 'refuted', n2: 'behind-refuted', n3: 'cancelled' };
    await store.transaction(async (tx) => {
      for (const [node, reason] of Object.entries(reasons))
        await tx.insert(meshUnpaid, { ...lost, node, reason });
    });
    const all = await contributions.earnings('ada', { limit: 2, offset: 1 });
    t.same([all.balance, all.paid.total, all.unpaid.total], [15n, 5, 2]);
    t.same(
      all.paid.rows.map((line) => [line.node, line.from_segment]),
      [
        ['n2', 3n],
        ['n1', 2n],
      ],
      'newest first',
    );
    const one = await contributions.earnings('ada', { limit: 50, offset: 0, node: 'n1' });
    t.same(
      [one.paid.total, one.unpaid.rows.map(({ reason }) => reason)],
      [3, ['A third execution found another result; the work is not paid, and the bond is withheld.']],
    );
    await t.rejects(contributions.earnings('ada', { limit: 1, offset: 0, node: 'n3' }), {
      code: 'NOT_FOUND',
    });
  });
}

import fc from 'fast-check';
import t, { type Test } from 'tap';
import { accountId, house, houseBalance, means, openAccounts } from '../../src/ledger/accounts.ts';
import { audit } from '../../src/ledger/audit.ts';
import { charge, holdPrice, refund, settleHold, voidHold } from '../../src/ledger/charge.ts';
import { fund } from '../../src/ledger/fund.ts';
import { accountsTable, ledgerSchema, transfersTable } from '../../src/ledger/records.ts';
import { SmallHolds } from '../../src/ledger/small-holds.ts';
import { Till } from '../../src/ledger/till.ts';
import { reverse, transfer } from '../../src/ledger/transfers.ts';
import { PAGE } from '../../src/store/audit-pages.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import type { Open } from '../store/contract.ts';

const atNs = 1_800_000_000_000_000_000n;
const zid = 'Z1';

interface Sizes {
  /** Random sequences to try against the model, and their length. */
  readonly runs: number;
  readonly length: number;
}

/** The ledger's contract, on any store. */
export function run(name: string, open: Open, sizes: Sizes): void {
  let places = 0;

  function test(title: string, work: (store: Store, t: Test) => Promise<void>): void {
    t.test(`${name}: ${title}`, async (t) => {
      const store = await open(`ledger-${name}-${++places}`, [ledgerSchema]);
      try {
        await work(store, t);
        t.same((await audit(store)).problems, [], 'the books are sound afterwards');
      } finally {
        await store.close();
      }
    });
  }

  /** An account with a bond of 10, 20 of given and 70 of bought fuel. */
  async function funded(store: Store): Promise<void> {
    await store.transaction(async (tx) => {
      await openAccounts(tx, zid, atNs);
      await fund(tx, { id: 'f1', zid, amount: 80n, funding: 'paid', atNs });
      await fund(tx, { id: 'f2', zid, amount: 20n, funding: 'free', atNs });
      const [debit, credit] = [accountId('fuel-paid', zid), accountId('bond', zid)];
      await transfer(tx, { id: 'b1', debit, credit, amount: 10n, reason: 'bond', atNs });
    });
  }

  const within = <R>(store: Store, work: (tx: Transaction) => Promise<R>) => store.transaction(work);
  const has = (store: Store) => means(store, zid);

  test('what customers have is what the house has given (double entry)', async (store, t) => {
    await funded(store);
    t.same(await has(store), { bond: 10n, free: 20n, paid: 70n, held: 0n });
    t.equal(await houseBalance(store, house.fuelSales), -80n);
    t.equal(await houseBalance(store, house.grants), -20n);
    t.same((await audit(store)).units, {
      planck: { customers: 100n, house: -100n, sum: 0n },
      coin: { customers: 0n, house: 0n, sum: 0n },
    });
  });

  test('a charge burns the bond first, then fuel, and reports both (ECO-03, CMP-12)', async (store, t) => {
    await funded(store);
    t.match(await within(store, (tx) => charge(tx, { id: 'j1', zid, amount: 4n, atNs })), {
      price_plancks: 4n,
      from_bond_plancks: 4n,
      from_fuel_plancks: 0n,
    });
    t.match(await within(store, (tx) => charge(tx, { id: 'j2', zid, amount: 30n, atNs })), {
      from_bond_plancks: 6n,
      from_fuel_plancks: 24n,
      split: { bond: 6n, free: 20n, paid: 4n },
    });
    t.same(await has(store), { bond: 0n, free: 0n, paid: 66n, held: 0n });
    t.equal(await houseBalance(store, house.compute), 34n);
  });

  test('a price above what is there is a 402 that names both, and moves nothing (CMP-10)', async (store, t) => {
    await funded(store);
    const payment = { id: 'j', zid, amount: 101n, atNs };
    const refusal = {
      code: 'INSUFFICIENT_BALANCE',
      status: 402,
      details: { price_plancks: '101', bond_plancks: '10', fuel_plancks: '90' },
    };
    await t.rejects(
      within(store, (tx) => charge(tx, payment)),
      refusal,
    );
    await t.rejects(
      within(store, (tx) => holdPrice(tx, { ...payment, expiresNs: atNs })),
      refusal,
    );
    await t.rejects(new SmallHolds(store).hold(zid, 101n), refusal);
    t.equal(await store.count(transfersTable), 3);
  });

  test('a hold takes what there is of a price where that is as much as it asks for at least', async (store, t) => {
    await funded(store);
    const asked = { zid, amount: 1000n, atNs, expiresNs: atNs };
    const short = {
      code: 'INSUFFICIENT_BALANCE',
      details: { price_plancks: '1000', expected_plancks: '91' },
    };
    const stored = await within(store, (tx) => holdPrice(tx, { ...asked, id: 'a', least: 60n }, 10n));
    t.match(stored, { price_plancks: 90n, split: { bond: 10n, free: 20n, paid: 60n } });
    t.same(await within(store, (tx) => holdPrice(tx, { ...asked, id: 'a', least: 60n })), stored, 'a repeat');
    await t.rejects(
      within(store, (tx) => holdPrice(tx, { ...asked, id: 'a', least: 91n })),
      { code: 'IDEMPOTENCY_CONFLICT' },
      'a repeat that asks for more',
    );
    await within(store, (tx) => settleHold(tx, 'a', 10n, atNs));
    const holds = new SmallHolds(store);
    await t.rejects(holds.hold(zid, 1000n, 91n), short);
    await t.rejects(
      within(store, (tx) => holdPrice(tx, { ...asked, id: 'b', least: 91n })),
      short,
    );
    const { amount, release } = await holds.hold(zid, 1000n, 90n);
    t.equal(amount, 90n);
    await t.rejects(holds.hold(zid, 1n), { code: 'INSUFFICIENT_BALANCE' }, 'nothing is left');
    release();
    t.equal((await holds.hold(zid, 30n)).amount, 30n);
  });

  test('a till charges many jobs in one transaction, as one after another would be', async (store, t) => {
    await funded(store);
    const charges = await within(store, async (tx) => {
      const till = new Till(tx);
      const made = [];
      for (const [id, amount] of [
        ['j1', 4n],
        ['j2', 30n],
      ] as const)
        made.push(await till.charge({ id, zid, amount, atNs }));
      await t.rejects(till.charge({ id: 'j3', zid, amount: 67n, atNs }), {
        code: 'INSUFFICIENT_BALANCE',
        details: { price_plancks: '67', bond_plancks: '0', fuel_plancks: '66' },
      });
      await till.close();
      made.push(await till.charge({ id: 'j4', zid, amount: 66n, atNs }));
      await till.close();
      return made;
    });
    t.same(
      charges.map(({ split }) => split),
      [
        { bond: 4n, free: 0n, paid: 0n },
        { bond: 6n, free: 20n, paid: 4n },
        { bond: 0n, free: 0n, paid: 66n },
      ],
    );
    t.same(await has(store), { bond: 0n, free: 0n, paid: 0n, held: 0n });
    t.equal(await store.count(transfersTable, { reason: 'charge' }), 5, 'each charge has its transfers');
    t.equal(await houseBalance(store, house.compute), 100n);
  });

  test('a hold is not spendable, is settled for what was used, and the rest comes back', async (store, t) => {
    await funded(store);
    const hold = { id: 'j', zid, amount: 50n, atNs, expiresNs: atNs + 1n };
    t.same((await within(store, (tx) => holdPrice(tx, hold))).split, { bond: 10n, free: 20n, paid: 20n });
    t.same(await has(store), { bond: 0n, free: 0n, paid: 50n, held: 50n });
    await t.rejects(
      within(store, (tx) => charge(tx, { id: 'k', zid, amount: 51n, atNs })),
      {
        code: 'INSUFFICIENT_BALANCE',
        details: { held_plancks: '50' },
      },
    );
    await t.rejects(
      within(store, (tx) => settleHold(tx, 'j', 51n, atNs)),
      { code: 'CONFLICT' },
    );
    t.same((await within(store, (tx) => settleHold(tx, 'j', 12n, atNs))).split, {
      bond: 10n,
      free: 2n,
      paid: 0n,
    });
    t.same(await has(store), { bond: 0n, free: 18n, paid: 70n, held: 0n });
    t.equal(await houseBalance(store, house.compute), 12n);
  });

  test('a hold ends once: the same end again does nothing, another is a conflict', async (store, t) => {
    await funded(store);
    const hold = { id: 'j', zid, amount: 30n, atNs, expiresNs: atNs + 1n };
    await within(store, (tx) => holdPrice(tx, hold));
    await within(store, (tx) => voidHold(tx, 'j', atNs));
    await within(store, (tx) => voidHold(tx, 'j', atNs + 9n));
    await t.rejects(
      within(store, (tx) => settleHold(tx, 'j', 5n, atNs)),
      { code: 'CONFLICT' },
    );
    t.same(await has(store), { bond: 10n, free: 20n, paid: 70n, held: 0n });
  });

  test('the same id and content again changes nothing; other content is a conflict', async (store, t) => {
    await funded(store);
    const payment = { id: 'j', zid, amount: 15n, atNs };
    const first = await within(store, (tx) => charge(tx, payment));
    const before = await has(store);
    t.same(await within(store, (tx) => charge(tx, { ...payment, atNs: atNs + 5n })), first);
    await within(store, (tx) => fund(tx, { id: 'f1', zid, amount: 80n, funding: 'paid', atNs }));
    t.same(await has(store), before);
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', status: 409 };
    await t.rejects(
      within(store, (tx) => charge(tx, { ...payment, amount: 16n })),
      conflict,
    );
    await t.rejects(
      within(store, (tx) => holdPrice(tx, { ...payment, expiresNs: atNs })),
      conflict,
    );
    await t.rejects(
      within(store, (tx) => fund(tx, { id: 'f1', zid, amount: 81n, funding: 'paid', atNs })),
      conflict,
    );
  });

  test('linked transfers: the first refusal takes all of them back', async (store, t) => {
    await funded(store);
    const linked = within(store, async (tx) => {
      await charge(tx, { id: 'ok', zid, amount: 60n, atNs });
      await charge(tx, { id: 'too much', zid, amount: 60n, atNs });
    });
    await t.rejects(linked, { code: 'INSUFFICIENT_BALANCE' });
    t.same(await has(store), { bond: 10n, free: 20n, paid: 70n, held: 0n });
  });

  test('a refund returns to where the charge came from, once', async (store, t) => {
    await funded(store);
    await within(store, (tx) => charge(tx, { id: 'j', zid, amount: 35n, atNs }));
    await within(store, (tx) => holdPrice(tx, { id: 'h', zid, amount: 40n, atNs, expiresNs: atNs }));
    await t.rejects(
      within(store, (tx) => refund(tx, 'h', atNs)),
      { code: 'CONFLICT' },
    );
    await within(store, (tx) => settleHold(tx, 'h', 7n, atNs));
    for (const id of ['j', 'h', 'j', 'h']) await within(store, (tx) => refund(tx, id, atNs));
    t.same(await has(store), { bond: 10n, free: 20n, paid: 70n, held: 0n });
    t.equal(await houseBalance(store, house.compute), 0n);
  });

  test('a customer is never overdrawn, also not by a reversal; a house account may be', async (store, t) => {
    await funded(store);
    await within(store, (tx) => charge(tx, { id: 'j', zid, amount: 60n, atNs }));
    await t.rejects(
      within(store, (tx) => reverse(tx, 'f1', atNs)),
      { code: 'INSUFFICIENT_BALANCE' },
    );
    const wrong = { id: 'x', debit: house.grants, credit: accountId('coin', zid), amount: 1n };
    await t.rejects(
      within(store, (tx) => transfer(tx, { ...wrong, reason: 'mix', atNs })),
      { code: 'CONFLICT' },
    );
    await t.rejects(
      within(store, (tx) => fund(tx, { id: 'y', zid: 'nobody', amount: 1n, funding: 'free', atNs })),
      {
        code: 'NOT_FOUND',
      },
    );
    for (const amount of [0n, -1n, 2n ** 63n])
      await t.rejects(
        within(store, (tx) => fund(tx, { id: 'z', zid, amount, funding: 'free', atNs })),
        {
          code: 'INVALID_INPUT',
        },
      );
  });

  test('holds in memory promise no planck twice and are let go once', async (store, t) => {
    await funded(store);
    const holds = new SmallHolds(store);
    const tries = await Promise.allSettled(Array.from({ length: 7 }, () => holds.hold(zid, 30n)));
    const granted = tries.flatMap((s) => (s.status === 'fulfilled' ? [s.value] : []));
    t.equal(granted.length, 3);
    t.equal(holds.reserved(zid), 90n);
    const stored = { id: 's', zid, amount: 11n, atNs, expiresNs: atNs };
    await t.rejects(
      within(store, (tx) => holdPrice(tx, stored, holds.reserved(zid))),
      { code: 'INSUFFICIENT_BALANCE' },
      'a stored hold leaves alone what is promised in memory',
    );
    granted[0]!.release();
    granted[0]!.release();
    t.equal(holds.reserved(zid), 60n);
    await within(store, (tx) => charge(tx, { id: 'j', zid, amount: 30n, atNs }));
    granted[1]!.release();
    await holds.hold(zid, 40n);
    t.equal(holds.reserved(zid), 70n);
  });

  test('the audit finds a balance, a transfer or a hold that was tampered with', async (store, t) => {
    await funded(store);
    const tampered = async (
      change: (tx: Transaction) => Promise<unknown>,
      undo: (tx: Transaction) => Promise<unknown>,
    ) => {
      await store.transaction(change);
      t.equal((await audit(store)).sound, false);
      await store.transaction(undo);
    };
    const set = (credits_posted: bigint) => (tx: Transaction) =>
      tx.update(accountsTable, { id: accountId('bond', zid) }, { credits_posted });
    await tampered(set(11n), set(10n));
    const amount = (amount: bigint) => (tx: Transaction) =>
      tx.update(transfersTable, { id: 'f2' }, { amount });
    await tampered(amount(21n), amount(20n));
    const row = (await store.get(transfersTable, { id: 'f2' }))!;
    await tampered(
      (tx) => tx.insert(transfersTable, { ...row, id: 'stray', credit: 'fuel-free:ghost' }),
      (tx) => tx.delete(transfersTable, { id: 'stray' }),
    );
    await tampered(
      (tx) => tx.insert(transfersTable, { ...row, id: 'lost hold', phase: 'pending' }),
      (tx) => tx.delete(transfersTable, { id: 'lost hold' }),
    );
  });

  test('the audit goes through accounts page by page and names what is wrong on any', async (store, t) => {
    await funded(store);
    const zids = Array.from({ length: PAGE }, (_, i) => `P${i}`);
    await store.transaction(async (tx) => {
      for (const each of zids) await openAccounts(tx, each, atNs);
    });
    t.match(await audit(store), { sound: true, accounts: 4 * (PAGE + 1) });
    const [wrong, gone] = [accountId('fuel-paid', `P${PAGE - 1}`), accountId('bond', zid)];
    const row = (await store.get(accountsTable, { id: gone }))!;
    await store.transaction(async (tx) => {
      await tx.update(accountsTable, { id: wrong }, { debits_posted: 1n });
      await tx.delete(accountsTable, { id: gone });
    });
    t.same((await audit(store)).problems.slice(0, 3), [
      `${wrong}: debits_posted is 1, its transfers give 0`,
      `${wrong}: overdrawn by 1`,
      `${gone} in planck: has transfers but is not open`,
    ]);
    await store.transaction(async (tx) => {
      await tx.update(accountsTable, { id: wrong }, { debits_posted: 0n });
      await tx.insert(accountsTable, row);
    });
  });

  test('random operations agree with a simple model, replays included', async (store, t) => {
    let account = 0;
    const property = fc.asyncProperty(
      fc.array(operation, { maxLength: sizes.length }),
      async (operations) => {
        const model = new Model(`M${++account}`);
        await store.transaction((tx) => openAccounts(tx, model.zid, atNs));
        for (const [step, op] of operations.entries()) {
          const outcome = await outcomeOf(store, model, op, step);
          t.strictSame(outcome, model.apply(op, step), `${op.verb} at step ${step}`);
          t.strictSame(
            await outcomeOf(store, model, op, step, outcome),
            outcome,
            'a replay has the same outcome',
          );
          t.strictSame(await means(store, model.zid), model.means());
        }
      },
    );
    await fc.assert(property, { numRuns: sizes.runs, seed: 7, endOnFailure: false });
  });
}

type Verb = 'paid' | 'free' | 'bond' | 'charge' | 'hold' | 'settle' | 'void' | 'refund';
interface Operation {
  readonly verb: Verb;
  readonly amount: bigint;
  /** Which earlier step a settle, void or refund is about. */
  readonly of: number;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  verb: fc.constantFrom<Verb>(
    'paid',
    'free',
    'bond',
    'charge',
    'charge',
    'hold',
    'hold',
    'settle',
    'void',
    'refund',
  ),
  amount: fc.bigInt({ min: 1n, max: 60n }),
  of: fc.nat({ max: 12 }),
});

type Outcome = { code: string } | { took: readonly [bigint, bigint, bigint] } | 'done';

/** Runs the operation on the ledger. With `before`, a refusal that was not recorded is not tried again. */
async function outcomeOf(
  store: Store,
  model: Model,
  op: Operation,
  step: number,
  before?: Outcome,
): Promise<Outcome> {
  if (before !== undefined && typeof before === 'object' && 'code' in before) return before;
  const { zid } = model;
  const id = `${zid}.${step}`;
  const target = `${zid}.${op.of}`;
  const payment = { id, zid, amount: op.amount, atNs };
  const took = ({ split }: { split: { bond: bigint; free: bigint; paid: bigint } }) => ({
    took: [split.bond, split.free, split.paid] as const,
  });
  const bond = { debit: accountId('fuel-paid', zid), credit: accountId('bond', zid), reason: 'bond' };
  const done = (_: unknown): Outcome => 'done';
  const verbs: Record<Verb, (tx: Transaction) => Promise<Outcome>> = {
    paid: async (tx) => done(await fund(tx, { ...payment, funding: 'paid' })),
    free: async (tx) => done(await fund(tx, { ...payment, funding: 'free' })),
    bond: async (tx) => done(await transfer(tx, { id, ...bond, amount: op.amount, atNs })),
    charge: async (tx) => took(await charge(tx, payment)),
    hold: async (tx) => took(await holdPrice(tx, { ...payment, expiresNs: atNs })),
    settle: async (tx) => took(await settleHold(tx, target, op.amount, atNs)),
    void: async (tx) => took(await settleHold(tx, target, 0n, atNs)),
    refund: async (tx) => took(await refund(tx, target, atNs)),
  };
  return store.transaction(verbs[op.verb]).catch((e: { code?: string }) => {
    if (e.code === undefined) throw e;
    return { code: e.code };
  });
}

type Triple = [bigint, bigint, bigint];
interface Job {
  readonly held: Triple;
  /** What was charged at the end; undefined while it is held. */
  charged: Triple | undefined;
  readonly wasHeld: boolean;
}

/** The ledger as a few numbers: bond, free and paid fuel; no transfers, no accounts, no store. */
class Model {
  readonly zid: string;
  readonly #balance: Triple = [0n, 0n, 0n];
  readonly #jobs = new Map<number, Job & { refunded?: boolean }>();

  constructor(zid: string) {
    this.zid = zid;
  }

  means() {
    const [bond, free, paid] = this.#balance;
    let held = 0n;
    for (const job of this.#jobs.values()) if (!job.charged) held += job.held[0] + job.held[1] + job.held[2];
    return { bond, free, paid, held };
  }

  apply(op: Operation, step: number): Outcome {
    const job = this.#jobs.get(op.of);
    if (op.verb === 'paid') return this.#add(2, op.amount);
    if (op.verb === 'free') return this.#add(1, op.amount);
    if (op.verb === 'bond') return this.#bond(op.amount);
    if (op.verb === 'charge' || op.verb === 'hold') return this.#take(op, step);
    if (op.verb === 'refund') return this.#refund(job);
    return this.#settle(job, op.verb === 'void' ? 0n : op.amount);
  }

  #add(source: number, amount: bigint): Outcome {
    this.#balance[source]! += amount;
    return 'done';
  }

  #bond(amount: bigint): Outcome {
    if (this.#balance[2] < amount) return { code: 'INSUFFICIENT_BALANCE' };
    this.#balance[2] -= amount;
    return this.#add(0, amount);
  }

  #take(op: Operation, step: number): Outcome {
    const held = cut(this.#balance, op.amount);
    if (held === undefined) return { code: 'INSUFFICIENT_BALANCE' };
    for (const i of [0, 1, 2]) this.#balance[i]! -= held[i]!;
    this.#jobs.set(step, {
      held,
      charged: op.verb === 'charge' ? held : undefined,
      wasHeld: op.verb === 'hold',
    });
    return { took: held };
  }

  #settle(job: Job | undefined, amount: bigint): Outcome {
    if (job === undefined) return amount === 0n ? { took: [0n, 0n, 0n] } : { code: 'CONFLICT' };
    const charged = cut(job.held, amount);
    if (charged === undefined) return { code: 'CONFLICT' };
    if (!job.wasHeld) return { code: 'NOT_FOUND' };
    if (job.charged) return job.charged.join() === charged.join() ? { took: charged } : { code: 'CONFLICT' };
    for (const i of [0, 1, 2]) this.#balance[i]! += job.held[i]! - charged[i]!;
    job.charged = charged;
    return { took: charged };
  }

  #refund(job: (Job & { refunded?: boolean }) | undefined): Outcome {
    if (job === undefined) return { took: [0n, 0n, 0n] };
    if (job.charged === undefined) return { code: 'CONFLICT' };
    if (!job.refunded) for (const i of [0, 1, 2]) this.#balance[i]! += job.charged[i]!;
    job.refunded = true;
    return { took: job.charged };
  }
}

const smaller = (a: bigint, b: bigint) => (a <= b ? a : b);

function cut([bondLimit, freeLimit, paidLimit]: Triple, amount: bigint): Triple | undefined {
  const bond = smaller(bondLimit, amount);
  const free = smaller(freeLimit, amount - bond);
  const paid = amount - bond - free;
  return paid <= paidLimit ? [bond, free, paid] : undefined;
}

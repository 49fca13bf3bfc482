import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAccounts } from '../../src/ledger/accounts.ts';
import { audit } from '../../src/ledger/audit.ts';
import { charge, holdPrice, settleHold } from '../../src/ledger/charge.ts';
import { fund } from '../../src/ledger/fund.ts';
import { plancksPerHour } from '../../src/ledger/plancks.ts';
import { ledgerSchema } from '../../src/ledger/records.ts';
import { SmallHolds } from '../../src/ledger/small-holds.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { rateInFlight, rawCommits } from '../store/durable-commits.ts';
import { alternatingMedians } from '../timing.ts';

const customers = 100;
const zid = (n: number) => `Z${n % customers}`;

async function fundCustomers(store: Store): Promise<void> {
  for (let i = 0; i < customers; i++)
    await store.transaction(async (tx) => {
      await openAccounts(tx, zid(i), 0n);
      await fund(tx, { id: `f${i}`, zid: zid(i), amount: plancksPerHour, funding: 'paid', atNs: 0n });
    });
}

/** Hold in memory, charge in the store, let go: what a small job costs the ledger. */
function smallJob(store: Store): (n: number) => Promise<void> {
  const holds = new SmallHolds(store);
  let id = 0;
  return async (n) => {
    const payment = { id: `s${id++}`, zid: zid(n), amount: 1000n, atNs: 0n };
    const hold = await holds.hold(payment.zid, payment.amount);
    await store.transaction((tx) => charge(tx, payment));
    hold.release();
  };
}

/** Hold in the store, then settle less than was held: what a long job costs, two durable commits. */
function longJob(store: Store): (n: number) => Promise<void> {
  let next = 0;
  return async (n) => {
    const id = `l${next++}`;
    const payment = { id, zid: zid(n), amount: 1000n, atNs: 0n, expiresNs: 1n };
    await store.transaction((tx) => holdPrice(tx, payment));
    await store.transaction((tx) => settleHold(tx, id, 700n, 0n));
  };
}

async function measure(store: Store, folder: string): Promise<Row[]> {
  const count = quick ? 200 : 4000;
  const raw = rawCommits(folder);
  const [small, long] = [smallJob(store), longJob(store)];
  const rates = await alternatingMedians(quick ? 1 : 3, {
    raw: () => raw(count / 5),
    small: () => rateInFlight(count, 256, small),
    long: () => rateInFlight(count / 2, 256, long),
  });
  if (!(await audit(store)).sound) throw new Error('the books are not sound after the bench');
  const row = (figure: string, value: number) =>
    rated({
      figure: `ledger: ${figure}, 256 in flight`,
      value,
      unit: 'settles/s',
      against: 'libsql, a commit a row',
      peer: rates.raw,
      goal: { atLeast: 0.5 },
    });
  return [
    row('small job: hold and charge', rates.small),
    row('long job: stored hold and settle', rates.long),
  ];
}

async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ledger-'));
  const store = await openStore({ dataDir: folder }, [ledgerSchema]);
  try {
    await fundCustomers(store);
    return await measure(store, folder);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

export const figure: Figure = {
  title: 'ledger: settles of 100 customers → settles/s, against durable commits of libsql alone',
  run,
};

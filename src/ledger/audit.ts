import { PAGE, Problems, pageAfter, pages } from '../store/audit-pages.ts';
import type { Reader, Store } from '../store/store.ts';
import { available, isHouse } from './accounts.ts';
import {
  type AccountRow,
  accountsTable,
  openHoldsTable,
  type TransferRow,
  transfersTable,
} from './records.ts';

export interface Audit {
  readonly sound: boolean;
  /** What is wrong, in sentences. */
  readonly problems: readonly string[];
  readonly accounts: number;
  readonly transfers: number;
  /** Per unit: what customers have, what the house has, and their sum, which is zero. */
  readonly units: Readonly<Record<string, { customers: bigint; house: bigint; sum: bigint }>>;
}

type Balance = 'debits_posted' | 'credits_posted' | 'debits_pending' | 'credits_pending';
const balances: readonly Balance[] = ['debits_posted', 'credits_posted', 'debits_pending', 'credits_pending'];
type Totals = Record<Balance, bigint>;

type Side = 'debit' | 'credit';
type Moved = Record<Side, bigint>;

/**
 * Balances, by account and unit, from the transfers alone: of those that `where` says for each side.
 * @param seen grows by all amounts on each side
 */
async function totalsFromTransfers(
  reader: Reader,
  where: (side: Side) => object,
  seen: Moved,
): Promise<Map<string, Totals>> {
  const totals = new Map<string, Totals>();
  const add = (account: string, unit: string, balance: Balance, amount: bigint) => {
    const key = `${account}\n${unit}`;
    const now = totals.get(key) ?? {
      debits_posted: 0n,
      credits_posted: 0n,
      debits_pending: 0n,
      credits_pending: 0n,
    };
    now[balance] += amount;
    totals.set(key, now);
  };
  for (const side of ['debit', 'credit'] as const) {
    for (const row of await reader.sumBy(transfersTable, 'amount', [side, 'unit', 'phase'], where(side))) {
      add(row[side], row.unit, row.phase === 'pending' ? `${side}s_pending` : `${side}s_posted`, row.sum);
      seen[side] += row.sum;
    }
    for (const row of await reader.sumBy(transfersTable, 'released', [side, 'unit'], where(side)))
      add(row[side], row.unit, `${side}s_pending`, -row.sum);
  }
  return totals;
}

function problemsOfAccount(row: AccountRow, computed: Totals | undefined): string[] {
  const wrong = balances.filter((b) => row[b] !== (computed?.[b] ?? 0n));
  const problems = wrong.map(
    (b) => `${row.id}: ${b} is ${row[b]}, its transfers give ${computed?.[b] ?? 0n}`,
  );
  if (available(row) < 0n) problems.push(`${row.id}: overdrawn by ${-available(row)}`);
  return problems;
}

/** The holds that are listed as open against the pending transfers that were not ended. */
async function problemsOfHolds(reader: Reader): Promise<string[]> {
  const pending = await reader.count(transfersTable, { phase: 'pending' });
  const ended = await reader.count(transfersTable, { phase: { in: ['post', 'void'] } });
  const open = await reader.count(openHoldsTable);
  const expected = pending - ended;
  return open === expected ? [] : [`${open} holds are listed as open, the transfers give ${expected}`];
}

type Units = Record<string, { customers: bigint; house: bigint; sum: bigint }>;
const unitOf = (units: Units, unit: string) => (units[unit] ??= { customers: 0n, house: 0n, sum: 0n });
const nameOf = (key: string) => key.replace('\n', ' in ');

/** One page of customers' accounts against their transfers. */
async function auditPage(
  tx: Reader,
  rows: readonly AccountRow[],
  units: Units,
  seen: Moved,
  problems: Problems,
) {
  const ids = rows.map(({ id }) => id);
  const totals = await totalsFromTransfers(tx, (side) => ({ [side]: { in: ids } }), seen);
  for (const row of rows) {
    const key = `${row.id}\n${row.unit}`;
    for (const problem of problemsOfAccount(row, totals.get(key))) problems.add(problem);
    unitOf(units, row.unit).customers += row.credits_posted - row.debits_posted;
    totals.delete(key);
  }
  for (const key of totals.keys()) problems.add(`${nameOf(key)}: has transfers but is not open`);
}

/** The house's accounts have no row; their balance is a sum. */
async function sumHouse(tx: Reader, units: Units, seen: Moved): Promise<void> {
  const totals = await totalsFromTransfers(tx, (side) => ({ [side]: { gte: 'house:', lt: 'house;' } }), seen);
  for (const [key, { credits_posted, debits_posted }] of totals)
    unitOf(units, key.split('\n')[1]!).house += credits_posted - debits_posted;
}

/** Names the accounts that have transfers and no row. */
async function nameStrays(tx: Reader, problems: Problems): Promise<void> {
  const strays = new Set<string>();
  for await (const rows of pages<TransferRow>((after) => tx.find(transfersTable, pageAfter(after)))) {
    const touched = new Map(
      rows.flatMap(({ debit, credit, unit }) =>
        [debit, credit].filter((id) => !isHouse(id)).map((id) => [id, `${id}\n${unit}`]),
      ),
    );
    const there = await tx.find(accountsTable, { where: { id: { in: [...touched.keys()] } } });
    for (const { id } of there) touched.delete(id);
    for (const key of touched.values()) strays.add(key);
    if (strays.size >= PAGE) break;
  }
  for (const key of strays) problems.add(`${nameOf(key)}: has transfers but is not open`);
}

/**
 * Checks the books at one moment: every balance that is kept equals what the transfers give, no customer's account
 * is overdrawn, no transfer touches an account that is not there, and each unit sums to zero over everybody. Accounts
 * are taken page by page.
 */
export function audit(store: Store): Promise<Audit> {
  return store.transaction(async (tx) => {
    const problems = new Problems();
    const units: Units = {};
    const seen: Moved = { debit: 0n, credit: 0n };
    for await (const rows of pages<AccountRow>((after) => tx.find(accountsTable, pageAfter(after))))
      await auditPage(tx, rows, units, seen, problems);
    await sumHouse(tx, units, seen);
    const moved = await tx.sum(transfersTable, 'amount');
    if (seen.debit !== moved || seen.credit !== moved) await nameStrays(tx, problems);
    for (const problem of await problemsOfHolds(tx)) problems.add(problem);
    for (const [unit, all] of Object.entries(units)) {
      all.sum = all.customers + all.house;
      if (all.sum !== 0n) problems.add(`${unit}: the sum is ${all.sum}, not 0`);
    }
    const [accounts, transfers] = [await tx.count(accountsTable), await tx.count(transfersTable)];
    return { sound: problems.count === 0, problems: problems.first, accounts, transfers, units };
  });
}

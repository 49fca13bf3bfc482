import type { Reader, Store } from '../store/store.ts';
import { available, isHouse } from './accounts.ts';
import { type AccountRow, accountsTable, openHoldsTable, transfersTable } from './records.ts';

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

/** Balances of every account, by account and unit, from the transfers alone. */
async function totalsFromTransfers(reader: Reader): Promise<Map<string, Totals>> {
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
    for (const row of await reader.sumBy(transfersTable, 'amount', [side, 'unit', 'phase']))
      add(row[side], row.unit, row.phase === 'pending' ? `${side}s_pending` : `${side}s_posted`, row.sum);
    for (const row of await reader.sumBy(transfersTable, 'released', [side, 'unit']))
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

function sumUnits(rows: readonly AccountRow[], totals: ReadonlyMap<string, Totals>) {
  const units: Record<string, { customers: bigint; house: bigint; sum: bigint }> = {};
  const unitOf = (unit: string) => (units[unit] ??= { customers: 0n, house: 0n, sum: 0n });
  for (const row of rows) unitOf(row.unit).customers += row.credits_posted - row.debits_posted;
  for (const [key, t] of totals) {
    const [account, unit] = key.split('\n') as [string, string];
    if (isHouse(account)) unitOf(unit).house += t.credits_posted - t.debits_posted;
  }
  for (const unit of Object.values(units)) unit.sum = unit.customers + unit.house;
  return units;
}

/**
 * Checks the books at one moment: every balance that is kept equals what the transfers give, no customer's account
 * is overdrawn, no transfer touches an account that is not there, and each unit sums to zero over everybody.
 */
export function audit(store: Store): Promise<Audit> {
  return store.transaction(async (tx) => {
    const rows = await tx.find(accountsTable);
    const totals = await totalsFromTransfers(tx);
    const known = new Set(rows.map((row) => `${row.id}\n${row.unit}`));
    const strays = [...totals.keys()].filter((key) => !isHouse(key) && !known.has(key));
    const units = sumUnits(rows, totals);
    const problems = [
      ...rows.flatMap((row) => problemsOfAccount(row, totals.get(`${row.id}\n${row.unit}`))),
      ...strays.map((key) => `${key.replace('\n', ' in ')}: has transfers but is not open`),
      ...(await problemsOfHolds(tx)),
      ...Object.entries(units).flatMap(([unit, u]) =>
        u.sum === 0n ? [] : [`${unit}: the sum is ${u.sum}, not 0`],
      ),
    ];
    const transfers = await tx.count(transfersTable);
    return { sound: problems.length === 0, problems, accounts: rows.length, transfers, units };
  });
}

import { Refusal } from '../errors/refusal.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { type AccountRow, accountsTable, transfersTable } from './records.ts';

export type Unit = 'planck' | 'coin';

/** `bond`, `fuel-free` and `fuel-paid` count plancks; `coin` counts earned coins, in work units (coins.ts). */
export const unitOfKind = {
  bond: 'planck',
  'fuel-free': 'planck',
  'fuel-paid': 'planck',
  coin: 'coin',
} as const satisfies Record<string, Unit>;

export type AccountKind = keyof typeof unitOfKind;

/** The other side of every movement. A house account may go below zero; that is what it is for. */
export const house = {
  /** Debited when fuel is bought. */
  fuelSales: 'house:fuel-sales',
  /** Debited when fuel is given. */
  grants: 'house:grants',
  /** Credited with what computations cost. */
  compute: 'house:compute',
  /** Debited, in coins, for contributors' work on what is paid for. */
  work: 'house:work',
  /** Debited, in coins, for contributors' work on what nobody pays: given fuel, and jobs that were refused. */
  freeWork: 'house:free-work',
} as const;

export function isHouse(account: string): boolean {
  return account.startsWith('house:');
}

export function accountId(kind: AccountKind, zid: string): string {
  return `${kind}:${zid}`;
}

const kinds = Object.keys(unitOfKind) as AccountKind[];

/** Opens the ledger accounts of a customer; what is open already stays as it is. */
export async function openAccounts(tx: Transaction, zid: string, atNs: bigint): Promise<void> {
  const there = new Set((await tx.find(accountsTable, { where: { zid } })).map((a) => a.kind));
  const empty = { debits_posted: 0n, credits_posted: 0n, debits_pending: 0n, credits_pending: 0n };
  for (const kind of kinds.filter((k) => !there.has(k)))
    await tx.insert(accountsTable, {
      id: accountId(kind, zid),
      kind,
      unit: unitOfKind[kind],
      zid,
      ...empty,
      opened_ns: atNs,
    });
}

/** What can still be spent or held: credits less debits less what is held already. */
export function available(account: AccountRow): bigint {
  return account.credits_posted - account.debits_posted - account.debits_pending;
}

/** The row of a customer's account. @throws Refusal NOT_FOUND */
export async function accountRow(reader: Reader, id: string): Promise<AccountRow> {
  const row = await reader.get(accountsTable, { id });
  if (row === undefined) throw new Refusal('NOT_FOUND', `There is no ledger account ${id}.`);
  return row;
}

/** What a customer can spend, by where it comes from, and what is held. All in plancks. */
export interface Means {
  readonly bond: bigint;
  readonly free: bigint;
  readonly paid: bigint;
  readonly held: bigint;
}

const meansKinds = { bond: 'bond', free: 'fuel-free', paid: 'fuel-paid' } as const;
export type Source = keyof typeof meansKinds;
/** In the order in which they are spent: bond, then given fuel, then bought fuel (ECO-03). */
export const sources = Object.keys(meansKinds) as readonly Source[];

export function sourceAccount(source: Source, zid: string): string {
  return accountId(meansKinds[source], zid);
}

/** @throws Refusal NOT_FOUND for a customer without accounts */
export async function means(reader: Reader, zid: string): Promise<Means> {
  const ids = sources.map((source) => sourceAccount(source, zid));
  const rows = new Map(
    (await reader.find(accountsTable, { where: { id: { in: ids } } })).map((a) => [a.id, a]),
  );
  if (rows.size < ids.length) throw new Refusal('NOT_FOUND', `There is no account ${zid}.`);
  const [bond, free, paid] = ids.map((id) => available(rows.get(id)!)) as [bigint, bigint, bigint];
  const held = [...rows.values()].reduce((sum, a) => sum + a.debits_pending, 0n);
  return { bond, free, paid, held };
}

/** A house account's credits less its debits, summed from the transfers. */
export async function houseBalance(reader: Reader, account: string, unit: Unit = 'planck'): Promise<bigint> {
  const phase = { in: ['posted', 'post'] };
  const credits = await reader.sum(transfersTable, 'amount', { credit: account, unit, phase });
  return credits - (await reader.sum(transfersTable, 'amount', { debit: account, unit, phase }));
}

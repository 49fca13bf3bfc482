import { Refusal } from '../errors/refusal.ts';
import type { Transaction } from '../store/store.ts';
import { accountRow, available, isHouse, type Unit } from './accounts.ts';
import { plancksMax } from './plancks.ts';
import {
  type AccountRow,
  accountsTable,
  openHoldsTable,
  type TransferRow,
  transfersTable,
} from './records.ts';

/**
 * Double entry after the model of TigerBeetle (docs.tigerbeetle.com/coding/data-modeling): each transfer debits one
 * account and credits another by the same amount; ids are made by the client, so that a repeat is harmless; a hold
 * is a pending transfer that is later posted, for as much as was used, or voided.
 *
 * All of these are operations inside the caller's store transaction. Transfers that must stand or fall together
 * are made in one transaction: the first refusal takes all of them back.
 */
export interface NewTransfer {
  /** Made by the caller, for ever unique. */
  readonly id: string;
  readonly debit: string;
  readonly credit: string;
  readonly amount: bigint;
  readonly unit?: Unit;
  /** Why, in a word: `fund`, `charge`, `bond`. */
  readonly reason: string;
  readonly atNs: bigint;
}

export interface NewHold extends NewTransfer {
  /** What holds it is expected to be over by then; a hold ends with its job or challenge, not by itself. */
  readonly expiresNs: bigint;
}

type Balances = Pick<AccountRow, 'debits_posted' | 'credits_posted' | 'debits_pending' | 'credits_pending'>;

const resolutionId = (pendingId: string) => `${pendingId}/end`;
const reversalId = (transferId: string) => `${transferId}/reversal`;

/** Moves an amount. A repeat of the same transfer does nothing. @throws Refusal INSUFFICIENT_BALANCE · NOT_FOUND ·
 *  IDEMPOTENCY_CONFLICT if the id was used for another transfer */
export async function transfer(tx: Transaction, t: NewTransfer): Promise<void> {
  if (!(await isRepeat(tx, rowOf(t, 'posted')))) await transferNew(tx, t);
}

/** The same for an id that the caller knows to be new: saves a look. @throws DuplicateKey if it is not */
export async function transferNew(tx: Transaction, t: NewTransfer): Promise<void> {
  const row = rowOf(t, 'posted');
  await tx.insert(transfersTable, row);
  await change(tx, row.debit, row.unit, { debits_posted: row.amount });
  await change(tx, row.credit, row.unit, { credits_posted: row.amount });
}

/** Reserves an amount; refuses like `transfer`. */
export async function hold(tx: Transaction, t: NewHold): Promise<void> {
  if (!(await isRepeat(tx, rowOf(t, 'pending')))) await holdNew(tx, t);
}

/** The same for an id that the caller knows to be new. @throws DuplicateKey if it is not */
export async function holdNew(tx: Transaction, t: NewHold): Promise<void> {
  const row = rowOf(t, 'pending');
  await tx.insert(transfersTable, row);
  await tx.insert(openHoldsTable, { id: row.id, expires_ns: t.expiresNs });
  await change(tx, row.debit, row.unit, { debits_pending: row.amount });
  await change(tx, row.credit, row.unit, { credits_pending: row.amount });
}

/**
 * Ends a hold: posts `amount` of it (0 voids it) and lets go of the rest. A repeat with the same amount does nothing.
 * @throws Refusal NOT_FOUND · CONFLICT if it was ended otherwise or the amount is above what is held
 */
export async function endHold(tx: Transaction, id: string, amount: bigint, atNs: bigint): Promise<void> {
  const held = await tx.get(transfersTable, { id });
  if (held?.phase !== 'pending') throw new Refusal('NOT_FOUND', `There is no hold ${id}.`);
  if (amount < 0n || amount > held.amount)
    throw new Refusal('CONFLICT', `Hold ${id} is for ${held.amount}, so ${amount} cannot be posted.`);
  const phase = amount === 0n ? 'void' : 'post';
  const row = { ...held, id: resolutionId(id), phase, amount, released: held.amount, at_ns: atNs };
  const ended = await tx.get(transfersTable, { id: row.id });
  if (ended?.amount === amount) return;
  if (ended) throw new Refusal('CONFLICT', `Hold ${id} was already ended with ${ended.amount}.`);
  await tx.insert(transfersTable, row);
  await tx.delete(openHoldsTable, { id });
  await change(tx, row.debit, row.unit, { debits_pending: -held.amount, debits_posted: amount });
  await change(tx, row.credit, row.unit, { credits_pending: -held.amount, credits_posted: amount });
}

/**
 * Gives back a posted transfer, whole and once: the same amount the other way. A repeat does nothing.
 * @throws Refusal NOT_FOUND · INSUFFICIENT_BALANCE if the account that got it has spent it
 */
export async function reverse(tx: Transaction, id: string, atNs: bigint): Promise<void> {
  const done = await tx.get(transfersTable, { id });
  if (done === undefined || (done.phase !== 'posted' && done.phase !== 'post'))
    throw new Refusal('NOT_FOUND', `There is no posted transfer ${id}.`);
  if (await tx.get(transfersTable, { id: reversalId(id) })) return;
  const { debit, credit, unit, amount } = done;
  const row = {
    id: reversalId(id),
    phase: 'posted',
    debit: credit,
    credit: debit,
    unit,
    amount,
    released: 0n,
  };
  await tx.insert(transfersTable, { ...row, reason: 'reversal', at_ns: atNs });
  await change(tx, row.debit, unit, { debits_posted: amount });
  await change(tx, row.credit, unit, { credits_posted: amount });
}

/** The id under which the end of a hold is recorded: what `reverse` takes to refund a settled hold. */
export function endOfHold(id: string): string {
  return resolutionId(id);
}

/** The record of a transfer. @throws Refusal INVALID_INPUT */
export function postedRow(t: NewTransfer): TransferRow {
  return rowOf(t, 'posted');
}

function rowOf(t: NewTransfer, phase: string): TransferRow {
  if (t.amount <= 0n || t.amount > plancksMax)
    throw new Refusal('INVALID_INPUT', `A transfer moves between 1 and ${plancksMax}, not ${t.amount}.`);
  if (t.debit === t.credit) throw new Refusal('INVALID_INPUT', 'A transfer needs two different accounts.');
  const { id, debit, credit, amount, reason } = t;
  return { id, phase, debit, credit, unit: t.unit ?? 'planck', amount, released: 0n, reason, at_ns: t.atNs };
}

const body = (row: TransferRow) =>
  [row.phase, row.debit, row.credit, row.unit, row.amount, row.reason].join('\n');

/** Whether this very transfer was made before; the time of the repeat does not matter. */
async function isRepeat(tx: Transaction, row: TransferRow): Promise<boolean> {
  const before = await tx.get(transfersTable, { id: row.id });
  if (before === undefined) return false;
  if (body(before) !== body(row))
    throw new Refusal('IDEMPOTENCY_CONFLICT', `Transfer ${row.id} was made before with another content.`);
  return true;
}

/** Changes the balances that a customer's account keeps; a house account keeps none. */
async function change(tx: Transaction, id: string, unit: string, by: Partial<Balances>): Promise<void> {
  if (isHouse(id)) return;
  const row = await accountRow(tx, id);
  if (row.unit !== unit) throw new Refusal('CONFLICT', `Account ${id} counts ${row.unit}, not ${unit}.`);
  const next = { ...row };
  for (const name of Object.keys(by) as (keyof Balances)[]) next[name] += by[name] ?? 0n;
  if (available(next) < 0n && available(next) < available(row))
    throw new Refusal('INSUFFICIENT_BALANCE', `Account ${id} has ${available(row)} ${unit}s to spend.`, {
      available: String(available(row)),
    });
  const { debits_posted, credits_posted, debits_pending, credits_pending } = next;
  await tx.update(accountsTable, { id }, { debits_posted, credits_posted, debits_pending, credits_pending });
}

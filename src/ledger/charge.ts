import { Refusal } from '../errors/refusal.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { house, type Means, means, type Source, sourceAccount, sources } from './accounts.ts';
import { type TransferRow, transfersTable } from './records.ts';
import { endHold, endOfHold, holdNew, type NewTransfer, reverse, transferNew } from './transfers.ts';

/** How a price falls on what the payer has. Zero where a source gives nothing. All in plancks. */
export type Split = Readonly<Record<Source, bigint>>;

/** What a charge reports (CMP-12). `split` tells bought from given fuel, for the coin that is minted from it. */
export interface Charge {
  readonly price_plancks: bigint;
  readonly from_bond_plancks: bigint;
  readonly from_fuel_plancks: bigint;
  readonly split: Split;
}

export interface Payment {
  /** Of the job: one payment per id, for ever. */
  readonly id: string;
  readonly zid: string;
  readonly amount: bigint;
  readonly atNs: bigint;
  /** `charge` where nothing is said. */
  readonly reason?: string;
}

export const nothing: Split = { bond: 0n, free: 0n, paid: 0n };

export function chargeOf(split: Split): Charge {
  const fuel = split.free + split.paid;
  return { price_plancks: split.bond + fuel, from_bond_plancks: split.bond, from_fuel_plancks: fuel, split };
}

/** Takes from each source in turn as much as is needed and allowed; undefined when all together are short. */
export function splitOver(limits: Split, amount: bigint): Split | undefined {
  const split = { ...nothing } as Record<Source, bigint>;
  let rest = amount;
  for (const source of sources) {
    const limit = limits[source] > 0n ? limits[source] : 0n;
    split[source] = rest < limit ? rest : limit;
    rest -= split[source];
  }
  return rest === 0n ? split : undefined;
}

/** What is asked for, in plancks. */
export interface Price {
  readonly amount: bigint;
  /** With this much of it there a hold takes what there is; absent: all of it has to be there. */
  readonly least?: bigint;
}

/** What of a price is held where so much is there; undefined where that is too little. */
export function heldOf({ amount, least = amount }: Price, there: bigint): bigint | undefined {
  const held = there < amount ? there : amount;
  return held < least ? undefined : held;
}

/** The refusal names the price and what is there (CMP-10). */
export function refuseShort({ amount, least = amount }: Price, has: Means, reserved = 0n): never {
  const fuel = has.free + has.paid;
  const inUse = has.held + reserved;
  const price = least < amount ? `${least} plancks as expected, at most ${amount}` : `${amount} plancks`;
  throw new Refusal(
    'INSUFFICIENT_BALANCE',
    `This costs ${price}; there are ${has.bond} in the bond and ${fuel} of fuel` +
      `${inUse > 0n ? `, with ${inUse} held for running jobs` : ''}.`,
    {
      price_plancks: String(amount),
      ...(least < amount && { expected_plancks: String(least) }),
      bond_plancks: String(has.bond),
      fuel_plancks: String(fuel),
      held_plancks: String(inUse),
    },
  );
}

export const partId = (id: string, source: Source) => `${id}/${source}`;

/** The parts of a payment as they were recorded, by source. */
async function recordedParts(reader: Reader, id: string): Promise<Map<Source, TransferRow>> {
  const parts = new Map<Source, TransferRow>();
  for (const source of sources) {
    const row = await reader.get(transfersTable, { id: partId(id, source) });
    if (row) parts.set(source, row);
  }
  return parts;
}

function splitOfParts(parts: ReadonlyMap<Source, TransferRow>): Split {
  const amount = (source: Source) => parts.get(source)?.amount ?? 0n;
  return { bond: amount('bond'), free: amount('free'), paid: amount('paid') };
}

/** Whether nothing in a payment was given: such work goes before work that was. */
export async function isPaid(reader: Reader, id: string): Promise<boolean> {
  const parts = await recordedParts(reader, id);
  return parts.size > 0 && !parts.has('free');
}

/** The split of an earlier payment with this id, if there was one. @throws Refusal IDEMPOTENCY_CONFLICT */
async function earlierSplit(
  tx: Transaction,
  payment: Payment & Price,
  phase: string,
): Promise<Split | undefined> {
  const parts = await recordedParts(tx, payment.id);
  if (parts.size === 0) return undefined;
  const split = splitOfParts(parts);
  const same = [...parts].every(
    ([s, row]) => row.phase === phase && row.debit === sourceAccount(s, payment.zid),
  );
  const amount = chargeOf(split).price_plancks;
  if (!same || heldOf(payment, amount) !== amount)
    throw new Refusal('IDEMPOTENCY_CONFLICT', `Payment ${payment.id} was made before with another content.`);
  return split;
}

/** The split that a payment will have now. `reserved`: plancks promised elsewhere that are not to be touched. */
async function newSplit(tx: Transaction, payment: Payment & Price, reserved: bigint): Promise<Split> {
  const has = await means(tx, payment.zid);
  const amount = heldOf(payment, has.bond + has.free + has.paid - reserved);
  const split = amount === undefined ? undefined : splitOver(has, amount);
  return split ?? refuseShort(payment, has, reserved);
}

/** The transfers that make a payment. */
export function partsOf(payment: Payment, split: Split): NewTransfer[] {
  return sources
    .filter((source) => split[source] > 0n)
    .map((source) => ({
      id: partId(payment.id, source),
      debit: sourceAccount(source, payment.zid),
      credit: house.compute,
      amount: split[source],
      reason: payment.reason ?? 'charge',
      atNs: payment.atNs,
    }));
}

/**
 * Charges at once, as for small jobs, whose hold is in memory (small-holds.ts); many of them are charged together by
 * till.ts. The balance is checked here again. A repeat charges nothing and reports the same.
 * @throws Refusal INSUFFICIENT_BALANCE · IDEMPOTENCY_CONFLICT · NOT_FOUND
 */
export async function charge(tx: Transaction, payment: Payment): Promise<Charge> {
  const before = await earlierSplit(tx, payment, 'posted');
  if (before) return chargeOf(before);
  const split = await newSplit(tx, payment, 0n);
  for (const part of partsOf(payment, split)) await transferNew(tx, part);
  return chargeOf(split);
}

/**
 * Holds a price in the store, or what of it is there: for jobs that are recorded while they run. Refuses like
 * `charge`. `reserved` is what this process holds in memory for the same payer.
 */
export async function holdPrice(
  tx: Transaction,
  payment: Payment & Price & { readonly expiresNs: bigint },
  reserved = 0n,
): Promise<Charge> {
  const before = await earlierSplit(tx, payment, 'pending');
  if (before) return chargeOf(before);
  const split = await newSplit(tx, payment, reserved);
  for (const part of partsOf(payment, split)) await holdNew(tx, { ...part, expiresNs: payment.expiresNs });
  return chargeOf(split);
}

/**
 * Ends a stored hold: charges `amount`, bond first, and lets go of the rest; 0 voids it. A repeat reports the same.
 * @throws Refusal CONFLICT if the amount is above what is held or the hold was ended otherwise
 */
export async function settleHold(tx: Transaction, id: string, amount: bigint, atNs: bigint): Promise<Charge> {
  const parts = await recordedParts(tx, id);
  const held = splitOfParts(parts);
  const split = splitOver(held, amount);
  if (split === undefined)
    throw new Refusal('CONFLICT', `Job ${id} holds ${chargeOf(held).price_plancks} plancks, not ${amount}.`);
  for (const source of parts.keys()) await endHold(tx, partId(id, source), split[source], atNs);
  return chargeOf(split);
}

/** Lets go of a stored hold without a charge. */
export async function voidHold(tx: Transaction, id: string, atNs: bigint): Promise<void> {
  await settleHold(tx, id, 0n, atNs);
}

/** Gives back a charge, settled from a hold or made at once, to where it came from. @returns what came back */
export async function refund(tx: Transaction, id: string, atNs: bigint): Promise<Charge> {
  const parts = await recordedParts(tx, id);
  const back = { ...nothing } as Record<Source, bigint>;
  for (const [source, row] of parts) {
    const ended = row.phase === 'pending' ? await tx.get(transfersTable, { id: endOfHold(row.id) }) : row;
    if (ended === undefined) throw new Refusal('CONFLICT', `Job ${id} is not settled yet.`);
    if (ended.amount === 0n) continue;
    await reverse(tx, ended.id, atNs);
    back[source] = ended.amount;
  }
  return chargeOf(back);
}

import type { Transaction } from '../store/store.ts';
import { freeWork } from './records.ts';

const DAY_NS = 86_400_000_000_000n;

/** Work that nobody pays, and who asked for it. */
export interface FreeWork {
  readonly payer: string;
  readonly work: bigint;
  readonly atNs: bigint;
}

/** What was taken back from whoever did it can be paid again, within the day on which it was paid. */
export async function returnFreeWork(tx: Transaction, { payer, work, atNs }: FreeWork): Promise<void> {
  const key = { payer, day: atNs / DAY_NS };
  const taken = (await tx.get(freeWork, key))?.work ?? 0n;
  if (taken > 0n) await tx.put(freeWork, { ...key, work: taken > work ? taken - work : 0n });
}

/** What is left of the payer's day, up to the work; it is taken. @returns work units that the house pays */
export async function takeFreeWork(
  tx: Transaction,
  { payer, work, atNs }: FreeWork,
  most: bigint,
): Promise<bigint> {
  const key = { payer, day: atNs / DAY_NS };
  const taken = (await tx.get(freeWork, key))?.work ?? 0n;
  const left = most > taken ? most - taken : 0n;
  const paid = work < left ? work : left;
  if (paid > 0n) await tx.put(freeWork, { ...key, work: taken + paid });
  return paid;
}

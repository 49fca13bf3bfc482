import type { Transaction } from '../store/store.ts';
import { accountId, house } from './accounts.ts';
import { transfer } from './transfers.ts';

/** Coins from work that was paid for can move; from given fuel they stay with the account (TALLY-03, TALLY-04). */
export type Funding = 'paid' | 'free';

export interface NewFunds {
  readonly id: string;
  readonly zid: string;
  readonly amount: bigint;
  readonly funding: Funding;
  readonly atNs: bigint;
}

const origin = { paid: house.fuelSales, free: house.grants } as const;

/** Adds fuel to an account, bought or given. A repeat does nothing. Refuses like `transfer`. */
export async function fund(tx: Transaction, funds: NewFunds): Promise<void> {
  const { id, zid, amount, funding, atNs } = funds;
  const credit = accountId(`fuel-${funding}`, zid);
  await transfer(tx, { id, debit: origin[funding], credit, amount, reason: 'fund', atNs });
}

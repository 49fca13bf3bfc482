import type { Schema } from '../store/schema.ts';
import { type Row, table } from '../store/table.ts';

/**
 * What the ledger keeps. Transfers are only ever appended; an account's row holds its balances, which the audit
 * computes again from the transfers. House accounts have no row: they are names, and their balance is a sum.
 */
export const accountsTable = table({
  name: 'ledger_accounts',
  key: ['id'],
  columns: {
    id: 'text',
    kind: 'text',
    unit: 'text',
    zid: 'text',
    debits_posted: 'int64',
    credits_posted: 'int64',
    debits_pending: 'int64',
    credits_pending: 'int64',
    opened_ns: 'int64',
  },
  indexes: [{ columns: ['zid'] }],
});

export const transfersTable = table({
  name: 'ledger_transfers',
  key: ['id'],
  columns: {
    id: 'text',
    /** posted · pending · post (of a pending one) · void (of a pending one) */
    phase: 'text',
    debit: 'text',
    credit: 'text',
    unit: 'text',
    /** What was moved, or for `pending` what is held. */
    amount: 'int64',
    /** For `post` and `void`: how much of the hold this lets go; else 0. */
    released: 'int64',
    reason: 'text',
    at_ns: 'int64',
  },
  indexes: [{ columns: ['debit', 'at_ns'] }, { columns: ['credit', 'at_ns'] }],
});

/** Holds that are neither posted nor voided. */
export const openHoldsTable = table({
  name: 'ledger_open_holds',
  key: ['id'],
  columns: { id: 'text', expires_ns: 'int64' },
  indexes: [{ columns: ['expires_ns'] }],
});

export const ledgerSchema: Schema = {
  feature: 'ledger',
  tables: [accountsTable, transfersTable, openHoldsTable],
};

export type AccountRow = Row<typeof accountsTable>;
export type TransferRow = Row<typeof transfersTable>;

import { PAGE, type Problems, pageAfter, pages } from '../store/audit-pages.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import { sourceAccount, sources } from './accounts.ts';
import { partId } from './charge.ts';
import { openHoldsTable, transfersTable } from './records.ts';
import { endOfHold } from './transfers.ts';

/** What something holds of an account while it lasts. */
export interface Held {
  readonly id: string;
  readonly zid: string;
  readonly amount: bigint;
}

/** Those that hold while they last: jobs that run, challenges that are open. */
export interface Holders {
  /** What one is called in a sentence. */
  readonly what: string;
  lasting(tx: Transaction): Promise<readonly Held[]>;
}

/** Each hold that is listed as open is one, of something that lasts; what lasts holds what it says, of its account. */
export async function auditHolds(
  store: Store,
  everybody: readonly Holders[],
  problems: Problems,
): Promise<void> {
  await store.transaction(async (tx) => {
    const last = new Set<string>();
    for (const { what, lasting } of everybody) {
      const all = await lasting(tx);
      for (const { id } of all) last.add(id);
      for (let from = 0; from < all.length; from += PAGE)
        await notHeld(tx, what, all.slice(from, from + PAGE), problems);
    }
    for await (const open of pages<Row<typeof openHoldsTable>>((after) =>
      tx.find(openHoldsTable, pageAfter(after)),
    )) {
      const ids = open.map(({ id }) => id);
      await notPending(tx, ids, problems);
      for (const id of ids)
        if (!last.has(id.split('/', 1)[0]!))
          problems.add(`hold ${id}: it is open, and what it was for is over`);
    }
  });
}

async function notPending(tx: Transaction, ids: readonly string[], problems: Problems): Promise<void> {
  const pending = await tx.find(transfersTable, { where: { id: { in: ids }, phase: 'pending' } });
  const ended = await tx.find(transfersTable, { where: { id: { in: ids.map(endOfHold) } } });
  const isPending = new Set(pending.map(({ id }) => id));
  const isEnded = new Set(ended.map(({ id }) => id));
  for (const id of ids)
    if (!isPending.has(id)) problems.add(`hold ${id}: it is listed as open, and there is none`);
    else if (isEnded.has(endOfHold(id))) problems.add(`hold ${id}: it is listed as open, and was ended`);
}

async function notHeld(
  tx: Transaction,
  what: string,
  page: readonly Held[],
  problems: Problems,
): Promise<void> {
  const parts = page.flatMap(({ id, zid }) =>
    sources.map((source) => ({ id, hold: partId(id, source), debit: sourceAccount(source, zid) })),
  );
  const where = { id: { in: parts.map(({ hold }) => hold) } };
  const open = new Set((await tx.find(openHoldsTable, { where })).map(({ id }) => id));
  const pending = await tx.find(transfersTable, { where: { ...where, phase: 'pending' } });
  const rows = new Map(pending.map((row) => [row.id, row]));
  const sums = new Map<string, bigint>();
  for (const { id, hold, debit } of parts) {
    const row = rows.get(hold);
    if (row && open.has(hold) && row.debit === debit) sums.set(id, (sums.get(id) ?? 0n) + row.amount);
  }
  for (const { id, zid, amount } of page) {
    const sum = sums.get(id) ?? 0n;
    if (sum !== amount)
      problems.add(`${what} ${id}: ${sum} plancks of ${zid} are held for it, it says ${amount}`);
  }
}

import { Refusal } from '../errors/refusal.ts';
import type { Transaction } from '../store/store.ts';
import { available, type Means, type Source, sourceAccount, sources } from './accounts.ts';
import {
  type Charge,
  chargeOf,
  type Payment,
  partsOf,
  refuseShort,
  type Split,
  splitOver,
} from './charge.ts';
import { type AccountRow, accountsTable, transfersTable } from './records.ts';
import { postedRow } from './transfers.ts';

/** What a payer had when the till first saw it, and what it has spent here since. */
interface Payer {
  readonly rows: Readonly<Record<Source, AccountRow>>;
  readonly spent: Record<Source, bigint>;
}

/**
 * Charges many new jobs in one transaction: a payer's balances are read once and written once, while each charge
 * has its transfers, as `charge` would have made them. `close` writes the balances; until then nobody else in the
 * transaction may touch them.
 */
export class Till {
  readonly #tx: Transaction;
  readonly #payers = new Map<string, Payer>();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /**
   * Charges a payment whose id the caller knows to be new, because it inserts the job of that id in the same
   * transaction. A refusal has written nothing.
   * @throws Refusal INSUFFICIENT_BALANCE · NOT_FOUND
   */
  async charge(payment: Payment): Promise<Charge> {
    const payer = await this.#payer(payment.zid);
    const has = meansOf(payer);
    const split = splitOver(has, payment.amount) ?? refuseShort(payment, has);
    for (const part of partsOf(payment, split)) await this.#tx.insert(transfersTable, postedRow(part));
    for (const source of sources) payer.spent[source] += split[source];
    return chargeOf(split);
  }

  /** Writes what was spent and forgets what it knows: the till can go on. */
  async close(): Promise<void> {
    for (const payer of this.#payers.values())
      for (const source of sources) if (payer.spent[source] > 0n) await this.#debit(payer, source);
    this.#payers.clear();
  }

  async #debit({ rows, spent }: Payer, source: Source): Promise<void> {
    const { id, debits_posted } = rows[source];
    const after = { debits_posted: debits_posted + spent[source] };
    if (!(await this.#tx.update(accountsTable, { id }, after, { debits_posted })))
      throw new Error(`the balance of ${id} moved inside a transaction`);
  }

  async #payer(zid: string): Promise<Payer> {
    const known = this.#payers.get(zid);
    if (known) return known;
    const payer = { rows: await this.#rows(zid), spent: { bond: 0n, free: 0n, paid: 0n } };
    this.#payers.set(zid, payer);
    return payer;
  }

  async #rows(zid: string): Promise<Payer['rows']> {
    const id = { in: sources.map((source) => sourceAccount(source, zid)) };
    const rows = new Map((await this.#tx.find(accountsTable, { where: { id } })).map((row) => [row.id, row]));
    const row = (source: Source) => rows.get(sourceAccount(source, zid));
    const [bond, free, paid] = [row('bond'), row('free'), row('paid')];
    if (bond && free && paid) return { bond, free, paid };
    throw new Refusal('NOT_FOUND', `There is no account ${zid}.`);
  }
}

function meansOf({ rows, spent }: Payer): Means & Split {
  const left = (source: Source) => available(rows[source]) - spent[source];
  const held = sources.reduce((sum, source) => sum + rows[source].debits_pending, 0n);
  return { bond: left('bond'), free: left('free'), paid: left('paid'), held };
}

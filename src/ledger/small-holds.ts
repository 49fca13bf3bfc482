import type { Reader } from '../store/store.ts';
import { means } from './accounts.ts';
import { type Charge, chargeOf, refuseShort, splitOver } from './charge.ts';

/** A reservation of this process. `release` it once the charge is durable or will not come; twice is harmless. */
export interface SmallHold {
  /** How the price would fall now; the charge decides (charge.ts). */
  readonly expected: Charge;
  release(): void;
}

/**
 * Holds of small jobs, in memory: such a job lives for milliseconds and leaves one record, so a write before it
 * would double its cost (docs/protocol.md, 'Seal, settle, record'). They keep one process from promising the same
 * plancks twice; the settling transaction checks the balance again, which also covers other processes. A crash
 * forgets them, and nothing was charged.
 */
export class SmallHolds {
  readonly #reader: Reader;
  readonly #reserved = new Map<string, bigint>();
  #releases = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** What is held in memory for an account, in plancks: pass it to `holdPrice` for a stored hold. */
  reserved(zid: string): bigint {
    return this.#reserved.get(zid) ?? 0n;
  }

  /** @throws Refusal INSUFFICIENT_BALANCE · NOT_FOUND */
  async hold(zid: string, amount: bigint): Promise<SmallHold> {
    const has = await this.#currentMeans(zid);
    const reserved = this.reserved(zid);
    const spendable = has.bond + has.free + has.paid;
    if (spendable - reserved < amount) refuseShort(amount, has, reserved);
    this.#reserved.set(zid, reserved + amount);
    const expected = chargeOf(splitOver(has, amount)!);
    return { expected, release: this.#once(() => this.#release(zid, amount)) };
  }

  /** A release while the balance is being read means that the balance may be from before its charge: read again. */
  async #currentMeans(zid: string) {
    for (;;) {
      const releases = this.#releases;
      const has = await means(this.#reader, zid);
      if (releases === this.#releases) return has;
    }
  }

  #once(work: () => void): () => void {
    let done = false;
    return () => {
      if (!done) work();
      done = true;
    };
  }

  #release(zid: string, amount: bigint): void {
    this.#releases++;
    const left = this.reserved(zid) - amount;
    if (left > 0n) this.#reserved.set(zid, left);
    else this.#reserved.delete(zid);
  }
}

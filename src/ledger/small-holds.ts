import type { Reader } from '../store/store.ts';
import { means } from './accounts.ts';
import { heldOf, refuseShort } from './charge.ts';

/** Plancks of one account that are reserved now, and that ever were. */
interface Reserved {
  readonly now: bigint;
  readonly ever: bigint;
}

const none: Reserved = { now: 0n, ever: 0n };

/** A reservation of this process. `release` it once the charge is durable or will not come; twice is harmless. */
export interface SmallHold {
  /** Plancks that are reserved. */
  readonly amount: bigint;
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
  readonly #accounts = new Map<string, Reserved>();
  /**
   * What an account has at least beyond all that was promised since it was read: while that covers a price, the
   * balance need not be read again. Others may spend too, which the settling transaction finds.
   */
  readonly #atLeast = new Map<string, bigint>();
  #releases = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** What is held in memory for an account, in plancks: pass it to `holdPrice` for a stored hold. */
  reserved(zid: string): bigint {
    return this.#accounts.get(zid)?.now ?? 0n;
  }

  /** Reserves an amount, or what of it is there if that is `least`. @throws Refusal INSUFFICIENT_BALANCE · NOT_FOUND */
  async hold(zid: string, amount: bigint, least = amount): Promise<SmallHold> {
    if ((this.#atLeast.get(zid) ?? -1n) >= amount) return this.#reserve(zid, amount);
    for (;;) {
      const before = { ...(this.#accounts.get(zid) ?? none) };
      const releases = this.#releases;
      const has = await means(this.#reader, zid);
      const after = this.#accounts.get(zid) ?? none;
      // The balance may be from before a charge whose hold was let go while it was read. Counting what was reserved
      // before and what came since is right for either; only when that is short must it be read again.
      const promised = before.now + (after.ever - before.ever);
      const left = has.bond + has.free + has.paid - promised;
      if (left < amount && releases !== this.#releases) continue;
      const held = heldOf({ amount, least }, left) ?? refuseShort({ amount, least }, has, promised);
      this.#atLeast.set(zid, left);
      return this.#reserve(zid, held);
    }
  }

  #reserve(zid: string, amount: bigint): SmallHold {
    this.#atLeast.set(zid, this.#atLeast.get(zid)! - amount);
    const account = this.#accounts.get(zid) ?? none;
    this.#accounts.set(zid, { now: account.now + amount, ever: account.ever + amount });
    let held = true;
    const release = () => {
      if (held) this.#release(zid, amount);
      held = false;
    };
    return { amount, release };
  }

  #release(zid: string, amount: bigint): void {
    const account = this.#accounts.get(zid)!;
    this.#releases++;
    this.#accounts.set(zid, { now: account.now - amount, ever: account.ever });
  }
}

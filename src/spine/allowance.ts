import { Refusal } from '../errors/refusal.ts';
import type { Store } from '../store/store.ts';
import { refusedWork } from './records.ts';

const DAY_NS = 86_400_000_000_000n;
/** What the store says is believed this long, so that a stream of small jobs costs one read a second. */
const MEMORY_NS = 1_000_000_000n;
const ACCOUNTS_REMEMBERED = 10_000;

/**
 * Refused work is never charged, so it is bounded: an account that has spent its daily allowance on calls that were
 * refused waits for the next day (docs/protocol.md, 'Price'). It is counted in the store: all processes on one store share it,
 * each a second late at most.
 */
export class RefusalAllowance {
  readonly #store: Store;
  readonly #now: () => bigint;
  readonly #plancks: bigint;
  /** What this process read or wrote last, by account. */
  readonly #spent = new Map<string, { day: bigint; plancks: bigint; atNs: bigint }>();

  constructor(store: Store, now: () => bigint, plancks: bigint) {
    this.#store = store;
    this.#now = now;
    this.#plancks = plancks;
  }

  /** @throws Refusal REFUSAL_ALLOWANCE_SPENT with `retryAfter` in seconds */
  async check(account: string): Promise<void> {
    const now = this.#now();
    const day = now / DAY_NS;
    if ((await this.#spentOn(account, day, now)) < this.#plancks) return;
    const retryAfter = Number(((day + 1n) * DAY_NS - now) / 1_000_000_000n) + 1;
    throw new Refusal(
      'REFUSAL_ALLOWANCE_SPENT',
      `Today's ${this.#plancks} plancks for refused work are spent; they renew in ${retryAfter} s.`,
      { retryAfter },
    );
  }

  /** Counts the work of a call that was refused after it ran. */
  async count(account: string, plancks: bigint): Promise<void> {
    if (plancks === 0n) return;
    const now = this.#now();
    const day = now / DAY_NS;
    const spent = await this.#store.transaction(async (tx) => {
      const before = (await tx.get(refusedWork, { account, day }))?.plancks ?? 0n;
      await tx.put(refusedWork, { account, day, plancks: before + plancks });
      return before + plancks;
    });
    this.#remember(account, { day, plancks: spent, atNs: now });
  }

  async #spentOn(account: string, day: bigint, now: bigint): Promise<bigint> {
    const known = this.#spent.get(account);
    if (known?.day === day && now - known.atNs < MEMORY_NS) return known.plancks;
    const plancks = (await this.#store.get(refusedWork, { account, day }))?.plancks ?? 0n;
    this.#remember(account, { day, plancks, atNs: now });
    return plancks;
  }

  #remember(account: string, spent: { day: bigint; plancks: bigint; atNs: bigint }): void {
    if (this.#spent.size >= ACCOUNTS_REMEMBERED) this.#spent.clear();
    this.#spent.set(account, spent);
  }
}

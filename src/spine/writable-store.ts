import { Refusal } from '../errors/refusal.ts';
import type { Store } from '../store/store.ts';
import { scratch } from './records.ts';
import type { Settled } from './settlement.ts';

/** After a write that failed the next is tried this much later. */
const PAUSE_MS = 1000;
/** Belongs to no job. */
const trial = { job: '', run: 0n, name: 'trial', part: 0n };

/**
 * Whether the store takes writes, as far as seals tell. While it does not, a node would give away value after value
 * without a seal; so it takes no jobs until a row can be written and deleted again.
 */
export class WritableStore {
  readonly #store: Store;
  #isFaulty = false;
  #triedMs = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Learns from how a job was settled. */
  saw(settled: Settled): void {
    if (settled.kind === 'settled') this.#isFaulty = false;
    else if (settled.kind === 'unsealed' && settled.isStore) this.#isFaulty = true;
  }

  /** @throws Refusal STORE_UNAVAILABLE */
  async check(): Promise<void> {
    if (this.#isFaulty && performance.now() - this.#triedMs >= PAUSE_MS) await this.#try();
    if (this.#isFaulty) throw new Refusal('STORE_UNAVAILABLE', 'The store takes no writes at the moment.');
  }

  async #try(): Promise<void> {
    this.#triedMs = performance.now();
    try {
      await this.#store.transaction((tx) => tx.put(scratch, { ...trial, bytes: new Uint8Array(4096) }));
      await this.#store.transaction((tx) => tx.delete(scratch, trial));
      this.#isFaulty = false;
    } catch {
      // It still does not; who asked is told so, and the first fault was reported.
    }
  }
}

import { Refusal } from '../errors/refusal.ts';
import { isStoreFault, type Store } from '../store/store.ts';
import { scratch } from './records.ts';
import type { Settled } from './settlement.ts';

/** After a write that failed the next is tried this much later. */
const PAUSE_MS = 1000;
/** Belongs to no job. */
const trial = { job: '', run: 0n, name: 'trial', part: 0n };

/**
 * A store that knows whether it takes writes, as far as the last ones tell. While it does not, a node would give away
 * value after value without a seal; so it takes no jobs until a row can be written and deleted again.
 */
export class WritableStore implements Store {
  readonly #store: Store;
  readonly description: string;
  #isFaulty = false;
  #triedMs = 0;

  constructor(store: Store) {
    this.#store = store;
    this.description = store.description;
  }

  readonly get: Store['get'] = (table, key) => this.#store.get(table, key);
  readonly find: Store['find'] = (table, query) => this.#store.find(table, query);
  readonly page: Store['page'] = (table, query) => this.#store.page(table, query);
  readonly count: Store['count'] = (table, where) => this.#store.count(table, where);
  readonly sum: Store['sum'] = (table, column, where) => this.#store.sum(table, column, where);
  readonly sumBy: Store['sumBy'] = (table, column, group, where) =>
    this.#store.sumBy(table, column, group, where);
  readonly dump: Store['dump'] = () => this.#store.dump();
  readonly load: Store['load'] = (tables) => this.#store.load(tables);
  readonly close: Store['close'] = () => this.#store.close();

  readonly transaction: Store['transaction'] = async (work) => {
    try {
      return await this.#store.transaction(work);
    } catch (error) {
      if (isStoreFault(error)) this.#isFaulty = true;
      throw error;
    }
  };

  /** Learns from how a job was settled, on another connection too. */
  saw(settled: Settled): void {
    if (settled.kind === 'settled') this.#isFaulty = false;
    else if (settled.kind === 'unknown' || (settled.kind === 'unsealed' && settled.isStore))
      this.#isFaulty = true;
  }

  /** @throws Refusal STORE_UNAVAILABLE */
  async check(): Promise<void> {
    if (!(await this.takesWrites()))
      throw new Refusal('STORE_UNAVAILABLE', 'The store takes no writes at the moment.');
  }

  async takesWrites(): Promise<boolean> {
    if (this.#isFaulty && performance.now() - this.#triedMs >= PAUSE_MS) await this.#try();
    return !this.#isFaulty;
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

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../errors/refusal.ts';
import type { Settled, Settler, Settling } from './settlement.ts';
import type { PackedOutcome, SettledBatch, SettlingMessage, SettlingThreadData } from './settling-wire.ts';

interface Waiting {
  readonly item: Settling;
  readonly resolve: (settled: Settled) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Settles on a thread that has the embedded store open for itself, as a second process would. Sealing and the
 * store's work are a third of what a small result costs, and would hold up the loop that answers HTTP. Jobs of one
 * turn of the event loop go out in one message.
 */
export class SettlingThread implements Settler {
  readonly #data: SettlingThreadData;
  readonly #under = new Map<number, readonly Waiting[]>();
  #worker: Worker | undefined;
  #queue: Waiting[] = [];
  #batch = 0;

  constructor(data: SettlingThreadData) {
    this.#data = data;
    this.#worker = this.#start();
  }

  settle(item: Settling): Promise<Settled> {
    return new Promise((resolve, reject) => {
      if (this.#queue.push({ item, resolve, reject }) === 1) setImmediate(() => this.#sendNext());
    });
  }

  /** To be called when nothing is under way. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('close' satisfies SettlingMessage);
    await ended;
  }

  /** What is queued while others are under way makes the next batch: a message and a commit cost as many results. */
  #sendNext(): void {
    if (this.#queue.length > 0 && this.#under.size === 0) this.#send();
  }

  #send(): void {
    const waiting = this.#queue;
    this.#queue = [];
    const batch = this.#batch++;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#under.set(batch, waiting);
    const items = waiting.map(({ item }) => item);
    this.#worker.postMessage({ batch, items } satisfies SettlingMessage);
  }

  #start(): Worker {
    const file = fileURLToPath(new URL('./settling-worker.js', import.meta.url));
    const worker = new Worker(file, { workerData: this.#data, env: {}, execArgv: [] });
    worker.unref(); // an idle thread keeps no process alive
    worker.on('message', (settled: SettledBatch) => this.#settled(settled));
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', () => this.#lost(worker, new Error('the settling thread ended')));
    return worker;
  }

  #settled({ batch, outcomes, answers }: SettledBatch): void {
    const waiting = this.#under.get(batch)!;
    this.#under.delete(batch);
    this.#sendNext();
    if (this.#under.size === 0) this.#worker?.unref();
    waiting.forEach(({ resolve }, i) => {
      resolve(unpacked(outcomes[i]!, answers));
    });
  }

  /** Whether what it had was settled, the store knows; the next job starts another thread. */
  #lost(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#under.values()].flat();
    this.#under.clear();
    for (const { reject } of lost) reject(error);
    this.#sendNext();
  }
}

function unpacked(outcome: PackedOutcome, answers: Uint8Array): Settled {
  switch (outcome.kind) {
    case 'settled':
      return { kind: 'settled', answer: answers.subarray(outcome.from, outcome.to) };
    case 'refused': {
      const { code, message, ...details } = outcome.refusal;
      return { kind: 'refused', refusal: new Refusal(code, message, details) };
    }
    default:
      return outcome;
  }
}

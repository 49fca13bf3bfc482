import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../src/errors/refusal.ts';
import { MAX_KERNEL_MEMORY, STANDSTILL_MS } from '../src/proof/limits.ts';
import type { Releases } from '../src/proof/releases.ts';
import { MissingPiece, type Rerun } from './reexecute.ts';
import type { RerunMessage, RerunRun } from './rerun-thread.ts';

const POLLS = 20;
const PAGE = 65_536;

export interface WatchedOptions {
  readonly onProgress?: (run: number, of: number, steps: number) => void;
  /** Told of each run that came out as the answer says, until their results and rows take more bytes than this. */
  readonly runs?: { readonly bytes: number; readonly on: (run: RerunRun) => void };
  /** As `reexecute` takes them. */
  readonly releases?: Releases;
  /** A kernel whose steps and work stand still this long is given up. Default STANDSTILL_MS. */
  readonly stillMs?: number;
  /** Ends it, whatever it does. */
  readonly signal?: AbortSignal;
}

/**
 * Re-executes a file on a thread of its own: its kernels come from a stranger, and one that never returns or fills the
 * memory must cost neither this process nor the user's patience.
 * @param file an answer or a bundle that `readAnswer` takes
 * @throws MissingPiece · Refusal KERNEL_CRASHED for a kernel that stands still or takes the thread down
 */
export async function rerunWatched(file: Uint8Array, options: WatchedOptions = {}): Promise<Rerun> {
  setFlagsFromString(`--wasm-max-mem-pages=${MAX_KERNEL_MEMORY / PAGE}`);
  const thread = new Worker(new URL('./rerun-thread.js', import.meta.url), {
    workerData: { file, releases: options.releases ?? {}, keep: options.runs?.bytes ?? -1 },
    env: {},
    execArgv: [],
  });
  const watch = new Standstill(options.stillMs ?? STANDSTILL_MS);
  try {
    return await new Promise<Rerun>((resolve, reject) => {
      thread.on('message', (message: RerunMessage) => {
        if (message.kind === 'done') resolve(message.rerun);
        else if (message.kind === 'run') options.runs?.on(message.run);
        else if (message.kind === 'missing') reject(new MissingPiece(message.message));
        else if (watch.sees(message)) options.onProgress?.(message.run, message.of, message.steps);
      });
      thread.on('error', (error) => reject(crash(`took its thread down: ${error.message}`)));
      thread.on('exit', () => reject(crash('ended its thread')));
      options.signal?.addEventListener('abort', () => reject(crash('was stopped')), { once: true });
      watch.start((seconds) => reject(crash(`stood still for ${seconds} s and was stopped`)));
    });
  } finally {
    watch.stop();
    await thread.terminate();
  }
}

const crash = (what: string): Refusal => new Refusal('KERNEL_CRASHED', `A kernel of this file ${what}.`);

/** Polls are counted, not seconds: a process that was suspended does not find its kernels hung. */
class Standstill {
  readonly #stillMs: number;
  #best = { run: -1, steps: 0, work: -1n };
  #polls = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(stillMs: number) {
    this.#stillMs = stillMs;
  }

  start(stands: (seconds: number) => void): void {
    this.#timer = setInterval(() => {
      if (++this.#polls > POLLS) stands(this.#stillMs / 1000);
    }, this.#stillMs / POLLS);
  }

  /** @returns whether this is further than ever before; work that goes up and down is not */
  sees({ run, steps, work }: { run: number; steps: number; work: bigint }): boolean {
    const best = this.#best;
    const isFurther = run > best.run || (run === best.run && (steps > best.steps || work > best.work));
    if (!isFurther) return false;
    this.#best =
      run > best.run
        ? { run, steps, work }
        : { run, steps: Math.max(steps, best.steps), work: work > best.work ? work : best.work };
    this.#polls = 0;
    return true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

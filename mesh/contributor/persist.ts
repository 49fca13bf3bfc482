import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../src/errors/refusal.ts';
import type { Refused } from '../decide/effects.ts';
import type { Kept } from '../desk.ts';

/** Between two attempts to be heard, doubled each time. */
const FIRST_MS = 100;
const LAST_MS = 2000;

/** The node holds this work no longer; `reason` is what the service said. */
export class Lost extends Error {
  override readonly name = 'Lost';
  readonly reason: Refused | 'released';

  constructor(reason: Refused | 'released') {
    super(`the work was lost: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Says something until the service has kept it: a service that does not answer, or has no room for now, is asked again.
 * All of it may arrive twice. Nothing heard (undefined) is no answer.
 * @throws Lost when nobody listens any more · the reason of `signal` when it is aborted · Refusal LIMIT_EXCEEDED ·
 * UNSUPPORTED for what the service will never take
 */
export async function untilKept(say: () => Promise<Kept | undefined>, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(LAST_MS, 2 * waitMs)) {
    signal.throwIfAborted();
    const kept = await beforeAbort(say(), signal).catch(unlessFinal(signal));
    if (kept === 'kept' || kept === 'settled') return;
    if (kept !== undefined && kept !== 'waiting') throw new Lost(kept);
    await sleep(waitMs, undefined, { signal }).catch(unlessAborted(signal));
  }
}

/** What no repetition mends: more than a message carries, or what the service does not understand. */
const final: ReadonlySet<string> = new Set(['LIMIT_EXCEEDED', 'UNSUPPORTED']);

const unlessFinal =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    signal.throwIfAborted();
    if (error instanceof Refusal && final.has(error.code)) throw error;
  };

const unlessAborted = (signal: AbortSignal) => (): undefined => signal.throwIfAborted() as undefined;

/** The promise, or the reason of the signal as soon as it is aborted. */
export async function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

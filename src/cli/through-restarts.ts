import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../errors/refusal.ts';
import { StrangeAnswer } from './remote.ts';

const ATTEMPTS = 30;
const PAUSE_MS = 1000;

/** Asks a node what it may be asked twice, again while it is away or not ready: it goes on with what it began. */
export async function throughRestarts<T>(ask: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof StrangeAnswer) throw error;
      const isAway = !(error instanceof Refusal) || error.status === 503;
      if (!isAway || ++failures > ATTEMPTS) throw error;
    }
    await delay(PAUSE_MS);
  }
}

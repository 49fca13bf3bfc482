import { QUESTION_MS as WINDOW_MS } from '../coordinator/asked.ts';

/** Questions of one node that are remembered; it may ask more, but then none older than what was forgotten. */
const REMEMBERED = 8192;

interface Heard {
  readonly keys: Map<string, number>;
  /** What was asked until then was forgotten, so it is refused. */
  floorMs: number;
  lastMs: number;
}

/**
 * Answers each question of a node once, and none that is older than about 120 ticks: whoever recorded one cannot give a
 * lease back or show a sign of life in the node's name by saying it again. Memory is bounded for each node, so that none
 * makes another one's questions forgotten.
 */
export class AskedOnce {
  readonly #nowMs: () => number;
  readonly #heard = new Map<string, Heard>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** @param atMs Unix ms that the node says · @returns whether it is new */
  isNew(node: string, key: string, atMs: number): boolean {
    const now = this.#nowMs();
    if (Math.abs(now - atMs) > WINDOW_MS) return false;
    const heard = this.#of(node, now);
    if (atMs <= heard.floorMs || heard.keys.has(key)) return false;
    heard.keys.set(key, atMs);
    if (heard.keys.size > REMEMBERED) forgetOldest(heard);
    return true;
  }

  #of(node: string, now: number): Heard {
    const heard = this.#heard.get(node) ?? { keys: new Map(), floorMs: 0, lastMs: now };
    heard.lastMs = now;
    this.#heard.delete(node);
    this.#heard.set(node, heard);
    // What follows is refused by its time alone from now on.
    for (const [key, atMs] of heard.keys) {
      if (now - atMs <= WINDOW_MS) break;
      heard.keys.delete(key);
    }
    for (const [other, { lastMs }] of this.#heard) {
      if (now - lastMs <= 2 * WINDOW_MS) break;
      this.#heard.delete(other);
    }
    return heard;
  }
}

function forgetOldest(heard: Heard): void {
  const [oldest] = heard.keys;
  heard.keys.delete(oldest![0]);
  heard.floorMs = Math.max(heard.floorMs, oldest![1]);
}

import type { World } from './decision.ts';

/** Nothing was heard for so long of a node that could be heard. */
export function isSilent(heard: number, ticks: number, { tick, listeningSince }: World): boolean {
  return tick - Math.max(heard, listeningSince) >= ticks;
}

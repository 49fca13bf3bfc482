import { quick } from './figure.ts';

/** The middle value; of an even number of them the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the median of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Wall seconds that the work takes. */
export async function secondsOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** V8 has compiled what a small job runs after some thousands of them, and a node in use is warm. */
export const WARM_MS = 5000;

/** One round of a contender: it measures itself and returns a rate or a time. */
export type Contender = () => number | Promise<number>;

/**
 * Medians over rounds in which each contender has its turn, so that a machine that is busy for a while is busy for
 * all of them. Every second round goes backwards. Rounds before these, one at least and `warmMs` long, warm up all of them
 * and are not counted. A small size, which says nothing about speed, has one round and no more.
 */
export async function alternatingMedians<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, Contender>>,
  warmMs = 0,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const measured = new Map<Name, number[]>(names.map((name) => [name, []]));
  const warmAt = performance.now() + warmMs;
  for (let isWarm = quick; !isWarm; isWarm = performance.now() >= warmAt)
    for (const name of names) await contenders[name]();
  for (let round = 0; round < (quick ? 1 : rounds); round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse())
      measured.get(name)!.push(await contenders[name]());
  }
  return Object.fromEntries(names.map((name) => [name, median(measured.get(name)!)])) as Record<Name, number>;
}

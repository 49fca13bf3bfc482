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

/** One round of a contender: it measures itself and returns a rate or a time. */
export type Contender = () => number | Promise<number>;

/**
 * Medians over rounds in which each contender has its turn, so that a machine that is busy for a while is busy for
 * all of them. Every second round goes backwards. A first round warms up and is not counted. A small size, which says
 * nothing about speed, has one round and no more.
 */
export async function alternatingMedians<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, Contender>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const measured = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= (quick ? 0 : rounds); round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const value = await contenders[name]();
      if (round > 0 || quick) measured.get(name)!.push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(measured.get(name)!)])) as Record<Name, number>;
}

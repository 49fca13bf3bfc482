import type { Clock } from '../clock/clock.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Store } from '../store/store.ts';
import { logHeads } from './records.ts';

const DAY_NS = 86_400_000_000_000n;

/**
 * What is sealed bears a time, and no later one may come before: a clock that is wrong once would be for ever.
 * @throws Refusal CLOCK_IN_DOUBT where the machine's clock is further ahead than is believed
 */
export function mustKnowTime(clock: Clock): void {
  const aheadNs = clock.ahead?.() ?? 0n;
  if (aheadNs === 0n) return;
  throw new Refusal(
    'CLOCK_IN_DOUBT',
    `The clock of this machine is ${aheadNs / DAY_NS} days ahead of the time that this node has counted; nothing is ` +
      'sealed until it is set right. If it is right, start the node again, after `svc identity --accept-clock` where ' +
      'more than a year has passed since the last seal.',
    { ahead_ns: String(aheadNs) },
  );
}

/** What an operator is told at a start whose clock is more than a day from the last signature. */
export function gapInTime(signedNs: bigint, wallNs: bigint): string | undefined {
  const days = (ns: bigint) => `${ns / DAY_NS} days`;
  if (wallNs - signedNs > DAY_NS)
    return `This node last signed ${days(wallNs - signedNs)} ago by the clock of its machine: see that the clock is right.`;
  if (signedNs - wallNs > DAY_NS)
    return `This node has signed ${days(signedNs - wallNs)} ahead of the clock of its machine: what it seals is stamped there too.`;
  return undefined;
}

/**
 * Takes the machine's clock for right, by the word of the operator: the next start goes on from it.
 * @throws Refusal CONFLICT where nothing was signed, or not before now
 */
export async function acceptClock(store: Store, node: string, clock: Clock): Promise<void> {
  if (clock.ahead?.())
    throw new Refusal(
      'CONFLICT',
      'The clock of this machine is beyond the year 2262, which no seal can bear.',
    );
  const nowNs = clock.now();
  await store.transaction(async (tx) => {
    const head = await tx.get(logHeads, { node });
    if (head === undefined) throw new Refusal('CONFLICT', `${node} has signed nothing: it takes any clock.`);
    if (head.signed_ns >= nowNs)
      throw new Refusal(
        'CONFLICT',
        `${node} has signed later than the clock of this machine says, and time does not go back.`,
      );
    await tx.update(logHeads, { node }, { signed_ns: nowNs });
  });
}

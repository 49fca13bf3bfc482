import { TICK_NS } from '../../src/clock/pulse.ts';
import type { Store } from '../../src/store/store.ts';
import { meshAsked } from '../records.ts';

/** A question is good for so long before and after its time, 120 ticks: the clocks of nodes differ. */
export const QUESTION_MS = 120 * Number(TICK_NS / 1_000_000n);

/** Questions after which something changes: leases are given, and nodes that hold some are taken to live. */
export type AskedKind = 'lease' | 'alive';

/**
 * Writes down when a node asked, for all service nodes. Questions of a kind come one after the other and each is later
 * than those before it, so whoever recorded one has nothing that any of them would answer.
 * @param nowMs by this clock: no question was taken that is further ahead, unless the clock was set back since
 * @returns when it asked before, in Unix ms: where that is not earlier nothing was written
 */
export function asked(
  store: Store,
  node: string,
  kind: AskedKind,
  { atMs, nowMs }: { readonly atMs: number; readonly nowMs: number },
): Promise<number> {
  const key = { node, kind };
  const at_ms = BigInt(atMs);
  return store.transaction(async (tx) => {
    const before = await tx.get(meshAsked, key);
    const isVoid = before !== undefined && before.at_ms > BigInt(nowMs + QUESTION_MS);
    if (!before) await tx.insert(meshAsked, { ...key, at_ms });
    else if (
      (isVoid || before.at_ms < at_ms) &&
      !(await tx.update(meshAsked, key, { at_ms }, { at_ms: before.at_ms }))
    )
      return atMs; // it came twice at once
    return isVoid ? 0 : Number(before?.at_ms ?? 0n);
  });
}

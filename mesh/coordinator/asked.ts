import type { Store } from '../../src/store/store.ts';
import { meshAsked } from '../records.ts';

/** Questions after which something changes: leases are given, and nodes that hold some are taken to live. */
export type AskedKind = 'lease' | 'alive';

/**
 * Writes down when a node asked, for all service nodes. Questions of a kind come one after the other and each is later
 * than those before it, so whoever recorded one has nothing that any of them would answer.
 * @returns when it asked before, in Unix ms: where that is not earlier nothing was written
 */
export function asked(store: Store, node: string, kind: AskedKind, atMs: number): Promise<number> {
  const key = { node, kind };
  const at_ms = BigInt(atMs);
  return store.transaction(async (tx) => {
    const before = await tx.get(meshAsked, key);
    if (!before) await tx.insert(meshAsked, { ...key, at_ms });
    else if (before.at_ms < at_ms && !(await tx.update(meshAsked, key, { at_ms }, { at_ms: before.at_ms })))
      return atMs; // it came twice at once
    return Number(before?.at_ms ?? 0n);
  });
}

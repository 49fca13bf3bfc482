import { type Claim, commitmentOf } from '../../../mesh/decide/claim.ts';
import { toHex } from '../../../src/proof/bytes.ts';

const known = new WeakMap<Uint8Array, { readonly claim: Claim; readonly commitment: string }>();

/**
 * The hash that the node makes of a claim and that the watcher makes of what it was shown; where both have the very
 * same claim and salt it is made once. What decides makes its own. @throws for what cannot be a claim
 */
export function commitmentTo(claim: Claim, salt: Uint8Array): string {
  const before = known.get(salt);
  if (before?.claim === claim) return before.commitment;
  const commitment = toHex(commitmentOf(claim, salt));
  known.set(salt, { claim, commitment });
  return commitment;
}

import type { Check, MeshRun } from './run.ts';
import { withoutNode } from './run.ts';

/**
 * A node whose execution came out as nobody else's, that did not stand by its commitment, or whose answer to a check was
 * none, has no word in the rest of a run, whether or not it is shown to have lied. What stands on its word alone is run
 * again; a bond is another matter.
 */

/** They are not asked again in this run, and what hangs on their word is in doubt. */
export function withoutWord<R extends MeshRun>(run: R, ...ids: readonly string[]): R {
  const distrusted = [...new Set([...(run.distrusted ?? []), ...ids])];
  return { ...withoutNode(run, ...ids), distrusted };
}

/** Whose word stands for a span. */
export interface Vouched {
  readonly node: string;
  /** Who ran all of it too and found the same; null where nobody did. */
  readonly witness: string | null;
}

/** What was drawn to be run a second time stands by the second run, anything else by the first. */
export const isDoubtful = ({ node, witness }: Vouched, distrusted: readonly string[]): boolean =>
  distrusted.includes(witness ?? node);

/** Of a sound span: what its checks say is the same for all of it, but of a second that was refuted, which comes first. */
export const witnessOf = (checks: readonly Check[]): string | null =>
  checks.findLast(({ claim }) => claim)?.id ?? null;

import { sha256 } from '#crypto';
import { type Answer, outputsOf, type RunEntry } from './answer.ts';
import { toHex, utf8 } from './bytes.ts';
import { canonicalText, recordText } from './canonical.ts';
import type { Digest } from './job.ts';
import type { Diagnostics } from './receipt.ts';

/** What an answer shows beside what the envelope says and the runs bind. */
export type Shown = Pick<Answer, 'gates' | 'fields' | 'plots' | 'assumed' | 'warnings' | 'unsealed'> & {
  readonly receipt: Diagnostics;
};

type Labels = Pick<RunEntry, 'label' | 'name'>;

/** What shownHash is the digest of: outputs, labels, fields, plots, assumptions, warnings and diagnostics. */
export function shownOf(answer: Shown, runs: readonly Labels[]): Record<string, unknown> {
  const { gates, fields, plots, assumed, warnings, unsealed } = answer;
  const { masterEquation, functionalEquation, spectralPropagator } = answer.receipt;
  return {
    ...Object.fromEntries(outputsOf(answer)),
    ...{ gates, fields, plots, assumed, warnings, unsealed },
    receipt: { masterEquation, functionalEquation, spectralPropagator },
    runs: runs.map(({ label, name }) => ({ label, name })),
  };
}

/** Its members as canonical JSON: an answer is made of the same texts. */
export function shownTexts(answer: Shown, runs: readonly Labels[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(shownOf(answer, runs)))
    if (value !== undefined) texts.set(name, canonicalText(value));
  return texts;
}

/**
 * SHA-256 of everything that an answer shows, names and words as well as numbers (docs/protocol.md, 'Envelope'). The
 * envelope binds it, so that what stands in one place cannot be put into another.
 */
export function shownHash(answer: Shown, runs: readonly Labels[]): Digest {
  return hashOfShown(shownTexts(answer, runs));
}

export function hashOfShown(texts: ReadonlyMap<string, string>): Digest {
  return toHex(sha256(utf8(recordText(texts))));
}

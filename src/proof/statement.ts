import { canonicalText } from './canonical.ts';
import type { NoteSigner } from './note.ts';

/**
 * What a node says and signs outside of its log (docs/protocol.md, 'Statements'). The first line of the note is the
 * kind, which no log has for its origin, so that a statement can never be read as a checkpoint.
 */
export type StatementKind = 'svc-attest-1' | 'svc-reverify-1';

export interface SignedStatement {
  /** Canonical JSON (RFC 8785), one line: the second of the note. */
  readonly statement: string;
  /** Signed note of two lines, kind and statement; the verifier key of the node opens it. */
  readonly note: string;
}

/** @throws TypeError for what JSON cannot hold */
export function signStatement(
  signer: NoteSigner,
  kind: StatementKind,
  content: Readonly<Record<string, unknown>>,
): SignedStatement {
  const statement = canonicalText(content);
  if (/\p{Cc}/u.test(statement)) throw new TypeError('a statement has no control characters');
  return { statement, note: signer.sign(`${kind}\n${statement}\n`) };
}

import { refuse } from '../errors/refusal.ts';
import { canonicalText } from './canonical.ts';
import { isSignedBy, type Note, type NoteSigner, readNote, readVkey } from './note.ts';
import { isRecord } from './shape.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * What a node says and signs outside of its log (docs/protocol.md, 'Statements'). The first line of the note is the
 * kind, which no log has for its origin, so that a statement can never be read as a checkpoint.
 */
const kinds = ['svc-attest-1', 'svc-reverify-1', 'svc-verdict-1', 'svc-segment-verdict-1'] as const;
export type StatementKind = (typeof kinds)[number];

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

export interface ReadStatement {
  readonly kind: StatementKind;
  readonly content: Readonly<Record<string, unknown>>;
  /** The trusted key that signed it; undefined where none did. */
  readonly signedBy: string | undefined;
}

/** Whether a text begins as a statement does. */
export const isStatement = (text: string): boolean => kinds.some((kind) => text.startsWith(`${kind}\n`));

/** Opens a statement with the keys that one trusts. @throws Refusal INVALID_INPUT for what is none */
export function readStatement(text: string, vkeys: readonly string[]): ReadStatement {
  const note = noteOf(text);
  const [kind, statement, ...rest] = note.text.split('\n');
  const known = kinds.find((each) => each === kind);
  const content = known && rest.length === 1 ? parsed(statement!) : undefined;
  if (!known || !isRecord(content) || canonicalText(content) !== statement) return noStatement();
  const signer = vkeys.map(readVkey).find((vkey) => isSignedBy(note, vkey));
  return { kind: known, content, signedBy: signer?.name };
}

function noteOf(text: string): Note {
  try {
    return readNote(text);
  } catch {
    return noStatement();
  }
}

function parsed(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    return undefined;
  }
}

function noStatement(): never {
  return refuse('INVALID_INPUT', 'The text is no signed statement: a kind, canonical JSON, a signature.', {
    accepts: kinds,
  });
}

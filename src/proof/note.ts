import { sha256, signingKey, verifySignature } from '#crypto';
import { concat, equalBytes, fromBase64, fromHex, toBase64, toHex, utf8 } from './bytes.ts';

/**
 * Signed notes with Ed25519 keys (C2SP signed-note). A verifier key is one line, `name+hash+base64`, where hash is
 * the 8 hexadecimal digits of the key ID and the base 64 covers 0x01 ‖ the 32-byte public key.
 */
const ED25519 = Uint8Array.of(1);

export interface NoteVerifier {
  readonly name: string;
  /** 4 bytes */
  readonly keyId: Uint8Array;
  readonly publicKey: Uint8Array;
}

export interface NoteSigner extends NoteVerifier {
  /** The verifier key as a line. */
  readonly vkey: string;
  /** The note: `text` (lines, each with its newline), an empty line, one signature line. */
  sign(text: string): string;
}

/** Why this cannot be a key name, or undefined. */
export function keyNameProblem(name: string): string | undefined {
  if (name === '') return 'a key name is not empty';
  if (/[\s+\p{Zs}\p{Cc}]/u.test(name))
    return 'a key name has no space, no plus sign and no control character';
  return undefined;
}

function keyIdOf(name: string, publicKey: Uint8Array): Uint8Array {
  return sha256(utf8(`${name}\n`), ED25519, publicKey).slice(0, 4);
}

export function vkeyText(verifier: { readonly name: string; readonly publicKey: Uint8Array }): string {
  const { name, publicKey } = verifier;
  return `${name}+${toHex(keyIdOf(name, publicKey))}+${toBase64(concat([ED25519, publicKey]))}`;
}

/** Reads a verifier key. Throws a RangeError that says what is wrong. */
export function readVkey(line: string): NoteVerifier {
  const match = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(line.trim());
  if (!match) throw new RangeError('a verifier key reads name+8 hexadecimal digits+base64');
  const [, name, hash, encoded] = match as unknown as [string, string, string, string];
  const problem = keyNameProblem(name);
  if (problem) throw new RangeError(problem);
  const bytes = fromBase64(encoded);
  if (bytes.length !== 33 || bytes[0] !== 1) throw new RangeError('the verifier key is not an Ed25519 key');
  const publicKey = bytes.slice(1);
  const keyId = fromHex(hash);
  if (!equalBytes(keyId, keyIdOf(name, publicKey)))
    throw new RangeError("the verifier key's hash does not fit it");
  return { name, keyId, publicKey };
}

/** @param name the node's id @param seed 32-byte Ed25519 private key */
export function noteSigner(name: string, seed: Uint8Array): NoteSigner {
  const problem = keyNameProblem(name);
  if (problem) throw new RangeError(problem);
  const key = signingKey(seed);
  const keyId = keyIdOf(name, key.publicKey);
  return {
    name,
    keyId,
    publicKey: key.publicKey,
    vkey: vkeyText({ name, publicKey: key.publicKey }),
    sign(text) {
      return `${text}\n— ${name} ${toBase64(concat([keyId, key.sign(utf8(text))]))}\n`;
    },
  };
}

export interface Note {
  /** What is signed, with its last newline. */
  readonly text: string;
  readonly signatures: readonly {
    readonly name: string;
    readonly keyId: Uint8Array;
    readonly signature: Uint8Array;
  }[];
}

/** Takes a note apart. Throws a RangeError for what is not a note. */
export function readNote(note: string): Note {
  const cut = note.lastIndexOf('\n\n');
  if (cut < 0 || !note.endsWith('\n'))
    throw new RangeError('a signed note has an empty line before its signatures');
  if (/[^\P{Cc}\n]/u.test(note)) throw new RangeError('a signed note has no control characters');
  const lines = note.slice(cut + 2, -1).split('\n');
  return { text: note.slice(0, cut + 1), signatures: lines.map(signatureLine) };
}

function signatureLine(line: string): Note['signatures'][number] {
  const match = /^— (\S+) (\S+)$/u.exec(line);
  if (!match) throw new RangeError('a signature line reads: em dash, key name, base64');
  const bytes = fromBase64(match[2]!);
  if (bytes.length < 5) throw new RangeError('a signature is longer than its key ID');
  return { name: match[1]!, keyId: bytes.slice(0, 4), signature: bytes.slice(4) };
}

/**
 * Whether this key signed the note. Signatures of other keys are passed over; one of this key that is wrong makes
 * the note wrong.
 */
export function isSignedBy(note: Note, verifier: NoteVerifier): boolean {
  const own = note.signatures.filter(
    ({ name, keyId }) => name === verifier.name && equalBytes(keyId, verifier.keyId),
  );
  const text = utf8(note.text);
  return own.length > 0 && own.every(({ signature }) => verifySignature(verifier.publicKey, text, signature));
}

import { sha256 } from '#crypto';
import { fromBase64, toBase64, utf8 } from '../../src/proof/bytes.ts';
import { type Identity, isSignedBy, isSignedByInTime } from './nkey.ts';

/**
 * Who says it, where: Ed25519 over SHA-256("SVC-NODE-1\0" ‖ subject ‖ 0x00 ‖ payload), base 64, in this header of the
 * message. The subject is under it, so that nobody, the server included, can move a message to another run, another
 * node or another answer.
 */
export const SIGNATURE = 'svc-signature';

const tag = utf8('SVC-NODE-1\0');

export const signedBytes = (subject: string, payload: Uint8Array): Uint8Array =>
  sha256(tag, utf8(subject), Uint8Array.of(0), payload);

/** The header that a message on this subject goes out with. */
export function signature(identity: Identity, subject: string, payload: Uint8Array): Record<string, string> {
  return { [SIGNATURE]: toBase64(identity.sign(signedBytes(subject, payload))) };
}

interface Signed {
  readonly data: Uint8Array;
  header(name: string): string;
}

/** Whether this node said it on this subject. Never throws. */
export function isFrom(node: string, subject: string, message: Signed): boolean {
  const text = message.header(SIGNATURE);
  if (text.length !== 88) return false;
  try {
    return isSignedBy(node, signedBytes(subject, message.data), fromBase64(text));
  } catch {
    return false;
  }
}

/** The same on a thread of the platform's pool: for many at once. Never rejects. */
export async function isFromInTime(node: string, subject: string, message: Signed): Promise<boolean> {
  const text = message.header(SIGNATURE);
  if (text.length !== 88) return false;
  try {
    return await isSignedByInTime(node, signedBytes(subject, message.data), fromBase64(text));
  } catch {
    return false;
  }
}

import { readVkey } from '../../src/proof/note.ts';
import { publicKeyOf } from '../nats/nkey.ts';

/** Who may speak: a service node under its verifier key, a contributor under its nkey. */
export interface Sender {
  readonly id: string;
  readonly role: 'service' | 'contributor';
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** The sender that an id stands for; undefined where it is neither kind of key. */
export function senderOf(id: string): Sender | undefined {
  const nkey = publicKeyOf('user', id);
  if (nkey) return { id, role: 'contributor', publicKey: nkey };
  if (!/^[!-~]{1,200}$/.test(id)) return undefined;
  try {
    return { id, role: 'service', publicKey: readVkey(id).publicKey };
  } catch {
    return undefined;
  }
}

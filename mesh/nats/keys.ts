import { hmacKey } from '#crypto';
import { utf8 } from '../../src/proof/bytes.ts';
import { type Identity, identityOf } from './nkey.ts';

/**
 * The keys of a deployment, all made from one secret that its service nodes share: who the service is to contributors,
 * who lets them in, and who may look at the server's connections. The NATS server is given public keys only.
 */
export interface DeploymentKeys {
  /** Speaks for the service; contributors know its public key. */
  readonly service: Identity;
  /** Account key that signs the permissions of whoever is let in. */
  readonly issuer: Identity;
  /** User of the system account: ends the connection of a node that is barred. */
  readonly system: Identity;
}

/** @param secret 32 bytes or more that only the service nodes of a deployment have */
export function deploymentKeys(secret: Uint8Array): DeploymentKeys {
  if (secret.length < 32) throw new RangeError('the secret of a mesh has at least 32 bytes');
  const key = hmacKey(secret);
  const seed = (purpose: string) => key.mac(utf8(`SVC-NATS-1\0${purpose}`));
  return {
    service: identityOf('user', seed('service')),
    issuer: identityOf('account', seed('issuer')),
    system: identityOf('user', seed('system')),
  };
}

import { utf8 } from '../../src/proof/bytes.ts';
import { contributorPermissions } from '../subjects.ts';
import type { Bus } from './bus.ts';
import { MESSAGE_BYTES } from './frame.ts';
import type { Incoming } from './incoming.ts';
import { type AuthRequest, readAuthRequest, responseToken, userToken } from './jwt.ts';
import type { DeploymentKeys } from './keys.ts';
import { isSignedBy, publicKeyOf } from './nkey.ts';
import { MESH_ACCOUNT } from './server-config.ts';

export interface AccessOptions {
  readonly keys: Pick<DeploymentKeys, 'issuer'>;
  /** Whether this node may take part now: it was admitted, did not leave and is not barred. */
  readonly isAdmitted: (node: string) => Promise<boolean>;
  readonly now: () => bigint;
  readonly onError: (error: unknown) => void;
}

const REQUESTS = '$SYS.REQ.USER.AUTH';
const GROUP = 'service';
/** Then the server ends the connection, the node comes back at once, and is asked for again. */
const GRANTED_SECONDS = 3600;
const MOST_SUBSCRIPTIONS = 64;
/** Headers count too. */
const PAYLOAD_BYTES = MESSAGE_BYTES;

/**
 * The service decides who comes in (NATS auth callout, ADR-26 of nats-io/nats-architecture-and-design): a node that has
 * the key of its name and is admitted gets the permissions of a contributor, under its own name only. Any service node
 * may answer; while none does, nobody new comes in and who is in stays.
 */
export class Access {
  readonly #options: AccessOptions;
  readonly #bus: Bus;
  readonly #stop: () => void;
  /** Nodes that stay outside for a while, and until when by `performance.now()`. */
  readonly #shutOut = new Map<string, number>();

  constructor(bus: Bus, options: AccessOptions) {
    this.#bus = bus;
    this.#options = options;
    this.#stop = bus.subscribe(REQUESTS, (message) => void this.#asked(message), GROUP);
  }

  close(): void {
    this.#stop();
  }

  /** Does not let this node in until `ms` from now, admitted or not. */
  shutOut(node: string, ms: number): void {
    const now = performance.now();
    for (const [other, until] of this.#shutOut) if (until < now) this.#shutOut.delete(other);
    this.#shutOut.set(node, now + ms);
  }

  async #asked(message: Incoming): Promise<void> {
    const request = readAuthRequest(message.data);
    if (!request || message.reply === '') return;
    const { issuer } = this.#options.keys;
    const issuedAt = Number(this.#options.now() / 1_000_000_000n);
    const content = (await this.#isLetIn(request))
      ? { jwt: this.#grant(request, issuedAt) }
      : { error: 'this node is not admitted' };
    this.#bus.publish(message.reply, utf8(responseToken(issuer, request, content, issuedAt)));
  }

  async #isLetIn({ nkey, nonce, signature }: AuthRequest): Promise<boolean> {
    if (nonce === '' || !publicKeyOf('user', nkey)) return false;
    if ((this.#shutOut.get(nkey) ?? 0) > performance.now()) return false;
    const signed = new Uint8Array(Buffer.from(signature, 'base64url'));
    try {
      return isSignedBy(nkey, utf8(nonce), signed) && (await this.#options.isAdmitted(nkey));
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  #grant({ userKey, nkey }: AuthRequest, issuedAt: number): string {
    return userToken(this.#options.keys.issuer, {
      ...{ userKey, account: MESH_ACCOUNT, name: nkey, permissions: contributorPermissions(nkey) },
      limits: { subscriptions: MOST_SUBSCRIPTIONS, payloadBytes: PAYLOAD_BYTES },
      ...{ issuedAt, expiresAt: issuedAt + GRANTED_SECONDS },
    });
  }
}

import { sha256, verifySignature } from '#crypto';
import { textOf, utf8 } from '../../src/proof/bytes.ts';
import type { Permissions } from '../subjects.ts';
import { type Identity, publicKeyOf, toBase32 } from './nkey.ts';

/**
 * Tokens of NATS (github.com/nats-io/jwt, version 2): header {typ JWT, alg ed25519-nkey}, claims, signature by an nkey.
 * Written here are the two that an authorization service gives, read is the one that it is asked with.
 */
interface Claims {
  readonly aud: string;
  readonly sub: string;
  readonly iat: number;
  readonly exp?: number;
  readonly name?: string;
  readonly nats: Readonly<Record<string, unknown>>;
}

const segment = (value: unknown): string => Buffer.from(utf8(JSON.stringify(value))).toString('base64url');

function signedToken(issuer: Identity, claims: Claims): string {
  const unnamed = { ...claims, iss: issuer.id };
  const jti = toBase32(sha256(utf8(JSON.stringify(unnamed))));
  const signed = `${segment({ typ: 'JWT', alg: 'ed25519-nkey' })}.${segment({ ...unnamed, jti })}`;
  return `${signed}.${Buffer.from(issuer.sign(utf8(signed))).toString('base64url')}`;
}

export interface UserGrant {
  /** Key that the server made for this connection. */
  readonly userKey: string;
  readonly account: string;
  readonly name: string;
  readonly permissions: Permissions;
  readonly limits: { readonly subscriptions: number; readonly payloadBytes: number };
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** What a connection may do, until when (Unix seconds). */
export function userToken(issuer: Identity, grant: UserGrant): string {
  const { userKey, account, name, permissions, limits, issuedAt, expiresAt } = grant;
  return signedToken(issuer, {
    ...{ aud: account, sub: userKey, iat: issuedAt, exp: expiresAt, name },
    nats: {
      pub: { allow: permissions.publish },
      sub: { allow: permissions.subscribe },
      ...{ subs: limits.subscriptions, data: -1, payload: limits.payloadBytes },
      ...{ type: 'user', version: 2 },
    },
  });
}

/** The authorization service's answer: a user's token, or why there is none. */
export function responseToken(
  issuer: Identity,
  request: AuthRequest,
  content: { readonly jwt: string } | { readonly error: string },
  issuedAt: number,
): string {
  return signedToken(issuer, {
    ...{ aud: request.serverId, sub: request.userKey, iat: issuedAt },
    nats: { ...content, type: 'authorization_response', version: 2 },
  });
}

/** A server asks whether to let a connection in. */
export interface AuthRequest {
  readonly serverId: string;
  readonly userKey: string;
  /** Public nkey that the client shows, its signature over the nonce, and the nonce. */
  readonly nkey: string;
  readonly signature: string;
  readonly nonce: string;
}

/** Reads what a server signed. @returns undefined for what no server said */
export function readAuthRequest(bytes: Uint8Array): AuthRequest | undefined {
  try {
    const [header = '', body = '', signature = ''] = textOf(bytes).split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    const key = publicKeyOf('server', String(claims.iss));
    const signed = new Uint8Array(Buffer.from(signature, 'base64url'));
    if (!key || !verifySignature(key, utf8(`${header}.${body}`), signed)) return undefined;
    const { server_id: server, user_nkey: userKey, client_info: client, connect_opts: shown } = claims.nats;
    const request = {
      serverId: server?.id,
      userKey,
      nkey: shown?.nkey ?? '',
      signature: shown?.sig ?? '',
      nonce: client?.nonce ?? claims.nats.request_nonce ?? '',
    };
    return Object.values(request).every((each) => typeof each === 'string') ? request : undefined;
  } catch {
    return undefined;
  }
}

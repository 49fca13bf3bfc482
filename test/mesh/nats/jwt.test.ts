import { nkeys } from 'nats';
import t from 'tap';
import { readAuthRequest, responseToken, userToken } from '../../../mesh/nats/jwt.ts';
import { contributorPermissions } from '../../../mesh/subjects.ts';
import { utf8 } from '../../../src/proof/bytes.ts';
import { keys, nodeOf } from './deployment.ts';

const part = (token: string, index: number) => {
  const text = Buffer.from(token.split('.')[index]!, 'base64url').toString();
  return JSON.parse(text);
};

/** The library of NATS checks what we signed. */
function isSigned(token: string, issuer: string): boolean {
  const [header, claims, signature] = token.split('.');
  const signed = new Uint8Array(Buffer.from(signature!, 'base64url'));
  return nkeys.fromPublic(issuer).verify(utf8(`${header}.${claims}`), signed);
}

const server = nkeys.createServer();
const connection = nkeys.createUser().getPublicKey();
const node = nodeOf(1);

/** What nats-server asks with, signed by its own key with the library of NATS. */
function asked(change: object = {}, signer = server): Uint8Array {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const nats = {
    server_id: { id: server.getPublicKey() },
    user_nkey: connection,
    client_info: { nonce: 'nonce' },
    connect_opts: { nkey: node.id, sig: 'sig' },
  };
  const claims = { iss: server.getPublicKey(), nats: { ...nats, ...change } };
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(claims)}`;
  return utf8(`${text}.${Buffer.from(signer.sign(utf8(text))).toString('base64url')}`);
}

t.test('a grant names one connection, one account, what it may do and until when', async (t) => {
  const token = userToken(keys.issuer, {
    ...{ userKey: connection, account: 'MESH', name: node.id, permissions: contributorPermissions(node.id) },
    ...{ limits: { subscriptions: 64, payloadBytes: 1 << 20 }, issuedAt: 1000, expiresAt: 4600 },
  });
  t.ok(isSigned(token, keys.issuer.id));
  t.strictSame(part(token, 0), { typ: 'JWT', alg: 'ed25519-nkey' });
  const claims = part(token, 1);
  t.match(claims, { aud: 'MESH', sub: connection, iss: keys.issuer.id, iat: 1000, exp: 4600, name: node.id });
  t.match(claims.nats, { type: 'user', version: 2, subs: 64, payload: 1 << 20 });
  for (const subject of [...claims.nats.pub.allow, ...claims.nats.sub.allow])
    t.ok(
      subject.includes(node.id) || /^(\$JS\.(API\.CONSUMER|ACK)|svc\.bell|svc\.beacon)/.test(subject),
      `${subject} is its own, the work queue or for all`,
    );
});

t.test('a server is heard only under its own signature', async (t) => {
  t.match(readAuthRequest(asked()), { nkey: node.id, signature: 'sig', nonce: 'nonce', userKey: connection });
  t.equal(readAuthRequest(asked({}, nkeys.createServer())), undefined, "another server's signature");
  const token = responseToken(keys.issuer, readAuthRequest(asked())!, { error: 'no' }, 1);
  t.equal(readAuthRequest(utf8(token)), undefined, 'a token of another kind');
  t.equal(readAuthRequest(asked({ user_nkey: 7 })), undefined, 'another shape');
  for (const text of ['', '.', '..', 'a.b.c', '{}.{}.{}'])
    t.equal(readAuthRequest(utf8(text)), undefined, text);
  t.match(
    readAuthRequest(asked({ connect_opts: {} })),
    { nkey: '', signature: '' },
    'a client without a key',
  );
});

t.test('an answer goes to the server that asked, for the connection that it asked for', async (t) => {
  const request = readAuthRequest(asked())!;
  const token = responseToken(keys.issuer, request, { error: 'no' }, 1000);
  t.ok(isSigned(token, keys.issuer.id));
  t.match(part(token, 1), { aud: server.getPublicKey(), sub: connection });
  t.match(part(token, 1).nats, { error: 'no', type: 'authorization_response', version: 2 });
});

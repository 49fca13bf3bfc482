import { nkeys } from 'nats';
import t from 'tap';
import {
  identityOf,
  isSignedBy,
  publicKeyOf,
  publicNkey,
  seedBytes,
  seedNkey,
} from '../../../mesh/nats/nkey.ts';
import { utf8 } from '../../../src/proof/bytes.ts';

const message = utf8('svc.results.r.n');

t.test('keys are named as the nkeys library of NATS names them, in both directions', async (t) => {
  for (const [kind, create] of [
    ['user', nkeys.createUser],
    ['account', nkeys.createAccount],
    ['server', nkeys.createServer],
  ] as const) {
    const theirs = create();
    const seed = seedBytes(kind, new TextDecoder().decode(theirs.getSeed()))!;
    const ours = identityOf(kind, seed);
    t.equal(ours.id, theirs.getPublicKey(), kind);
    t.equal(seedNkey(kind, seed), new TextDecoder().decode(theirs.getSeed()), kind);
    t.equal(publicNkey(kind, publicKeyOf(kind, ours.id)!), ours.id, kind);
  }
});

t.test('either side verifies what the other signed', async (t) => {
  const theirs = nkeys.createUser();
  const ours = identityOf('user', seedBytes('user', new TextDecoder().decode(theirs.getSeed()))!);
  t.ok(isSignedBy(theirs.getPublicKey(), message, theirs.sign(message)));
  t.ok(theirs.verify(message, ours.sign(message)));
  const forged = ours.sign(utf8('another'));
  t.notOk(isSignedBy(ours.id, message, forged));
});

t.test('a name with a wrong letter, of another kind or of another length is no name', async (t) => {
  const { id } = identityOf('user', new Uint8Array(32).fill(7));
  const wrong = id.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  for (const name of [wrong, id.slice(1), `${id}A`, id.toLowerCase(), '', 'U'.repeat(56), 'U'.repeat(5000)])
    t.equal(publicKeyOf('user', name), undefined, name.slice(0, 60));
  t.equal(publicKeyOf('account', id), undefined);
  t.notOk(isSignedBy(wrong, message, new Uint8Array(64)));
  t.equal(seedBytes('account', seedNkey('user', new Uint8Array(32))), undefined);
});

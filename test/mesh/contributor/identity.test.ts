import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { contributorIdentity } from '../../../mesh/contributor/identity.ts';
import { isSignedBy } from '../../../mesh/nats/nkey.ts';

t.test('the key of a node is made once and readable by its owner alone', (t) => {
  const own = join(t.testdir(), 'identity');
  const identity = contributorIdentity(own);
  t.match(identity.id, /^U[A-Z2-7]{55}$/);
  t.equal(contributorIdentity(own).id, identity.id);
  t.equal(statSync(join(own, 'contributor.nkey')).mode & 0o777, 0o600);
  t.same(readdirSync(own), ['contributor.nkey']);
  const message = new TextEncoder().encode('here');
  t.ok(isSignedBy(identity.id, message, identity.sign(message)));
  writeFileSync(join(own, 'contributor.nkey'), 'SUnonsense\n');
  t.throws(() => contributorIdentity(own), RangeError);
  t.end();
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { noteSigner } from '../../src/proof/note.ts';
import { knownKeys, nodeKeys } from '../../src/spine/identity.ts';
import { lostIdentity } from '../../src/spine/lost-identity.ts';
import { NodeLog } from '../../src/spine/node-log.ts';
import { testNode } from './test-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-test-identity-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

t.test('keys are made once; damaged ones are refused by file and what it should hold', async (t) => {
  t.equal(knownKeys(folder), undefined);
  const made = nodeKeys(folder);
  t.same(nodeKeys(folder), made);
  const whole = { name: 'a', ed25519Seed: '0'.repeat(64), hmacKey: '1'.repeat(64) };
  for (const text of [
    ...['garbage', '', '{}', 'null', '[]', '{"name":'],
    ...[{ name: 'a b' }, { name: 7 }, { ed25519Seed: '00' }, { hmacKey: 'x'.repeat(64) }].map((wrong) =>
      JSON.stringify({ ...whole, ...wrong }),
    ),
  ]) {
    writeFileSync(join(folder, 'node-keys.json'), text);
    const refusal = { code: 'STORE_UNAVAILABLE', message: /node-keys\.json is damaged: .*"ed25519Seed"/ };
    t.throws(() => nodeKeys(folder), refusal, text);
    t.throws(() => knownKeys(folder), refusal, text);
  }
});

t.test('a store whose log is signed by keys that are gone is spoken of', async (t) => {
  const { store, name } = await testNode(t);
  t.equal(await lostIdentity(store, name), undefined, 'no log yet');
  const log = new NodeLog(noteSigner('before.example', new Uint8Array(32).fill(7)), () => 0n);
  await store.transaction((tx) => log.append(tx, [new Uint8Array(1)]));
  t.equal(await lostIdentity(store, 'before.example'), undefined);
  t.match(
    await lostIdentity(store, name),
    new RegExp(`log of before\\.example.*keys of ${name}: a new identity`),
  );
});

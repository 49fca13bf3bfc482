import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Accounts } from '../../src/accounts/accounts.ts';
import { schemas } from '../../src/node/node-store.ts';
import { backupTo } from '../../src/store/backup.ts';
import { openStore } from '../../src/store/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
const store = await openStore({ dataDir: join(folder, 'data') }, schemas);
let nowNs = 1_800_000_000_000_000_000n;
const accounts = new Accounts(store, () => nowNs);
t.teardown(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Every byte of the data folder and of a backup, as one text. */
async function everythingKept(): Promise<string> {
  const backup = join(folder, 'backup');
  await backupTo(store, backup);
  const files = readdirSync(join(folder, 'data')).map((name) => join(folder, 'data', name));
  const texts = [...files, backup].map((file) => readFileSync(file, 'latin1'));
  rmSync(backup);
  return texts.join('\n');
}

t.test('an account key is svc_ak_ and 52 digits, and no two are alike (AUTH-02, GEN-01)', async (t) => {
  const { zid } = await accounts.create();
  const keys = await Promise.all(Array.from({ length: 20 }, () => accounts.mintKey(zid)));
  for (const { key } of keys) t.match(key, /^svc_ak_[0-9a-f]{52}$/);
  t.equal(new Set(keys.map(({ key }) => key)).size, 20);
  for (const { key } of keys) t.equal(await accounts.zidOfKey(key), zid);
  await t.rejects(accounts.mintKey('zNobody'), { code: 'NOT_FOUND' });
});

t.test('a raw key is given once: nothing that is kept holds it (AUTH-03, OPEN-26)', async (t) => {
  const { zid } = await accounts.create();
  const { id, key } = await accounts.mintKey(zid);
  const secret = key.slice('svc_ak_'.length + id.length);
  const kept = await everythingKept();
  t.ok(kept.includes(id), 'the id of the key is found there');
  t.notOk(kept.includes(secret), 'its secret is not');
  t.notOk(kept.includes(Buffer.from(secret).toString('base64').slice(0, 50)), 'nor as base 64');
  t.equal(await accounts.zidOfKey(key), zid, 'and yet it is known again');
});

t.test('a key that is changed, revoked or of another kind speaks for nobody (AUTH-01)', async (t) => {
  const { zid } = await accounts.create();
  const { id, key } = await accounts.mintKey(zid);
  const other = key.endsWith('0') ? '1' : '0';
  for (const wrong of [
    `${key.slice(0, -1)}${other}`,
    `${key}0`,
    key.toUpperCase(),
    key.replace('ak', 'sm'),
    '',
  ])
    t.equal(await accounts.zidOfKey(wrong), undefined, wrong);
  t.equal(await accounts.zidOfKey(key), zid);
  t.ok(await accounts.revokeKey(id));
  t.equal(await accounts.zidOfKey(key), undefined);
  t.notOk(await accounts.revokeKey(id), 'once');
  nowNs += 10n ** 10n;
  t.equal(await accounts.zidOfKey(key), undefined, 'for good');
});

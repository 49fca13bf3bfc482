import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openNodeStore } from '../../src/node/node-store.ts';
import { readCheckpoint } from '../../src/proof/checkpoint.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { nodeKeys, renewKeys } from '../../src/spine/identity.ts';
import { NodeLog } from '../../src/spine/node-log.ts';
import { FolderHead } from '../../src/spine/published-head.ts';
import { logHeads, logNotes } from '../../src/spine/records.ts';
import { continueLog, restoreStore } from '../../src/spine/restored-log.ts';
import { backupTo } from '../../src/store/backup.ts';
import type { Store } from '../../src/store/store.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-test-continuity-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const now = () => 0n;
const refused = { code: 'LOG_NOT_CONTINUED' };
let folders = 0;

/** A node's folder, its keys and its store, without the rest of it. */
class Place {
  readonly folder: string;
  readonly store: Store;

  private constructor(folder: string, store: Store) {
    this.folder = folder;
    this.store = store;
  }

  static async make(t: Test): Promise<Place> {
    const folder = join(root, String(++folders));
    const store = await openNodeStore({ dataDir: folder });
    t.teardown(() => store.close());
    return new Place(folder, store);
  }

  /** As after a restart: what is not in the folder or the store is forgotten. */
  get log(): NodeLog {
    const { name, signingSeed } = nodeKeys(this.folder);
    return new NodeLog(noteSigner(name, signingSeed), now, this.memory);
  }

  get memory(): FolderHead {
    return new FolderHead(this.folder, nodeKeys(this.folder).name);
  }

  get own() {
    return { node: nodeKeys(this.folder).name, memory: this.memory };
  }

  async append(log: NodeLog, ...leaves: string[]): Promise<string> {
    const node = nodeKeys(this.folder).name;
    const bytes = leaves.map((leaf) => new TextEncoder().encode(leaf));
    const batch = await this.store.transaction(async (tx) => {
      const appended = await log.append(tx, bytes);
      for (const [i, leaf] of bytes.entries())
        await tx.insert(logNotes, {
          ...{ node, leaf_index: BigInt(appended.firstIndex + i), bytes: leaf, logged_ns: 0n },
        });
      return appended;
    });
    batch.committed();
    return batch.proof(0).checkpoint;
  }

  async backup(): Promise<string> {
    const file = join(this.folder, `backup-${Math.random()}`);
    await backupTo(this.store, file);
    return file;
  }

  restore(file: string) {
    return restoreStore(this.store, file, { replace: true, own: this.own, nowNs: 1n });
  }
}

t.test(
  'a node under which its log was exchanged seals nothing, whether it ran on or starts anew',
  async (t) => {
    const place = await Place.make(t);
    const running = place.log;
    await place.append(running, 'a', 'b');
    const older = await place.backup();
    await place.append(running, 'c', 'd', 'e');
    const { gap } = await place.restore(older);
    t.match(gap, { isKnown: true, sentence: /has 2 leaves, and this node has signed 5/ });
    for (const log of [running, place.log]) {
      await t.rejects(place.append(log, 'x', 'y', 'z'), { ...refused, message: /svc identity --new-key/ });
      await t.rejects(log.mustContinue(place.store), refused);
    }
    t.equal((await place.store.find(logHeads))[0]?.size, 2n, 'nothing was added');

    const forgetful = new NodeLog(noteSigner(place.own.node, nodeKeys(place.folder).signingSeed), now);
    await t.rejects(place.append(forgetful, 'x'), refused, 'nor does one that remembers nothing');
  },
);

t.test('a log of other leaves in the same places is not gone on with', async (t) => {
  const place = await Place.make(t);
  const log = place.log;
  const seen = await place.append(log, 'a', 'b', 'c');
  const { name, signingSeed } = nodeKeys(place.folder);
  const forked = () => new NodeLog(noteSigner(name, signingSeed), now);
  const leaves = ['a', 'b', 'x', 'y'].map((leaf) => new TextEncoder().encode(leaf));
  for (const count of [3, 4]) {
    // What an exchanged database holds: heads and tiles of a log that forks behind its second leaf.
    const other = await Place.make(t);
    const batch = await other.store.transaction((tx) => forked().append(tx, leaves.slice(0, count)));
    if (count === 3) {
      const [a, b] = [seen, batch.proof(0).checkpoint].map(readCheckpoint);
      t.equal(a!.size, b!.size);
      t.notSame(a!.root, b!.root, 'two signed heads of one size: a fork');
    }
    await t.rejects(log.mustContinue(other.store), {
      ...refused,
      message: /The first 3 leaves .* are not those that this node has signed/,
    });
  }
});

t.test('what another process on the store adds is gone on with', async (t) => {
  const place = await Place.make(t);
  const [one, other] = [place.log, place.log];
  for (let i = 0; i < 5; i++) {
    await place.append(one, `one ${i}`);
    await place.append(other, `other ${i}`, 'and another');
    await one.mustContinue(place.store);
  }
  t.match(place.memory.read(), { size: 15 });
  t.match(await auditSpine(place.store, place.own), { sound: true, leaves: 15 });
});

t.test('leaves that were taken back with their transaction were not signed for', async (t) => {
  const place = await Place.make(t);
  const log = place.log;
  await place.append(log, 'a');
  const failing = place.store.transaction(async (tx) => {
    await log.append(tx, [new Uint8Array(1), new Uint8Array(2)]);
    throw new Error('no room');
  });
  await t.rejects(failing, /no room/);
  await place.append(log, 'b');
  t.match(place.memory.read(), { size: 2 });
});

t.test(
  'a backup of the very head that was signed last is gone on with, on another machine too',
  async (t) => {
    const place = await Place.make(t);
    await place.append(place.log, 'a', 'b');
    const file = await place.backup();
    t.match(await place.restore(file), { gap: undefined });
    await place.append(place.log, 'c');
    t.match(await auditSpine(place.store, place.own), { sound: true, leaves: 3 });
  },
);

t.test('a log whose end nobody remembers needs the word of its operator, and takes it once', async (t) => {
  const place = await Place.make(t);
  await place.append(place.log, 'a', 'b');
  const file = await place.backup();
  const moved = await Place.make(t);
  const text = JSON.stringify({ name: place.own.node, ed25519Seed: '7'.repeat(64), hmacKey: '1'.repeat(64) });
  writeFileSync(join(moved.folder, 'node-keys.json'), text);
  t.match(await moved.restore(file), { gap: { isKnown: false, sentence: /nothing here says/ } });
  await t.rejects(moved.append(moved.log, 'c'), { ...refused, message: /svc identity --continue-log/ });
  t.equal(await continueLog(moved.store, moved.own), 2);
  await t.rejects(continueLog(moved.store, moved.own), { code: 'CONFLICT' });
  await moved.append(moved.log, 'c');
  t.match(await moved.restore(file), { gap: { isKnown: true } }, 'from now on it is known');
  await t.rejects(continueLog(moved.store, moved.own), refused);
});

t.test('new keys begin a log of their own on a restored store', async (t) => {
  const place = await Place.make(t);
  await place.append(place.log, 'a');
  const file = await place.backup();
  await place.append(place.log, 'b');
  await place.restore(file);
  const before = renewKeys(place.folder);
  t.not(before?.name, place.own.node);
  await place.append(place.log, 'c');
  await place.append(place.log, 'd');
  t.match(await auditSpine(place.store, place.own), { sound: true, leaves: 3 });
  t.equal(renewKeys(join(root, 'nothing')), undefined);
  t.notOk(existsSync(join(root, 'nothing')), 'and makes none where there were none');
});

t.test('the audit says that the log is shorter than what its node remembers', async (t) => {
  const place = await Place.make(t);
  await place.append(place.log, 'a');
  const file = await place.backup();
  await place.append(place.log, 'b');
  await place.restore(file);
  t.match(await auditSpine(place.store, place.own), {
    sound: false,
    problems: [/has 1 leaves, .* signed 2/],
  });
});

t.test('a memory that is damaged or of other keys is none', async (t) => {
  const place = await Place.make(t);
  await place.append(place.log, 'a');
  const file = join(place.folder, 'log-head.json');
  for (const text of ['', '{', 'null', '{"node":"other","size":1,"root":"","restore":null}', '7']) {
    writeFileSync(file, text);
    t.equal(place.memory.read(), undefined, text);
    await place.log.mustContinue(place.store);
  }
  await place.append(place.log, 'b');
  t.match(place.memory.read(), { size: 2 });
});

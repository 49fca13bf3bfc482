import t from 'tap';
import { fromBase64 } from '../../src/proof/bytes.ts';
import { readCheckpoint } from '../../src/proof/checkpoint.ts';
import { verifyConsistency, verifyInclusion } from '../../src/proof/log-tree.ts';
import { leafHash, merkleRoot } from '../../src/proof/merkle.ts';
import { isSignedBy, noteSigner } from '../../src/proof/note.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { NodeLog } from '../../src/spine/node-log.ts';
import { envelopes, jobs, logHeads, logNotes, logTiles } from '../../src/spine/records.ts';
import type { Transaction } from '../../src/store/store.ts';
import { answerOf, hour, oscillator, testNode } from './test-node.ts';

const signer = noteSigner('log.example', new Uint8Array(32).fill(7));
const leaf = (i: number) => new TextEncoder().encode(`leaf ${i}`);

t.test('a log in tiles proves every leaf, across tiles, batches and processes', async (t) => {
  const { store } = await testNode(t);
  const now = () => 0n;
  let size = 0;
  const roots = new Map<number, Uint8Array>();
  for (const count of [1, 3, 60, 1, 190, 1, 1, 255, 256, 257, 700, 2]) {
    const log = new NodeLog(signer, now); // as after a restart: nothing is remembered
    const leaves = Array.from({ length: count }, (_, i) => leaf(size + i));
    const batch = await store.transaction((tx) => log.append(tx, leaves));
    size += count;
    const { root, note, size: signed } = readCheckpoint(batch.proof(0).checkpoint);
    t.equal(signed, size);
    t.ok(isSignedBy(note, signer));
    const last = batch.proof(count - 1);
    t.ok(verifyInclusion(last.index, size, leafHash(leaf(size - 1)), last.path.map(fromBase64), root));
    roots.set(size, root);
  }
  t.same(
    roots.get(size),
    merkleRoot(Array.from({ length: size }, (_, i) => leaf(i))),
    'RFC 6962 over all leaves',
  );

  const log = new NodeLog(signer, now);
  for (const index of [0, 1, 63, 64, 255, 256, 257, 511, 512, 1000, size - 1]) {
    const proof = (await log.proof(store, index))!;
    const path = proof.path.map(fromBase64);
    t.ok(verifyInclusion(index, size, leafHash(leaf(index)), path, roots.get(size)!), `leaf ${index}`);
    t.notOk(verifyInclusion(index, size, leafHash(leaf(index + 1)), path, roots.get(size)!), 'not another');
  }
  for (const [first, root] of roots) {
    const path = (await log.consistency(store, first, size)).map(fromBase64);
    t.ok(verifyConsistency(first, size, root, roots.get(size)!, path), `${first} to ${size}`);
  }
  t.equal(await log.proof(store, size), undefined);
});

t.test('two processes on one store cannot fork the log', async (t) => {
  const { store } = await testNode(t);
  const [one, other] = [new NodeLog(signer, () => 0n), new NodeLog(signer, () => 0n)];
  const append = (log: NodeLog, i: number) => store.transaction((tx) => log.append(tx, [leaf(i)]));
  const batches = await Promise.all(Array.from({ length: 20 }, (_, i) => append(i % 2 ? one : other, i)));
  t.same(new Set(batches.map((batch) => batch.firstIndex)).size, 20, 'every leaf has a place of its own');
  const head = readCheckpoint((await one.checkpoint(store))!);
  t.equal(head.size, 20);
});

t.test('the audit names an answer, and a coin, that is not what was sealed', async (t) => {
  const node = await testNode(t);
  const { store } = node;
  const { zid } = await node.accounts.create({ fuel: hour });
  const job = await node.spine.submit({ account: zid, solver: 'solve', body: oscillator });
  const sealed = answerOf((await job.outcome).answer);
  const { token_id, price_plancks } = sealed.envelope;
  const tamper = (changes: object) => {
    const answer = new TextEncoder().encode(JSON.stringify({ ...sealed, ...changes }));
    return store.transaction((tx) => tx.update(jobs, { id: job.id }, { answer }));
  };
  for (const [changes, where] of [
    [{ value: sealed.value + 1e-9 }, '/value'],
    [{ warnings: ['trust me'] }, '/envelope/shownHash'],
    [{ gates: [] }, '/gates'],
    [{ envelope: { ...sealed.envelope, tick: 1 } }, 'shows another envelope'],
  ] as const) {
    await tamper(changes);
    t.match((await auditSpine(store)).problems, [
      new RegExp(`envelope ${token_id} of job ${job.id}: its answer .*${where}`),
    ]);
  }
  await tamper({});
  t.match(await auditSpine(store), { sound: true, leaves: 1 });
  await store.transaction((tx) => tx.update(envelopes, { token_id: token_id! }, { face_plancks: 1n }));
  const coin = `envelope ${token_id} of job ${job.id}: ${price_plancks} plancks were charged, its coin says 1`;
  t.same((await auditSpine(store)).problems, [coin]);
});

t.test('the audit names work, and an owner of the coin, that are not those of the job', async (t) => {
  const node = await testNode(t);
  const { store } = node;
  const { zid } = await node.accounts.create({ fuel: hour });
  const { id, outcome } = await node.spine.submit({ account: zid, solver: 'solve', body: oscillator });
  const { envelope, charges } = answerOf((await outcome).answer);
  const token_id = envelope.token_id!;
  const work = BigInt(charges.work);
  const coin = (changes: object) => (tx: Transaction) => tx.update(envelopes, { token_id }, changes);
  const cases: [change: (tx: Transaction) => unknown, undo: (tx: Transaction) => unknown, problem: string][] =
    [
      [
        (tx) => tx.update(jobs, { id }, { work: work + 1n }),
        (tx) => tx.update(jobs, { id }, { work }),
        `its job did ${work + 1n} units of work, its answer says ${work}`,
      ],
      [
        coin({ issued_to: 'Z2', owner: 'Z2' }),
        coin({ issued_to: zid, owner: zid }),
        `its coin was issued to Z2, its job is of ${zid}`,
      ],
      [
        coin({ owner: 'Z2' }),
        coin({ owner: zid }),
        `its coin belongs to Z2, and nothing moved it from ${zid}`,
      ],
    ];
  for (const [change, undo, problem] of cases) {
    await store.transaction(async (tx) => void (await change(tx)));
    t.ok((await auditSpine(store)).problems.includes(`envelope ${token_id} of job ${id}: ${problem}`));
    await store.transaction(async (tx) => void (await undo(tx)));
    t.match(await auditSpine(store), { sound: true });
  }
});

t.test('the audit names a head or a tile of the log that is gone or another', async (t) => {
  const { store } = await testNode(t);
  const log = new NodeLog(signer, () => 0n);
  const leaves = Array.from({ length: 300 }, (_, i) => leaf(i)); // two tiles of leaves, one of their roots
  await store.transaction(async (tx) => {
    await log.append(tx, leaves);
    for (const [i, bytes] of leaves.entries())
      await tx.insert(logNotes, { node: signer.name, leaf_index: BigInt(i), bytes, logged_ns: 0n });
  });
  t.match(await auditSpine(store), { sound: true, problems: [], leaves: 300 });
  for (const tile of await store.find(logTiles)) {
    const { node, level, tile: number } = tile;
    const name = `tile ${level}/${number} of the log`;
    await store.transaction((tx) => tx.delete(logTiles, { node, level, tile: number }));
    t.same((await auditSpine(store)).problems, [`${node}: ${name} is missing`]);
    const hashes = tile.hashes.slice().fill(1, 0, 32);
    await store.transaction((tx) => tx.put(logTiles, { ...tile, hashes }));
    t.same((await auditSpine(store)).problems, [`${node}: ${name} is not that of the leaves`]);
    await store.transaction((tx) => tx.put(logTiles, tile));
  }
  await store.transaction((tx) => tx.delete(logHeads, { node: signer.name }));
  const { sound, problems } = await auditSpine(store);
  t.same(
    [sound, problems],
    [false, ['log.example: the log has no head, but 303 envelopes, notes and tiles']],
  );
});

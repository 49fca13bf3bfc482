import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { blobSchema } from '../../src/store/blob-records.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { killSchema, moves, purse, purses } from './kill-tables.ts';

const seed = Number(process.env.SEED ?? 20_260_101);
const program = fileURLToPath(new URL('./kill-writer.js', import.meta.url));
const schemas = [killSchema, blobSchema];

interface Acknowledged {
  readonly moves: Set<string>;
  readonly blobs: Set<string>;
}

/** Runs a writer until it has acknowledged `kills` lines, then kills it; resolves once it is dead and read out. */
function writeUntilKilled(
  dataDir: string,
  writer: string,
  kills: number,
  heard: Acknowledged,
): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [program, dataDir, writer, String(seed + kills)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let lines = 0;
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const [what, n, digest] = line.split(' ');
    if (what === 'move') heard.moves.add(`${writer} ${n}`);
    if (what === 'blob') heard.blobs.add(digest!);
    if (++lines === kills) child.kill('SIGKILL');
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (_, signal) =>
      signal === 'SIGKILL' ? done() : fail(new Error(`${writer} ended by itself`)),
    );
  });
}

async function assertNothingHalfDone(store: Store, heard: Acknowledged, t: Test): Promise<void> {
  const notes = await store.find(moves.notes);
  const noted = new Set(notes.map((row) => `${row.writer} ${row.n}`));
  t.same(
    [...heard.moves].filter((move) => !noted.has(move)),
    [],
    'every acknowledged move is there',
  );
  const expected = new Map(Array.from({ length: purses }, (_, i) => [purse(i), 100n]));
  for (const { source, target } of notes) {
    expected.set(source, expected.get(source)! - 1n);
    expected.set(target, expected.get(target)! + 1n);
  }
  const rows = await store.find(moves.purses);
  t.same(
    rows.map((r) => [r.id, r.amount]),
    [...expected],
    'the purses hold what the notes say, to the unit',
  );
  for (const digest of heard.blobs) {
    const bytes = await blobBytes(store, digest);
    t.equal(
      bytes && createHash('sha256').update(bytes).digest('hex'),
      digest,
      'every acknowledged blob is whole',
    );
  }
}

t.test(`kill -9 loses nothing acknowledged and leaves nothing half-done (seed ${seed})`, async (t) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'kill-'));
  t.teardown(() => rmSync(dataDir, { recursive: true }));
  const first = await openStore({ dataDir }, schemas);
  await first.transaction(async (tx) => {
    for (let i = 0; i < purses; i++) await tx.insert(moves.purses, { id: purse(i), amount: 100n });
  });
  await first.close();
  const heard: Acknowledged = { moves: new Set(), blobs: new Set() };
  for (let round = 0; round < 6; round++) {
    // Where a writer is killed is drawn from the seed; from the third round on two write at the same time.
    const draw = createHash('sha256').update(`${seed} ${round}`).digest();
    const writers = round < 2 ? [`w${round}0`] : [`w${round}0`, `w${round}1`];
    await Promise.all(
      writers.map((w, i) => writeUntilKilled(dataDir, w, 2 + (draw.readUInt16LE(2 * i) % 700), heard)),
    );
    const store = await openStore({ dataDir }, schemas);
    await assertNothingHalfDone(store, heard, t);
    await store.close();
  }
  t.comment(`${heard.moves.size} moves and ${heard.blobs.size} blobs were acknowledged`);
});

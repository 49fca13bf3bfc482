// A process that writes until it is killed, and says on stdout what was acknowledged. Run by kill.test.ts.
import { writeSync } from 'node:fs';
import { blobSchema } from '../../src/store/blob-records.ts';
import { putBlob } from '../../src/store/blobs.ts';
import { openStore } from '../../src/store/open.ts';
import { blobOf, killSchema, moves, purse, purses } from './kill-tables.ts';

const [dataDir, writer, seed] = process.argv.slice(2) as [string, string, string];

/** Numbers for choosing whom to move from; mulberry32. */
let state = Number(seed);
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let z = Math.imul(state ^ (state >>> 15), 1 | state);
  z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
  return ((z ^ (z >>> 14)) >>> 0) % below;
}

const store = await openStore({ dataDir }, [killSchema, blobSchema]);

/** Moves one unit between two purses and notes it: three rows that belong together. */
async function move(n: number): Promise<void> {
  const from = purse(random(purses));
  const to = purse((random(purses - 1) + 1 + Number(from.slice(1))) % purses);
  await store.transaction(async (tx) => {
    for (const [id, by] of [
      [from, -1n],
      [to, 1n],
    ] as const) {
      const row = (await tx.get(moves.purses, { id }))!;
      await tx.update(moves.purses, { id }, { amount: row.amount + by });
    }
    await tx.insert(moves.notes, { writer, n: BigInt(n), source: from, target: to });
  });
  writeSync(1, `move ${n}\n`);
}

async function blob(n: number): Promise<void> {
  writeSync(1, `blob ${n} ${await putBlob(store, blobOf(writer, n))}\n`);
}

writeSync(1, 'ready\n');
for (let n = 0; ; n += 16) {
  const works = Array.from({ length: 16 }, (_, i) => move(n + i));
  if (n % 64 === 0) works.push(blob(n));
  await Promise.all(works);
}

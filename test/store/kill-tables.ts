import type { Schema } from '../../src/store/schema.ts';
import { type Table, table } from '../../src/store/table.ts';

/** What the killed writers write: purses whose sum never changes, and a note for each move between two of them. */
export const moves = {
  purses: table({ name: 'purses', key: ['id'], columns: { id: 'text', amount: 'int64' } }),
  notes: table({
    name: 'notes',
    key: ['writer', 'n'],
    columns: { writer: 'text', n: 'int64', source: 'text', target: 'text' },
  }),
};

export const killSchema: Schema = {
  feature: 'kill',
  tables: Object.values(moves) as unknown as Table[],
};

export const purses = 8;
export const purse = (i: number) => `p${i}`;

/** Large enough for several pages and a chunk border now and then. */
export function blobOf(writer: string, n: number): Uint8Array {
  const length = n % 512 === 0 ? 4 * 1024 * 1024 + 100 : 30_000;
  return new Uint8Array(length).fill((n + writer.length) & 255).fill(Number(writer.slice(1)), 0, 8);
}

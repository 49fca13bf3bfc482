// `node dist/test/operators/audit-sample.js [SEED]`: the rows that an audit of the registry reads.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Row, registry } from '../../src/operators/registry.ts';

export const AUDIT_SEED = '2026-11-22';

/** How many rows of a category are read, or all where it has no more. */
const OF_EACH = 3;

/**
 * Of every category that gives numbers the rows with the smallest SHA-256 of `SEED ID`, in the order of the digests.
 * A row that comes later joins where its digest is small enough, and is then to be read.
 */
export function auditSample(rows: Iterable<Row>, seed: string): string[] {
  const digest = (id: string) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const giving = [...rows]
    .filter(({ expression, ode }) => expression !== undefined || ode !== undefined)
    .map(({ id, category }) => ({ id, category, key: digest(id) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const categories = [...new Set(giving.map(({ category }) => category))].sort();
  return categories.flatMap((name) =>
    giving
      .filter(({ category }) => category === name)
      .slice(0, OF_EACH)
      .map(({ id }) => id),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(auditSample(registry().rows.values(), process.argv[2] ?? AUDIT_SEED).join('\n'));

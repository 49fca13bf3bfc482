import type { Reader, Transaction } from '../../src/store/store.ts';
import { house } from '../decide/run.ts';
import { type MeshSpanRow, meshSpans, meshVerdicts } from '../records.ts';

// What a node did in a run before it was found out there: true or not, its word is worth nothing.

/** Accepted spans of these nodes that nobody else has run. */
export function doubtful(reader: Reader, run: string, nodes: readonly string[]): Promise<MeshSpanRow[]> {
  return reader.find(meshSpans, { where: { run, node: { in: nodes }, checked_by: null } });
}

/** Nodes that a verdict within the run found wrong. */
export async function convicted(reader: Reader, run: string): Promise<string[]> {
  const verdicts = await reader.find(meshVerdicts, { where: { run } });
  return [...new Set(verdicts.flatMap(({ faulty }) => (faulty === '' ? [] : faulty.split(','))))];
}

/** The service's own threads found the same. */
export async function cleared(tx: Transaction, spans: readonly MeshSpanRow[]): Promise<void> {
  for (const { run, from_segment } of spans)
    await tx.update(meshSpans, { run, from_segment }, { checked_by: house });
}

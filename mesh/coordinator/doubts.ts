import type { Reader, Transaction } from '../../src/store/store.ts';
import { isDoubtful } from '../decide/doubt.ts';
import { house } from '../decide/run.ts';
import { type MeshSpanRow, meshSpans, meshVerdicts } from '../records.ts';

// What a node did in a run before it was found out there: true or not, its word is worth nothing.

/** Accepted spans that stand on nothing but the word of these nodes. */
export async function doubtful(
  reader: Reader,
  run: string,
  distrusted: readonly string[],
): Promise<MeshSpanRow[]> {
  if (distrusted.length === 0) return [];
  const rows = await reader.find(meshSpans, { where: { run } });
  return rows.filter(({ node, checked_by: witness }) => isDoubtful({ node, witness }, distrusted));
}

/** Nodes that a verdict within the run found wrong. */
export async function convicted(reader: Reader, run: string): Promise<string[]> {
  const verdicts = await reader.find(meshVerdicts, { where: { run } });
  return [...new Set(verdicts.flatMap(({ faulty }) => (faulty === '' ? [] : faulty.split(','))))];
}

/** The answer is made of what the service's own threads found behind `segment`: nobody else answers for it. */
export async function replacedByHouse(tx: Transaction, run: string, segment: number): Promise<void> {
  const where = { run, from_segment: { gt: BigInt(segment) } };
  for (const { from_segment } of await tx.find(meshSpans, { where }))
    await tx.update(meshSpans, { run, from_segment }, { replaced_by: house });
}

/** The service's own threads found the same. */
export async function cleared(tx: Transaction, spans: readonly MeshSpanRow[]): Promise<void> {
  for (const { run, from_segment } of spans)
    await tx.update(meshSpans, { run, from_segment }, { checked_by: house });
}

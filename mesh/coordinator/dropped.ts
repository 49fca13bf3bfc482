import type { Digest } from '../../src/proof/job.ts';
import type { Reader } from '../../src/store/store.ts';
import type { Effect } from '../decide/effects.ts';
import type { MeshRun } from '../decide/run.ts';
import { type AcceptedSpan, lastSpans, pendingName, type StoredRun } from './run-rows.ts';

/** Accepted spans whose states whoever goes on, or gathers the run, may still fetch. */
const LAST_SPANS = 2;

/**
 * Objects that nobody asks for after a decision: rows and states of spans that went without being accepted. A name of
 * rows is of one reveal alone; a state is kept where another span, whoever claims it, has the same.
 */
export async function droppedObjects(
  reader: Reader,
  { machine, pending, sheet }: StoredRun,
  after: MeshRun,
  effects: readonly Effect[],
): Promise<readonly Digest[]> {
  if (!machine.spans.some(({ claim }) => claim)) return [];
  const staying = [
    ...after.spans,
    ...effects.flatMap((effect) => (effect.kind === 'accepted' ? [effect.span] : [])),
  ];
  const names = new Set(staying.map(pendingName));
  const gone = machine.spans.filter((span) => span.claim && !names.has(pendingName(span)));
  if (gone.length === 0) return [];
  const last = await lastSpans(reader, machine.id, LAST_SPANS);
  const needed = new Set([...staying, ...last].flatMap(({ claim }) => (claim ? [claim.state] : [])));
  const states = gone.map(({ claim }) => claim!.state);
  const rows = gone.flatMap((span) => pending[pendingName(span)] ?? []);
  return [...rows, ...states.filter((state) => !needed.has(state) && state !== sheet.start?.state)];
}

/** The same of spans that were accepted and are run again. */
export function rewoundObjects({ pending }: StoredRun, dropped: readonly AcceptedSpan[]): readonly Digest[] {
  return [...Object.values(pending), ...dropped.map(({ bytes }) => bytes)].filter((name) => name !== '');
}

import type { FinishedRun } from '../../proof/job.ts';
import type { Composition } from './composition.ts';

/** What the answers of points say beside their values. */
export interface Said {
  /** Such as that values are integrated (HON-14); each sentence once. */
  readonly note?: string;
  /** Standard uncertainties in the order of the points, where every answer has one. */
  readonly uncertainties?: readonly number[];
}

/** Reads the answers of all points, as if each had been asked alone; once all are there. */
export function saidBy(composition: Composition, finished: readonly FinishedRun[]): Said {
  const outputs = composition.outputsOf(finished);
  const notes = new Set(outputs.flatMap(({ note }) => (typeof note === 'string' ? [note] : [])));
  const uncertainties = outputs.flatMap(({ uncertainty }) =>
    typeof uncertainty === 'number' ? [uncertainty] : [],
  );
  return {
    ...(notes.size && { note: [...notes].join(' ') }),
    ...(uncertainties.length === outputs.length && { uncertainties }),
  };
}

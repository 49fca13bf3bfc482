import type { Store } from '../../src/store/store.ts';
import type { ExecuteOptions } from '../../workers/executor.ts';
import { ended } from '../decide/end.ts';
import { doubtful, replacedByHouse } from './doubts.ts';
import { type StoredRun, saveRun, storedRun } from './run-rows.ts';
import { explainRewound } from './runs.ts';

/**
 * The mesh has begun a run that the threads of this node end: nothing is made of a checkpoint that is in doubt.
 * @returns how to go on
 */
export async function takenHome(
  store: Store,
  { machine }: StoredRun,
  options: ExecuteOptions,
): Promise<ExecuteOptions> {
  const { id, distrusted = [] } = machine;
  const { resumeFrom, ...fromTheStart } = options;
  const kept = resumeFrom?.segment ?? -1;
  const spans = await doubtful(store, id, distrusted);
  const isInDoubt = spans.some(({ from_segment }) => Number(from_segment) <= kept);
  await store.transaction((tx) => replacedByHouse(tx, id, isInDoubt ? -1 : kept));
  return isInDoubt ? fromTheStart : options;
}

/** Nobody can ask the mesh: to it the run has failed, and where it is there again it begins behind the last checkpoint. */
export async function leftTheMesh(store: Store, id: string, nowNs: bigint): Promise<StoredRun | undefined> {
  const left = await store.transaction(async (tx) => {
    const stored = await storedRun(tx, id);
    if (!stored || !isTaken(stored)) return stored;
    await explainRewound(tx, stored, nowNs);
    const { run: machine } = ended(stored.machine, 'failed');
    return (await saveRun(tx, stored, { machine, pending: {}, paid: stored.paid })) ?? 'another was quicker';
  });
  return left === 'another was quicker' ? leftTheMesh(store, id, nowNs) : left;
}

/** The mesh goes on with it, or would hand over what it made of it. */
const isTaken = ({ machine: { state } }: StoredRun): boolean => state === 'open' || state === 'done';

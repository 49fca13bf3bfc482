import type { Reader } from '../store/store.ts';
import type { JobProgress } from './live-job.ts';
import { checkpoints, type JobRow } from './records.ts';

/**
 * Progress of a job that another process runs, as far as the store has it: its last durable segments. What is
 * expected is what was held, a planck a work unit; labels and lengths of runs are with who runs them.
 */
export async function storedProgress(reader: Reader, job: JobRow): Promise<JobProgress> {
  const rows = await reader.find(checkpoints, { where: { job: job.id }, orderBy: { run: 'asc' } });
  return {
    work: rows.reduce((sum, { work }) => sum + (work ?? 0n), 0n),
    expected: Number(job.ceiling_plancks),
    runs: rows.map(({ run, steps }) => ({
      label: `run ${run}`,
      steps: Number(steps),
      of: null,
      observed: [],
    })),
  };
}

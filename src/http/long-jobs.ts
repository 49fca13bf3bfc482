import type { SpineJob } from '../spine/past-jobs.ts';
import { ASYNC_PLANCKS } from './options.ts';

/** Whether a job is too long to wait for: by what is expected of it, or by the work that it comes to; else it is over. */
export function isLong(job: SpineJob): boolean | Promise<boolean> {
  if (job.state === 'running' && job.likely > ASYNC_PLANCKS) return true;
  return new Promise((resolve) => {
    const watch = () => {
      if (job.progress.work > ASYNC_PLANCKS) tell(true);
    };
    const tell = (long: boolean) => {
      job.off('progress', watch);
      resolve(long);
    };
    job.on('progress', watch);
    const over = () => tell(false);
    job.outcome.then(over, over);
  });
}

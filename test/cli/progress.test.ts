import t from 'tap';
import { progressText } from '../../src/cli/ran.ts';
import { LiveJob } from '../../src/spine/live-job.ts';

// What is shown of a job while it runs.

const live = () => new LiveJob({ id: 'job_1', account: 'z', solver: 'wave', createdNs: 0n, expected: 400 });
const shown = (job: LiveJob<unknown>): string => {
  const { work, ...rest } = job.progress;
  return progressText('wave', { ...rest, work: String(work) });
};

t.test('a run that the mesh cannot carry is said to be on the threads of the node', async (t) => {
  const job = live();
  const seen: string[] = [];
  job.on('progress', () => seen.push(shown(job)));
  job.runStarts(0, 'whole field', 40);
  job.runStays(0, 'large');
  job.runProgresses(0, { steps: 10, segments: 1, work: 100n, observed: [] });
  const where = '(too large for the mesh: on the threads of the node)';
  t.same(seen, [`wave 0.0 %  whole field 0/40 ${where}`, `wave 25.0 %  whole field 10/40 ${where}`]);
  t.match(job.progress.runs, [{ here: 'large' }]);
});

t.test('one that is short is not worth a word, and one on the mesh has none', async (t) => {
  const job = live();
  job.runStarts(0, 'a', 4);
  job.runStarts(1, 'b', null);
  job.runStays(1, 'short');
  t.equal(shown(job), 'wave 0.0 %  a 0/4  b 0');
  t.same(
    job.progress.runs.map((run) => run.here),
    [undefined, 'short'],
  );
});

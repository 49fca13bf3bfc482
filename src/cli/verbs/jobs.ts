import type { Command } from 'commander';
import pc from 'picocolors';
import { accountKey } from '../../main.ts';
import { examples } from '../options.ts';
import { checkOut, writeOut } from '../out-file.ts';
import { ProgressLine, print, printError, printJson } from '../output.ts';
import { answerFile, fetchAnswer, fieldBlobs, type Progress, progressText, watchJob } from '../ran.ts';
import { RemoteNode } from '../remote.ts';
import { answerText } from '../show-answer.ts';

interface JobOptions {
  readonly url: string;
  readonly key?: string;
  readonly json?: boolean;
  readonly out?: string;
}

interface Summary {
  readonly job: string;
  readonly solver: string;
  readonly state: string;
  /** Challenge that took the result back. */
  readonly revoked_by?: string | null;
  readonly created_ns: string;
}

const DEFAULT_URL = 'http://127.0.0.1:8787';

/** `svc jobs`, `watch` and `cancel`: jobs of an account on a node. */
export function jobVerbs(program: Command): void {
  const verb = (name: string, summary: string, example: string) =>
    examples(
      program
        .command(name)
        .summary(summary)
        .option('--url <url>', 'the node', DEFAULT_URL)
        .option('--key <key>', 'account key (or SVC_KEY)')
        .option('--json', 'print JSON'),
      [example],
    );
  verb('jobs', 'list the jobs of an account, newest first', 'SVC_KEY=svc_ak_… svc jobs')
    .option('--limit <count>', 'at most so many, 1 to 200', '50')
    .option('--offset <count>', 'leave out so many of the newest', '0')
    .action(list);
  verb('watch', 'follow a job to its end and show its answer', 'svc watch job_0123 --out answer.json')
    .argument('<job>', 'the job')
    .option('--out <file>', 'write the answer to this file; - for standard output')
    .action(watch);
  verb('cancel', 'cancel a job; its hold is voided', 'svc cancel job_0123')
    .argument('<job>', 'the job')
    .action(cancel);
}

const remoteOf = ({ url, key }: JobOptions): RemoteNode => new RemoteNode(url, accountKey(key));

async function list(options: JobOptions & { limit: string; offset: string }): Promise<void> {
  const query = new URLSearchParams({ limit: options.limit, offset: options.offset });
  const { jobs, total } = await remoteOf(options).json<{ jobs: Summary[]; total: number }>(
    { jobs: [{ job: 'text', solver: 'text', state: 'text', created_ns: 'count' }], total: 'number' },
    'GET',
    `/api/svc/jobs?${query}`,
  );
  if (options.json) return printJson({ jobs, total });
  for (const { job, solver, state, created_ns, revoked_by } of jobs)
    print(
      `${job}  ${new Date(Number(BigInt(created_ns) / 1_000_000n)).toISOString()}  ${solver.padEnd(12)} ${revoked_by ? `revoked by ${revoked_by}` : state}`,
    );
  print(`${jobs.length} of ${total} jobs`);
}

const pathOf = (job: string): string => encodeURIComponent(job);

async function watch(job: string, options: JobOptions): Promise<void> {
  checkOut(options.out);
  const remote = remoteOf(options);
  const line = new ProgressLine();
  const show = (progress: Progress) => line.show(progressText(job, progress));
  await remote.json({ state: 'text' }, 'GET', `/api/svc/jobs/${pathOf(job)}`); // or there is nothing to wait for
  const { revoked_by } = await watchJob(remote, pathOf(job), show).finally(() => line.clear());
  if (revoked_by) printError(`${pc.red('REVOKED')}: the verdict of ${revoked_by} took this result back`);
  const ran = await fetchAnswer(remote, pathOf(job));
  if (options.out && !writeOut(options.out, await answerFile(ran))) return;
  if (options.json) return printJson(ran.answer);
  const blobs = await fieldBlobs(ran);
  print(answerText(ran.answer, (digest) => blobs.get(digest)));
}

async function cancel(job: string, options: JobOptions): Promise<void> {
  const answer = await remoteOf(options).json<{ state: string }>(
    { state: 'text' },
    'DELETE',
    `/api/svc/jobs/${pathOf(job)}`,
  );
  if (options.json) printJson(answer);
  else print(`${job} is ${answer.state}`);
}

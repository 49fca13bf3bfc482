import type { Command } from 'commander';
import { print, printJson } from '../output.ts';
import { answerText } from '../show-answer.ts';
import { fetchAnswer, remoteOf, watchJob, writeAnswer } from './run.ts';

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
  readonly created_ns: string;
}

const DEFAULT_URL = 'http://127.0.0.1:8787';

/** `svc jobs`, `watch` and `cancel`: jobs of an account on a node. */
export function jobVerbs(program: Command): void {
  const verb = (name: string, summary: string, example: string) =>
    program
      .command(name)
      .summary(summary)
      .option('--url <url>', 'the node', DEFAULT_URL)
      .option('--key <key>', 'account key (or SVC_KEY)')
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  ${example}`);
  verb('jobs', 'list the jobs of an account, newest first', 'svc jobs --key svc_ak_…').action(list);
  verb('watch', 'follow a job to its end and show its answer', 'svc watch job_0123 --out answer.json')
    .argument('<job>', 'the job')
    .option('--out <file>', 'write the answer to this file')
    .action(watch);
  verb('cancel', 'cancel a job; its hold is voided', 'svc cancel job_0123')
    .argument('<job>', 'the job')
    .action(cancel);
}

async function list(options: JobOptions): Promise<void> {
  const { jobs, total } = await remoteOf(options).json<{ jobs: Summary[]; total: number }>(
    'GET',
    '/api/svc/jobs',
  );
  if (options.json) return printJson({ jobs, total });
  for (const { job, solver, state, created_ns } of jobs)
    print(
      `${job}  ${new Date(Number(BigInt(created_ns) / 1_000_000n)).toISOString()}  ${solver.padEnd(12)} ${state}`,
    );
  print(`${jobs.length} of ${total} jobs`);
}

async function watch(job: string, options: JobOptions): Promise<void> {
  const remote = remoteOf(options);
  await watchJob(remote, job);
  const ran = await fetchAnswer(remote, job);
  if (options.out) await writeAnswer(ran, options.out);
  if (options.json) printJson(ran.answer);
  else print(answerText(ran.answer, () => undefined));
}

async function cancel(job: string, options: JobOptions): Promise<void> {
  const answer = await remoteOf(options).json<{ state: string }>('DELETE', `/api/svc/jobs/${job}`);
  if (options.json) printJson(answer);
  else print(`${job} is ${answer.state}`);
}

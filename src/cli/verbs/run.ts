import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Answer } from '../../proof/answer.ts';
import { isBlobReference } from '../../proof/answer.ts';
import { makeBundle, namedBlobs } from '../../proof/bundle.ts';
import { solvers } from '../../solvers/registry.ts';
import type { Solver } from '../../solvers/solver.ts';
import type { JobProgress } from '../../spine/live-job.ts';
import type { QuoteAnswer } from '../../spine/pipeline.ts';
import { blobBytes } from '../../store/blobs.ts';
import { type CommonOptions, LOCAL_ACCOUNT, localAccount, withNode } from '../context.ts';
import { coreTime, ProgressLine, print, printError, printJson } from '../output.ts';
import { RemoteNode } from '../remote.ts';
import { answerText } from '../show-answer.ts';
import { addSolverFlags, requestOf } from './solver-flags.ts';

interface RunOptions extends CommonOptions, Record<string, unknown> {
  readonly input?: string;
  readonly out?: string;
  readonly url?: string;
  readonly key?: string;
}

/** An answer, and where the bytes are that it names. */
export interface Ran {
  readonly answer: Answer;
  readonly blob: (digest: string) => Promise<Uint8Array | undefined>;
  readonly kernel: (digest: string) => Promise<Uint8Array | undefined>;
}

/** `svc run SOLVER …` and `svc quote SOLVER …`, one command each for every declared solver. */
export function runVerbs(program: Command): void {
  const run = program
    .command('run')
    .summary('run a solver, here or on a node')
    .argument('<solver>', 'the solver');
  const quote = program
    .command('quote')
    .summary('price and work before anything runs')
    .argument('<solver>', 'the solver');
  for (const solver of solvers) {
    solverCommand(run, solver)
      .option('--out <file>', 'write the answer (or, where it names blobs, a bundle) to this file')
      .action((options: RunOptions, command: Command) => runSolver(solver, options, command));
    solverCommand(quote, solver).action((options: RunOptions, command: Command) =>
      quoteSolver(solver, options, command),
    );
  }
}

function solverCommand(parent: Command, solver: Solver): Command {
  const command = parent
    .command(solver.id)
    .summary(solver.title)
    .description(`${solver.summary}\n\n  ${solver.equation}`)
    .option('--input <file>', 'the request as JSON; - for standard input; flags go before it')
    .option('--url <url>', 'a node to run it on; without it, this machine')
    .option('--key <key>', 'account key for --url (or SVC_KEY)')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON');
  return addSolverFlags(command, solver).addHelpText(
    'after',
    `\nExample:\n${exampleOf(parent.name(), solver)}`,
  );
}

function exampleOf(verb: string, solver: Solver): string {
  const [first] = solver.examples;
  return first ? `  echo '${JSON.stringify(first.body)}' | svc ${verb} ${solver.id} --input -` : '';
}

async function runSolver(solver: Solver, options: RunOptions, command: Command): Promise<void> {
  const body = requestOf(solver, options, command.args);
  const ran = options.url ? undefined : options;
  if (ran)
    await withNode(ran, async (node) =>
      finish(await runHere(node, solver.id, body, noteTo(options)), options),
    );
  else await finish(await runThere(remoteOf(options), solver.id, body), options);
}

const noteTo = (options: RunOptions) => (options.json ? () => undefined : printError);

export function remoteOf(options: { url?: string; key?: string }): RemoteNode {
  return new RemoteNode(options.url!, options.key ?? process.env.SVC_KEY);
}

/** Runs on this machine, charged to its local account. */
export async function runHere(
  node: Parameters<Parameters<typeof withNode>[1]>[0],
  solver: string,
  body: unknown,
  note: (line: string) => void,
): Promise<Ran> {
  const opened = await localAccount(node);
  if (opened) note(opened);
  const line = new ProgressLine();
  const job = await node.spine.submit({ account: LOCAL_ACCOUNT, solver, body });
  job.on('progress', (progress) => line.show(progressText(solver, progress)));
  const cancel = () => job.cancelled.abort();
  process.once('SIGINT', cancel);
  try {
    const { answer } = await job.outcome;
    return {
      answer: JSON.parse(new TextDecoder().decode(answer)),
      blob: (digest) => blobBytes(node.store, digest),
      kernel: async (digest) => node.catalogue.bytes(digest),
    };
  } finally {
    process.off('SIGINT', cancel);
    line.clear();
  }
}

/** Runs on a node: a longer job in the background, watched until it ends. */
async function runThere(remote: RemoteNode, solver: string, body: unknown): Promise<Ran> {
  const headers = { prefer: 'respond-async' };
  const { job } = await remote.json<{ job: string }>('POST', `/api/svc/${solver}`, body, headers);
  await watchJob(remote, job);
  return fetchAnswer(remote, job);
}

/** Shows a job's progress until it ends. */
export async function watchJob(remote: RemoteNode, job: string): Promise<void> {
  const line = new ProgressLine();
  for await (const { event, data } of remote.events(`/api/svc/jobs/${job}/events`))
    if (event === 'progress') line.show(progressText(job, data as JobProgress));
  line.clear();
}

/** The answer of a job that is over. @throws Refusal that ended it */
export async function fetchAnswer(remote: RemoteNode, job: string): Promise<Ran> {
  const answer = await remote.json<Answer>('GET', `/api/svc/jobs/${job}/answer`);
  return {
    answer,
    blob: (digest) => remote.bytes(`/api/svc/blobs/${digest}`),
    kernel: (digest) => remote.bytes(`/api/svc/kernels/${digest}`),
  };
}

export function progressText(what: string, { work, expected, runs }: JobProgress): string {
  const percent = Math.min(100, (100 * Number(work)) / expected).toFixed(1);
  const steps = runs.map((run) => `${run.label} ${run.steps}${run.of === null ? '' : `/${run.of}`}`);
  return `${what} ${percent} %  ${steps.join('  ')}`;
}

async function finish(ran: Ran, options: RunOptions): Promise<void> {
  if (options.out) await writeAnswer(ran, options.out);
  if (options.json) return printJson(ran.answer);
  const blobs = new Map<string, Uint8Array>();
  for (const digest of namedBlobs(ran.answer.fields.map((field) => field.values))) {
    const bytes = await ran.blob(digest);
    if (bytes) blobs.set(digest, bytes);
  }
  print(answerText(ran.answer, (digest) => blobs.get(digest)));
  if (options.out) print(`written to ${options.out}; check it with: svc verify ${options.out}`);
}

/** An answer that names blobs is complete only with them: then the file is a bundle. */
export async function writeAnswer(ran: Ran, file: string): Promise<void> {
  const isComplete = namedBlobs(ran.answer).length === 0 && !isBlobReference(ran.answer.runs);
  const content = isComplete || !ran.answer.envelope ? ran.answer : await makeBundle(ran.answer, ran);
  writeFileSync(file, `${JSON.stringify(content)}\n`);
}

async function quoteSolver(solver: Solver, options: RunOptions, command: Command): Promise<void> {
  const body = requestOf(solver, options, command.args);
  const quote = options.url
    ? await remoteOf(options).json<QuoteAnswer>('POST', `/api/svc/${solver.id}/quote`, body)
    : await withNode(options, (node) => node.spine.quote(solver.id, body));
  if (options.json) return printJson(quote);
  const what = quote.exact ? 'costs' : 'costs at most';
  print(`${solver.id} ${what} ${quote.price_plancks} plancks: ${coreTime(quote.work)} of the reference core`);
  print(`memory of the largest run: ${(quote.memory / 2 ** 20).toFixed(1)} MiB`);
}

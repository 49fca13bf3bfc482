import type { Command } from 'commander';
import { accountKey } from '../../main.ts';
import type { Answer } from '../../proof/answer.ts';
import { solvers } from '../../solvers/registry.ts';
import type { Solver } from '../../solvers/solver.ts';
import type { JobProgress } from '../../spine/live-job.ts';
import type { QuoteAnswer } from '../../spine/pipeline.ts';
import { type CommonOptions, examples } from '../options.ts';
import { checkOut, STDOUT, writeOut } from '../out-file.ts';
import { coreTime, ProgressLine, print, printError, printJson, report } from '../output.ts';
import { answerFile, fetchAnswer, fieldBlobs, progressText, type Ran, watchJob } from '../ran.ts';
import { RemoteNode, type Shape } from '../remote.ts';
import { answerText } from '../show-answer.ts';
import { addSolverFlags, requestOf } from './solver-flags.ts';

interface RunOptions extends CommonOptions, Record<string, unknown> {
  readonly input?: string;
  readonly out?: string;
  readonly url?: string;
  readonly replication?: string;
  readonly key?: string;
}

/** `svc run SOLVER …` and `svc quote SOLVER …`, one command each for every declared solver. */
export function runVerbs(program: Command): void {
  const run = program
    .command('run')
    .summary('run a solver, here or on a node')
    .description('Runs a solver on this machine, charged to its own local account, or on a node with --url.');
  const quote = program
    .command('quote')
    .summary('price and work of a run, before anything runs')
    .description('Says what a run costs and how much memory it takes, before anything runs.');
  for (const solver of solvers) {
    solverCommand(run, solver, (options, command) => runSolver(solver, options, command)).option(
      '--out <file>',
      'write the answer (or, where it names blobs, a bundle) to this file; - for standard output',
    );
    solverCommand(quote, solver, (options, command) => quoteSolver(solver, options, command));
  }
  for (const verb of [run, quote]) examples(verb, [`svc ${verb.name()} ${solvers[0]!.id} --help`]);
}

type Action = (options: RunOptions, command: Command) => Promise<void>;

function solverCommand(parent: Command, solver: Solver, action: Action): Command {
  const command = parent
    .command(solver.id)
    .summary(solver.title)
    .description(`${solver.summary}\n\n  ${solver.equation}`)
    .option('--input <file>', 'the request as JSON; - for standard input; flags go before it')
    .option('--url <url>', 'a node to run it on; without it, this machine')
    .option('--key <key>', 'account key for --url (or SVC_KEY)')
    .option('--replication <how>', 'of a mesh behind --url: none, sampled or full is run a second time')
    .option('--data <folder>', 'data folder (SVC_DATA_DIR)')
    .option('--json', 'print JSON')
    .action(action);
  return examples(addSolverFlags(command, solver), [commandLine(parent.name(), solver)]);
}

/** A request as a line to type; absent: the first example of the solver. */
export function commandLine(
  verb: string,
  solver: Solver,
  body: object | undefined = solver.examples[0]?.body,
): string {
  return body ? `echo '${JSON.stringify(body)}' | svc ${verb} ${solver.id} --input -` : '';
}

async function runSolver(solver: Solver, options: RunOptions, command: Command): Promise<void> {
  checkOut(options.out);
  const body = requestOf(solver, options, command);
  if (options.url !== undefined)
    return finish(await runThere(remoteOf(options), solver.id, body, options), solver, options);
  if (options.replication !== undefined)
    throw new RangeError('--replication is for a mesh behind --url; this machine runs everything itself.');
  const { withNode } = await import('../context.ts');
  await mustBeUnderstood(solver, body);
  await withNode(options, async (node) =>
    finish(await runHere(node, solver.id, body, options), solver, options),
  );
}

/** What is refused at sight leaves no folder and no account behind; what needs the store to be read is told later. */
async function mustBeUnderstood(solver: Solver, body: unknown): Promise<void> {
  const [{ prepareFrom }, { continuedJob }, { blobsIn }] = await Promise.all([
    import('../../spine/request.ts'),
    import('../../spine/continued.ts'),
    import('../../solvers/input.ts'),
  ]);
  if (blobsIn(body).length > 0 || continuedJob(body as Record<string, unknown>) !== undefined) return;
  const none = () => Promise.reject(new RangeError('there is no store yet'));
  await prepareFrom(solver, body, { loaded: new Map(), blob: none, continued: none });
}

const remoteOf = ({ url, key }: RunOptions): RemoteNode => new RemoteNode(url!, accountKey(key));

/** What ran, and the job that it was. */
type JobRan = Ran & { readonly job: string };

type Node = Parameters<Parameters<typeof import('../context.ts').withNode>[1]>[0];

/** Runs on this machine, charged to its local account. */
async function runHere(node: Node, solver: string, body: unknown, options: RunOptions): Promise<JobRan> {
  const [{ localAccount, LOCAL_ACCOUNT }, { blobBytes }] = await Promise.all([
    import('../context.ts'),
    import('../../store/blobs.ts'),
  ]);
  const opened = await localAccount(node);
  if (opened && !options.json) printError(opened);
  const line = new ProgressLine();
  const job = await node.spine.submit({ account: LOCAL_ACCOUNT, solver, body });
  const show = ({ work, ...rest }: JobProgress) =>
    line.show(progressText(solver, { ...rest, work: String(work) }));
  job.on('progress', show);
  const cancel = () => job.cancelled.abort();
  process.once('SIGINT', cancel);
  try {
    const { answer } = await job.outcome;
    return {
      job: job.id,
      answer: JSON.parse(new TextDecoder().decode(answer)) as Answer,
      blob: (digest) => blobBytes(node.store, digest),
      kernel: async (digest) => node.catalogue.bytes(digest),
    };
  } finally {
    process.off('SIGINT', cancel);
    line.clear();
  }
}

/** Runs on a node, in the background, watched until it ends; who stops watching stops nothing. */
async function runThere(
  remote: RemoteNode,
  solver: string,
  body: unknown,
  { replication }: RunOptions,
): Promise<JobRan> {
  const headers = { prefer: 'respond-async', ...(replication === undefined ? {} : { replication }) };
  const { job } = await remote.json<{ job: string }>(
    { job: 'text' },
    'POST',
    `/api/svc/${solver}`,
    body,
    headers,
  );
  const line = new ProgressLine();
  const leave = () => {
    line.clear();
    printError(`${job} goes on; svc watch ${job} follows it again, svc cancel ${job} ends it.`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    await watchJob(remote, job, (progress) => line.show(progressText(solver, progress)));
    return { job, ...(await fetchAnswer(remote, job)) };
  } finally {
    process.off('SIGINT', leave);
    line.clear();
  }
}

async function finish(ran: JobRan, solver: Solver, options: RunOptions): Promise<void> {
  // On standard error: what is printed as JSON is the answer, which does not know its job.
  if (solver.continuation && ran.answer.envelope)
    printError(`job ${ran.job}; a run goes on from it with "initialState": {"continue": "${ran.job}"}`);
  if (options.out && !(await isWritten(ran, options.out))) return;
  if (options.json) return printJson(ran.answer);
  const blobs = await fieldBlobs(ran);
  print(answerText(ran.answer, (digest) => blobs.get(digest)));
  if (options.out) print(`written to ${options.out}; check it with: svc verify ${options.out}`);
}

/** An answer that was paid for is shown where it cannot be written. @returns whether there is more to say */
async function isWritten(ran: JobRan, file: string): Promise<boolean> {
  const text = await answerFile(ran);
  try {
    return writeOut(file, text);
  } catch (error) {
    process.exitCode = report(error, false);
    printError(`the answer of ${ran.job} is on standard output instead`);
    return writeOut(STDOUT, text);
  }
}

async function quoteSolver(solver: Solver, options: RunOptions, command: Command): Promise<void> {
  const body = requestOf(solver, options, command);
  const quote = await quoteOf(solver, body, options);
  if (options.json) return printJson(quote);
  const what = quote.exact ? 'costs' : 'costs at most';
  print(`${solver.id} ${what} ${quote.price_plancks} plancks: ${coreTime(quote.work)} of the reference core`);
  const { expected_plancks: expected } = quote;
  if (expected !== quote.price_plancks)
    print(`expected: ${expected} plancks, ${coreTime(expected)}; it begins where so much is there`);
  if (typeof quote.ceiling === 'string') print(`the most is the price of ${quote.ceiling}`);
  print(`memory of the largest run: ${(quote.memory / 2 ** 20).toFixed(1)} MiB`);
}

const shapeOfQuote: Shape = {
  ...{ price_plancks: 'count', expected_plancks: 'count', work: 'count' },
  memory: 'number',
};

async function quoteOf(solver: Solver, body: unknown, options: RunOptions): Promise<QuoteAnswer> {
  if (options.url !== undefined)
    return remoteOf(options).json<QuoteAnswer>(shapeOfQuote, 'POST', `/api/svc/${solver.id}/quote`, body);
  const { LOCAL_ACCOUNT, withNode } = await import('../context.ts');
  await mustBeUnderstood(solver, body);
  return withNode(options, (node) => node.spine.quote(solver.id, body, LOCAL_ACCOUNT));
}

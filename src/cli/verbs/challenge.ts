import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import pc from 'picocolors';
import { KernelCatalogue } from '../../../workers/kernels.ts';
import { ThreadPool } from '../../../workers/pool.ts';
import { MissingPiece } from '../../../workers/reexecute.ts';
import { knownReleases } from '../../../workers/rerun-releases.ts';
import {
  contest,
  type Difference,
  disputed,
  firstDifference,
  type Opponent,
} from '../../challenges/challenger.ts';
import { type Rejudged, rejudged } from '../../challenges/rejudge.ts';
import { rejudgedSegment } from '../../challenges/rejudge-segment.ts';
import { readSegmentVerdict, type SegmentVerdictStatement } from '../../challenges/segment-verdict.ts';
import type { ChallengeView } from '../../challenges/view.ts';
import { escaped } from '../../errors/printable.ts';
import { Refusal } from '../../errors/refusal.ts';
import { accountKey } from '../../main.ts';
import { type ChallengeVerdict, readVerdict } from '../../proof/challenge-verdict.ts';
import { type AnswerFile, readAnswer } from '../../proof/read-answer.ts';
import { readStatement, type StatementKind } from '../../proof/statement.ts';
import { verifyAnswer } from '../../proof/verify.ts';
import { bytesOf } from '../in-file.ts';
import { type CommonOptions, dataOption, examples, jsonOption } from '../options.ts';
import { checkOut, writeOut } from '../out-file.ts';
import { ProgressLine, print, printJson } from '../output.ts';
import { readOr2, trustedKeys } from '../proof-files.ts';
import { RemoteNode, type Shape } from '../remote.ts';
import { throughRestarts } from '../through-restarts.ts';
import { verificationText } from './verify.ts';

const DEFAULT_URL = 'http://127.0.0.1:8787';
const POLL_MS = 250;

/** `svc challenge`, `challenges` and `verdict`: contesting a result, without trust in anybody's word. */
export function challengeVerbs(program: Command): void {
  challengeVerb(program);
  challengesVerb(program);
  verdictVerb(program);
}

function challengeVerb(program: Command): void {
  const command = program
    .command('challenge')
    .summary('run a result again and, where it differs, contest it')
    .argument('<file>', 'an answer or a bundle; - for standard input')
    .option('--url <url>', 'the node that sealed it', DEFAULT_URL)
    .option('--key <key>', 'account key whose stake is held (or SVC_KEY)')
    .option('--run <index>', 'run this run only, and not all up to the first that differs')
    .option(
      '--dispute <segment>',
      'run nothing and contest this segment of the run: who is wrong loses the stake',
    )
    .option('--out <file>', 'write the signed verdict to this file')
    .action(challenge);
  examples(
    jsonOption(dataOption(command)),
    ['svc challenge answer.json --url https://node.example --key svc_ak_… --out verdict.txt'],
    'Exit: 0 nothing differs, or the result was overturned; 1 the file is not sound, or the challenge lost, was ' +
      'refused or left undecided; 2 unreadable.',
  );
}

function challengesVerb(program: Command): void {
  const command = program
    .command('challenges')
    .summary('challenges to the results of a node, newest first, or one of them')
    .argument('[challenge]', 'this one, with what both sides showed')
    .option('--url <url>', 'the node', DEFAULT_URL)
    .option('--job <id>', 'of this job or coin only')
    .option('--limit <count>', 'at most so many, 1 to 200', '50')
    .option('--offset <count>', 'leave out so many of the newest', '0')
    .option('--out <file>', 'write the signed verdict of the one challenge to this file')
    .action(challenges);
  examples(jsonOption(command), ['svc challenges --url https://node.example']);
}

function verdictVerb(program: Command): void {
  const command = program
    .command('verdict')
    .summary('read a signed verdict and run its segment again')
    .argument('<file>', 'a verdict (svc-verdict-1 or svc-segment-verdict-1); - for standard input')
    .option('--answer <file>', 'the answer or bundle that it is about: its segment is executed here')
    .option('--key <vkey>', "the node's verifier key; without it, keys pinned before and this machine's own")
    .action(verdict);
  examples(
    jsonOption(dataOption(command)),
    ['svc verdict verdict.txt --answer answer.json'],
    'Exit: 0 signed by a trusted key and, with --answer, the verdict holds; 1 not; 2 unreadable.',
  );
}

// ---- challenge -----------------------------------------------------------------------------------------

interface ChallengeOptions extends CommonOptions {
  readonly url: string;
  readonly key?: string;
  readonly run?: string;
  readonly dispute?: string;
  readonly out?: string;
}

async function challenge(name: string, options: ChallengeOptions): Promise<void> {
  checkOut(options.out);
  const bytes = bytesOf(name);
  const file = readOr2(name, () => readAnswer(bytes));
  const verified = verifyAnswer(file, {
    vkeys: trustedKeys({ data: options.data }),
    releases: knownReleases(),
  });
  if (verified.verdict === 'NOT_SOUND') {
    if (options.json) printJson({ state: 'not_sound', verification: verified });
    else print(verificationText(verified));
    process.exitCode = 1;
    return;
  }
  const difference = await differenceIn(file, options);
  if (!difference) return sayNothingDiffers(file, options);
  if (!options.json) print(differenceText(difference, options));
  const remote = new RemoteNode(options.url, accountKey(options.key));
  const opened = (id: string) => {
    if (!options.json)
      print(
        `challenge ${escaped(id)}; where this ends early: svc challenges ${escaped(id)} --url ${options.url}`,
      );
  };
  const found = await bisected(remote, file, difference, opened);
  return conclude(await ended(remote, found), options);
}

function differenceText({ run, label }: Difference, { dispute }: ChallengeOptions): string {
  const which = `run ${run} (${escaped(label)})`;
  return dispute === undefined
    ? `${pc.yellow('DIFFERS')}: ${which} came out otherwise here`
    : `${pc.yellow('DISPUTED')}: segment ${dispute} of ${which}, which nobody has run here`;
}

async function differenceIn(
  file: AnswerFile,
  { run, dispute }: ChallengeOptions,
): Promise<Difference | undefined> {
  const only = run === undefined ? undefined : indexOf('--run', run);
  if (dispute !== undefined) return disputed(file, only ?? 0, indexOf('--dispute', dispute));
  return onThreads(file, async (executor) => {
    const line = new ProgressLine();
    const onProgress = (index: number, segments: number) =>
      line.show(
        `run ${index + 1} of ${file.runs.length}, segment ${segments} of ${file.runs[index]!.segments}`,
      );
    const rerunning = { file, executor, onProgress, ...(only === undefined ? {} : { run: only }) };
    return firstDifference(rerunning).finally(() => line.clear());
  });
}

function indexOf(flag: '--run' | '--dispute', text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const what = flag === '--run' ? 'run' : 'segment';
  throw new RangeError(`${flag} is ${JSON.stringify(text)}; it is the index of a ${what}, from 0 on.`);
}

/** Kernels of this copy and of the releases that it keeps are executed, and no others: not what a file brings along. */
async function onThreads<T>(file: AnswerFile, work: (executor: ThreadPool) => Promise<T>): Promise<T> {
  const catalogue = new KernelCatalogue();
  const missing = file.runs.find(({ kernel }) => !catalogue.bytes(kernel));
  if (missing)
    throw new MissingPiece(`Kernel ${missing.kernel} (${escaped(missing.name)}) is of no release here.`);
  const executor = new ThreadPool({ catalogue });
  try {
    return await work(executor);
  } finally {
    await executor.close();
  }
}

function sayNothingDiffers({ runs }: AnswerFile, { run, json }: ChallengeOptions): void {
  const which = run === undefined ? `all ${runs.length} runs` : `run ${run}`;
  const detail = `${which} gave the same digests, results and work here: there is nothing to contest`;
  if (json) printJson({ state: 'agrees', detail });
  else print(`${pc.green('AGREES')}: ${detail}`);
}

const shapeOfView: Shape = {
  challenge: 'text',
  state: 'text',
  token_id: 'text',
  run: 'number',
  exchanges: 'number',
  opened_ns: 'count',
  dispute: { from: 'number', count: 'number' },
};

async function bisected(
  remote: RemoteNode,
  { answer }: AnswerFile,
  difference: Difference,
  opened: (id: string) => void,
): Promise<ChallengeView> {
  const line = new ProgressLine();
  const path = '/api/svc/challenges';
  const opponent: Opponent = {
    open: async (body) => {
      const view = await remote.exact<ChallengeView>(shapeOfView, 'POST', path, body);
      opened(view.challenge);
      return view;
    },
    children: (id, exchange) =>
      throughRestarts(() =>
        remote.exact(shapeOfView, 'POST', `${path}/${encodeURIComponent(id)}/children`, exchange),
      ),
  };
  const show = ({ exchanges, dispute: { from, count } }: ChallengeView) =>
    line.show(`exchange ${exchanges + 1}: segments ${from} to ${from + count - 1}`);
  return contest(answer, difference, opponent, show).finally(() => line.clear());
}

/** Waits while the service runs the segment. */
async function ended(remote: RemoteNode, found: ChallengeView): Promise<ChallengeView> {
  const line = new ProgressLine();
  let view = found;
  try {
    while (view.state === 'executing') {
      line.show(`${view.challenge}: the service runs segment ${view.dispute.from}`);
      await delay(POLL_MS);
      const at = `/api/svc/challenges/${encodeURIComponent(view.challenge)}`;
      view = await throughRestarts(() => remote.exact(shapeOfView, 'GET', at));
    }
  } finally {
    line.clear();
  }
  return view;
}

const overturned = new Set(['contributor_wrong', 'not_reproducible']);

function conclude(view: ChallengeView, { url, out, json }: ChallengeOptions): void {
  process.exitCode = overturned.has(view.outcome ?? '') ? 0 : 1;
  if (out && view.verdict && !writeOut(out, view.verdict)) return;
  if (json) printJson(view);
  else print(viewText(view, url));
  if (out && view.verdict && !json)
    print(`written to ${out}; run it again with: svc verdict ${out} --answer FILE`);
}

function viewText(view: ChallengeView, url: string): string {
  const { outcome, state, challenge, exchanges, detail, dispute, run } = view;
  const word = escaped(outcome ?? state);
  const mark = overturned.has(word) ? pc.green(word) : pc.red(word);
  return [
    `${mark}: ${escaped(detail ?? `the challenge is ${state}`)}`,
    `  run ${run}, leaves ${dispute.from} to ${dispute.from + dispute.count - 1} after ${exchanges} exchanges`,
    `  ${url.replace(/\/+$/, '')}/api/svc/challenges/${escaped(challenge)}`,
  ].join('\n');
}

// ---- challenges ----------------------------------------------------------------------------------------

interface ListOptions {
  readonly url: string;
  readonly job?: string;
  readonly limit: string;
  readonly offset: string;
  readonly out?: string;
  readonly json?: boolean;
}

async function challenges(one: string | undefined, options: ListOptions): Promise<void> {
  checkOut(options.out);
  const remote = new RemoteNode(options.url, undefined);
  if (one !== undefined) {
    const view = await remote.exact<ChallengeView>(
      shapeOfView,
      'GET',
      `/api/svc/challenges/${encodeURIComponent(one)}`,
    );
    if (options.out && !view.verdict)
      throw new Refusal('CONFLICT', `${one} has no verdict: it is ${view.state}.`);
    if (options.out && !writeOut(options.out, view.verdict!)) return;
    if (options.json) printJson(view);
    else print(viewText(view, options.url));
    return;
  }
  const { job, limit, offset } = options;
  const query = new URLSearchParams({ ...(job ? { job } : {}), limit, offset });
  const page = await remote.json<{ challenges: ChallengeView[]; total: number }>(
    {
      challenges: [shapeOfView],
      total: 'number',
    },
    'GET',
    `/api/svc/challenges?${query}`,
  );
  if (options.json) return printJson(page);
  for (const { challenge, token_id, run, state, outcome, opened_ns } of page.challenges)
    print(
      `${escaped(challenge)}  ${new Date(Number(BigInt(opened_ns) / 1_000_000n)).toISOString()}  ` +
        `${escaped(token_id)} run ${run}  ${escaped(outcome ?? state)}`,
    );
  print(`${page.challenges.length} of ${page.total} challenges`);
}

// ---- verdict -------------------------------------------------------------------------------------------

interface VerdictOptions extends CommonOptions {
  readonly answer?: string;
  readonly key?: string;
}

async function verdict(name: string, options: VerdictOptions): Promise<void> {
  const text = bytesOf(name).toString('utf8');
  const { read, signedBy } = readOr2(name, () => {
    const { kind, content, signedBy } = readStatement(text, trustedKeys(options));
    const read = verdictOf(kind, content);
    const { node } = read.content;
    if (signedBy !== undefined && signedBy !== node)
      throw new Refusal(
        'INVALID_INPUT',
        `The verdict is said to be by ${escaped(node)}, and ${signedBy} signed it.`,
      );
    return { read, signedBy };
  });
  const again = options.answer === undefined ? undefined : await runAgain(read, options.answer);
  const { content } = read;
  if (options.json) printJson({ signed: signedBy !== undefined, signedBy: signedBy ?? null, again, content });
  else print(verdictText(read, signedBy, again));
  process.exitCode = signedBy !== undefined && (again?.holds ?? true) ? 0 : 1;
}

/** Of a challenge, or of a dispute within a run. */
interface ReadVerdict {
  readonly content: ChallengeVerdict | SegmentVerdictStatement;
  readonly through: number;
  readonly lines: readonly string[];
  rejudged(file: AnswerFile, executor: ThreadPool, show: (segments: number) => void): Promise<Rejudged>;
}

function verdictOf(kind: StatementKind, said: unknown): ReadVerdict {
  if (kind === 'svc-verdict-1') {
    const content = readVerdict(said);
    const { of, run, third, service, through } = content;
    const executions = [third, service].flatMap((each) =>
      each ? [`  run by ${escaped(each.node)} (${escaped(each.engine)}): ${each.hash}`] : [],
    );
    const lines = [`  coin ${escaped(of.token_id)} of ${escaped(of.node)}, run ${run}`, ...executions];
    return { content, through, lines, rejudged: (...args) => rejudged(content, ...args) };
  }
  if (kind !== 'svc-segment-verdict-1')
    throw new Refusal('INVALID_INPUT', `This is ${kind}, and no verdict.`);
  const content = readSegmentVerdict(said);
  const { contributor, challenger, third, service, segment, from } = content;
  const executions = [contributor, challenger, third, ...(service ? [service] : [])].map(
    ({ node, engine, claim }) =>
      `  run by ${escaped(node)} (${escaped(engine)}): ${claim.digests[segment - from] ?? 'had ended before'}`,
  );
  const lines = [`  run ${escaped(content.run)}`, ...executions];
  return { content, through: segment, lines, rejudged: (...args) => rejudgedSegment(content, ...args) };
}

async function runAgain(read: ReadVerdict, name: string): Promise<Rejudged> {
  const bytes = bytesOf(name);
  const file = readOr2(name, () => readAnswer(bytes));
  return onThreads(file, async (executor) => {
    const line = new ProgressLine();
    const show = (segments: number) => line.show(`segment ${segments} of ${read.through}`);
    return read.rejudged(file, executor, show).finally(() => line.clear());
  });
}

function verdictText(
  { content: { outcome, detail, faulty }, lines }: ReadVerdict,
  signedBy: string | undefined,
  again: Rejudged | undefined,
): string {
  return [
    signedBy === undefined
      ? `${pc.red('UNKNOWN_NODE')}: signed by no key that is trusted here`
      : `${pc.green('SIGNED')} by ${escaped(signedBy)}`,
    `${outcome}: ${escaped(detail)}`,
    ...lines,
    ...faulty.map((node) => `  bond withheld: ${escaped(node)}`),
    ...(again ? [`${again.holds ? pc.green('HOLDS') : pc.red('DOES NOT HOLD')}: ${again.detail}`] : []),
  ].join('\n');
}

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import pc from 'picocolors';
import { hmacKey } from '#crypto';
import type { Rerun } from '../../../workers/reexecute.ts';
import { knownReleases } from '../../../workers/rerun-releases.ts';
import { Refusal } from '../../errors/refusal.ts';
import { settings } from '../../main.ts';
import type { Answer } from '../../proof/answer.ts';
import { type Bundle, makeBundle } from '../../proof/bundle.ts';
import { UNSEALED } from '../../proof/check-shown.ts';
import { noteSigner, readVkey } from '../../proof/note.ts';
import { type AnswerFile, readAnswer } from '../../proof/read-answer.ts';
import type { ReleaseFound } from '../../proof/releases.ts';
import type { Revocation } from '../../proof/revocation.ts';
import { isStatement, type ReadStatement, readStatement } from '../../proof/statement.ts';
import { type Verification, verifyAnswer } from '../../proof/verify.ts';
import { knownKeys, nodeKeys, renewKeys } from '../../spine/identity.ts';
import type { PlannedAgain, RunAgain } from '../../spine/planned-again.ts';
import { KnownNodes } from '../known-nodes.ts';
import { type CommonOptions, dataOption, examples, jsonOption } from '../options.ts';
import { checkOut, STDOUT, writeOut } from '../out-file.ts';
import { ProgressLine, print, printError, printJson } from '../output.ts';
import { RemoteNode } from '../remote.ts';
import { askForRevocation, type Fork } from '../revoked.ts';
import { runsFrom } from '../runs-elsewhere.ts';

/** `svc verify`, `rerun`, `bundle` and `identity`: what a stranger needs. None of them starts a node. */
export function proofVerbs(program: Command): void {
  verifyVerb(program);
  rerunVerb(program);
  bundleVerb(program);
  identityVerb(program);
}

function verifyVerb(program: Command): void {
  const command = program
    .command('verify')
    .summary('check an answer offline, with a public key and nothing else')
    .argument('<file>', 'an answer, a bundle or a signed statement; - for standard input')
    .option('--key <vkey>', "the node's verifier key; without it, keys pinned before and this machine's own")
    .option(
      '--url <url>',
      'ask the node there whether it has taken the result back since, and whether its log still goes on from the receipt',
    )
    .option(
      '--account-key <key>',
      'for runs that are no part of the file, which --url then fetches (or SVC_KEY)',
    )
    .action(verify);
  examples(
    jsonOption(dataOption(strictOption(command))),
    ['svc verify answer.json --key "$(svc identity)"', 'svc verify answer.json --url https://node.example'],
    'Exit: 0 sound, 1 not sound, REVOKED, FORKED or UNKNOWN_NODE (with --strict also UNKNOWN_RELEASE), 2 unreadable.',
  );
}

function rerunVerb(program: Command): void {
  const command = program
    .command('rerun')
    .summary('execute an answer again, kernel by kernel, and compare every digest')
    .argument('<file>', 'an answer or a bundle; - for standard input')
    .action(rerun);
  examples(
    jsonOption(strictOption(command)),
    ['svc rerun answer.json'],
    'Exit: 0 the same digests, 1 not (and where; with --strict also UNKNOWN_RELEASE), 2 unreadable or incomplete.',
  );
}

const strictOption = (command: Command): Command =>
  command.option('--strict', 'exit 1 where this copy does not know the release that the answer names');

function bundleVerb(program: Command): void {
  const command = program
    .command('bundle')
    .summary('put an answer with all its blobs and kernels into one file that needs nobody')
    .argument('<file>', 'an answer; - for standard input')
    .option('--out <file>', 'where to write it; standard output without it')
    .option('--url <url>', 'the node that has its blobs; without it, this machine')
    .option('--account-key <key>', 'of an account that may read them there (or SVC_KEY)')
    .action(bundle);
  examples(
    jsonOption(dataOption(command)),
    [
      'svc bundle answer.json --out bundle.json',
      'svc bundle answer.json --url https://node.example --out bundle.json',
    ],
    'Exit: 0 written, 1 a piece is nowhere to be found, 2 unreadable.',
  );
}

function identityVerb(program: Command): void {
  const command = program
    .command('identity')
    .summary("this node's verifier key, or another's")
    .option('--url <url>', 'ask the node there')
    .option('--pin', 'trust the key from now on when verifying')
    .option(
      '--new-key',
      'begin a log under a new name and new keys; the old ones are kept and stay trusted here',
    )
    .option(
      '--continue-log',
      'after a restore: go on with its log, because nothing was sealed after the backup',
    )
    .action(identity);
  examples(jsonOption(dataOption(command)), [
    'svc identity --json',
    'svc identity --url https://node.example --pin',
    'svc identity --new-key --data ./restored',
  ]);
}

/** Unreadable is exit code 2, whatever the reason: there is nothing to judge. */
export function readOr2<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const how = error.details.field === '/runs' && error.details.blob !== undefined ? ` ${FETCH_RUNS}` : '';
    throw new RangeError(`${file} cannot be read: ${error.message}${how}`, { cause: error });
  }
}

const FETCH_RUNS =
  '`svc bundle FILE --out bundle.json` puts them into a file that needs nobody, with `--url URL` and SVC_KEY from the ' +
  'node that has them; `svc verify FILE --url URL` fetches them for itself.';

/** Verifier keys that are trusted: the one that is given, or those pinned before and this machine's own. */
export function trustedKeys({ key, data }: CommonOptions & { key?: string }): string[] {
  const { dataDir } = settings({ data }).node;
  const own = knownKeys(dataDir);
  const vkeys = key ? [key] : [...new KnownNodes(dataDir).vkeys, ...(own ? [vkeyOf(own)] : [])];
  for (const vkey of vkeys) readVkey(vkey); // a key that is no key is a mistake, not an unknown node
  return vkeys;
}

interface RemoteOptions extends CommonOptions {
  readonly url?: string;
  readonly accountKey?: string;
}

const remoteOf = ({ url, accountKey }: RemoteOptions): RemoteNode =>
  new RemoteNode(url!, accountKey ?? process.env.SVC_KEY);

interface VerifyOptions extends RemoteOptions {
  readonly key?: string;
  readonly strict?: boolean;
}

async function verify(name: string, options: VerifyOptions): Promise<void> {
  const bytes = readFileSync(name === '-' ? 0 : name);
  const own = knownKeys(settings({ data: options.data }).node.dataDir);
  const vkeys = trustedKeys(options);
  const text = bytes.subarray(0, STATEMENT_LENGTH).toString('utf8');
  if (isStatement(text)) {
    const statement = readOr2(name, () => readStatement(text, vkeys));
    return verifyStatement(statement, options);
  }
  const runs = options.url === undefined ? undefined : await runsFrom(remoteOf(options), bytes);
  const answer = readOr2(name, () => readAnswer(bytes, (digest) => runs?.get(digest)));
  const isOwn = own?.name === answer.answer.envelope.node && !options.key;
  const result = verifyAnswer(answer, {
    vkeys,
    releases: knownReleases(),
    strict: options.strict ?? false,
    ...(isOwn ? { hmacKey: hmacKey(own.hmacKey) } : {}),
  });
  const asked =
    options.url && result.sound
      ? await askForRevocation(answer, new RemoteNode(options.url, undefined), vkeys)
      : undefined;
  if (asked?.fork) return sayForked(result, asked.fork, options);
  if (asked?.revocation) return sayRevoked(result, asked.revocation, options);
  const later = asked ? { revocation: null, revocationsAsOf: asked.asOf } : {};
  if (options.json) printJson({ ...result, ...later });
  else print([verificationText(result), ...(asked ? [notRevoked(asked.asOf)] : [])].join('\n'));
  process.exitCode = result.sound ? 0 : 1;
}

const notRevoked = (asOf: number): string =>
  `  not revoked as of checkpoint ${asOf}, by the word of the node`;

/** Sound as it was sealed, and taken back since (docs/protocol.md, 'Challenges and revocation'). */
function sayRevoked(result: Verification, revocation: Revocation, { url, json }: VerifyOptions): void {
  const { challenge, outcome, node, verdict_index } = revocation;
  const at = `${url!.replace(/\/+$/, '')}/api/svc/challenges/${encodeURIComponent(challenge)}`;
  const detail = `${node} took this result back: ${outcome}, by the verdict in leaf ${verdict_index} of its log`;
  if (json) printJson({ ...result, sound: false, verdict: 'REVOKED', detail, revocation, verdict_at: at });
  else print(`${pc.red('REVOKED')}: ${onOneLine(detail)}\n  ${at}`);
  process.exitCode = 1;
}

/** Sound as it was sealed, and in a log that its node does not stand by: both heads are the evidence. */
function sayForked(result: Verification, fork: Fork, { json }: CommonOptions): void {
  const { detail, proof, checkpoints } = fork;
  if (json) printJson({ ...result, sound: false, verdict: 'FORKED', detail, fork: { proof, checkpoints } });
  else {
    const [sealed, shown] = checkpoints.map((text) => text.trimEnd().split('\n').map(onOneLine));
    print(
      [
        `${pc.red('FORKED')}: ${onOneLine(detail)}`,
        proof
          ? '  The two heads below are signed with one key: they convict it before anybody.'
          : '  The two heads below are signed with one key; that they belong together is not shown.',
        ...['', '— of the receipt —', ...sealed!, '', '— of the node now —', ...shown!],
      ].join('\n'),
    );
  }
  process.exitCode = 1;
}

/** A statement is a few kilobytes; what is longer is cut, and then not signed. */
const STATEMENT_LENGTH = 65_536;

function verifyStatement({ kind, content, signedBy }: ReadStatement, { json }: CommonOptions): void {
  if (json) printJson({ kind, signed: signedBy !== undefined, signedBy: signedBy ?? null, content });
  else if (signedBy === undefined) print(`${pc.red('UNKNOWN_NODE')}: signed by no key that is trusted here`);
  else
    print(onOneLine(`${pc.green('SIGNED')} by ${signedBy}: ${kind}: ${content.verdict ?? content.outcome}`));
  if (!json) print(JSON.stringify(content, null, 2));
  process.exitCode = signedBy === undefined ? 1 : 0;
}

const vkeyOf = (keys: { name: string; signingSeed: Uint8Array }): string =>
  noteSigner(keys.name, keys.signingSeed).vkey;

export function verificationText({ verdict, detail, checks, unchecked, release }: Verification): string {
  const failed = checks.filter((check) => !check.ok);
  const isUnsealed = ({ detail }: { detail: string }) => detail === UNSEALED;
  const unsealed = unchecked.filter(isUnsealed).map(({ where }) => where);
  const open = unchecked.length - unsealed.length;
  const mark = verdict === 'SOUND' ? pc.green(verdict) : pc.red(verdict);
  return [
    `${mark}: ${onOneLine(detail)}`,
    `  ${checks.length - failed.length} of ${checks.length} checks hold`,
    ...(verdict === 'UNKNOWN_RELEASE' ? [] : releaseLines(release)),
    ...failed.map(
      (check) => `  ${pc.red('not')} ${onOneLine(`${check.where}: ${check.name}: ${check.detail}`)}`,
    ),
    ...(unsealed.length > 0 ? [pc.yellow(`  shown, and vouched for by nobody: ${listed(unsealed)}`)] : []),
    ...(open > 0 ? [pc.dim(`  ${open} things only a rerun proves: svc rerun FILE`)] : []),
  ].join('\n');
}

/** What is said of a release that is not known, whatever else was found. */
const releaseLines = ({ known, detail }: ReleaseFound): string[] =>
  known ? [] : [pc.yellow(`UNKNOWN_RELEASE: ${onOneLine(detail)}`)];

/** What comes from a file must not move the terminal's cursor or forge a line of ours. */
const onOneLine = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

const LISTED = 10;

function listed(pointers: readonly string[]): string {
  const more = pointers.length - LISTED;
  return `${pointers.slice(0, LISTED).map(onOneLine).join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function rerun(file: string, options: { json?: boolean; strict?: boolean }): Promise<void> {
  const bytes = readFileSync(file === '-' ? 0 : file);
  const answer = readOr2(file, () => readAnswer(bytes));
  const { rerunWatched } = await import('../../../workers/rerun-watched.ts');
  const line = new ProgressLine();
  const runs: RunAgain[] = [];
  const result = await rerunWatched(bytes, {
    releases: knownReleases(),
    onProgress: (run, of, steps) => line.show(`run ${run + 1} of ${of}, step ${steps}`),
    onRun: (run) => void runs.push(run),
  }).finally(() => line.clear());
  const planned = result.agrees ? await plannedAgain(answer, runs) : undefined;
  if (options.json) printJson(planned ? { ...result, planned } : result);
  else print(rerunText(result, planned));
  const isDoubted = options.strict === true && !result.release.known;
  process.exitCode = result.agrees && planned?.agrees !== false && !isDoubted ? 0 : 1;
}

async function plannedAgain(answer: AnswerFile, runs: readonly RunAgain[]): Promise<PlannedAgain> {
  const [{ planAgain }, { KernelCatalogue }] = await Promise.all([
    import('../../spine/planned-again.ts'),
    import('../../../workers/kernels.ts'),
  ]);
  const catalogue = new KernelCatalogue();
  return planAgain(answer, runs, (name) => catalogue.digest(name));
}

function rerunText({ agrees, detail, release }: Rerun, planned: PlannedAgain | undefined): string {
  const differs = planned?.agrees === false;
  const lines = [
    `${agrees && !differs ? pc.green('AGREES') : pc.red('DIFFERS')}: ${onOneLine(detail)}`,
    ...(planned ? [plannedLine(planned)] : []),
    ...releaseLines(release),
  ];
  return lines.join('\n');
}

function plannedLine({ agrees, where, detail }: PlannedAgain): string {
  if (agrees === null) return pc.dim(`  not planned again: ${onOneLine(detail)}`);
  return agrees ? `  ${onOneLine(detail)}` : pc.red(onOneLine(`  but ${where}: ${detail}`));
}

async function bundle(file: string, options: RemoteOptions & { out?: string }): Promise<void> {
  checkOut(options.out);
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  const answer = parsedAnswer(text, file);
  const content = await bundleOf(answer, file, options);
  const json = `${JSON.stringify(content)}\n`;
  if (!writeOut(options.out ?? STDOUT, json)) return;
  const count = { blobs: Object.keys(content.blobs).length, kernels: Object.keys(content.kernels).length };
  if (options.json) printJson({ file: options.out, ...count, bytes: json.length });
  else print(`${options.out}: ${count.blobs} blobs, ${count.kernels} kernels, ${json.length} bytes`);
}

/** What is no answer is unreadable; a piece that is nowhere to be found is something else. */
async function bundleOf(answer: Answer, file: string, options: RemoteOptions): Promise<Bundle> {
  try {
    return await (options.url === undefined ? bundleHere(answer, options) : bundleThere(answer, options));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_INPUT') throw error;
    throw new RangeError(`${file} cannot be read: ${error.message}`, { cause: error });
  }
}

async function bundleHere(answer: Answer, options: CommonOptions): Promise<Bundle> {
  const [{ withStore }, { blobBytes }, { KernelCatalogue }] = await Promise.all([
    import('../stored.ts'),
    import('../../store/blobs.ts'),
    import('../../../workers/kernels.ts'),
  ]);
  const catalogue = new KernelCatalogue();
  return withStore(options, (store) =>
    makeBundle(answer, {
      blob: (digest) => blobBytes(store, digest),
      kernel: async (digest) => catalogue.bytes(digest),
    }),
  );
}

function bundleThere(answer: Answer, options: RemoteOptions): Promise<Bundle> {
  const remote = remoteOf(options);
  return makeBundle(answer, {
    blob: (digest) => remote.bytes(`/api/svc/blobs/${digest}`),
    kernel: (digest) => remote.bytes(`/api/svc/kernels/${digest}`),
  });
}

/** The runs may be a blob that is not in the file yet, so the answer is only parsed here. */
function parsedAnswer(text: string, file: string): Answer {
  const parsed = parsedJson(text, file);
  const answer = isRecord(parsed) && parsed.format === 'svc-bundle-1' ? parsed.answer : parsed;
  if (!isRecord(answer) || !isRecord(answer.envelope))
    throw new RangeError(`${file} cannot be read: it is no answer, which is an object with an envelope.`);
  return answer as unknown as Answer;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsedJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RangeError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

interface IdentityOptions extends CommonOptions {
  readonly url?: string;
  readonly pin?: boolean;
  readonly newKey?: boolean;
  readonly continueLog?: boolean;
}

async function identity(options: IdentityOptions): Promise<void> {
  const { dataDir } = settings({ data: options.data }).node;
  const { newKey, continueLog, url } = options;
  if ([newKey, continueLog, url].filter(Boolean).length > 1)
    throw new RangeError('--new-key, --continue-log and --url do not go together.');
  if (continueLog) await goOnWithLog(options);
  if (newKey) renewIdentity(dataDir);
  const found = options.url
    ? await new RemoteNode(options.url, undefined).json<{ node: string; vkey: string }>(
        'GET',
        '/api/identity',
      )
    : own(dataDir);
  readVkey(found.vkey);
  if (options.pin) new KnownNodes(dataDir).pin(found.vkey);
  if (options.json) printJson({ node: found.node, vkey: found.vkey });
  else print(found.vkey);
}

/** @throws Refusal NOT_FOUND · those of `continueLog` */
async function goOnWithLog(options: CommonOptions): Promise<void> {
  const [{ continueLog }, { mustHoldStore, ownLog, withStore }] = await Promise.all([
    import('../../spine/restored-log.ts'),
    import('../stored.ts'),
  ]);
  mustHoldStore(options);
  const log = ownLog(options);
  if (!log) throw noNode();
  const leaves = await withStore(options, (store) => continueLog(store, log));
  printError(`the log of ${log.node} goes on behind its ${leaves} leaves`);
}

/** Answers of the old identity stay known on this machine. @throws Refusal NOT_FOUND */
function renewIdentity(dataDir: string): void {
  const before = renewKeys(dataDir);
  if (!before) throw noNode();
  new KnownNodes(dataDir).pin(vkeyOf(before));
  printError(`the keys of ${before.name} are kept in ${dataDir}, and its answers stay known here`);
}

const noNode = (): Refusal => new Refusal('NOT_FOUND', 'No node has run in this folder: it has no keys yet.');

function own(dataDir: string): { node: string; vkey: string } {
  const keys = nodeKeys(dataDir);
  return { node: keys.name, vkey: vkeyOf(keys) };
}

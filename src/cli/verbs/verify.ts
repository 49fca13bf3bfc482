import type { Command } from 'commander';
import pc from 'picocolors';
import { hmacKey } from '#crypto';
import { knownReleases } from '../../../workers/rerun-releases.ts';
import { settings } from '../../main.ts';
import { UNBOUND, UNSEALED } from '../../proof/check-shown.ts';
import { readAnswer } from '../../proof/read-answer.ts';
import type { Revocation } from '../../proof/revocation.ts';
import { isStatement, type ReadStatement, readStatement } from '../../proof/statement.ts';
import { type Verification, verifyAnswer } from '../../proof/verify.ts';
import { knownKeys } from '../../spine/identity.ts';
import { bytesOf } from '../in-file.ts';
import { type CommonOptions, dataOption, examples, jsonOption } from '../options.ts';
import { onOneLine, print, printJson } from '../output.ts';
import {
  type RemoteOptions,
  readOr2,
  releaseLines,
  remoteOf,
  strictOption,
  trustedKeys,
} from '../proof-files.ts';
import { RemoteNode } from '../remote.ts';
import { askForRevocation, type Fork } from '../revoked.ts';
import { runsFrom } from '../runs-elsewhere.ts';

/** `svc verify`: an answer against its seal, offline. Starts no node. */
export function verifyVerb(program: Command): void {
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

interface VerifyOptions extends RemoteOptions {
  readonly key?: string;
  readonly strict?: boolean;
}

async function verify(name: string, options: VerifyOptions): Promise<void> {
  const bytes = bytesOf(name);
  const own =
    options.key === undefined ? knownKeys(settings({ data: options.data }).node.dataDir) : undefined;
  const vkeys = trustedKeys(options);
  const text = bytes.subarray(0, STATEMENT_LENGTH).toString('utf8');
  if (isStatement(text)) {
    const statement = readOr2(name, () => readStatement(text, vkeys));
    return verifyStatement(statement, options);
  }
  const runs = options.url === undefined ? undefined : await runsFrom(remoteOf(options), bytes);
  const answer = readOr2(name, () => readAnswer(bytes, (digest) => runs?.get(digest)));
  const isOwn = own?.name === answer.answer.envelope.node;
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

export function verificationText({ verdict, detail, checks, unchecked, release }: Verification): string {
  const failed = checks.filter((check) => !check.ok);
  const unsealed = unchecked.filter(({ detail }) => detail === UNSEALED).map(({ where }) => where);
  const unbound = unchecked.filter(({ detail }) => detail === UNBOUND);
  const open = unchecked
    .filter(({ detail }) => detail !== UNSEALED && detail !== UNBOUND)
    .map(({ where }) => where);
  const mark = verdict === 'SOUND' ? pc.green(verdict) : pc.red(verdict);
  return [
    `${mark}: ${onOneLine(detail)}`,
    `  ${checks.length - failed.length} of ${checks.length} checks hold`,
    ...(verdict === 'UNKNOWN_RELEASE' ? [] : releaseLines(release)),
    ...failed.map(
      (check) => `  ${pc.red('not')} ${onOneLine(`${check.where}: ${check.name}: ${check.detail}`)}`,
    ),
    ...(unsealed.length > 0 ? [pc.yellow(`  shown, and vouched for by nobody: ${listed(unsealed)}`)] : []),
    ...unbound.map(({ detail }) => pc.yellow(`  ${detail}`)),
    ...(open.length > 0 ? [pc.dim(`  vouched for by nobody until svc rerun FILE: ${listed(open)}`)] : []),
  ].join('\n');
}

const LISTED = 10;

function listed(pointers: readonly string[]): string {
  const more = pointers.length - LISTED;
  return `${pointers.slice(0, LISTED).map(onOneLine).join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

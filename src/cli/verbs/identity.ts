import type { Command } from 'commander';
import { Refusal } from '../../errors/refusal.ts';
import { settings } from '../../main.ts';
import { readVkey } from '../../proof/note.ts';
import { nodeKeys, renewKeys } from '../../spine/identity.ts';
import { KnownNodes } from '../known-nodes.ts';
import { type CommonOptions, dataOption, examples, jsonOption } from '../options.ts';
import { print, printError, printJson } from '../output.ts';
import { vkeyOf } from '../proof-files.ts';
import { RemoteNode } from '../remote.ts';

/** `svc identity`: by which key a node is known. */
export function identityVerb(program: Command): void {
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
    .option('--accept-clock', "the machine's clock is right, though more than a year after the last seal")
    .action(identity);
  examples(jsonOption(dataOption(command)), [
    'svc identity --json',
    'svc identity --url https://node.example --pin',
    'svc identity --new-key --data ./restored',
  ]);
}

interface IdentityOptions extends CommonOptions {
  readonly url?: string;
  readonly pin?: boolean;
  readonly newKey?: boolean;
  readonly continueLog?: boolean;
  readonly acceptClock?: boolean;
}

async function identity(options: IdentityOptions): Promise<void> {
  const { dataDir } = settings({ data: options.data }).node;
  const { newKey, continueLog, acceptClock, url } = options;
  if ([newKey, continueLog, acceptClock, url].filter(Boolean).length > 1)
    throw new RangeError('--new-key, --continue-log, --accept-clock and --url do not go together.');
  if (continueLog) await goOnWithLog(options);
  if (acceptClock) await takeClock(options);
  if (newKey) renewIdentity(dataDir);
  const found = url === undefined ? own(dataDir) : await ofNode(url);
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

/** @throws Refusal NOT_FOUND · those of `acceptClock` */
async function takeClock(options: CommonOptions): Promise<void> {
  const [{ acceptClock }, { systemClock }, { mustHoldStore, ownLog, withStore }] = await Promise.all([
    import('../../spine/known-time.ts'),
    import('../../clock/clock.ts'),
    import('../stored.ts'),
  ]);
  mustHoldStore(options);
  const log = ownLog(options);
  if (!log) throw noNode();
  await withStore(options, (store) => acceptClock(store, log.node, systemClock()));
  printError(`${log.node} takes the clock of this machine from its next start on`);
}

/** Answers of the old identity stay known on this machine. @throws Refusal NOT_FOUND */
function renewIdentity(dataDir: string): void {
  const before = renewKeys(dataDir);
  if (!before) throw noNode();
  new KnownNodes(dataDir).pin(vkeyOf(before));
  printError(`the keys of ${before.name} are kept in ${dataDir}, and its answers stay known here`);
}

const noNode = (): Refusal => new Refusal('NOT_FOUND', 'No node has run in this folder: it has no keys yet.');

async function ofNode(url: string): Promise<{ node: string; vkey: string }> {
  const remote = new RemoteNode(url, undefined);
  const path = '/api/identity';
  const found = await remote.json<{ node: string; vkey: string }>(
    { node: 'text', vkey: 'text' },
    'GET',
    path,
  );
  remote.made(`GET ${path}`, () => readVkey(found.vkey));
  return found;
}

function own(dataDir: string): { node: string; vkey: string } {
  const keys = nodeKeys(dataDir);
  return { node: keys.name, vkey: vkeyOf(keys) };
}

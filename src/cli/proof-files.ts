// What the verbs for a sealed file share: reading it, whom to trust, and saying what it holds.

import type { Command } from 'commander';
import pc from 'picocolors';
import { Refusal } from '../errors/refusal.ts';
import { accountKey as accountKeyOf, settings } from '../main.ts';
import { noteSigner, readVkey } from '../proof/note.ts';
import type { ReleaseFound } from '../proof/releases.ts';
import { knownKeys } from '../spine/identity.ts';
import { KnownNodes } from './known-nodes.ts';
import type { CommonOptions } from './options.ts';
import { onOneLine } from './output.ts';
import { RemoteNode } from './remote.ts';

export const strictOption = (command: Command): Command =>
  command.option('--strict', 'exit 1 where this copy does not know the release that the answer names');

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
  if (key === undefined) return knownVkeys(settings({ data }).node.dataDir);
  try {
    readVkey(key); // a key that is no key is a mistake, not an unknown node
  } catch (error) {
    throw new RangeError(`--key cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return [key];
}

function knownVkeys(dataDir: string): string[] {
  const own = knownKeys(dataDir);
  return [...new KnownNodes(dataDir).vkeys, ...(own ? [vkeyOf(own)] : [])];
}

export interface RemoteOptions extends CommonOptions {
  readonly url?: string;
  readonly accountKey?: string;
}

export const remoteOf = ({ url, accountKey }: RemoteOptions): RemoteNode =>
  new RemoteNode(url!, accountKeyOf(accountKey));

export const vkeyOf = (keys: { name: string; signingSeed: Uint8Array }): string =>
  noteSigner(keys.name, keys.signingSeed).vkey;

/** What is said of a release that is not known, whatever else was found. */
export const releaseLines = ({ known, detail }: ReleaseFound): string[] =>
  known ? [] : [pc.yellow(`UNKNOWN_RELEASE: ${onOneLine(detail)}`)];

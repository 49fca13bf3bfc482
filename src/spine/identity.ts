import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '#crypto';
import { Refusal } from '../errors/refusal.ts';
import { toHex, utf8 } from '../proof/bytes.ts';
import { createOnce, readIfThere } from '../store/key-file.ts';
import { ownFolder } from '../store/own-folder.ts';
import { FolderHead, nothingPublished } from './published-head.ts';

/** A node's own keys: Ed25519 for checkpoints, HMAC for the proof in each envelope. */
export interface NodeKeys {
  /** Name of the node, also the origin of its log and the name in its verifier key. */
  readonly name: string;
  readonly signingSeed: Uint8Array;
  readonly hmacKey: Uint8Array;
}

interface KeyFile {
  name: string;
  ed25519Seed: string;
  hmacKey: string;
}

/**
 * The keys in `folder`/node-keys.json, made on first use. The file is readable by its owner only and appears whole
 * or not at all: two processes that start at once end up with the same keys.
 * @throws Refusal STORE_UNAVAILABLE where the file is damaged
 */
export function nodeKeys(folder: string): NodeKeys {
  ownFolder(folder);
  const file = join(folder, 'node-keys.json');
  return parsed(readIfThere(file) ?? created(file), file);
}

/** The same, or undefined where no node has run yet: makes nothing. */
export function knownKeys(folder: string): NodeKeys | undefined {
  const file = join(folder, 'node-keys.json');
  const text = readIfThere(file);
  return text === undefined ? undefined : parsed(text, file);
}

/**
 * New keys in the place of those that are there, which are kept beside them: a new identity, and a log of its own.
 * @returns the keys before · undefined where there were none
 */
export function renewKeys(folder: string): NodeKeys | undefined {
  const before = knownKeys(folder);
  if (before === undefined) return undefined;
  const kept = `node-keys.${toHex(sha256(utf8(before.name))).slice(0, 12)}.json`;
  renameSync(join(folder, 'node-keys.json'), join(folder, kept));
  nodeKeys(folder);
  return before;
}

const HEX_32 = /^[0-9a-f]{64}$/i;

/** The name begins a line of each checkpoint and stands in the verifier key, before its `+` (C2SP signed-note). */
const NAME = /^[^\s+]{1,255}$/u;

function parsed(text: string, file: string): NodeKeys {
  const keys = keyFile(text);
  if (keys === undefined)
    throw new Refusal(
      'STORE_UNAVAILABLE',
      `${file} is damaged: it holds "name", "ed25519Seed" and "hmacKey" as JSON, the last two of 64 hexadecimal ` +
        'digits. Put back a copy of it; without one, moving it away gives this node a new identity.',
    );
  return {
    name: keys.name,
    signingSeed: new Uint8Array(Buffer.from(keys.ed25519Seed, 'hex')),
    hmacKey: new Uint8Array(Buffer.from(keys.hmacKey, 'hex')),
  };
}

function keyFile(text: string): KeyFile | undefined {
  try {
    const { name, ed25519Seed, hmacKey } = JSON.parse(text) as Record<string, unknown>;
    const isOne = matches(NAME, name) && matches(HEX_32, ed25519Seed) && matches(HEX_32, hmacKey);
    return isOne ? ({ name, ed25519Seed, hmacKey } as KeyFile) : undefined;
  } catch {
    return undefined;
  }
}

const matches = (form: RegExp, value: unknown): boolean => typeof value === 'string' && form.test(value);

function created(file: string): string {
  const keys: KeyFile = {
    name: `proofmesh-${randomBytes(6).toString('hex')}`,
    ed25519Seed: randomBytes(32).toString('hex'),
    hmacKey: randomBytes(32).toString('hex'),
  };
  if (createOnce(file, `${JSON.stringify(keys, null, 2)}\n`))
    new FolderHead(dirname(file), keys.name).write(nothingPublished);
  return readIfThere(file)!;
}

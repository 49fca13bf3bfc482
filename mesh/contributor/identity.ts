import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '../../src/store/own-folder.ts';
import { type Identity, identityOf, seedBytes, seedNkey } from '../nats/nkey.ts';

/**
 * The contributor's own key in `folder`/contributor.nkey, made on first use: an Ed25519 seed as nkeys are written
 * (`SU…`). The file is readable by its owner only and appears whole or not at all.
 * @throws RangeError for a file that holds something else
 */
export function contributorIdentity(folder: string): Identity {
  ownFolder(folder);
  const file = join(folder, 'contributor.nkey');
  const seed = seedBytes('user', (readIfThere(file) ?? createOnce(file)).trim());
  if (!seed) throw new RangeError(`${file} holds no seed of a node, such as SU….`);
  return identityOf('user', seed);
}

function createOnce(file: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const text = `${seedNkey('user', new Uint8Array(randomBytes(32)))}\n`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file); // fails when another process was first
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** WebAssembly engine and processor, such as `v8-11.3 x64`: who may contradict whom depends on it. */
export const engineName = (): string =>
  `v8-${process.versions.v8.split('.').slice(0, 2).join('.')} ${process.arch}`;

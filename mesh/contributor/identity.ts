import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createOnce, readIfThere } from '../../src/store/key-file.ts';
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
  const seed = seedBytes('user', (readIfThere(file) ?? created(file)).trim());
  if (!seed) throw new RangeError(`${file} holds no seed of a node, such as SU….`);
  return identityOf('user', seed);
}

function created(file: string): string {
  createOnce(file, `${seedNkey('user', new Uint8Array(randomBytes(32)))}\n`);
  return readIfThere(file)!;
}

/** WebAssembly engine and processor, such as `v8-11.3 x64`: who may contradict whom depends on it. */
export const engineName = (): string =>
  `v8-${process.versions.v8.split('.').slice(0, 2).join('.')} ${process.arch}`;

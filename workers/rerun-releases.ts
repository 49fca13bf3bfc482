import { existsSync, readFileSync } from 'node:fs';
import type { Releases } from '../src/proof/releases.ts';
import { engineVersion } from '../src/version.ts';
import type { KernelEntry } from './kernels.ts';

const released = new URL('../../kernels/releases.json', import.meta.url);
const built = new URL('../kernels/manifest.json', import.meta.url);

/**
 * The releases that this copy knows: those it keeps, and its own as it is built (a test holds that against what was
 * released under this version).
 */
export function knownReleases(): Releases {
  const kept = existsSync(released) ? readJson<Releases>(released) : {};
  return existsSync(built) ? { ...kept, [engineVersion]: builtRelease() } : kept;
}

function builtRelease(): Releases[string] {
  const manifest = readJson<Record<string, KernelEntry>>(built);
  return Object.fromEntries(Object.entries(manifest).map(([name, { sha256 }]) => [name, sha256]));
}

const readJson = <T>(file: URL): T => JSON.parse(readFileSync(file, 'utf8')) as T;

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

/** Whether the kernels as built are other ones than those released under this version, or none were. */
export function kernelsDrift(): boolean {
  const kept = (existsSync(released) ? readJson<Releases>(released) : {})[engineVersion];
  const own = existsSync(built) ? builtRelease() : {};
  const names = new Set([...Object.keys(kept ?? {}), ...Object.keys(own)]);
  return kept === undefined || [...names].some((name) => kept[name] !== own[name]);
}

function builtRelease(): Releases[string] {
  const manifest = readJson<Record<string, KernelEntry>>(built);
  return Object.fromEntries(Object.entries(manifest).map(([name, { sha256 }]) => [name, sha256]));
}

const readJson = <T>(file: URL): T => JSON.parse(readFileSync(file, 'utf8')) as T;

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Digest } from '../src/proof/job.ts';
import { checkKernelBytes } from './kernel-host.ts';

/** The kernels of this build, and those of every release before it. */
export const builtKernels = fileURLToPath(new URL('../kernels/', import.meta.url));
export const releasedKernels = fileURLToPath(new URL('../../kernels/', import.meta.url));

export interface KernelEntry {
  readonly sha256: Digest;
  readonly bytes: number;
  /** Its twin for several threads, where it has one (workers/team.ts). */
  readonly team?: { readonly sha256: Digest; readonly bytes: number };
}

/** Kernels by name (this build) and by digest (any folder that holds them). */
export class KernelCatalogue {
  readonly folders: readonly string[];
  #names: Map<string, KernelEntry>;
  #bytes = new Map<Digest, Uint8Array>();

  constructor(folders: readonly string[] = [builtKernels, releasedKernels]) {
    this.folders = folders;
    const manifest = JSON.parse(readFileSync(join(folders[0]!, 'manifest.json'), 'utf8'));
    this.#names = new Map(Object.entries(manifest as Record<string, KernelEntry>));
  }

  get names(): readonly string[] {
    return [...this.#names.keys()];
  }

  digest(name: string): Digest {
    const entry = this.#names.get(name);
    if (!entry) throw new RangeError(`no kernel is called ${name}`);
    return entry.sha256;
  }

  nameOf(digest: Digest): string | undefined {
    for (const [name, entry] of this.#names) if (entry.sha256 === digest) return name;
    return undefined;
  }

  /** The twin of a kernel of this build, for several threads; undefined where it has none. */
  teamBytes(kernel: Digest): Uint8Array | undefined {
    for (const { sha256, team } of this.#names.values())
      if (sha256 === kernel) return team && this.bytes(team.sha256);
    return undefined;
  }

  /** The module's bytes, checked against the digest; undefined when no folder holds them. */
  bytes(digest: Digest): Uint8Array | undefined {
    if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
    const known = this.#bytes.get(digest);
    if (known) return known;
    const file = this.folders
      .map((folder) => join(folder, `${digest}.wasm`))
      .find((path) => existsSync(path));
    if (!file) return undefined;
    const bytes = new Uint8Array(readFileSync(file));
    checkKernelBytes(digest, bytes);
    this.#bytes.set(digest, bytes);
    return bytes;
  }
}

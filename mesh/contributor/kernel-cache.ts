import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '../../src/proof/job.ts';
import { ownFolder } from '../../src/store/own-folder.ts';
import { checkKernelBytes } from '../../workers/kernel-host.ts';
import { builtKernels, KernelCatalogue, releasedKernels } from '../../workers/kernels.ts';

/** Kernels that this copy brings along, and those that it has fetched, each under its digest. */
export class KernelCache {
  readonly catalogue: KernelCatalogue;
  readonly #folder: string;
  readonly #fetching = new Map<Digest, Promise<void>>();

  /** @param dataFolder the node's; fetched kernels lie in its folder `kernels` */
  constructor(dataFolder: string, brought: readonly string[] = [builtKernels, releasedKernels]) {
    this.#folder = join(dataFolder, 'kernels');
    this.catalogue = new KernelCatalogue([...brought, this.#folder]);
  }

  /** Whether the threads find it; a file that was damaged is removed. */
  has(kernel: Digest): boolean {
    try {
      return this.catalogue.bytes(kernel) !== undefined;
    } catch {
      rmSync(this.#file(kernel), { force: true });
      return this.catalogue.bytes(kernel) !== undefined;
    }
  }

  /** Sees to it that the kernel is here. @throws RangeError for bytes that are another one's · what `fetch` throws */
  async bring(kernel: Digest, fetch: () => Promise<Uint8Array>): Promise<void> {
    if (this.has(kernel)) return;
    const fetching = this.#fetching.get(kernel) ?? this.#fetch(kernel, fetch);
    this.#fetching.set(kernel, fetching);
    await fetching.finally(() => this.#fetching.delete(kernel));
  }

  async #fetch(kernel: Digest, fetch: () => Promise<Uint8Array>): Promise<void> {
    const bytes = await fetch();
    checkKernelBytes(kernel, bytes);
    ownFolder(this.#folder);
    const draft = `${this.#file(kernel)}.${randomBytes(6).toString('hex')}`;
    writeFileSync(draft, bytes, { flush: true });
    renameSync(draft, this.#file(kernel));
  }

  #file(kernel: Digest): string {
    return join(this.#folder, `${kernel}.wasm`);
  }
}

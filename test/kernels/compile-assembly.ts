import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import asc from 'assemblyscript/asc';
import { repositoryRoot } from '../root.ts';

/** The text of a source as the compiler is to see it; `text` is what stands in the file, null without one. */
export type Sources = (path: string, text: string | null) => string | null;

/**
 * Compiles `entry` with the options of scripts/build-kernels.mjs.
 *
 * @param entry path from the root of the repository
 * @param options more options of the compiler, which go before those of asconfig.json
 */
export async function compileAssembly(
  entry: string,
  sources: Sources,
  options: readonly string[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  let binary: Uint8Array | undefined;
  const files = ['--config', 'asconfig.json', '--outFile', 'module.wasm', '--baseDir', repositoryRoot];
  const { error, stderr } = await asc.main([entry, ...files, ...options], {
    readFile(name, folder) {
      const path = resolve(folder, name);
      return sources(path, textOf(path));
    },
    writeFile(name, contents) {
      if (name.endsWith('.wasm')) binary = contents as Uint8Array;
    },
    listFiles: () => null,
  });
  if (error) throw new Error(`${entry}: ${error.message}\n${stderr.toString()}`);
  return binary! as Uint8Array<ArrayBuffer>;
}

/** Compiles a source that stands in memory alone, as if it were the file `entry`. */
export function compileSource(entry: string, source: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = resolve(repositoryRoot, entry);
  return compileAssembly(entry, (path, text) => (path === file ? source : text));
}

/** What stands in a file; null where there is none. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

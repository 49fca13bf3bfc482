import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

// dist/test/kernels → the root of the repository.
const root = resolve(fileURLToPath(new URL('.', import.meta.url)), '../../..');

/**
 * Compiles AssemblyScript that stands as `assembly/math/NAME-under-test.ts`, as the kernels are compiled, and returns
 * its exports: for functions of assembly/math that no kernel shows.
 */
export async function assemblyModule<Exports>(source: string): Promise<Exports> {
  const entry = 'assembly/math/module-under-test.ts';
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [entry, '--config', 'asconfig.json', '--outFile', 'module.wasm', '--baseDir', root],
    {
      readFile(name, baseDir) {
        const path = resolve(baseDir, name);
        if (path === resolve(root, entry)) return source;
        try {
          return readFileSync(path, 'utf8');
        } catch {
          return null;
        }
      },
      writeFile(name, contents) {
        if (name.endsWith('.wasm')) binary = contents as Uint8Array;
      },
      listFiles: () => null,
    },
  );
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  return new WebAssembly.Instance(new WebAssembly.Module(binary! as Uint8Array<ArrayBuffer>))
    .exports as Exports;
}

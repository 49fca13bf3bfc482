import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import asc from 'assemblyscript/asc';
import { repositoryRoot } from '../root.ts';

/** Compiles a kernel as scripts/build-kernels.mjs does, from a source that stands in memory only. */
export async function compileKernel(source: string): Promise<Uint8Array> {
  const entry = 'assembly/kernels/probe-in-memory.ts';
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [entry, '--config', 'asconfig.json', '--outFile', 'probe.wasm', '--baseDir', repositoryRoot],
    {
      readFile: (name, base) =>
        resolve(base, name) === resolve(repositoryRoot, entry) ? source : textOf(resolve(base, name)),
      writeFile: (name, contents) => {
        if (name.endsWith('.wasm')) binary = contents as Uint8Array;
      },
      listFiles: () => null,
    },
  );
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  return binary!;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

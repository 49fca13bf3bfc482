import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

/**
 * A kernel made wrong in one place: `find` in the source `file` becomes `replace`, and the kernel is compiled as
 * scripts/build-kernels.mjs does. A solver's gate must refuse what such a twin computes.
 */
export interface Fault {
  /** Path from the root of the repository, such as `assembly/nbody/direct.ts`. */
  readonly file: string;
  /** Must stand there exactly once, so that a twin cannot turn whole again unseen. */
  readonly find: string;
  readonly replace: string;
}

// dist/test/kernels → the root of the repository.
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** Compiles `assembly/kernels/NAME.ts` or `assembly/verdicts/NAME.ts` with the fault in it. */
export async function brokenTwin(entry: string, fault: Fault): Promise<WebAssembly.Module> {
  const target = resolve(root, fault.file);
  let reads = 0;
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [entry, '--config', 'asconfig.json', '--outFile', 'twin.wasm', '--baseDir', root],
    {
      readFile(name, baseDir) {
        const path = resolve(baseDir, name);
        const text = textOf(path);
        if (path !== target || text === null) return text;
        reads++;
        return withFault(text, fault);
      },
      writeFile(name, contents) {
        if (name.endsWith('.wasm')) binary = contents as Uint8Array;
      },
      listFiles: () => null,
    },
  );
  if (error) throw new Error(`${entry} with a fault: ${error.message}\n${stderr.toString()}`);
  if (reads === 0) throw new Error(`${entry} does not import ${fault.file}`);
  return new WebAssembly.Module(binary! as Uint8Array<ArrayBuffer>);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function withFault(text: string, { file, find, replace }: Fault): string {
  const pieces = text.split(find);
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} times: ${find}`);
  return pieces.join(replace);
}

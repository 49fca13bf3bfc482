import { resolve } from 'node:path';
import { repositoryRoot } from '../root.ts';
import { compileAssembly } from './compile-assembly.ts';

/**
 * A kernel made wrong in one place: `find` in the source `file` becomes `replace`. A solver's gate must refuse what such
 * a twin computes.
 */
export interface Fault {
  /** Path from the root of the repository, such as `assembly/nbody/direct.ts`. */
  readonly file: string;
  /** Must stand there exactly once, so that a twin cannot turn whole again unseen. */
  readonly find: string;
  readonly replace: string;
}

/** A twin computes the same bits without the optimizer, which takes most of a compilation. */
const plain = ['--optimizeLevel', '0', '--shrinkLevel', '0'];

/** Compiles `assembly/kernels/NAME.ts` or `assembly/verdicts/NAME.ts` with the fault in it. */
export async function brokenTwin(entry: string, fault: Fault): Promise<WebAssembly.Module> {
  const target = resolve(repositoryRoot, fault.file);
  let reads = 0;
  const faulty = (path: string, text: string | null) => {
    if (path !== target || text === null) return text;
    reads++;
    return withFault(text, fault);
  };
  const binary = await compileAssembly(entry, faulty, plain);
  if (reads === 0) throw new Error(`${entry} does not import ${fault.file}`);
  return new WebAssembly.Module(binary);
}

function withFault(text: string, { file, find, replace }: Fault): string {
  const pieces = text.split(find);
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} times: ${find}`);
  return pieces.join(replace);
}

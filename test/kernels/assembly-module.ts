import { compileSource } from './compile-assembly.ts';

/** Compiles a kernel as scripts/build-kernels.mjs does, from a source that stands in memory only. */
export const compileKernel = (source: string): Promise<Uint8Array<ArrayBuffer>> =>
  compileSource('assembly/kernels/probe-in-memory.ts', source);

/**
 * Compiles AssemblyScript that stands as `assembly/math/NAME-under-test.ts`, as the kernels are compiled, and returns
 * its exports: for functions of assembly/math that no kernel shows.
 */
export async function assemblyModule<Exports>(source: string): Promise<Exports> {
  const binary = await compileSource('assembly/math/module-under-test.ts', source);
  return new WebAssembly.Instance(new WebAssembly.Module(binary)).exports as Exports;
}

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../root.ts';

/** A way to run WebAssembly by V8: which Node, and which of V8's two compilers. */
export interface Engine {
  /** Such as `node 20.20.2, Liftoff only`. */
  readonly name: string;
  readonly node: string;
  /** Flags for Node, to stand before the script. */
  readonly flags: readonly string[];
}

/**
 * V8's flags that hold a module in one compiler, on Node 20 and 24 alike (proven by the test beside this file).
 * `--no-wasm-tier-up` is no such flag: with it Node 20 still compiles hot functions by TurboFan.
 */
export const compilers = {
  'Liftoff only': ['--liftoff-only'],
  'TurboFan only': ['--no-liftoff'],
} as const;

/** A newer Node than the oldest that is supported, brought by `npm test`; undefined where it could not be had. */
export const newerNode: string | undefined = [
  process.env.NEWER_NODE,
  join(repositoryRoot, '.cache', 'engines', 'node_modules', `node-linux-${process.arch}`, 'bin', 'node'),
].find((file) => file !== undefined && existsSync(file));

/** For `t.test(name, { skip: newerNodeMissing }, …)`: false, or why not and how to get it. */
export const newerNodeMissing: string | false =
  newerNode === undefined &&
  'no newer Node: `npm test` brings one for Linux on x64 and arm64, or set NEWER_NODE';

/** The Node that runs this, and the newer one if there is one. */
export function nodeBinaries(): string[] {
  return newerNode === undefined ? [process.execPath] : [process.execPath, newerNode];
}

/** Each Node that there is, with each of V8's compilers alone. */
export function engines(): Engine[] {
  return nodeBinaries().flatMap((node) => {
    const version = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    return Object.entries(compilers).map(([compiler, flags]) => ({
      name: `node ${version}, ${compiler}`,
      node,
      flags,
    }));
  });
}

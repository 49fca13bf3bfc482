import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '../root.ts';
import { type Ended, WarmProgram } from '../servers/warm-program.ts';

export type { Ended };

export const svcPath = join(repositoryRoot, 'bin', 'svc.js');

const quiet = { NO_COLOR: '1', SVC_THREADS: '1' };
const host = new WarmProgram(
  process.execPath,
  [fileURLToPath(new URL('./svc-host.js', import.meta.url))],
  quiet,
);

const AT_ONCE = 3;
let running = 0;
const waiting: (() => void)[] = [];

/** Verbs that make a process a node. */
const nodes = new Set(['up', 'contribute']);

/** Runs `svc`: in a process of its own where it reads its standard input, has an environment, or is a node. */
export function svc(args: readonly string[], options?: SvcOptions): Promise<Ended> {
  if (options !== undefined || nodes.has(args[0]!)) return svcProcess(args, options);
  return host.run(args);
}

/** Runs `svc` as a process of its own; a few at once, whoever asks. */
export async function svcProcess(args: readonly string[], options: SvcOptions = {}): Promise<Ended> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await ended(args, options);
  } finally {
    running--;
    waiting.shift()?.();
  }
}

interface SvcOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

function ended(args: readonly string[], options: SvcOptions): Promise<Ended> {
  const env = { ...process.env, ...quiet, ...options.env };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [svcPath, ...args],
      { env, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
    child.stdin!.end(options.input ?? '');
  });
}

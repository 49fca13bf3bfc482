import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../root.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const svcPath = join(repositoryRoot, 'bin', 'svc.js');

const AT_ONCE = 3;
let running = 0;
const waiting: (() => void)[] = [];

/** Runs `svc` as a process of its own; a few at once, whoever asks. */
export async function svc(args: readonly string[], options: SvcOptions = {}): Promise<Ended> {
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
  const env = { ...process.env, NO_COLOR: '1', SVC_THREADS: '1', ...options.env };
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

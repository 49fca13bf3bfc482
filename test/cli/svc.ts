import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../root.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const svcPath = join(repositoryRoot, 'bin', 'svc.js');

/** Runs `svc` as a process of its own. */
export function svc(
  args: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
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

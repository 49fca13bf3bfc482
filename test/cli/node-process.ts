import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { svcPath } from './svc.ts';

export interface NodeProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything it has written to standard error, its log. */
  readonly log: () => string;
  /** Everything it has written to standard output. */
  readonly said: () => string;
  /** Ends it and waits. @returns exit code */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** `svc up` on any free port, when it has said that it listens. */
export async function svcUp(
  dataDir: string,
  args: readonly string[] = ['--port', '0'],
  settings: NodeJS.ProcessEnv = {},
): Promise<NodeProcess> {
  const env = { ...process.env, NO_COLOR: '1', SVC_THREADS: '2', SVC_LOG_LEVEL: 'trace', ...settings };
  const child = spawn(process.execPath, [svcPath, 'up', '--data', dataDir, ...args], { env });
  let log = '';
  child.stderr.on('data', (piece) => {
    log += piece;
  });
  let said = '';
  child.stdout.on('data', (piece) => {
    said += piece;
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const lines = createInterface(child.stdout);
  const first = once(lines, 'line').then(([line]) => line as string);
  const line = await Promise.race([first, ended.then((code) => `ended with ${code}: ${log}`)]);
  const url = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
  if (!url) throw new Error(line);
  return {
    url,
    child,
    log: () => log,
    said: () => said,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

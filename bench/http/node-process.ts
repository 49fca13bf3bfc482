import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const svc = fileURLToPath(new URL('../../../bin/svc.js', import.meta.url));

export interface Server {
  readonly url: string;
  readonly child: ChildProcess;
}

/** A program of Node that says `listening on URL`; resolves when it does. */
export async function startServer(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Server> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url) return { url, child };
  }
  throw new Error(`${args[0]} ended before it listened`);
}

/** A node on a data folder, without log and without a limit of requests. */
export function startNode(dataDir: string): Promise<Server> {
  const quiet = { SVC_LOG_LEVEL: 'silent', SVC_REQUESTS_PER_MINUTE: '0' };
  return startServer([svc, 'up', '--port', '0', '--data', dataDir], quiet);
}

/** The key of a new account with fuel for a bench. */
export function accountKey(dataDir: string): string {
  const verb = (...args: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [svc, ...args, '--data', dataDir, '--json'], { encoding: 'utf8' }),
    );
  const { zid } = verb('account', 'create', '--fuel-hours', '1000');
  return verb('key', 'create', '--account', zid).key;
}

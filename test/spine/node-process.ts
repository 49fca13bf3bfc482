import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const svc = fileURLToPath(new URL('../../../bin/svc.js', import.meta.url));

/** Runs a verb of the command line to its end; gives what it printed as JSON. */
export function svcJson<T>(dataDir: string, ...args: string[]): T {
  const out = execFileSync(process.execPath, [svc, ...args, '--data', dataDir, '--json'], {
    encoding: 'utf8',
  });
  return JSON.parse(out) as T;
}

/** `svc up` as a process of its own, on any free port. */
export class NodeProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @param env beside that of the tests */
  static async start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
    const child = spawn(process.execPath, [svc, 'up', '--port', '0', '--data', dataDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SVC_LOG_LEVEL: 'error', SVC_REQUESTS_PER_MINUTE: '0', ...env },
    });
    let errors = '';
    child.stderr!.on('data', (chunk) => {
      errors += chunk;
    });
    for await (const line of createInterface(child.stdout!)) {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url) return new NodeProcess(child, url);
    }
    throw new Error(`svc up ended before it listened: ${errors}`);
  }

  /** Such as SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.kill(signal);
    });
  }
}

/** Requests with an account key. */
export class Client {
  readonly #key: string;
  url: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  async json<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const response = await this.send(method, path, body, headers);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** Account with fuel and a key for it, made by the command line beside whatever runs. */
export function accountKey(dataDir: string): { zid: string; key: string } {
  const { zid } = svcJson<{ zid: string }>(dataDir, 'account', 'create', '--fuel-hours', '10');
  const { key } = svcJson<{ key: string }>(dataDir, 'key', 'create', '--account', zid);
  return { zid, key };
}

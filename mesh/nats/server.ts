import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '../../src/errors/refusal.ts';
import { ownFolder } from '../../src/store/own-folder.ts';

/** Where a nats-server may be: a file that was named, the folders of PATH, and one that a checkout has brought. */
export interface Whereabouts {
  readonly given?: string;
  readonly path?: string;
  /** Folder of a checkout: `npm test` puts a server under its .cache. */
  readonly root?: string;
}

/** @returns undefined where there is none */
export function findNatsServer({ given, path = '', root }: Whereabouts): string | undefined {
  if (given) return isFile(given) ? given : undefined;
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const brought = root === undefined ? [] : [join(root, '.cache', 'servers', 'venv', 'bin')];
  return [...folders, ...brought].map((folder) => join(folder, 'nats-server')).find(isFile);
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

/** @throws Refusal MESH_UNAVAILABLE with the way to get one */
export function requireNatsServer(whereabouts: Whereabouts): string {
  const { given } = whereabouts;
  return (
    findNatsServer(whereabouts) ??
    refuse(
      'MESH_UNAVAILABLE',
      `There is no nats-server${given ? ` at ${given}` : ''}. Put nats-server 2.11 or newer on PATH ` +
        '(https://github.com/nats-io/nats-server/releases), or name it with NATS_SERVER; in a checkout `npm test` ' +
        'brings one into .cache/servers.',
    )
  );
}

export interface NatsServerOptions {
  readonly binary: string;
  /** Holds the configuration file and the process id; made when it is missing. */
  readonly folder: string;
  /** The configuration for a port; −1 lets the system choose: where none is given, and none of a start before is free. */
  readonly config: (port: number) => string;
  readonly port?: number;
  /** Start it again when it ends by itself, or takes no more because its disk was full. */
  readonly restarts?: boolean;
  readonly onRestart?: (log: string) => void;
}

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** Process id of the server that runs now. */
  readonly pid: number;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
  /** SIGKILL to the process that runs now; where it restarts, resolves when it is ready again. */
  kill(): Promise<void>;
}

const RESTART_MS = 250;
const LONGEST_RESTART_MS = 10_000;
/** How long a server that takes no more goes on before it is started anew, doubled while its disk stays full. */
const FIRST_OFF_MS = 1000;
const QUIET_MS = 60_000;
/**
 * What nats-server says when its disk is full (server/filestore.go, `Critical write error`; before 2.15 it turned all of
 * JetStream off): a stream takes nothing more until the server is started anew, however much room there is by then.
 */
const turnedOff = /Critical write error|JetStream out of .*resources/;
/** What is shown of its log when it ends. */
const LOG_LINES = 30;

/** Starts nats-server as a child process; resolves when it takes connections. @throws Error with its log where it ends */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  ownFolder(options.folder);
  await endForerunner(options.folder);
  const child = new Child(options);
  if (options.port === undefined) await startWhereItWas(child);
  else await child.start(options.port);
  return child;
}

/** Whoever was connected comes back to the port of the start before. */
async function startWhereItWas(child: Child): Promise<void> {
  const before = portBefore(child.folder);
  const isBack = before > 0 && (await isFree(before));
  await child.start(isBack ? before : -1);
}

function portBefore(folder: string): number {
  const file = portFile(folder);
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return Number.isInteger(port) && port < 65_536 ? port : 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const tried = createServer();
    tried.once('error', () => done(false));
    tried.listen(port, '127.0.0.1', () => tried.close(() => done(true)));
  });
}

class Child implements NatsServer {
  readonly #options: NatsServerOptions;
  #server: ChildProcess | undefined;
  #isStopping = false;
  #ready: Promise<void> = Promise.resolve();
  #offWaitMs = FIRST_OFF_MS;
  #offAtMs = 0;
  port = 0;

  constructor(options: NatsServerOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  async start(port: number): Promise<void> {
    const { binary, folder, config, restarts } = this.#options;
    const file = join(folder, 'server.conf');
    writeFileSync(file, config(port), { mode: 0o600 });
    const server = spawn(binary, ['-c', file, '-P', pidFile(folder)], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true, // Ctrl-C is for us: the server goes last
    });
    const abandon = () => server.kill('SIGKILL');
    process.once('exit', abandon);
    server.once('exit', () => process.off('exit', abandon));
    this.#server = server;
    const log: string[] = [];
    const said = createInterface({ input: server.stderr! });
    if (restarts) said.on('line', (line) => turnedOff.test(line) && this.#turnOn(server));
    this.port = await portWhenReady(server, said, log);
    writeFileSync(portFile(folder), String(this.port));
    if (restarts) server.once('exit', () => this.#restart(log));
  }

  /** Ends it: it is started again like one that ended by itself. */
  #turnOn(server: ChildProcess): void {
    const isAgain = performance.now() - this.#offAtMs < QUIET_MS;
    this.#offWaitMs = isAgain ? Math.min(LONGEST_RESTART_MS, 2 * this.#offWaitMs) : FIRST_OFF_MS;
    this.#offAtMs = performance.now();
    setTimeout(() => server.kill('SIGTERM'), this.#offWaitMs).unref();
  }

  #restart(log: readonly string[]): void {
    if (this.#isStopping) return;
    this.#options.onRestart?.(log.join('\n'));
    this.#ready = this.#startAgain();
  }

  async #startAgain(): Promise<void> {
    for (let waitMs = RESTART_MS; !this.#isStopping; waitMs = Math.min(LONGEST_RESTART_MS, 2 * waitMs)) {
      await sleep(waitMs);
      if (this.#isStopping) return;
      const failed = await this.start(this.port).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (failed === undefined) return;
      this.#options.onRestart?.(failed);
    }
  }

  async kill(): Promise<void> {
    await end(this.#server, 'SIGKILL');
    await this.#ready;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await end(this.#server, 'SIGTERM');
    await this.#ready;
    await end(this.#server, 'SIGTERM');
  }
}

/** Its log says the port, and that it is ready. */
function portWhenReady(server: ChildProcess, said: Interface, log: string[]): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.once('exit', (code) => fail(new Error(`nats-server ended with ${code}:\n${log.join('\n')}`)));
    let port = 0;
    said.on('line', (line) => {
      log.push(line);
      if (log.length > LOG_LINES) log.shift();
      port = Number(/Listening for client connections on .*:(\d+)$/.exec(line)?.[1] ?? port);
      if (line.includes('Server is ready')) done(port);
    });
  });
}

async function end(server: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<void>((done) => server.once('exit', () => done()));
  server.kill(signal);
  await ended;
}

const pidFile = (folder: string) => join(folder, 'nats-server.pid');
const portFile = (folder: string) => join(folder, 'nats-server.port');

/**
 * Whoever started a server and was killed leaves it behind; two on the same files would ruin them. It is known by its
 * process id and by our configuration file in its command line.
 */
async function endForerunner(folder: string): Promise<void> {
  if (!existsSync(pidFile(folder))) return;
  const pid = Number(readFileSync(pidFile(folder), 'utf8').trim());
  for (let i = 0; i < 100 && isOurs(pid, folder); i++) {
    process.kill(pid, i < 50 ? 'SIGTERM' : 'SIGKILL');
    await sleep(100);
  }
}

function isOurs(pid: number, folder: string): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    const command = execFileSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' });
    return command.includes(join(folder, 'server.conf'));
  } catch {
    return false;
  }
}

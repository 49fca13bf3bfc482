import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { howToFill, pathBinary, venvBinary } from './venv.ts';

/** NATS_SERVER, or nats-server on PATH, or the one that `npm test` brought. */
export const natsBinary = process.env.NATS_SERVER ?? pathBinary('nats-server') ?? venvBinary('nats-server');

/** For `t.test(name, { skip: natsMissing }, …)`: false, or why not and how to get it. */
export const natsMissing: string | false =
  natsBinary === undefined && `no nats-server: set NATS_SERVER, or put it on PATH. ${howToFill}`;

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Its JetStream files; they outlive `kill`, so that `startNats({ folder, port })` goes on from them. */
  readonly folder: string;
  /** Asks it to end, waits until it has, and removes its files. */
  stop(): Promise<void>;
  /** SIGKILL; the files stay. */
  kill(): Promise<void>;
}

export interface NatsOptions {
  readonly folder?: string;
  readonly port?: number;
  /** More lines for its configuration file, such as accounts and permissions. */
  readonly config?: string;
}

function configuration(folder: string, options: NatsOptions): string {
  // Port -1: the system gives a free one, and the log says which.
  return [
    `listen: "127.0.0.1:${options.port ?? -1}"`,
    `jetstream { store_dir: ${JSON.stringify(folder)} }`,
    options.config ?? '',
  ].join('\n');
}

/** Resolves to the port when the server's log says that it is ready; rejects with the log when it ends before. */
function portWhenReady(server: ChildProcess): Promise<number> {
  const log: string[] = [];
  return new Promise((done, fail) => {
    server.on('error', fail);
    server.on('exit', (code) => fail(new Error(`nats-server ended with ${code}:\n${log.join('\n')}`)));
    let port = 0;
    createInterface({ input: server.stderr! }).on('line', (line) => {
      log.push(line);
      port = Number(/Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? port);
      if (line.includes('Server is ready')) done(port);
    });
  });
}

function ending(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((done) => server.once('exit', () => done()));
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = ending(server);
  server.kill(signal);
  await ended;
}

/** Starts a real nats-server with JetStream on a free loopback port, in a folder of its own. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  if (natsBinary === undefined) throw new Error(natsMissing || 'no nats-server');
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'nats-'));
  const configFile = join(folder, 'server.conf');
  writeFileSync(configFile, configuration(folder, options));
  const server = spawn(natsBinary, ['-c', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  const abandon = () => server.kill('SIGKILL');
  process.once('exit', abandon);
  server.once('exit', () => process.off('exit', abandon));
  const port = await portWhenReady(server);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    folder,
    kill: () => end(server, 'SIGKILL'),
    stop: async () => {
      await end(server, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type NatsServer as MeshServer, startNatsServer } from '../../mesh/nats/server.ts';
import { repositoryRoot } from '../root.ts';
import { howToFill } from './venv.ts';

const { NATS_SERVER: given, PATH: path } = process.env;

/** NATS_SERVER, or nats-server on PATH, or the one that `npm test` brought. */
export const natsBinary = findNatsServer({ given, path, root: repositoryRoot });

/** For `t.test(name, { skip: natsMissing }, …)`: false, or why not and how to get it. */
export const natsMissing: string | false =
  natsBinary === undefined && `no nats-server: set NATS_SERVER, or put it on PATH. ${howToFill}`;

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Its JetStream files; they outlive `kill`, so that `startNats({ folder, port })` goes on from them. */
  readonly folder: string;
  readonly pid: number;
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
  /** The whole configuration file instead. */
  readonly whole?: (port: number, folder: string) => string;
  /** Started again when it is killed. */
  readonly restarts?: boolean;
}

/** Starts a real nats-server with JetStream on a free loopback port, in a folder of its own. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  if (natsBinary === undefined) throw new Error(natsMissing || 'no nats-server');
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'nats-'));
  const plain = (port: number) =>
    [
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: ${JSON.stringify(folder)} }`,
      options.config ?? '',
    ].join('\n');
  const config = (port: number) => options.whole?.(port, folder) ?? plain(port);
  const server = await startNatsServer({ ...options, binary: natsBinary, folder, config });
  return withRemoval(server);
}

function withRemoval(server: MeshServer): NatsServer {
  const { url, port, folder } = server;
  return {
    ...{ url, port, folder },
    get pid() {
      return server.pid;
    },
    kill: () => server.kill(),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

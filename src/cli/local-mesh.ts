import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deploymentKeys } from '../../mesh/nats/keys.ts';
import {
  type NatsServer,
  requireNatsServer,
  startNatsServer,
  type Whereabouts,
} from '../../mesh/nats/server.ts';
import { serverConfig } from '../../mesh/nats/server-config.ts';
import { escaped } from '../errors/printable.ts';
import type { Overrides } from '../main.ts';
import type { ServiceNode } from '../node.ts';
import { utf8 } from '../proof/bytes.ts';
import { aloneWith } from '../store/embedded/alone.ts';
import { ownFolder } from '../store/own-folder.ts';
import { print, printError } from './output.ts';

const MOST_CONTRIBUTORS = 64;
/** Who has not left by then is ended. */
const LEAVE_MS = 15_000;
const svc = fileURLToPath(new URL('../../../bin/svc.js', import.meta.url));

/**
 * A whole mesh on one machine, to try it out: nats-server, the service node that starts it, and contributors, each a
 * process with an account of its own, so that they may check one another. Everything is in the data folder; the next
 * start finds it there.
 */
export class LocalMesh {
  readonly overrides: Pick<Overrides, 'nats' | 'secret' | 'logLevel'>;
  readonly #count: number;
  readonly #dataDir: string;
  readonly #nats: NatsServer;
  readonly #alone: { close(): void };
  readonly #say: (line: string) => void;
  readonly #contributors: ChildProcess[] = [];

  /** @throws RangeError · Refusal MESH_UNAVAILABLE where there is no nats-server, CONFLICT where a mesh runs there */
  static async begin(options: {
    readonly count: string;
    readonly dataDir: string;
    readonly natsServer: Whereabouts;
    /** What is printed is for a program: what the mesh says goes to standard error. */
    readonly json?: boolean;
  }): Promise<LocalMesh> {
    const count = contributorCount(options.count);
    const { dataDir } = options;
    const binary = requireNatsServer(options.natsServer);
    const secret = kept(join(dataDir, 'mesh-secret'), () => randomBytes(32).toString('hex'));
    const folder = join(dataDir, 'nats');
    // A second one would take the nats-server of the first for one that was left behind, and end it.
    const alone = aloneWith(
      join(folder, 'mesh.lock'),
      (holder) => `${holder} runs a mesh in this folder: end it, or name another folder with --data.`,
    );
    const keys = deploymentKeys(utf8(secret));
    const config = (port: number) => serverConfig({ keys, port, folder: join(folder, 'jetstream') });
    const say = options.json ? printError : print;
    const onRestart = (log: string) => say(`mesh: nats-server is started anew; it said: ${complaintIn(log)}`);
    try {
      const nats = await startNatsServer({ binary, folder, config, restarts: true, onRestart });
      return new LocalMesh(count, dataDir, { nats, alone }, secret, say);
    } catch (error) {
      alone.close();
      throw error;
    }
  }

  private constructor(
    count: number,
    dataDir: string,
    { nats, alone }: { readonly nats: NatsServer; readonly alone: { close(): void } },
    secret: string,
    say: (line: string) => void,
  ) {
    this.#alone = alone;
    this.#say = say;
    this.#count = count;
    this.#dataDir = dataDir;
    this.#nats = nats;
    // What contributors say is what there is to see.
    this.overrides = { nats: nats.url, secret, logLevel: 'warn' };
  }

  /** Starts the contributors, one thread each. What they say is shown with their name. */
  async contribute(node: ServiceNode, url: string): Promise<void> {
    this.#say(`mesh: nats-server on ${this.#nats.url} (process ${this.#nats.pid})`);
    for (let i = 1; i <= this.#count; i++) {
      const name = `contributor-${i}`;
      const key = await this.#keyOf(node, name);
      const child = spawn(
        process.execPath,
        [svc, 'contribute', '--url', url, '--data', join(this.#dataDir, name), '--threads', '1'],
        // Ctrl-C is for this process, which lets them leave first; when it is gone, they see the channel close.
        { env: { ...process.env, SVC_KEY: key }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true },
      );
      for (const stream of [child.stdout, child.stderr])
        createInterface(stream!).on('line', (line) => this.#say(`${name}: ${line}`));
      child.once('exit', (code, signal) => this.#say(`${name}: ended with ${signal ?? code}`));
      this.#say(`${name}: process ${child.pid}`);
      this.#contributors.push(child);
    }
  }

  /** An account of its own for each: nobody checks the work of its owner. */
  async #keyOf(node: ServiceNode, name: string): Promise<string> {
    const file = join(this.#dataDir, name, 'key');
    if (existsSync(file)) return readFileSync(file, 'utf8').trim();
    const { zid } = await node.accounts.create({ label: name });
    const { key } = await node.accounts.mintKey(zid);
    return kept(file, () => key);
  }

  /** Contributors say goodbye while the node still listens. */
  async leave(): Promise<void> {
    const living = this.#contributors.filter((child) => child.exitCode === null && child.signalCode === null);
    const ends = living.map((child) => once(child, 'exit'));
    for (const child of living) child.kill('SIGTERM');
    const tired = setTimeout(() => {
      for (const child of living) child.kill('SIGKILL');
    }, LEAVE_MS);
    await Promise.all(ends);
    clearTimeout(tired);
  }

  async stop(): Promise<void> {
    await this.leave();
    await this.#nats.stop();
    this.#alone.close();
  }
}

/** The last line that says what went wrong, such as a disk that is full; else the last one. */
function complaintIn(log: string): string {
  const lines = log.trim().split('\n');
  const complaint = lines.findLast((line) => /\[(ERR|FTL)\]|error/i.test(line)) ?? lines.at(-1) ?? '';
  return escaped(complaint.replace(/^\[\d+\] \S+ \S+ /, ''));
}

function contributorCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= MOST_CONTRIBUTORS) return count;
  throw new RangeError(
    `--mesh is ${JSON.stringify(text)}; it is a number of contributors up to ${MOST_CONTRIBUTORS}.`,
  );
}

/** A secret in a file that only its owner reads, made on first use. */
function kept(file: string, make: () => string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  ownFolder(join(file, '..'));
  const secret = make();
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flush: true });
  return secret;
}

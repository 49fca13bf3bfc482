import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { contributorIdentity } from '../../../mesh/contributor/identity.ts';
import { deploymentKeys } from '../../../mesh/nats/keys.ts';
import { identityOf } from '../../../mesh/nats/nkey.ts';
import { serverConfig } from '../../../mesh/nats/server-config.ts';
import { meshNodes } from '../../../mesh/records.ts';
import { Accounts } from '../../../src/accounts/accounts.ts';
import { systemClock } from '../../../src/clock/clock.ts';
import { openNodeStore, type StorePlace } from '../../../src/node/node-store.ts';
import { utf8 } from '../../../src/proof/bytes.ts';
import type { Store } from '../../../src/store/store.ts';
import { type NatsServer, startNats } from '../../servers/nats.ts';
import { Client, NodeProcess } from '../../spine/node-process.ts';
import type { ContributorConfig, Said } from './contributor-process.ts';

export const secret = 'a secret of thirty-two characters or more';
export const keys = deploymentKeys(utf8(secret));
const entry = fileURLToPath(new URL('contributor-process.js', import.meta.url));
const svc = fileURLToPath(new URL('../../../../bin/svc.js', import.meta.url));
const { now } = systemClock();

interface Test {
  teardown(work: () => unknown): void;
  comment(text: string): void;
}

export interface Job {
  readonly state: string;
  readonly answer?: { readonly envelope: { readonly jobRoot: string } };
}

// ---- nats-server -----------------------------------------------------------------------------------------

/** @param disk where JetStream keeps its files, if not beside the rest */
export async function startServer(t: Test, disk?: string): Promise<NatsServer> {
  const whole = (port: number, folder: string) =>
    serverConfig({ keys, port, folder: `${disk ?? folder}/jetstream` });
  const nats = await startNats({ whole, restarts: true });
  t.teardown(() => nats.stop());
  return nats;
}

// ---- service nodes ---------------------------------------------------------------------------------------

/** A service node as a process that can be killed and started again on the same data. */
export class ServiceProcess {
  readonly place: StorePlace;
  readonly #env: Readonly<Record<string, string>>;
  #node: NodeProcess;

  private constructor(place: StorePlace, env: Readonly<Record<string, string>>, node: NodeProcess) {
    this.place = place;
    this.#env = env;
    this.#node = node;
  }

  static async start(
    t: Test,
    nats: string,
    { policy = 'sampled', mongo }: { readonly policy?: string; readonly mongo?: StorePlace['mongo'] } = {},
  ): Promise<ServiceProcess> {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-service-'));
    const env = {
      ...{ SVC_MESH_SECRET: secret, SVC_NATS_URL: nats, SVC_MESH_POLICY: policy, SVC_THREADS: '1' },
      ...(mongo ? { SVC_MONGODB_URI: mongo.uri, SVC_MONGODB_DATABASE: mongo.database } : {}),
    };
    const service = new ServiceProcess({ dataDir, mongo }, env, await NodeProcess.start(dataDir, env));
    t.teardown(async () => {
      await service.end();
      rmSync(dataDir, { recursive: true, force: true });
    });
    return service;
  }

  get url(): string {
    return this.#node.url;
  }

  /** A store of our own on the same records: what a test reads, and how it admits nodes. */
  async store(t: Test): Promise<Store> {
    const store = await openNodeStore(this.place);
    t.teardown(() => store.close());
    return store;
  }

  signal(signal: NodeJS.Signals): void {
    this.#node.signal(signal);
  }

  kill(): Promise<void> {
    return this.#node.kill();
  }

  async startAgain(): Promise<void> {
    this.#node = await NodeProcess.start(this.place.dataDir, this.#env);
  }

  /** Drains. */
  stop(): Promise<void> {
    return this.#node.stop();
  }

  async end(): Promise<void> {
    this.#node.signal('SIGCONT');
    await this.#node.kill();
  }
}

/** An account with fuel, and who speaks with its key. */
export async function customer(store: Store, { url }: ServiceProcess): Promise<Client & { zid: string }> {
  const accounts = new Accounts(store, now);
  const { zid } = await accounts.create({ label: 'customer', fuel: 10n * 3_600_000_000_000n });
  const { key } = await accounts.mintKey(zid);
  return Object.assign(new Client(url, key), { zid });
}

// ---- contributors ----------------------------------------------------------------------------------------

/** What the run did in one life of a contributor that was killed. */
export interface Killed {
  readonly run: string;
  /** The segment that its thread was at. */
  readonly at: number;
}

/** How the process of a contributor is started, as often as it is; `ready`: what it says first of all, once. */
interface Launch {
  readonly command: () => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ready: Said['kind'];
}

/** A contributor as a process that can be killed, stopped, cut off and started again with the same key. */
export class ContributorProcess {
  readonly id: string;
  readonly zid: string;
  readonly said: Said[] = [];
  /** Called for everything it says. */
  onSaid: (said: Said) => void = () => undefined;
  readonly #launch: Launch;
  readonly #at = new Map<string, number>();
  #child: ChildProcess | undefined;
  #ready: Promise<void> = Promise.resolve();

  private constructor(launch: Launch, id: string, zid: string) {
    this.#launch = launch;
    this.id = id;
    this.zid = zid;
  }

  /** Admits a node with an account of its own, by hand: admission has tests of its own. */
  static async admit(
    t: Test,
    store: Store,
    config: Pick<ContributorConfig, 'nats' | 'seed' | 'lies' | 'spanMs' | 'showsEach'>,
    within: readonly string[] = [],
  ): Promise<ContributorProcess> {
    const { id } = identityOf('user', new Uint8Array(32).fill(config.seed));
    const engine = `engine-${config.seed}`;
    const { zid } = await new Accounts(store, now).create({ label: `contributor ${config.seed}` });
    await store.transaction((tx) =>
      tx.insert(meshNodes, {
        ...{ id, owner: zid, engine, cores: 1n, memory: 2n ** 32n },
        ...{ mode: 'contributing', state: 'admitted', admitted_ns: 0n, heard_ns: 0n },
      }),
    );
    const folder = mkdtempSync(join(tmpdir(), 'svc-contributor-'));
    const whole: ContributorConfig = { ...config, engine, folder, service: keys.service.id };
    const command = () => [...within, process.execPath, entry, JSON.stringify(whole)];
    return new ContributorProcess({ command, ready: 'ready' }, id, zid).#begun(t, folder);
  }

  /** `svc contribute` itself, with an account and a key of its own: it comes in by the self-test, as everybody does. */
  static async hire(t: Test, store: Store, service: ServiceProcess): Promise<ContributorProcess> {
    const accounts = new Accounts(store, now);
    const { zid } = await accounts.create({ label: 'contributor' });
    const { key } = await accounts.mintKey(zid);
    const folder = mkdtempSync(join(tmpdir(), 'svc-contribute-'));
    const { id } = contributorIdentity(join(folder, 'contributor'));
    const given = ['--data', folder, '--threads', '1', '--memory', '4096', '--json'];
    const command = () => [process.execPath, svc, 'contribute', '--url', service.url, ...given];
    const launch: Launch = { command, env: { SVC_KEY: key }, ready: 'contributing' };
    return new ContributorProcess(launch, id, zid).#begun(t, folder);
  }

  async #begun(t: Test, folder: string): Promise<this> {
    t.teardown(async () => {
      await this.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    await this.start();
    return this;
  }

  get isLiving(): boolean {
    return this.#child !== undefined;
  }

  /** Runs that it has a lease of, as far as it has said. */
  get holds(): string[] {
    return [...this.#at.keys()];
  }

  /** Resolves when it is connected and takes work, or was killed before. */
  start(): Promise<void> {
    const { command, env, ready } = this.#launch;
    const [first, ...args] = command();
    const child = spawn(first!, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    /** What it says beside. */
    let words = '';
    this.#child = child;
    this.#at.clear();
    this.#ready = new Promise((done, fail) => {
      child.once('exit', (code, signal) => {
        if (this.#child === child) fail(new Error(`a contributor ended with ${signal ?? code}: ${words}`));
        else done();
      });
      createInterface(child.stdout).on('line', (line) => {
        const said = saidIn(line);
        if (!said) {
          words += line;
          return;
        }
        if (said.kind === ready) done();
        this.#hear(said);
      });
    });
    this.#ready.catch(() => undefined);
    return this.#ready;
  }

  #hear(said: Said): void {
    this.said.push(said);
    if (said.kind === 'at') this.#at.set(said.run, said.segment);
    if (said.kind === 'leased') this.#at.set(said.run, said.from);
    if (said.kind === 'lost') this.#at.delete(said.run);
    this.onSaid(said);
  }

  /** SIGKILL. @returns what its threads were at */
  async kill(): Promise<Killed[]> {
    const child = this.#child;
    if (!child) return [];
    this.#child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return [];
    const ended = new Promise((done) => child.once('close', done));
    child.kill('SIGKILL');
    await ended;
    return [...this.#at].map(([run, at]) => ({ run, at }));
  }

  /** SIGTERM: it shows what is committed and gives the rest back. @returns its exit code */
  async leave(): Promise<number | null> {
    const child = this.#child!;
    this.#child = undefined;
    const ended = new Promise<number | null>((done) => child.once('close', done));
    child.kill('SIGTERM');
    return ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }
}

/** @returns undefined for a line of something else, such as of an error that is shown */
function saidIn(line: string): Said | undefined {
  try {
    return JSON.parse(line) as Said;
  } catch {
    return undefined;
  }
}

// ---- waiting ---------------------------------------------------------------------------------------------

/** Polls: other processes work on it. @throws Error after `patienceMs`, with what it waited for */
export async function until(
  what: string,
  isThere: () => Promise<boolean> | boolean,
  patienceMs = 120_000,
): Promise<void> {
  const endsAt = performance.now() + patienceMs;
  while (!(await isThere())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain until ${what}`);
    await delay(50);
  }
}

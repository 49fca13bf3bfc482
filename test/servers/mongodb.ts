import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { howToFill, pathBinary, venvBinary } from './venv.ts';

const givenUri = process.env.MONGODB_URI;
const mongod = pathBinary('mongod');
/** SecantusDB: WiredTiger behind MongoDB's wire protocol, with transactions. Slow, but true. */
const secantus = venvBinary('secantusd-py');

/** For `t.test(name, { skip: mongoMissing }, …)`: false, or why not and how to get it. */
export const mongoMissing: string | false =
  (givenUri ?? mongod ?? secantus) === undefined &&
  `no MongoDB: set MONGODB_URI to a replica set, or put mongod on PATH. ${howToFill}`;

/** What the tests run against. */
export const mongoKind = givenUri ? 'MONGODB_URI' : mongod ? 'mongod' : 'SecantusDB';

export interface MongoServer {
  readonly uri: string;
  readonly port: number;
  /** Its files; they outlive `kill`, so that `startMongo({ folder, port })` goes on from them. */
  readonly folder: string;
  /** Asks it to end, waits until it has, and removes its files. */
  stop(): Promise<void>;
  /** SIGKILL; the files stay. Not offered for a server that was given by MONGODB_URI. */
  kill(): Promise<void>;
}

export interface MongoOptions {
  readonly folder?: string;
  readonly port?: number;
  /** Without a replica set, to show that such a server is refused. */
  readonly standalone?: boolean;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

function commandLine(port: number, folder: string, standalone: boolean): [string, string[]] {
  if (mongod) {
    const set = standalone ? [] : ['--replSet', 'rs0'];
    return [mongod, ['--port', `${port}`, '--dbpath', folder, '--bind_ip', '127.0.0.1', ...set]];
  }
  const options = [
    '--port',
    `${port}`,
    '--storage-path',
    folder,
    '--sync-on-commit',
    '--log-level',
    'WARNING',
  ];
  return [secantus!, [...options, ...(standalone ? ['--standalone'] : [])]];
}

/** Connects, which the driver tries again until the server is up; a mongod is then made a replica set of one. */
async function becomeReady(uri: string, port: number, standalone: boolean): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 60_000 });
  try {
    await client.connect();
    if (!mongod || standalone) return;
    const config = { _id: 'rs0', members: [{ _id: 0, host: `127.0.0.1:${port}` }] };
    await client.db('admin').command({ replSetInitiate: config }).catch(ignoreAlreadyInitialized);
    await untilPrimary(client);
  } finally {
    await client.close();
  }
}

function ignoreAlreadyInitialized(error: { code?: number }): void {
  if (error.code !== 23) throw error;
}

/** A node is not primary before its election; `hello` with a topology version answers when something changes. */
async function untilPrimary(client: MongoClient): Promise<void> {
  let hello = await client.db('admin').command({ hello: 1 });
  while (!hello.isWritablePrimary)
    hello = await client.db('admin').command({
      hello: 1,
      topologyVersion: hello.topologyVersion,
      maxAwaitTimeMS: 1000,
    });
}

function failureOf(server: ChildProcess): Promise<never> {
  const log: string[] = [];
  for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (d) => log.push(String(d)));
  return new Promise((_, fail) => {
    server.once('error', fail);
    server.once('exit', (code) =>
      fail(new Error(`the MongoDB server ended with ${code}:\n${log.slice(-20).join('')}`)),
    );
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

const nothing = async () => {};

/** The server named by MONGODB_URI, or a real one on a free loopback port in a folder of its own. */
export async function startMongo(options: MongoOptions = {}): Promise<MongoServer> {
  if (mongoMissing) throw new Error(mongoMissing);
  if (givenUri && !options.standalone)
    return { uri: givenUri, port: 0, folder: '', stop: nothing, kill: nothing };
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'mongo-'));
  const port = options.port ?? (await freePort());
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const [program, args] = commandLine(port, folder, options.standalone ?? false);
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const abandon = () => server.kill('SIGKILL');
  process.once('exit', abandon);
  server.once('exit', () => process.off('exit', abandon));
  await Promise.race([becomeReady(uri, port, options.standalone ?? false), failureOf(server)]);
  return {
    uri,
    port,
    folder,
    kill: () => end(server, 'SIGKILL'),
    stop: async () => {
      await end(server, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

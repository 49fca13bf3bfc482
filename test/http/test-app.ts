import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../src/http/app.ts';
import type { HttpOptions } from '../../src/http/options.ts';
import { transfersTable } from '../../src/ledger/records.ts';
import type { NodeConfig, ServiceNode } from '../../src/node.ts';
import { envelopes, jobs, logHeads } from '../../src/spine/records.ts';
import { hour, testNode } from '../spine/test-node.ts';

export interface TestApp {
  readonly node: ServiceNode;
  readonly app: FastifyInstance;
  readonly zid: string;
  readonly key: string;
  /** POSTs JSON with the account's key. */
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  get(url: string, headers?: Record<string, string>): Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what came back
  readonly body: any;
}

type Teardown = Parameters<typeof testNode>[0];

/** An app on a node of its own, with an account and its key, spoken to without a socket. */
export async function testApp(
  t: Teardown,
  options: Partial<HttpOptions> & { node?: Partial<NodeConfig>; fuel?: bigint } = {},
): Promise<TestApp> {
  const { node: config, fuel = hour, ...http } = options;
  const node = await testNode(t, config);
  const app = await buildApp(node, {
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    requestsPerMinute: 0,
    ...http,
  });
  t.teardown(() => app.close());
  return accountOn({ node, app }, fuel);
}

/** An account of its own on an app that is there already, for tests that need no node of their own. */
export async function accountOn(
  { node, app }: Pick<TestApp, 'node' | 'app'>,
  fuel: bigint = hour,
): Promise<TestApp> {
  const { zid } = await node.accounts.create({ fuel });
  const { key } = await node.accounts.mintKey(zid);
  const send = async (
    method: 'GET' | 'POST',
    url: string,
    headers: object,
    payload?: string,
  ): Promise<Reply> => {
    const answer = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.payload,
      body: parsed(answer.payload),
    };
  };
  return {
    node,
    app,
    zid,
    key,
    post: (url, body, headers = {}) =>
      send('POST', url, { 'content-type': 'application/json', ...headers }, textOf(body)),
    get: (url, headers = {}) => send('GET', url, headers),
  };
}

/** Text is sent as it stands, so that what JSON.stringify cannot say can be said. */
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Everything that a refused request must leave as it was. */
export async function books({ node, zid }: TestApp) {
  const { store } = node;
  return {
    means: await node.accounts.means(zid),
    transfers: await store.count(transfersTable, { reason: 'charge', phase: { in: ['posted', 'post'] } }),
    envelopes: await store.count(envelopes),
    log: (await store.find(logHeads)).map((head) => head.size),
    jobs: await store.count(jobs),
  };
}

const seed = process.env.FUZZ_SEED ?? '20261121';

/** The same inputs in every run, so that what failed fails again; another number, or none (`FUZZ_SEED=`), explores. */
export const seeded: { seed?: number } = seed === '' ? {} : { seed: Number(seed) };

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { ended } from '../ended.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { alternatingMedians } from '../timing.ts';
import { accountKey, startNode, startServer } from './node-process.ts';

// http: sealed and durable results, 64 connections → results/s, against the same HTTP library answering a constant.
// The load generator runs on the same cores as the server, for both alike.

const bare = fileURLToPath(new URL('./bare-server.js', import.meta.url));
const CONNECTIONS = quick ? 8 : 64;
/** A small run asks so often and no more, however long a busy machine takes. */
const extent = quick ? { amount: 32 } : { duration: 4 };
const ROUNDS = quick ? 1 : 3;

const requests = {
  compute: { operators: ['SP7'], inputs: { P_signal: 10, P_noise: 0.1 } },
  solve: { inputs: { t_end: 3, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 } },
};

/** Answers a second with status 200; anything else is an error of the bench. */
async function rate(url: string, body: object, key: string): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    connections: CONNECTIONS,
    ...extent,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx} refusals, ${result.errors} errors at ${url}`);
  return result['2xx'] / result.duration;
}

async function measure(dataDir: string): Promise<Row[]> {
  const key = accountKey(dataDir);
  const node = await startNode(dataDir);
  const peer = await startServer([bare]);
  try {
    const rates = await alternatingMedians(ROUNDS, {
      compute: () => rate(`${node.url}/api/svc/compute`, requests.compute, key),
      solve: () => rate(`${node.url}/api/svc/solve`, requests.solve, key),
      bare: () => rate(`${peer.url}/api/svc/solve`, requests.solve, key),
    });
    const common = { unit: 'results/s', against: 'Fastify answering a constant', peer: rates.bare };
    const goal = { atLeast: 0.25 };
    return [
      rated({ ...common, figure: 'sealed closed form (SP7)', value: rates.compute, goal }),
      rated({ ...common, figure: 'sealed solve (RK4, three levels)', value: rates.solve, goal }),
    ];
  } finally {
    await Promise.all([node, peer].map(({ child }) => ended(child)));
  }
}

export const figure: Figure = {
  title: `http: sealed and durable results, ${CONNECTIONS} connections → results/s, against the same server idle`,
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    try {
      return await measure(dataDir);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

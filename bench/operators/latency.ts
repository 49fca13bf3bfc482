import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { ended } from '../ended.ts';
import { type Figure, quick, type Row } from '../figure.ts';
import { accountKey, startNode } from '../http/node-process.ts';

// operators: sealed computes over HTTP → p99 latency at half of the highest rate, against all that it can. The load
// generator runs on the same cores as the server. Latencies of a fixed rate count from when a request was due, not
// from when it was sent (coordinated omission).

const CONNECTIONS = quick ? 4 : 32;
const full = quick ? { amount: 32 } : { duration: 5 };
const half = quick ? { amount: 32 } : { duration: 8 };

const body = {
  operators: ['MECH_PROJECTILE_RANGE'],
  inputs: { v: 25, theta: { value: 40, unit: 'deg' }, h: { value: 12, unit: 'm', uncertainty: 0.01 } },
};

async function load(
  url: string,
  key: string,
  extent: { amount: number } | { duration: number },
  overallRate?: number,
): Promise<autocannon.Result> {
  const result = await autocannon({
    ...{ url: `${url}/api/svc/compute`, method: 'POST', connections: CONNECTIONS, ...extent },
    ...(overallRate === undefined ? {} : { overallRate }),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx} refusals, ${result.errors} errors at ${url}`);
  return result;
}

async function measure(dataDir: string): Promise<Row[]> {
  const key = accountKey(dataDir);
  const node = await startNode(dataDir);
  try {
    await load(node.url, key, { amount: quick ? 8 : 500 }); // warms up
    const most = await load(node.url, key, full);
    const rate = most['2xx'] / most.duration;
    const { latency } = await load(node.url, key, half, Math.max(1, Math.round(rate / 2)));
    const at = `at ${Math.round(rate / 2)} of ${Math.round(rate)} results/s`;
    return [
      { figure: 'compute over HTTP, all that it can', value: rate, unit: 'results/s' },
      latencyRow('median', latency.p50, most.latency.p50, at),
      latencyRow('p99', latency.p99, most.latency.p99, at),
    ];
  } finally {
    await ended(node.child);
  }
}

/** autocannon counts whole milliseconds, and says 0 for less than one. */
function latencyRow(name: string, ms: number, atFull: number, note: string): Row {
  const [value, peer] = [Math.max(ms, 1), Math.max(atFull, 1)];
  const common = { figure: `compute over HTTP, ${name} latency at half load`, unit: 'ms', value };
  return { ...common, against: `at full load, ${CONNECTIONS} connections`, peer, ratio: value / peer, note };
}

export const figure: Figure = {
  title: 'operators: sealed computes over HTTP at half load → p99 latency, against full load',
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    try {
      return await measure(dataDir);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

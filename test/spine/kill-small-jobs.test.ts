import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { accountKey, Client, NodeProcess, svcJson } from './node-process.ts';
import { oscillator } from './test-node.ts';

// A stream of small jobs, and kill -9 at moments that nobody chose: every answer that left is in the store, charged
// once and in the log; no leaf without a charge, no charge without a leaf.

const ROUNDS = 4;
const CLIENTS = 8;
/** Answers of a round before its node may be killed, however slow the machine is. */
const LEAST_ANSWERS = 15;

interface Received {
  readonly job: string;
  readonly key: string;
  readonly answer: string;
}

t.setTimeout(600_000);
const dataDir = mkdtempSync(join(tmpdir(), 'svc-kills-'));
t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));

/** Asks one after the other until the node is gone; keeps what arrived whole. */
async function askUntilItDies(
  client: Client,
  round: number,
  who: number,
  received: Received[],
): Promise<void> {
  for (let i = 0; ; i++) {
    const key = `round-${round}-client-${who}-${i}`;
    const body = { inputs: { ...oscillator.inputs, x0: 0.1 + i / 1000 } };
    const headers: Record<string, string> = { 'idempotency-key': key };
    if (i % 3 === 2) headers.prefer = 'respond-async'; // recorded jobs among the small ones
    try {
      const response = await client.send('POST', '/api/svc/solve', body, headers);
      const answer = await response.text();
      if (response.status === 200) received.push({ job: response.headers.get('x-svc-job')!, key, answer });
    } catch {
      return;
    }
  }
}

t.test('kill -9 in a stream of small jobs loses and doubles nothing', { timeout: 300_000 }, async (t) => {
  const { key } = accountKey(dataDir);
  const received: Received[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const node = await NodeProcess.start(dataDir);
    const client = new Client(node.url, key);
    const askers = Array.from({ length: CLIENTS }, (_, who) => askUntilItDies(client, round, who, received));
    const before = received.length;
    while (received.length < before + LEAST_ANSWERS) await delay(20);
    await delay(Math.random() * 600);
    await node.kill();
    await Promise.all(askers);
  }
  t.ok(received.length >= ROUNDS * LEAST_ANSWERS, `${received.length} answers arrived`);

  const node = await NodeProcess.start(dataDir);
  t.teardown(() => node.stop());
  const client = new Client(node.url, key);
  let differing = 0;
  for (const { job, answer } of received) {
    const response = await client.send('GET', `/api/svc/jobs/${job}/answer`);
    if ((await response.text()) !== answer) differing++;
  }
  t.equal(differing, 0, 'every answer that left is in the store, byte for byte');
  await settled(client);
  await node.stop();
  const audit = svcJson<{ leaves: number; problems: string[] }>(dataDir, 'audit');
  t.same(audit.problems, []);
  t.ok(audit.leaves >= received.length, `${audit.leaves} leaves`);
});

/** Recorded jobs of the killed processes are taken over and end. */
async function settled(client: Client): Promise<void> {
  for (;;) {
    const { jobs } = await client.json<{ jobs: { state: string }[] }>('GET', '/api/svc/jobs?limit=200');
    if (jobs.every(({ state }) => state !== 'running')) return;
    await delay(200);
  }
}

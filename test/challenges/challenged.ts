import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { contest, type Difference, firstDifference } from '../../src/challenges/challenger.ts';
import type { ChallengeView } from '../../src/challenges/view.ts';
import type { NodeConfig } from '../../src/node.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import type { Replication } from '../../workers/executor.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { type Reply, type TestApp, testApp } from '../http/test-app.ts';
import { figureEight, hour } from '../spine/test-node.ts';
import { type Falsified, type Lie, LyingExecutor, type SealedJob, sealedBy } from './lying.ts';

type Test = Parameters<typeof testApp>[0];

/** A node, an honest stranger with threads of its own and an account, and what a lying contributor sealed. */
export interface Court extends TestApp {
  readonly dataDir: string;
  readonly stranger: Stranger;
  seal(
    lie: Lie | undefined,
    how?: { falsified?: Falsified; steps?: number; body?: unknown },
  ): Promise<SealedJob>;
  /** Another account, with fuel. */
  another(fuel?: bigint): Promise<Stranger>;
}

export interface Stranger {
  readonly zid: string;
  post(url: string, body: unknown): Promise<Reply>;
  /** What differs when it runs the answer again on its own threads. */
  rerun(sealed: SealedJob, run?: number): Promise<Difference | undefined>;
  /** Opens a challenge and shows children until it is found. */
  contest(sealed: SealedJob, difference: Difference): Promise<ChallengeView>;
}

export async function court(t: Test, config: Partial<NodeConfig> = {}): Promise<Court> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-court-'));
  t.teardown(async () => rmSync(dataDir, { recursive: true, force: true }));
  const api = await testApp(t, { node: { ...config, dataDir } });
  const pool = new ThreadPool({ threads: 1, catalogue: api.node.catalogue });
  t.teardown(() => pool.close());
  const another = async (fuel = hour): Promise<Stranger> => {
    const { zid } = await api.node.accounts.create({ fuel });
    const { key } = await api.node.accounts.mintKey(zid);
    const post = (url: string, body: unknown) => api.post(url, body, { authorization: `Bearer ${key}` });
    return { zid, post, ...challenger(post, pool) };
  };
  return {
    ...api,
    dataDir,
    another,
    stranger: await another(),
    seal: (lie, { body = figureEight, ...how } = {}) =>
      sealedBy(api.node, dataDir, api.zid, new LyingExecutor(api.node, lie, how), ['multibody', body]),
  };
}

function challenger(post: Stranger['post'], executor: ThreadPool) {
  const taken = async (reply: Promise<Reply>): Promise<ChallengeView> => {
    const { status, body } = await reply;
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    rerun: (sealed: SealedJob, run?: number) =>
      firstDifference({ file: readAnswer(sealed.text), executor, ...(run === undefined ? {} : { run }) }),
    contest: ({ answer }: SealedJob, difference: Difference) =>
      contest(answer, difference, {
        open: (body) => taken(post('/api/svc/challenges', body)),
        children: (id, body) => taken(post(`/api/svc/challenges/${id}/children`, body)),
      }),
  };
}

/** How a challenge stands once the node has nothing more to do. */
export async function settledView(api: TestApp, id: string): Promise<Reply['body']> {
  await api.node.challenges.idle();
  return (await api.get(`/api/svc/challenges/${id}`, { authorization: '' })).body;
}

/** What somebody claims who invents a digest: the sealed list but for one entry. */
export function slander(sealed: Pick<SealedJob, 'runs'>, run: number, segment: number): Difference {
  const { digests, resultHash, work, segments, label } = sealed.runs[run]!;
  const list = (digests as readonly string[]).map((digest) => Buffer.from(digest, 'hex'));
  list[segment] = Buffer.alloc(32, 7);
  return { run, label, digests: list, claim: { root: toHex(merkleRoot(list)), resultHash, work, segments } };
}

/** Asks for the job over HTTP, as a caller does, and waits until it is sealed. */
export async function sealedOver(
  { post, get, node }: Court,
  body: object,
  replication: Replication,
): Promise<SealedJob> {
  const headers = { prefer: 'respond-async', replication };
  const { job } = (await post('/api/svc/multibody', body, headers)).body;
  let view = (await get(`/api/svc/jobs/${job}`)).body;
  while (view.state === 'running') {
    await delay(100);
    view = (await get(`/api/svc/jobs/${job}`)).body;
  }
  const bundle = await makeBundle(view.answer, {
    blob: (digest) => blobBytes(node.store, digest),
    kernel: async (digest) => node.catalogue.bytes(digest),
  });
  return { job, answer: view.answer, runs: readAnswer(bundle).runs, text: JSON.stringify(bundle) };
}

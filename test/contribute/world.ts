import { hmacKey } from '#crypto';
import { type AdmissionRequest, admissionMessage } from '../../mesh/contributor/admission.ts';
import type { SelfTestAnswer, SelfTestQuestion } from '../../mesh/contributor/self-test.ts';
import type { Span } from '../../mesh/decide/run.ts';
import { type Identity, identityOf } from '../../mesh/nats/nkey.ts';
import { meshNodes, meshRuns } from '../../mesh/records.ts';
import type { MeshDoor } from '../../src/contribute/nodes.ts';
import { toBase64 } from '../../src/proof/bytes.ts';
import { envelopes, jobs } from '../../src/spine/records.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewRow } from '../../src/store/table.ts';

export const DAY = 86_400_000_000_000n;
export const startNs = 1_800_000_000_000_000_000n;

// ---- coins -----------------------------------------------------------------------------------------------

let leaf = 0n;

/** Coins of an account, as settling a paid job leaves them; `more` changes what is told apart. */
export async function mint(
  store: Store,
  owner: string,
  count: number,
  more: Partial<NewRow<typeof envelopes>> = {},
): Promise<string[]> {
  const first = leaf;
  leaf += BigInt(count);
  const tokens = Array.from({ length: count }, (_, i) => `tok_${String(first + BigInt(i)).padStart(8, '0')}`);
  await store.transaction(async (tx) => {
    for (const [i, token_id] of tokens.entries())
      await tx.insert(envelopes, {
        token_id,
        node: 'test-node',
        leaf_index: first + BigInt(i),
        job: `job_${token_id}`,
        issued_to: owner,
        owner,
        funding: 'paid',
        face_plancks: 1n,
        sealed_ns: startNs + BigInt(i),
        envelope: new Uint8Array(0),
        ...more,
      });
  });
  return tokens;
}

export const marked = async (store: Store, owner: string): Promise<string[]> =>
  (await store.find(envelopes, { where: { owner } }))
    .filter(({ locked_by }) => locked_by !== null)
    .map(({ token_id }) => token_id);

// ---- nodes and runs ----------------------------------------------------------------------------------------

export const identity = (n: number): Identity =>
  identityOf(
    'user',
    Uint8Array.from({ length: 32 }, (_, i) => (n * 31 + i) & 255),
  );

export async function putNode(
  store: Store,
  owner: string,
  id: string,
  more: Partial<NewRow<typeof meshNodes>> = {},
): Promise<string> {
  const offer = { engine: 'v8-13.6 x64', cores: 2n, memory: 2n ** 30n };
  const times = { admitted_ns: startNs, heard_ns: startNs };
  await store.transaction((tx) =>
    tx.put(meshNodes, { id, owner, ...offer, ...times, mode: 'contributing', state: 'admitted', ...more }),
  );
  return id;
}

/** A run of a job that was planned with so much work; its class says who pays. `spans` wait to be accepted. */
export async function putRun(
  store: Store,
  id: string,
  jobClass: string,
  {
    job = `job-of-${id}`,
    spans = [],
    work = 1e15,
    state = 'open',
  }: { job?: string; spans?: readonly Partial<Span>[]; work?: number; state?: string } = {},
): Promise<void> {
  const machine = { id, payer: 'bob', state, spans };
  const row = {
    id,
    job,
    class: jobClass,
    state,
    version: 1n,
    machine,
    spec: { work },
    created_ns: startNs,
  };
  const rest = { pending: {}, credited: -1n, deadline_ns: startNs + DAY };
  await store.transaction((tx) => tx.put(meshRuns, { ...row, ...rest }));
}

/** A job as it is once it is over, or while it runs; one that is done is sealed, and charged by that. */
export async function putJob(store: Store, id: string, state: string): Promise<void> {
  const row = {
    account: 'bob',
    solver: 'test',
    request: new Uint8Array(0),
    request_hash: '',
    ceiling_plancks: 1n,
  };
  const times = { created_ns: startNs, attempt: 1n, lease_until_ns: 0n };
  const token_id = state === 'done' ? (await mint(store, 'bob', 1, { job: id }))[0]! : null;
  await store.transaction((tx) => tx.put(jobs, { id, state, token_id, ...row, ...times }));
}

// ---- admission ---------------------------------------------------------------------------------------------

const kernel = 'ab'.repeat(32);
const question = (probe: string): SelfTestQuestion => ({
  ...{ probe, kernel, parameters: 'AAAA', stepsPerSegment: 1, segments: 2, memory: 2 ** 20 },
});
const probes = ['sums of denormals', 'rounding to even', 'a NaN with a payload'];

export const rightAnswers: readonly SelfTestAnswer[] = probes.map((probe, i) => ({
  ...{ probe, kernel, leaf: String(i).padStart(64, '0') },
}));

export const door: MeshDoor = {
  nats: 'nats://127.0.0.1:4222',
  nkey: identity(9).id,
  secret: hmacKey(new Uint8Array(32).fill(7)),
  selfTest: async () => ({ questions: probes.map(question), answers: rightAnswers }),
};

/** What a node sends to be admitted. */
export function admission(
  node: Identity,
  paper: string,
  answers: readonly SelfTestAnswer[] = rightAnswers,
): AdmissionRequest {
  return {
    ...{ node: node.id, engine: 'v8-13.6 x64', cores: 2, memory: 2 ** 30 },
    selfTest: { id: paper, answers },
    proof: toBase64(node.sign(admissionMessage(paper, node.id))),
  };
}

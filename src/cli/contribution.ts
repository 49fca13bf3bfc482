import {
  type Admission,
  type AdmissionRequest,
  admissionMessage,
  type SelfTestPaper,
} from '../../mesh/contributor/admission.ts';
import { engineName } from '../../mesh/contributor/identity.ts';
import type { KernelCache } from '../../mesh/contributor/kernel-cache.ts';
import { answerSelfTest } from '../../mesh/contributor/self-test.ts';
import type { Mode } from '../../mesh/desk.ts';
import type { Identity } from '../../mesh/nats/nkey.ts';
import type { Executor } from '../../workers/executor.ts';
import { refuse } from '../errors/refusal.ts';
import { toBase64 } from '../proof/bytes.ts';
import type { RemoteNode } from './remote.ts';

export type NodeState = 'admitted' | 'left' | 'barred';

/** What a node earned, as far as its terminal shows it. */
export interface Earned {
  /** Coins of the account, as text. */
  readonly coins: string;
  readonly workUnits: bigint;
  /** Coins of the account that wait for the end of their jobs, as text. */
  readonly pending: string;
  /** Spans and checks of this node that were accepted. */
  readonly accepted: number;
  /** Work that was not paid, newest first, each with its reason in a sentence. */
  readonly unpaid: readonly { readonly run: string; readonly reason: string; readonly at: string }[];
}

interface EarningsAnswer {
  readonly coins: string;
  readonly work_units: string;
  readonly pending: { readonly coins: string };
  readonly paid: { readonly total: number };
  readonly unpaid: { readonly lines: readonly { run: string; reason: string; at_ns: string }[] };
}

/** A contributor's side of the routes under /api/contribute. */
export class Contribution {
  readonly #remote: RemoteNode;
  readonly #identity: Identity;

  constructor(remote: RemoteNode, identity: Identity) {
    this.#remote = remote;
    this.#identity = identity;
  }

  /**
   * Fetches the self-test, answers it on these threads and asks to be admitted.
   * @throws Refusal INVALID_INPUT with the first difference · FORBIDDEN for a node that is barred · UNSUPPORTED where
   *   there is no mesh
   */
  async admit(
    offer: { readonly cores: number; readonly memory: number },
    pool: Executor,
    kernels: KernelCache,
    onProgress: (done: number, of: number) => void,
  ): Promise<Admission> {
    const { id, questions } = await this.#remote.json<SelfTestPaper>(
      { id: 'text', questions: 'list' },
      'GET',
      '/api/contribute/self-test',
    );
    onProgress(0, questions.length);
    for (const kernel of new Set(questions.map((question) => question.kernel)))
      await kernels.bring(kernel, () => this.#remote.bytes(`/api/svc/kernels/${encodeURIComponent(kernel)}`));
    const answers = await answerSelfTest(questions, pool, (done) => onProgress(done, questions.length));
    const { id: node } = this.#identity;
    const proof = toBase64(this.#identity.sign(admissionMessage(id, node)));
    const request: AdmissionRequest = {
      node,
      engine: engineName(),
      ...offer,
      selfTest: { id, answers },
      proof,
    };
    return this.#remote.json<Admission>('record', 'POST', '/api/contribute/nodes', request);
  }

  /** What the service takes this node for now. @throws Refusal NOT_FOUND where it knows no such node */
  async state(): Promise<NodeState> {
    const { nodes } = await this.#remote.json<{ nodes: readonly { node: string; state: NodeState }[] }>(
      { nodes: [{ node: 'text', state: 'text' }] },
      'GET',
      '/api/contribute/nodes',
    );
    const own = nodes.find(({ node }) => node === this.#identity.id);
    return own?.state ?? refuse('NOT_FOUND', 'This account has no such node.');
  }

  /** @throws Refusal CONFLICT where the account may contribute under a bond only */
  async switchTo(mode: Mode): Promise<void> {
    await this.#remote.json('record', 'POST', '/api/contribute/mode', { mode, node: this.#identity.id });
  }

  async earned(): Promise<Earned> {
    const query = new URLSearchParams({ node: this.#identity.id, limit: '5' });
    const { coins, work_units, pending, paid, unpaid } = await this.#remote.json<EarningsAnswer>(
      { coins: 'text', work_units: 'count', pending: 'record', paid: 'record', unpaid: { lines: 'list' } },
      'GET',
      `/api/contribute/earnings?${query}`,
    );
    const lines = unpaid.lines.map(({ run, reason, at_ns: at }) => ({ run, reason, at }));
    return {
      coins,
      workUnits: BigInt(work_units),
      pending: pending.coins,
      accepted: paid.total,
      unpaid: lines,
    };
  }

  /** The node takes nothing any more until it is admitted again. */
  async leave(): Promise<void> {
    await this.#remote.json(
      'record',
      'DELETE',
      `/api/contribute/nodes/${encodeURIComponent(this.#identity.id)}`,
    );
  }
}

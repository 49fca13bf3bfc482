import { Refusal } from '../../src/errors/refusal.ts';
import type { Digest } from '../../src/proof/job.ts';
import type {
  AliveAnswer,
  CheckAnswer,
  Commitment,
  Desk,
  Holding,
  Kept,
  LeaseAnswer,
  Reveal,
} from '../desk.ts';
import type { Front } from '../front.ts';

/** The desk for a node that lives in the service's own process: no network, no signature, the same decisions. */
export class DirectDesk implements Desk {
  readonly #front: Front;
  readonly #node: string;

  constructor(front: Front, node: string) {
    this.#front = front;
    this.#node = node;
  }

  lease(runs: readonly string[]): Promise<readonly LeaseAnswer[]> {
    return this.#front.leases(this.#node, runs);
  }

  alive(holding: readonly Holding[]): Promise<AliveAnswer> {
    return this.#front.alive(this.#node, holding);
  }

  release(holding: Holding, failed: boolean): Promise<void> {
    return this.#front.release(this.#node, holding, failed);
  }

  commit(commitment: Commitment): Promise<Kept> {
    return this.#say({ kind: 'commit', ...commitment });
  }

  reveal(reveal: Reveal): Promise<Kept> {
    return this.#say({ kind: 'reveal', ...reveal });
  }

  checked(answer: CheckAnswer): Promise<Kept> {
    return this.#say({ kind: 'checked', ...answer });
  }

  async bytes(run: string, sha256: Digest): Promise<Uint8Array> {
    const bytes = await this.#front.bytesFor(this.#node, run, sha256);
    if (bytes) return bytes;
    throw new Refusal('NOT_FOUND', `There are no bytes ${sha256.slice(0, 12)}… for this node.`);
  }

  async #say(result: Parameters<Front['results']>[0][number]['result']): Promise<Kept> {
    const [kept] = await this.#front.results([{ node: this.#node, result }]);
    return kept!;
  }
}

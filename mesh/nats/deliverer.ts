import { refuse } from '../../src/errors/refusal.ts';
import type { Result } from '../coordinator/coordinator.ts';
import type { Kept } from '../desk.ts';
import { subjects } from '../subjects.ts';
import { messageId } from './asker.ts';
import { Backoff } from './backoff.ts';
import type { Bus } from './bus.ts';
import { BusError } from './bus-error.ts';
import type { Packed } from './frame.ts';
import type { Told } from './messages.ts';
import type { Identity } from './nkey.ts';
import { Outbox } from './outbox.ts';
import { packResult } from './results.ts';

/** What the service says of a message: kept or why not; `again`: its parts are gone; `unreadable`. */
type Verdict =
  | Extract<Told, { id: string }>
  | { readonly told: 'kept'; readonly id: string; readonly kept: Kept };

const PATIENCE_MS = 60_000;
/** How long the service's word is waited for before the message is published again; doubled each time. */
const FIRST_ANSWER_MS = 2000;
const LAST_ANSWER_MS = 16_000;
/** Parts that are on their way at once. */
const UPLOADS = 4;

/**
 * Brings results to the service: into JetStream, where they wait for it, and again until it has said that they are
 * durable. NATS may lose any of it at any time.
 */
export class Deliverer {
  readonly #bus: Bus;
  readonly #identity: Identity;
  readonly #outbox: Outbox;
  readonly #waiting = new Map<string, (verdict: Verdict | undefined) => void>();

  constructor(bus: Bus, identity: Identity) {
    this.#bus = bus;
    this.#identity = identity;
    this.#outbox = new Outbox(bus, identity);
  }

  heard(verdict: Verdict): void {
    this.#waiting.get(verdict.id)?.(verdict);
  }

  /**
   * @param carried told when the stream has it
   * @throws Refusal MESH_UNAVAILABLE when the service has not answered in a minute: it may be said again ·
   * LIMIT_EXCEEDED for more than a message can carry (512 MiB)
   */
  async deliver(result: Result, carried: () => void = () => undefined): Promise<Kept> {
    const id = messageId();
    const packed = packedOrRefused(id, result);
    const backoff = new Backoff(PATIENCE_MS);
    let answerMs = FIRST_ANSWER_MS;
    let hasParts = packed.parts.length === 0;
    for (let attempt = 0; !backoff.isOver; ) {
      try {
        if (!hasParts) await this.#upload(packed);
        hasParts = true;
        const said = { run: result.run, frame: packed.frame, id: `${id}.${attempt}`, isAlone: attempt > 0 };
        const verdict = await this.#publish(said, id, answerMs, carried);
        if (verdict?.told === 'kept') return verdict.kept;
        if (verdict?.told === 'unreadable')
          refuse('UNSUPPORTED', 'The service does not understand what this node shows.');
        if (verdict?.told === 'again') hasParts = packed.parts.length === 0;
        // Another id from here on: the stream would take it for the one that it has seen.
        attempt++;
        answerMs = Math.min(LAST_ANSWER_MS, 2 * answerMs);
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        if (this.#bus.isClosed) break;
        await backoff.wait();
      }
    }
    refuse('MESH_UNAVAILABLE', 'No service node of the mesh has kept it yet.');
  }

  async #publish(
    said: Parameters<Outbox['send']>[0],
    id: string,
    answerMs: number,
    carried: () => void,
  ): Promise<Verdict | undefined> {
    const answer = this.#answerTo(id);
    try {
      await this.#outbox.send(said);
      carried();
      return await answer.within(answerMs);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Listened for from before it is published: the service may be quicker than JetStream's own answer. */
  #answerTo(id: string): { within(ms: number): Promise<Verdict | undefined> } {
    const bus = this.#bus;
    let heard: (verdict: Verdict | undefined) => void = () => undefined;
    const verdict = new Promise<Verdict | undefined>((done) => {
      heard = done;
    });
    this.#waiting.set(id, heard);
    return {
      async within(ms) {
        const timer = setTimeout(heard, ms, undefined);
        const stop = bus.onLost(() => heard(undefined));
        return verdict.finally(() => {
          clearTimeout(timer);
          stop();
        });
      },
    };
  }

  async #upload({ parts }: Packed): Promise<void> {
    const left = [...parts];
    const carry = async () => {
      for (let part = left.shift(); part; part = left.shift())
        await this.#bus.persist(subjects.part(this.#identity.id, part.sha256), part.bytes);
    };
    await Promise.all(Array.from({ length: UPLOADS }, carry));
  }
}

function packedOrRefused(id: string, result: Result): Packed {
  try {
    return packResult(id, result);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    refuse('LIMIT_EXCEEDED', `The state is more than the mesh carries: ${error.message}.`);
  }
}

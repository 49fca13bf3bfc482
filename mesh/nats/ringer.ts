import { TICK_NS } from '../../src/clock/pulse.ts';
import { utf8 } from '../../src/proof/bytes.ts';
import { type JobClass, streams, subjects } from '../subjects.ts';
import { WaitingRuns } from '../waiting-runs.ts';
import type { Bus } from './bus.ts';
import { BusError, isOnSubjectAlready } from './bus-error.ts';
import type { Identity } from './nkey.ts';
import { signature } from './signature.ts';

/** Bells ring no more often than this, however many runs have something to do. */
const BELL_MS = 20;
/** A bell that somebody has taken, while nobody has the run, is taken away from him after so long. */
const HELD_MS = 2 * Number(TICK_NS / 1_000_000n);
/** A run that is put there twice within so long has lost its bell. */
const LATELY_MS = 60_000;
/** How long what a consumer has delivered is remembered. */
const DELIVERED_MS = 500;
const REMEMBERED = 50_000;
/** Runs that one bell names. */
export const MOST_NAMED = 64;

/** A run whose bell was on the queue already when it was rung. */
interface Waiting {
  readonly sinceMs: number;
  /** Its number in the stream. */
  readonly seq: number;
}

/**
 * Puts runs on the work queue. It is called for runs that nobody has: one whose bell is held is rung anew, whoever holds
 * it; it and one whose bell was answered are named to all. So a node that takes every bell, or answers those of others,
 * keeps nobody from work.
 */
export class Ringer {
  readonly #bus: Bus;
  readonly #identity: Identity;
  readonly #waiting = new Map<string, Waiting>();
  readonly #delivered = new Map<JobClass, { readonly untilMs: number; readonly seq: Promise<number> }>();
  /** When each run was put on the queue, the last one last. */
  readonly #put = new Map<string, number>();
  readonly #named = new WaitingRuns(MOST_NAMED);
  #timer: NodeJS.Timeout | undefined;
  #isRung = false;

  constructor(bus: Bus, identity: Identity) {
    this.#bus = bus;
    this.#identity = identity;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** A run that is on the queue is not put there again; where the queue is full, the reconciler comes back. */
  async ring(runs: readonly { readonly id: string; readonly class: JobClass }[]): Promise<void> {
    await Promise.all(
      runs.map(({ id, class: jobClass }) =>
        this.#ring(jobClass, id).catch((error) => {
          if (!(error instanceof BusError)) throw error;
        }),
      ),
    );
    this.#ringBell();
  }

  async #ring(jobClass: JobClass, run: string): Promise<void> {
    const subject = subjects.jobs(jobClass, run);
    try {
      await this.#bus.persist(subject, nothing);
      this.#waiting.delete(subject);
      if (this.#wasPutLately(run)) this.#named.add(run, jobClass);
    } catch (error) {
      if (!isOnSubjectAlready(error)) throw error;
      if (!(await this.#isHeld(jobClass, subject))) return;
      await this.#bus.api(`STREAM.PURGE.${streams.jobs}`, { filter: subject });
      await this.#bus.persist(subject, nothing);
      this.#waiting.delete(subject);
      this.#named.add(run, jobClass);
    }
  }

  /** Then somebody has answered its bell, and nobody has it. */
  #wasPutLately(run: string): boolean {
    const now = performance.now();
    const before = this.#put.get(run);
    this.#put.delete(run);
    this.#put.set(run, now);
    if (this.#put.size > REMEMBERED) this.#put.delete(this.#put.keys().next().value!);
    return before !== undefined && now - before < LATELY_MS;
  }

  /** Whether the bell waits for long, and not in the queue. */
  async #isHeld(jobClass: JobClass, subject: string): Promise<boolean> {
    const known = this.#waiting.get(subject);
    if (!known) {
      const message = await this.#bus.last(streams.jobs, subject);
      const seq = Number(message?.header('Nats-Sequence') || 0);
      this.#waiting.set(subject, { sinceMs: performance.now(), seq });
      if (this.#waiting.size > REMEMBERED) this.#waiting.delete(this.#waiting.keys().next().value!);
      return false;
    }
    if (performance.now() - known.sinceMs < HELD_MS) return false;
    return known.seq <= (await this.#deliveredIn(jobClass));
  }

  /** Number of the last message that this class has delivered; −1 where no answer is outstanding. */
  #deliveredIn(jobClass: JobClass): Promise<number> {
    const known = this.#delivered.get(jobClass);
    if (known && performance.now() < known.untilMs) return known.seq;
    const seq = this.#bus
      .api<ConsumerInfo>(`CONSUMER.INFO.${streams.jobs}.${jobClass}`)
      .then(({ num_ack_pending, delivered }) => (num_ack_pending > 0 ? delivered.stream_seq : -1));
    this.#delivered.set(jobClass, { untilMs: performance.now() + DELIVERED_MS, seq });
    return seq;
  }

  #ringBell(): void {
    this.#isRung = true;
    if (this.#timer) return;
    this.#isRung = false;
    this.#say();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isRung) this.#ringBell();
    }, BELL_MS);
  }

  #say(): void {
    const { bell } = subjects;
    const named = this.#named.take(MOST_NAMED).map(({ class: jobClass, run }) => [jobClass, run]);
    const data = named.length === 0 ? nothing : utf8(JSON.stringify(named));
    const headers = data === nothing ? {} : signature(this.#identity, bell, data);
    this.#bus.publish(bell, data, { headers });
  }
}

const nothing = new Uint8Array(0);

interface ConsumerInfo {
  readonly num_ack_pending: number;
  readonly delivered: { readonly stream_seq: number };
}

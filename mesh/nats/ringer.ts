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
/** What is known of a bell is looked up again after so long. */
const TRUSTED_MS = 30_000;
/** How long what a consumer has delivered is remembered. */
const DELIVERED_MS = 500;
const REMEMBERED = 50_000;
/** Runs that one bell names. */
export const MOST_NAMED = 64;

/** What is known of a run's bell on the queue. */
interface KnownBell {
  /** Its number in the stream. */
  readonly seq: number;
  readonly knownMs: number;
  /** When it was last seen to wait for whoever comes first. */
  waitedMs: number;
}

/** How far the consumer of a class is. */
interface Progress {
  /** Messages that nobody was given yet. */
  readonly pending: number;
  /** Messages that somebody was given and has not answered. */
  readonly held: number;
  /** Number of the last one that somebody was given. */
  readonly delivered: number;
}

/**
 * Puts runs on the work queue. It is called for runs that nobody has, again in each tick. One whose bell waits there
 * costs no message but for a look each half minute, however long the queue is; one whose bell is held is rung anew,
 * whoever holds it; it and one whose bell was answered are named to all. So a node that takes every bell, or answers those
 * of others, keeps nobody from work.
 */
export class Ringer {
  readonly #bus: Bus;
  readonly #identity: Identity;
  readonly #bells = new Map<string, KnownBell>();
  readonly #progress = new Map<JobClass, { readonly untilMs: number; readonly is: Promise<Progress> }>();
  /** When each run was put on the queue, the last one last. */
  readonly #rung = new Map<string, number>();
  readonly #named = new WaitingRuns(MOST_NAMED);
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isRung = false;

  constructor(bus: Bus, identity: Identity) {
    this.#bus = bus;
    this.#identity = identity;
    // The queue lies in the server's memory, and goes with it.
    this.#stop = bus.onLost(() => this.#bells.clear());
  }

  close(): void {
    this.#stop();
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
    if (await this.#waits(jobClass, subject)) return;
    try {
      await this.#put(subject);
      if (this.#wasPutLately(run)) this.#named.add(run, jobClass);
    } catch (error) {
      if (!isOnSubjectAlready(error)) throw error;
      if (!(await this.#isHeld(jobClass, subject))) return;
      await this.#bus.api(`STREAM.PURGE.${streams.jobs}`, { filter: subject });
      await this.#put(subject);
      this.#named.add(run, jobClass);
    }
  }

  async #put(subject: string): Promise<void> {
    const { seq } = await this.#bus.persist(subject, nothing);
    this.#know(subject, seq);
  }

  #know(subject: string, seq: number): void {
    const now = performance.now();
    this.#bells.delete(subject);
    this.#bells.set(subject, { seq, knownMs: now, waitedMs: now });
    if (this.#bells.size > REMEMBERED) this.#bells.delete(this.#bells.keys().next().value!);
  }

  /** What this process knows of the bell, if that is not too old. */
  #known(subject: string): KnownBell | undefined {
    const bell = this.#bells.get(subject);
    return bell && performance.now() - bell.knownMs < TRUSTED_MS ? bell : undefined;
  }

  /** Whether its bell is in the queue, and nobody was given it yet. */
  async #waits(jobClass: JobClass, subject: string): Promise<boolean> {
    const bell = this.#known(subject);
    if (!bell) return false;
    const { pending, delivered } = await this.#progressOf(jobClass);
    const waits = pending > 0 && bell.seq > delivered;
    if (waits) bell.waitedMs = performance.now();
    return waits;
  }

  /** Then somebody has answered its bell, and nobody has it. */
  #wasPutLately(run: string): boolean {
    const now = performance.now();
    const before = this.#rung.get(run);
    this.#rung.delete(run);
    this.#rung.set(run, now);
    if (this.#rung.size > REMEMBERED) this.#rung.delete(this.#rung.keys().next().value!);
    return before !== undefined && now - before < LATELY_MS;
  }

  /** Whether somebody was given the bell long ago and has not answered it. */
  async #isHeld(jobClass: JobClass, subject: string): Promise<boolean> {
    const bell = this.#known(subject);
    if (!bell) {
      const message = await this.#bus.last(streams.jobs, subject);
      if (message) this.#know(subject, Number(message.header('Nats-Sequence')));
      return false;
    }
    if (performance.now() - bell.waitedMs < HELD_MS) return false;
    const { held, delivered } = await this.#progressOf(jobClass);
    return held > 0 && bell.seq <= delivered;
  }

  #progressOf(jobClass: JobClass): Promise<Progress> {
    const known = this.#progress.get(jobClass);
    if (known && performance.now() < known.untilMs) return known.is;
    const is = this.#bus
      .api<ConsumerInfo>(`CONSUMER.INFO.${streams.jobs}.${jobClass}`)
      .then(({ num_pending, num_ack_pending, delivered }) => ({
        pending: num_pending,
        held: num_ack_pending,
        delivered: delivered.stream_seq,
      }));
    this.#progress.set(jobClass, { untilMs: performance.now() + DELIVERED_MS, is });
    return is;
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
  readonly num_pending: number;
  readonly num_ack_pending: number;
  readonly delivered: { readonly stream_seq: number };
}

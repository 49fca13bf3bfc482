import { randomBytes } from 'node:crypto';
import { toHex } from '../../src/proof/bytes.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import type { Checkpoint, Executor, RunProgress, RunSpec } from '../../workers/executor.ts';
import { RUNNING } from '../../workers/kernel-host.ts';
import { commitmentOf } from '../decide/claim.ts';
import type { CheckWork, Desk, Holding, Kept, Reveal, Work } from '../desk.ts';
import { shownSpan } from './claims.ts';
import type { Advance, Endings } from './endings.ts';
import type { ContributorEvent, Occupation } from './events.ts';
import type { KernelCache } from './kernel-cache.ts';
import { Lost, untilKept } from './persist.ts';
import { type Prepared, prepared, Unrunnable } from './prepare.ts';
import type { Room } from './room.ts';
import type { Seats, Turn } from './seats.ts';

/** What an assignment works with. */
export interface Workshop {
  readonly desk: Desk;
  readonly pool: Executor;
  readonly kernels: KernelCache;
  readonly seats: Seats;
  readonly room: Room;
  readonly endings: Endings;
  /** A span holds at least so much time, unless a segment is longer or the run ends. */
  readonly spanMs: number;
  /** One that took less is shown with the commitment to the next, and waits no longer than this for it. */
  readonly joinMs: number;
  /** For how long a thread goes on beside a span that the service has not kept. */
  readonly holdMs: number;
  /** A segment that took so long is kept before the next one begins: whoever kills the node takes one, never two. */
  readonly longMs: number;
  readonly tell: (event: ContributorEvent) => void;
  readonly shown: (work: bigint) => void;
  /** A thread has done its part: what is left of its work needs no seat. */
  readonly freed: () => void;
}

/** How work comes to this node. */
export interface Coming {
  /** It has its seat and its memory already, which it gives back. */
  readonly isSeated: boolean;
  /** When the node asked for work. */
  readonly askedMs: number;
}

/** The owner wants the machine back. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** A claim whose commitment is durable, and the work counter at its end. */
interface Owed {
  readonly reveal: Reveal;
  readonly work: bigint;
}

/** Runs go to the threads for long work and checks to the others: a check never waits behind a run that made way. */
const AS_RUN = 1e12;
const AS_CHECK = 1;
/** How long a run that was fetched ahead waits for its thread. */
const NEXT_MS = 1000;

/**
 * One lease or one check on this node: fetches what it needs, runs it on a thread, shows or answers it. A run shows
 * each span while its thread is at the next one, where segments are short: a node that dies takes a moment of work with
 * it. Where they are long the next one begins behind it, and a node that dies takes one segment.
 */
export class Assignment {
  readonly work: Work | CheckWork;
  readonly holding: Holding;
  readonly #shop: Workshop;
  readonly #computing = new AbortController();
  readonly #talking = new AbortController();
  #isSeated: boolean;
  #hasRoom: boolean;
  readonly #askedMs: number;
  #isBegun = false;
  #isComputed = false;
  #began = performance.now();
  #heardMs: number;
  #progress: RunProgress | undefined;
  #workBefore = 0n;
  /** The work counter when this node began. */
  #workAtStart = 0n;
  #end: Checkpoint | undefined;
  /** When the last span ended. */
  #endedMs = 0;
  /** What was committed to and is not shown yet. */
  #owed: Owed | undefined;
  #revealed: Promise<void> = Promise.resolve();
  #showing: NodeJS.Timeout | undefined;
  /** The last claim that was shown outlives this node. */
  #carried: () => void = () => undefined;

  constructor(work: Work | CheckWork, shop: Workshop, { isSeated, askedMs }: Coming) {
    const { run, fence, from } = work;
    this.work = work;
    this.holding = 'kind' in work ? { run, fence, from } : { run, fence };
    this.#shop = shop;
    this.#isSeated = isSeated;
    this.#hasRoom = isSeated;
    this.#askedMs = askedMs;
    this.#heardMs = askedMs;
  }

  /** No thread has anything to do with it any more. */
  get isComputed(): boolean {
    return this.#isComputed;
  }

  /** When the node last said what the service has heard of it since: asked for it, or said what was kept. */
  get heardMs(): number {
    return this.#heardMs;
  }

  /** A run that was fetched for a seat that is about to be free. */
  get isNext(): boolean {
    return !('kind' in this.work) && !this.#isBegun && !this.#isSeated;
  }

  /**
   * Runs it to its end. @throws Lost · Stopped · Unrunnable · Refusal of a kernel that crashed or took too much memory
   */
  async done(): Promise<void> {
    const { signal } = this.#computing;
    try {
      await this.#inTime(this.#makeRoom());
      const { desk, kernels, endings } = this.#shop;
      const ready = await prepared(this.work, desk, kernels, signal);
      if (!('kind' in this.work)) endings.fetched(performance.now() - this.#askedMs);
      await this.#inTime(this.#seat('kind' in this.work ? 'check' : 'next'));
      this.#isBegun = true;
      this.#began = performance.now();
      if ('kind' in this.work) await this.#check(this.work, ready);
      else await this.#run(ready);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#shop.endings.over(this);
      this.#unseat();
      if (this.#hasRoom) this.#shop.room.give(this.work.memory);
      this.#hasRoom = false;
    }
  }

  /** A run that was fetched ahead goes back where what it was fetched for goes on. */
  async #inTime(free: Promise<void>): Promise<void> {
    const late = () => {
      this.#shop.endings.wereWrong();
      this.stop(new Unrunnable('no thread has become free for it', false));
    };
    const timer = this.isNext ? setTimeout(late, NEXT_MS) : undefined;
    await free.finally(() => clearTimeout(timer));
  }

  /** Before anything of it is fetched. */
  async #makeRoom(): Promise<void> {
    if (!this.#hasRoom) await this.#shop.room.wait(this.work.memory, this.work, this.#computing.signal);
    this.#hasRoom = true;
  }

  /** Ends it at once; what is committed may still be shown for `graceMs`, unless nobody wants it. */
  stop(why: Lost | Stopped | Unrunnable, graceMs = 0): void {
    this.#computing.abort(why);
    if (why instanceof Lost || graceMs === 0) this.#talking.abort(why);
    else setTimeout(() => this.#talking.abort(why), graceMs).unref();
  }

  // ---- a run, span by span -----------------------------------------------------------------------------

  async #run({ spec, resumeFrom, workBefore }: Prepared): Promise<void> {
    this.#workBefore = workBefore;
    this.#workAtStart = workBefore;
    this.#shop.endings.began(this, Number(workBefore));
    this.#shop.tell({ kind: 'leased', run: this.work.run, from: this.work.from });
    this.#endedMs = performance.now();
    try {
      const run = await this.#execute(
        { ...spec, work: AS_RUN },
        {
          ...(resumeFrom && { resumeFrom }),
          checkpointMs: this.#shop.spanMs,
          onCheckpoint: (span: Checkpoint) => this.#spanEnded(span),
        },
      );
      const advance = this.#advance(Number(run.work));
      const isShort = performance.now() - this.#endedMs < this.#shop.holdMs;
      if (isShort) this.#computed(advance);
      await this.#commit(this.#end!, run);
      const { carried, revealed } = this.#lastClaim();
      await carried;
      if (!isShort) this.#computed(advance);
      await revealed;
      this.#shop.tell({ kind: 'ended', run: this.work.run, status: run.status });
    } catch (error) {
      await this.#reveal().catch(() => undefined); // what is committed is shown, unless nobody wants it
      throw error;
    }
  }

  /**
   * A short span is shown with the commitment to the next one: one message and one change of the run in place of two.
   * Behind a longer one the thread goes on when the claim is on its way and this node may die.
   */
  async #spanEnded(span: Checkpoint): Promise<void> {
    const { seats, joinMs } = this.#shop;
    const passed = performance.now() - this.#endedMs;
    this.#endedMs += passed;
    await this.#commit(span);
    if (passed < joinMs && !seats.checksWait) {
      this.#showing = setTimeout(() => void this.#reveal().catch(this.#given), joinMs);
      return;
    }
    const { carried, revealed } = this.#lastClaim();
    revealed.catch(this.#given);
    await carried;
    if (!seats.checksWait) return;
    await revealed;
    // The thread ends its segment and stands still then, because this span is not called kept yet.
    this.#unseat();
    await this.#seat('resumed');
  }

  /** Nobody listens any more: the thread need not go on. */
  readonly #given = (error: unknown): void => this.#computing.abort(error);

  /** Shows what was committed before, and with it the commitment to this span: returns when both are durable. */
  async #commit(span: Checkpoint, ended?: FinishedRun): Promise<void> {
    const { desk } = this.#shop;
    const { run, fence } = this.work;
    const { claim, ...bytes } = shownSpan(span, ended);
    const salt = new Uint8Array(randomBytes(32));
    const commitment = toHex(commitmentOf(claim, salt));
    const { from, to } = claim;
    let saidMs = 0;
    const say = (): Promise<Kept | undefined> => {
      saidMs = performance.now();
      return desk.commit({ run, fence, from, to, commitment });
    };
    const before = this.#reveal();
    // Where it overtakes what it goes with it comes too early, and is said again.
    let first: Promise<Kept | undefined> | undefined = say().then(
      (kept) => (kept === 'out-of-order' ? 'waiting' : kept),
      () => undefined,
    );
    await before;
    const { signal } = this.#talking;
    await untilKept(() => {
      const said = first ?? say();
      first = undefined;
      return said;
    }, signal);
    this.#heardMs = saidMs;
    const observed = ended?.observed ?? this.#progress?.observed ?? [];
    this.#owed = { reveal: { run, fence, claim, salt, ...bytes, observed }, work: span.work! };
  }

  /** Shows the claim behind the last commitment, once. Resolves when it is durable. */
  #reveal(): Promise<void> {
    clearTimeout(this.#showing);
    this.#revealed = this.#owed ? this.#shown(this.#owed) : this.#revealed;
    this.#owed = undefined;
    return this.#revealed;
  }

  /** Shows it. `carried`: this node may die. */
  #lastClaim(): { readonly carried: Promise<void>; readonly revealed: Promise<void> } {
    const carried = new Promise<void>((done) => {
      this.#carried = done;
    });
    const revealed = this.#reveal();
    return { carried: Promise.race([carried, revealed]), revealed };
  }

  async #shown({ reveal, work: counted }: Owed): Promise<void> {
    const { desk, shown, tell } = this.#shop;
    const { run, claim } = reveal;
    await untilKept(() => desk.reveal(reveal, () => this.#carried()), this.#talking.signal);
    const work = counted - this.#workBefore;
    this.#workBefore = counted;
    shown(work);
    tell({ kind: 'span', run, from: claim.from, to: claim.to, work });
  }

  // ---- a check -----------------------------------------------------------------------------------------

  async #check({ run, fence, from, through, kind: check }: CheckWork, ready: Prepared): Promise<void> {
    const { desk, tell } = this.#shop;
    tell({ kind: 'checking', run, check, from, through });
    const { spec, resumeFrom } = ready;
    const options = { ...(resumeFrom && { resumeFrom }), untilSegment: through };
    const finished = await this.#execute({ ...spec, work: AS_CHECK }, options);
    if (performance.now() - this.#began < this.#shop.holdMs) this.#computed();
    const { claim } = shownSpan(this.#end!, finished.status === RUNNING ? undefined : finished);
    await untilKept(() => desk.checked({ run, fence, claim }), this.#talking.signal);
    tell({ kind: 'checked', run, check, from, through });
  }

  // ---- both --------------------------------------------------------------------------------------------

  #execute(spec: RunSpec, options: Parameters<Executor['execute']>[1]): Promise<FinishedRun> {
    return this.#shop.pool.execute(spec, {
      ...options,
      signal: this.#computing.signal,
      onProgress: (progress) => {
        this.#progress = progress;
        if (!('kind' in this.work)) this.#shop.endings.advanced(this, this.#advance(Number(progress.work)));
      },
      spans: {
        holdMs: this.#shop.holdMs,
        longMs: this.#shop.longMs,
        onEnd: (end) => {
          this.#end = end;
        },
      },
    });
  }

  #advance(counted: number): Advance {
    return { ms: performance.now() - this.#began, counted, before: Number(this.#workAtStart) };
  }

  /**
   * What it found is still to be said: the thread need not wait for that. Behind what took long it does: whoever kills
   * the node takes that or what runs next, never both.
   */
  #computed(advance?: Advance): void {
    this.#isComputed = true;
    this.#shop.endings.over(this, advance);
    this.#unseat();
    this.#shop.freed();
  }

  async #seat(turn: Turn): Promise<void> {
    if (this.#isSeated) return;
    await this.#shop.seats.wait(turn, this.work, this.#computing.signal);
    this.#isSeated = true;
  }

  #unseat(): void {
    if (this.#isSeated) this.#shop.seats.give();
    this.#isSeated = false;
  }

  get occupation(): Occupation {
    const { run, from, work } = this.work;
    const segment = Math.max(from, this.#progress?.segments ?? from);
    const seconds = (performance.now() - this.#began) / 1000;
    const check = 'kind' in this.work ? this.work : undefined;
    const share = check
      ? (segment - from) / (check.through - from + 1)
      : Number(this.#progress?.work ?? this.#workBefore) / Math.max(1, work);
    return {
      ...{ run, kind: check?.kind ?? 'run', from, segment, waits: !this.#isSeated },
      ...(check && { through: check.through }),
      share: Math.min(1, share),
      segmentsPerSecond: seconds > 0 ? (segment - from) / seconds : 0,
    };
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../src/errors/refusal.ts';
import type { Executor } from '../../workers/executor.ts';
import type { Refused } from '../decide/effects.ts';
import type { CheckWork, Desk, DeskEvents, Holding, LeaseAnswer, Mode, Work } from '../desk.ts';
import type { Bell, Bells } from '../front.ts';
import { Assignment, type Coming, Stopped, type Workshop } from './assignment.ts';
import { Endings } from './endings.ts';
import type { ContributorEvent, ContributorStatus } from './events.ts';
import { GiveBacks, isSame } from './give-backs.ts';
import type { KernelCache } from './kernel-cache.ts';
import { Lost } from './persist.ts';
import { refuseStrangeWork, Unrunnable } from './prepare.ts';
import { Room } from './room.ts';
import { Seats } from './seats.ts';

export interface ContributorOptions {
  readonly desk: Desk;
  readonly bells: Pick<Bells, 'take'>;
  /** Has at least `threads` threads. */
  readonly pool: Executor;
  readonly kernels: KernelCache;
  /** Runs and checks at once. */
  readonly threads: number;
  /** Bytes that all of them may take together. */
  readonly memory: number;
  readonly mode: Mode;
  /** Nobody stands behind it: where a check has no room beside its runs, these go back. */
  readonly isLast?: boolean;
  readonly onEvent?: (event: ContributorEvent) => void;
  /** Between two signs of life. Default 1 s. */
  readonly heartbeatMs?: number;
  /** Default 250 ms: shorter segments are shown together. */
  readonly spanMs?: number;
  /** Default 400 ms: what took less is shown with the commitment to the next span. */
  readonly joinMs?: number;
  /** Default 250 ms. */
  readonly holdMs?: number;
  /** Default 500 ms: with shorter ones a second at most is lost with the node, a span and what comes beside it. */
  readonly longMs?: number;
}

/** How long what is committed may still be shown: after a switch of mode, and when the node leaves. */
const SWITCH_MS = 1000;
const LEAVE_MS = 5000;
/** When a bell that this node cannot follow rings again, and one that it can follow in a moment. */
const PASS_ON_MS = 1000;
const BUSY_MS = 100;
const LOSSES_KEPT = 20;
/** What a kernel does anywhere, as far as this node can see. */
const kernelFaults: ReadonlySet<string> = new Set(['KERNEL_CRASHED', 'LIMIT_EXCEEDED']);
const TOO_LARGE_KEPT = 1000;

/**
 * A machine that takes part: takes runs from the work queue, segment by segment, and second and third executions from
 * the service, on as many threads as its owner allows. It trusts nothing that it is sent and relies on nothing but
 * that what was kept is kept. Signs of life come from here, never from a thread that computes.
 */
export class Contributor implements DeskEvents {
  readonly #options: ContributorOptions;
  readonly #seats: Seats;
  readonly #room: Room;
  readonly #endings = new Endings(() => this.#takeWork());
  readonly #shop: Workshop;
  readonly #giveBacks: GiveBacks;
  readonly #assignments = new Map<Assignment, Bell | undefined>();
  readonly #ends = new Set<Promise<void>>();
  /** Runs that need more memory than the node may use. */
  readonly #tooLarge = new Set<string>();
  readonly #losses: { run: string; reason: string }[] = [];
  #mode: Mode;
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;
  /** Something has happened since it was looked for work last. */
  #mayTake = false;
  #isAsking = false;
  #isLeaving = false;
  /** When the node said last that it lives. */
  #saidMs = Number.NEGATIVE_INFINITY;
  #answers = true;
  #spans = 0;
  #work = 0n;
  #checks = 0;

  constructor(options: ContributorOptions) {
    const { desk, pool, kernels, threads } = options;
    const { spanMs = 250, joinMs = 400, holdMs = 250, longMs = 500 } = options;
    this.#options = options;
    this.#mode = options.mode;
    this.#seats = new Seats(threads);
    this.#room = new Room(options.memory);
    const shown = (work: bigint) => {
      this.#spans++;
      this.#work += work;
    };
    const tell = (event: ContributorEvent) => this.#tell(event);
    const freed = () => this.#takeWork();
    const [seats, room, endings] = [this.#seats, this.#room, this.#endings];
    this.#giveBacks = new GiveBacks(desk);
    const pace = { spanMs, joinMs, holdMs, longMs };
    this.#shop = { desk, pool, kernels, seats, room, endings, ...pace, tell, shown, freed };
  }

  start(): void {
    this.#beat();
  }

  /**
   * Ends: shows what is committed, gives every lease back. What was computed since the last span is lost.
   * The caller then says goodbye by closing the desk.
   *
   * @param graceMs for how long a service that does not answer is waited for; its leases lapse by themselves
   */
  async leave(graceMs = LEAVE_MS): Promise<void> {
    this.#isLeaving = true;
    this.#stopAll(graceMs);
    const deadline = new AbortController();
    const handedOver = this.#handedOver().finally(() => deadline.abort());
    const passed = sleep(graceMs + 1000, undefined, { signal: deadline.signal }).catch(() => undefined);
    await Promise.race([handedOver, passed]);
    this.#giveBacks.close();
    clearTimeout(this.#timer);
  }

  async #handedOver(): Promise<void> {
    await this.#taking;
    while (this.#ends.size > 0) await Promise.all(this.#ends);
  }

  get status(): ContributorStatus {
    const atWork = [...this.#assignments.keys()].filter(({ isComputed }) => !isComputed);
    const occupations = atWork.map(({ occupation }) => occupation);
    return {
      ...{ mode: this.#mode, answers: this.#answers, threads: this.#options.threads, occupations },
      ...{ spans: this.#spans, work: this.#work, checks: this.#checks, losses: [...this.#losses] },
    };
  }

  // ---- what the service says ---------------------------------------------------------------------------

  bell(): void {
    this.#takeWork();
  }

  /** Any mode but `contributing` stops what runs at once (CONTRIB-04). */
  mode(mode: Mode): void {
    if (mode === this.#mode || !['idle', 'contributing', 'experimenting'].includes(mode)) return;
    this.#mode = mode;
    this.#tell({ kind: 'mode', mode });
    if (mode === 'contributing') this.#takeWork();
    else this.#stopAll(SWITCH_MS);
  }

  lost(holding: Holding, reason: Refused): void {
    this.#giveBacks.lost(holding);
    this.#held(holding)?.stop(new Lost(reason));
  }

  check(work: CheckWork): void {
    const { run, fence, from } = work;
    const holding = { run, fence, from };
    if (this.#held(holding) || this.#giveBacks.has(holding)) return;
    const refused = this.#refusal(work, this.#roomForChecks(work.memory));
    if (refused) this.#refuse(holding, refused);
    else this.#begin(new Assignment(work, this.#shop, { isSeated: false, askedMs: performance.now() }));
  }

  /** Checks wait for one another, not for runs, which may take hours; a run that has no thread yet makes way. */
  #roomForChecks(wanted: number): number {
    const runs = [...this.#assignments.keys()].filter(({ work }) => !('kind' in work));
    const [next, begun] = [runs.filter(({ isNext }) => isNext), runs.filter(({ isNext }) => !isNext)];
    const { memory, isLast } = this.#options;
    const left = memory - memoryOf(begun);
    if (wanted <= left && wanted > left - memoryOf(next))
      for (const run of next) run.stop(new Unrunnable('a check needs its memory', false));
    if (wanted <= left || wanted > memory || !isLast) return left;
    for (const run of runs) run.stop(new Stopped(), SWITCH_MS);
    return memory;
  }

  // ---- signs of life -----------------------------------------------------------------------------------

  /** A span that was kept is a sign of life: it is said of what has shown none for a while. */
  #beat(): void {
    const { heartbeatMs = 1000 } = this.#options;
    const now = performance.now();
    for (const bell of this.#assignments.values()) bell?.working();
    if (this.#heardMs + heartbeatMs <= now) {
      this.#saidMs = now;
      void this.#alive();
    }
    this.#takeWork();
    this.#timer = setTimeout(() => this.#beat(), Math.ceil(this.#heardMs + heartbeatMs - now));
  }

  /** When that was said last which the service has heard of whatever it has not heard of for longest. */
  get #heardMs(): number {
    const heard = [...this.#assignments.keys()].map(({ heardMs }) => Math.max(this.#saidMs, heardMs));
    return heard.length === 0 ? this.#saidMs : Math.min(...heard);
  }

  async #alive(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const holding = [...this.#assignments.keys()].map((each) => each.holding);
      const { mode, lost } = await this.#options.desk.alive(holding);
      this.#heard(true);
      for (const each of lost) this.lost(each, 'fenced');
      this.mode(mode);
    } catch {
      this.#heard(false); // leases go on until somebody says otherwise
    } finally {
      this.#isAsking = false;
    }
  }

  #heard(answers: boolean): void {
    if (answers === this.#answers) return;
    this.#answers = answers;
    this.#tell({ kind: 'service', answers });
  }

  // ---- taking work -------------------------------------------------------------------------------------

  get #isContributing(): boolean {
    return this.#mode === 'contributing' && !this.#isLeaving;
  }

  #takeWork(): void {
    this.#mayTake = true;
    this.#taking ??= this.#takeWhileFree()
      .catch(() => this.#heard(false))
      .finally(() => {
        this.#taking = undefined;
      });
  }

  async #takeWhileFree(): Promise<void> {
    while (this.#mayTake && this.#isContributing && this.#wanted > 0) {
      this.#mayTake = false;
      const askedMs = performance.now();
      const bells = await this.#options.bells.take(this.#wanted);
      if ((await this.#follow(bells, askedMs)) > 0) this.#mayTake = true;
    }
  }

  /** Runs for the seats that are free, and for those that will be when their bytes are there. */
  get #wanted(): number {
    const next = [...this.#assignments.keys()].filter(({ isNext }) => isNext).length;
    const before = next + this.#seats.waiting('check') + this.#seats.waiting('resumed');
    return this.#seats.free + this.#endings.count - before;
  }

  /** Asks for leases. @returns how many began */
  async #follow(bells: readonly Bell[], askedMs: number): Promise<number> {
    const wanted = new Map<string, Bell>();
    for (const bell of bells) {
      if (this.#tooLarge.has(bell.run) || this.#giveBacks.hasLeaseOf(bell.run)) bell.retry(PASS_ON_MS);
      else if (wanted.has(bell.run) || this.#runs(bell.run)) bell.ack();
      else wanted.set(bell.run, bell);
    }
    return wanted.size === 0 ? 0 : this.#lease(wanted, askedMs);
  }

  async #lease(wanted: Map<string, Bell>, askedMs: number): Promise<number> {
    let seats = Math.min(wanted.size, this.#seats.free);
    for (let i = 0; i < seats; i++) this.#seats.take();
    let begun = 0;
    try {
      const answers = await this.#options.desk.lease([...wanted.keys()]);
      for (const answer of answers) {
        if (!this.#taken(answer, wanted, { isSeated: seats > 0, askedMs })) continue;
        begun++;
        if (seats > 0) seats--;
      }
    } finally {
      for (const bell of wanted.values()) bell.retry(PASS_ON_MS);
      for (; seats > 0; seats--) this.#seats.give();
    }
    return begun;
  }

  /** Begins what was leased; takes bells that were answered out of `wanted`. @returns whether it has begun */
  #taken(answer: LeaseAnswer, wanted: Map<string, Bell>, coming: Coming): boolean {
    const run = 'lease' in answer ? answer.lease.run : answer.run;
    const bell = wanted.get(run);
    if (!bell) return false; // nobody asked
    wanted.delete(run);
    if ('lease' in answer) return this.#accept(answer.lease, bell, coming);
    if (isOver(answer.refused)) bell.ack();
    else bell.retry(answer.refused === 'busy' ? BUSY_MS : PASS_ON_MS);
    return false;
  }

  #accept(lease: Work, bell: Bell, coming: Coming): boolean {
    const { isSeated } = coming;
    const refused = this.#refusal(lease, this.#room.free + (isSeated ? 0 : this.#endings.memory));
    if (!refused) {
      if (isSeated) this.#room.take(lease.memory);
      this.#begin(new Assignment(lease, this.#shop, coming), bell);
      return true;
    }
    if (lease.memory > this.#options.memory) this.#rememberTooLarge(lease.run);
    this.#refuse({ run: lease.run, fence: lease.fence }, refused);
    bell.retry(PASS_ON_MS);
    return false;
  }

  #refusal(work: Work | CheckWork, room: number): Unrunnable | undefined {
    if (!this.#isContributing) return new Unrunnable('the node was stopped', false);
    try {
      refuseStrangeWork(work, room);
      return undefined;
    } catch (error) {
      return error as Unrunnable;
    }
  }

  #refuse(holding: Holding, { message, failed }: Unrunnable): void {
    this.#tell({ kind: 'returned', run: holding.run, reason: message, failed });
    this.#awaited(this.#giveBacks.say(holding, failed));
  }

  #rememberTooLarge(run: string): void {
    if (this.#tooLarge.size >= TOO_LARGE_KEPT) this.#tooLarge.clear();
    this.#tooLarge.add(run);
  }

  // ---- what goes on ------------------------------------------------------------------------------------

  #begin(assignment: Assignment, bell?: Bell): void {
    this.#assignments.set(assignment, bell);
    this.#awaited(this.#ended(assignment, bell));
  }

  /** Who leaves waits for it. */
  #awaited(end: Promise<void>): void {
    this.#ends.add(end);
    void end.finally(() => this.#ends.delete(end));
  }

  async #ended(assignment: Assignment, bell: Bell | undefined): Promise<void> {
    const error = await assignment.done().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    this.#assignments.delete(assignment);
    if (error === undefined && 'kind' in assignment.work) this.#checks++;
    if (error === undefined || error instanceof Lost) bell?.ack();
    else bell?.retry(PASS_ON_MS);
    if (error instanceof Lost) this.#tellLoss(assignment.work.run, error.reason);
    else if (error !== undefined) await this.#giveBack(assignment, error);
    this.#takeWork();
  }

  async #giveBack({ work: { run }, holding }: Assignment, error: unknown): Promise<void> {
    const isKernels = error instanceof Refusal && kernelFaults.has(error.code);
    const failed = isKernels || (error instanceof Unrunnable && error.failed);
    const reason = error instanceof Stopped ? 'the node was stopped' : (error as Error).message;
    this.#tell({ kind: 'returned', run, reason, failed });
    await this.#giveBacks.say(holding, failed);
  }

  #stopAll(graceMs: number): void {
    for (const assignment of this.#assignments.keys()) assignment.stop(new Stopped(), graceMs);
  }

  #held(holding: Holding): Assignment | undefined {
    return [...this.#assignments.keys()].find((each) => isSame(each.holding, holding));
  }

  #runs(run: string): boolean {
    return [...this.#assignments.keys()].some(({ work }) => work.run === run && !('kind' in work));
  }

  #tellLoss(run: string, reason: string): void {
    this.#losses.push({ run, reason });
    if (this.#losses.length > LOSSES_KEPT) this.#losses.shift();
    this.#tell({ kind: 'lost', run, reason });
  }

  #tell(event: ContributorEvent): void {
    this.#options.onEvent?.(event);
  }
}

const memoryOf = (assignments: readonly Assignment[]): number =>
  assignments.reduce((sum, { work }) => sum + work.memory, 0);

/** Nobody else needs to hear of it now. */
const isOver = (refused: Refused | 'unknown'): boolean =>
  ['ended', 'complete', 'unknown', 'leased', 'house-only'].includes(refused);

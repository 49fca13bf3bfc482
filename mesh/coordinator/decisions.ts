import { tickOf } from '../../src/clock/pulse.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { decide } from '../decide/decide.ts';
import type { Decision, Event, World } from '../decide/decision.ts';
import type { Effect } from '../decide/effects.ts';
import type { NodeFacts } from '../decide/run.ts';
import { meshTrust } from '../records.ts';
import type { Attention } from './attention.ts';
import { droppedObjects } from './dropped.ts';
import { type KnownRun, type KnownRuns, readKnown } from './known-runs.ts';
import type { Beacons, Credits, WriteVerdict, WrittenVerdict } from './ports.ts';
import { freeLeases, notedLease } from './roll.ts';
import type { StoredRun } from './run-rows.ts';
import type { Seen } from './scenes.ts';
import { type NewObject, writeDecision } from './written.ts';

/** What is to be decided about a run. */
export interface Asked {
  readonly run: string;
  readonly event: Event;
  readonly seen: Seen;
  /** Bytes that came with it and are in the object store. */
  readonly object?: NewObject;
  /** Bytes came with it that are what they should be, and were not kept because nobody seemed to wait for them. */
  readonly isUnkept?: boolean;
}

/** What a decision came to, durable: the run as it stands now, and the effects that are to be done. */
export interface Decided {
  readonly known: KnownRun;
  readonly effects: readonly Effect[];
  /** Objects that nobody needs any more. */
  readonly freed: readonly Digest[];
}

/** `unknown`: there is no such run; `unkept`: its bytes are waited for after all, and nothing was decided. */
export type Outcome = Decided | 'unknown' | 'unkept';

/** Of one that was decided, and of the one behind it where both were written together. */
type Decideds = readonly [Outcome | 'raced', (Outcome | 'raced')?];

export interface DecisionParts {
  readonly store: Store;
  readonly known: KnownRuns;
  readonly attention: Attention;
  readonly beacons: Pick<Beacons, 'keep' | 'tell'>;
  readonly credits: Credits;
  readonly writeVerdict: WriteVerdict;
  readonly house: NodeFacts;
  readonly now: () => bigint;
}

interface Queued {
  readonly asked: Asked;
  /** How often another process was quicker. */
  readonly raced: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

type Pair = [Queued, Queued?];

const ATTEMPTS = 8;
/** Decisions in one transaction; those of a turn of the event loop are committed together however many these make. */
const TOGETHER = 16;

/**
 * Decides what came in one turn of the event loop together. A decision builds on the run as this process knows it and
 * is written with a compare-and-set, so what was out of date is decided anew; what would change nothing has nothing
 * that it could be compared with, and is decided by a look into the store.
 */
export class Decisions {
  readonly #parts: DecisionParts;
  #queue: Queued[] = [];

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** Resolves once the decision is durable. */
  decide(asked: Asked): Promise<Outcome> {
    return new Promise((resolve, reject) => this.#add({ asked, raced: 0, resolve, reject }));
  }

  #add(queued: Queued): void {
    if (this.#queue.push(queued) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const all = this.#queue;
    this.#queue = [];
    for (const group of inGroups(inPairs(all))) void this.#group(group);
  }

  /** One that cannot be written does not hold up the others: then they are written one by one. */
  async #group(group: readonly Pair[]): Promise<void> {
    try {
      const { outcomes, runs, drawn, verdicts } = await this.#written(group);
      for (const verdict of verdicts) verdict.committed();
      for (const run of runs) this.#parts.known.set(run);
      for (const tNs of drawn) this.#parts.beacons.tell(tNs);
      for (const [queued, outcome] of outcomes) this.#settle(queued, outcome);
    } catch (error) {
      const [[one, next]] = group as [Pair];
      if (group.length > 1) for (const pair of group) await this.#group([pair]);
      else if (next) for (const each of [one, next]) await this.#group([[each]]);
      else one.reject(error);
    }
  }

  #written(group: readonly Pair[]) {
    return this.#parts.store.transaction(async (tx) => {
      const turn = new Turn(tx, this.#parts);
      const outcomes = new Map<Queued, Outcome | 'raced'>();
      for (const [one, next] of group) {
        const [first, second] = await turn.decided(one.asked, one.raced > 0, next?.asked);
        outcomes.set(one, first);
        if (next) outcomes.set(next, second ?? (await turn.decided(next.asked, next.raced > 0))[0]);
      }
      return { outcomes, runs: turn.runs, drawn: turn.drawn, verdicts: turn.verdicts };
    });
  }

  #settle(queued: Queued, outcome: Outcome | 'raced'): void {
    if (outcome === 'raced') this.#again(queued);
    else queued.resolve(outcome);
  }

  #again(queued: Queued): void {
    const { run } = queued.asked;
    this.#parts.known.forget(run);
    const raced = queued.raced + 1;
    if (raced < ATTEMPTS) this.#add({ ...queued, raced });
    else queued.reject(new Error(`run ${run} changed ${ATTEMPTS} times under a decision`));
  }
}

/**
 * A claim that is shown and the commitment behind it, which a node says together, are one change of the run's row;
 * everything else stands alone. What is said of one run keeps its order.
 */
function inPairs(all: readonly Queued[]): Pair[] {
  const pairs: Pair[] = [];
  const last = new Map<string, Pair>();
  for (const queued of all) {
    const { run } = queued.asked;
    const before = last.get(run);
    if (before && before[1] === undefined && isNext(before[0].asked, queued.asked)) before[1] = queued;
    else {
      const alone: Pair = [queued];
      pairs.push(alone);
      last.set(run, alone);
    }
  }
  return pairs;
}

function inGroups(pairs: readonly Pair[]): Pair[][] {
  const groups: Pair[][] = [];
  let room = 0;
  for (const pair of pairs) {
    if (room < pair.length) {
      groups.push([]);
      room = TOGETHER;
    }
    groups.at(-1)!.push(pair);
    room -= pair.length;
  }
  return groups;
}

function isNext({ event: shown }: Asked, { event }: Asked): boolean {
  return (
    shown.kind === 'reveal' &&
    event.kind === 'commit' &&
    event.node === shown.node &&
    event.fence === shown.fence &&
    event.from === shown.claim.to + 1
  );
}

/** Decisions of one transaction, one after the other: each sees what those before it wrote. */
class Turn {
  readonly #tx: Transaction;
  readonly #parts: DecisionParts;
  readonly #tick: number;
  readonly #runs = new Map<string, KnownRun>();
  readonly #matches = new Map<string, number>();
  /** Times of the beacons that drew something. */
  readonly drawn = new Set<bigint>();
  readonly verdicts: WrittenVerdict[] = [];

  constructor(tx: Transaction, parts: DecisionParts) {
    this.#tx = tx;
    this.#parts = parts;
    this.#tick = tickOf(parts.now());
  }

  /** The runs as they stand once the transaction is durable. */
  get runs(): Iterable<KnownRun> {
    return this.#runs.values();
  }

  /**
   * @param isFresh whatever this process knows, the store is asked
   * @param next a commitment that follows, to be written with it
   * @returns what came of it, and of `next` where that was written too. `raced`: nothing was written
   */
  async decided(asked: Asked, isFresh: boolean, next?: Asked): Promise<Decideds> {
    const { run: id } = asked;
    const own = this.#runs.get(id);
    const remembered = own ?? (isFresh ? undefined : this.#parts.known.get(id));
    const decision = remembered && (await this.#judged(remembered, asked));
    if (remembered && decision && (own || decision.run !== remembered.stored.machine))
      return this.#written(remembered, decision, asked, next);
    const known = await readKnown(this.#tx, id);
    if (!known) return ['unknown'];
    this.#runs.set(id, known);
    return this.#written(known, await this.#judged(known, asked), asked, next);
  }

  async #judged({ stored }: KnownRun, { event, seen: { drawn, candidates } }: Asked): Promise<Decision> {
    const { attention, house } = this.#parts;
    const { machine } = stored;
    const said =
      event.kind === 'lease' ? { ...event, free: await freeLeases(this.#tx, event.node, machine) } : event;
    const world: World = {
      tick: this.#tick,
      listeningSince: attention.since(this.#tick),
      beacon: drawn.beacon,
      beaconNs: drawn.tNs,
      candidates,
      house,
      matches: await this.#matchesOf(stored, event),
    };
    return decide(machine, said, world);
  }

  async #matchesOf({ sheet, machine }: StoredRun, event: Event): Promise<World['matches']> {
    if (event.kind !== 'reveal' || machine.policy !== 'sampled') return () => 0;
    const name = `${event.node}/${sheet.kernel}`;
    const row = this.#matches.has(name)
      ? undefined
      : await this.#tx.get(meshTrust, { node: event.node, kernel: sheet.kernel });
    const matches = this.#matches.get(name) ?? Number(row?.matches ?? 0n);
    this.#matches.set(name, matches);
    return (node) => (node === event.node ? matches : 0);
  }

  async #written(known: KnownRun, decision: Decision, asked: Asked, next?: Asked): Promise<Decideds> {
    const { stored } = known;
    const { event, object, isUnkept, seen } = asked;
    const { run, effects } = decision;
    if (run === stored.machine) return [{ known, effects, freed: [] }];
    if (isUnkept) return ['unkept'];
    const { credits, writeVerdict, now } = this.#parts;
    const writing = { credits, writeVerdict, verdicts: this.verdicts, nowNs: now() };
    const second = next && (await this.#judged({ ...known, stored: { ...stored, machine: run } }, next));
    const whole = second ? { run: second.run, effects: [...effects, ...second.effects] } : decision;
    const after = await writeDecision(this.#tx, known, whole, object, writing);
    if (!after) return second ? ['raced', 'raced'] : ['raced'];
    this.#runs.set(run.id, after);
    if (event.kind === 'lease') await notedLease(this.#tx, event.node, writing.nowNs);
    if (effects.some(isAboutTrust)) this.#matches.clear();
    if (hasDrawn(decision, seen.drawn.tNs)) await this.#keepBeacon(seen.drawn.tNs);
    const freed = await droppedObjects(this.#tx, stored, run, effects);
    const first: Decided = { known: after, effects, freed };
    return second ? [first, { known: after, effects: second.effects, freed: [] }] : [first];
  }

  /** So that anybody can draw again. */
  async #keepBeacon(tNs: bigint): Promise<void> {
    if (this.drawn.has(tNs)) return;
    await this.#parts.beacons.keep(this.#tx, tNs);
    this.drawn.add(tNs);
  }
}

const isAboutTrust = ({ kind }: Effect): boolean => kind === 'matched' || kind === 'mismatched';

/** Whether anything was drawn or placed by the beacon of this time. */
function hasDrawn({ run, effects }: Decision, tNs: bigint): boolean {
  const time = String(tNs);
  const accepted = effects.flatMap((effect) => (effect.kind === 'accepted' ? [effect.span] : []));
  return [...run.spans, ...accepted].some(
    ({ drawnNs, checks }) => drawnNs === time || checks.some(({ placedNs }) => placedNs === time),
  );
}

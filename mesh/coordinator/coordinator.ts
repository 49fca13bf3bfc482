import { tickOf } from '../../src/clock/pulse.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { decide } from '../decide/decide.ts';
import type { Decision, Event, World } from '../decide/decision.ts';
import type { Effect, Refused } from '../decide/effects.ts';
import { rewound } from '../decide/rewind.ts';
import { house, type MeshRun, type NodeFacts } from '../decide/run.ts';
import type {
  AliveAnswer,
  CheckAnswer,
  CheckWork,
  Commitment,
  DeskEvents,
  Holding,
  Kept,
  LeaseAnswer,
  Reveal,
  Work,
} from '../desk.ts';
import { meshRuns, meshTrust } from '../records.ts';
import { Attention } from './attention.ts';
import { droppedObjects, rewoundObjects } from './dropped.ts';
import {
  type Announce,
  type Beacons,
  type Credits,
  KERNELS,
  type Objects,
  type Post,
  type SignVerdict,
} from './ports.ts';
import { freeCores, notedLease, Roll } from './roll.ts';
import {
  dropSpansBehind,
  forgetRun,
  insertRun,
  lastSpan,
  pendingName,
  type RunSheet,
  type StoredRun,
  saveRun,
  storedRun,
  wakingRuns,
} from './run-rows.ts';
import { areBytesOf, packSpan } from './span-bytes.ts';
import { type NewObject, writeDecision } from './written.ts';

export interface CoordinatorParts {
  readonly store: Store;
  readonly objects: Objects;
  readonly post: Post;
  readonly beacons: Beacons;
  readonly credits: Credits;
  readonly signVerdict: SignVerdict;
  /** Absent: nothing is announced. */
  readonly announce?: Announce;
  /** The service's own threads as a node. */
  readonly house: NodeFacts;
  /** Told of nodes that a verdict found wrong, once that is durable: nobody should hear them any more. */
  readonly barred?: (node: string) => void;
  readonly now: () => bigint;
  readonly onError: (error: unknown) => void;
}

/** A message of a node to the service, its signature checked. */
export type Result =
  | ({ readonly kind: 'commit' } & Commitment)
  | ({ readonly kind: 'reveal' } & Reveal)
  | ({ readonly kind: 'checked' } & CheckAnswer);

/** What a decision came to: the run as it stands now, and the effects that are to be done. */
interface Decided {
  readonly stored: StoredRun;
  readonly run: MeshRun;
  readonly effects: readonly Effect[];
  /** Objects that nobody needs any more. */
  readonly freed?: readonly Digest[];
}

/** The service's own threads, as they are told. */
export interface OwnThreads extends Pick<DeskEvents, 'check' | 'lost'> {
  /** Nobody takes this run. */
  idle(run: string): void;
}

const ATTEMPTS = 8;

/** A beacon that came after everything in a batch, and who is there. */
interface Seen {
  readonly drawn: Awaited<ReturnType<Beacons['next']>>;
  readonly candidates: readonly NodeFacts[];
}
type Scene = () => Promise<Seen>;

/** Where nothing is drawn: should it be, all that was committed is later than this, and is checked. */
const unseen: Seen = { drawn: { tNs: 0n, beacon: new Uint8Array(32) }, candidates: [] };

/**
 * The service's side of the mesh: takes what nodes say, lets decide.ts decide, writes the outcome with a compare-and-set
 * and only then says what follows from it. Any number of these may work on one store; each may be killed at any moment.
 */
export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #roll: Roll;
  readonly #attention: Attention;
  /** Told of runs that changed here; changes by another service node are found by looking. */
  readonly #watchers = new Map<string, Set<() => void>>();
  /** The service's own threads: they take what nobody takes. */
  #here: OwnThreads = { idle: () => undefined, check: () => undefined, lost: () => undefined };

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
    this.#roll = new Roll(parts);
    this.#attention = new Attention(tickOf(parts.now()), () => tickOf(parts.post.listeningSince()));
  }

  /** Connects the service's own threads. */
  employ(threads: OwnThreads): void {
    this.#here = threads;
  }

  /** Calls back when a run may have changed. @returns how to stop */
  watch(run: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(run) ?? new Set();
    this.#watchers.set(run, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(run);
    };
  }

  // ---- what nodes ask and say --------------------------------------------------------------------------

  async leases(node: string, runs: readonly string[]): Promise<LeaseAnswer[]> {
    const facts = await this.#roll.facts(node);
    return Promise.all(runs.map((run) => this.#lease(run, facts)));
  }

  async #lease(run: string, node: NodeFacts | undefined): Promise<LeaseAnswer> {
    const decided = node && (await this.#decide(run, { kind: 'lease', node, free: 0 }));
    if (!decided) return { run, refused: 'unknown' };
    const leased = decided.effects.find((effect) => effect.kind === 'leased');
    if (!leased) return { run, refused: refusalIn(decided.effects) ?? 'leased' };
    const { fence, from } = leased;
    this.#parts.announce?.('shard-placement', { run, shard: from, fence, node: node.id });
    return { lease: await this.#work(decided, fence, from) };
  }

  async alive(node: string, holding: readonly Holding[]): Promise<AliveAnswer> {
    const lost: Holding[] = [];
    const mayWork = (await this.#roll.facts(node)) !== undefined;
    await Promise.all(
      holding.map(async (each) => {
        const { run, fence, from } = each;
        if (!mayWork) {
          lost.push(each);
          return this.release(node, each, false);
        }
        const decided = await this.#decide(run, { kind: 'alive', node, fence, from });
        if (!decided || refusalIn(decided.effects)) lost.push(each);
      }),
    );
    return { mode: await this.#roll.mode(node), lost };
  }

  async release(node: string, { run, fence, from }: Holding, failed: boolean): Promise<void> {
    await this.#decide(run, { kind: 'release', node, fence, from, failed });
  }

  /** Many messages at once: their transactions are committed together. Each is durable when its answer is there. */
  results(batch: readonly { readonly node: string; readonly result: Result }[]): Promise<Kept[]> {
    const scene = this.#scene();
    return Promise.all(batch.map(({ node, result }) => this.#result(node, result, scene)));
  }

  async #result(node: string, result: Result, scene: Scene): Promise<Kept> {
    switch (result.kind) {
      case 'commit': {
        const { run, fence, from, to, commitment } = result;
        // What was committed may be shown; nothing new by who stopped, left or was barred.
        if (!(await this.#roll.facts(node))) return 'fenced';
        const atNs = this.#parts.now();
        return this.#kept(run, { kind: 'commit', node, fence, from, to, commitment, atNs }, scene);
      }
      case 'reveal':
        return this.#reveal(node, result, scene);
      case 'checked': {
        const { run, fence, claim } = result;
        return this.#kept(run, { kind: 'checked', node, fence, claim }, scene);
      }
    }
  }

  async #kept(run: string, event: Event, scene: Scene, object?: NewObject): Promise<Kept> {
    const decided = await this.#decide(run, event, scene, object);
    return decided ? (refusalIn(decided.effects) ?? 'kept') : 'ended';
  }

  /** Bytes first, written whole; then the decision that names them. */
  async #reveal(node: string, reveal: Reveal, scene: Scene): Promise<Kept> {
    const { run, fence, claim, salt } = reveal;
    const stored = await storedRun(this.#parts.store, run);
    if (!stored) return 'ended';
    const isWhole = areBytesOf(stored.sheet.runHash, reveal);
    const object = isWhole && awaits(stored, node, reveal) ? await this.#keep(reveal) : undefined;
    // A claim whose bytes are not what it says is one that no salt opens.
    const shown = isWhole ? salt : new Uint8Array(0);
    const later = this.#laterScene(scene, stored, reveal);
    const kept = await this.#kept(run, { kind: 'reveal', node, fence, claim, salt: shown }, later, object);
    if (kept === 'not-committed' && object) await this.#free(run, [object.bytes]);
    return kept;
  }

  async #keep(reveal: Reveal): Promise<NewObject> {
    const { objects } = this.#parts;
    const { run, state, fence, claim } = reveal;
    const name = pendingName({ fence, from: claim.from });
    const [bytes] = await Promise.all([objects.put(run, packSpan(reveal, name)), objects.put(run, state)]);
    return { name, bytes };
  }

  /** Bytes of work that a node holds. @returns undefined for what is not its to see */
  async bytesFor(node: string, run: string, sha256: Digest): Promise<Uint8Array | undefined> {
    const stored = await storedRun(this.#parts.store, run);
    if (!stored || !(await this.#mayRead(node, stored, sha256))) return undefined;
    return this.#parts.objects.get(sha256 === stored.sheet.kernel ? KERNELS : run, sha256);
  }

  async #mayRead(node: string, { sheet, machine }: StoredRun, sha256: Digest): Promise<boolean> {
    const { lease, spans } = machine;
    const works =
      lease?.id === node || spans.some(({ checks }) => checks.some(({ id, claim }) => id === node && !claim));
    if (!works) return false;
    if (sha256 === sheet.kernel || sha256 === sheet.parameters || sha256 === sheet.start?.state) return true;
    if (spans.some(({ claim }) => claim?.state === sha256)) return true;
    return (await lastSpan(this.#parts.store, machine.id))?.claim.state === sha256;
  }

  // ---- runs --------------------------------------------------------------------------------------------

  /** Puts a run into the store and says that it is there. A run that is there already stays as it is; one that failed begins again. */
  async begin(job: string, sheet: RunSheet, machine: MeshRun, deadlineNs: bigint): Promise<void> {
    const { store, now } = this.#parts;
    const moved = { ...machine, movedTick: tickOf(now()) };
    const isNew = await store.transaction(async (tx) => {
      const before = await storedRun(tx, machine.id);
      if (before && before.machine.state !== 'failed') return false;
      if (before) await forgetRun(tx, machine.id);
      const fence = before ? before.machine.fence + 1 : moved.fence;
      const begun = { segment: moved.accepted, work: BigInt(sheet.start?.work ?? 0) };
      const paid = before && before.paid.segment > begun.segment ? before.paid : begun;
      await insertRun(tx, job, sheet, { ...moved, fence }, { createdNs: now(), deadlineNs, paid });
      return true;
    });
    if (!isNew) return;
    const { class: jobClass, kernel, work } = sheet;
    this.#parts.announce?.('job-broadcast', {
      run: machine.id,
      class: jobClass,
      kernel,
      work: Math.ceil(work),
    });
    await this.ring(machine.id);
  }

  /** Goes back to a state that is there: what was behind it is run again, and not paid again. */
  async rewind(run: string, start: RunSheet['start']): Promise<void> {
    const { store, now } = this.#parts;
    const freed = await store.transaction(async (tx) => {
      const stored = await storedRun(tx, run);
      if (!stored || stored.machine.state === 'cancelled' || stored.machine.state === 'failed') return [];
      const machine = rewound(stored.machine, start?.segment ?? -1, tickOf(now()));
      const dropped = await dropSpansBehind(tx, run, machine.accepted);
      await saveRun(tx, { ...stored, sheet: { ...stored.sheet, start } }, machine, {
        ...stored,
        pending: {},
      });
      return rewoundObjects(stored, dropped);
    });
    await this.#free(run, freed);
    await this.ring(run);
  }

  /** Lets go of the bytes of a job that is over; who ran what stays. */
  async forget(job: string): Promise<void> {
    const { store, objects, onError } = this.#parts;
    for (const { id } of await store.find(meshRuns, { where: { job } }))
      await objects.forget(id).catch(onError);
  }

  cancel(run: string): Promise<unknown> {
    return this.#decide(run, { kind: 'cancel' });
  }

  /** Says of a run that it has a segment to run. */
  async ring(run: string): Promise<void> {
    const stored = await storedRun(this.#parts.store, run);
    if (stored) await this.#ring(stored, stored.machine);
  }

  /** Once a tick, whatever else goes on: without it nobody is held to have been silent. */
  beat(): void {
    this.#attention.beat(tickOf(this.#parts.now()));
  }

  /** One turn of the reconciler: what the store says is unfinished is said again, late leases are taken back. */
  async tick(): Promise<void> {
    const { store, now, onError } = this.#parts;
    this.beat();
    const runs = await wakingRuns(store, tickOf(now()));
    await Promise.all(
      runs.map(({ machine, deadlineNs }) => {
        const late = deadlineNs < now();
        return this.#decide(machine.id, { kind: late ? 'cancel' : 'tick' }).catch(onError);
      }),
    );
  }

  // ---- deciding ----------------------------------------------------------------------------------------

  /** What the decisions about one batch see: made at most once, when the first of them needs it. */
  #scene(): Scene {
    let made: Promise<Seen> | undefined;
    const make = async () => {
      const [drawn, candidates] = await Promise.all([this.#parts.beacons.next(), this.candidates()]);
      return { drawn, candidates };
    };
    return () => {
      made ??= make();
      return made;
    };
  }

  /**
   * The clock of the service node that wrote a commitment down may be ahead of the one here: the beacon that draws is
   * later than what it wrote.
   */
  #laterScene(scene: Scene, { machine }: StoredRun, { fence, claim }: Reveal): Scene {
    const span = machine.spans.find((each) => each.fence === fence && each.from === claim.from);
    const committedNs = BigInt(span?.committedNs ?? 0);
    return async () => {
      const seen = await scene();
      if (seen.drawn.tNs > committedNs) return seen;
      return { ...seen, drawn: await this.#parts.beacons.next(committedNs) };
    };
  }

  async #decide(
    id: string,
    event: Event,
    scene: Scene = this.#scene(),
    object?: NewObject,
  ): Promise<Decided | undefined> {
    const { store } = this.#parts;
    const { drawn, candidates } = mayDraw(event) ? await scene() : unseen;
    const tick = tickOf(this.#parts.now());
    let isDrawn = false;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const decided = await store
        .transaction(async (tx): Promise<Decided | undefined> => {
          const stored = await storedRun(tx, id);
          if (!stored) return undefined;
          const matches = await this.#matches(tx, stored, event);
          const world: World = {
            tick,
            listeningSince: this.#attention.since(tick),
            beacon: drawn.beacon,
            beaconNs: drawn.tNs,
            candidates,
            house: this.#parts.house,
            matches,
          };
          const asked = event.kind === 'lease' ? await counted(tx, event, stored.machine) : event;
          const decision = decide(stored.machine, asked, world);
          if (decision.run === stored.machine) return { stored, ...decision };
          const writing = { ...this.#parts, nowNs: this.#parts.now() };
          if (event.kind === 'lease') await notedLease(tx, event.node, writing.nowNs);
          const written = await writeDecision(tx, stored, decision, object, writing);
          isDrawn = hasDrawn(decision, drawn.tNs);
          if (isDrawn) await this.#parts.beacons.keep(tx, drawn.tNs);
          if (!written) throw new Raced();
          const freed = await droppedObjects(tx, stored, decision.run, decision.effects);
          return { stored, ...decision, freed };
        })
        .catch(unlessRaced);
      if (decided === 'raced') continue;
      if (isDrawn) this.#parts.beacons.tell(drawn.tNs);
      if (decided) await this.#follow(decided);
      return decided;
    }
    throw new Error(`run ${id} changed ${ATTEMPTS} times under a decision`);
  }

  async #matches(
    tx: Pick<Store, 'get'>,
    { sheet, machine }: StoredRun,
    event: Event,
  ): Promise<(node: string) => number> {
    if (event.kind !== 'reveal' || machine.policy !== 'sampled') return () => 0;
    const row = await tx.get(meshTrust, { node: event.node, kernel: sheet.kernel });
    return (node) => (node === event.node ? Number(row?.matches ?? 0n) : 0);
  }

  /** Does what follows from a decision that is durable. All of it may be lost: `tick` says it again. */
  async #follow({ stored, run, effects, freed = [] }: Decided): Promise<void> {
    const { onError } = this.#parts;
    for (const effect of effects) {
      if (effect.kind === 'ring') await this.#ring(stored, run).catch(onError);
      else if (effect.kind === 'idle') this.#here.idle(run.id);
      else if (effect.kind === 'ask') await this.#ask(stored, run, effect).catch(onError);
      else if (effect.kind === 'verdict')
        for (const node of effect.verdict.faulty) this.#parts.barred?.(node);
      else if (effect.kind === 'lost') await this.#tellLost(run.id, effect).catch(onError);
    }
    if (effects.some(({ kind }) => kind === 'accepted' || kind === 'ended'))
      for (const changed of this.#watchers.get(run.id) ?? []) changed();
    await this.#free(run.id, freed);
  }

  /** What is left of it all the same goes with the run. */
  async #free(run: string, names: readonly Digest[]): Promise<void> {
    const { objects, onError } = this.#parts;
    for (const name of names) await objects.delete(run, name).catch(onError);
  }

  #ring({ sheet }: StoredRun, { id, fence }: MeshRun): Promise<void> {
    return this.#parts.post.ring([{ id, class: sheet.class, fence }]);
  }

  async #tellLost(
    run: string,
    { node, fence, from, reason }: Extract<Effect, { kind: 'lost' }>,
  ): Promise<void> {
    const holding = { run, fence, from };
    if (node === this.#parts.house.id) this.#here.lost(holding, reason);
    else await this.#parts.post.lost(node, holding, reason);
  }

  async #ask(
    stored: StoredRun,
    run: MeshRun,
    { check, span }: Extract<Effect, { kind: 'ask' }>,
  ): Promise<void> {
    const work = await this.#work({ stored, run, effects: [] }, check.fence, span.from);
    const asked: CheckWork = { ...work, kind: check.kind, through: check.through };
    if (check.owner === house) this.#here.check(asked);
    else await this.#parts.post.check(check.id, asked);
  }

  /** What a node must know to run segments from `from` on. */
  async #work({ stored, run }: Decided, fence: number, from: number): Promise<Work> {
    const { sheet } = stored;
    const { kernel, parameters, stepsPerSegment, memory, work } = sheet;
    const start = from > 0 ? await this.#startAt(sheet, run, from) : undefined;
    return { run: run.id, fence, kernel, parameters, stepsPerSegment, memory, work, from, start };
  }

  async #startAt(sheet: RunSheet, run: MeshRun, from: number): Promise<Work['start']> {
    const waiting = run.spans.find(({ to }) => to === from - 1)?.claim;
    const claim = waiting ?? (await lastSpan(this.#parts.store, run.id))?.claim;
    if (claim?.to === from - 1)
      return {
        digest: claim.digests.at(-1)!,
        steps: claim.steps,
        state: claim.state,
        rowsHash: claim.rowsHash,
      };
    if (sheet.start?.segment === from - 1) return sheet.start;
    throw new Error(`run ${run.id} has no state before segment ${from}`);
  }

  /** Nodes that are there and contribute. */
  candidates(): Promise<readonly NodeFacts[]> {
    return this.#roll.candidates();
  }
}

const counted = async (
  tx: Transaction,
  event: Extract<Event, { kind: 'lease' }>,
  run: MeshRun,
): Promise<Event> => ({ ...event, free: await freeCores(tx, event.node, run) });

/** Bytes that nobody waits for are not kept: any node could fill the object store with them. */
const awaits = ({ machine }: StoredRun, node: string, { fence, claim }: Reveal): boolean =>
  machine.spans.some(
    (span) => span.id === node && span.fence === fence && span.from === claim.from && !span.claim,
  );

/** Another process was quicker: all that was written with the decision goes. */
class Raced extends Error {
  override readonly name = 'Raced';
}

function unlessRaced(error: unknown): 'raced' {
  if (error instanceof Raced) return 'raced';
  throw error;
}

/** Whether anything was drawn or placed by the beacon of this time: then it is kept, so that anybody can draw again. */
function hasDrawn({ run, effects }: Decision, tNs: bigint): boolean {
  const time = String(tNs);
  const accepted = effects.flatMap((effect) => (effect.kind === 'accepted' ? [effect.span] : []));
  return [...run.spans, ...accepted].some(
    ({ drawnNs, checks }) => drawnNs === time || checks.some(({ placedNs }) => placedNs === time),
  );
}

/** A beacon, and who may be asked, matter only where somebody may have to be asked. */
const mayDraw = ({ kind }: Event): boolean =>
  kind === 'reveal' || kind === 'checked' || kind === 'release' || kind === 'tick';

function refusalIn(effects: readonly Effect[]): Refused | undefined {
  return effects.find((effect) => effect.kind === 'refused')?.reason;
}

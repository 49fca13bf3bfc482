import { tickOf } from '../../src/clock/pulse.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Event } from '../decide/decision.ts';
import type { Effect, Refused } from '../decide/effects.ts';
import type { MeshRun, NodeFacts } from '../decide/run.ts';
import type { AliveAnswer, CheckAnswer, Commitment, Holding, Kept, LeaseAnswer, Reveal } from '../desk.ts';
import { type AskedKind, asked } from './asked.ts';
import { Attention } from './attention.ts';
import { type ConsequenceParts, Consequences, type OwnThreads } from './consequences.ts';
import { type Asked, type Decided, type DecisionParts, Decisions } from './decisions.ts';
import { KnownRuns } from './known-runs.ts';
import { countLate } from './losses.ts';
import type { Beacons } from './ports.ts';
import { Roll } from './roll.ts';
import { RunBytes } from './run-bytes.ts';
import { type RunSheet, type StoredRun, wakingRuns } from './run-rows.ts';
import { type RunParts, Runs } from './runs.ts';
import { newScene, type Scene, unseen } from './scenes.ts';

export interface CoordinatorParts
  extends ConsequenceParts,
    Pick<DecisionParts, 'credits' | 'writeVerdict' | 'now'>,
    Pick<RunParts, 'announce'> {
  readonly beacons: Beacons;
}

/** A message of a node to the service, its signature checked. */
export type Result =
  | ({ readonly kind: 'commit' } & Commitment)
  | ({ readonly kind: 'reveal' } & Reveal)
  | ({ readonly kind: 'checked' } & CheckAnswer);

/** How often bytes are kept anew that nobody seemed to wait for. */
const ATTEMPTS = 8;

/**
 * The service's side of the mesh: takes what nodes say, lets decide.ts decide, writes the outcome with a compare-and-set
 * and only then says what follows from it. Any number of these may work on one store; each may be killed at any moment.
 */
export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #roll: Roll;
  readonly #attention: Attention;
  readonly #known = new KnownRuns();
  readonly #decisions: Decisions;
  readonly #bytes: RunBytes;
  readonly #consequences: Consequences;
  readonly #runs: Runs;

  constructor(parts: CoordinatorParts) {
    const { post, now } = parts;
    this.#parts = parts;
    this.#roll = new Roll(parts);
    this.#attention = new Attention(tickOf(now()), () => tickOf(post.listeningSince()));
    const known = this.#known;
    this.#decisions = new Decisions({ ...parts, known, attention: this.#attention });
    this.#bytes = new RunBytes({ ...parts, known });
    this.#consequences = new Consequences(parts);
    this.#runs = new Runs({ ...parts, known, ring: (run) => this.#consequences.ring(run) });
  }

  /** Connects the service's own threads. */
  employ(threads: OwnThreads): void {
    this.#consequences.employ(threads);
  }

  /** Calls back when a run may have changed. @returns how to stop */
  watch(run: string, changed: () => void): () => void {
    return this.#consequences.watch(run, changed);
  }

  // ---- what nodes ask and say --------------------------------------------------------------------------

  /** @returns when the node asked such a question before, whichever service node heard it; Unix ms, 0 for never */
  asked(node: string, kind: AskedKind, atMs: number): Promise<number> {
    const { store, now } = this.#parts;
    return asked(store, node, kind, { atMs, nowMs: Number(now() / 1_000_000n) });
  }

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
    return { lease: await this.#consequences.work(decided.known, fence, from) };
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

  /**
   * Many messages at once: all that they need is fetched and kept first, then they are decided together. Each is durable
   * when its answer is there.
   */
  async results(batch: readonly { readonly node: string; readonly result: Result }[]): Promise<Kept[]> {
    const scene = this.#scene();
    const may = remembered((node: string) => this.#roll.facts(node));
    const asked = await Promise.all(batch.map(({ node, result }) => this.#asked(node, result, scene, may)));
    return Promise.all(
      batch.map(async ({ node, result }, i) => {
        const each = asked[i]!;
        const kept = typeof each === 'string' ? each : await this.#kept(node, result, each, scene);
        if ('claim' in result && isLate(kept))
          await countLate(this.#parts.store, node, result.run, result.claim);
        return kept;
      }),
    );
  }

  /** What is to be decided about a message. */
  async #asked(
    node: string,
    result: Result,
    scene: Scene,
    may: (node: string) => Promise<NodeFacts | undefined>,
  ): Promise<Asked | Kept> {
    const { run, fence } = result;
    if (result.kind === 'reveal') return (await this.#bytes.shown(node, result, scene)) ?? 'ended';
    if (result.kind === 'checked')
      return { run, event: { kind: 'checked', node, fence, claim: result.claim }, seen: await scene() };
    // What was committed may be shown; nothing new by who stopped, left or was barred.
    if (!(await may(node))) return 'fenced';
    const { from, to, commitment } = result;
    const atNs = this.#parts.now();
    return { run, event: { kind: 'commit', node, fence, from, to, commitment, atNs }, seen: unseen };
  }

  async #kept(node: string, result: Result, first: Asked, scene: Scene): Promise<Kept> {
    let asked: Asked | undefined = first;
    for (let attempt = 0; asked && attempt < ATTEMPTS; attempt++) {
      const outcome = await this.#decisions.decide(asked);
      if (outcome === 'unknown') return 'ended';
      if (outcome !== 'unkept') return this.#followed(outcome, asked);
      if (result.kind === 'reveal') asked = await this.#bytes.shown(node, result, scene);
    }
    return 'ended';
  }

  async #followed(decided: Decided, { run, object }: Asked): Promise<Kept> {
    await this.#consequences.follow(decided);
    const refused = refusalIn(decided.effects);
    if (refused === 'not-committed' && object) await this.#consequences.free(run, [object.bytes]);
    return refused ?? 'kept';
  }

  /** Bytes of work that a node holds. @returns undefined for what is not its to see */
  bytesFor(node: string, run: string, sha256: Digest): Promise<Uint8Array | undefined> {
    return this.#bytes.fetched(node, run, sha256);
  }

  // ---- runs --------------------------------------------------------------------------------------------

  /** Puts a run into the store and says that it is there. A run of the same bytes that is there already stays as it is. */
  begin(job: string, sheet: RunSheet, machine: MeshRun, deadlineNs: bigint): Promise<void> {
    return this.#runs.begin(job, sheet, machine, deadlineNs);
  }

  /** Goes back to a state that is there: what was behind it is run again, and not paid again. */
  rewind(run: string, start: RunSheet['start']): Promise<void> {
    return this.#runs.rewind(run, start);
  }

  /** Lets go of the bytes of a job that is over; who ran what stays. */
  forget(job: string): Promise<void> {
    return this.#runs.forget(job);
  }

  cancel(run: string): Promise<unknown> {
    return this.#decide(run, { kind: 'cancel' });
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
    const scene = this.#scene();
    await Promise.all(
      runs.map((run) => {
        const kind = this.#isLate(run) ? 'cancel' : 'tick';
        return this.#decide(run.machine.id, { kind }, scene).catch(onError);
      }),
    );
  }

  /** Its time is over, and it had all of it since nodes were last out of reach: nobody works while nobody is heard. */
  #isLate({ createdNs, deadlineNs }: StoredRun): boolean {
    const tick = tickOf(this.#parts.now());
    return Math.max(tickOf(deadlineNs), this.#attention.since(tick) + tickOf(deadlineNs - createdNs)) < tick;
  }

  // ---- deciding ----------------------------------------------------------------------------------------

  #scene(): Scene {
    return newScene({ beacons: this.#parts.beacons, candidates: () => this.candidates() });
  }

  async #decide(run: string, event: Event, scene = this.#scene()): Promise<Decided | undefined> {
    const seen = mayDraw(event) ? await scene() : unseen;
    const outcome = await this.#decisions.decide({ run, event, seen });
    if (typeof outcome === 'string') return undefined;
    await this.#consequences.follow(outcome);
    return outcome;
  }

  /** Nodes that are there and contribute. */
  candidates(): Promise<readonly NodeFacts[]> {
    return this.#roll.candidates();
  }
}

const isLate = (kept: Kept): boolean => kept === 'fenced' || kept === 'ended';

/** A beacon, and who may be asked, matter only where somebody may have to be asked. */
const mayDraw = ({ kind }: Event): boolean => kind === 'release' || kind === 'tick';

function refusalIn(effects: readonly Effect[]): Refused | undefined {
  return effects.find((effect) => effect.kind === 'refused')?.reason;
}

/** Asks once for each. */
function remembered<K, V>(ask: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const answers = new Map<K, Promise<V>>();
  return (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return answer;
  };
}

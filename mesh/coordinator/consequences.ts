import type { Digest } from '../../src/proof/job.ts';
import type { Store } from '../../src/store/store.ts';
import type { Effect } from '../decide/effects.ts';
import { house, type NodeFacts } from '../decide/run.ts';
import type { CheckWork, DeskEvents, Work } from '../desk.ts';
import type { JobClass } from '../subjects.ts';
import type { Decided } from './decisions.ts';
import { type KnownRun, lastOf } from './known-runs.ts';
import type { Objects, Post } from './ports.ts';
import type { StoredRun } from './run-rows.ts';

/** The service's own threads, as they are told. */
export interface OwnThreads extends Pick<DeskEvents, 'check' | 'lost'> {
  /** Nobody takes this run. */
  idle(run: string, jobClass: JobClass): void;
}

export interface ConsequenceParts {
  readonly store: Store;
  readonly objects: Objects;
  readonly post: Post;
  /** The service's own threads as a node. */
  readonly house: NodeFacts;
  /** Told of nodes that a verdict found wrong, once that is durable: nobody should hear them any more. */
  readonly barred?: (node: string) => void;
  readonly onError: (error: unknown) => void;
}

type Said<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>;

/** Does what follows from decisions that are durable. All of it may be lost: the reconciler says it again. */
export class Consequences {
  readonly #parts: ConsequenceParts;
  /** Told of runs that changed here; changes by another service node are found by looking. */
  readonly #watchers = new Map<string, Set<() => void>>();
  /** The service's own threads: they take what nobody takes. */
  #here: OwnThreads = { idle: () => undefined, check: () => undefined, lost: () => undefined };

  constructor(parts: ConsequenceParts) {
    this.#parts = parts;
  }

  employ(threads: OwnThreads): void {
    this.#here = threads;
  }

  watch(run: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(run) ?? new Set();
    this.#watchers.set(run, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(run);
    };
  }

  async follow({ known, effects, freed }: Decided): Promise<void> {
    const { id } = known.stored.machine;
    for (const effect of effects) await this.#done(known, effect);
    if (effects.some(({ kind }) => kind === 'accepted' || kind === 'ended'))
      for (const changed of this.#watchers.get(id) ?? []) changed();
    await this.free(id, freed);
  }

  async #done(known: KnownRun, effect: Effect): Promise<void> {
    const { barred, onError } = this.#parts;
    const { id } = known.stored.machine;
    if (effect.kind === 'ring') await this.ring(known.stored).catch(onError);
    else if (effect.kind === 'idle') this.#here.idle(id, known.stored.sheet.class);
    else if (effect.kind === 'ask') await this.#ask(known, effect).catch(onError);
    else if (effect.kind === 'verdict') for (const node of effect.verdict.faulty) barred?.(node);
    else if (effect.kind === 'lost') await this.#tellLost(id, effect).catch(onError);
  }

  /** What is left of it all the same goes with the run. */
  async free(run: string, names: readonly Digest[]): Promise<void> {
    const { objects, onError } = this.#parts;
    for (const name of names) await objects.delete(run, name).catch(onError);
  }

  /** Says of a run that it has a segment to run. */
  ring({ sheet, machine: { id, fence } }: StoredRun): Promise<void> {
    return this.#parts.post.ring([{ id, class: sheet.class, fence }]);
  }

  async #tellLost(run: string, { node, fence, from, reason }: Said<'lost'>): Promise<void> {
    const holding = { run, fence, from };
    if (node === this.#parts.house.id) this.#here.lost(holding, reason);
    else await this.#parts.post.lost(node, holding, reason);
  }

  async #ask(known: KnownRun, { check, span }: Said<'ask'>): Promise<void> {
    const work = await this.work(known, check.fence, span.from);
    const asked: CheckWork = { ...work, kind: check.kind, through: check.through };
    if (check.owner === house) this.#here.check(asked);
    else await this.#parts.post.check(check.id, asked);
  }

  /** What a node must know to run segments from `from` on. */
  async work(known: KnownRun, fence: number, from: number): Promise<Work> {
    const { sheet, machine } = known.stored;
    const { kernel, parameters, stepsPerSegment, memory, work } = sheet;
    const start = from > 0 ? await this.#startAt(known, from) : undefined;
    return { run: machine.id, fence, kernel, parameters, stepsPerSegment, memory, work, from, start };
  }

  async #startAt(known: KnownRun, from: number): Promise<Work['start']> {
    const { sheet, machine } = known.stored;
    const waiting = machine.spans.find(({ to }) => to === from - 1)?.claim;
    const claim = waiting ?? (await lastOf(this.#parts.store, known))?.claim;
    if (claim?.to === from - 1) {
      const { steps, state, rowsHash } = claim;
      return { digest: claim.digests.at(-1)!, steps, state, rowsHash };
    }
    if (sheet.start?.segment === from - 1) return sheet.start;
    throw new Error(`run ${machine.id} has no state before segment ${from}`);
  }
}

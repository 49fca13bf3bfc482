import type { Store, Transaction } from '../../src/store/store.ts';
import { type Claim, isClaim } from '../decide/claim.ts';
import type { Decision } from '../decide/decision.ts';
import type { Effect, SegmentVerdict } from '../decide/effects.ts';
import { type Check, frontier, house, type MeshRun, type NodeFacts, type Span } from '../decide/run.ts';
import { meshSpans, meshUnpaid, type UnpaidReason } from '../records.ts';
import { pendingName } from './run-rows.ts';
import type { WorkBefore } from './work-before.ts';

/** Work of a node that is not paid, for it to read. */
interface Loss {
  readonly node: string;
  readonly owner: string;
  readonly from: number;
  /** 0 where nobody said how much it was. */
  readonly work: bigint;
  readonly reason: UnpaidReason;
}

/** Messages that go with a loss: something was taken from a node, or its word was none. */
export const isLoss = (effect: Effect): boolean =>
  effect.kind === 'lost' || (effect.kind === 'refused' && effect.reason === 'not-committed');

/**
 * What a decision takes from nodes without pay: claims and answers that come to nothing, and leases and checks that
 * they held. Whoever gave a lease or a check back with nothing shown has lost nothing.
 */
export function losses(
  before: MeshRun,
  { run: after, effects }: Decision,
  works: WorkBefore,
): readonly Loss[] {
  return lossesBy(new Why(before, after, effects), before, works);
}

/** The same where a run goes back, or begins anew: nothing that waits of it counts any more. */
export function rewoundLosses(before: MeshRun, works: WorkBefore): readonly Loss[] {
  const [always, rewound] = [() => true, () => 'rewound' as const];
  const why = { isGone: always, isCheckGone: always, ofSpan: rewound, ofLease: rewound, ofCheck: rewound };
  return lossesBy({ ...why, contradictedClaim: () => undefined }, before, works);
}

type Reasons = Pick<Why, 'isGone' | 'isCheckGone' | 'ofSpan' | 'ofLease' | 'ofCheck' | 'contradictedClaim'>;

function lossesBy(why: Reasons, before: MeshRun, works: WorkBefore): readonly Loss[] {
  const work = (claim: Claim | undefined) => (claim ? works.of(claim) : 0n);
  const lines: Loss[] = [];
  const add = (
    { id: node, owner }: NodeFacts,
    from: number,
    claim: Claim | undefined,
    reason?: UnpaidReason,
  ) => {
    if (reason && owner !== house) lines.push({ node, owner, from, work: work(claim), reason });
  };
  for (const span of before.spans) {
    if (why.isGone(span)) add(span, span.from, span.claim, why.ofSpan(span));
    // Who checked what is sound was paid for it then, or has read why not.
    for (const check of span.sound ? [] : span.checks)
      if (why.isCheckGone(check))
        add(check, span.from, check.claim ?? why.contradictedClaim(check), why.ofCheck(check, span));
  }
  const { lease } = before;
  if (lease && before.spans.every(({ claim }) => claim))
    add(lease, frontier(before) + 1, undefined, why.ofLease(lease.fence));
  return lines;
}

/** Reads out of a decision why something is not there any more. */
class Why {
  readonly #after: MeshRun;
  readonly #effects: readonly Effect[];
  readonly #kept: ReadonlySet<string>;
  readonly #checks: ReadonlySet<number>;
  readonly #verdicts: readonly SegmentVerdict[];
  readonly #firstGone: Span | undefined;

  constructor(before: MeshRun, after: MeshRun, effects: readonly Effect[]) {
    const staying = [...after.spans, ...of(effects, 'accepted').map(({ span }) => span)];
    this.#after = after;
    this.#effects = effects;
    this.#kept = new Set(staying.map(pendingName));
    const checks = [
      ...staying.flatMap((span) => span.checks),
      ...of(effects, 'worked').map(({ check }) => check),
    ];
    this.#checks = new Set(checks.map(({ fence }) => fence));
    this.#verdicts = of(effects, 'verdict').map(({ verdict }) => verdict);
    this.#firstGone = before.spans.find((span) => this.isGone(span));
  }

  isGone(span: Span): boolean {
    return !this.#kept.has(pendingName(span));
  }

  isCheckGone(check: Check): boolean {
    return this.#isRefuted(check) || !this.#checks.has(check.fence);
  }

  ofSpan(span: Span): UnpaidReason {
    const { id, fence, claim } = span;
    if (!claim) return this.#isNoWord(id) ? 'not-committed' : (this.ofLease(fence) ?? 'returned');
    return this.#verdicts.some(({ faulty }) => faulty.includes(id)) ? 'refuted' : this.#ofGone(span);
  }

  /** The first claim that goes has a reason of its own; those behind it go with it. */
  #ofGone(span: Span): UnpaidReason {
    if (this.#after.state !== 'open') return this.#after.state;
    return span === this.#firstGone ? 'undecided' : 'behind-refuted';
  }

  /** @returns undefined where the node gave it back itself */
  ofLease(fence: number): UnpaidReason | undefined {
    return this.#ofLost(fence, 'fenced');
  }

  /** @returns undefined where the node gave it back itself */
  ofCheck(check: Check, span: Span): UnpaidReason | undefined {
    const { id, fence, claim } = check;
    if (this.#isRefuted(check)) return 'refuted';
    if (this.#isNoWord(id)) return 'not-committed';
    const lost = this.#ofLost(fence, 'unawaited');
    if (lost) return lost;
    if (this.contradictedClaim(check)) return 'contradicted';
    return claim && this.#ofGone(span);
  }

  /** What a third said that the service's own run contradicts. */
  contradictedClaim({ id }: Check): Claim | undefined {
    return of(this.#effects, 'mismatched').find(({ node }) => node === id)?.claim;
  }

  #isRefuted({ id, fence }: Check): boolean {
    return this.#verdicts.some(({ faulty, challenger }) => challenger.fence === fence && faulty.includes(id));
  }

  #isNoWord(id: string): boolean {
    return of(this.#effects, 'refused').some(({ node, reason }) => node === id && reason === 'not-committed');
  }

  #ofLost(fence: number, lapsed: UnpaidReason): UnpaidReason | undefined {
    const lost = of(this.#effects, 'lost').find((effect) => effect.fence === fence);
    if (!lost) return undefined;
    if (lost.reason === 'lapsed') return lapsed;
    return this.#after.state === 'open' ? 'behind-refuted' : this.#after.state;
  }
}

function of<K extends Effect['kind']>(effects: readonly Effect[], kind: K): Extract<Effect, { kind: K }>[] {
  return effects.filter((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind);
}

/** The service's own threads are paid nothing, and read nothing. */
export async function writeUnpaid(
  tx: Transaction,
  run: string,
  { node, from, work, reason }: Loss,
  atNs: bigint,
): Promise<void> {
  await tx.put(meshUnpaid, { node, at_ns: atNs, run, from_segment: BigInt(from), work, reason });
}

/** What was run again and not paid, because another had been paid for it, is paid now. */
export async function paidAfterAll(
  tx: Transaction,
  run: string,
  { node, from, work }: Pick<Loss, 'node' | 'from' | 'work'>,
): Promise<void> {
  const where = { node, run, from_segment: BigInt(from), reason: 'paid-before' };
  for (const line of await tx.find(meshUnpaid, { where, orderBy: { at_ns: 'desc' }, limit: 1 })) {
    const { at_ns, from_segment } = line;
    const key = { node, at_ns, run, from_segment };
    if (line.work <= work) await tx.delete(meshUnpaid, key);
    else await tx.update(meshUnpaid, key, { work: line.work - work });
  }
}

/**
 * What comes when nobody waits for it any more: the line that was written when it was taken from the node says how much
 * work it was. Where there is no such line it was not asked for, and none is made.
 */
export async function countLate(store: Store, node: string, run: string, claim: Claim): Promise<void> {
  if (!isClaim(claim) || claim.work === '0') return;
  const where = { node, run, from_segment: BigInt(claim.from), work: 0n };
  const [line] = await store.find(meshUnpaid, { where, orderBy: { at_ns: 'desc' }, limit: 1 });
  if (!line) return;
  const work = await workOf(store, run, claim);
  const { at_ns, from_segment } = line;
  await store.transaction((tx) =>
    tx.update(meshUnpaid, { node, at_ns, run, from_segment }, { work }, { work: 0n }),
  );
}

/** By the counter where the span before it ended; 0 where that is not known any more. */
async function workOf(store: Store, run: string, { from, work }: Claim): Promise<bigint> {
  if (from === 0) return BigInt(work);
  const where = { run, to_segment: BigInt(from - 1) };
  const [before] = await store.find(meshSpans, { where, limit: 1 });
  const done = before ? BigInt(work) - BigInt((before.claim as Claim).work ?? work) : 0n;
  return done > 0n ? done : 0n;
}

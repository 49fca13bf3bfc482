import { wakeTick } from '../../../mesh/coordinator/wake.ts';
import type { Claim } from '../../../mesh/decide/claim.ts';
import type { Decision, Event, World } from '../../../mesh/decide/decision.ts';
import { witnessOf } from '../../../mesh/decide/doubt.ts';
import { isDeed } from '../../../mesh/decide/effects.ts';
import {
  forfeited,
  overlap,
  type PaidThrough,
  type PaidWork,
  paymentsFor,
  type VouchedSpan,
} from '../../../mesh/decide/pay.ts';
import { rewound } from '../../../mesh/decide/rewind.ts';
import { house, type MeshRun, type Span } from '../../../mesh/decide/run.ts';
import { lineRules, PayLines } from '../memory-credits.ts';

export interface Kept {
  readonly run: MeshRun;
  readonly version: number;
  /** Claims of accepted spans by their last segment. */
  readonly ends: ReadonlyMap<number, Claim>;
  readonly spans: readonly AcceptedSpan[];
  readonly paid: PaidThrough;
  /** Until then the passing of time changes nothing of it: nobody needs to look. A lower bound, made exact there. */
  wakeTick: number;
}

/** An accepted span, and its work alone. */
export interface AcceptedSpan extends VouchedSpan {
  readonly work: bigint;
  readonly counter: bigint;
}

export interface Pay extends PaidWork {
  readonly run: string;
  readonly node: string;
}

export const payRules = { ...lineRules, forfeited };
export type PayRules = typeof payRules;

/** No job here has a deadline. */
const NO_DEADLINE_NS = 2n ** 62n;

/** Is told of each write, and of what it stands on. */
export interface Witness {
  written(before: MeshRun, event: Event, world: World, decision: Decision): void;
  /** Bytes were lost: the run goes on behind segment `run.accepted`. */
  wentBack?(run: MeshRun): void;
  paid?(pay: Pay): void;
  tookBack?(pay: Pay): void;
}

/** The one store behind all service nodes: a compare-and-set by version, and the deeds in the same transaction. */
export class SharedStore {
  readonly #runs = new Map<string, Kept>();
  readonly #open = new Set<string>();
  readonly #leases = new Map<string, number>();
  readonly #matches = new Map<string, number>();
  readonly #pay: PayLines<Pay>;
  readonly #forfeited: PayRules['forfeited'];
  /** Nodes whose pay for a run is forfeit. */
  readonly #convicted = new Map<string, Set<string>>();
  readonly #witness: Witness;

  constructor(witness: Witness, rules: PayRules = payRules) {
    this.#witness = witness;
    this.#pay = new PayLines(rules);
    this.#forfeited = rules.forfeited;
  }

  insert(run: MeshRun): void {
    const paid = { segment: run.accepted, work: 0n };
    this.#runs.set(run.id, { run, version: 1, ends: new Map(), spans: [], paid, wakeTick: 0 });
    this.#open.add(run.id);
  }

  read(id: string): Kept {
    return this.#runs.get(id)!;
  }

  /** Open runs that the passing of time may change. */
  wakingRuns(tick: number): string[] {
    return [...this.#open].filter((id) => {
      const kept = this.read(id);
      if (kept.wakeTick <= tick) kept.wakeTick = wakeTick(kept.run, NO_DEADLINE_NS);
      return kept.wakeTick <= tick;
    });
  }

  get size(): number {
    return this.#runs.size;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get all(): Kept[] {
    return [...this.#runs.values()];
  }

  get runs(): MeshRun[] {
    return this.all.map(({ run }) => run);
  }

  /** How many runs it holds. */
  leasesOf(node: string): number {
    return this.#leases.get(node) ?? 0;
  }

  #counts({ lease }: MeshRun, more: 1 | -1): void {
    if (lease) this.#leases.set(lease.id, this.leasesOf(lease.id) + more);
  }

  matches(id: string, node: string): number {
    return this.#matches.get(`${this.read(id).run.kernel} ${node}`) ?? 0;
  }

  trust(kernel: string, node: string, matches: number): void {
    this.#matches.set(`${kernel} ${node}`, matches);
  }

  /** @returns false when another was quicker */
  write({ run: before, version }: Kept, event: Event, world: World, decision: Decision): boolean {
    const kept = this.read(before.id);
    if (kept.version !== version) return false;
    this.#witness.written(before, event, world, decision);
    const { run, effects } = decision;
    const ends = kept.ends as Map<number, Claim>;
    const accepted = effects.flatMap((effect) => (effect.kind === 'accepted' ? [effect.span] : []));
    const { spans, paid } = this.#accepted(kept, accepted);
    for (const effect of effects) {
      if (!isDeed(effect)) continue;
      if (effect.kind === 'accepted') ends.set(effect.span.to, effect.span.claim!);
      else if (effect.kind === 'verdict')
        for (const node of effect.verdict.faulty) this.#convictedIn(run.id).add(node);
      else if (effect.kind === 'matched')
        this.trust(run.kernel, effect.node, this.matches(run.id, effect.node) + 1);
      else if (effect.kind === 'mismatched') this.trust(run.kernel, effect.node, 0);
    }
    if (effects.some(({ kind }) => kind === 'mismatched')) this.#forfeit(run, spans);
    this.#counts(before, -1);
    this.#counts(run, 1);
    // A sign of life puts off what time may change; anything else may bring it on.
    const wakes = event.kind === 'alive' ? kept.wakeTick : 0;
    this.#runs.set(run.id, { run, version: version + 1, ends, spans, paid, wakeTick: wakes });
    if (run.state !== 'open') this.#open.delete(run.id);
    return true;
  }

  // ---- pay -----------------------------------------------------------------------------------------------

  /** Accepted spans with these, paid for as in coordinator/written.ts. */
  #accepted({ run, ends, spans: before, paid }: Kept, accepted: readonly Span[]) {
    if (accepted.length === 0) return { spans: before, paid };
    const all = new Map(ends);
    for (const { to, claim } of accepted) all.set(to, claim!);
    const workOf = ({ from, work }: Claim) => {
      const done = BigInt(work) - BigInt(all.get(from - 1)?.work ?? 0);
      return done > 0n ? done : 0n;
    };
    const payments = paymentsFor(accepted, paid, workOf);
    const spans = accepted.map(
      ({ id: node, from, to, claim, checks }): AcceptedSpan => ({
        ...{ node, from, to, witness: witnessOf(checks) },
        ...{ work: workOf(claim!), counter: BigInt(claim!.work) },
      }),
    );
    for (const { span, first, again } of payments) {
      if (span.owner === house) continue;
      const of = { run: run.id, node: span.id };
      if (first.work > 0n) this.#pays({ ...of, ...first });
      if (again.work > 0n) this.#paysAgain({ ...of, ...again });
    }
    return { spans: [...before, ...spans], paid: payments.at(-1)!.paid };
  }

  #pays(pay: Pay): void {
    this.#pay.add(pay);
    this.#witness.paid?.(pay);
  }

  #paysAgain(pay: Pay): void {
    for (const part of this.#pay.addAgain(pay)) this.#witness.paid?.({ ...pay, ...part });
  }

  #convictedIn(run: string): Set<string> {
    const nodes = this.#convicted.get(run) ?? new Set();
    this.#convicted.set(run, nodes);
    return nodes;
  }

  /** As in coordinator/forfeit.ts. */
  #forfeit({ id, distrusted = [] }: MeshRun, spans: readonly AcceptedSpan[]): void {
    const nodes = this.#convictedIn(id);
    const taken = [...nodes].flatMap((node) =>
      this.#forfeited(node, spans, distrusted).flatMap((segments) =>
        this.#pay.takeBack({ node, run: id, ...segments }),
      ),
    );
    for (const pay of taken) this.#witness.tookBack?.(pay);
    for (const { node, from, to, work, counter } of spans)
      if (!nodes.has(node) && !node.startsWith(house) && taken.some((pay) => overlap(pay, { from, to })))
        this.#paysAgain({ run: id, node, from, to, work, counter });
  }

  /** What is behind `segment` is lost, and run again. */
  goBack(id: string, segment: number, tick: number): void {
    const { run: before, version, ends, spans, paid } = this.read(id);
    const run = rewound(before, segment, tick);
    this.#counts(before, -1);
    this.#runs.set(id, {
      ...{ run, version: version + 1, paid, wakeTick: 0 },
      ends: new Map([...ends].filter(([end]) => end <= segment)),
      spans: spans.filter(({ to }) => to <= segment),
    });
    this.#witness.wentBack?.(run);
  }
}

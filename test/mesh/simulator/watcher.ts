import { drawnNumber } from '../../../mesh/decide/beacon.ts';
import { type Claim, firstDifference, isClaim } from '../../../mesh/decide/claim.ts';
import type { Decision, Event, World } from '../../../mesh/decide/decision.ts';
import { isDoubtful } from '../../../mesh/decide/doubt.ts';
import { type Effect, isDeed } from '../../../mesh/decide/effects.ts';
import { LEASES_PER_CORE } from '../../../mesh/decide/leases.ts';
import { house, type MeshRun, type NodeFacts, type Span } from '../../../mesh/decide/run.ts';
import { checkRate } from '../../../mesh/decide/trust.ts';
import { commitmentTo } from './commitments.ts';
import type { Kernels, SimulatedRun } from './kernels.ts';
import { CORES } from './service.ts';
import type { Kept, Pay, Witness } from './shared-store.ts';

/** Something happened that must never happen. */
export class Violation extends Error {}

export const noCounts = {
  accepted: 0,
  falselyAccepted: 0,
  verdicts: 0,
  slashed: 0,
  checks: 0,
  failed: 0,
  takenBack: 0,
  doubted: 0,
};

/** What the watcher knows of a node, whatever anybody says of it. */
export interface Known {
  readonly facts: NodeFacts;
  readonly isHonest: boolean;
  /** Honest, always there, and heard by whoever listens. */
  readonly isReliable: boolean;
}

export interface WatcherParts {
  readonly kernels: Kernels;
  readonly node: (id: string) => Known;
  readonly run: (id: string) => SimulatedRun;
  readonly beacon: (tNs: bigint) => Uint8Array;
}

interface SeenSpan {
  readonly node: string;
  readonly from: number;
  readonly to: number;
  /** As far as what it went on from was. */
  readonly isTrue: boolean;
  /** Who said the same of all of it. */
  readonly vouchers: ReadonlySet<string>;
  /** What its last state stands on. */
  readonly ground: string;
}

interface Committed {
  readonly node: string;
  readonly commitment: string;
  readonly atNs: bigint;
}

/** What the watcher holds true of a run; made from events and effects alone. */
interface Seen {
  accepted: number;
  /** What the last accepted state stands on; '' is the truth. */
  ground: string;
  held?: { readonly node: string; readonly fence: number };
  state: MeshRun['state'];
  readonly commitments: Map<string, Committed>;
  /** Who was asked last, by span and kind of check. */
  readonly asked: Map<string, { readonly node: string; readonly fence: number }>;
  /** Spans of which somebody honest has run a part, and through which segment. */
  readonly consulted: Map<string, number>;
  /** Spans that were drawn, and those of which another has run the whole and said the same. */
  readonly drawn: Set<string>;
  readonly agreed: Map<string, Set<string>>;
  /** Fences of checks that were answered. */
  readonly answered: Set<number>;
  /** Nodes that did not stand by their commitment, or were found wrong. */
  readonly discredited: Set<string>;
  /** What is accepted now, in order. */
  spans: readonly SeenSpan[];
  /**
   * Nodes that a verdict found wrong, and those that lost their trust, whether or not one did: as the service itself ran
   * otherwise what they claimed, or what they showed is not what they had committed to, no matter what is said of it.
   */
  readonly convicted: Set<string>;
  readonly distrusted: Set<string>;
  /** Work was counted by a liar: who went on behind it has none. */
  isMiscounted: boolean;
  /** Who is paid for each segment. */
  readonly paid: Map<number, Pick<SeenSpan, 'node' | 'vouchers'>>;
  readonly worked: Set<number>;
  /** Fences of leases and checks that their nodes have spoken of. */
  readonly spoken: Set<number>;
}

const keyOf = ({ fence, from }: { fence: number; from: number }): string => `${fence}/${from}`;
type Of<K extends string, T extends { readonly kind: string }> = Extract<T, { kind: K }>;

/**
 * Holds every write to what the mesh promises. It takes nothing from the run that it could know from the events before,
 * and nothing at all from the functions that decide.
 */
export class Watcher implements Witness {
  readonly #parts: WatcherParts;
  readonly #seen = new Map<string, Seen>();
  /** How many runs a node holds. */
  readonly #holding = new Map<string, number>();
  readonly counts = { ...noCounts };

  constructor(parts: WatcherParts) {
    this.#parts = parts;
  }

  #fresh(): Seen {
    return {
      ...{ accepted: -1, ground: '', state: 'open' },
      ...{
        commitments: new Map(),
        asked: new Map(),
        consulted: new Map(),
        answered: new Set(),
        drawn: new Set(),
        agreed: new Map(),
      },
      ...{ discredited: new Set(), convicted: new Set(), distrusted: new Set() },
      ...{ spans: [], paid: new Map(), isMiscounted: false, worked: new Set(), spoken: new Set() },
    };
  }

  written(before: MeshRun, event: Event, world: World, { run, effects }: Decision): void {
    const seen = this.#seen.get(run.id) ?? this.#fresh();
    this.#seen.set(run.id, seen);
    if (seen.state !== 'open') throw new Violation('a run changed after its end');
    this.#whoSpeaks(seen, event);
    if (event.kind === 'commit') this.#commits(seen, event, run);
    if (event.kind === 'checked') this.#answers(seen, event, before);
    if (event.kind === 'reveal') this.#reveals(seen, event, world, run, effects);
    for (const effect of effects) this.#follows(seen, effect, run, effects);
    this.#isInOrder(seen, run);
    seen.state = run.state;
  }

  /** Nobody with an earlier fence changes anything. */
  #whoSpeaks({ held, asked, spoken }: Seen, event: Event): void {
    if (event.kind === 'lease' || event.kind === 'tick' || event.kind === 'cancel') return;
    const { node, fence } = event;
    const isOfCheck =
      event.kind === 'checked' ||
      ((event.kind === 'alive' || event.kind === 'release') && event.from !== undefined);
    const speaks = isOfCheck ? isAsked(asked, node, fence) : held?.node === node && held.fence === fence;
    spoken.add(fence);
    if (!speaks) throw new Violation(`${node} is fenced and was listened to (${event.kind})`);
  }

  #commits(seen: Seen, event: Of<'commit', Event>, run: MeshRun): void {
    const { node, commitment, atNs } = event;
    const key = keyOf(event);
    if (run.spans.at(-1)?.commitment !== commitment) return;
    if (seen.commitments.has(key)) throw new Violation('two commitments to one span under one lease');
    seen.commitments.set(key, { node, commitment, atNs });
  }

  #answers(seen: Seen, { node, fence, claim }: Of<'checked', Event>, before: MeshRun): void {
    seen.answered.add(fence);
    const span = before.spans.find(({ from }) => from === claim.from);
    if (!span) return;
    const key = keyOf(span);
    const isWhole = claim.to === span.to && isClaim(claim);
    const isSame = isWhole && span.claim && firstDifference(span.claim, claim) === undefined;
    if (isSame) seen.agreed.set(key, (seen.agreed.get(key) ?? new Set()).add(node));
    if (this.#parts.node(node).facts.owner === house && contradicts(claim, span.claim!))
      seen.distrusted.add(span.id);
    if (!this.#parts.node(node).isHonest) return;
    // Who saw the end knows of all that is claimed behind it.
    const through = claim.final ? Number.POSITIVE_INFINITY : claim.to;
    seen.consulted.set(key, Math.max(through, seen.consulted.get(key) ?? -1));
  }

  /** A claim stands behind the commitment before it, and is drawn by a beacon that was not there then. */
  #reveals(
    seen: Seen,
    event: Of<'reveal', Event>,
    world: World,
    run: MeshRun,
    effects: readonly Effect[],
  ): void {
    const { node, fence, claim, salt } = event;
    const key = keyOf({ fence, from: claim.from });
    const committed = seen.commitments.get(key);
    const isCovered = isClaim(claim) && commitmentTo(claim, salt) === committed?.commitment;
    if (committed?.node === node && !isCovered) seen.distrusted.add(node);
    const shown = spansAfter(run, effects).find((span) => keyOf(span) === key && span.claim);
    if (!shown) return;
    if (committed?.node !== node || !isCovered)
      throw new Violation('a claim was taken that nobody had committed to');
    if (this.#parts.node(node).facts.owner === house || run.policy === 'none') return;
    const isBound = committed.atNs >= world.beaconNs || seen.distrusted.has(node);
    const draws = isBound || this.#draws(run, claim, world, node);
    const isChecked = shown.checks.length > 0;
    if (shown.drawnNs !== String(world.beaconNs) || isChecked !== draws)
      throw new Violation('a span was drawn otherwise than by the first beacon after its claim');
  }

  #draws({ id, policy, work: plan }: MeshRun, claim: Claim, world: World, node: string): boolean {
    const { from, work } = claim;
    const { beaconNs, matches } = world;
    return (
      policy === 'full' ||
      (plan !== undefined && Number(work) > plan.planned) ||
      drawnNumber(this.#parts.beacon(beaconNs), `${id}/${from}`) < checkRate(matches(node))
    );
  }

  #follows(seen: Seen, effect: Effect, run: MeshRun, effects: readonly Effect[]): void {
    if (isDeed(effect)) {
      this.#deed(seen, effect, run);
      return;
    }
    switch (effect.kind) {
      case 'leased':
        this.#leases(seen, effect, run, effects);
        return;
      case 'lost':
        if (effect.reason === 'lapsed' && this.#isNeedless(seen, effect))
          throw new Violation(`${effect.node} lost needlessly what it held`);
        if (effect.from === undefined && seen.held?.fence === effect.fence) this.#lets(seen);
        return;
      case 'refused':
        if (effect.reason === 'not-committed') seen.discredited.add(effect.node);
        return;
      case 'ask':
        this.#asks(seen, effect, run);
        return;
      default:
        return;
    }
  }

  /**
   * Lost by a node that knows of it: what it was told in the moment in which a service node died it never heard. A run
   * does not know what its nodes have to check in others, so a slow one with checks of several runs may be passed over.
   */
  #isNeedless(seen: Seen, { node, fence, from }: Of<'lost', Effect>): boolean {
    if (!this.#parts.node(node).isReliable || !seen.spoken.has(fence)) return false;
    const others = [...this.#seen.values()].filter((each) => each !== seen);
    return from === undefined || !others.some(({ asked }) => hasBeenAsked(asked, node));
  }

  /** One node at a time, none of the payer, none that did not stand by its word. */
  #leases(seen: Seen, { node, fence }: Of<'leased', Effect>, run: MeshRun, effects: readonly Effect[]): void {
    const { held } = seen;
    if (held && !(held.node === node && held.fence === fence)) {
      const isLost = effects.some((effect) => effect.kind === 'lost' && effect.fence === held.fence);
      if (!isLost) throw new Violation(`${node} got the lease that ${held.node} has`);
    }
    const { owner } = this.#parts.node(node).facts;
    if (owner === run.payer) throw new Violation(`${node} of the payer runs its own run`);
    if (seen.discredited.has(node)) throw new Violation(`${node}, who was found wrong, was asked again`);
    this.#lets(seen);
    seen.held = { node, fence };
    const count = (this.#holding.get(node) ?? 0) + 1;
    this.#holding.set(node, count);
    if (owner !== house && count > LEASES_PER_CORE * CORES)
      throw new Violation(`${node} holds more runs than it may`);
  }

  #lets(seen: Seen): void {
    if (!seen.held) return;
    const { node } = seen.held;
    this.#holding.set(node, this.#holding.get(node)! - 1);
    delete seen.held;
  }

  /** No check by a side, by an owner of a side or by the payer. */
  #asks(seen: Seen, { node, span, check }: Of<'ask', Effect>, run: MeshRun): void {
    const { owner } = this.#parts.node(node).facts;
    const second = check.kind === 'third' ? span.checks.filter(({ kind }) => kind === 'second') : [];
    for (const side of [span, ...second]) {
      const known = this.#parts.node(side.id).facts;
      if (known.id === node || known.owner === owner)
        throw new Violation(`${node} is a side of what it checks`);
    }
    if (owner === run.payer) throw new Violation(`${node} of the payer checks its own run`);
    if (check.kind === 'confirm' && owner !== house) throw new Violation('only the service confirms');
    if (seen.discredited.has(node)) throw new Violation(`${node}, who was found wrong, was asked again`);
    seen.drawn.add(keyOf(span));
    seen.asked.set(`${keyOf(span)} ${check.kind}`, { node, fence: check.fence });
    this.counts.checks++;
  }

  #deed(seen: Seen, effect: Effect, run: MeshRun): void {
    switch (effect.kind) {
      case 'accepted':
        this.#accepts(seen, effect.span, run);
        return;
      case 'worked':
        if (seen.worked.has(effect.check.fence)) throw new Violation('a check was paid twice');
        seen.worked.add(effect.check.fence);
        return;
      case 'mismatched':
        if (this.#parts.node(effect.node).isHonest)
          throw new Violation(`${effect.node}, honest, lost its trust`);
        seen.distrusted.add(effect.node);
        return;
      case 'verdict':
        this.#judges(seen, effect);
        return;
      case 'ended':
        this.#ends(seen, effect.state, run);
        return;
      default:
        return;
    }
  }

  /** In order, without gaps, and nothing false while somebody honest was consulted. */
  #accepts(seen: Seen, span: Span, { id }: MeshRun): void {
    const { claim } = span;
    if (!claim || span.from !== seen.accepted + 1 || span.to < span.from)
      throw new Violation(`segments ${span.from} to ${span.to} were accepted behind ${seen.accepted}`);
    if (seen.drawn.has(keyOf(span)) && !seen.agreed.has(keyOf(span)))
      throw new Violation(
        'a drawn span was accepted that nobody else had run to its end with the same outcome',
      );
    const truth = this.#parts.kernels.execute(this.#parts.run(id), span.from, span.to, seen.ground);
    const falseFrom = firstDifference(claim, truth);
    const isTrue = falseFrom === undefined;
    const known = this.#parts.node(span.id).isHonest ? span.to : (seen.consulted.get(keyOf(span)) ?? -1);
    if (falseFrom !== undefined && known >= falseFrom)
      throw new Violation(
        `segments ${span.from} to ${span.to} are false, somebody honest said so, and they were accepted`,
      );
    this.counts.accepted += span.to - span.from + 1;
    if (!isTrue) this.counts.falselyAccepted++;
    if (claim.work !== truth.work) seen.isMiscounted = true;
    seen.accepted = span.to;
    seen.ground = this.#parts.kernels.groundOf(claim.state) ?? `${seen.ground} unknown`;
    const { id: node, from, to } = span;
    const vouchers = seen.agreed.get(keyOf(span)) ?? new Set();
    const accepted: SeenSpan = { node, from, to, isTrue, vouchers, ground: seen.ground };
    seen.spans = [...seen.spans, accepted];
    // Who runs again what it is paid for is paid for what it says now.
    for (let segment = from; segment <= to; segment++)
      if (seen.paid.get(segment)?.node === node) seen.paid.set(segment, accepted);
  }

  wentBack({ id, accepted }: MeshRun): void {
    const seen = this.#seen.get(id);
    if (!seen) return;
    seen.spans = seen.spans.filter(({ to }) => to <= accepted);
    seen.ground = seen.spans.at(-1)?.ground ?? '';
    seen.accepted = accepted;
    this.#lets(seen);
  }

  // ---- pay -----------------------------------------------------------------------------------------------

  paid({ run, node, from, to }: Pay): void {
    const { paid, spans } = this.#seen.get(run)!;
    for (let segment = from; segment <= to; segment++) {
      if (paid.has(segment)) throw new Violation(`segment ${segment} was credited twice`);
      const span = spans.find((each) => each.node === node && each.from <= segment && each.to >= segment);
      if (!span) throw new Violation(`${node} is paid for segment ${segment}, which it has not run`);
      paid.set(segment, span);
    }
  }

  tookBack({ run, node, from, to }: Pay): void {
    if (this.#parts.node(node).isHonest) throw new Violation(`${node}, honest, lost its pay`);
    const { paid } = this.#seen.get(run)!;
    for (let segment = from; segment <= to; segment++) paid.delete(segment);
    this.counts.takenBack++;
  }

  /** Nobody honest worked for nothing, and no liar is paid for what nobody else has run. */
  #isPaid({ spans, paid, convicted, distrusted, isMiscounted }: Seen, id: string): void {
    for (const span of spans)
      for (let segment = span.from; segment <= span.to; segment++) {
        const pay = paid.get(segment);
        const runner = this.#parts.node(span.node);
        const isOwed = runner.isHonest && runner.facts.owner !== house && !isMiscounted;
        if (!pay && isOwed)
          throw new Violation(`segment ${segment} of ${id}: ${span.node} did it, and nobody was paid for it`);
        const isVouchedFor = pay && [...pay.vouchers].some((each) => !distrusted.has(each));
        if (pay && convicted.has(pay.node) && !isVouchedFor)
          throw new Violation(`segment ${segment} of ${id}: ${pay.node} was found wrong and is still paid`);
      }
  }

  /** What the service ran again before it made anything of the run is true; nothing else hangs on who was found out. */
  #isHandedOver({ spans, distrusted }: Seen, { run, spans: kept }: Kept): void {
    const doubtful = kept.filter((span) => isDoubtful(span, run.distrusted ?? []));
    const through = Math.max(-1, ...doubtful.map(({ to }) => to));
    for (const { node, from, to, isTrue, vouchers } of spans) {
      if (isTrue || from <= through) continue;
      const word = vouchers.size > 0 ? [...vouchers] : [node];
      if (word.every((each) => distrusted.has(each)))
        throw new Violation(
          `segments ${from} to ${to} of ${run.id} are false, and stand on the word of ${word.join(' and ')}`,
        );
    }
    if (doubtful.length > 0) this.counts.doubted++;
  }

  /** Nobody honest is slashed, and nobody at all without the service's own execution. */
  #judges(seen: Seen, { verdict }: Of<'verdict', Effect>): void {
    const { faulty, third, challenger, confirm, span } = verdict;
    this.counts.verdicts++;
    const executions = [third, challenger, ...(confirm ? [confirm] : [])];
    if (!executions.some(({ id }) => this.#parts.node(id).facts.owner === house))
      throw new Violation('a verdict was given that the service had not executed');
    if (!executions.every(({ fence }) => seen.answered.has(fence)))
      throw new Violation('a verdict was given on what nobody had sent');
    if (new Set([span.id, ...executions.map(({ id }) => id)]).size !== executions.length + 1)
      throw new Violation('a verdict was given by one node twice');
    for (const node of faulty) {
      if (this.#parts.node(node).isHonest) throw new Violation(`${node}, honest, was slashed`);
      seen.discredited.add(node);
      seen.convicted.add(node);
      this.counts.slashed++;
    }
  }

  /** Charged once, when all of it is accepted, or refundable. */
  #ends(seen: Seen, state: MeshRun['state'], { id }: MeshRun): void {
    const { last } = this.#parts.run(id);
    if (state === 'failed') this.counts.failed++;
    if (state !== 'done' || seen.ground !== '') return;
    if (seen.accepted !== last && this.counts.falselyAccepted === 0)
      throw new Violation(`a run of ${last + 1} segments was charged after ${seen.accepted + 1}`);
  }

  /** What the store has is what the events made it. */
  #isInOrder(seen: Seen, { accepted, spans, lease, state }: MeshRun): void {
    if (accepted !== seen.accepted) throw new Violation(`${accepted} segments count as accepted`);
    if (!lease) this.#lets(seen);
    if (lease && (lease.id !== seen.held?.node || lease.fence !== seen.held.fence))
      throw new Violation('a lease is there that nobody was given');
    let next = accepted + 1;
    for (const [i, span] of spans.entries()) {
      if (span.from !== next || (!span.claim && i < spans.length - 1))
        throw new Violation('the spans that wait are not a chain');
      next = span.to + 1;
    }
    if (state !== 'open' && spans.length > 0) throw new Violation('a run is over and spans wait');
  }

  /** When nothing disturbs any more: every run is over, and what is done was credited whole. */
  concludes(runs: readonly Kept[]): void {
    for (const kept of runs) {
      const { id, state } = kept.run;
      if (state === 'open') throw new Violation(`run ${id} does not end`);
      const seen = this.#seen.get(id)!;
      this.#isPaid(seen, id);
      if (state === 'done') this.#isHandedOver(seen, kept);
    }
  }
}

function spansAfter({ spans }: MeshRun, effects: readonly Effect[]): Span[] {
  return [...spans, ...effects.flatMap((effect) => (effect.kind === 'accepted' ? [effect.span] : []))];
}

function isAsked(asked: Seen['asked'], node: string, fence: number): boolean {
  for (const each of asked.values()) if (each.node === node && each.fence === fence) return true;
  return false;
}

/** What is said of a span, up to its end or before, is not what was claimed of it. */
function contradicts({ to, digests, final }: Claim, claimed: Claim): boolean {
  if (digests.some((digest, i) => digest !== claimed.digests[i])) return true;
  return final ? to < claimed.to || !claimed.final : false;
}

const hasBeenAsked = (asked: Seen['asked'], node: string): boolean =>
  [...asked.values()].some((each) => each.node === node);

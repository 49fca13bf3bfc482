import { decide } from '../../../mesh/decide/decide.ts';
import type { Decision, Event, World } from '../../../mesh/decide/decision.ts';
import type { Effect } from '../../../mesh/decide/effects.ts';
import { afresh } from '../../../mesh/decide/pace.ts';
import { house, type MeshRun, type Span } from '../../../mesh/decide/run.ts';
import { type Manners, manners } from './contributor.ts';
import type { Random } from './random.ts';
import {
  babblingScenario,
  decliningScenario,
  fickleScenario,
  hoardingScenario,
  inheritingScenario,
  irreproducibleScenario,
  lonelyScenario,
  losingScenario,
  recuttingScenario,
  type Scenario,
  slanderingScenario,
  stallingScenario,
} from './scenario.ts';
import { type PayRules, payRules } from './shared-store.ts';

/** A way to decide or to behave wrongly: what the mesh would be without one of its rules. */
export interface Broken {
  /** The rule that it forgets. */
  readonly rule: string;
  /** What the watcher must say of it. */
  readonly found: RegExp;
  readonly decide?: typeof decide;
  readonly pay?: PayRules;
  readonly manners?: Manners;
  /** Where it shows, if not in any. */
  readonly scenario?: (random: Random) => Scenario;
}

const openSpan = ({ spans }: MeshRun): Span | undefined => spans.find(({ claim }) => !claim);

/** Whoever speaks of a lease speaks for whoever holds it. */
function unfenced(run: MeshRun, event: Event): Event {
  const { lease } = run;
  const isOfLease =
    ['alive', 'release', 'commit', 'reveal'].includes(event.kind) &&
    !('from' in event && event.kind === 'alive');
  if (!lease || !isOfLease) return event;
  return { ...event, node: lease.id, fence: lease.fence } as Event;
}

/** Decides about a run that is told to be another; what is true of it stays. */
function told(run: MeshRun, change: Partial<MeshRun>, event: Event, world: World): Decision {
  const other = { ...run, ...change };
  const decided = decide(other, event, world);
  if (decided.run === other) return { ...decided, run };
  return { ...decided, run: { ...decided.run, payer: run.payer } };
}

/** Nothing is ever due. */
function undue({ lease, spans, ...run }: MeshRun): MeshRun {
  const due = Number.POSITIVE_INFINITY;
  const waiting = spans.map((span) => ({ ...span, checks: span.checks.map((check) => ({ ...check, due })) }));
  return { ...run, ...(lease && { lease: { ...lease, due } }), spans: waiting };
}

/** As the check that stands open on this span, whoever was asked. */
function anyAnswer(run: MeshRun, event: Event): Event {
  if (event.kind !== 'checked') return event;
  const span = run.spans.find(({ from }) => from === event.claim.from);
  const open = span?.checks.find(({ claim }) => !claim);
  return open ? { ...event, node: open.id, fence: open.fence } : event;
}

/** Rewrites what a decision asks for, in the run and in the effects. */
function asking(
  decision: Decision,
  rewrite: (effect: Extract<Effect, { kind: 'ask' }>) => Partial<Span['checks'][number]>,
): Decision {
  let { run } = decision;
  const effects = decision.effects.map((effect): Effect => {
    if (effect.kind !== 'ask') return effect;
    const check = { ...effect.check, ...rewrite(effect) };
    const exchange = (span: Span): Span => ({
      ...span,
      checks: span.checks.map((each) => (each.fence === check.fence ? check : each)),
    });
    run = {
      ...run,
      spans: run.spans.map((span) =>
        span.fence === effect.span.fence && span.from === effect.span.from ? exchange(span) : span,
      ),
    };
    return { ...effect, node: check.id, span: exchange(effect.span), check };
  });
  return { run, effects };
}

/** Whoever the decision takes the word from keeps it. */
const believing = ({ distrusted = [] }: MeshRun, { run, effects }: Decision): Decision => ({
  run: { ...run, distrusted },
  effects,
});

/** As it is not what was committed to, or asked for. */
const isRefused = ({ effects }: Decision): boolean =>
  effects.some((effect) => effect.kind === 'refused' && effect.reason === 'not-committed');

/** The world with something in it changed; what is made when it is looked at still is. */
function otherwise(world: World, change: Partial<World>): World {
  const changed = Object.create(world) as World;
  for (const [name, value] of Object.entries(change)) Object.defineProperty(changed, name, { value });
  return changed;
}

const worldWith =
  (change: (world: World, run: MeshRun) => Partial<World>): typeof decide =>
  (run, event, world) =>
    decide(run, event, otherwise(world, change(world, run)));

export const brokenDecisions: readonly Broken[] = [
  {
    rule: 'an earlier fence is not listened to',
    found: /is fenced and was listened to/,
    decide: (run, event, world) => decide(run, unfenced(run, event), world),
  },
  {
    rule: 'a check is answered by whom it was given to last',
    found: /is fenced and was listened to|on what nobody had sent/,
    decide: (run, event, world) => decide(run, anyAnswer(run, event), world),
  },
  {
    rule: 'a run has one lease at a time',
    found: /got the lease that|does not end/,
    decide(run, event, world) {
      const { lease: _, ...rest } = run;
      return event.kind === 'lease' && !openSpan(run)
        ? decide(rest, event, world)
        : decide(run, event, world);
    },
  },
  {
    rule: 'a third shares no owner with a side',
    found: /is a side of what it checks/,
    decide: worldWith(({ candidates }, { payer }) => ({
      candidates: candidates.map((node) =>
        node.owner === payer ? node : { ...node, owner: `nobody's ${node.id}` },
      ),
    })),
  },
  {
    rule: 'a third is neither side',
    found: /is a side of what it checks/,
    decide: (run, event, world) =>
      asking(decide(run, event, world), ({ span, check }) =>
        check.kind === 'third' ? { id: span.checks.find(({ kind }) => kind === 'second')!.id } : {},
      ),
  },
  {
    rule: 'a payer neither runs nor checks its own run',
    found: /of the payer/,
    decide: (run, event, world) => told(run, { payer: '' }, event, world),
  },
  {
    rule: 'spans are accepted in order',
    found: /were accepted behind/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      const early = decided.run.spans.filter((span, i) => i > 0 && span.sound && !run.spans[i]?.sound);
      const accepts = early.map((span): Effect => ({ kind: 'accepted', span }));
      return { ...decided, effects: [...decided.effects, ...accepts] };
    },
  },
  {
    rule: 'a claim is paid when it is accepted, not when it is shown',
    found: /were accepted behind|credited twice|count as accepted|nobody else had run/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      if (event.kind !== 'reveal') return decided;
      const { fence, claim } = event;
      const shown = decided.run.spans.find((span) => span.fence === fence && span.from === claim.from);
      if (!shown?.claim) return decided;
      return { ...decided, effects: [...decided.effects, { kind: 'accepted', span: shown }] };
    },
  },
  {
    rule: 'a claim is what was committed to',
    found: /nobody had committed to|drawn otherwise/,
    decide(run, event, world) {
      const open = openSpan(run);
      if (event.kind !== 'reveal' || !open) return decide(run, event, world);
      const decided = decide(run, event, world);
      if (!isRefused(decided)) return decided;
      const shown: Span = { ...open, claim: event.claim, drawnNs: String(world.beaconNs), sound: false };
      const spans = run.spans.map((span) => (span === open ? shown : span));
      return { run: { ...run, spans }, effects: [] };
    },
  },
  {
    rule: 'the draw comes after the claim',
    found: /drawn otherwise/,
    decide: worldWith((_, { id }) => ({ beacon: new Uint8Array(32).fill(id.length) })),
  },
  {
    rule: 'some claims are checked',
    found: /drawn otherwise/,
    decide: worldWith(() => ({ matches: () => 1e9 })),
  },
  {
    rule: 'a claim that differs is in dispute',
    found: /nobody else had run to its end/,
    decide(run, event, world) {
      if (event.kind !== 'checked') return decide(run, event, world);
      const span = run.spans.find(({ from }) => from === event.claim.from);
      const claim = span?.claim?.to === event.claim.to ? span.claim : event.claim;
      return decide(run, { ...event, claim }, world);
    },
  },
  {
    rule: 'the word of a third is confirmed by the service',
    found: /nobody had sent/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      const asked = decided.effects.find((effect) => effect.kind === 'ask');
      if (asked?.kind !== 'ask' || asked.check.kind !== 'confirm' || event.kind !== 'checked') return decided;
      const { id: node, fence } = asked.check;
      const after = decide(decided.run, { ...event, node, fence }, world);
      return { run: after.run, effects: [...decided.effects, ...after.effects] };
    },
  },
  {
    rule: 'what stands behind a refuted span is dropped',
    found: /not a chain|were accepted behind|count as accepted/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      const isRefuted = decided.effects.some(
        (effect) => effect.kind === 'verdict' && effect.verdict.outcome !== 'challenger_wrong',
      );
      const behind = isRefuted
        ? run.spans.filter(
            ({ from, claim }) => claim && from > (decided.run.spans.at(-1)?.to ?? decided.run.accepted) + 1,
          )
        : [];
      if (behind.length === 0) return decided;
      return { ...decided, run: { ...decided.run, spans: [...decided.run.spans, ...behind] } };
    },
  },
  {
    rule: 'behind the segment of a refuted challenge it is checked again',
    scenario: slanderingScenario,
    found: /nobody else had run to its end/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      const verdict = decided.effects.find((effect) => effect.kind === 'verdict')?.verdict;
      if (verdict?.outcome !== 'challenger_wrong' || verdict.segment === verdict.span.to) return decided;
      const { fence, from } = verdict.span;
      const spans = decided.run.spans.map((span) =>
        span.fence === fence && span.from === from ? { ...span, checks: [], sound: true } : span,
      );
      const effects = decided.effects.filter(({ kind }) => kind !== 'ask');
      return { run: { ...decided.run, spans }, effects };
    },
  },
  {
    rule: 'who was found wrong is not asked again',
    found: /was asked again/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      return decided.run === run ? decided : { ...decided, run: { ...decided.run, excluded: [] } };
    },
  },
  {
    rule: 'a silent lease lapses',
    found: /does not end/,
    decide(run, event, world) {
      if (!run.lease || (event.kind !== 'tick' && event.kind !== 'lease')) return decide(run, event, world);
      return decide(
        { ...run, lease: { ...run.lease, heard: world.tick, due: Number.POSITIVE_INFINITY } },
        event,
        world,
      );
    },
  },
  {
    rule: 'a silent check is given to another',
    found: /does not end/,
    decide(run, event, world) {
      if (event.kind !== 'tick') return decide(run, event, world);
      const heard = { heard: world.tick, due: Number.POSITIVE_INFINITY };
      const spans = run.spans.map((span) => ({
        ...span,
        checks: span.checks.map((check) => ({ ...check, ...heard })),
      }));
      const decided = decide({ ...run, spans }, event, world);
      return decided.effects.length === 0 ? { run, effects: [] } : decided;
    },
  },
  {
    rule: 'who is alive and does nothing is not waited for',
    found: /does not end/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      return decided.run === run ? decided : { ...decided, run: undue(decided.run) };
    },
  },
  {
    rule: 'a segment now and then is not enough',
    scenario: stallingScenario,
    found: /does not end/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      const { lease } = decided.run;
      if (event.kind !== 'reveal' || !lease || decided.run === run) return decided;
      return { ...decided, run: { ...decided.run, lease: afresh(decided.run, lease, world) } };
    },
  },
  {
    rule: 'what nobody could hear is no silence',
    found: /lost needlessly/,
    decide: worldWith(() => ({ listeningSince: 0 })),
  },
  {
    rule: 'a node takes the checks of a run in the order in which they were asked for',
    scenario: inheritingScenario,
    found: /lost needlessly/,
    manners: { ...manners, nextCheck: ([first]) => first },
  },
  {
    rule: 'what is given back is said until it is heard',
    scenario: decliningScenario,
    found: /lost needlessly/,
    manners: { ...manners, insists: false },
  },
  {
    rule: 'a node holds no more runs than twice its cores',
    scenario: hoardingScenario,
    found: /more runs than it may/,
    decide: (run, event, world) =>
      decide(run, event.kind === 'lease' ? { ...event, free: Number.POSITIVE_INFINITY } : event, world),
  },
  {
    rule: 'nobody goes on behind the end of a run',
    found: /nobody else had run to its end|somebody honest said so/,
    decide(run, event, world) {
      if (event.kind !== 'checked') return decide(run, event, world);
      const claim = run.spans.find(({ from }) => from === event.claim.from)?.claim;
      const isShort = event.claim.final !== undefined && claim && claim.to > event.claim.to;
      return decide(run, isShort ? { ...event, claim } : event, world);
    },
  },
  {
    rule: 'a run ends where its kernel ends',
    found: /nobody else had run to its end|somebody honest said so/,
    decide(run, event, world) {
      if (event.kind !== 'checked') return decide(run, event, world);
      const final = run.spans.find(({ from }) => from === event.claim.from)?.claim?.final;
      return decide(run, final ? { ...event, claim: { ...event.claim, final } } : event, world);
    },
  },
  {
    rule: 'the service takes what nobody takes',
    found: /does not end/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      return { ...decided, effects: decided.effects.filter(({ kind }) => kind !== 'idle') };
    },
  },
  {
    rule: 'who came out as nobody else has no word, though nobody is to blame',
    scenario: irreproducibleScenario,
    found: /stand on the word of|is still paid/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      const isOpen = decided.effects.some(
        (effect) => effect.kind === 'verdict' && effect.verdict.outcome === 'not_reproducible',
      );
      return isOpen ? believing(run, decided) : decided;
    },
  },
  {
    rule: 'who answers a check with what is no answer has no word',
    scenario: babblingScenario,
    found: /stand on the word of/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      return event.kind === 'checked' && isRefused(decided) ? believing(run, decided) : decided;
    },
  },
  {
    rule: 'whom the service itself contradicts has no word, though nobody can judge',
    scenario: lonelyScenario,
    found: /stand on the word of/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      const isOwn = event.kind === 'checked' && event.node.startsWith(house);
      const isJudged = decided.effects.some(({ kind }) => kind === 'verdict');
      return isOwn && !isJudged ? believing(run, decided) : decided;
    },
  },
  {
    rule: 'who shows another claim than it committed to has no word',
    scenario: fickleScenario,
    found: /stand on the word of|is still paid/,
    decide(run, event, world) {
      const decided = decide(run, event, world);
      return event.kind === 'reveal' && isRefused(decided) ? believing(run, decided) : decided;
    },
  },
  {
    rule: 'who was found wrong is not paid for what nobody else has run',
    found: /was found wrong and is still paid/,
    pay: { ...payRules, forfeited: () => [] },
  },
  {
    rule: 'a line of pay goes that begins before what is in doubt',
    scenario: recuttingScenario,
    found: /was found wrong and is still paid/,
    pay: { ...payRules, overlap: (line, { from, to }) => line.from >= from && line.from <= to },
  },
  {
    rule: 'who has no word is not heard of a check that it was given before',
    found: /is fenced and was listened to/,
    decide(run, event, world) {
      if (event.kind !== 'checked' || !run.distrusted?.includes(event.node)) return decide(run, event, world);
      const { distrusted, ...rest } = run;
      const decided = decide(
        { ...rest, distrusted: distrusted.filter((id) => id !== event.node) },
        event,
        world,
      );
      const all = new Set([...distrusted, ...(decided.run.distrusted ?? [])]);
      return { ...decided, run: { ...decided.run, distrusted: [...all] } };
    },
  },
  {
    rule: 'who runs again what a liar was paid for is paid',
    scenario: losingScenario,
    found: /nobody was paid for it/,
    pay: { ...payRules, owed: () => [] },
  },
  {
    rule: 'what is run again after a loss is not paid again',
    scenario: losingScenario,
    found: /credited twice/,
    pay: { ...payRules, owed: (done) => [done] },
  },
  {
    rule: 'an end is an end',
    found: /changed after its end/,
    decide: (run, event, world) =>
      event.kind === 'lease' && run.state === 'done'
        ? decide({ ...run, state: 'open' }, event, world)
        : decide(run, event, world),
  },
];

import { type Claim, firstDifference, isClaim, saysTheSame } from './claim.ts';
import { andThen, type Decision, unchanged, type World } from './decision.ts';
import { isDoubtful, withoutWord, witnessOf } from './doubt.ts';
import { type Effect, outcomeBy, type Refused, type SegmentVerdict } from './effects.ts';
import { checkDue, isCheckBehind, isSilent } from './pace.ts';
import { placementOrder, type Sides } from './placement.ts';
import {
  type Check,
  facts,
  house,
  type MeshRun,
  type NodeFacts,
  replaced,
  type Span,
  withoutNode,
} from './run.ts';

/**
 * Second and third executions. A second one runs a drawn span again; where it differs, a third runs the span up to the
 * first segment on which the two differ, on a node that is neither side and shares no owner with one; and the service
 * runs it too before it puts its name under a verdict. So nobody's bond is withheld on the word of one side, nor on
 * the word of a third that a side has bought.
 */

/** Without a sign of life for so many ticks (about 9 s) another node is asked. */
export const CHECK_TICKS = 12;
/** Nodes that are asked for one check before the service is, and times that the service may fail at it. */
const MOST_ASKED = 5;

/** Asks for an execution of span `index` through `through`: a node by lot, or the service where there is none. */
export function ask(
  run: MeshRun,
  index: number,
  kind: Check['kind'],
  through: number,
  world: World,
  silent: readonly string[] = [],
): Decision {
  const span = run.spans[index]!;
  const node = chosen(run, span, kind, silent, world);
  if (!node) return undecided(run, index, world);
  const { tick, beaconNs } = world;
  const fence = run.fence + 1;
  const due = checkDue(run, node, span, through, world);
  const times = { placedNs: String(beaconNs), asked: tick, due, heard: tick };
  const check: Check = { ...facts(node), kind, through, fence, ...times, silent };
  // As a third the service needs nobody to confirm it.
  const over = kind === 'third' && check.owner === house ? ['third', 'confirm'] : [kind];
  const others = span.checks.filter((each) => !over.includes(each.kind));
  const next = replaced({ ...run, fence }, index, { ...span, checks: [...others, check] });
  return { run: next, effects: [{ kind: 'ask', node: node.id, span: next.spans[index]!, check }] };
}

/** By lot; the service itself where nobody is left, unless it is a side already. */
function chosen(
  run: MeshRun,
  span: Span,
  kind: Check['kind'],
  silent: readonly string[],
  world: World,
): NodeFacts | undefined {
  const sides = kind === 'third' ? [span, ...claimed(span, 'second')] : [span];
  const times = silent.filter((name) => name === house).length;
  if (kind !== 'confirm' && silent.length - times < MOST_ASKED) {
    const subject = `${run.id}/${span.from}/${kind}`;
    const [first] = placementOrder(world.candidates, barred(run, sides, silent), world.beacon, subject);
    if (first) return first;
  }
  return sides.some(({ owner }) => owner === house) || times >= MOST_ASKED ? undefined : world.house;
}

function barred(run: MeshRun, sides: readonly NodeFacts[], silent: readonly string[]): Sides {
  return {
    nodes: new Set([...silent, ...run.excluded]),
    owners: new Set([...sides.map(({ owner }) => owner), run.payer]),
    engines: new Set(sides.map(({ engine }) => engine)),
  };
}

function claimed(span: Span, kind: Check['kind']): readonly Check[] {
  return span.checks.filter((check) => check.kind === kind && check.claim !== undefined);
}

// ---- what nodes say of checks ------------------------------------------------------------------------------

export function stillAlive(run: MeshRun, node: string, fence: number, from: number, tick: number): Decision {
  const found = openCheck(run, node, fence, from);
  if (!found) return unchanged(run, node, 'fenced');
  const { index, span, check } = found;
  return { run: replaced(run, index, withCheck(span, { ...check, heard: tick })), effects: [] };
}

/**
 * Somebody else is asked at once. Behind the service nobody stands: where it is busy, or leaves, the question waits as
 * if it had said nothing, and is asked again.
 */
export function declined(
  run: MeshRun,
  { node, fence, from, failed }: { node: string; fence: number; from: number; failed: boolean },
  world: World,
): Decision {
  const found = openCheck(run, node, fence, from);
  if (!found) return { run, effects: [] };
  const { index, check } = found;
  if (check.owner !== house) return passedOver(run, index, check, world);
  const { kind, through, silent } = check;
  return failed ? ask(run, index, kind, through, world, [...silent, house]) : { run, effects: [] };
}

function openCheck(run: MeshRun, node: string, fence: number, from: number) {
  const index = run.spans.findIndex((span) => span.from === from);
  const span = run.spans[index];
  const check = span?.checks.find((each) => each.id === node && each.fence === fence && !each.claim);
  return span && check && { index, span, check };
}

function withCheck(span: Span, check: Check): Span {
  return { ...span, checks: span.checks.map((each) => (each.kind === check.kind ? check : each)) };
}

/** Others are asked in place of nodes that are waited for no longer. */
export function askAgain(run: MeshRun, world: World): Decision {
  for (const [index, span] of run.spans.entries()) {
    const late = span.checks.find((check) => isLate(run, check, world));
    if (!late) continue;
    const { id, fence } = late;
    const lost: Effect = { kind: 'lost', node: id, fence, from: span.from, reason: 'lapsed' };
    const isOut = isCheckBehind(late, world) && late.owner !== house;
    const again = passedOver(isOut ? withoutNode(run, id) : run, index, late, world);
    return andThen({ run: again.run, effects: [lost, ...again.effects] }, (next) => askAgain(next, world));
  }
  return { run, effects: [] };
}

/** Silent, alive without an answer, or found to be of no use meanwhile. */
function isLate(run: MeshRun, check: Check, world: World): boolean {
  if (check.claim) return false;
  const isOut = run.excluded.includes(check.id) && check.owner !== house;
  return isOut || isSilent(check.heard, CHECK_TICKS, world) || isCheckBehind(check, world);
}

/**
 * Whoever was asked is not waited for. Who is busy or away has shown nothing against the claim: once the service has
 * been asked in vain too, all are asked anew, until somebody answers or the run is given up.
 */
function passedOver(run: MeshRun, index: number, check: Check, world: World): Decision {
  const { id, owner, kind, through, silent } = check;
  const failures = silent.filter((name) => name === house);
  return ask(run, index, kind, through, world, owner === house ? failures : [...silent, id]);
}

/** A node that was asked has answered. */
export function checked(
  run: MeshRun,
  { node, fence, claim }: { readonly node: string; readonly fence: number; readonly claim: Claim },
  world: World,
): Decision {
  const found = openCheck(run, node, fence, claim.from);
  if (!found) return unchanged(run, node, 'fenced');
  const { index, span, check } = found;
  if (run.distrusted?.includes(node)) return heardNoLonger(run, index, check, world);
  if (!isClaim(claim) || !isAnswerTo(check, claim))
    return mistrusted(run, index, check, world, [
      { kind: 'refused', node, reason: 'not-committed' },
      { kind: 'mismatched', node },
    ]);
  const answered = withCheck(span, { ...check, claim });
  const next = replaced(run, index, answered);
  const isToldApart = check.owner === house && !saysTheSame(claim, span.claim!);
  return isToldApart ? toldApart(next, index, check, world) : weighed(next, index, check, world);
}

/** It lost its word after it was asked, and nobody was asked in its place yet. */
function heardNoLonger(run: MeshRun, index: number, check: Check, world: World): Decision {
  const { id: node, fence } = check;
  const lost: Effect = { kind: 'lost', node, fence, from: run.spans[index]!.from, reason: 'fenced' };
  return andThen({ run, effects: [lost] }, (next) => passedOver(next, index, check, world));
}

/** The service's own threads found otherwise: whoever claimed the span has no word any more, whatever is judged. */
function toldApart(run: MeshRun, index: number, check: Check, world: World): Decision {
  const { id: node } = run.spans[index]!;
  const { run: next, effects } = weighed(withoutWord(run, node), index, check, world);
  const isSaid = effects.some((effect) => effect.kind === 'mismatched' && effect.node === node);
  const apart: Effect[] = isSaid ? [] : [{ kind: 'mismatched', node }];
  return andThen({ run: next, effects: [...apart, ...effects] }, (after) => doubted(after, world));
}

function weighed(run: MeshRun, index: number, { kind }: Check, world: World): Decision {
  return kind === 'second' ? compared(run, index, world) : judged(run, index, world);
}

/** A run may have ended before the segment that was asked for: then that is the answer. */
const isAnswerTo = ({ through }: Check, { to, final }: Claim): boolean =>
  to === through || (to < through && final !== undefined);

function compared(run: MeshRun, index: number, world: World): Decision {
  const span = run.spans[index]!;
  const second = claimed(span, 'second')[0]!;
  const segment = firstDifference(span.claim!, second.claim!);
  if (segment === undefined)
    return agreed(run, index, [{ kind: 'worked', check: second, span }, matched(span)]);
  return ask(run, index, 'third', segment, world);
}

const matched = ({ id }: { id: string }): Effect => ({ kind: 'matched', node: id });

function agreed(run: MeshRun, index: number, effects: readonly Effect[]): Decision {
  return { run: replaced(run, index, { ...run.spans[index]!, sound: true }), effects };
}

// ---- the third execution ---------------------------------------------------------------------------------

/** One of second, third and confirming execution is the service's own: no verdict stands against it. */
function judged(run: MeshRun, index: number, world: World): Decision {
  const span = run.spans[index]!;
  const [[challenger], [third], [confirm]] = [
    claimed(span, 'second'),
    claimed(span, 'third'),
    claimed(span, 'confirm'),
  ];
  const own = [challenger, third, confirm].find((check) => check?.owner === house);
  if (!own) return ask(run, index, 'confirm', third!.through, world);
  if (!saysTheSame(third!.claim!, own.claim!)) return anotherThird(run, index, third!, world);
  return concluded(
    run,
    index,
    { segment: third!.through, span, challenger: challenger!, third: third!, ...(confirm && { confirm }) },
    world,
  );
}

/** A third that the service's own run contradicts is no third. */
function anotherThird(run: MeshRun, index: number, third: Check, world: World): Decision {
  const { id: node, claim } = third;
  return mistrusted(run, index, third, world, [{ kind: 'mismatched', node, claim }]);
}

/** Somebody else is asked in place of who has no word any more. */
function mistrusted(
  run: MeshRun,
  index: number,
  check: Check,
  world: World,
  effects: readonly Effect[],
): Decision {
  const again = passedOver(withoutWord(run, check.id), index, check, world);
  return andThen({ run: again.run, effects: [...effects, ...again.effects] }, (next) => doubted(next, world));
}

type Judged = Pick<SegmentVerdict, 'segment' | 'span' | 'challenger' | 'third' | 'confirm'>;

function concluded(run: MeshRun, index: number, judged: Judged, world: World): Decision {
  const { span, challenger, third, confirm } = judged;
  const outcome = outcomeBy(third.claim!, span.claim!, challenger.claim!);
  const isRight = outcome === 'challenger_wrong';
  const faulty = { challenger_wrong: [challenger.id], contributor_wrong: [span.id], not_reproducible: [] }[
    outcome
  ];
  const wrong = outcome === 'not_reproducible' ? [span.id, challenger.id] : faulty;
  const right = [third, confirm, outcome === 'contributor_wrong' ? challenger : undefined];
  const effects: Effect[] = [
    { kind: 'verdict', verdict: { ...judged, outcome, faulty } },
    ...wrong.map((node): Effect => ({ kind: 'mismatched', node })),
    ...right.flatMap((check): Effect[] => (check ? [{ kind: 'worked', check, span }] : [])),
  ];
  const cleared = withoutWord(run, ...wrong);
  const settled = isRight
    ? third.through === span.to
      ? agreed(cleared, index, [...effects, matched(span)])
      : andThen({ run: cleared, effects }, (next) => askAnew(next, index, world))
    : dropped(cleared, index, [], effects, world);
  return andThen(settled, (next) => doubted(next, world));
}

/** What waits, and stands on nothing but the word of nodes that were found out, is checked. */
export function doubted(run: MeshRun, world: World): Decision {
  const { spans, distrusted = [] } = run;
  const index = spans.findIndex(
    ({ id, sound, checks }) => sound && isDoubtful({ node: id, witness: witnessOf(checks) }, distrusted),
  );
  if (index < 0) return { run, effects: [] };
  const asked = askAnew(replaced(run, index, { ...spans[index]!, sound: false }), index, world);
  return andThen(asked, (next) => doubted(next, world));
}

/** Behind the segment in dispute nobody but a liar has looked: the contributor may have lied there too. */
function askAnew(run: MeshRun, index: number, world: World): Decision {
  const span = run.spans[index]!;
  return ask(replaced(run, index, { ...span, checks: [] }), index, 'second', span.to, world);
}

/** Nobody can be asked who is not a side: nobody is slashed, and the span is run again by somebody else. */
function undecided(run: MeshRun, index: number, world: World): Decision {
  return dropped(run, index, [run.spans[index]!.id], [], world);
}

/** The chain goes on before the span; whoever went on behind it stood on sand. */
function dropped(
  run: MeshRun,
  index: number,
  excluded: readonly string[],
  effects: readonly Effect[],
  { tick }: World,
): Decision {
  const { lease, ...rest } = withoutNode(run, ...excluded);
  const next: MeshRun = { ...rest, spans: run.spans.slice(0, index), movedTick: tick };
  const fenced: Effect[] = lease
    ? [{ kind: 'lost', node: lease.id, fence: lease.fence, reason: 'fenced' }]
    : [];
  const lost = lostChecks(run.spans.slice(index), 'fenced');
  return { run: next, effects: [...effects, ...fenced, ...lost, { kind: 'ring' }] };
}

/** Whoever still checks these spans need not go on. */
export function lostChecks(spans: readonly Span[], reason: Refused): Effect[] {
  return spans.flatMap(({ from, checks }) =>
    checks
      .filter(({ claim }) => !claim)
      .map(({ id, fence }): Effect => ({ kind: 'lost', node: id, fence, from, reason })),
  );
}

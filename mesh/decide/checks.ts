import { type Claim, firstDifference } from './claim.ts';
import type { Decision, World } from './decision.ts';
import type { Effect, Outcome, SegmentVerdict } from './effects.ts';
import { placementOrder, type Sides } from './placement.ts';
import { type Check, facts, house, type MeshRun, type NodeFacts, replaced, type Span } from './run.ts';

/**
 * Second and third executions. A second one runs a drawn span again; where it differs, a third runs the span up to the
 * first segment on which the two differ, on a node that is neither side and shares no owner with one; and the service
 * runs it too before it puts its name under a verdict. So nobody's bond is withheld on the word of one side, nor on
 * the word of a third that a side has bought.
 */

/** Without a sign of life for so many ticks (about 9 s) another node is asked. */
export const CHECK_TICKS = 12;
/** Thirds that may be silent or contradict the service's own run before a dispute is left undecided. */
const MOST_THIRDS = 5;

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
  const node = kind === 'confirm' ? world.house : chosen(run, span, kind, silent, world);
  if (!node) return undecided(run, index, world);
  const check: Check = { ...facts(node), kind, through, fence: run.fence + 1, heard: world.tick, silent };
  const others = span.checks.filter((each) => each.kind !== kind);
  const next = replaced({ ...run, fence: run.fence + 1 }, index, { ...span, checks: [...others, check] });
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
  const sides = sidesOf(run, span, kind, silent);
  const [first] = placementOrder(world.candidates, sides, world.beacon, `${run.id}/${span.from}/${kind}`);
  if (first || kind === 'third') return first;
  return world.house;
}

function sidesOf(run: MeshRun, span: Span, kind: Check['kind'], silent: readonly string[]): Sides {
  const sides: readonly NodeFacts[] = kind === 'third' ? [span, ...claimed(span, 'second')] : [span];
  return {
    nodes: new Set([...sides.map(({ id }) => id), ...silent, ...run.excluded]),
    owners: new Set([...sides.map(({ owner }) => owner), run.payer]),
    engines: new Set(sides.map(({ engine }) => engine)),
  };
}

function claimed(span: Span, kind: Check['kind']): readonly Check[] {
  return span.checks.filter((check) => check.kind === kind && check.claim !== undefined);
}

export function stillAlive(run: MeshRun, node: string, fence: number, from: number, tick: number): Decision {
  const found = openCheck(run, node, fence, from);
  if (!found) return { run, effects: [{ kind: 'refused', node, reason: 'fenced' }] };
  const { index, span, check } = found;
  return { run: replaced(run, index, withCheck(span, { ...check, heard: tick })), effects: [] };
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

/** Someone else is asked in place of a node that is silent. @returns undefined where nothing is overdue */
export function askAgain(run: MeshRun, world: World): Decision | undefined {
  for (const [index, span] of run.spans.entries()) {
    const late = span.checks.find((check) => !check.claim && world.tick - check.heard >= CHECK_TICKS);
    if (!late) continue;
    const silent = late.owner === house ? late.silent : [...late.silent, late.id];
    if (late.kind === 'third' && silent.length >= MOST_THIRDS) return undecided(run, index, world);
    return ask(run, index, late.kind, late.through, world, silent);
  }
  return undefined;
}

/** A node that was asked has answered. */
export function checked(
  run: MeshRun,
  { node, fence, claim }: { readonly node: string; readonly fence: number; readonly claim: Claim },
  world: World,
): Decision {
  const found = openCheck(run, node, fence, claim.from);
  if (!found) return { run, effects: [{ kind: 'refused', node, reason: 'fenced' }] };
  const { index, span, check } = found;
  if (claim.to !== check.through || claim.digests.length !== claim.to - claim.from + 1)
    return { run, effects: [{ kind: 'refused', node, reason: 'not-committed' }] };
  const answered = withCheck(span, { ...check, claim });
  const next = replaced({ ...run, movedTick: world.tick }, index, answered);
  return check.kind === 'second' ? compared(next, index, world) : judged(next, index, world);
}

function compared(run: MeshRun, index: number, world: World): Decision {
  const span = run.spans[index]!;
  const [second] = claimed(span, 'second');
  const segment = firstDifference(span.claim!, second!.claim!);
  if (segment === undefined)
    return agreed(run, index, [{ kind: 'worked', check: second!, span }, matched(span)]);
  return ask(run, index, 'third', Math.min(segment, span.to), world);
}

const matched = ({ id }: { id: string }): Effect => ({ kind: 'matched', node: id });

function agreed(run: MeshRun, index: number, effects: readonly Effect[]): Decision {
  return { run: replaced(run, index, { ...run.spans[index]!, sound: true }), effects };
}

// ---- the third execution ---------------------------------------------------------------------------------

function judged(run: MeshRun, index: number, world: World): Decision {
  const span = run.spans[index]!;
  const [[second], [third], [confirm]] = [
    claimed(span, 'second'),
    claimed(span, 'third'),
    claimed(span, 'confirm'),
  ];
  const isHouseSide = second!.owner === house;
  if (!isHouseSide && !confirm) return ask(run, index, 'confirm', third!.through, world, third!.silent);
  if (confirm && !saysTheSame(third!, confirm)) return anotherThird(run, index, third!, world);
  return concluded(
    run,
    index,
    { segment: third!.through, span, challenger: second!, third: third!, confirm },
    world,
  );
}

/** What a claim says of the span through `through`: the whole claim if it is as long, else the digests alone. */
function saysTheSame(check: Check, other: { readonly claim?: Claim }): boolean {
  const [a, b] = [check.claim!, other.claim!];
  const count = check.through - a.from + 1;
  if (b.to === a.to) return firstDifference(a, b) === undefined;
  return a.digests.every((digest, i) => digest === b.digests[i]) && b.digests.length >= count;
}

/** A third that the service's own run contradicts is no third. */
function anotherThird(run: MeshRun, index: number, third: Check, world: World): Decision {
  const span = run.spans[index]!;
  const silent = [...third.silent, third.id];
  const fresh = replaced(run, index, {
    ...span,
    checks: span.checks.filter(({ kind }) => kind === 'second'),
  });
  if (silent.length >= MOST_THIRDS) return undecided(fresh, index, world);
  const next = ask(fresh, index, 'third', third.through, world, silent);
  return { run: next.run, effects: [{ kind: 'mismatched', node: third.id }, ...next.effects] };
}

type Judged = Required<Pick<SegmentVerdict, 'segment' | 'span' | 'challenger' | 'third'>> & {
  confirm?: Check;
};

function concluded(run: MeshRun, index: number, judged: Judged, world: World): Decision {
  const { span, challenger, third, confirm } = judged;
  const work = [third, ...(confirm ? [confirm] : [])].map(
    (check): Effect => ({ kind: 'worked', check, span }),
  );
  const isRight = saysTheSame(third, span);
  const isChallengerRight = saysTheSame(third, challenger);
  const outcome: Outcome = isRight
    ? 'challenger_wrong'
    : isChallengerRight
      ? 'contributor_wrong'
      : 'not_reproducible';
  const faulty = { challenger_wrong: [challenger.id], contributor_wrong: [span.id], not_reproducible: [] }[
    outcome
  ];
  const verdict: Effect = {
    kind: 'verdict',
    verdict: { ...judged, outcome, faulty: faulty.filter((id) => id !== world.house.id) },
  };
  const trust = faulty.map((node): Effect => ({ kind: 'mismatched', node }));
  if (isRight) {
    const excluded = [...run.excluded, challenger.id];
    return agreed({ ...run, excluded }, index, [verdict, ...trust, ...work, matched(span)]);
  }
  const paid: Effect[] = isChallengerRight ? [{ kind: 'worked', check: challenger, span }] : [];
  const out = isChallengerRight ? [span.id] : [span.id, challenger.id];
  return dropped(run, index, out, [verdict, ...trust, ...work, ...paid], world);
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
  const { lease, ...rest } = run;
  const next: MeshRun = {
    ...rest,
    spans: run.spans.slice(0, index),
    excluded: [...new Set([...run.excluded, ...excluded])],
    movedTick: tick,
  };
  const fenced: Effect[] = lease ? [{ kind: 'refused', node: lease.id, reason: 'fenced' }] : [];
  return { run: next, effects: [...effects, ...fenced, { kind: 'ring' }] };
}

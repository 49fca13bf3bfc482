import { TICK_NS } from '../../src/clock/pulse.ts';
import type { World } from './decision.ts';
import { type Check, house, type Lease, type MeshRun, type NodeFacts, type Span } from './run.ts';

/**
 * How long anybody is waited for. A lease has a purse of time: a minute, and what the next segment takes on the slowest
 * node; what it shows fills the purse up again by what that takes on the slowest node, never above its first filling.
 * So a node that shows a segment now and then holds a run up no longer than one that shows nothing, and a run is over
 * within 40 times its work and a minute for each node that stalls it.
 */

/** Work may take so many times what it takes on the reference core: a node of a twentieth of it, half of whose time goes to checks. */
export const SLOWEST = 40;
/** About a minute: for whatever does not grow with the work, such as bytes on their way. */
export const PATIENCE_TICKS = 78;
/** About 15 minutes: the service's own threads may have much else to do, and nobody takes their place. */
export const HOUSE_PATIENCE_TICKS = 1200;
/** However many segments a span claims to have, whoever checks it is waited for as for a minute of the reference core. */
const MOST_CHECK_WORK = 60e9;

/** Nothing was heard for so long of a node that could be heard. */
export function isSilent(heard: number, ticks: number, { tick, listeningSince }: World): boolean {
  return tick - Math.max(heard, listeningSince) >= ticks;
}

const slowTicks = (work: number): number => (SLOWEST * work) / Number(TICK_NS);
const graceOf = ({ owner }: NodeFacts): number => (owner === house ? HOUSE_PATIENCE_TICKS : PATIENCE_TICKS);

function segmentWork({ work }: MeshRun): number {
  return work ? Math.min(work.heaviest || work.segment, work.planned) : 0;
}

/** Ticks that a node may let pass before it shows the next segment, the purse being full. */
const purse = (run: MeshRun, node: NodeFacts): number => graceOf(node) + slowTicks(segmentWork(run));

export function firstDue(run: MeshRun, node: NodeFacts, { tick }: World): number {
  return tick + purse(run, node);
}

/** What was due while nobody could hear it is due when the purse is empty once more. */
function dueNow(run: MeshRun, lease: Lease, { listeningSince }: World): number {
  return Math.max(lease.due ?? Number.POSITIVE_INFINITY, listeningSince + purse(run, lease));
}

/** The lease with its purse full. */
export function afresh(run: MeshRun, lease: Lease, world: World): Lease {
  return { ...lease, due: firstDue(run, lease, world) };
}

/** Alive, and behind. */
export function isBehind(run: MeshRun, lease: Lease, world: World): boolean {
  return world.tick >= dueNow(run, lease, world);
}

/** The lease after it has shown so many segments. */
export function shown(run: MeshRun, lease: Lease, segments: number, world: World): Lease {
  const earned = slowTicks(segments * segmentWork(run));
  const due = Math.min(dueNow(run, lease, world) + earned, firstDue(run, lease, world));
  return { ...lease, heard: world.tick, due };
}

/** A check as its node knows it: fences of a run count up. */
export interface Asked {
  readonly run: string;
  readonly fence: number;
}

/**
 * Which of its waiting checks a node takes: the run that waits longest, and of that the check that was asked for first,
 * in whatever order they came, because that is how the time for them is counted.
 */
export function firstAsked<T extends Asked>(waiting: readonly T[]): T | undefined {
  const ofRun = waiting.filter(({ run }) => run === waiting[0]!.run);
  return ofRun.sort((a, b) => a.fence - b.fence)[0];
}

/** By when a check is to be answered that is asked for now: a node runs its checks one after the other. */
export function checkDue(
  run: MeshRun,
  node: NodeFacts,
  span: Span,
  through: number,
  { tick }: World,
): number {
  const others = run.spans.flatMap(({ checks }) =>
    checks.filter(({ id, claim }) => id === node.id && !claim),
  );
  const before = Math.max(tick, ...others.map(({ due }) => (due ?? 0) - graceOf(node)));
  return before + graceOf(node) + slowTicks(checkWork(run, span, through));
}

/** Alive without an answer. */
export function isCheckBehind({ asked, due }: Check, { tick, listeningSince }: World): boolean {
  return due !== undefined && tick >= Math.max(due, listeningSince + due - asked);
}

function checkWork(run: MeshRun, { from }: Span, through: number): number {
  const one = segmentWork(run);
  return Math.min(one * (through - from + 1), Math.max(one, MOST_CHECK_WORK));
}

/**
 * What is accepted tells how heavy segments are. Where the plan said that they are heavier, whoever has the lease or a
 * check was given time for that: from now on it has its whole time again, for what they really are.
 */
export function learnt(run: MeshRun, accepted: readonly Span[], world: World): MeshRun {
  if (!run.work) return run;
  let { heaviest, accepted: before } = run.work;
  for (const { claim, from, to } of accepted) {
    const after = Number(claim!.work);
    if (before !== undefined) heaviest = Math.max(heaviest, (after - before) / (to - from + 1));
    before = after;
  }
  const wiser = { ...run, work: { ...run.work, heaviest, accepted: before } };
  return segmentWork(wiser) < segmentWork(run) ? hurried(wiser, world) : wiser;
}

function hurried(run: MeshRun, world: World): MeshRun {
  const { lease } = run;
  const dues = duesNow(run, world);
  const spans = run.spans.map((span) => ({
    ...span,
    checks: span.checks.map((check) => ({ ...check, ...dues.get(check.fence) })),
  }));
  const due = lease && Math.min(lease.due ?? Number.POSITIVE_INFINITY, firstDue(run, lease, world));
  return { ...run, spans, ...(lease && { lease: { ...lease, due } }) };
}

/** By when each open check is due, by its fence; a node runs them in the order in which it was asked (`firstAsked`). */
function duesNow(run: MeshRun, { tick }: World): Map<number, { readonly due: number }> {
  const open = run.spans.flatMap((span) =>
    span.checks.filter(({ claim }) => !claim).map((check) => ({ span, check })),
  );
  const last = new Map<string, number>();
  const dues = new Map<number, { readonly due: number }>();
  for (const { span, check } of open.sort((a, b) => a.check.fence - b.check.fence)) {
    const grace = graceOf(check);
    const before = Math.max(tick, (last.get(check.id) ?? 0) - grace);
    const enough = before + grace + slowTicks(checkWork(run, span, check.through));
    const due = Math.min(check.due ?? Number.POSITIVE_INFINITY, enough);
    last.set(check.id, due);
    dues.set(check.fence, { due });
  }
  return dues;
}

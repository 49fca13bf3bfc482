import { declined, stillAlive } from './checks.ts';
import { andThen, type Decision, type Event, unchanged, type World } from './decision.ts';
import type { Refused } from './effects.ts';
import { ended } from './end.ts';
import { firstDue, isBehind, isSilent } from './pace.ts';
import {
  facts,
  frontier,
  house,
  type Lease,
  type MeshRun,
  type NodeFacts,
  nameOf,
  withoutNode,
} from './run.ts';

/** Who runs the next segments: one node at a time, as long as it lives and gets on. */

/** Without a sign of life for so many ticks (about 6 s) a lease is taken back. */
export const LEASE_TICKS = 8;
/** Leases that a node holds for each of its cores: of what it computes, and of what it begins next or still has to show. */
export const LEASES_PER_CORE = 2;
/**
 * Leases that may come to nothing on the same segment before nobody but the service itself is asked; before that so many
 * nodes may give it back unbegun.
 */
const MOST_FAILURES = 3;
/** Leases of the service itself that may lapse on the same segment before the run is given up. */
const MOST_HOUSE_FAILURES = 5;
/** Spans that may wait for their checks before the chain waits too. */
export const MOST_WAITING = 64;

export function lease(run: MeshRun, asking: Extract<Event, { kind: 'lease' }>, world: World): Decision {
  const { node, free } = asking;
  const { tick } = world;
  if (isOverdue(run, world)) return andThen(lapsed(run, world), (next) => lease(next, asking, world));
  if (isUnheard(run, node)) return granted({ ...run, lease: { ...run.lease, heard: tick } });
  const reason = whyNot(run, node) ?? (free > 0 || node.owner === house ? undefined : 'busy');
  if (reason) return unchanged(run, node.id, reason);
  const fence = run.fence + 1;
  const due = firstDue(run, node, world);
  const held: Lease = { ...facts(node), fence, from: frontier(run) + 1, heard: tick, due };
  return granted({ ...run, fence, lease: held });
}

export type Leased = MeshRun & { lease: Lease };

function granted(run: Leased): Decision {
  const { id, fence, from } = run.lease;
  return { run, effects: [{ kind: 'leased', node: id, fence, from }] };
}

/** A node that asks for what it has, and has shown nothing of, did not hear the answer: it hears the same again. */
function isUnheard(run: MeshRun, { id }: NodeFacts): run is Leased {
  return run.lease?.id === id && run.lease.from === frontier(run) + 1;
}

export function whyNot(run: MeshRun, node: NodeFacts): Refused | undefined {
  const { lease: held, spans, failed, excluded, payer, state } = run;
  if (state !== 'open') return 'ended';
  if (spans.at(-1)?.claim?.final) return 'complete';
  if (held) return 'leased';
  // What nobody could go on from may be false: its checks are waited for.
  if (spans.length >= (failed.length > 0 ? 1 : MOST_WAITING)) return 'waiting';
  if (node.owner === house) return undefined;
  if (node.owner === payer) return 'own';
  if (excluded.includes(node.id) || failed.includes(node.id)) return 'excluded';
  return failed.length >= MOST_FAILURES ? 'house-only' : undefined;
}

/** Whether there is a commitment that no claim stands behind yet. */
const hasCommitted = ({ spans }: MeshRun): boolean => spans.some(({ claim }) => claim === undefined);

/** Takes the lease back, and with it the commitment that no claim stands behind yet. */
export function withoutLease(run: MeshRun): MeshRun {
  const { lease: _, ...rest } = run;
  return { ...rest, spans: run.spans.filter(({ claim }) => claim !== undefined) };
}

export function holds(run: MeshRun, node: string, fence: number): run is Leased {
  return run.lease?.id === node && run.lease.fence === fence;
}

export function isOverdue(run: MeshRun, world: World): run is Leased {
  return isHeld(run) && (isSilent(run.lease.heard, LEASE_TICKS, world) || isStalled(run, world));
}

const isHeld = (run: MeshRun): run is Leased => run.lease !== undefined;

/** Alive, and nothing but itself holds it up. */
function isStalled(run: Leased, world: World): boolean {
  return isBehind(run, run.lease, world) && run.spans.length < MOST_WAITING;
}

export function lapsed(run: Leased, world: World): Decision {
  const { id, owner, fence } = run.lease;
  const isOut = isStalled(run, world) && owner !== house;
  const { run: next, effects } = failing(isOut ? withoutNode(run, id) : run, world.tick);
  return { run: next, effects: [{ kind: 'lost', node: id, fence, reason: 'lapsed' }, ...effects] };
}

/** A lease that came to nothing. */
function failing(run: Leased, tick: number): Decision {
  const failed = [...run.failed, nameOf(run.lease)];
  const next = { ...withoutLease(run), failed, movedTick: tick };
  const isHopeless = failed.filter((name) => name === house).length >= MOST_HOUSE_FAILURES;
  return isHopeless ? ended(next, 'failed') : { run: next, effects: [{ kind: 'ring' }] };
}

export function alive(
  run: MeshRun,
  { node, fence, from }: Extract<Event, { kind: 'alive' }>,
  { tick }: World,
): Decision {
  if (from !== undefined) return stillAlive(run, node, fence, from, tick);
  if (!holds(run, node, fence)) return unchanged(run, node, 'fenced');
  return { run: { ...run, lease: { ...run.lease, heard: tick } }, effects: [] };
}

/**
 * Who gives a lease back with nothing shown has failed too, or it could take it again and again: but not the first time,
 * where it has not begun: a run that was fetched ahead for a thread that went on is nobody's failure. That is so of a few
 * nodes only, because an account may have many. Where all before it was accepted, what the service cannot run nobody can,
 * and a node that cannot need not be asked again.
 */
export function release(
  run: MeshRun,
  { node, fence, from, failed }: Extract<Event, { kind: 'release' }>,
  world: World,
): Decision {
  if (from !== undefined) return declined(run, { node, fence, from, failed }, world);
  if (!holds(run, node, fence)) return { run, effects: [] };
  const freed = { ...withoutLease(run), movedTick: world.tick };
  const isHouse = run.lease.owner === house;
  const hasShown = frontier(freed) >= run.lease.from;
  if (!failed && (isHouse || hasShown)) return { run: freed, effects: [{ kind: 'ring' }] };
  const { returned = [] } = run;
  const mayReturn = !returned.includes(node) && returned.length < MOST_FAILURES;
  if (!failed && mayReturn && !hasCommitted(run))
    return { run: { ...freed, returned: [...returned, node] }, effects: [{ kind: 'ring' }] };
  if (!failed || freed.spans.length > 0) return failing(run, world.tick);
  if (isHouse) return ended(freed, 'failed');
  return failing(withoutNode(run, node), world.tick);
}

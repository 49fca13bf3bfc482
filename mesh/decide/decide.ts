import { fromHex } from '../../src/proof/bytes.ts';
import { drawnNumber } from './beacon.ts';
import { ask, askAgain, checked, stillAlive } from './checks.ts';
import { type Claim, isCommittedTo } from './claim.ts';
import type { Decision, Event, World } from './decision.ts';
import type { Effect, Refused } from './effects.ts';
import {
  facts,
  frontier,
  house,
  type Lease,
  type MeshRun,
  type NodeFacts,
  replaced,
  type Span,
} from './run.ts';
import { checkRate } from './trust.ts';

/**
 * Every decision of the mesh about a run: a pure function of (run, event, world), used by the service nodes, which
 * write its outcome with a compare-and-set in the store, and by the simulator. What it wants done stands in the
 * effects; they are done only after the new run is durable.
 */

/** Without a sign of life for so many ticks (about 6 s) a lease is taken back. */
export const LEASE_TICKS = 8;
/** What nobody took for so many ticks (about 3 s) the service's own threads take. */
export const HOUSE_TICKS = 4;
/** Nodes that may crash on the same segment before nobody but the service itself is asked. */
const MOST_FAILURES = 3;
/** Spans that may wait for their checks before the chain waits too. */
const MOST_WAITING = 64;

export function decide(run: MeshRun, event: Event, world: World): Decision {
  if (run.state !== 'open') return { run, effects: answered(event, 'ended') };
  switch (event.kind) {
    case 'lease':
      return lease(run, event.node, world);
    case 'alive':
      return alive(run, event, world);
    case 'release':
      return release(run, event, world);
    case 'commit':
      return commit(run, event, world);
    case 'reveal':
      return reveal(run, event, world);
    case 'checked':
      return settled(checked(run, event, world), world);
    case 'tick':
      return passed(run, world);
    case 'cancel':
      return ended(run, 'cancelled');
  }
}

const refusedTo = (node: string, reason: Refused): Effect => ({ kind: 'refused', node, reason });

function answered(event: Event, reason: Refused): Effect[] {
  if (event.kind === 'lease') return [refusedTo(event.node.id, reason)];
  return 'node' in event ? [refusedTo(event.node, reason)] : [];
}

// ---- leases --------------------------------------------------------------------------------------------

function lease(run: MeshRun, node: NodeFacts, world: World): Decision {
  const reason = whyNot(run, node, world.tick);
  if (reason) return { run, effects: [refusedTo(node.id, reason)] };
  const freed = withoutLease(run);
  const fence = run.fence + 1;
  const next: MeshRun = { ...freed, fence, lease: { ...facts(node), fence, heard: world.tick } };
  return { run: next, effects: [{ kind: 'leased', node: node.id, fence, from: frontier(freed) + 1 }] };
}

function whyNot(run: MeshRun, node: NodeFacts, tick: number): Refused | undefined {
  if (run.spans.at(-1)?.claim?.final) return 'complete';
  if (run.spans.length >= MOST_WAITING) return 'waiting';
  if (run.lease && tick - run.lease.heard < LEASE_TICKS) return 'leased';
  if (node.owner === house) return undefined;
  if (node.owner === run.payer) return 'own';
  if (run.excluded.includes(node.id)) return 'excluded';
  return run.failures >= MOST_FAILURES ? 'house-only' : undefined;
}

/** Takes the lease back, and with it the commitments that no claim stands behind yet. */
function withoutLease(run: MeshRun): MeshRun {
  const { lease: _, ...rest } = run;
  const open = run.spans.findIndex(({ claim }) => claim === undefined);
  return { ...rest, spans: open < 0 ? run.spans : run.spans.slice(0, open) };
}

function holds(run: MeshRun, node: string, fence: number): run is MeshRun & { lease: Lease } {
  return run.lease?.id === node && run.lease.fence === fence;
}

function alive(
  run: MeshRun,
  { node, fence, from }: Extract<Event, { kind: 'alive' }>,
  { tick }: World,
): Decision {
  if (from !== undefined) return stillAlive(run, node, fence, from, tick);
  if (!holds(run, node, fence)) return { run, effects: [refusedTo(node, 'fenced')] };
  return { run: { ...run, lease: { ...run.lease, heard: tick } }, effects: [] };
}

function release(
  run: MeshRun,
  { node, fence, failed }: Extract<Event, { kind: 'release' }>,
  world: World,
): Decision {
  if (!holds(run, node, fence)) return { run, effects: [] };
  if (failed && run.lease.owner === house) return ended(run, 'failed');
  const freed = withoutLease(run);
  const next = failed
    ? { ...freed, failures: run.failures + 1, excluded: [...run.excluded, node], movedTick: world.tick }
    : { ...freed, movedTick: world.tick };
  return { run: next, effects: [{ kind: 'ring' }] };
}

// ---- commit, then reveal -------------------------------------------------------------------------------

function commit(run: MeshRun, event: Extract<Event, { kind: 'commit' }>, { tick }: World): Decision {
  const { node, fence, from, to, commitment, atNs } = event;
  const before = run.spans.find((span) => span.fence === fence && span.from === from);
  if (before)
    return {
      run,
      effects: before.commitment === commitment ? [committed(before)] : [refusedTo(node, 'fenced')],
    };
  if (!holds(run, node, fence)) return { run, effects: [refusedTo(node, 'fenced')] };
  if (from !== frontier(run) + 1 || !(Number.isSafeInteger(to) && to >= from))
    return { run, effects: [refusedTo(node, 'out-of-order')] };
  const span: Span = {
    ...facts(run.lease),
    ...{ fence, from, to, commitment, committedNs: String(atNs), checks: [], sound: false },
  };
  const next = { ...run, lease: { ...run.lease, heard: tick }, spans: [...run.spans, span] };
  return { run: next, effects: [committed(span)] };
}

const committed = ({ id, fence, from }: Span): Effect => ({ kind: 'committed', node: id, fence, from });

function reveal(run: MeshRun, event: Extract<Event, { kind: 'reveal' }>, world: World): Decision {
  const { node, fence, claim, salt } = event;
  const index = run.spans.findIndex(
    (span) => span.id === node && span.fence === fence && span.from === claim.from,
  );
  const span = run.spans[index];
  if (!span) {
    const reason = claim.from <= run.accepted ? 'settled' : 'fenced';
    return { run, effects: [refusedTo(node, reason)] };
  }
  if (span.claim) return { run, effects: [] };
  if (!isHonestlyShown(span, claim, salt)) return faulted(run, index, world);
  const claimed: Span = { ...span, claim, sound: !isDrawn(run, span, world) };
  const heard = holds(run, node, fence) ? { lease: { ...run.lease, heard: world.tick } } : {};
  const next = replaced({ ...run, ...heard, failures: 0, movedTick: world.tick }, index, claimed);
  const done = claim.final && holds(next, node, fence) ? withoutLease(next) : next;
  return settled(
    claimed.sound ? { run: done, effects: [] } : ask(done, index, 'second', claim.to, world),
    world,
  );
}

function isHonestlyShown(span: Span, claim: Claim, salt: Uint8Array): boolean {
  const { from, to, digests } = claim;
  return (
    from === span.from &&
    to === span.to &&
    digests.length === to - from + 1 &&
    isCommittedTo(claim, salt, fromHex(span.commitment))
  );
}

/** A claim that its own commitment does not cover is no claim: the lease is over, the node is not asked again. */
function faulted(run: MeshRun, index: number, world: World): Decision {
  const { id } = run.spans[index]!;
  const { lease: _, ...rest } = run;
  const next = {
    ...rest,
    spans: run.spans.slice(0, index),
    excluded: [...run.excluded, id],
    movedTick: world.tick,
  };
  return {
    run: next,
    effects: [refusedTo(id, 'not-committed'), { kind: 'mismatched', node: id }, { kind: 'ring' }],
  };
}

/** The draw comes after the commitment, by a beacon that was not there when it was made. */
function isDrawn({ id, policy }: MeshRun, span: Span, { beacon, matches }: World): boolean {
  if (span.owner === house || policy === 'none') return false;
  if (policy === 'full') return true;
  return drawnNumber(beacon, `${id}/${span.from}`) < checkRate(matches(span.id));
}

// ---- time, and the end -----------------------------------------------------------------------------------

function passed(run: MeshRun, world: World): Decision {
  const { lease: held } = run;
  if (held && world.tick - held.heard >= LEASE_TICKS) {
    const freed = { ...withoutLease(run), movedTick: world.tick };
    return { run: freed, effects: [{ kind: 'lapsed', node: held.id }, { kind: 'ring' }] };
  }
  const again = askAgain(run, world);
  if (again) return settled(again, world);
  const isIdle = !held && !whyNot(run, world.house, world.tick);
  const waited = world.tick - run.movedTick;
  if (!isIdle || waited <= 0) return { run, effects: [] };
  return { run, effects: [{ kind: waited >= HOUSE_TICKS ? 'idle' : 'ring' }] };
}

/** Accepts what is sound, in order; a run whose last segment is accepted is done. */
function settled({ run, effects }: Decision, { tick }: World): Decision {
  if (run.state !== 'open') return { run, effects };
  const waiting = run.spans.findIndex(({ sound }) => !sound);
  const count = waiting < 0 ? run.spans.length : waiting;
  if (count === 0) return { run, effects };
  const ready = run.spans.slice(0, count);
  const last = ready[count - 1]!;
  const accepts = ready.map((span): Effect => ({ kind: 'accepted', span }));
  const next: MeshRun = { ...run, accepted: last.to, spans: run.spans.slice(count), movedTick: tick };
  if (!last.claim?.final) return { run: next, effects: [...effects, ...accepts] };
  const end = ended(next, 'done');
  return { run: end.run, effects: [...effects, ...accepts, ...end.effects] };
}

function ended(run: MeshRun, state: 'done' | 'failed' | 'cancelled'): Decision {
  const { lease: held, ...rest } = run;
  const fences: Effect[] = held && state !== 'done' ? [refusedTo(held.id, 'ended')] : [];
  return { run: { ...rest, state, spans: [] }, effects: [...fences, { kind: 'ended', state }] };
}

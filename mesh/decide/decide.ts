import { fromHex } from '../../src/proof/bytes.ts';
import { drawnNumber } from './beacon.ts';
import { ask, askAgain, checked, declined, lostChecks, stillAlive } from './checks.ts';
import { type Claim, isClaim, isCommittedTo, isDigest } from './claim.ts';
import { andThen, type Decision, type Event, type World } from './decision.ts';
import type { Effect, Refused } from './effects.ts';
import {
  facts,
  frontier,
  house,
  type Lease,
  type MeshRun,
  type NodeFacts,
  nameOf,
  replaced,
  type Span,
  withoutNode,
} from './run.ts';
import { checkRate } from './trust.ts';

/**
 * Every decision of the mesh about a run: a pure function of (run, event, world), used by the service nodes, which
 * write its outcome with a compare-and-set in the store, and by the simulator. What it wants done stands in the
 * effects.
 */

/** Without a sign of life for so many ticks (about 6 s) a lease is taken back. */
export const LEASE_TICKS = 8;
/** What nobody took for so many ticks (about 3 s) the service's own threads take. */
export const HOUSE_TICKS = 4;
/** Leases that may come to nothing on the same segment before nobody but the service itself is asked. */
const MOST_FAILURES = 3;
/** Leases of the service itself that may lapse on the same segment before the run is given up. */
const MOST_HOUSE_FAILURES = 5;
/** Spans that may wait for their checks before the chain waits too. */
const MOST_WAITING = 64;

export function decide(run: MeshRun, event: Event, world: World): Decision {
  if (run.state !== 'open') return { run, effects: answered(run, event) };
  switch (event.kind) {
    case 'lease':
      return lease(run, event.node, world);
    case 'alive':
      return alive(run, event, world);
    case 'release':
      return andThen(release(run, event, world), (next) => settled(next, world));
    case 'commit':
      return commit(run, event, world);
    case 'reveal':
      return andThen(reveal(run, event, world), (next) => settled(next, world));
    case 'checked':
      return andThen(checked(run, event, world), (next) => settled(next, world));
    case 'tick':
      return passed(run, world);
    case 'cancel':
      return ended(run, 'cancelled');
  }
}

const refusedTo = (node: string, reason: Refused): Effect => ({ kind: 'refused', node, reason });
const unchanged = (run: MeshRun, node: string, reason: Refused): Decision => ({
  run,
  effects: [refusedTo(node, reason)],
});

/** What a run that is over says. Whoever did not hear that its claim was kept may ask again for ever. */
function answered(run: MeshRun, event: Event): Effect[] {
  if (event.kind === 'tick' || event.kind === 'cancel') return [];
  if (event.kind === 'lease') return [refusedTo(event.node.id, 'ended')];
  const isKept = event.kind === 'reveal' && event.claim.from <= run.accepted;
  return [refusedTo(event.node, isKept ? 'settled' : 'ended')];
}

// ---- leases --------------------------------------------------------------------------------------------

function lease(run: MeshRun, node: NodeFacts, world: World): Decision {
  const { tick } = world;
  if (run.lease && isOverdue(run, tick))
    return andThen(lapsed(run, tick), (next) => lease(next, node, world));
  if (isUnheard(run, node)) return granted({ ...run, lease: { ...run.lease, heard: tick } });
  const reason = whyNot(run, node);
  if (reason) return unchanged(run, node.id, reason);
  const fence = run.fence + 1;
  const held: Lease = { ...facts(node), fence, from: frontier(run) + 1, heard: tick };
  return granted({ ...run, fence, lease: held, movedTick: tick });
}

type Leased = MeshRun & { lease: Lease };

function granted(run: Leased): Decision {
  const { id, fence, from } = run.lease;
  return { run, effects: [{ kind: 'leased', node: id, fence, from }] };
}

/** A node that asks for what it has, and has shown nothing of, did not hear the answer: it hears the same again. */
function isUnheard(run: MeshRun, { id }: NodeFacts): run is Leased {
  return run.lease?.id === id && run.lease.from === frontier(run) + 1;
}

function whyNot(run: MeshRun, node: NodeFacts): Refused | undefined {
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

/** Takes the lease back, and with it the commitment that no claim stands behind yet. */
function withoutLease(run: MeshRun): MeshRun {
  const { lease: _, ...rest } = run;
  return { ...rest, spans: run.spans.filter(({ claim }) => claim !== undefined) };
}

function holds(run: MeshRun, node: string, fence: number): run is Leased {
  return run.lease?.id === node && run.lease.fence === fence;
}

function isOverdue(run: MeshRun, tick: number): run is Leased {
  return run.lease !== undefined && (tick - run.lease.heard >= LEASE_TICKS || isStalled(run, tick));
}

/** Alive, and nothing but itself holds it up. */
function isStalled({ spans, patience, movedTick }: MeshRun, tick: number): boolean {
  return tick - movedTick >= patience && spans.length < MOST_WAITING;
}

function lapsed(run: Leased, tick: number): Decision {
  const { id, owner, fence } = run.lease;
  const isOut = isStalled(run, tick) && owner !== house;
  const { run: next, effects } = failing(isOut ? withoutNode(run, id) : run, tick);
  return { run: next, effects: [{ kind: 'lost', node: id, fence, reason: 'lapsed' }, ...effects] };
}

/** A lease that came to nothing. */
function failing(run: Leased, tick: number): Decision {
  const failed = [...run.failed, nameOf(run.lease)];
  const next = { ...withoutLease(run), failed, movedTick: tick };
  const isHopeless = failed.filter((name) => name === house).length >= MOST_HOUSE_FAILURES;
  return isHopeless ? ended(next, 'failed') : { run: next, effects: [{ kind: 'ring' }] };
}

function alive(
  run: MeshRun,
  { node, fence, from }: Extract<Event, { kind: 'alive' }>,
  { tick }: World,
): Decision {
  if (from !== undefined) return stillAlive(run, node, fence, from, tick);
  if (!holds(run, node, fence)) return unchanged(run, node, 'fenced');
  return { run: { ...run, lease: { ...run.lease, heard: tick } }, effects: [] };
}

/**
 * Who gives a lease back with nothing shown has failed too, or it could take it again and again. Where all before it
 * was accepted, what the service cannot run nobody can, and a node that cannot need not be asked again.
 */
function release(
  run: MeshRun,
  { node, fence, from, failed }: Extract<Event, { kind: 'release' }>,
  world: World,
): Decision {
  if (from !== undefined) return declined(run, node, fence, from, world);
  if (!holds(run, node, fence)) return { run, effects: [] };
  const freed = { ...withoutLease(run), movedTick: world.tick };
  const isHouse = run.lease.owner === house;
  const hasShown = frontier(freed) >= run.lease.from;
  if (!failed && (isHouse || hasShown)) return { run: freed, effects: [{ kind: 'ring' }] };
  if (!failed || freed.spans.length > 0) return failing(run, world.tick);
  if (isHouse) return ended(freed, 'failed');
  return failing(withoutNode(run, node), world.tick);
}

// ---- commit, then reveal -------------------------------------------------------------------------------

function commit(run: MeshRun, event: Extract<Event, { kind: 'commit' }>, { tick }: World): Decision {
  const { node, fence, from, to, commitment, atNs } = event;
  if (!holds(run, node, fence)) return unchanged(run, node, 'fenced');
  if (from <= run.accepted) return unchanged(run, node, 'settled');
  const before = run.spans.find((span) => span.fence === fence && span.from === from);
  if (before?.commitment === commitment) return { run, effects: [committed(before)] };
  const reason = whyNotCommitted(run, from, to, commitment);
  if (reason) return unchanged(run, node, reason);
  const span: Span = {
    ...facts(run.lease),
    ...{ fence, from, to, commitment, committedNs: String(atNs), checks: [], sound: false },
  };
  const next = { ...run, lease: { ...run.lease, heard: tick }, spans: [...run.spans, span] };
  return { run: next, effects: [committed(span)] };
}

function whyNotCommitted(run: MeshRun, from: number, to: number, commitment: string): Refused | undefined {
  if (!isDigest(commitment)) return 'not-committed';
  const isNext = from === frontier(run) + 1 && Number.isSafeInteger(to) && to >= from;
  if (!isNext || run.spans.some(({ claim }) => !claim)) return 'out-of-order';
  return run.spans.length >= MOST_WAITING ? 'waiting' : undefined;
}

const committed = ({ id, fence, from }: Span): Effect => ({ kind: 'committed', node: id, fence, from });

function reveal(run: MeshRun, event: Extract<Event, { kind: 'reveal' }>, world: World): Decision {
  const { node, fence, claim, salt } = event;
  const index = run.spans.findIndex(
    (span) => span.id === node && span.fence === fence && span.from === claim.from,
  );
  const span = run.spans[index];
  if (!span) return unchanged(run, node, claim.from <= run.accepted ? 'settled' : 'fenced');
  if (span.claim) return { run, effects: [] };
  if (!isHonestlyShown(span, claim, salt)) return faulted(run, index, world);
  const isChecked = isDrawn(run, span, world);
  const claimed: Span = { ...span, claim, drawnNs: String(world.beaconNs), sound: !isChecked };
  const next = replaced({ ...run, movedTick: world.tick }, index, claimed);
  const kept = claim.final ? withoutLease(next) : { ...next, lease: { ...run.lease!, heard: world.tick } };
  return isChecked ? ask(kept, index, 'second', claim.to, world) : { run: kept, effects: [] };
}

function isHonestlyShown(span: Span, claim: Claim, salt: Uint8Array): boolean {
  return (
    isClaim(claim) &&
    claim.from === span.from &&
    claim.to === span.to &&
    isCommittedTo(claim, salt, fromHex(span.commitment))
  );
}

/** A claim that its own commitment does not cover is no claim: the lease is over, the node is not asked again. */
function faulted(run: MeshRun, index: number, { tick }: World): Decision {
  const { id } = run.spans[index]!;
  const next = { ...withoutNode(withoutLease(run), id), movedTick: tick };
  return {
    run: next,
    effects: [refusedTo(id, 'not-committed'), { kind: 'mismatched', node: id }, { kind: 'ring' }],
  };
}

/** Where the clocks of two service nodes leave it open whether the beacon came after the commitment, it is checked. */
function isDrawn({ id, policy }: MeshRun, span: Span, { beacon, beaconNs, matches }: World): boolean {
  if (span.owner === house || policy === 'none') return false;
  if (policy === 'full' || beaconNs <= BigInt(span.committedNs)) return true;
  return drawnNumber(beacon, `${id}/${span.from}`) < checkRate(matches(span.id));
}

// ---- time, and the end -----------------------------------------------------------------------------------

function passed(run: MeshRun, world: World): Decision {
  const freed = isOverdue(run, world.tick) ? lapsed(run, world.tick) : { run, effects: [] };
  const asked = andThen(freed, (next) => askAgain(next, world));
  const after = andThen(asked, (next) => settled(next, world));
  return andThen(after, (next) => ({ run: next, effects: rung(next, world) }));
}

/** A run that nobody has is named again in each tick, and after a while to the service itself. */
function rung(run: MeshRun, { tick, house: own }: World): Effect[] {
  const waited = tick - run.movedTick;
  if (waited <= 0 || whyNot(run, own)) return [];
  return waited < HOUSE_TICKS ? [{ kind: 'ring' }] : [{ kind: 'ring' }, { kind: 'idle' }];
}

/** Accepts what is sound, in order; a run whose last segment is accepted is done. */
function settled(run: MeshRun, { tick }: World): Decision {
  const waiting = run.spans.findIndex(({ sound }) => !sound);
  const count = waiting < 0 ? run.spans.length : waiting;
  if (run.state !== 'open' || count === 0) return { run, effects: [] };
  const ready = run.spans.slice(0, count);
  const last = ready[count - 1]!;
  const spans = run.spans.slice(count);
  const next: MeshRun = { ...run, accepted: last.to, spans, failed: [], movedTick: tick };
  const accepts: Decision = { run: next, effects: ready.map((span): Effect => ({ kind: 'accepted', span })) };
  return last.claim?.final ? andThen(accepts, (over) => ended(over, 'done')) : accepts;
}

function ended(run: MeshRun, state: 'done' | 'failed' | 'cancelled'): Decision {
  const { lease: held, ...rest } = run;
  const lost: Effect[] = held ? [{ kind: 'lost', node: held.id, fence: held.fence, reason: 'ended' }] : [];
  return {
    run: { ...rest, state, spans: [] },
    effects: [...lost, ...lostChecks(run.spans, 'ended'), { kind: 'ended', state }],
  };
}

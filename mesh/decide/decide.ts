import { fromHex } from '../../src/proof/bytes.ts';
import { drawnNumber } from './beacon.ts';
import { ask, askAgain, checked, doubted } from './checks.ts';
import { type Claim, isClaim, isCommittedTo, isDigest } from './claim.ts';
import { andThen, type Decision, type Event, unchanged, type World } from './decision.ts';
import { withoutWord } from './doubt.ts';
import type { Effect, Refused } from './effects.ts';
import { ended } from './end.ts';
import {
  alive,
  holds,
  isOverdue,
  lapsed,
  lease,
  MOST_WAITING,
  release,
  whyNot,
  withoutLease,
} from './leases.ts';
import { afresh, learnt, shown } from './pace.ts';
import { facts, frontier, house, type MeshRun, replaced, type Span } from './run.ts';
import { checkRate } from './trust.ts';

/**
 * Every decision of the mesh about a run: a pure function of (run, event, world), used by the service nodes, which
 * write its outcome with a compare-and-set in the store, and by the simulator. What it wants done stands in the
 * effects.
 */

/** What nobody took for so many ticks (about 3 s) the service's own threads take. */
export const HOUSE_TICKS = 4;

export function decide(run: MeshRun, event: Event, world: World): Decision {
  if (run.state !== 'open') return { run, effects: answered(run, event) };
  switch (event.kind) {
    case 'lease':
      return lease(run, event, world);
    case 'alive':
      return alive(run, event, world);
    case 'release':
      return release(run, event, world);
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

const refused = (node: string, reason: Refused): Effect => ({ kind: 'refused', node, reason });

/** What a run that is over says. Whoever did not hear that its claim was kept may ask again for ever. */
function answered(run: MeshRun, event: Event): Effect[] {
  if (event.kind === 'tick' || event.kind === 'cancel') return [];
  if (event.kind === 'lease') return [refused(event.node.id, 'ended')];
  const isKept = event.kind === 'reveal' && event.claim.from <= run.accepted;
  return [refused(event.node, isKept ? 'settled' : 'ended')];
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
  const isChecked = isDrawn(run, span, claim, world);
  const claimed: Span = { ...span, claim, drawnNs: String(world.beaconNs), sound: !isChecked };
  const next = replaced(run, index, claimed);
  const segments = claim.to - claim.from + 1;
  const kept = claim.final ? withoutLease(next) : { ...next, lease: shown(run, run.lease!, segments, world) };
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
function faulted(run: MeshRun, index: number, world: World): Decision {
  const { id } = run.spans[index]!;
  const next = { ...withoutWord(withoutLease(run), id), movedTick: world.tick };
  const effects: Effect[] = [
    refused(id, 'not-committed'),
    { kind: 'mismatched', node: id },
    { kind: 'ring' },
  ];
  return andThen({ run: next, effects }, (doubting) => doubted(doubting, world));
}

/**
 * Where the clocks of two service nodes leave it open whether the beacon came after the commitment, it is checked; so
 * is what took more work than the whole run was planned with, as segments behind the end of a run do; and what a node
 * still shows that was found out meanwhile.
 */
function isDrawn(
  { id, policy, work, distrusted = [] }: MeshRun,
  span: Span,
  claim: Claim,
  world: World,
): boolean {
  const { beacon, beaconNs, matches } = world;
  if (span.owner === house || policy === 'none') return false;
  if (policy === 'full' || distrusted.includes(span.id) || beaconNs <= BigInt(span.committedNs)) return true;
  if (work && Number(claim.work) > work.planned) return true;
  return drawnNumber(beacon, `${id}/${span.from}`) < checkRate(matches(span.id));
}

// ---- time, and the end -----------------------------------------------------------------------------------

function passed(run: MeshRun, world: World): Decision {
  const freed = isOverdue(run, world) ? lapsed(run, world) : { run, effects: [] };
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
function settled(run: MeshRun, world: World): Decision {
  const waiting = run.spans.findIndex(({ sound }) => !sound);
  const count = waiting < 0 ? run.spans.length : waiting;
  if (run.state !== 'open' || count === 0) return { run, effects: [] };
  const ready = run.spans.slice(0, count);
  const last = ready[count - 1]!;
  const spans = run.spans.slice(count);
  const { returned: _, ...rest } = run;
  const next: MeshRun = { ...rest, accepted: last.to, spans, failed: [], movedTick: world.tick };
  // While too many wait, the node that could go on waits with them.
  const lease = next.lease && run.spans.length >= MOST_WAITING ? afresh(next, next.lease, world) : next.lease;
  const accepts: Decision = {
    run: learnt(lease ? { ...next, lease } : next, ready, world),
    effects: ready.map((span): Effect => ({ kind: 'accepted', span })),
  };
  return last.claim?.final ? andThen(accepts, (over) => ended(over, 'done')) : accepts;
}

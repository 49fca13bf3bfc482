import type { Transaction } from '../../src/store/store.ts';
import type { Claim } from '../decide/claim.ts';
import type { Decision } from '../decide/decision.ts';
import { type Effect, isDeed, type SegmentVerdict } from '../decide/effects.ts';
import type { Check, MeshRun, Span } from '../decide/run.ts';
import { meshSpans, meshTrust, meshUnpaid, meshVerdicts } from '../records.ts';
import type { Credits, SignVerdict } from './ports.ts';
import { lastSpan, pendingName, type StoredRun, saveRun } from './run-rows.ts';

/** What writing a decision needs beside the transaction. */
export interface Writing {
  readonly credits: Credits;
  readonly signVerdict: SignVerdict;
  readonly nowNs: bigint;
}

/** Objects that came with a reveal: they are named here only after they were written whole. */
export type NewObject = { readonly name: string; readonly bytes: string } | undefined;

/** Writes a decision and everything that must stand or fall with it. @returns false when another was quicker */
export async function writeDecision(
  tx: Transaction,
  stored: StoredRun,
  { run, effects }: Decision,
  object: NewObject,
  writing: Writing,
): Promise<boolean> {
  const known = object ? { ...stored.pending, [object.name]: object.bytes } : stored.pending;
  const alive = new Set(run.spans.map(pendingName));
  const pending = Object.fromEntries(Object.entries(known).filter(([name]) => alive.has(name)));
  const before = new WorkBefore(
    stored,
    hasDeeds(stored.machine, run, effects) ? await lastSpan(tx, run.id) : undefined,
  );
  let { credited } = stored;
  for (const effect of effects) {
    if (effect.kind !== 'accepted') continue;
    await accept(tx, stored, effect.span, known[pendingName(effect.span)] ?? '', before, credited, writing);
    credited = Math.max(credited, effect.span.to);
  }
  for (const effect of effects) await record(tx, stored, effect, before, writing);
  await explainLosses(tx, stored.machine, run, effects, before, writing);
  return saveRun(tx, stored, run, { pending, credited });
}

/** Whether work is paid by this decision, or lost: what came before it matters then. */
const hasDeeds = (before: MeshRun, after: MeshRun, effects: readonly Effect[]): boolean =>
  effects.some(isDeed) || after.spans.length < before.spans.length;

/** Work counters count from the start of a run: what a span did is the difference to the one before it. */
class WorkBefore {
  readonly #ends = new Map<number, bigint>();

  constructor({ sheet, machine }: StoredRun, last: { readonly claim: Claim } | undefined) {
    this.#ends.set(machine.accepted, BigInt((last?.claim ?? sheet.start)?.work ?? 0));
    for (const { claim } of machine.spans) if (claim) this.#ends.set(claim.to, BigInt(claim.work));
  }

  /** Work of a claim alone; never negative, whatever a node claims. */
  of(claim: Claim): bigint {
    const done = BigInt(claim.work) - (this.#ends.get(claim.from - 1) ?? 0n);
    return done > 0n ? done : 0n;
  }
}

async function accept(
  tx: Transaction,
  { machine }: StoredRun,
  span: Span,
  bytes: string,
  before: WorkBefore,
  credited: number,
  { credits, nowNs }: Writing,
): Promise<void> {
  const { id: node, owner, from, to } = span;
  const work = before.of(span.claim!);
  await tx.put(meshSpans, {
    run: machine.id,
    from_segment: BigInt(from),
    to_segment: BigInt(to),
    node,
    owner,
    claim: span.claim!,
    bytes,
    work,
    drawn_ns: span.drawnNs === undefined ? null : BigInt(span.drawnNs),
    accepted_ns: nowNs,
  });
  if (from <= credited || work === 0n) return;
  const { payer, id: run } = machine;
  await credits.credit(tx, {
    node,
    owner,
    run,
    payer,
    from,
    to,
    work,
    kind: 'segment',
    fence: 0,
    atNs: nowNs,
  });
}

async function record(
  tx: Transaction,
  stored: StoredRun,
  effect: Effect,
  before: WorkBefore,
  writing: Writing,
): Promise<void> {
  const { kernel } = stored.sheet;
  switch (effect.kind) {
    case 'worked':
      return creditCheck(tx, stored.machine, effect.check, before, writing);
    case 'matched': {
      const key = { node: effect.node, kernel };
      const row = await tx.get(meshTrust, key);
      return tx.put(meshTrust, { ...key, matches: (row?.matches ?? 0n) + 1n });
    }
    case 'mismatched':
      return tx.put(meshTrust, { node: effect.node, kernel, matches: 0n });
    case 'verdict':
      return writeVerdict(tx, stored, effect.verdict, writing);
    default:
      return;
  }
}

async function creditCheck(
  tx: Transaction,
  { id: run, payer }: MeshRun,
  check: Check,
  before: WorkBefore,
  { credits, nowNs }: Writing,
): Promise<void> {
  const { id: node, owner, fence, claim } = check;
  const work = before.of(claim!);
  if (work === 0n) return;
  const { from, to } = claim!;
  await credits.credit(tx, { node, owner, run, payer, from, to, work, kind: 'check', fence, atNs: nowNs });
}

async function writeVerdict(
  tx: Transaction,
  { machine, sheet }: StoredRun,
  content: SegmentVerdict,
  { credits, signVerdict, nowNs }: Writing,
): Promise<void> {
  const id = `${machine.id}-${content.segment}-${content.challenger.fence}`;
  const { kernel, runHash } = sheet;
  await tx.insert(meshVerdicts, {
    id,
    run: machine.id,
    segment: BigInt(content.segment),
    outcome: content.outcome,
    faulty: content.faulty.join(','),
    note: signVerdict({ id, run: machine.id, kernel, runHash, content, atNs: nowNs }),
    decided_ns: nowNs,
  });
  for (const node of content.faulty) await credits.withhold(tx, { node, verdict: id, atNs: nowNs });
}

/** A claim that goes without being accepted is work that nobody pays: its node reads here why. */
async function explainLosses(
  tx: Transaction,
  before: MeshRun,
  after: MeshRun,
  effects: readonly Effect[],
  works: WorkBefore,
  { nowNs }: Writing,
): Promise<void> {
  const kept = new Set([
    ...after.spans.map(pendingName),
    ...effects.flatMap((effect) => (effect.kind === 'accepted' ? [pendingName(effect.span)] : [])),
  ]);
  const refuted = new Set(
    effects.flatMap((effect) => (effect.kind === 'verdict' ? effect.verdict.faulty : [])),
  );
  for (const span of before.spans) {
    if (!span.claim || kept.has(pendingName(span))) continue;
    const reason = refuted.has(span.id) ? 'refuted' : after.state === 'open' ? 'behind-refuted' : after.state;
    await tx.put(meshUnpaid, {
      node: span.id,
      at_ns: nowNs,
      run: before.id,
      from_segment: BigInt(span.from),
      work: works.of(span.claim),
      reason,
    });
  }
}

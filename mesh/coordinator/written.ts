import type { Transaction } from '../../src/store/store.ts';
import type { Decision } from '../decide/decision.ts';
import { witnessOf } from '../decide/doubt.ts';
import { type Effect, isDeed, type SegmentVerdict } from '../decide/effects.ts';
import { type Payment, paymentsFor } from '../decide/pay.ts';
import type { Check, MeshRun, Span } from '../decide/run.ts';
import { meshSpans, meshTrust, meshVerdicts } from '../records.ts';
import { forfeit } from './forfeit.ts';
import { type KnownRun, lastOf } from './known-runs.ts';
import { isLoss, losses, writeUnpaid } from './losses.ts';
import type { Credits, WriteVerdict, WrittenVerdict } from './ports.ts';
import { type Pending, pendingName, type StoredRun, saveRun, termsOf } from './run-rows.ts';
import { WorkBefore } from './work-before.ts';

/** What writing a decision needs beside the transaction. */
export interface Writing {
  readonly credits: Credits;
  readonly writeVerdict: WriteVerdict;
  /** Verdicts that are told of once the transaction is durable. */
  readonly verdicts: WrittenVerdict[];
  readonly nowNs: bigint;
}

/** Objects that came with a reveal: they are named here only after they were written whole. */
export type NewObject = { readonly name: string; readonly bytes: string } | undefined;

/**
 * Writes a decision and everything that must stand or fall with it: the run first, so that nothing else of it is
 * written where another was quicker.
 *
 * @returns the run as it stands now, or undefined where another was quicker
 */
export async function writeDecision(
  tx: Transaction,
  known: KnownRun,
  { run, effects }: Decision,
  object: NewObject,
  writing: Writing,
): Promise<KnownRun | undefined> {
  const { stored } = known;
  const objects = object ? { ...stored.pending, [object.name]: object.bytes } : stored.pending;
  if (!hasDeeds(stored.machine, run, effects)) {
    const saved = await saveRun(tx, stored, {
      machine: run,
      pending: pendingOf(run, objects),
      paid: stored.paid,
    });
    return saved && { stored: saved, last: known.last };
  }
  return writeDeeds(tx, known, { run, effects }, objects, writing);
}

/** Work is accepted, paid, lost or found wrong. */
async function writeDeeds(
  tx: Transaction,
  known: KnownRun,
  { run, effects }: Decision,
  objects: Pending,
  writing: Writing,
): Promise<KnownRun | undefined> {
  const { stored } = known;
  const { nowNs } = writing;
  const last = (await lastOf(tx, known)) ?? null;
  const before = new WorkBefore(stored, last ?? undefined);
  const accepted = effects.flatMap((effect) => (effect.kind === 'accepted' ? [effect.span] : []));
  const payments = paymentsFor(accepted, stored.paid, (claim) => before.of(claim));
  const paid = payments.at(-1)?.paid ?? stored.paid;
  const saved = await saveRun(tx, stored, { machine: run, pending: pendingOf(run, objects), paid });
  if (!saved) return undefined;
  const bytesOf = (span: Span) => objects[pendingName(span)] ?? '';
  for (const span of accepted) await accept(tx, run.id, span, bytesOf(span), before, writing);
  for (const payment of payments) await pay(tx, stored, payment, writing);
  for (const effect of effects) await record(tx, { stored, last }, effect, before, writing);
  if (effects.some(({ kind }) => kind === 'mismatched'))
    await forfeit(tx, stored, run.distrusted ?? [], writing);
  for (const loss of losses(stored.machine, { run, effects }, before))
    await writeUnpaid(tx, run.id, loss, nowNs);
  const end = accepted.at(-1);
  return { stored: saved, last: end ? { claim: end.claim!, bytes: bytesOf(end) } : last };
}

function pendingOf({ spans }: MeshRun, objects: Pending): Pending {
  if (Object.keys(objects).length === 0) return objects;
  const alive = new Set(spans.map(pendingName));
  return Object.fromEntries(Object.entries(objects).filter(([name]) => alive.has(name)));
}

/** Whether work is paid by this decision, or lost: what came before it matters then. */
const hasDeeds = (before: MeshRun, after: MeshRun, effects: readonly Effect[]): boolean =>
  effects.some((effect) => isDeed(effect) || isLoss(effect)) || after.spans.length < before.spans.length;

async function accept(
  tx: Transaction,
  run: string,
  span: Span,
  bytes: string,
  before: WorkBefore,
  { nowNs }: Writing,
): Promise<void> {
  const { id: node, owner, from, to } = span;
  await tx.put(meshSpans, {
    run,
    from_segment: BigInt(from),
    to_segment: BigInt(to),
    node,
    owner,
    claim: span.claim!,
    bytes,
    work: before.of(span.claim!),
    drawn_ns: span.drawnNs === undefined ? null : BigInt(span.drawnNs),
    checked_by: witnessOf(span.checks),
    accepted_ns: nowNs,
  });
}

/** What of it was paid before, and is nobody's to be paid for again, is named to whoever ran it again. */
async function pay(
  tx: Transaction,
  { job, sheet, machine }: StoredRun,
  { span, first, again }: Payment,
  { credits, nowNs: atNs }: Writing,
): Promise<void> {
  const { id: node, owner } = span;
  const { id: run, payer } = machine;
  const of = { node, owner, run, payer, ...termsOf(job, sheet), kind: 'segment', fence: 0, atNs } as const;
  if (first.work > 0n) await credits.credit(tx, { ...of, ...first });
  if (again.work === 0n) return;
  const work = again.work - (await credits.creditAgain(tx, { ...of, ...again }));
  if (work > 0n)
    await writeUnpaid(tx, run, { node, owner, from: span.from, work, reason: 'paid-before' }, atNs);
}

async function record(
  tx: Transaction,
  known: KnownRun,
  effect: Effect,
  before: WorkBefore,
  writing: Writing,
): Promise<void> {
  const { stored } = known;
  const { kernel } = stored.sheet;
  switch (effect.kind) {
    case 'worked':
      return creditCheck(tx, stored, effect.check, before, writing);
    case 'matched': {
      const key = { node: effect.node, kernel };
      const row = await tx.get(meshTrust, key);
      return tx.put(meshTrust, { ...key, matches: (row?.matches ?? 0n) + 1n });
    }
    case 'mismatched':
      return tx.put(meshTrust, { node: effect.node, kernel, matches: 0n });
    case 'verdict':
      return recordVerdict(tx, known, effect.verdict, writing);
    default:
      return;
  }
}

async function creditCheck(
  tx: Transaction,
  { job, sheet, machine: { id: run, payer } }: StoredRun,
  check: Check,
  before: WorkBefore,
  { credits, nowNs }: Writing,
): Promise<void> {
  const { id: node, owner, fence, claim } = check;
  const work = before.of(claim!);
  if (work === 0n) return;
  const { from, to } = claim!;
  const done = { node, owner, run, payer, from, to, work, ...termsOf(job, sheet) };
  await credits.credit(tx, { ...done, kind: 'check', fence, atNs: nowNs });
}

async function recordVerdict(
  tx: Transaction,
  known: KnownRun,
  content: SegmentVerdict,
  { credits, writeVerdict, verdicts, nowNs }: Writing,
): Promise<void> {
  const { machine, sheet } = known.stored;
  const id = `${machine.id}-${content.segment}-${content.challenger.fence}`;
  const { kernel, runHash, stepsPerSegment } = sheet;
  const before = digestBefore(known, content.span.from);
  const of = { id, run: machine.id, kernel, runHash, stepsPerSegment, before };
  const written = await writeVerdict(tx, { ...of, content, atNs: nowNs });
  verdicts.push(written);
  await tx.insert(meshVerdicts, {
    id,
    run: machine.id,
    segment: BigInt(content.segment),
    outcome: content.outcome,
    faulty: content.faulty.join(','),
    note: written.note,
    node: written.node,
    leaf_index: BigInt(written.index),
    decided_ns: nowNs,
  });
  for (const node of content.faulty) await credits.withhold(tx, { node, verdict: id, atNs: nowNs });
}

/** D of the segment before one that waits: of the span before it, or of what was accepted last. */
function digestBefore({ stored: { machine, sheet }, last }: KnownRun, from: number): string | undefined {
  const waiting = machine.spans.find(({ to }) => to === from - 1)?.claim;
  const claim = waiting ?? last?.claim;
  if (claim?.to === from - 1) return claim.digests.at(-1);
  return sheet.start?.segment === from - 1 ? sheet.start.digest : undefined;
}

import type { Transaction } from '../../src/store/store.ts';
import type { Claim } from '../decide/claim.ts';
import type { Decision } from '../decide/decision.ts';
import { type Effect, isDeed, type SegmentVerdict } from '../decide/effects.ts';
import type { Check, MeshRun, Span } from '../decide/run.ts';
import { meshSpans, meshTrust, meshVerdicts } from '../records.ts';
import { doubtful } from './doubts.ts';
import { type KnownRun, lastOf } from './known-runs.ts';
import { isLoss, losses, writeUnpaid } from './losses.ts';
import type { CreditedWork, Credits, WriteVerdict, WrittenVerdict } from './ports.ts';
import {
  type PaidThrough,
  type Pending,
  pendingName,
  type RunSheet,
  type StoredRun,
  saveRun,
} from './run-rows.ts';
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
  const payments = paymentsFor(accepted, stored.paid, before);
  const paid = payments.at(-1)?.paid ?? stored.paid;
  const saved = await saveRun(tx, stored, { machine: run, pending: pendingOf(run, objects), paid });
  if (!saved) return undefined;
  const bytesOf = (span: Span) => objects[pendingName(span)] ?? '';
  for (const span of accepted) await accept(tx, run.id, span, bytesOf(span), before, writing);
  for (const payment of payments) await pay(tx, stored, payment, writing);
  for (const effect of effects) await record(tx, { stored, last }, effect, before, writing);
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
    checked_by: checkedBy(span),
    accepted_ns: nowNs,
  });
}

/** What checks of an accepted span say is the same for all of it, but of a second that was refuted, which comes first. */
const checkedBy = ({ checks }: Span): string | null => checks.findLast(({ claim }) => claim)?.id ?? null;

/** What a span is paid, and how far the run is paid for with it. */
interface Payment {
  readonly span: Span;
  /** First segment that is paid. */
  readonly from: number;
  readonly work: bigint;
  /** Work that was paid before, to whoever ran it then. */
  readonly before: bigint;
  readonly paid: PaidThrough;
}

/**
 * Pays for what of a span was not paid before, from its first such segment on: after a loss spans are cut otherwise,
 * and one may begin before where the pay had come to. What of it was paid before is named to whoever ran it again.
 */
function paymentsFor(accepted: readonly Span[], begun: PaidThrough, before: WorkBefore): Payment[] {
  let paid = begun;
  return accepted.map((span) => {
    const { to, claim } = span;
    const whole = before.of(claim!);
    const work = to <= paid.segment ? 0n : span.from > paid.segment ? whole : workBehind(paid, claim!, whole);
    const from = Math.max(span.from, paid.segment + 1);
    if (to > paid.segment) paid = { segment: to, work: BigInt(claim!.work) };
    return { span, from, work, before: whole - work, paid };
  });
}

async function pay(
  tx: Transaction,
  { job, sheet, machine }: StoredRun,
  { span, from, work, before }: Payment,
  { credits, nowNs: atNs }: Writing,
): Promise<void> {
  const { id: node, owner, to } = span;
  const { id: run, payer } = machine;
  const done = { node, owner, run, payer, from, to, work, ...termsOf(job, sheet) };
  if (work > 0n) await credits.credit(tx, { ...done, kind: 'segment', fence: 0, atNs });
  if (before > 0n)
    await writeUnpaid(tx, run, { node, owner, from: span.from, work: before, reason: 'paid-before' }, atNs);
}

/** What the run was planned with, and the job that pays where one does. */
const termsOf = (
  job: string,
  { work, class: jobClass }: RunSheet,
): Pick<CreditedWork, 'planned' | 'job'> => ({
  planned: BigInt(Math.ceil(work)),
  ...(jobClass.startsWith('paid') && { job }),
});

/** Work of a span behind the segment that was paid for last; nothing where nobody wrote down what came before. */
function workBehind({ work: counted }: PaidThrough, { work }: Claim, whole: bigint): bigint {
  const behind = counted === undefined ? 0n : BigInt(work) - counted;
  return behind < 0n ? 0n : behind < whole ? behind : whole;
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
  for (const node of content.faulty) {
    await credits.withhold(tx, { node, verdict: id, atNs: nowNs });
    // Nobody vouches for what it did where nobody looked.
    for (const { from_segment, to_segment } of await doubtful(tx, machine.id, [node])) {
      const [from, through] = [Number(from_segment), Number(to_segment)];
      await credits.takeBack(tx, { node, run: machine.id, from, through, atNs: nowNs });
    }
  }
}

/** D of the segment before one that waits: of the span before it, or of what was accepted last. */
function digestBefore({ stored: { machine, sheet }, last }: KnownRun, from: number): string | undefined {
  const waiting = machine.spans.find(({ to }) => to === from - 1)?.claim;
  const claim = waiting ?? last?.claim;
  if (claim?.to === from - 1) return claim.digests.at(-1);
  return sheet.start?.segment === from - 1 ? sheet.start.digest : undefined;
}

import type { Claim } from './claim.ts';
import { isDoubtful, type Vouched } from './doubt.ts';
import type { Span } from './run.ts';

/**
 * What is owed for accepted segments: each is paid once, to who ran it. What is run again after a loss was paid for
 * before, unless the service's own threads had run it, or that pay was taken back since.
 */

export interface Segments {
  readonly from: number;
  readonly to: number;
}

/** How far a run was paid for. */
export interface PaidThrough {
  /** Last segment that was. */
  readonly segment: number;
  /** The work counter at its end; undefined where no version before this one wrote it down. */
  readonly work: bigint | undefined;
}

/** Segments of a run, their work, and the run's work counter at their end. */
export interface PaidWork extends Segments {
  readonly work: bigint;
  readonly counter: bigint;
}

export interface Payment {
  readonly span: Span;
  /** What of it nobody was ever paid for. */
  readonly first: PaidWork;
  /** What of it somebody was paid for before. */
  readonly again: PaidWork;
  /** How far the run is paid for with it. */
  readonly paid: PaidThrough;
}

/**
 * Spans are cut otherwise after a loss, and one may begin before where the pay had come to.
 * @param workOf work of a claim alone
 */
export function paymentsFor(
  accepted: readonly Span[],
  begun: PaidThrough,
  workOf: (claim: Claim) => bigint,
): Payment[] {
  let paid = begun;
  return accepted.map((span) => {
    const { from, to } = span;
    const claim = span.claim!;
    const counter = BigInt(claim.work);
    const whole = workOf(claim);
    const work = to <= paid.segment ? 0n : from > paid.segment ? whole : workBehind(paid, counter, whole);
    const first = { from: Math.max(from, paid.segment + 1), to, work, counter };
    const before = { to: Math.min(to, paid.segment), work: whole - work, counter: counter - work };
    if (to > paid.segment) paid = { segment: to, work: counter };
    return { span, first, again: { from, ...before }, paid };
  });
}

/** Work behind the segment that was paid for last; nothing where nobody wrote down what came before. */
function workBehind({ work: counted }: PaidThrough, counter: bigint, whole: bigint): bigint {
  const behind = counted === undefined ? 0n : counter - counted;
  return behind < 0n ? 0n : behind < whole ? behind : whole;
}

/** A line of pay. */
export interface PaidLine extends Omit<PaidWork, 'counter'> {
  /** Null where a version before 0.7.0 wrote the line. */
  readonly counter: bigint | null;
  readonly isTakenBack: boolean;
}

/** What of these segments nobody is paid for, in order: that was taken back, or the service's own threads had run it. */
export function owed(done: PaidWork, lines: readonly PaidLine[]): PaidWork[] {
  const ends = countersWithin(done, lines);
  const parts: PaidWork[] = [];
  for (let i = 1; i < ends.length; i++) {
    const [[before, began], [to, counter]] = [ends[i - 1]!, ends[i]!];
    const isPaid = lines.some((line) => !line.isTakenBack && line.from <= to && line.to > before);
    if (isPaid || counter <= began) continue;
    const last = parts.at(-1);
    if (last?.to === before)
      parts[parts.length - 1] = { ...last, to, work: last.work + counter - began, counter };
    else parts.push({ from: before + 1, to, work: counter - began, counter });
  }
  return parts;
}

/** Segments at whose ends the pay may change, with the counter there: what is done now says where it began and ended. */
function countersWithin({ from, to, work, counter }: PaidWork, lines: readonly PaidLine[]) {
  const began = counter - work;
  const ends = new Map([
    [from - 1, began],
    [to, counter],
  ]);
  for (const line of lines) {
    const known: [number, bigint | null][] = [
      [line.from - 1, line.counter === null ? null : line.counter - line.work],
      [line.to, line.counter],
    ];
    for (const [end, at] of known)
      if (at !== null && end >= from && end < to && !ends.has(end))
        ends.set(end, at < began ? began : at < counter ? at : counter);
  }
  return [...ends].sort(([a], [b]) => a - b);
}

/** After a loss spans are cut otherwise: a line of pay may begin before what is in doubt, or end behind it. */
export const overlap = (one: Segments, other: Segments): boolean =>
  one.from <= other.to && other.from <= one.to;

/** An accepted span, as far as its pay goes. */
export interface VouchedSpan extends Vouched, Segments {}

/**
 * Segments for which a node that was found wrong is not paid: all but what it has in the run and somebody else has run
 * too, in the order of the run; also what the run went back behind.
 */
export function forfeited(
  node: string,
  spans: readonly VouchedSpan[],
  distrusted: readonly string[],
): { readonly from: number; readonly through?: number }[] {
  const kept = spans.filter((span) => span.node === node && !isDoubtful(span, distrusted));
  const gaps = [0, ...kept.map(({ to }) => to + 1)].map((from, i) => {
    const next = kept[i];
    return next ? { from, through: next.from - 1 } : { from };
  });
  return gaps.filter(({ from, through = from }) => through >= from);
}

import { sha256 } from '#crypto';
import { toHex, utf8 } from '../../src/proof/bytes.ts';
import type { Told } from './merge.ts';

/**
 * Coherence is measured: service nodes tell each other digests of what they hold, and a node compares them with what
 * it holds itself of the same ticks. Subjects fall into 64 buckets by their hash; a bucket whose digests differ counts
 * as different with all its subjects. So the share is never too high, and exact while no two subjects share a bucket.
 */
export const BUCKETS = 64;
/** Events of so many ticks are compared. */
export const COMPARED_TICKS = 120;
/** What is younger than this (about 3 s) may still be under way, and is not compared yet. */
export const SETTLE_TICKS = 4;

export interface Bucket {
  readonly bucket: number;
  readonly count: number;
  /** First 8 bytes of SHA-256 over the ids of the bucket's events, as hexadecimal text in order; hexadecimal. */
  readonly digest: string;
}

const known = new WeakMap<Told, number>();

function bucketOf(event: Told): number {
  const { kind, subject } = event;
  const bucket = known.get(event) ?? sha256(utf8(`${kind} ${subject}`))[0]! % BUCKETS;
  known.set(event, bucket);
  return bucket;
}

/** Digests of the events with through − 120 < tick ≤ through; reports of digests are left out. */
export function heldDigests(events: Iterable<Told>, through: number): Bucket[] {
  const ids = new Map<number, string[]>();
  for (const event of events) {
    if (event.kind === 'held-digests' || event.tick > through || event.tick <= through - COMPARED_TICKS)
      continue;
    const bucket = bucketOf(event);
    const others = ids.get(bucket);
    if (others) others.push(event.id);
    else ids.set(bucket, [event.id]);
  }
  return [...ids]
    .sort(([a], [b]) => a - b)
    .map(([bucket, inBucket]) => ({ bucket, count: inBucket.length, digest: digestOf(inBucket) }));
}

const digestOf = (ids: readonly string[]): string => toHex(sha256(utf8(ids.toSorted().join(''))).slice(0, 8));

export interface Agreement {
  /** Subjects on which both say the same. */
  readonly same: number;
  /** Subjects that either holds. */
  readonly all: number;
}

/** How much two reports of the same ticks agree. A bucket's subjects are as many as the fuller side says. */
export function agreement(own: readonly Bucket[], other: readonly Bucket[]): Agreement {
  const theirs = new Map(other.map((bucket) => [bucket.bucket, bucket]));
  let [same, all] = [0, 0];
  for (const { bucket, count, digest } of own) {
    const match = theirs.get(bucket);
    theirs.delete(bucket);
    all += Math.max(count, match?.count ?? 0);
    if (match?.digest === digest) same += count;
  }
  for (const { count } of theirs.values()) all += count;
  return { same, all };
}

/** The share of subjects on which the peers agree with this node; null while nothing was compared. */
export function coherenceScore(agreements: readonly Agreement[]): number | null {
  const all = agreements.reduce((sum, each) => sum + each.all, 0);
  const same = agreements.reduce((sum, each) => sum + each.same, 0);
  return all === 0 ? null : same / all;
}

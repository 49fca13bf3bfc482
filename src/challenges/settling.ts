import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../errors/refusal.ts';
import { toHex } from '../proof/bytes.ts';
import {
  type ChallengeVerdict,
  type Executed,
  judged,
  type SegmentsClaim,
  saysTheSame,
} from '../proof/challenge-verdict.ts';
import type { Digest } from '../proof/job.ts';
import { type Claim, type Dispute, type End, segmentsOf } from './claims.ts';
import { DigestTree } from './digest-tree.ts';
import type { OwnExecution } from './own-execution.ts';
import type { Party, Provenance, SegmentRun, SegmentWork, ThirdExecution } from './ports.ts';
import type { SealedRun } from './sealed-run.ts';
import { sameRun } from './through-segment.ts';

/** Thirds that the service's own run may contradict before its own run decides alone. */
const MOST_THIRDS = 3;

/** A third that is slower than the service's own run by more than this, and than the least, is not waited for. */
const SLOWER = 10;
const LEAST_PATIENCE_MS = 60_000;

export interface Disputed {
  readonly job: string;
  readonly run: number;
  readonly challenger: string;
  readonly sealed: SealedRun;
  readonly claim: Claim;
  readonly dispute: Dispute;
  /** Bytes of memory that a run may take. */
  readonly memory: number;
}

export interface ExecutionParts {
  readonly own: OwnExecution;
  readonly third: ThirdExecution;
  readonly provenance: Provenance;
}

/** What the executions came to: the part of the verdict that is about the segments. */
export type Found = Pick<
  ChallengeVerdict,
  | 'outcome'
  | 'from'
  | 'through'
  | 'before'
  | 'agreed'
  | 'sealed'
  | 'challenger'
  | 'third'
  | 'service'
  | 'faulty'
>;

/**
 * Runs the disputed segments on a node that is neither side, where there is one, and in any case here; compares both
 * with what the sides claim. A third that the service's own run contradicts is no third, and another is asked.
 */
export async function settled(
  disputed: Disputed,
  parts: ExecutionParts,
  signal: AbortSignal,
): Promise<Found> {
  const { from, through } = segmentsOf(disputed.dispute);
  const parties = await parts.provenance.computedBy(disputed.job, disputed.run, { from, through });
  const work = await segmentWork(disputed, parties);
  const begun = performance.now();
  const own = await parts.own.run(work, signal);
  const patienceMs = Math.max(LEAST_PATIENCE_MS, SLOWER * (performance.now() - begun));
  const service = executed(own, disputed);
  const sides = sidesOf(disputed);
  const agreed = isAgreed(own, disputed);
  const outcome = judged(sides, service, agreed);
  if (outcome === 'not_reproducible') await runAgain(work, own, parts.own, signal);
  const ask = (asked: SegmentWork) => inTime((stop) => parts.third.run(asked, stop), patienceMs, signal);
  const judge = (run: SegmentRun, isSame: boolean) =>
    parts.third.judged?.(run, isSame ? BigInt(own.end.work) : undefined);
  const third = await matchingThird(work, disputed, service, ask, judge);
  signal.throwIfAborted();
  const nodes = [...new Set(parties.map(({ node }) => node))];
  // Of several nodes that computed a span of segments nobody can say which was wrong: then nobody is slashed.
  const faulty = outcome === 'contributor_wrong' && nodes.length === 1 ? nodes : [];
  const digests = { before: digestBefore(own, disputed), agreed };
  return { outcome, from, through, ...digests, ...sides, third, service, faulty };
}

async function segmentWork(
  { sealed, challenger, dispute, memory }: Disputed,
  parties: readonly Party[],
): Promise<SegmentWork> {
  const { kernel, stepsPerSegment, work } = sealed.entry;
  const { through } = segmentsOf(dispute);
  const parameters = await sealed.parameters();
  return {
    ...{ kernel, parameters, stepsPerSegment, memory, work: Number(work), through },
    sides: {
      nodes: parties.map(({ node }) => node),
      owners: [...new Set([...parties.map(({ owner }) => owner), challenger, sealed.account])],
    },
  };
}

/** What both sides claim of the segments: of the run's last one, its result and work too. */
function sidesOf({ sealed: { claim: sealed }, claim, dispute }: Disputed) {
  const isLast = segmentsOf(dispute).through === sealed.segments;
  const ends = (end: End) => endIn(isLast, end);
  return {
    sealed: { hash: dispute.sealed, ...ends(sealed) },
    challenger: { hash: dispute.claimed, ...ends(claim) },
  };
}

function executed(run: SegmentRun, { dispute, sealed }: Disputed): Executed {
  return { ...claimOfRun(run, dispute, sealed.claim), node: run.node, engine: run.engine };
}

/** What an execution says of the segments. */
export function claimOfRun(
  { digests, end }: Pick<SegmentRun, 'digests' | 'end'>,
  dispute: Pick<Dispute, 'from' | 'count'>,
  { level, segments }: { readonly level: number; readonly segments: number },
): SegmentsClaim {
  const { from, through } = segmentsOf(dispute);
  const tree = DigestTree.over(digests.slice(from, through + 1), level);
  return { hash: tree.root, ...endIn(through === segments, end) };
}

/** Of the run, where the segments are its last. */
export function endIn(isLast: boolean, { resultHash, work, segments }: End): Omit<SegmentsClaim, 'hash'> {
  return isLast ? { resultHash, work, segments } : { resultHash: null, work: null, segments: null };
}

/** Whether an execution came to the dispute by the digests on which both sides agree. */
function isAgreed({ digests }: SegmentRun, { sealed, dispute }: Disputed): boolean {
  return sealed.tree.startsLike(DigestTree.over(digests, sealed.claim.level), dispute.from);
}

/** D_(from−1) as an execution found it. */
function digestBefore({ digests }: SegmentRun, { dispute: { from } }: Disputed): Digest | null {
  const found = digests[from - 1];
  return found ? toHex(found) : null;
}

/** Nothing is taken back because this machine erred once. @throws Refusal KERNEL_CRASHED where two runs differ */
async function runAgain(
  work: SegmentWork,
  first: SegmentRun,
  own: OwnExecution,
  signal: AbortSignal,
): Promise<void> {
  if (!sameRun(await own.run(work, signal), first))
    throw new Refusal('KERNEL_CRASHED', 'Two executions of the segment on this machine differ.');
}

async function matchingThird(
  work: SegmentWork,
  disputed: Disputed,
  service: Executed,
  ask: (work: SegmentWork) => Promise<SegmentRun | undefined>,
  judge: (run: SegmentRun, isSame: boolean) => Promise<void> | undefined,
): Promise<Executed | null> {
  const nodes = [...work.sides.nodes];
  for (let asked = 0; asked < MOST_THIRDS; asked++) {
    const run = await ask({ ...work, sides: { ...work.sides, nodes: [...nodes] } });
    if (!run) return null;
    const third = executed(run, disputed);
    const isSame = saysTheSame(third, service);
    await judge(run, isSame);
    if (isSame) return third;
    nodes.push(run.node);
  }
  return null;
}

/** What is asked for, unless it fails, or takes too long, or the node goes down: then it is told to stop. */
async function inTime<T>(
  ask: (stop: AbortSignal) => Promise<T>,
  ms: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const patience = delay(ms, undefined, { signal: stop });
  try {
    return await Promise.race([ask(stop).catch(() => undefined), patience.catch(() => undefined)]);
  } finally {
    over.abort();
  }
}

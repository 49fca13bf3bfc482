import type { Decimal } from './envelope.ts';
import type { Digest } from './job.ts';
import { boolean, count, decimal, digest, list, nullable, record, string, word } from './shape.ts';

// The statement `svc-verdict-1` (docs/protocol.md, 'Challenges and revocation'): all that a stranger with the answer
// needs to run the disputed segment again and judge for himself.

export const outcomes = ['contributor_wrong', 'challenger_wrong', 'not_reproducible'] as const;
export type ChallengeOutcome = (typeof outcomes)[number];

/** What somebody says of the segments from … through of a run. */
export interface SegmentsClaim {
  /** The node of the run's digest tree over D_from … D_through: of one segment the leaf hash of its D. */
  readonly hash: Digest;
  /** Of the run, where `through` is its last segment; else null. */
  readonly resultHash: Digest | null;
  readonly work: Decimal | null;
  /** The segment with which it ended; one more than were sealed where it would go on. */
  readonly segments: number | null;
}

/** A claim of somebody who ran the segments. */
export interface Executed extends SegmentsClaim {
  readonly node: string;
  /** WebAssembly engine and processor. */
  readonly engine: string;
}

export interface ChallengeVerdict {
  readonly challenge: string;
  readonly outcome: ChallengeOutcome;
  /** In a sentence. */
  readonly detail: string;
  readonly revoked: boolean;
  /** The sealed result: `envelope` is the leaf hash of its envelope. */
  readonly of: {
    readonly envelope: Digest;
    readonly node: string;
    readonly token_id: string;
    readonly jobRoot: Digest;
    readonly engine_version: string;
  };
  readonly run: number;
  readonly kernel: Digest;
  readonly runHash: Digest;
  readonly stepsPerSegment: number;
  /** n of the run. */
  readonly segments: number;
  /** The first segment on which the two sides differ; a span where the answer lists nodes instead of digests. */
  readonly from: number;
  readonly through: number;
  /** D_(from−1) as the service found it, on which both sides agree; null for segment 0. */
  readonly before: Digest | null;
  /** Whether what stands before `from` came out as both sides have it. */
  readonly agreed: boolean;
  readonly sealed: SegmentsClaim;
  readonly challenger: SegmentsClaim;
  /** An execution on a node that is neither side; null where none was to be had. */
  readonly third: Executed | null;
  /** The execution by who signs. */
  readonly service: Executed;
  /** Contributors whose bond is withheld. */
  readonly faulty: readonly string[];
  readonly node: string;
  readonly engine_version: string;
  readonly tick: number;
  readonly t_ns: Decimal;
}

const claim = {
  hash: digest,
  resultHash: nullable(digest),
  work: nullable(decimal),
  segments: nullable(count),
};
const executed = record({ ...claim, node: string, engine: string });

const verdictShape = record({
  challenge: string,
  outcome: word(...outcomes),
  detail: string,
  revoked: boolean,
  of: record({ envelope: digest, node: string, token_id: string, jobRoot: digest, engine_version: string }),
  run: count,
  kernel: digest,
  runHash: digest,
  stepsPerSegment: count,
  segments: count,
  from: count,
  through: count,
  before: nullable(digest),
  agreed: boolean,
  sealed: record(claim),
  challenger: record(claim),
  third: nullable(executed),
  service: executed,
  faulty: list(string),
  node: string,
  engine_version: string,
  tick: count,
  t_ns: decimal,
});

/** The content of a statement as a verdict. @throws Refusal INVALID_INPUT with the place of what is wrong */
export function readVerdict(content: unknown): ChallengeVerdict {
  verdictShape(content, '');
  return content as ChallengeVerdict;
}

const compared = ['hash', 'resultHash', 'work', 'segments'] as const;

export const saysTheSame = (one: SegmentsClaim, other: SegmentsClaim): boolean =>
  compared.every((name) => one[name] === other[name]);

/**
 * Who is right, by what an execution gave (CONTRIB-06, CONTRIB-07).
 * @param agreed whether it came to `from` by the digests on which both sides agree
 */
export function judged(
  { sealed, challenger }: Pick<ChallengeVerdict, 'sealed' | 'challenger'>,
  found: SegmentsClaim,
  agreed: boolean,
): ChallengeOutcome {
  if (!agreed) return 'not_reproducible';
  if (saysTheSame(found, sealed)) return 'challenger_wrong';
  return saysTheSame(found, challenger) ? 'contributor_wrong' : 'not_reproducible';
}

/** A sealed result stands only where the segment came out as it was sealed. */
export const overturns = (outcome: ChallengeOutcome): outcome is 'contributor_wrong' | 'not_reproducible' =>
  outcome !== 'challenger_wrong';

/** A verdict's leaf in the log: what its note signs. @param statement canonical JSON */
export const verdictLeaf = (statement: string): string => `svc-verdict-1\n${statement}\n`;

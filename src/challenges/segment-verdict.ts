import { type Claim, isClaim } from '../../mesh/decide/claim.ts';
import type { Outcome } from '../../mesh/decide/effects.ts';
import { outcomes } from '../proof/challenge-verdict.ts';
import type { Decimal } from '../proof/envelope.ts';
import type { Digest } from '../proof/job.ts';
import { count, decimal, digest, list, nullable, record, string, unreadable, word } from '../proof/shape.ts';

// The statement `svc-segment-verdict-1` (docs/protocol.md, §13): a dispute between two executions within a run, before
// anything is sealed. Whoever has an answer with the run in it can run it again, as with a verdict of a challenge.

/** An execution, and all that its node said of its segments. */
export interface Said {
  readonly node: string;
  /** WebAssembly engine and processor. */
  readonly engine: string;
  readonly claim: Claim;
}

export interface SegmentVerdictStatement {
  /** Its id. */
  readonly verdict: string;
  readonly outcome: Outcome;
  /** In a sentence. */
  readonly detail: string;
  /** Job and index of the run in it. */
  readonly run: string;
  readonly kernel: Digest;
  readonly runHash: Digest;
  readonly stepsPerSegment: number;
  /** First segment of the span, and the first on which the two sides differ. */
  readonly from: number;
  readonly segment: number;
  /** D_(from−1), from which all of them went on; null for segment 0. */
  readonly before: Digest | null;
  readonly contributor: Said;
  readonly challenger: Said;
  readonly third: Said;
  /** The execution by who signs; null where that is one of the others. */
  readonly service: Said | null;
  /** Nodes whose bond is withheld. */
  readonly faulty: readonly string[];
  readonly node: string;
  readonly engine_version: string;
  readonly tick: number;
  readonly t_ns: Decimal;
}

const claim = (value: unknown, at: string): void => {
  const isRead = typeof value === 'object' && value !== null && isClaim(value as Claim);
  if (!isRead) unreadable(at, 'a claim of segments');
};
const said = record({ node: string, engine: string, claim });

const shape = record({
  verdict: string,
  outcome: word(...outcomes),
  detail: string,
  run: string,
  kernel: digest,
  runHash: digest,
  stepsPerSegment: count,
  from: count,
  segment: count,
  before: nullable(digest),
  contributor: said,
  challenger: said,
  third: said,
  service: nullable(said),
  faulty: list(string),
  node: string,
  engine_version: string,
  tick: count,
  t_ns: decimal,
});

/** The content of a statement as a verdict. @throws Refusal INVALID_INPUT with the place of what is wrong */
export function readSegmentVerdict(content: unknown): SegmentVerdictStatement {
  shape(content, '');
  return content as SegmentVerdictStatement;
}

/** Its leaf in the log: what its note signs. @param statement canonical JSON */
export const segmentVerdictLeaf = (statement: string): string => `svc-segment-verdict-1\n${statement}\n`;

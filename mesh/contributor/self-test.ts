import { printableWord } from '../../src/errors/printable.ts';
import { fromBase64, toHex } from '../../src/proof/bytes.ts';
import { digestsOfRun } from '../../src/proof/digests.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Executor } from '../../workers/executor.ts';
import { FIRST_ERROR } from '../../workers/kernel-host.ts';

/**
 * What a node is asked before it may take work: whether its engine gives, to the bit, what every other engine gives.
 * The questions hold no answers; who asks has computed its own.
 */
export interface SelfTestQuestion {
  /** What it probes, in a few words; no two alike. */
  readonly probe: string;
  readonly kernel: Digest;
  /** Base 64. */
  readonly parameters: string;
  readonly stepsPerSegment: number;
  /** Run through this segment, unless it ends before. */
  readonly segments: number;
  /** Bytes of memory that the run may take. */
  readonly memory: number;
}

export interface SelfTestAnswer {
  readonly probe: string;
  readonly kernel: Digest;
  /** Leaf of the run (docs/protocol.md, 'Run and digests'): all its digests, its result and its work. */
  readonly leaf: Digest;
}

/** Runs every question. @throws Refusal KERNEL_CRASHED · LIMIT_EXCEEDED of a question that cannot be run here */
export async function answerSelfTest(
  questions: readonly SelfTestQuestion[],
  pool: Executor,
  onAnswer: (done: number) => void = () => undefined,
): Promise<SelfTestAnswer[]> {
  let done = 0;
  return Promise.all(
    questions.map(async (question) => {
      const answer = await answerTo(question, pool);
      onAnswer(++done);
      return answer;
    }),
  );
}

async function answerTo(question: SelfTestQuestion, pool: Executor): Promise<SelfTestAnswer> {
  const { probe, kernel, stepsPerSegment, segments, memory } = question;
  const spec = { kernel, parameters: fromBase64(question.parameters), stepsPerSegment, memory, work: 0 };
  const run = await pool.execute(spec, { untilSegment: segments });
  // After an error the result counts for nothing: engines do not agree on the bits of a NaN.
  const result = run.status >= FIRST_ERROR ? new Uint8Array(0) : run.result;
  return { probe, kernel, leaf: toHex(digestsOfRun({ ...run, result }).leaf) };
}

/** Where answers part from what they should be for the first time, in a sentence; undefined where nowhere. */
export function firstSelfTestDifference(
  expected: readonly SelfTestAnswer[],
  answers: readonly SelfTestAnswer[],
): string | undefined {
  if (answers.length !== expected.length)
    return `${answers.length} answers were given to ${expected.length} questions`;
  const at = expected.findIndex((right, i) => !isSame(right, answers[i]!));
  if (at < 0) return undefined;
  const [right, given] = [expected[at]!, answers[at]!];
  return `${right.probe} (kernel ${right.kernel.slice(0, 12)}…) leads to ${short(given.leaf)}, and elsewhere to ${short(right.leaf)}`;
}

const isSame = (a: SelfTestAnswer, b: SelfTestAnswer): boolean =>
  a.probe === b.probe && a.kernel === b.kernel && a.leaf === b.leaf;

const short = (digest: Digest): string => `${printableWord(digest).slice(0, 16)}…`;

import { endOf } from '../../src/challenges/claims.ts';
import { DigestTree } from '../../src/challenges/digest-tree.ts';
import { firstDispute, narrowedBy } from '../../src/challenges/opening.ts';
import { claimOfRun } from '../../src/challenges/settling.ts';
import { modulation } from '../../src/clock/pulse.ts';
import { toHex, utf8 } from '../../src/proof/bytes.ts';
import { type ChallengeVerdict, judged, verdictLeaf } from '../../src/proof/challenge-verdict.ts';
import { leafHash } from '../../src/proof/merkle.ts';
import { leafHashOf, revocationText } from '../../src/proof/revocation.ts';
import { signStatement } from '../../src/proof/statement.ts';
import { exampleAnswer, exampleRuns, exampleSigner } from './example-job.ts';
import { wrapped } from './wrapped.ts';

const segment = 2;
const tNs = 1_700_000_100_000_000_000n;
const challenge = `chl_${'0'.repeat(31)}1`;

/** Of docs/protocol.md, 'Challenges and revocation': run 0 of the example, contested by somebody who invents D_2. */
export function challengeExamples(): Record<string, string> {
  const run = exampleRuns()[0]!;
  const sealed = DigestTree.over(run.digests, 0);
  const claimed = DigestTree.over(run.digests.with(segment, new Uint8Array(32).fill(7)), 0);
  const lines = [
    `sealed   D_0 … D_3 as in §2, root ${sealed.root}`,
    `claimed  the same but for D_2 = ${'07'.repeat(32)}, root ${claimed.root}`,
  ];
  const { kernel, runHash, stepsPerSegment } = run;
  const end = endOf(run, 3);
  const whole = { ...end, kernel, runHash, stepsPerSegment, level: 0 };
  let dispute = firstDispute({ ...whole, root: sealed.root }, { ...end, root: claimed.root }, sealed);
  while (dispute.children) {
    const { from, count } = dispute;
    const shown = claimed.children(from, count);
    lines.push(
      `leaves ${from} to ${from + count - 1}`,
      `  sealed  ${dispute.children.left} ${dispute.children.right}`,
      `  claimed ${shown.left} ${shown.right}`,
    );
    dispute = narrowedBy(dispute, shown, sealed);
  }
  lines.push(`leaf ${dispute.from}`, `  sealed  ${dispute.sealed}`, `  claimed ${dispute.claimed}`);
  const { statement } = signStatement(exampleSigner, 'svc-verdict-1', { ...verdict(dispute) });
  const leaf = revocation(statement);
  return {
    search: lines.join('\n'),
    'challenge verdict': `${wrapped(statement)}\nleaf hash ${hashOf(verdictLeaf(statement))}`,
    revocation: `${leaf}leaf hash ${hashOf(leaf)}`,
  };
}

const hashOf = (text: string): string => toHex(leafHash(utf8(text)));

function verdict(dispute: { sealed: string; claimed: string }): ChallengeVerdict {
  const [run, { answer }] = [exampleRuns()[0]!, exampleAnswer()];
  const { kernel, runHash, stepsPerSegment, digests } = run;
  const { node, token_id, jobRoot, engine_version } = answer.envelope;
  const ran = { first: 0, digests: digests.slice(0, segment + 1), end: endOf(run, segment) };
  const found = claimOfRun(ran, { from: segment, count: 1 }, { level: 0, segments: 3 });
  const none = { resultHash: null, work: null, segments: null };
  const sides = {
    sealed: { hash: dispute.sealed, ...none },
    challenger: { hash: dispute.claimed, ...none },
  };
  return {
    ...{ challenge, outcome: judged(sides, found, true), revoked: false },
    detail: 'segment 2 came out as it was sealed and not as the challenger says',
    of: { envelope: leafHashOf(answer.envelope), node, token_id: token_id!, jobRoot, engine_version },
    ...{ run: 0, kernel, runHash, stepsPerSegment, segments: 3, from: segment, through: segment },
    ...{ before: toHex(digests[segment - 1]!), agreed: true, ...sides, third: null },
    service: { ...found, node, engine: 'an engine on a processor' },
    ...{ faulty: [], node, engine_version, tick: modulation(0, tNs).tick, t_ns: String(tNs) },
  };
}

/** As it would read if leaf 3 of the log, the verdict, had found the contributor wrong. */
function revocation(statement: string): string {
  const { envelope, receipt } = exampleAnswer().answer;
  return revocationText({
    ...{ envelope: leafHashOf(envelope), index: receipt.log.index, token_id: envelope.token_id! },
    ...{ outcome: 'contributor_wrong', challenge, verdict: hashOf(verdictLeaf(statement)), verdict_index: 3 },
    ...{ node: envelope.node, tick: modulation(0, tNs).tick, t_ns: String(tNs) },
  });
}

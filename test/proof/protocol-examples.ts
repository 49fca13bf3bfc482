import { hmacKey, sha256 } from '#crypto';
import { pulseSine } from '../../src/clock/pulse.ts';
import { concat, fromHex, toHex, u32le, u64le, utf8 } from '../../src/proof/bytes.ts';
import { canonicalText } from '../../src/proof/canonical.ts';
import { logProofText } from '../../src/proof/checkpoint.ts';
import { leafOfRun, runLeaf, segmentDigest } from '../../src/proof/digests.ts';
import { envelopeBytes, proofPreimage } from '../../src/proof/envelope.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { leafHash, merkleRoot } from '../../src/proof/merkle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { shownOf } from '../../src/proof/shown-hash.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { challengeExamples } from './challenge-examples.ts';
import {
  exampleAnswer,
  exampleHmacKey,
  exampleRuns,
  exampleVkey,
  triangle,
  triangleDigest,
} from './example-job.ts';
import { wrapped } from './wrapped.ts';

/** The worked examples of docs/protocol.md, by the name that stands before each block of the page. */
export function protocolExamples(): Record<string, string> {
  const runs = exampleRuns();
  const { answer } = exampleAnswer();
  const { envelope, receipt } = answer;
  const v1 = proofPreimage({ ...envelope, generation: 'v1' })!;
  const v3 = proofPreimage(envelope)!;
  const leaf = envelopeBytes(envelope);
  return {
    kernel: `${wrapped(Buffer.from(triangle).toString('base64'))}\nsha256 ${triangleDigest}`,
    'run hash': runHashExample(runs[0]!),
    segments: segmentsExample(runs[0]!),
    'run leaf': runLeafExample(runs[0]!),
    'job root': [
      ...runs.map((run, i) => `run leaf ${i}  ${toHex(leafOfRun(run))}`),
      `jobRoot     ${toHex(merkleRoot(runs.map(leafOfRun)))}`,
    ].join('\n'),
    verdict: verdictExample(runs[1]!),
    clock: clockExample(),
    envelope: wrapped(new TextDecoder().decode(leaf)),
    shown: wrapped(canonicalText(shownOf(answer, readAnswer(answer).runs))),
    proofs: [
      wrapped(new TextDecoder().decode(v3)),
      `v3 ${toHex(hmacKey(exampleHmacKey).mac(v3))}`,
      wrapped(new TextDecoder().decode(v1)),
      `v1 ${toHex(hmacKey(exampleHmacKey).mac(v1))}`,
    ].join('\n'),
    'verifier key': exampleVkey,
    'log proof': [
      `leaf hash ${toHex(leafHash(leaf))}`,
      '',
      logProofText(receipt.log).replace(/\n$/, ''),
    ].join('\n'),
    receipt: JSON.stringify(receipt, null, 2),
    ...challengeExamples(),
    canonical: `${canonicalText({ b: [1, 0.1, 1e21, 1e-7, 100000, -0], a: 'é\n"\u0007' })}`,
    answer: JSON.stringify(answer, null, 1),
  };
}

function runHashExample(run: FinishedRun): string {
  const parameters = Uint8Array.from(Buffer.from('0000000000002440', 'hex'));
  const pieces = [utf8('SVC-RUN-1\0'), fromHex(run.kernel), u64le(8), parameters, u64le(4)];
  return `${pieces.map(toHex).join('\n')}\nSHA-256 of all ${toHex(sha256(concat(pieces)))}`;
}

/** States at the ends of segments, found by driving the kernel. */
function segmentsExample(run: FinishedRun): string {
  const kernel = instantiateKernel(new WebAssembly.Module(triangle));
  const parameters = Uint8Array.from(Buffer.from('0000000000002440', 'hex'));
  const lines: string[] = [];
  driveRun(
    kernel,
    { kernel: triangleDigest, parameters, stepsPerSegment: 4, memory: 65_536, work: 10 },
    {
      atSegmentEnd: (at) => {
        const [state, rows] = [at.state(), at.rows[at.segment]!];
        const end = {
          segment: at.segment,
          steps: at.steps,
          status: at.status,
          state,
          rowsHash: sha256(rows),
        };
        const digest = toHex(segmentDigest(fromHex(run.runHash), end));
        lines.push(
          `k ${at.segment}, steps ${at.steps}, status ${at.status}`,
          `  state  ${toHex(state)}`,
          `  rows   ${toHex(rows) || '(none)'}`,
          `  SHA-256(rows) ${toHex(sha256(rows))}`,
          `  D_${at.segment}    ${digest}`,
        );
      },
    },
  );
  const pieces = ['SVC-SEG-1\\0', 'runHash', `k ${toHex(u64le(3))}`, `steps ${toHex(u64le(10))}`];
  lines.push(
    `D_3 covers: ${pieces.join(' ‖ ')} ‖ status ${toHex(u32le(1))} ‖ length ${toHex(u64le(24))} ‖ …`,
  );
  return lines.join('\n');
}

function runLeafExample(run: FinishedRun): string {
  const root = merkleRoot(run.digests);
  const result = sha256(run.result);
  const leaf = runLeaf(fromHex(run.runHash), root, run.digests.length - 1, result, run.work);
  return [
    `runHash         ${run.runHash}`,
    `n               ${toHex(u64le(run.digests.length - 1))}`,
    `root(D_0 … D_3) ${toHex(root)}`,
    `SHA-256(result) ${toHex(result)}`,
    `work            ${toHex(u64le(run.work))}`,
    `run leaf        ${toHex(leaf)}`,
  ].join('\n');
}

const verdictNames = [
  'value',
  'precisionActual',
  'g',
  'row 0: index of the gate',
  'row 0: kind',
  'row 0: measured',
  'row 0: reference',
  'row 0: error',
  'row 0: bound',
  'extra 0',
];

function verdictExample(run: FinishedRun): string {
  const view = new DataView(run.result.slice().buffer);
  return verdictNames
    .map((name, i) => {
      const bytes = toHex(run.result.slice(8 * i, 8 * i + 8));
      return `${String(8 * i).padStart(2)}  ${bytes}  ${String(view.getFloat64(8 * i, true)).padEnd(6)} ${name}`;
    })
    .join('\n');
}

function clockExample(): string {
  const doubles = [1_700_000, 259_000_259, 518_000_518, 776_000_777].map((rem) => {
    const bits = toHex(new Uint8Array(new Float64Array([pulseSine(rem)]).buffer).reverse());
    return `s(${rem}) = ${pulseSine(rem)} = ${bits}`;
  });
  return doubles.join('\n');
}

/** The page's blocks: the text between the fences that follow `<!-- example NAME -->`. */
export const exampleBlock = /<!-- example ([a-z ]+) -->\n\n```(?:[a-z]*)\n([\s\S]*?)\n```/g;

export function withExamples(page: string): string {
  const examples = protocolExamples();
  return page.replace(exampleBlock, (block, name: string, old: string) =>
    block.replace(`\n${old}\n`, () => `\n${examples[name] ?? `no example ${name}`}\n`),
  );
}

import { readFileSync } from 'node:fs';
import { hmacKey, sha256 } from '#crypto';
import type { Answer } from '../../src/proof/answer.ts';
import { toBase64, toHex, utf8 } from '../../src/proof/bytes.ts';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import { checkpointText } from '../../src/proof/checkpoint.ts';
import { jobRoot } from '../../src/proof/digests.ts';
import { type SealedFields, sealEnvelope } from '../../src/proof/envelope.ts';
import type { Digest, FinishedRun, Part, RunPlan } from '../../src/proof/job.ts';
import { appendLeaves, emptyLog, type LogState } from '../../src/proof/log-tree.ts';
import { type JobToShow, layOutAnswer, sealAnswer } from '../../src/proof/make-answer.ts';
import { leafHash } from '../../src/proof/merkle.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { makeReceipt, noDiagnostics } from '../../src/proof/receipt.ts';
import { gateKindsOf, readVerdictBytes } from '../../src/proof/verdict-bytes.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';

/** The worked example of docs/protocol.md: two runs of the kernel triangle.wat, sealed as leaf 2 of a small log. */

export const triangle = new Uint8Array(
  readFileSync(new URL('../../../test/proof/triangle.wasm', import.meta.url)),
);
export const triangleDigest = toHex(sha256(triangle));
const kernel = instantiateKernel(new WebAssembly.Module(triangle));

/** Keys of the example. Seed and HMAC key are the bytes 00 … 1f and 20 … 3f. */
export const exampleSeed = Uint8Array.from({ length: 32 }, (_, i) => i);
export const exampleHmacKey = Uint8Array.from({ length: 32 }, (_, i) => 32 + i);
export const exampleSigner = noteSigner('example-node', exampleSeed);
export const exampleVkey = exampleSigner.vkey;

/** Run 0 adds up 1 … N in segments of 4 steps; run 1, the verdict, adds up to what run 0 gave. */
const plans: readonly Pick<RunPlan, 'kernel' | 'parts' | 'label' | 'stepsPerSegment'>[] = [
  { kernel: 'triangle', label: 'sum', parts: [{ bytes: new Layout().f64(10).bytes() }], stepsPerSegment: 4 },
  {
    kernel: 'triangle',
    label: 'verdict',
    parts: [{ run: 0, of: 'result', from: 0, length: 8 }],
    stepsPerSegment: 16,
  },
];

function parametersOf(part: Part, finished: readonly FinishedRun[]): Uint8Array {
  if ('bytes' in part) return part.bytes;
  if ('blob' in part) throw new Error('no blobs here');
  return finished[part.run]!.result.subarray(part.from, part.from + part.length);
}

export function exampleRuns(): FinishedRun[] {
  const finished: FinishedRun[] = [];
  for (const { parts, stepsPerSegment } of plans) {
    const parameters = parametersOf(parts[0]!, finished);
    const spec = { kernel: triangleDigest, parameters, stepsPerSegment, memory: 65_536, work: 0 };
    finished.push(driveRun(kernel, spec));
  }
  return finished;
}

export const exampleRequest = { n: 10 };

/** What the node of the example says of a job, but for the digest of what its answer shows. */
export function sealedFields(finished: readonly FinishedRun[]): Omit<SealedFields, 'shownHash'> {
  const verdict = readVerdictBytes(finished[finished.length - 1]!.result);
  return {
    node: exampleSigner.name,
    operators: ['KO42'],
    solver: 'triangle',
    requestHash: toHex(sha256(canonicalBytes(exampleRequest))),
    jobRoot: toHex(jobRoot(finished)),
    value: verdict.value,
    unit: 'K',
    tNs: 1_700_000_000_259_000_259n,
    precisionActual: verdict.precisionActual,
    gateKinds: gateKindsOf(verdict.rows),
    engineVersion: 'example', // a release that no copy knows, as the kernel is in none
    work: finished.reduce((sum, run) => sum + run.work, 0n),
    pricePlancks: 65n,
    fromBondPlancks: 40n,
    fromFuelPlancks: 25n,
    tokenId: 'coin-1',
  };
}

export interface MadeAnswer {
  readonly answer: Answer;
  /** What the answer names by digest. */
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
}

/** Seals whatever it is given, as a node can that has the keys; the envelope is the next leaf of a log. */
export function sealedAs(
  fields: Omit<SealedFields, 'shownHash'> & Partial<SealedFields>,
  job: Omit<JobToShow, 'diagnostics'> & Partial<JobToShow>,
  before: LogState = emptyLog,
): MadeAnswer {
  const { body, blobs, shownHash } = layOutAnswer({ diagnostics: noDiagnostics, ...job });
  const { envelope, leaf } = sealEnvelope({ shownHash, ...fields }, hmacKey(exampleHmacKey));
  const batch = appendLeaves(before, [leafHash(leaf)]);
  const checkpoint = checkpointText(exampleSigner, batch.state.size, batch.root);
  const index = before.size;
  const path = batch.inclusionProof(index).map(toBase64);
  const receipt = makeReceipt(envelope, { index, path, checkpoint }, job.diagnostics);
  return { answer: sealAnswer(body, envelope, receipt), blobs };
}

/** The log before: two leaves, `first` and `second`. */
const before = appendLeaves(emptyLog, [leafHash(utf8('first')), leafHash(utf8('second'))]);

export const exampleAnswer = (changes: Partial<JobToShow> = {}): MadeAnswer => sealedBy({}, changes);

/** The example as a node seals it that has the key and says what it likes: of runs, of the envelope, beside it. */
export function sealedBy(
  sealed: Partial<SealedFields>,
  changes: Partial<JobToShow> = {},
  finished: readonly FinishedRun[] = exampleRuns(),
): MadeAnswer {
  const job: Omit<JobToShow, 'diagnostics'> = {
    request: exampleRequest,
    plans,
    finished,
    gates: [{ name: 'closed form', quantity: 'sum', source: 'N(N + 1)/2' }],
    outputs: { upTo: 55, sum: 1540, periodNs: '777000777', word: 'finished', made: 0.125 },
    fields: [
      {
        name: 'partial sums',
        unit: null,
        shape: [10],
        source: { run: 0, of: 'rows', from: 0, length: 80 },
        sealed: false,
      },
      {
        name: 'sum',
        unit: 'K',
        shape: [1],
        source: { run: 1, of: 'result', from: 0, length: 8 },
        sealed: true,
      },
      {
        name: 'first sum',
        unit: null,
        shape: [1],
        source: { run: 0, of: 'result', from: 0, length: 8 },
        sealed: true,
      },
    ],
    plots: [],
    assumed: [{ name: 'start', value: 1, because: 'numerical choice' }],
    warnings: [],
    ...changes,
  };
  return sealedAs({ ...sealedFields(finished), ...sealed }, job, before.state);
}

import t from 'tap';
import { sha256 } from '#crypto';
import { type DigestNodes, isBlobReference, MAX_DIGESTS } from '../../src/proof/answer.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import { toHex, u64le } from '../../src/proof/bytes.ts';
import { divergentSpan } from '../../src/proof/check-runs.ts';
import { jobRoot } from '../../src/proof/digests.ts';
import type { FinishedRun, Part } from '../../src/proof/job.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import { exampleRuns, exampleVkey, sealedAs, sealedFields, triangle } from './example-job.ts';

const SEGMENTS = 40_000;
const long = new Uint8Array(100_000).fill(5);

/** A first run of 40,000 segments with long parameters and a long result, made up; the verdict of the example. */
function longJob() {
  const [, verdict] = exampleRuns();
  const first: FinishedRun = {
    ...verdict!,
    stepsPerSegment: 1,
    steps: SEGMENTS,
    digests: Array.from({ length: SEGMENTS + 1 }, (_, k) => sha256(u64le(k))),
    result: long,
    rows: [],
  };
  const finished = [first, verdict!];
  const parts: Part[] = [{ run: 0, of: 'result', from: 8, length: 8 }, { bytes: long }];
  const made = sealedAs(sealedFields(finished), {
    request: { n: 10 },
    plans: [
      { kernel: 'triangle', label: 'long', parts: [{ bytes: long }] },
      { kernel: 'triangle', label: 'verdict', parts },
    ],
    finished,
    gates: [{ name: 'closed form', quantity: 'sum', source: 'N(N + 1)/2' }],
    outputs: {},
    fields: [
      {
        name: 'long',
        unit: null,
        shape: [12_500],
        source: { run: 0, of: 'result', from: 0, length: 100_000 },
        sealed: false,
      },
      {
        name: 'head',
        unit: null,
        shape: [4],
        source: { run: 0, of: 'result', from: 0, length: 32 },
        sealed: true,
      },
    ],
    plots: [],
    assumed: [],
    warnings: [],
  });
  return { ...made, first, root: toHex(jobRoot(finished)) };
}

const job = longJob();
const source = { blob: async (digest: string) => job.blobs.get(digest), kernel: async () => triangle };

t.test('what is long stands beside the answer, and a bundle brings it back', async (t) => {
  t.ok(isBlobReference(job.answer.runs), 'a list of runs above 64 KiB');
  t.ok(isBlobReference(job.answer.fields[0]!.values), 'a field above 4096 numbers');
  t.ok(isBlobReference(job.answer.fields[1]!.values), 'a sealed field, with what seals it');
  t.throws(() => readAnswer(job.answer), { code: 'INVALID_INPUT', details: { field: '/runs' } });
  const bundle = await makeBundle(job.answer, source);
  t.same(new Set(Object.keys(bundle.blobs)), new Set(job.blobs.keys()), 'every blob, and no other');
  t.equal(readAnswer(bundle).runs.length, 2);
  const wrong = { ...source, blob: async () => long };
  await t.rejects(makeBundle(job.answer, wrong), { code: 'NOT_FOUND' }, 'other bytes under a digest');
  const file = readAnswer(job.answer, (digest) => job.blobs.get(digest));
  t.equal(file.runs.length, 2);
  const found = verifyAnswer(file, { vkeys: [exampleVkey] });
  t.same(
    found.checks.filter((check) => !check.ok).map((check) => check.where),
    ['/runs/0/runHash', '/runs/1/runHash'],
    'all holds but the parameters, which this test made up',
  );
});

t.test('more digests than are listed stand as the nodes of one level, under the same root', async (t) => {
  const { runs } = readAnswer(job.answer, (digest) => job.blobs.get(digest));
  const { level, nodes } = runs[0]!.digests as DigestNodes;
  t.equal(level, 2, '40001 and ⌈40001/2⌉ are above 16384, ⌈40001/4⌉ = 10001 is not');
  t.equal(nodes.length, 10_001);
  t.ok(nodes.length <= MAX_DIGESTS);
  t.equal(divergentSpan(runs[0]!, job.first.digests), undefined);
  const other = job.first.digests.map((digest, k) => (k === 777 ? sha256(digest) : digest));
  t.same(divergentSpan(runs[0]!, other), { from: 776, to: 779 }, 'a rerun names the span');
  t.same(
    divergentSpan(runs[0]!, job.first.digests.slice(0, -1)),
    { from: 40_000, to: 40_003 },
    'one too few',
  );
});

t.test('nodes of another level or number are refused', async (t) => {
  const { runs } = readAnswer(job.answer, (digest) => job.blobs.get(digest));
  const { level, nodes } = runs[0]!.digests as DigestNodes;
  for (const digests of [
    { level: level + 1, nodes },
    { level, nodes: nodes.slice(1) },
    { level: 0, nodes },
    [],
  ]) {
    const changed = { ...job.answer, runs: [{ ...runs[0], digests }, runs[1]] };
    const { checks } = verifyAnswer(
      readAnswer(changed, (digest) => job.blobs.get(digest)),
      { vkeys: [] },
    );
    t.ok(checks.some((check) => check.where === '/runs/0/digests' && !check.ok));
  }
});

t.test('a listed digest that differs is named', async (t) => {
  const { runs } = readAnswer(job.answer, (digest) => job.blobs.get(digest));
  const own = exampleRuns()[1]!.digests;
  t.equal(divergentSpan(runs[1]!, own), undefined);
  t.same(
    divergentSpan(
      runs[1]!,
      own.map((digest, k) => (k === 2 ? sha256(digest) : digest)),
    ),
    { from: 2, to: 2 },
  );
});

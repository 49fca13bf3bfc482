/**
 * Files of nodes that lie, and of strangers who want their reader to hang: `svc` and the verifier in Python with
 * Wasmtime must come to the same end, and each to one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { RunEntry } from '../../src/proof/answer.ts';
import { exampleAnswer, exampleVkey, sealedBy, triangle, triangleDigest } from '../proof/example-job.ts';
import { allowedVerdicts, refusedVerdicts } from '../proof/lying-verdicts.ts';
import { repositoryRoot } from '../root.ts';
import { pythonMissing } from '../servers/python.ts';
import { bundle, endlessKernels, hostile, kernel, wrongKernels } from '../workers/hostile-bundles.ts';
import { bothSay, python, written } from './both-programs.ts';

const skip = pythonMissing;
t.setTimeout(600_000);

const verify = (file: unknown) => ['verify', written(file), '--key', exampleVkey];
const hostileFile = (bytes: Uint8Array, changes: Partial<RunEntry> = {}) =>
  written(Buffer.from(hostile(bytes, changes)).toString());

t.test('both verifiers hold a verdict to the rules for rows', { skip }, async (t) => {
  for (const [title, file] of refusedVerdicts) await bothSay(t, title, verify(file), 1);
  for (const [title, file] of allowedVerdicts) await bothSay(t, title, verify(file), 0);
});

t.test(
  'both programs compare kernels with the release, and name one that they do not know',
  { skip },
  async (t) => {
    const example = join(repositoryRoot, 'docs', 'examples', 'triangle-bundle.json');
    const key = ['--key', exampleVkey];
    await bothSay(t, 'of no release', ['verify', example, ...key], 0);
    const strict = await bothSay(t, 'strictly', ['verify', example, ...key, '--strict'], 1);
    t.equal(strict.said.verdict, 'UNKNOWN_RELEASE');
    await bothSay(t, 'strictly, again', ['rerun', example, '--strict'], 1);
    const lie = JSON.parse(readFileSync(example, 'utf8'));
    lie.answer = sealedBy({ engineVersion: '0.1.0' }).answer;
    const { said } = await bothSay(t, 'under a release that is known', verify(lie), 1);
    t.match(said, { verdict: 'NOT_SOUND', failed: [{ at: '/runs/0/kernel' }, {}, {}] });
    await bothSay(t, 'under a release that is known, again', ['rerun', written(lie)], 1);
  },
);

t.test('both verifiers miss what was taken out of a file', { skip }, async (t) => {
  for (const of of ['result', 'rows'] as const) {
    const { answer } = exampleAnswer();
    const [first, last] = answer.runs as [RunEntry, RunEntry];
    const { [of]: _, ...without } = first;
    await bothSay(t, of, verify({ ...answer, runs: [without, last] }), 1);
    const digest = of === 'result' ? first.resultHash : '0'.repeat(64);
    const hidden = { ...first, [of]: { $blob: `sha256:${digest}`, length: 70_000 } };
    const fields = answer.fields.map((field) => ({ ...field, sealed: true }));
    await bothSay(t, `${of} that nobody has`, verify({ ...answer, runs: [hidden, last], fields }), 1);
  }
  const { answer } = exampleAnswer();
  const bare = { format: 'svc-bundle-1', answer, blobs: {}, kernels: {} };
  await bothSay(t, 'a bundle without its kernels', ['rerun', written(bare)], 2);
  const { said } = await bothSay(t, 'a bundle without its kernels', verify(bare), 1);
  t.match(said, { verdict: 'NOT_SOUND', failed: [{ at: `/kernels/${triangleDigest}` }] });
  const [first, last] = answer.runs as [RunEntry, RunEntry];
  const rows = { $blob: `sha256:${'0'.repeat(64)}`, length: 80 };
  await bothSay(
    t,
    'a bundle',
    verify({ ...bare, answer: { ...answer, runs: [{ ...first, rows }, last] } }),
    1,
  );
});

t.test('both readers refuse a file beyond the limits', { skip }, async (t) => {
  const { answer } = exampleAnswer();
  const [first, last] = answer.runs as [RunEntry, RunEntry];
  const parts = Array.from({ length: 1025 }, () => ({ blob: triangleDigest, length: 2 ** 20 }));
  await bothSay(t, 'parameters', verify({ ...answer, runs: [{ ...first, parts }, last] }), 2);
  await bothSay(t, 'parameters', ['rerun', written({ ...answer, runs: [{ ...first, parts }, last] })], 2);
});

t.test('Wasmtime ends with a sentence where a kernel never ends or is none', { skip }, async (t) => {
  for (const [title, bytes] of [...endlessKernels, ...wrongKernels]) {
    const { code, said } = await python(['rerun', hostileFile(bytes), '--patience', '1']);
    t.equal(code, 1, title);
    t.match(said, { verdict: 'DIFFERS', run: 0, what: /^the kernel / }, `${title}: ${said.what}`);
  }
});

t.test(
  'a kernel that does more than the answer names is stopped there by both engines',
  { skip },
  async (t) => {
    const never = kernel('(then (call $close))', '(then)');
    const cases: [title: string, changes: Partial<RunEntry>][] = [
      ['steps', { work: '1000000' }],
      ['work', { steps: 1e6 }],
      ['segments', { steps: 1e6, work: '1000000', segments: 5 }],
    ];
    for (const [title, changes] of cases) await bothSay(t, title, ['rerun', hostileFile(never, changes)], 1);
    await bothSay(t, 'the true one', ['rerun', written(Buffer.from(bundle(triangle)).toString())], 0);
  },
);

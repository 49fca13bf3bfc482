import { readFileSync, writeFileSync } from 'node:fs';
import binaryen from 'binaryen';
import t from 'tap';
import { catalogue, type ErrorEntry } from '../../src/errors/catalogue.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import { exampleAnswer, exampleVkey, triangle, triangleDigest } from './example-job.ts';
import { exampleBlock, protocolExamples, withExamples } from './protocol-examples.ts';

// The page is written by hand, its examples by the code: UPDATE_DOCS=1 node dist/test/proof/protocol-page.test.js
const root = new URL('../../../', import.meta.url);
const pageFile = new URL('docs/protocol.md', root);
const bundleFile = new URL('docs/examples/triangle-bundle.json', root);
const bundle = await makeBundle(exampleAnswer().answer, {
  blob: async () => undefined,
  kernel: async (digest) => (digest === triangleDigest ? triangle : undefined),
});

if (process.env.UPDATE_DOCS) {
  writeFileSync(pageFile, withExamples(readFileSync(pageFile, 'utf8')));
  writeFileSync(bundleFile, `${JSON.stringify(bundle, null, 2)}\n`);
}
const page = readFileSync(pageFile, 'utf8');

t.test('every worked example of the page is what the code makes', async (t) => {
  const examples = protocolExamples();
  const found = [...page.matchAll(exampleBlock)];
  t.same(
    new Set(found.map(([, name]) => name)),
    new Set(Object.keys(examples)),
    'all examples are on the page',
  );
  for (const [, name, text] of found) t.equal(text, examples[name!], name);
});

t.test('the example bundle is what the code makes, and is sound', async (t) => {
  const file = readFileSync(bundleFile, 'utf8');
  t.same(JSON.parse(file), bundle);
  t.equal(verifyAnswer(readAnswer(file), { vkeys: [exampleVkey] }).verdict, 'SOUND');
});

t.test("the page lists every status that a kernel's run can end with", async (t) => {
  for (const [code, { kernelStatus }] of Object.entries(catalogue) as [string, ErrorEntry][]) {
    if (kernelStatus !== undefined) t.ok(page.includes(`| ${kernelStatus} | \`${code}\` |`), code);
  }
});

t.test('the example kernel is its source, assembled', async (t) => {
  const module = binaryen.parseText(readFileSync(new URL('test/proof/triangle.wat', root), 'utf8'));
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  t.same(module.emitBinary(), triangle);
});

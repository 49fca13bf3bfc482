import t from 'tap';
import { doublesOf, utf8 } from '../../src/proof/bytes.ts';
import { canonicalText } from '../../src/proof/canonical.ts';
import { unsealedBytes } from '../../src/spine/unsealed-answer.ts';
import { blobDigest } from '../../src/store/blobs.ts';
import { answerOf } from './test-node.ts';

type Parameters4 = Parameters<typeof unsealedBytes>;

/** A draft of one field of so many bytes, whose run, made of a blob, is in a blob. */
function draftOf(fieldBytes: number) {
  const blobs = new Map<string, Uint8Array>();
  const named = (bytes: Uint8Array) => {
    blobs.set(blobDigest(bytes), bytes);
    return { $blob: `sha256:${blobDigest(bytes)}`, length: bytes.length };
  };
  const field = new Uint8Array(fieldBytes).fill(1);
  const part = new Uint8Array(80_000).fill(2);
  named(part);
  const run = {
    label: 'only',
    parts: [
      { blob: blobDigest(part), length: part.length },
      { blob: 'f'.repeat(64), length: 9 },
    ],
    rows: named(field),
  };
  const fields = [{ name: 'T', values: named(field) }];
  const request = { field: { $blob: `sha256:${'f'.repeat(64)}`, length: 9 } };
  const body = { request, runs: named(utf8(canonicalText([run]))), fields, warnings: ['beware'] };
  return { draft: { body, blobs }, field, part };
}

const answerTo = (draft: object, isKept: boolean) => {
  const prepared = { solver: { unit: () => 'K' }, input: {} };
  const job = { verdict: { value: 7 } };
  const [d, p, j] = [draft, prepared, job] as unknown as [Parameters4[0], Parameters4[1], Parameters4[2]];
  return answerOf(unsealedBytes(d, p, j, { why: 'The disk is full.', isKept }));
};
const plainly = 'This result is not sealed: The disk is full. Nothing was charged.';

t.test('what was made for an unsealed answer stands in it; uploads stay named', async (t) => {
  const { draft, field, part } = draftOf(80_000);
  const answer = answerTo(draft, false);
  t.same(answer.fields[0]!.values, [...doublesOf(field)]);
  t.match(answer.runs, [
    {
      parts: [{ bytes: Buffer.from(part).toString('base64') }, { blob: 'f'.repeat(64) }],
      rows: Buffer.from(field).toString('base64'),
    },
  ]);
  t.same(answer.request, draft.body.request);
  t.match(answer, { value: 7, unit: 'K', envelope: null, warnings: ['beware', plainly] });
});

t.test('what is too large is left out, and the warning names it', async (t) => {
  const half = answerTo(draftOf(5 * 2 ** 20).draft, false);
  t.equal((half.fields[0]!.values as number[]).length, (5 * 2 ** 20) / 8);
  t.match(half, { runs: [], warnings: ['beware', `${plainly} Left out, as too large to stand here: runs.`] });
  const none = answerTo(draftOf(9 * 2 ** 20).draft, false);
  const without = `${plainly} Left out, as too large to stand here: field T, runs.`;
  t.match(none, { fields: [], runs: [], warnings: ['beware', without] });
});

t.test('a job that the store keeps names what it keeps', async (t) => {
  const { draft } = draftOf(80_000);
  const answer = answerTo(draft, true);
  t.match(answer, { fields: draft.body.fields, runs: draft.body.runs, warnings: ['beware', plainly] });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { RunEntry } from '../../src/proof/answer.ts';
import * as limits from '../../src/proof/limits.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { roomAfter } from '../../workers/rerun-limits.ts';
import { repositoryRoot } from '../root.ts';
import { exampleAnswer } from './example-job.ts';

const { answer } = exampleAnswer();
const [first, last] = answer.runs as [RunEntry, RunEntry];
const withRuns = (runs: readonly RunEntry[]) => ({ ...answer, runs });
const blobs = (count: number) =>
  Array.from({ length: count }, () => ({ blob: '0'.repeat(64), length: 2 ** 20 }));

t.test('a file beyond the limits is unreadable, and the place is named', async (t) => {
  const many = Array.from({ length: limits.MAX_RUNS }, () => first);
  const cases: [title: string, file: unknown, field: string | undefined][] = [
    ['a long file', new Uint8Array(limits.MAX_FILE_BYTES + 1), undefined],
    ['many runs', withRuns([...many, last]), '/runs'],
    ['many segments', withRuns([{ ...first, segments: 2 ** 22 + 1 }, last]), '/runs/0/segments'],
    ['one blob again and again', withRuns([{ ...first, parts: blobs(1025) }, last]), '/runs/0/parts'],
  ];
  for (const [title, file, field] of cases)
    t.throws(
      () => readAnswer(file),
      { code: 'INVALID_INPUT', ...(field ? { details: { field } } : {}) },
      title,
    );
  t.doesNotThrow(() => readAnswer(withRuns([{ ...first, segments: 2 ** 22, parts: blobs(1023) }, last])));
});

t.test('results and rows of a job have one limit together', async (t) => {
  const run = (...rows: number[]) => ({ result: { length: 5 }, rows: rows.map((length) => ({ length })) });
  const after = (...runs: object[]) => roomAfter(runs as never);
  t.equal(after(run(), run(1, 2)), limits.MAX_OUTPUT - 13);
  t.equal(after(run(limits.MAX_OUTPUT - 5)), 0);
  t.throws(
    () => after(run(limits.MAX_OUTPUT / 2), run(limits.MAX_OUTPUT / 2)),
    /more than 2147483648 bytes in the whole job/,
  );
});

t.test('the page states every limit', async (t) => {
  const page = readFileSync(join(repositoryRoot, 'docs', 'protocol.md'), 'utf8').replaceAll(',', '');
  for (const [name, limit] of Object.entries(limits))
    if (typeof limit === 'number') {
      const stated = name.endsWith('_MS') ? `${limit / 1000} s` : String(limit);
      t.ok(page.includes(`| ${stated} |`), `${name}: ${stated}`);
    }
});

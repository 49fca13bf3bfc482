import t from 'tap';
import type { Answer } from '../../src/proof/answer.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import { toBase64 } from '../../src/proof/bytes.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { shownHash } from '../../src/proof/shown-hash.ts';
import { MAX_NESTING, parseStrictJson } from '../../src/proof/strict-json.ts';
import { type Verification, verifyAnswer } from '../../src/proof/verify.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { reexecute } from '../../workers/reexecute.ts';
import { exampleAnswer, exampleVkey, sealedBy, triangle, triangleDigest } from './example-job.ts';

// Files that somebody without the node's key makes from a true answer: the seal holds, and something that a reader
// sees is false. None may be sound, and none may re-run to agreement.

type Loose<T> = { -readonly [K in keyof T]: T[K] extends object | undefined ? Loose<T[K]> : T[K] };
type Forgery = Loose<Answer> & Record<string, unknown> & { runs: Record<string, unknown>[] };

const text = JSON.stringify(exampleAnswer().answer);
const f64 = (...values: number[]) => toBase64(new Layout().f64(...values).bytes());
const absent = '0'.repeat(64);

function forged(change: (answer: Forgery) => void): string {
  const answer = JSON.parse(text) as Forgery;
  change(answer);
  return JSON.stringify(answer);
}

const verified = (file: string): Verification => verifyAnswer(readAnswer(file), { vkeys: [exampleVkey] });
const rerun = (file: string) =>
  reexecute(readAnswer(file), { kernel: (digest) => (digest === triangleDigest ? triangle : undefined) });

t.test('a number cannot be made up under a seal that holds', async (t) => {
  const requestHash = exampleAnswer().answer.envelope.requestHash;
  const cases: [title: string, where: string, change: (answer: Forgery) => void][] = [
    [
      'by the length in a reference to the request',
      '/sum',
      (a) => Object.assign(a, { request: { $blob: `sha256:${requestHash}`, length: 424242 }, sum: 424242 }),
    ],
    [
      'by a literal part beside a blob that nobody has',
      '/sum',
      (a) => {
        a.runs[0]!.parts = [{ bytes: f64(3.25) }, { blob: absent, length: 0 }];
        a.sum = 3.25;
      },
    ],
    [
      'by a cut that no run hash covers',
      '/sum',
      (a) => {
        a.runs[0]!.parts = [{ blob: absent, length: 8 }];
        Object.assign(a.runs[0]!, { stepsPerSegment: 5, steps: 15 });
        a.sum = 5;
      },
    ],
    [
      'by a second result of the verdict run',
      '/runs/1/result',
      (a) => Object.assign(a.runs[1]!, { result: f64(666) }) && Object.assign(a, { sum: 666 }),
    ],
    [
      'by a result in a blob with another digest',
      '/runs/0/result',
      (a) => Object.assign(a.runs[0]!, { result: { $blob: `sha256:${absent}`, length: 40 } }),
    ],
    [
      'in a field of a run that is not there',
      '/fields/1/source/run',
      (a) => Object.assign(a.fields[1]!, { source: { ...a.fields[1]!.source, run: 99 }, values: [7] }),
    ],
    [
      'in a field with more values than its shape, of rows that were left out',
      '/fields/0/shape',
      (a) => {
        delete a.runs[0]!.rows;
        a.fields[0]!.values = [1, 2, 3];
      },
    ],
    ['in a plot', '/plots/0/y/0', (a) => Object.assign(a, { plots: [{ kind: 'line', y: [666] }] })],
    [
      'as the length of a slice',
      '/runs/1/parts/0/length',
      (a) => {
        a.runs[1]!.parts = [{ run: 0, of: 'result', from: 40, length: 1000 }];
      },
    ],
  ];
  for (const [title, where, change] of cases)
    t.match(verified(forged(change)), { verdict: 'NOT_SOUND', detail: new RegExp(`^${where}: `) }, title);
});

t.test('what stands beside a reference to the request is not taken for the request', async (t) => {
  const { requestHash } = exampleAnswer().answer.envelope;
  const file = forged((a) =>
    Object.assign(a, { request: { $blob: `sha256:${requestHash}`, length: 8, n: 99 } }),
  );
  t.throws(() => readAnswer(file), { code: 'INVALID_INPUT', details: { field: '/request/n' } });
});

t.test('a run takes only from runs before it', async (t) => {
  const file = forged((a) => {
    a.runs[0]!.parts = [{ run: 1, of: 'result', from: 0, length: 8 }];
  });
  t.throws(() => readAnswer(file), { code: 'INVALID_INPUT', details: { field: '/runs/0/parts/0/run' } });
});

t.test('a field, or a part, whose bytes were taken out of the file is not sound, and is named', async (t) => {
  const failed = (file: string) => verified(file).checks.flatMap(({ ok, where }) => (ok ? [] : [where]));
  const without = (of: 'result' | 'rows') => forged((a) => delete a.runs[0]![of]);
  t.same(failed(without('rows')), ['/fields/0/source']);
  t.same(failed(without('result')), ['/runs/1/parts/0/run', '/fields/2/source']);
  t.match(verified(without('rows')), {
    verdict: 'NOT_SOUND',
    detail: '/fields/0/source: field: run 0 has no rows: /runs/0/rows',
  });
});

t.test('a field that is shown as sealed does not hide what seals it in a blob that nobody has', async (t) => {
  const hidden = (of: 'result' | 'rows', sealed: boolean) =>
    forged((a) => {
      const digest = of === 'result' ? a.runs[0]!.resultHash : absent;
      Object.assign(a.runs[0]!, { [of]: { $blob: `sha256:${digest}`, length: 70_000 } });
      const field = a.fields[of === 'result' ? 2 : 0]!;
      Object.assign(field, { sealed, values: (field.values as number[]).map(() => 666) });
      a.unsealed.push('/upTo'); // its number stands in the result that is hidden
    });
  const says = /^\/fields\/[02]: field: the (result|rows) of run 0 is not in the file/;
  t.match(verified(hidden('rows', true)), { verdict: 'NOT_SOUND', detail: says });
  t.match(verified(hidden('result', true)), { verdict: 'NOT_SOUND', detail: says });
  const open = hidden('rows', false);
  t.match(verified(open), { verdict: 'NOT_SOUND', detail: /^\/envelope\/shownHash: / }, 'words are sealed');
  const rehashed = JSON.parse(open) as Answer;
  const told = { ...rehashed.envelope, shownHash: shownHash(rehashed, readAnswer(open).runs) };
  const places = (envelope: Answer['envelope']) => {
    const { checks, unchecked } = verified(JSON.stringify({ ...rehashed, envelope }));
    return [checks.flatMap(({ ok, where }) => (ok ? [] : [where])), unchecked.map(({ where }) => where)];
  };
  const [failed, left] = places(told);
  t.same(failed, ['/envelope'], 'what is not sealed may wait for a rerun: all but the log holds');
  t.ok(left!.includes('/fields/0'));
});

t.test('a number of one place is not taken for that of another', async (t) => {
  const cases: [title: string, change: (answer: Forgery) => void][] = [
    ['two outputs', (a) => Object.assign(a, { upTo: a.sum, sum: a.upTo })],
    ['an output and a cut', (a) => Object.assign(a, { upTo: 4 })],
    ['a word', (a) => Object.assign(a, { word: 'refused' })],
    ['an output that is not there any more', (a) => void delete a.upTo],
    ['one more output', (a) => Object.assign(a, { safe: true })],
    ['an assumption', (a) => Object.assign(a.assumed[0]!, { value: 4 })],
    ['the name of a gate', (a) => Object.assign(a.gates[0]!, { name: 'measured twice' })],
    ['the label of a run', (a) => Object.assign(a.runs[0]!, { label: 'energy' })],
    ['the unit of a field', (a) => Object.assign(a.fields[1]!, { unit: 'mK' })],
    ['a warning', (a) => void a.warnings.push('do not trust the node')],
    ['a plot of sealed numbers', (a) => void a.plots.push({ kind: 'line', y: [55, 1540] })],
    ['a diagnostic of sealed numbers', (a) => Object.assign(a.receipt, { masterEquation: { sum: 55 } })],
  ];
  for (const [title, change] of cases) {
    const file = forged(change);
    t.match(verified(file), { verdict: 'NOT_SOUND', detail: /^\/envelope\/shownHash: / }, title);
    t.match(await rerun(file), { agrees: false, divergence: { what: 'shown' } }, `${title}, at a rerun`);
  }
});

t.test(
  'an envelope of an earlier release binds the numbers, and the verifier says that it binds no words',
  async (t) => {
    const before = JSON.stringify(sealedBy({ shownHash: undefined as never, engineVersion: '0.3.0' }).answer);
    const found = verified(before);
    t.equal(found.verdict, 'SOUND');
    t.match(
      found.unchecked.find(({ where }) => where === '/envelope/shownHash'),
      { detail: /earlier release/ },
    );
    t.match(await rerun(before), { agrees: true });
    t.match(
      verified(forged((a) => void delete (a.envelope as { shownHash?: string }).shownHash)),
      { verdict: 'NOT_SOUND', detail: /^\/envelope\/shownHash: / },
      'and none of a later release leaves it out',
    );
  },
);

t.test('a rerun makes the fields whose bytes were taken out of the file', async (t) => {
  const file = forged((a) => {
    delete a.runs[0]!.rows;
    a.fields[0]!.values = [9, 9, 9, 9, 9, 9, 9, 9, 9, 9];
  });
  t.equal(verified(file).verdict, 'NOT_SOUND');
  t.match(await rerun(file), { agrees: false, divergence: { run: 0, what: 'field' } });
  const honest = forged((a) => {
    delete a.runs[0]!.rows;
  });
  t.match(await rerun(honest), { agrees: true });
});

t.test('the request in a blob is the request, with its numbers', async (t) => {
  const request = { n: 10, notes: 'x'.repeat(70_000), at: 12.75 };
  const made = exampleAnswer({ request, outputs: { at: 12.75 } });
  t.same(made.answer.unsealed, ['/at'], 'the answer alone does not hold them');
  const bundle = await makeBundle(made.answer, {
    blob: async (digest) => made.blobs.get(digest),
    kernel: async () => triangle,
  });
  t.same(readAnswer(JSON.stringify(bundle)).request, request);
});

t.test('JSON that two readers can take for two things is unreadable', async (t) => {
  const cases: [title: string, file: string, says: RegExp][] = [
    [
      'a member twice',
      text.replace('"value":1540', '"value":42,"value":1540'),
      /second member called "value"/,
    ],
    [
      '…under another spelling',
      text.replace('"value":1540', '"v\\u0061lue":42,"value":1540'),
      /second member/,
    ],
    ['…far inside', text.replace('{"n":10}', '{"n":[{"a":1,"a":2}]}'), /second member called "a"/],
    ['an infinite number', text.replace('"n":10', '"n":-1e400'), /-1e400 is no finite double/],
    ['half of a surrogate pair', text.replace('"n":10', '"n":"\\ud800"'), /half of a surrogate pair/],
    ['a deep nest', text.replace('"n":10', `"n":${'['.repeat(1e5)}${']'.repeat(1e5)}`), /nested deeper/],
  ];
  for (const [title, file, says] of cases)
    t.throws(() => readAnswer(file), { code: 'INVALID_INPUT', message: says }, title);
  const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  t.doesNotThrow(() => parseStrictJson(nest(MAX_NESTING)));
  t.throws(() => parseStrictJson(nest(MAX_NESTING + 1)));
  const plain = '{"a":"\\\\","b":{"a":[1e308,-0.5],"c":"\\"}{"},"d":{"a":1},"e":"a\\":"}';
  t.same(parseStrictJson(plain), JSON.parse(plain), 'names of one object are not those of another');
});

import t from 'tap';
import {
  answerSelfTest,
  firstSelfTestDifference,
  type SelfTestAnswer,
} from '../../../mesh/contributor/self-test.ts';
import { fromBase64 } from '../../../src/proof/bytes.ts';
import { selfTest } from '../../../src/spine/self-test.ts';
import type { Executor } from '../../../workers/executor.ts';
import { KernelCatalogue } from '../../../workers/kernels.ts';
import { ThreadPool } from '../../../workers/pool.ts';

// Reproducibility before admission: a node shows that its engine gives what the service's gives. Other engines than
// V8 are held to the same runs in test/engines.

t.setTimeout(240_000);
const catalogue = new KernelCatalogue();
const pool = new ThreadPool({ threads: 2, catalogue });
t.teardown(() => pool.close());
const { questions, answers } = await selfTest(pool, catalogue);

t.test('every kernel of the build is asked for, and every kind of instruction at its edges', async (t) => {
  const asked = new Set(questions.map(({ kernel }) => kernel));
  const unasked = catalogue.names.filter((name) => !asked.has(catalogue.digest(name)));
  t.same(unasked, []);
  t.equal(questions.filter(({ probe }) => probe.endsWith('at the edges')).length, 11);
  t.equal(new Set(questions.map(({ probe }) => probe)).size, questions.length, 'no two alike');
});

t.test('it is small enough to be sent and short enough to be waited for', async (t) => {
  const began = performance.now();
  const again = await answerSelfTest(questions, pool);
  const seconds = (performance.now() - began) / 1000;
  t.equal(firstSelfTestDifference(answers, again), undefined, 'the same answers again');
  const bytes = JSON.stringify(questions).length;
  t.comment(
    `${questions.length} questions, ${bytes} bytes, ${seconds.toFixed(1)} s on two threads of a busy machine`,
  );
  t.ok(bytes < 2 ** 22, `${bytes} bytes`);
  t.ok(JSON.stringify(again).length < 2 ** 17, `${JSON.stringify(again).length} bytes of answers`);
});

t.test('the questions tell none of the answers', async (t) => {
  const text = JSON.stringify(questions);
  t.same(
    answers.filter(({ leaf }) => text.includes(leaf)),
    [],
  );
});

/** An engine whose results of one kernel are off in the last bit. */
const faulty = (kernel: string): Executor => ({
  close: () => Promise.resolve(),
  execute: async (spec, options) => {
    const run = await pool.execute(spec, options);
    if (spec.kernel !== kernel || run.status !== 1) return run;
    const result = run.result.slice();
    result[0]! ^= 1;
    return { ...run, result };
  },
});

t.test(
  'an engine that differs in one bit of one kernel is found, and the sentence names the probe',
  async (t) => {
    const few = questions.filter(({ parameters }) => fromBase64(parameters).length < 256).slice(0, 30);
    const expected = await answerSelfTest(few, pool);
    const kernel = catalogue.digest('selftest');
    const given = await answerSelfTest(few, faulty(kernel));
    t.match(
      firstSelfTestDifference(expected, given),
      /^f64 arithmetic at the edges \(kernel [0-9a-f]{12}…\) leads to [0-9a-f]{16}…, and elsewhere to [0-9a-f]{16}…$/,
    );
  },
);

t.test('answers that are missing, swapped or not answers at all differ', async (t) => {
  t.equal(
    firstSelfTestDifference(answers, answers.slice(1)),
    `${answers.length - 1} answers were given to ${answers.length} questions`,
  );
  t.ok(firstSelfTestDifference(answers, [answers[1]!, answers[0]!, ...answers.slice(2)]));
  const forged: SelfTestAnswer = { ...answers[3]!, leaf: '\u001b[2J' };
  const sentence = firstSelfTestDifference(answers, answers.with(3, forged));
  t.match(sentence, /leads to \\u\{1b\}/, 'what a stranger sent cannot move a cursor');
});

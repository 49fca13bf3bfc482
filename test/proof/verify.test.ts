import t from 'tap';
import { hmacKey } from '#crypto';
import { answerKeys, outputsOf, type RunEntry } from '../../src/proof/answer.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { type Verification, verifyAnswer } from '../../src/proof/verify.ts';
import {
  exampleAnswer,
  exampleHmacKey,
  exampleSeed,
  exampleVkey,
  triangle,
  triangleDigest,
} from './example-job.ts';

const trust = { vkeys: [exampleVkey] };
const { answer } = exampleAnswer();
const text = JSON.stringify(answer);

t.test('an answer is sound with nothing but the public key', async (t) => {
  const found = verifyAnswer(readAnswer(text), { vkeys: [exampleVkey] });
  t.equal(found.verdict, 'SOUND', found.detail);
  t.equal(found.asOf, 3);
  t.equal(found.generation, 'v3', 'ENV-09');
  t.ok(found.checks.every((check) => check.ok));
});

t.test('whoever holds the HMAC key can check the proof as well, ENV-02', async (t) => {
  const file = readAnswer(text);
  t.equal(verifyAnswer(file, { ...trust, hmacKey: hmacKey(exampleHmacKey) }).verdict, 'SOUND');
  const wrong = verifyAnswer(file, { ...trust, hmacKey: hmacKey(exampleSeed) });
  t.match(wrong, {
    verdict: 'NOT_SOUND',
    detail: '/envelope/proof: hmac: the HMAC does not fit the envelope',
  });
});

t.test('without a trusted key the node is unknown, whatever else holds', async (t) => {
  t.equal(verifyAnswer(readAnswer(text), { vkeys: [] }).verdict, 'UNKNOWN_NODE');
  const stranger = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  t.equal(verifyAnswer(readAnswer(text), { vkeys: [stranger] }).verdict, 'UNKNOWN_NODE');
});

/** What the file itself says it leaves to a rerun. */
const left = /^\/runs\/\d+\/(steps|rows)$/;

function* places(value: unknown, at = ''): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* places(member, `${at}/${key}`);
  } else if (value !== null) yield at;
}

/** The same JSON with one bit of the value at a place changed. */
function flipped(place: string, character: number): unknown {
  const copy = JSON.parse(text);
  const keys = place.slice(1).split('/');
  const last = keys.pop()!;
  const holder = keys.reduce((object, key) => object[key], copy);
  holder[last] = flip(holder[last], character);
  return copy;
}

function flip(value: unknown, character: number): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') {
    const bits = new BigInt64Array(new Float64Array([value]).buffer);
    bits[0]! ^= 1n;
    return new Float64Array(bits.buffer)[0];
  }
  const word = value as string;
  const at = character % word.length;
  return word.slice(0, at) + String.fromCharCode(word.charCodeAt(at) ^ 1) + word.slice(at + 1);
}

function verdictOf(file: unknown): Verification | 'unreadable' {
  try {
    return verifyAnswer(readAnswer(file), trust);
  } catch {
    return 'unreadable';
  }
}

t.test('one changed bit anywhere is refused, and the place is named', async (t) => {
  let tried = 0;
  for (const place of places(JSON.parse(text))) {
    if (left.test(place)) continue;
    const length = String(
      place.split('/').reduce((v: never, k) => (k === '' ? v : v[k]), answer as never),
    ).length;
    for (let character = 0; character < Math.min(length, 400); character++) {
      const found = verdictOf(flipped(place, character));
      if (found === 'unreadable') continue;
      tried++;
      if (found.verdict !== 'NOT_SOUND') t.fail(`${place} character ${character} was accepted`);
      else if (!found.checks.some((check) => !check.ok && check.where.startsWith('/')))
        t.fail(`${place}: no place`);
    }
  }
  t.ok(tried > 1000, `${tried} readable changes`);
});

t.test('each part of an answer is covered or listed as open', async (t) => {
  const { unchecked } = verifyAnswer(readAnswer(text), trust);
  t.same(
    unchecked.map(({ where }) => where),
    ['/runs/0/steps', '/runs/0/rows', '/runs/1/steps', '/made', '/fields/0'],
  );
  const outputs = new Set(outputsOf(answer).map(([name]) => name));
  t.same(new Set(Object.keys(answer).filter((name) => !outputs.has(name))), answerKeys);
  t.same(outputs, new Set(['upTo', 'sum', 'periodNs', 'word', 'made']));
  t.same(answer.unsealed, ['/made']);
});

t.test('steps lie in the last segment, and more than that is left to a rerun', async (t) => {
  const [first, last] = exampleAnswer().answer.runs as [RunEntry, RunEntry];
  const withSteps = (steps: number) => ({ ...answer, runs: [{ ...first, steps }, last] });
  for (const steps of [8, 10, 12])
    t.equal(verifyAnswer(readAnswer(withSteps(steps)), trust).verdict, 'SOUND');
  for (const steps of [0, 7, 13, 100_000])
    t.match(verifyAnswer(readAnswer(withSteps(steps)), trust), {
      verdict: 'NOT_SOUND',
      detail: '/runs/0/steps: run steps: do not end in the last segment: 3 of 4 steps',
    });
});

t.test('a number that is shown as text is traced like any other', async (t) => {
  const shown = (outputs: Record<string, unknown>) => exampleAnswer({ outputs }).answer.unsealed;
  t.same(shown({ sum: '1540', tick: '777000777', name: '12 bodies', code: '007' }), []);
  t.same(shown({ sum: '1541', 'a/b~c': ['18446744073709551615'] }), ['/sum', '/a~1b~0c/0']);
});

t.test('a number that no gate looks at is listed, however well its bytes are sealed', async (t) => {
  const outputs = { sum: 1540, levels: [{ upTo: 55 }, { upTo: 55 }] };
  const isUnsealed = (path: string) => path.startsWith('levels');
  const { answer } = exampleAnswer({ outputs, isUnsealed });
  t.same(answer.unsealed, ['/levels/0/upTo', '/levels/1/upTo']);
  const { verdict, unchecked } = verifyAnswer(readAnswer(answer), trust);
  t.equal(verdict, 'SOUND');
  t.ok(unchecked.some(({ where }) => where === '/levels/1/upTo'));
});

t.test('a bundle needs nobody, and its bytes are checked', async (t) => {
  const bundle = await makeBundle(answer, {
    blob: async () => undefined,
    kernel: async (digest) => (digest === triangleDigest ? triangle : undefined),
  });
  t.equal(verifyAnswer(readAnswer(JSON.stringify(bundle)), trust).verdict, 'SOUND');
  t.match(verifyAnswer(readAnswer({ ...bundle, kernels: {} }), trust), {
    verdict: 'NOT_SOUND',
    detail: `/kernels/${triangleDigest}: kernel: is not in the bundle`,
  });
  const wrong = {
    ...bundle,
    kernels: { [triangleDigest]: bundle.kernels[triangleDigest]!.replace('AGFzbQ', 'AGFzbR') },
  };
  t.equal(verifyAnswer(readAnswer(wrong), trust).verdict, 'NOT_SOUND');
  await t.rejects(makeBundle(answer, { blob: async () => undefined, kernel: async () => undefined }), {
    code: 'NOT_FOUND',
  });
});

t.test('what cannot be read is refused with the place and what is accepted there', async (t) => {
  const cases: [string, unknown, string | undefined][] = [
    ['text', 'not JSON', undefined],
    ['bytes that are no UTF-8', Uint8Array.of(0xff), undefined],
    ['another format', { format: 'svc-answer-2' }, '/format'],
    ['a result that was not sealed', { ...answer, envelope: null }, '/envelope'],
    ['no envelope', { ...answer, envelope: undefined }, '/envelope'],
    ['an infinite value', text.replace('"value":1540', '"value":1e999'), undefined],
    ['an infinite value that was parsed before', { ...answer, value: Number.POSITIVE_INFINITY }, '/value'],
    [
      'an unknown member of the envelope',
      { ...answer, envelope: { ...answer.envelope, extra: 1 } },
      '/envelope/extra',
    ],
    [
      'a capital digest',
      { ...answer, envelope: { ...answer.envelope, jobRoot: 'A'.repeat(64) } },
      '/envelope/jobRoot',
    ],
    ['stray bits in base 64', { ...answer, verdict: 'AB==' }, '/verdict'],
    ['base 64 without padding', { ...answer, verdict: 'AAA' }, '/verdict'],
    ['no runs', { ...answer, runs: [] }, '/runs'],
    [
      'runs that are elsewhere',
      { ...answer, runs: { $blob: `sha256:${'0'.repeat(64)}`, length: 1 } },
      '/runs',
    ],
  ];
  for (const [title, file, field] of cases) {
    t.throws(
      () => readAnswer(file),
      { code: 'INVALID_INPUT', ...(field ? { details: { field } } : {}) },
      title,
    );
  }
});

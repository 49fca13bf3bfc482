import fc from 'fast-check';
import t from 'tap';
import {
  attachmentsOf,
  INLINE_BYTES,
  MESSAGE_BYTES,
  PART_BYTES,
  pack,
  packWhole,
  unpack,
} from '../../../mesh/nats/frame.ts';
import { readAnswer, readAsk, readPresence, readResult, readTold } from '../../../mesh/nats/messages.ts';
import { packResult, resultOf } from '../../../mesh/nats/results.ts';
import { concat, u32le, utf8 } from '../../../src/proof/bytes.ts';

const digest = (letter: string) => letter.repeat(64);
const claim = {
  ...{ from: 2, to: 3, digests: [digest('a'), digest('b')], steps: 40, work: '18446744073709551615' },
  ...{ state: digest('c'), rowsRoot: digest('d'), rowsHash: digest('e') },
  final: { status: 17, result: digest('f') },
};
const reveal = {
  ...{ kind: 'reveal' as const, run: 'run-1', fence: 3, claim, salt: new Uint8Array(32).fill(1) },
  ...{ state: new Uint8Array(1000).fill(2), rows: [utf8('one'), utf8('')], observed: [1.5, Number.NaN, -0] },
  result: utf8('the end'),
};

t.test('a message comes back as it was sent', async (t) => {
  for (const result of [
    { kind: 'commit' as const, run: 'r', fence: 1, from: 0, to: 4, commitment: digest('0') },
    { kind: 'checked' as const, run: 'r', fence: 1, claim },
    reveal,
    (({ result: _, ...rest }) => rest)(reveal),
  ]) {
    const { frame, parts } = packResult('id', result);
    const read = unpack(frame)!;
    t.strictSame(parts, []);
    t.strictSame(resultOf(readResult(read.header)!, attachmentsOf(read)!), result, result.kind);
  }
});

t.test('attachments above 256 KiB go in parts, and come back only from exactly those parts', async (t) => {
  const state = new Uint8Array(2 * PART_BYTES + 5).map((_, i) => i);
  const { frame, parts } = packResult('id', { ...reveal, state });
  const read = unpack(frame)!;
  const bytes = parts.map((part) => part.bytes);
  t.equal(parts.length, 3);
  t.ok(frame.length < 4096, 'the message itself stays small');
  t.strictSame(resultOf(readResult(read.header)!, attachmentsOf(read, bytes)!), { ...reveal, state });
  t.equal(attachmentsOf(read, bytes.slice(1)), undefined, 'one is missing');
  t.equal(attachmentsOf(read, [bytes[1]!, bytes[0]!, bytes[2]!]), undefined, 'another order');
  const forged = bytes.map((each) => each.slice());
  forged[1]![7] = 99;
  t.equal(attachmentsOf(read, forged), undefined, 'one byte differs');
});

t.test(
  'what fits goes whole: the largest message in one stays below the largest that the server takes',
  async (t) => {
    const { frame, parts } = pack({}, [new Uint8Array(INLINE_BYTES)]);
    t.equal(parts.length, 0);
    t.ok(unpack(frame) && frame.length < MESSAGE_BYTES);
    t.ok(packWhole({}, [new Uint8Array(PART_BYTES)]).length < MESSAGE_BYTES);
    t.throws(() => pack({ long: 'x'.repeat(300_000) }), /header/);
    t.throws(() => pack({}, new Array(20_001).fill(new Uint8Array(0))), /attachments/);
  },
);

t.test('a frame that is not whole, or says more than it has, is none', async (t) => {
  const header = (text: string, body = '') => concat([u32le(utf8(text).length), utf8(text), utf8(body)]);
  t.ok(unpack(header('{"lengths":[2]}', 'ab')));
  for (const [name, bytes] of Object.entries({
    nothing: new Uint8Array(0),
    'three bytes': new Uint8Array(3),
    'a header longer than the message': u32le(1),
    'a header of 4 GiB': concat([u32le(0xffffffff), utf8('{}')]),
    'no JSON': header('{"lengths":[]'),
    'no UTF-8': concat([u32le(2), Uint8Array.of(0xc0, 0x80)]),
    'a list': header('[]'),
    null: header('null'),
    'no lengths': header('{}'),
    'a body that nobody names': header('{"lengths":[]}', 'x'),
    'a length too short': header('{"lengths":[1]}', 'ab'),
    'a length too long': header('{"lengths":[3]}', 'ab'),
    'a negative length': header('{"lengths":[3,-1]}', 'ab'),
    'a broken length': header('{"lengths":[1.5,0.5]}', 'ab'),
    'a text for a length': header('{"lengths":["2"]}', 'ab'),
    'lengths beyond what may be sent': header('{"lengths":[1e300]}', 'ab'),
    'parts that are no digests': header('{"lengths":[1],"parts":["../x"]}'),
    'parts and a body': header(`{"lengths":[1],"parts":["${digest('a')}"]}`, 'a'),
    'more than a message': new Uint8Array(MESSAGE_BYTES + 1),
  }))
    t.equal(unpack(bytes), undefined, name);
});

t.test('no bytes make a reader throw', async (t) => {
  const readers = [readAsk, readAnswer, readTold, readResult, readPresence];
  const read = (bytes: Uint8Array) => {
    const frame = unpack(bytes);
    if (!frame) return;
    const [header] = [readResult(frame.header)];
    const attachments = attachmentsOf(frame);
    if (header && attachments) resultOf(header, attachments);
    for (const reader of readers) reader(frame.header);
  };
  const { frame } = packResult('id', reveal);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => read(bytes)));
  const flips = fc.array(fc.tuple(fc.nat(frame.length - 1), fc.nat(255)), { maxLength: 8 });
  fc.assert(
    fc.property(flips, (changes) => {
      const bytes = frame.slice();
      for (const [at, byte] of changes) bytes[at] = byte;
      read(bytes);
    }),
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => readers.forEach((reader) => void reader(value))));
  t.pass();
});

t.test('a header with one field too many, too few or of another shape is not read', async (t) => {
  const commit = {
    ...{ result: 'commit', id: 'i', run: 'r', fence: 1, from: 0, to: 0, commitment: digest('0') },
  };
  t.ok(readResult(commit));
  for (const change of [
    { extra: 1 },
    { run: 'a.b' },
    { run: '*' },
    { run: '' },
    { run: 'x'.repeat(129) },
    { fence: -1 },
    { fence: 2 ** 60 },
    { fence: '1' },
    { commitment: digest('G') },
    { commitment: `${digest('0')}0` },
    { id: undefined },
    { result: 'other' },
    { claim },
  ])
    t.equal(readResult({ ...commit, ...change }), undefined, JSON.stringify(change).slice(0, 60));
  t.equal(readAsk({ ask: 'lease', id: 'i', runs: new Array(65).fill('r') }), undefined, 'too many runs');
  t.equal(readAsk({ ask: 'lease', id: 'i', runs: [] }), undefined, 'no run');
  t.equal(
    readAsk(
      JSON.parse('{"ask":"release","id":"i","holding":{"run":"r","fence":1,"__proto__":1},"failed":false}'),
    ),
    undefined,
  );
});

t.test('a claim whose digests are not those of its segments is no claim', async (t) => {
  const { frame } = packResult('id', reveal);
  const read = unpack(frame)!;
  const header = readResult(read.header) as never as { claim: typeof claim };
  const attachments = attachmentsOf(read)!;
  const changed = (claimed: object) =>
    resultOf({ ...header, claim: { ...header.claim, ...claimed } } as never, attachments);
  t.ok(changed({}));
  for (const span of [{ to: 2 }, { to: 4 }, { from: 4 }, { from: 3, to: 2 }, { to: 2 + 16_384 }])
    t.equal(changed(span), undefined, JSON.stringify(span));
  t.equal(resultOf(header as never, attachments.slice(0, 4)), undefined, 'rows are missing');
  t.equal(resultOf(header as never, [...attachments, utf8('x')]), undefined, 'something too many');
  t.equal(resultOf(header as never, []), undefined, 'nothing at all');
});

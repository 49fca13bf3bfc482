import fc from 'fast-check';
import t from 'tap';
import { hmacKey } from '#crypto';
import {
  checkedHandshake,
  handshakeText,
  nodeHandshakeKey,
  readHandshake,
  SeenHandshakes,
} from '../../../mesh/gossip/handshake.ts';
import { toHex, utf8 } from '../../../src/proof/bytes.ts';
import { seeded } from '../../http/test-app.ts';

const secret = hmacKey(utf8('0123456789abcdef0123456789abcdef'));
const sender = 'UDUMMYNODE';
const body = utf8('{"a":1}');
const tick = 2_297_297_297;
const key = nodeHandshakeKey(secret, sender);
const header = handshakeText(key, sender, tick, body);
const check = (text: string | undefined, now = tick, bytes = body) =>
  checkedHandshake(text, bytes, secret, now);

t.test(
  'a handshake is HMAC-SHA256 over sender, tick and body digest, as another program makes it (MESH-01)',
  async (t) => {
    // Python 3, hmac and hashlib: key = HMAC(secret, sender); mac over b'SVC-HANDSHAKE-1\0' + sender + b'\0' +
    // struct.pack('<Q', tick) + sha256(body).
    t.equal(toHex(key), '5dc7b1ec5fb76b41320ae72fd6cc166ce2102f2dc0965a76286635480bbb524c');
    t.equal(
      header,
      `v1 UDUMMYNODE 2297297297 015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862 ` +
        'f04814167943bf4096e98997ca9766d9d0b6a27e63f0ee42c2cc666c8df3a318',
    );
    t.match(check(header), { sender, tick });
  },
);

t.test('a captured handshake is no use after 120 ticks, nor long before (MESH-02)', async (t) => {
  t.doesNotThrow(() => check(header, tick + 120));
  t.throws(() => check(header, tick + 121), { code: 'STALE_HANDSHAKE' });
  t.doesNotThrow(() => check(header, tick - 8), 'a clock may be 6 s ahead');
  t.throws(() => check(header, tick - 9), { code: 'STALE_HANDSHAKE' });
});

t.test('a handshake opens the door for its own event only (MESH-03)', async (t) => {
  t.throws(() => check(header, tick, utf8('{"a":2}')), { code: 'HANDSHAKE_MISUSED' });
  const words = header.split(' ');
  const other = handshakeText(key, sender, tick, utf8('{"a":2}')).split(' ');
  const spliced = [...words.slice(0, 3), other[3], words[4]].join(' ');
  t.throws(() => check(spliced, tick, utf8('{"a":2}')), { code: 'BAD_HANDSHAKE' }, 'nor with another digest');
});

t.test('no node can speak for another: its key makes no other sender', async (t) => {
  const asOther = handshakeText(key, 'UOTHERNODE', tick, body);
  t.throws(() => check(asOther), { code: 'BAD_HANDSHAKE' });
  t.throws(() => check(header.replace(sender, 'UDUMMYNODF')), { code: 'BAD_HANDSHAKE' });
  const elsewhere = hmacKey(utf8('another secret of thirty-two bytes'));
  t.throws(() => checkedHandshake(header, body, elsewhere, tick), { code: 'BAD_HANDSHAKE' });
});

t.test('a missing header is MISSING_HANDSHAKE (MESH-05), one of another form BAD_HANDSHAKE', async (t) => {
  for (const text of [undefined, '']) t.throws(() => readHandshake(text), { code: 'MISSING_HANDSHAKE' });
  const forms = [
    ' ',
    `v2${header.slice(2)}`,
    ` ${header}`,
    `${header} `,
    header.replace(' ', '  '),
    header.replace(String(tick), `0${tick}`),
    header.replace(String(tick), '-1'),
    header.replace(String(tick), '9999999999999999'),
    header.replace(String(tick), '1e3'),
    header.toUpperCase(),
    header.slice(0, -1),
    header.replace(sender, 'é'),
    header.replace(sender, 'U'.repeat(201)),
    `${header}\n`,
  ];
  for (const text of forms) t.throws(() => check(text), { code: 'BAD_HANDSHAKE' }, text.slice(0, 40));
});

t.test('any one character changed, the handshake is refused', async () => {
  fc.assert(
    fc.property(fc.nat(header.length - 1), fc.integer({ min: 0x21, max: 0x7e }), (at, code) => {
      const character = String.fromCharCode(code);
      fc.pre(header[at] !== character);
      try {
        check(`${header.slice(0, at)}${character}${header.slice(at + 1)}`);
      } catch (error) {
        return (error as { code: string }).code === 'BAD_HANDSHAKE';
      }
      return false;
    }),
    { ...seeded, numRuns: 500 },
  );
});

t.test('handshakes that were seen are remembered within bounds', async (t) => {
  const seen = new SeenHandshakes(3);
  const handshakes = [0, 1, 2, 3].map((i) => readHandshake(handshakeText(key, sender, tick + i, body)));
  const [first, second, third, fourth] = handshakes as [never, never, never, never];
  for (const handshake of [first, second, third]) seen.add(handshake, tick);
  t.same(
    [first, second, third, fourth].map((each) => seen.has(each)),
    [true, true, true, false],
  );
  seen.add(fourth, tick);
  t.equal(seen.size, 3);
  t.same(
    [first, second, third, fourth].map((each) => seen.has(each)),
    [false, true, true, true],
    'the oldest goes',
  );
  seen.add(first, tick + 123);
  t.same(
    [second, third, fourth].map((each) => seen.has(each)),
    [false, false, true],
    'as does what is stale',
  );
});

import canonicalize from 'canonicalize';
import fc from 'fast-check';
import t from 'tap';
import { doubleBits, fromBase64, textOf, toBase64, utf8 } from '../../src/proof/bytes.ts';
import { canonicalBytes, canonicalText, readCanonical } from '../../src/proof/canonical.ts';
import { base64 } from '../../src/proof/shape.ts';

t.test('canonical JSON is that of RFC 8785', async (t) => {
  // §3.2.2 and §3.2.3: the sample object.
  const sample = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002f',
    literals: [null, true, false],
  };
  t.equal(
    canonicalText(sample),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const order = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  t.equal(
    canonicalText(order),
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    '§3.2.3: by UTF-16 units',
  );
  // Appendix B: doubles and their texts.
  for (const [bits, text] of [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
  ] as const) {
    const value = new DataView(Uint8Array.from(Buffer.from(bits, 'hex')).buffer).getFloat64(0);
    t.equal(canonicalText(value), text);
    t.equal(doubleBits(value), bits);
  }
});

t.test('the text is that of the library, for any JSON and any order of its members', async (t) => {
  const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', '10', '9', 'toJSON', '\ufb33', '😀', ''));
  const { value: any } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, -0),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(Object.fromEntries),
    ),
  }));
  fc.assert(fc.property(any, (value) => canonicalText(value) === canonicalize(value)));
  t.equal(canonicalText(new Date(0)), canonicalize(new Date(0)));
});

t.test('what JSON cannot hold is refused, not dropped', async (t) => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  for (const bad of [
    Number.NaN,
    Infinity,
    1n,
    undefined,
    () => 1,
    Symbol('s'),
    [undefined],
    '\ud800',
    { a: [1n] },
  ]) {
    t.throws(() => canonicalBytes(bad), TypeError, String(typeof bad));
  }
  t.equal(canonicalText({ b: 1, a: undefined }), '{"b":1}', 'an undefined member is absent');
});

t.test('only one spelling is read as canonical', async (t) => {
  t.same(readCanonical(utf8('{"a":1,"b":[0.1]}')), { a: 1, b: [0.1] });
  for (const other of ['{"b":1,"a":2}', '{"a": 1}', '{"a":1.0}', '{"a":1,"a":1}', '["\\u0041"]']) {
    t.throws(() => readCanonical(utf8(other)), TypeError, other);
  }
});

t.test('base 64 has one spelling for each string of bytes', async (t) => {
  // RFC 4648 §10.
  const table = ['', 'Zg==', 'Zm8=', 'Zm9v', 'Zm9vYg==', 'Zm9vYmE=', 'Zm9vYmFy'];
  for (const [i, text] of table.entries()) {
    t.equal(toBase64(utf8('foobar'.slice(0, i))), text);
    t.equal(textOf(fromBase64(text)), 'foobar'.slice(0, i));
  }
  for (const bad of ['Zg', 'Zg=', 'Zh==', 'Zm9=', '=', '====', 'Z===', 'Zm9v\n', 'Zm 9', 'Zm-_', 'Zm€=']) {
    t.throws(() => fromBase64(bad), RangeError, JSON.stringify(bad));
    t.throws(() => base64(bad, ''), { code: 'INVALID_INPUT' }, `a reader: ${JSON.stringify(bad)}`);
  }
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = toBase64(bytes);
      base64(text, '');
      return text === Buffer.from(bytes).toString('base64') && Buffer.compare(fromBase64(text), bytes) === 0;
    }),
  );
});

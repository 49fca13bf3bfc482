import t from 'tap';
import { fromHex, toHex, utf8 } from '../../src/proof/bytes.ts';
import * as node from '../../src/proof/crypto-node.ts';
import * as portable from '../../src/proof/crypto-portable.ts';

const adapters = { 'node:crypto': node, noble: portable };

// FIPS 180-4, examples of SHA-256 (NIST CSRC): one block, two blocks, the empty message, a million a.
const hashes: [Uint8Array, string][] = [
  [utf8('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    utf8('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  [utf8(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [utf8('a'.repeat(1_000_000)), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
];

// RFC 4231 §4.2–4.4, 4.7.
const macs: [key: Uint8Array, data: Uint8Array, mac: string][] = [
  [
    new Uint8Array(20).fill(0x0b),
    utf8('Hi There'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  ],
  [
    utf8('Jefe'),
    utf8('what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    new Uint8Array(20).fill(0xaa),
    new Uint8Array(50).fill(0xdd),
    '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  ],
  [
    new Uint8Array(131).fill(0xaa),
    utf8('Test Using Larger Than Block-Size Key - Hash Key First'),
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
];

// RFC 8032 §7.1, tests 1 to 3.
const signatures: [seed: string, publicKey: string, message: string, signature: string][] = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
];

for (const [name, crypto] of Object.entries(adapters)) {
  t.test(`${name}: SHA-256 of FIPS 180-4`, async (t) => {
    for (const [message, digest] of hashes) {
      t.equal(toHex(crypto.sha256(message)), digest);
      t.equal(toHex(crypto.sha256(message.subarray(0, 2), message.subarray(2))), digest, 'in pieces');
    }
  });

  t.test(`${name}: HMAC-SHA256 of RFC 4231`, async (t) => {
    for (const [key, data, mac] of macs) {
      t.equal(toHex(crypto.hmacKey(key).mac(data)), mac);
      t.equal(toHex(crypto.hmacKey(key).mac(data.subarray(0, 3), data.subarray(3))), mac, 'in pieces');
    }
  });

  t.test(`${name}: Ed25519 of RFC 8032`, async (t) => {
    for (const [seed, publicKey, message, signature] of signatures) {
      const key = crypto.signingKey(fromHex(seed));
      t.equal(toHex(key.publicKey), publicKey);
      t.equal(toHex(key.sign(fromHex(message))), signature);
      t.ok(crypto.verifySignature(fromHex(publicKey), fromHex(message), fromHex(signature)));
      t.notOk(
        crypto.verifySignature(fromHex(publicKey), fromHex(`${message}00`), fromHex(signature)),
        'longer',
      );
      const wrong = fromHex(signature);
      wrong[40]! ^= 1;
      t.notOk(
        crypto.verifySignature(fromHex(publicKey), fromHex(message), wrong),
        'one bit of the signature',
      );
      t.notOk(crypto.verifySignature(fromHex(publicKey).subarray(1), fromHex(message), wrong), 'no key');
    }
    t.throws(() => crypto.signingKey(new Uint8Array(31)), RangeError);
  });

  t.test(`${name}: equality looks at every byte`, async (t) => {
    t.ok(crypto.equalConstantTime(utf8('same'), utf8('same')));
    t.notOk(crypto.equalConstantTime(utf8('same'), utf8('sane')));
    t.notOk(crypto.equalConstantTime(utf8('same'), utf8('sam')));
  });
}

t.test('both adapters give the same names', async (t) => {
  t.same(Object.keys(node).sort(), Object.keys(portable).sort());
});

t.test('hexadecimal is read in either case, and nothing else is', async (t) => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = Buffer.from(all).toString('hex');
  t.strictSame(fromHex(text), all);
  t.strictSame(fromHex(text.toUpperCase()), all);
  t.equal(fromHex('').length, 0);
  for (const wrong of [
    'a',
    'abc',
    '0g',
    'g0',
    '0x',
    ' 0',
    '0 ',
    '+1',
    '-1',
    '1.',
    'é0',
    '0\u0130',
    'ab\n',
    '٠٠',
  ])
    t.throws(() => fromHex(wrong), { name: 'RangeError' }, JSON.stringify(wrong));
});

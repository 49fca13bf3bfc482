import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { assemblyModule } from './assembly-module.ts';

interface Hashing {
  memory: WebAssembly.Memory;
  room(): number;
  sha256(at: number, length: number, out: number): void;
  pad(at: number, length: number): number;
  sha256Lanes(messages: number, blocks: number, out: number): void;
  openLastBlocks(table: number): void;
  sha256Pairs(messages: number, table: number, out: number): void;
}

const hashing = await assemblyModule<Hashing>(`
export { sha256 } from "./sha256";
export { openLastBlocks, pad, sha256Lanes, sha256Pairs } from "./sha256-lanes";
export function room(): usize { return (__heap_base + 15) & ~15; }
`);
hashing.memory.grow(20);
const out = hashing.room();

/** The digest of a message that begins `shift` bytes behind an even address. */
function digest(message: Uint8Array, shift = 0): string {
  const at = out + 32 + shift;
  new Uint8Array(hashing.memory.buffer, at, message.length).set(message);
  hashing.sha256(at, message.length, out);
  return Buffer.from(new Uint8Array(hashing.memory.buffer, out, 32)).toString('hex');
}

const ascii = (text: string) => new TextEncoder().encode(text);

// FIPS 180-2, B.1 to B.3, and NIST's example of the empty message.
const known: [string, Uint8Array, string][] = [
  ['nothing', ascii(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', ascii('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'two blocks',
    ascii('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  [
    'a million times a',
    ascii('a'.repeat(1_000_000)),
    'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
  ],
];

for (const [title, message, expected] of known) {
  t.test(`SHA-256 of ${title} is that of FIPS 180`, async (t) => {
    t.equal(digest(message), expected);
  });
}

t.test('of any message, at any address, it is that of OpenSSL', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 7 }), (message, shift) => {
      return digest(message, shift) === createHash('sha256').update(message).digest('hex');
    }),
  );
});

t.test('around the ends of blocks nothing is lost', async (t) => {
  for (let length = 0; length <= 200; length++) {
    const message = new Uint8Array(length).fill(length);
    t.equal(digest(message), createHash('sha256').update(message).digest('hex'), `${length} bytes`);
  }
});

const openssl = (message: Uint8Array) => createHash('sha256').update(message).digest('hex');

type Hash = (at: number, blocks: number) => void;
const side: Hash = (at, blocks) => hashing.sha256Lanes(at, blocks, out);

/** The digests of four messages of one length, side by side. */
function digestsOfFour(messages: readonly Uint8Array[], hash = side): string[] {
  const { length } = messages[0]!;
  const apart = 64 * Math.ceil((length + 9) / 64);
  const at = out + 128;
  new Uint8Array(hashing.memory.buffer, at, 4 * apart).fill(0);
  let blocks = 0;
  for (const [lane, message] of messages.entries()) {
    new Uint8Array(hashing.memory.buffer, at + lane * apart, length).set(message);
    blocks = hashing.pad(at + lane * apart, length);
  }
  hash(at, blocks);
  return messages.map((_, lane) =>
    Buffer.from(new Uint8Array(hashing.memory.buffer, out + 32 * lane, 32)).toString('hex'),
  );
}

t.test('four messages at once have the digests that OpenSSL gives each', async () => {
  const ofOneLength = fc
    .integer({ min: 0, max: 200 })
    .chain((length) =>
      fc.array(fc.uint8Array({ minLength: length, maxLength: length }), { minLength: 4, maxLength: 4 }),
    );
  fc.assert(
    fc.property(ofOneLength, (messages) => `${digestsOfFour(messages)}` === `${messages.map(openssl)}`),
  );
});

t.test('four at once lose nothing around the ends of blocks', async (t) => {
  for (let length = 0; length <= 200; length++) {
    const messages = [0, 1, 2, 3].map((lane) => new Uint8Array(length).fill(length + lane));
    t.strictSame(digestsOfFour(messages), messages.map(openssl), `${length} bytes`);
  }
});

t.test(
  'four nodes of a tree at once, whose last blocks are a table, have the digests that OpenSSL gives each',
  async (t) => {
    const table = out + 4096;
    hashing.openLastBlocks(table);
    const nodes = (first: number) =>
      [0, 1, 2, 3].map((lane) =>
        Uint8Array.from({ length: 65 }, (_, i) => (i === 64 ? first + lane : i * lane + first)),
      );
    for (let first = 0; first < 256; first += 4) {
      const digests = digestsOfFour(nodes(first), (at) => hashing.sha256Pairs(at, table, out));
      t.strictSame(digests, nodes(first).map(openssl), `ending with ${first} to ${first + 3}`);
    }
  },
);

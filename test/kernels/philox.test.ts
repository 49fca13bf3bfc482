import t from 'tap';
import { assemblyModule } from './assembly-module.ts';

interface Random {
  memory: WebAssembly.Memory;
  room(): number;
  philox(c0: number, c1: number, c2: number, c3: number, k0: number, k1: number, out: number): void;
  uniform(high: number, low: number): number;
  normal(u: number): number;
  normals(at: number, count: number, list: number): void;
  uniformsOfItems(...args: number[]): void;
  uniformsOfDraws(...args: number[]): void;
}

const random = await assemblyModule<Random>(`
export { philox, uniform, uniformsOfItems, uniformsOfDraws } from "./philox";
export { normal, normals } from "./normal";
export function room(): usize { return (__heap_base + 15) & ~15; }
`);
const at = random.room();
random.memory.grow(4);

function words(counter: readonly number[], key: readonly number[]): string {
  random.philox(counter[0]!, counter[1]!, counter[2]!, counter[3]!, key[0]!, key[1]!, at);
  const four = [...new Uint32Array(random.memory.buffer, at, 4)];
  return four.map((word) => word.toString(16).padStart(8, '0')).join(' ');
}

// Random123, examples/kat_vectors, philox4x32 10.
const known: [readonly number[], readonly number[], string][] = [
  [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
  [
    [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    [0xffffffff, 0xffffffff],
    '408f276d 41c83b0e a20bc7c6 6d5451fd',
  ],
  [
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    'd16cfe09 94fdcceb 5001e420 24126ea1',
  ],
];

t.test('Philox4x32-10 gives the known answers of Random123', (t) => {
  for (const [counter, key, expected] of known) t.equal(words(counter, key), expected);
  t.end();
});

t.test('seed 42, counter (0, 0, 7, 1 << 24): words, uniforms and normals', (t) => {
  t.equal(words([0, 0, 7, 0x01000000], [42, 0]), 'aa8c6d9f 52bab1ac b88b990a 6eac8c57');
  const [a, b] = [random.uniform(0xaa8c6d9f, 0x52bab1ac), random.uniform(0xb88b990a, 0x6eac8c57)];
  t.equal(a, 0.6662052619928304);
  t.equal(b, 0.7208800976324138);
  t.ok(Math.abs(random.normal(a) - 0.4294586550985) < 1e-13);
  t.ok(Math.abs(random.normal(b) - 0.5854579921154) < 1e-13);
  t.end();
});

t.test('the smallest and the largest uniform lie inside (0, 1), half a step from its ends', (t) => {
  t.equal(random.uniform(0, 0), 2 ** -53);
  t.equal(random.uniform(0xffffffff, 0xffffffff), 1 - 2 ** -53);
  t.end();
});

// The two checks that Wichura gives (Appl. Statist. 37 (1988) 477), and quantiles by mpmath, 20 digits.
const quantiles: [number, number][] = [
  [0.25, -0.6744897501960817],
  [0.001, -3.090232306167814],
  [1e-20, -9.262340089798409],
  [0.5, 0],
  [0.975, 1.959963984540054],
  [0.925, 1.4395314709384561],
  [1e-300, -37.0470962993612],
];

t.test('PPND16 gives the normal quantile to 16 digits', (t) => {
  for (const [u, z] of quantiles) {
    const error = Math.abs(random.normal(u) - z);
    t.ok(error <= 4e-15 * Math.max(1, Math.abs(z)), `${u}: ${random.normal(u)}`);
  }
  t.end();
});

t.test('many at once are the same bits as one by one', (t) => {
  const count = 1000;
  const [a, b] = [at + 64, at + 64 + 8 * (count + 8)];
  for (const draws of [false, true]) {
    if (draws) random.uniformsOfDraws(5, 9, 77, count, 3 << 24, 11, 12, a, b);
    else random.uniformsOfItems(77, 9, 5, count, 3 << 24, 11, 12, a, b);
    const [first, second] = [a, b].map(
      (from) => new Float64Array(random.memory.buffer.slice(from, from + 8 * count)),
    );
    let different = 0;
    for (let i = 0; i < count; i++) {
      if (draws) random.philox(5 + i, 9, 77, 3 << 24, 11, 12, at);
      else random.philox(77, 9, 5 + i, 3 << 24, 11, 12, at);
      const [w0, w1, w2, w3] = new Uint32Array(random.memory.buffer, at, 4) as unknown as number[];
      if (first![i] !== random.uniform(w0!, w1!) || second![i] !== random.uniform(w2!, w3!)) different++;
    }
    t.equal(different, 0, draws ? 'draws' : 'items');
    random.normals(a, count, b + 8 * (count + 8));
    const z = new Float64Array(random.memory.buffer.slice(a, a + 8 * count));
    t.equal(
      z.findIndex((value, i) => value !== random.normal(first![i]!)),
      -1,
      'normals',
    );
  }
  t.end();
});

t.test('100,000 normals have the moments of the normal distribution within 4.5 standard errors', (t) => {
  const count = 4096;
  const [a, b] = [at + 64, at + 64 + 8 * count];
  const sums = [0, 0, 0, 0];
  for (let block = 0; block < 25; block++) {
    random.uniformsOfDraws(block * count, 0, 0, count, 1 << 24, 7, 0, a, b);
    random.normals(a, count, b + 8 * (count + 8));
    for (const z of new Float64Array(random.memory.buffer, a, count)) {
      for (let power = 1; power <= 4; power++) sums[power - 1]! += z ** power;
    }
  }
  const n = 25 * count;
  const expected: [number, number][] = [
    [0, 1],
    [1, 2],
    [0, 15],
    [3, 96],
  ]; // mean and variance of zᵖ
  for (const [i, [mean, variance]] of expected.entries()) {
    t.ok(Math.abs(sums[i]! / n - mean) <= 4.5 * Math.sqrt(variance / n), `moment ${i + 1}`);
  }
  t.end();
});

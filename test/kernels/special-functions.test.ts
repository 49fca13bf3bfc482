import t from 'tap';
import { assemblyModule } from './assembly-module.ts';

interface Special {
  memory: WebAssembly.Memory;
  room(): number;
  besselRatio(n: number, x: number): number;
  besselOverI0(x: number, count: number, out: number): void;
  ellipticK(complement: number): number;
  jacobi(u: number, n: number, complement: number, out: number, scratch: number): void;
}

const special = await assemblyModule<Special>(`
export { besselRatio, besselOverI0 } from "./bessel";
export { ellipticK, jacobi } from "./jacobi";
export function room(): usize { return (__heap_base + 15) & ~15; }
`);
const at = special.room();
const close = (value: number, expected: number, bound = 4e-15) =>
  Math.abs(value - expected) <= bound * Math.max(Math.abs(expected), 1e-300);

t.test('ratios of modified Bessel functions', (t) => {
  // mpmath: besseli(n, x) / besseli(n − 1, x), rounded to f64.
  t.ok(close(special.besselRatio(1, 1), 0.4463899658965345));
  t.ok(close(special.besselRatio(1, 2), 0.697774657964008));
  t.ok(close(special.besselRatio(2, 2), 0.43312742672231175));
  t.ok(close(special.besselRatio(1, 50), 0.9899489673784978));
  t.ok(close(special.besselRatio(1, 1e-8), 5e-9));
  t.ok(close(special.besselRatio(150, 50), 0.16230385332057562, 1e-13));
  t.end();
});

t.test('I_n/I_0 satisfy the recurrence and the generating sum 1 + 2 Σ I_n/I_0 = eˣ/I_0', (t) => {
  special.besselOverI0(3, 60, at);
  const ratios = new Float64Array(special.memory.buffer, at, 60);
  const sum = ratios.reduce((total, value) => total + 2 * value, -1);
  t.ok(close(sum, Math.exp(3) / 4.8807925858650245)); // I_0(3), DLMF / A&S table 9.8
  t.end();
});

const jacobiValues = [
  [0.2, 0.81, 0.1976208236718765, 0.9802785369736752, 0.9840560289645666],
  [1.5, 0.3, 0.9839581144596437, 0.1783996328163902, 0.842346679637729],
  [7, 0.5, -0.39907978209954037, 0.9169162052878024, 0.9593579435016378],
  [-3.3, 0.9, -0.9698096276586069, -0.24386325287069047, 0.39181929188161074],
  [12.5, 0.05, -0.2259614101471534, 0.9741362538804876, 0.9987227203063999],
  [2, 0.999, 0.9642329639382918, 0.26505620395451357, 0.2668043036825342],
  [0.7, 0, 0.644217687237691, 0.7648421872844885, 1.0],
];

t.test('K and the Jacobi functions against Abramowitz & Stegun and mpmath', (t) => {
  t.ok(close(special.ellipticK(0.5), 1.8540746773013719));
  t.ok(close(special.ellipticK(1e-6), 8.29405146361544, 1e-13));
  // mpmath ellipfun(…, u, m=n).
  for (const [u, n, sn, cn, dn] of jacobiValues) {
    special.jacobi(u!, n!, 1 - n!, at, at + 64);
    const [s, c, d] = new Float64Array(special.memory.buffer, at, 3) as unknown as number[];
    t.ok(
      Math.abs(s! - sn!) < 2e-14 && Math.abs(c! - cn!) < 2e-14 && Math.abs(d! - dn!) < 2e-14,
      `u=${u}, n=${n}`,
    );
  }
  t.end();
});

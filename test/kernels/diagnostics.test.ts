import t from 'tap';
import { DIAGNOSTICS, readDiagnostics } from '../../src/solvers/diagnostics.ts';
import { assemblyModule } from './assembly-module.ts';

// Functions that no kernel shows by themselves, compiled as kernels are.
const source = `
import { DIAGNOSTICS, diagnosticsScratch, writeReflection, writeStaticProfile } from "../diagnostics/diagnostics";
import { dot, sum, leafCount } from "../math/reduce";
export function room(bytes: i32): usize { return heap.alloc(bytes); }
export function scratchOf(n: i32): i32 { return diagnosticsScratch(n); }
export function profile(block: usize, u: usize, n: i32, scratch: usize): void { writeStaticProfile(block, u, n, scratch); }
export function reflection(block: usize, u: usize, n: i32, scratch: usize): void { writeReflection(block, u, n, scratch); }
export function dotOf(a: usize, b: usize, n: i32, scratch: usize): f64 { return dot(a, b, n, scratch); }
export function sumOf(a: usize, n: i32, scratch: usize): f64 { return sum(a, n, scratch); }
`;
interface Module {
  memory: WebAssembly.Memory;
  room(bytes: number): number;
  scratchOf(n: number): number;
  profile(block: number, u: number, n: number, scratch: number): void;
  dotOf(a: number, b: number, n: number, scratch: number): number;
  sumOf(a: number, n: number, scratch: number): number;
}
const module = await assemblyModule<Module>(source);
const [first, second, block, scratch] = [0, 0, 0, 0].map(() => module.room(2 ** 17)) as [
  number,
  number,
  number,
  number,
];

function put(at: number, values: readonly number[]): void {
  new Float64Array(module.memory.buffer, at, values.length).set(values);
}
function diagnosticsOf(samples: readonly number[]) {
  put(first, samples);
  module.profile(block, first, samples.length, scratch);
  const extras = new Float64Array(module.memory.buffer, block, DIAGNOSTICS).slice();
  return readDiagnostics(extras, 0) as unknown as Labelled;
}
interface Labelled {
  masterEquation: { basis: string; closure: number; terms: Record<string, { value: number | null }> };
  functionalEquation: {
    balance: { lhs: null; reason: string };
    reflection: { lambda: number; lambdaTransformed: number; error: number; parseval: number; warn: boolean };
  };
  spectralPropagator: {
    band: Record<'bandEnergyFraction' | 'roundTripError' | 'energyDrift' | 'centroid', number> & {
      underResolved: boolean;
      warn: boolean;
    };
  };
}

t.test('φ = sin πξ at h = 1/64: diffusion 9.86762277 and self-interaction 2 in the middle', (t) => {
  const samples = Array.from({ length: 65 }, (_, i) => 3 * Math.sin((Math.PI * i) / 64));
  const { masterEquation } = diagnosticsOf(samples);
  t.equal(masterEquation.basis, 'reference');
  t.ok(Math.abs(masterEquation.terms.diffusion!.value! - 9.86762277) < 5e-9);
  t.ok(Math.abs(masterEquation.terms.selfInteraction!.value! - 2) < 1e-14);
  t.equal(masterEquation.terms.inertia!.value, null, 'a static field has none');
  t.end();
});

t.test('f_m = 1/(1+m) on 257 points: Λ = 0.7024825457 on both sides of the transform', (t) => {
  const samples = Array.from({ length: 257 }, (_, m) => 1 / (1 + m));
  const { reflection, balance } = diagnosticsOf(samples).functionalEquation;
  t.ok(Math.abs(reflection.lambda - 0.7024825457) < 5e-11);
  t.ok(Math.abs(reflection.lambdaTransformed - 0.7024825457) < 5e-11);
  t.ok(reflection.error < 1e-12 && reflection.parseval < 1e-12);
  t.notOk(reflection.warn);
  t.equal(balance.lhs, null);
  t.end();
});

t.test('a smooth profile lies in the band and a zigzag does not; both come back', (t) => {
  const smooth = Array.from({ length: 129 }, (_, i) => Math.sin((Math.PI * i) / 128));
  const zigzag = Array.from({ length: 100 }, (_, i) => (i % 2 ? 1 : -1));
  const [a, b] = [smooth, zigzag].map((u) => diagnosticsOf(u).spectralPropagator.band);
  t.notOk(a!.underResolved || a!.warn);
  t.ok(b!.underResolved);
  t.ok(a!.roundTripError <= 1e-12 && b!.energyDrift <= 1e-12);
  t.end();
});

/** Λ(f̂) by all 257² terms, and the band's share and centroid by those of the DCT-II, as the page of formulas has them. */
function directly(samples: readonly number[]) {
  const folded = new Array<number>(257).fill(0);
  for (const [j, value] of samples.entries()) folded[j % 257]! += value;
  const squares = new Set(Array.from({ length: 128 }, (_, m) => ((m + 1) * (m + 1)) % 257));
  let lambda = 0;
  for (let k = 1; k < 257; k++)
    for (const [m, value] of folded.entries())
      lambda +=
        ((squares.has(k) ? 1 : -1) * value * Math.cos((2 * Math.PI * ((k * m) % 257)) / 257)) /
        Math.sqrt(257);
  const width = Math.ceil(samples.length / 128);
  const means: number[] = [];
  for (let at = 0; at < samples.length; at += width) {
    const block = samples.slice(at, at + width);
    means.push(block.reduce((a, b) => a + b, 0) / block.length);
  }
  const n = means.length;
  const energies = means.map((_, k) => {
    const a = means.reduce((sum, x, i) => sum + x * Math.cos((Math.PI * (2 * i + 1) * k) / (2 * n)), 0);
    return (a * a * (k === 0 ? 1 : 2)) / n;
  });
  const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
  const kept = energies.slice(0, Math.trunc((2 * (n - 1)) / 3) + 1);
  return {
    lambda,
    fraction: sum(kept) / sum(energies),
    centroid: sum(kept.map((e, k) => Math.PI * k * e)) / sum(kept),
  };
}

t.test('halved sums say what all terms say, for any number of samples', (t) => {
  for (const n of [3, 4, 5, 14, 30, 97, 127, 128, 129, 257, 258, 300, 1001]) {
    const samples = Array.from({ length: n }, (_, i) => Math.sin(i * i + n) + 0.3 * Math.cos(0.1 * i));
    const { functionalEquation, spectralPropagator } = diagnosticsOf(samples);
    const { reflection } = functionalEquation;
    const { bandEnergyFraction, centroid } = spectralPropagator.band;
    const direct = directly(samples);
    t.ok(Math.abs(reflection.lambdaTransformed - direct.lambda) < 1e-11, `reflection of ${n}`);
    t.ok(reflection.parseval < 1e-12 && reflection.error < 1e-12, `unitary for ${n}`);
    t.ok(Math.abs(bandEnergyFraction - direct.fraction) < 1e-12, `band of ${n}`);
    t.ok(Math.abs(centroid / direct.centroid - 1) < 1e-11, `centroid of ${n}`);
  }
  t.end();
});

t.test('an all-zero field gives zeros and no warning', (t) => {
  const { functionalEquation, spectralPropagator } = diagnosticsOf(Array.from({ length: 129 }, () => 0));
  t.equal(functionalEquation.reflection.lambda, 0);
  t.notOk(functionalEquation.reflection.warn || spectralPropagator.band.warn);
  t.end();
});

/** The stated shape: leaves of 1024, eight partial sums, pairs, then a binary tree. */
function shaped(terms: readonly number[]): number {
  let level: number[] = [];
  for (let at = 0; at < terms.length; at += 1024) {
    const s = [0, 0, 0, 0, 0, 0, 0, 0];
    terms.slice(at, at + 1024).forEach((x, i) => {
      s[i % 8]! += x;
    });
    const [a, b, c, d] = [0, 2, 4, 6].map((i) => s[i]! + s[i + 1]!) as [number, number, number, number];
    level.push(a + b + (c + d));
  }
  while (level.length > 1) {
    level = level.flatMap((x, i) => (i % 2 ? [] : [i + 1 < level.length ? x + level[i + 1]! : x]));
  }
  return level[0] ?? 0;
}

t.test('dot products and sums have the bits of their stated shape', (t) => {
  for (const n of [0, 1, 2, 3, 7, 8, 9, 13, 1023, 1024, 1025, 3077, 8192, 11_111]) {
    const a = Array.from({ length: n }, (_, i) => Math.sin(i * i + 1) * 10 ** (i % 7));
    const b = Array.from({ length: n }, (_, i) => Math.cos(3 * i));
    put(first, a);
    put(second, b);
    t.equal(module.sumOf(first, n, scratch), shaped(a), `sum of ${n}`);
    t.equal(module.dotOf(first, second, n, scratch), shaped(a.map((x, i) => x * b[i]!)), `dot of ${n}`);
  }
  t.end();
});

import { toBase64 } from '../../src/proof/bytes.ts';
import type { KernelCatalogue } from '../../workers/kernels.ts';
import type { SelfTestQuestion } from './self-test.ts';

/** Groups of assembly/kernels/selftest.ts, in the order of their numbers, with the values each takes. */
const groups = [
  ['f64 arithmetic', 100],
  ['f32 arithmetic', 100],
  ['conversions', 100],
  ['SIMD f64', 100],
  ['SIMD f32', 100],
  ['i32 arithmetic', 40],
  ['i64 arithmetic', 40],
  ['SIMD i8', 40],
  ['SIMD i16', 40],
  ['SIMD i32 and i64', 40],
  ['memory and calls', 40],
] as const;

const SEGMENTS = 4;

/** What the engine does where rounding, denormals, signed zeros and NaN decide: a question for each kind of instruction. */
export function edgeQuestions(catalogue: Pick<KernelCatalogue, 'digest'>): SelfTestQuestion[] {
  const kernel = catalogue.digest('selftest');
  return groups.map(([name, values], group) => ({
    probe: `${name} at the edges`,
    kernel,
    parameters: toBase64(new Uint8Array(Float64Array.of(group).buffer)),
    stepsPerSegment: values / SEGMENTS,
    segments: SEGMENTS,
    memory: 2 ** 26,
  }));
}

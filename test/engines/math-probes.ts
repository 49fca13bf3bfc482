import { sha256 } from '#crypto';
import { toHex } from '../../src/proof/bytes.ts';
import { compileKernel } from '../kernels/assembly-module.ts';
import { BLOCK, functionNames, mathKernelSource } from './math-kernel.ts';
import { base64, type ProbeJob, type ProbeSuite } from './probe-suite.ts';

const COUNT = 80 * BLOCK;
const SEGMENTS = 8;

/** Patterns of bits where functions break: zeros, borders of the numbers, quarter turns, NaNs with a payload. */
const corners: readonly bigint[] = [
  ...[0n, 1n, 2n, 0x000fffffffffffffn, 0x0010000000000000n, 0x0010000000000001n, 0x3c90000000000000n],
  ...[
    0x3e40000000000000n,
    0x3fe0000000000000n,
    0x3fefffffffffffffn,
    0x3ff0000000000000n,
    0x3ff0000000000001n,
  ],
  ...[0x3fe921fb54442d18n, 0x3ff921fb54442d18n, 0x400921fb54442d18n, 0x401921fb54442d18n, 0x402d97c7f3321d2n],
  ...[0x40862e42fefa39efn, 0x40874910d52d3051n, 0x40100000000000n, 0x4340000000000000n, 0x4370000000000000n],
  ...[
    0x7fe0000000000000n,
    0x7fefffffffffffffn,
    0x7ff0000000000000n,
    0x7ff8000000000000n,
    0x7ff0000000000001n,
  ],
];
const SIGN = 1n << 63n;
const MASK = (1n << 64n) - 1n;

/** SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): 64 bits for a number. */
function bitsOf(index: bigint): bigint {
  let z = ((index + 1n) * 0x9e3779b97f4a7c15n) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
}

/** A third any pattern of bits, the others between 2^-20 and 2^11 in size, where the functions have their branches. */
function argument(index: number): bigint {
  const corner = corners[Math.floor(index / 2)];
  if (corner !== undefined) return index % 2 ? corner | SIGN : corner;
  const bits = bitsOf(BigInt(index));
  if (index % 3 === 0) return bits;
  const exponent = 1003n + ((bits >> 52n) & 31n);
  return (bits & (SIGN | 0x000fffffffffffffn)) | (exponent << 52n);
}

function argumentBytes(): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * COUNT));
  for (let i = 0; i < COUNT; i++) view.setBigUint64(8 * i, argument(i), true);
  return new Uint8Array(view.buffer);
}

const index = (i: number): string => base64(new Uint8Array(Float64Array.of(i).buffer));

/** Each function on the same 20,480 arguments, as a job of its own, so that a difference has the function's name. */
export async function mathProbes(): Promise<ProbeSuite> {
  const module = await compileKernel(mathKernelSource);
  const bytes = argumentBytes();
  const kernel = toHex(sha256(module));
  const blob = toHex(sha256(bytes));
  const jobs = functionNames.map(
    (request, i): ProbeJob => ({
      solver: 'math',
      request,
      ends: 'finished',
      runs: [
        {
          kernel,
          label: `${COUNT} arguments`,
          parts: [{ bytes: index(i) }, { blob, length: bytes.length }],
          stepsPerSegment: COUNT / BLOCK / SEGMENTS,
          plannedResult: toHex(sha256(new Uint8Array(8))),
        },
      ],
    }),
  );
  return {
    format: 'svc-probes-1',
    kernels: { [kernel]: base64(module) },
    blobs: { [blob]: base64(bytes) },
    jobs,
  };
}

import type { Diagnostics } from '../proof/receipt.ts';

/** Numbers in a block, by the layout of assembly/diagnostics/diagnostics.ts. */
export const DIAGNOSTICS = 40;

/** Work units and bytes of a static profile of n samples, as assembly/diagnostics/diagnostics.ts has them. */
export const profileWork = (n: number): number => 60_000 + 40 * n;
export const profileBytes = (n: number): number => 8 * (DIAGNOSTICS + Math.max(7 * n, 4 * 257 + 5 * 128));

const terms = ['inertia', 'damping', 'advection', 'diffusion', 'selfInteraction', 'source'] as const;

export interface DiagnosticsReasons {
  /** Why terms of the master equation are absent; static fields have neither inertia nor damping. */
  readonly absentTerm?: string;
  readonly absentMasterEquation?: string;
  readonly absentBalance?: string;
  readonly absentStep?: string;
}

/**
 * Labels a verdict's diagnostics block, 40 numbers from `at` in its extras (ENV-07, ENV-08). They describe the
 * sealed samples and never gate the value; what could not be computed is null with a reason.
 */
export function readDiagnostics(
  extras: Float64Array,
  at: number,
  reasons: DiagnosticsReasons = {},
): Diagnostics {
  const block = extras.subarray(at, at + DIAGNOSTICS);
  if (block.length !== DIAGNOSTICS) throw new RangeError('no diagnostics block here');
  return {
    masterEquation: masterEquation(block, reasons),
    functionalEquation: functionalEquation(block, reasons),
    spectralPropagator: spectralPropagator(block, reasons),
  };
}

function masterEquation(block: Float64Array, reasons: DiagnosticsReasons) {
  const basis = block[0] === 1 ? 'solver' : 'reference';
  if (block[1] !== 1) {
    const reason = reasons.absentMasterEquation ?? 'the samples do not carry the derivatives it needs';
    return { diagnostic: true, basis, terms: null, closure: null, reason };
  }
  const entries = terms.map((name, k) => [name, term(block, k, reasons)] as const);
  const isAlone = entries.filter(([, { rms }]) => rms !== null).length === 1;
  return {
    diagnostic: true,
    basis,
    terms: Object.fromEntries(entries),
    ...(isAlone
      ? { closure: null, reason: 'one term stands alone: it is itself what is left' }
      : { closure: block[20] }),
    at: block[21],
    max: block[22],
  };
}

function term(block: Float64Array, k: number, reasons: DiagnosticsReasons) {
  if (block[2 + 3 * k] === 1) return { rms: block[3 + 3 * k], value: block[4 + 3 * k] };
  return { rms: null, value: null, reason: reasons.absentTerm ?? 'the field is static' };
}

function functionalEquation(block: Float64Array, reasons: DiagnosticsReasons) {
  const balance =
    block[23] === 1
      ? { lhs: block[24], rhs: block[25], residual: block[26] }
      : { lhs: null, rhs: null, residual: null, reason: reasons.absentBalance ?? 'no balance in this basis' };
  return {
    diagnostic: true,
    balance,
    reflection: {
      p: 257,
      lambda: block[27],
      lambdaTransformed: block[28],
      error: block[29],
      parseval: block[30],
      warn: block[31] === 1,
    },
  };
}

function spectralPropagator(block: Float64Array, reasons: DiagnosticsReasons) {
  const flags = block[39]!;
  const step =
    block[32] === 1
      ? { amplification: block[33], phase: block[34] }
      : { amplification: null, phase: null, reason: reasons.absentStep ?? 'the field is static' };
  return {
    diagnostic: true,
    step,
    band: {
      bandEnergyFraction: block[35],
      centroid: block[36],
      roundTripError: block[37],
      energyDrift: block[38],
      underResolved: flags % 2 === 1,
      warn: flags >= 2,
    },
  };
}

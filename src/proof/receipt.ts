import { PULSE_HZ, TICK_NS, tickAverage } from '../clock/pulse.ts';
import type { LogProof } from './checkpoint.ts';
import { type Envelope, type Generation, generationDetail } from './envelope.ts';

/** Stands beside an envelope and proves it (docs/protocol.md, 'Receipt'; ENV-03 to ENV-08). */
export interface Receipt extends DerivedReceipt, Diagnostics {
  readonly log: LogProof;
}

/** The part of a receipt that follows from the envelope alone. */
export interface DerivedReceipt {
  /** Caption in Hz. */
  readonly pulse: number;
  readonly tick_period_ns: number;
  readonly hmac: {
    readonly algorithm: 'HMAC-SHA256' | null;
    readonly generation: Generation;
    readonly verified: boolean;
    readonly detail: string;
  };
  readonly tick_averaged: {
    readonly value: number;
    readonly unit: string | null;
    readonly periodNs: string;
    readonly check: {
      readonly samples: number;
      readonly everyNs: number;
      readonly sineSum: number;
      readonly mean: number;
    };
  };
  /** The value under the name of its field, where the unit names one; else empty. */
  readonly continuum: Readonly<Record<string, number>>;
}

/** Made from the verdict's numbers where a result is a field, spectrum or profile; else null (ENV-07, ENV-08). */
export interface Diagnostics {
  readonly masterEquation: unknown;
  readonly functionalEquation: unknown;
  readonly spectralPropagator: unknown;
}

export const noDiagnostics: Diagnostics = {
  masterEquation: null,
  functionalEquation: null,
  spectralPropagator: null,
};

/** Unit → continuum field (ENV-05). Bare J and bare m are ambiguous and name none (ENV-06). */
const continuumFields: Readonly<Record<string, string>> = {
  Pa: 'pressure',
  'm/s': 'velocity',
  V: 'potential',
  T: 'magneticB',
  'kg·m/s': 'momentum',
  'kg*m/s': 'momentum',
  'm*kg/s': 'momentum',
  K: 'temperature',
};

/** ENV-04: a field appears only when computed. */
export function continuum(value: number, unit: string | null): Record<string, number> {
  const field = unit !== null && Object.hasOwn(continuumFields, unit) ? continuumFields[unit] : undefined;
  return field === undefined ? {} : { [field]: value };
}

/** `verified` says that the node recomputed the HMAC with its key when it sealed; pre_genesis has none to verify. */
export function derivedReceipt(envelope: Envelope): DerivedReceipt {
  const { value, unit, generation } = envelope;
  const hasProof = generation !== 'pre_genesis';
  const { periodNs, check } = tickAverage(value);
  return {
    pulse: PULSE_HZ,
    tick_period_ns: Number(TICK_NS),
    hmac: {
      algorithm: hasProof ? 'HMAC-SHA256' : null,
      generation,
      verified: hasProof,
      detail: generationDetail[generation],
    },
    tick_averaged: { value, unit, periodNs, check },
    continuum: continuum(value, unit),
  };
}

export function makeReceipt(
  envelope: Envelope,
  log: LogProof,
  diagnostics: Diagnostics = noDiagnostics,
): Receipt {
  return { ...derivedReceipt(envelope), ...diagnostics, log };
}

/** The time of a seal as compute, solve and multibody return it beside the value (CMP-06). */
export interface TickReceipt {
  readonly tick: number;
  readonly t_ns: string;
  readonly tick_period_ns: number;
  readonly pulse: number;
  readonly phase: number;
  readonly masterSum: number;
  readonly R: number;
}

export function tickReceipt(envelope: Envelope): TickReceipt {
  const { tick, t_ns, phase, masterSum, R } = envelope;
  return { tick, t_ns, tick_period_ns: Number(TICK_NS), pulse: PULSE_HZ, phase, masterSum, R };
}

import { equalConstantTime } from '#crypto';
import { modulation } from '../clock/pulse.ts';
import { refuse } from '../errors/refusal.ts';
import { doubleBits, fromHex, toHex, utf8 } from './bytes.ts';
import { canonicalText } from './canonical.ts';
import type { HmacKey } from './crypto-keys.ts';
import type { Digest } from './job.ts';

/** Decimal digits of an integer that may pass 2⁵³. */
export type Decimal = string;

export type Generation = 'v3' | 'v1' | 'pre_genesis';

/**
 * The small sealed statement about a job (docs/protocol.md, 'Envelope'). Its canonical JSON (RFC 8785) is the leaf
 * of the node's log. All keys but shownHash are always there.
 */
export interface Envelope {
  readonly generation: Generation;
  /** Id of the node that sealed, which is the name of its key and of its log. */
  readonly node: string;
  /** KO42 first, then at most three more. */
  readonly operators: readonly string[];
  /** Id of the solver, `compute` for operators. */
  readonly solver: string;
  /** SHA-256 of the canonical request. */
  readonly requestHash: Digest;
  readonly jobRoot: Digest;
  /** SHA-256 of what the answer shows; envelopes of releases before 0.4.0 have none. */
  readonly shownHash?: Digest;
  /** S: finite, and never −0. */
  readonly value: number;
  /** Its 64 bits: 16 hexadecimal digits, most significant first. */
  readonly valueBits: string;
  readonly unit: string | null;
  /** 1 + C₀ */
  readonly masterSum: number;
  /** S · masterSum */
  readonly R: number;
  /** rad */
  readonly phase: number;
  /** Ticks of 777000777 ns since the Unix epoch. */
  readonly tick: number;
  /** Unix nanoseconds at sealing. */
  readonly t_ns: Decimal;
  /** 0.001 */
  readonly precisionBound: number;
  /** The worst gate error of the verdict. */
  readonly precisionActual: number;
  /** The kinds of the verdict's gates, each once, in the order exact, invariant, certificate, twin, estimate. */
  readonly gateKinds: readonly string[];
  readonly engine_version: string;
  /** Work units of all runs. */
  readonly work: Decimal;
  readonly price_plancks: Decimal;
  readonly from_bond_plancks: Decimal;
  readonly from_fuel_plancks: Decimal;
  /** Id of the coin that the seal minted; null where it minted none. */
  readonly token_id: string | null;
  /** HMAC-SHA256 over the preimage of the generation, hexadecimal; null in pre_genesis. */
  readonly proof: Digest | null;
}

/** What the spine knows when it seals; the rest of an envelope follows. */
export interface SealedFields {
  readonly node: string;
  readonly operators: readonly string[];
  readonly solver: string;
  readonly requestHash: Digest;
  readonly jobRoot: Digest;
  readonly shownHash: Digest;
  readonly value: number;
  readonly unit: string | null;
  readonly tNs: bigint;
  readonly precisionActual: number;
  readonly gateKinds: readonly string[];
  readonly engineVersion: string;
  readonly work: bigint;
  readonly pricePlancks: bigint;
  readonly fromBondPlancks: bigint;
  readonly fromFuelPlancks: bigint;
  readonly tokenId: string | null;
}

export const PRECISION_BOUND = 1e-3;
export const MAX_ENVELOPE_BYTES = 2048;

export interface SealedEnvelope {
  readonly envelope: Envelope;
  /** Canonical JSON, and its bytes: the leaf of the log. */
  readonly text: string;
  readonly leaf: Uint8Array;
}

/**
 * Makes the envelope of a job, generation v3; its members stand in canonical order. Throws a Refusal NON_FINITE for a value or R that is not finite
 * (HON-03), OUTSIDE_TOLERANCE above the bound (HON-19), and a RangeError for what only we can do wrong.
 */
export function sealEnvelope(fields: SealedFields, key: HmacKey): SealedEnvelope {
  const value = fields.value + 0; // −0 + 0 = +0
  const { tick, phase, masterSum, R } = modulation(value, fields.tNs);
  if (!Number.isFinite(value) || !Number.isFinite(R))
    refuse('NON_FINITE', 'A value that is not finite is never sealed.');
  if (!(fields.precisionActual <= PRECISION_BOUND)) {
    refuse('OUTSIDE_TOLERANCE', `The gate error ${fields.precisionActual} is above ${PRECISION_BOUND}.`);
  }
  const unproven: Envelope = {
    R,
    engine_version: fields.engineVersion,
    from_bond_plancks: String(fields.fromBondPlancks),
    from_fuel_plancks: String(fields.fromFuelPlancks),
    gateKinds: fields.gateKinds,
    generation: 'v3',
    jobRoot: fields.jobRoot,
    masterSum,
    node: fields.node,
    operators: fields.operators,
    phase,
    precisionActual: fields.precisionActual + 0,
    precisionBound: PRECISION_BOUND,
    price_plancks: String(fields.pricePlancks),
    proof: null,
    requestHash: fields.requestHash,
    shownHash: fields.shownHash,
    solver: fields.solver,
    t_ns: String(fields.tNs),
    tick,
    token_id: fields.tokenId,
    unit: fields.unit,
    value,
    valueBits: doubleBits(value),
    work: String(fields.work),
  };
  const envelope = { ...unproven, proof: toHex(key.mac(proofPreimage(unproven)!)) };
  const text = canonicalText(envelope);
  return { envelope, text, leaf: leafBytes(envelope, text) };
}

/** The leaf of the log. Throws a RangeError above 2 KB or when KO42 does not stand first (ENV-13). */
export function envelopeBytes(envelope: Envelope): Uint8Array {
  return leafBytes(envelope, canonicalText(envelope));
}

function leafBytes(envelope: Envelope, text: string): Uint8Array {
  if (envelope.operators[0] !== 'KO42' || envelope.operators.length > 4) {
    throw new RangeError('an envelope names KO42 first and at most three more operators');
  }
  const bytes = utf8(text);
  if (bytes.length > MAX_ENVELOPE_BYTES)
    throw new RangeError(`an envelope of ${bytes.length} bytes is above 2 KB`);
  return bytes;
}

/** What the HMAC of a generation covers, as bytes; undefined for pre_genesis, which has none (ENV-02). */
export function proofPreimage(envelope: Omit<Envelope, 'proof'>): Uint8Array | undefined {
  const { operators, valueBits, tick, engine_version, precisionBound, precisionActual, jobRoot } = envelope;
  if (envelope.generation === 'pre_genesis') return undefined;
  if (envelope.generation === 'v1') return utf8(canonicalText({ operators, tick, valueBits }));
  return utf8(
    canonicalText({ engine_version, jobRoot, operators, precisionActual, precisionBound, tick, valueBits }),
  );
}

/** What the HMAC of each generation covers, in a sentence (ENV-09). */
export const generationDetail: Readonly<Record<Generation, string>> = {
  v3: 'HMAC-SHA256 over operators, value, tick, engine version, precision bound and actual, and job root',
  v1: 'HMAC-SHA256 over operators, value and tick',
  pre_genesis: 'sealed before the first key: without an HMAC, and sound as what it is',
};

export interface EnvelopeVerification {
  readonly sound: boolean;
  readonly generation: Generation;
  readonly detail: string;
}

/** Checks the HMAC with its key. pre_genesis is sound, not broken (ENV-10). */
export function verifyProof(envelope: Envelope, key: HmacKey): EnvelopeVerification {
  const { generation, proof } = envelope;
  const preimage = proofPreimage(envelope);
  if (preimage === undefined) {
    const sound = proof === null;
    return { sound, generation, detail: sound ? generationDetail[generation] : 'pre_genesis has no proof' };
  }
  const sound =
    proof !== null && /^[0-9a-f]{64}$/.test(proof) && equalConstantTime(key.mac(preimage), fromHex(proof));
  return {
    sound,
    generation,
    detail: sound ? generationDetail[generation] : 'the HMAC does not fit the envelope',
  };
}

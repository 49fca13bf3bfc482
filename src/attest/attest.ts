import { sha256 } from '#crypto';
import type { Executor } from '../../workers/executor.ts';
import type { KernelCatalogue } from '../../workers/kernels.ts';
import { tickOf } from '../clock/pulse.ts';
import { printable } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { registry } from '../operators/registry.ts';
import { resultKind, temperatureOf } from '../operators/temperatures.ts';
import { toHex, utf8 } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import type { NoteSigner } from '../proof/note.ts';
import { type SignedStatement, signStatement } from '../proof/statement.ts';
import { type ComputeInput, computation, compute, isIntegrated } from '../solvers/compute.ts';
import { FALLBACK_NOTE } from '../solvers/compute-ode.ts';
import { readInput } from '../solvers/input.ts';
import { type ExecutedJob, executeRounds } from '../spine/rounds.ts';
import { convert } from '../units/conversion.ts';
import { UnitError } from '../units/unit.ts';
import { engineVersion } from '../version.ts';

/** The bound of every sealed value, and the least that a caller may ask for. */
export const MOST_TOLERANCE = 1e-3;
export const LEAST_TOLERANCE = 1e-12;
/** A claim is judged by a value that is known this many times better than the tolerance. */
const MARGIN = 100;
/** Work units for nobody's account: of an evaluation 1 ms of the reference core, of an integration as many as 20. */
export const ATTEST_WORK = 1_000_000;
export const ATTEST_ODE_WORK = 20_000_000;

export interface Claim {
  readonly value: number;
  /** Always said: `1` where the value is a pure number. */
  readonly unit: string;
}

export interface AttestRequest {
  /** One id; KO42 is implied. Or an equation. */
  readonly operators?: string | readonly string[];
  readonly equation?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly claim: Claim;
  readonly tolerance?: number;
}

export interface Attested extends SignedStatement {
  readonly verdict: 'holds' | 'fails';
  /** In the unit of the result; `inClaimUnit` is the value in that of the claim. */
  readonly computed: {
    readonly value: number;
    readonly unit: string;
    readonly uncertainty: number;
    readonly inClaimUnit: number;
  };
  readonly claimed: Claim;
  /** |claimed − computed| / |computed|; null where only the computed value is 0. */
  readonly error: number | null;
  readonly bound: number;
  /** Relative error of the evaluation itself. */
  readonly precision: number;
  /** Of an operator without closed form: that it was integrated (HON-14). */
  readonly fallback?: string;
}

export interface AttestorParts {
  readonly executor: Executor;
  readonly catalogue: KernelCatalogue;
  readonly signer: NoteSigner;
  readonly now: () => bigint;
}

/**
 * Judges a claim about an operator or equation and signs the verdict (CMP-15). It is evaluated as `compute` would, in
 * closed form by the expression kernel, integrated by those of `solve` where there is none; nothing is charged, minted
 * or logged.
 */
export class Attestor {
  readonly #parts: AttestorParts;

  constructor(parts: AttestorParts) {
    this.#parts = parts;
  }

  /** @throws Refusal as `compute` does, and for a claim that cannot be compared */
  async attest(request: AttestRequest): Promise<Attested> {
    const bound = request.tolerance ?? MOST_TOLERANCE;
    const input = inputOf(request);
    const unit = unitOf(input);
    const claimed = claimedIn(request.claim, unit);
    refuseScale(request.claim, input);
    const requestHash = sha256(utf8(canonicalText(input)));
    const job = await this.#evaluated(input, requestHash);
    const { value, precisionActual: precision, extras } = job.verdict;
    refuseCoarse(precision, bound);
    const error = relativeError(claimed, value);
    const judged = {
      verdict: error !== null && error <= bound ? ('holds' as const) : ('fails' as const),
      computed: {
        ...{ value, unit, uncertainty: extras[2]! },
        inClaimUnit: convert(value, unit, request.claim.unit),
      },
      claimed: { value: request.claim.value, unit: request.claim.unit },
      ...{ error, bound, precision },
      ...(isIntegrated(input) && { fallback: FALLBACK_NOTE }),
    };
    return {
      ...judged,
      ...this.#signed({ ...judged, request: input, requestHash: toHex(requestHash) }, job),
    };
  }

  #signed(content: Readonly<Record<string, unknown>>, { finished }: ExecutedJob): SignedStatement {
    const { signer, now } = this.#parts;
    const { version, corpusSha256 } = registry();
    const tNs = now();
    const run = finished[finished.length - 1]!;
    return signStatement(signer, 'svc-attest-1', {
      ...content,
      ...{ node: signer.name, engine_version: engineVersion, tick: tickOf(tNs), t_ns: String(tNs) },
      ...{ registry_version: version, corpus_sha256: corpusSha256 },
      ...{ kernel: run.kernel, runHash: run.runHash },
      resultHash: toHex(sha256(run.result)),
    });
  }

  #evaluated(input: ComputeInput, requestHash: Uint8Array): Promise<ExecutedJob> {
    const { executor, catalogue } = this.#parts;
    const context = { requestHash, blob: () => Promise.reject(new Error('compute takes no blobs')) };
    const { work } = compute.quote(input, context);
    const most = isIntegrated(input) ? ATTEST_ODE_WORK : ATTEST_WORK;
    if (work > most)
      refuse(
        'LIMIT_EXCEEDED',
        `The claim takes ${work} work units to judge; attest takes up to ${most}, compute takes longer ones.`,
        { accepts: `at most ${most} work units` },
      );
    return executeRounds(compute, input, context, ({ kernel, ...plan }, parameters) =>
      executor.execute({ ...plan, parameters, kernel: catalogue.digest(kernel) }),
    );
  }
}

/** The request as `compute` reads it, with inputs under their symbols. */
function inputOf({ operators, equation, inputs }: AttestRequest): ComputeInput {
  const ids = operators === undefined ? undefined : [operators].flat();
  const others = ids?.filter((id) => id !== 'KO42') ?? [];
  if (others.length > 1)
    refuse('INVALID_INPUT', `operators names ${others.length}; a claim is about one operator.`, {
      field: 'operators',
      accepts: 'one operator',
    });
  const body = {
    ...(ids ? { operators: ids } : {}),
    ...(equation === undefined ? {} : { equation }),
    inputs,
  };
  const { input } = readInput(compute.input, body);
  return compute.canonical!(input as ComputeInput);
}

function unitOf(input: ComputeInput): string {
  const unit = compute.unit(input);
  if (unit !== null) return unit;
  return refuse(
    'INVALID_INPUT',
    'The unit of the result does not follow from the inputs; accepted: inputs as {value, unit}.',
    { field: 'inputs', accepts: 'inputs as {value, unit}' },
  );
}

/** 10 degC of a difference may mean 10 K or 283.15 K, 10 delta_degC of a temperature as well. */
function refuseScale({ unit }: Claim, input: ComputeInput): void {
  const { operator, given } = computation(input).applications[0]!;
  const result = resultKind(operator.result, operator.expression, (symbol) => {
    const quantity = given.get(symbol);
    return temperatureOf(typeof quantity === 'object' ? quantity.unit : undefined);
  });
  const kind = temperatureOf(unit);
  if (result === 'other' || kind === 'other' || result === kind) return;
  const accepts =
    result === 'point' ? 'a temperature in K, degC or degF' : 'a difference in K, delta_degC or delta_degF';
  refuse('INVALID_INPUT', `claim.unit is ${printable(unit)}; accepted: ${accepts}.`, {
    field: 'claim.unit',
    accepts,
  });
}

function claimedIn({ value, unit }: Claim, to: string): number {
  try {
    return convert(value, unit, to);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    const accepts = error.accepted(`a unit that converts to ${to}`);
    return refuse('INVALID_INPUT', `claim.unit is ${printable(unit)}; accepted: ${accepts}.`, {
      field: 'claim.unit',
      accepts,
    });
  }
}

function refuseCoarse(precision: number, bound: number): void {
  if (precision * MARGIN <= bound) return;
  throw new Refusal(
    'OUTSIDE_TOLERANCE',
    `The value is known to ${precision} only; a claim within ${bound} takes one that is known to ${bound / MARGIN}.`,
    { precision, bound },
  );
}

function relativeError(claimed: number, computed: number): number | null {
  if (claimed === computed) return 0;
  return computed === 0 ? null : Math.abs(claimed - computed) / Math.abs(computed);
}

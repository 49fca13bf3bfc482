import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { parseUnit } from '../../units/unit.ts';
import { readDiagnostics } from '../diagnostics.ts';
import {
  type FormulaBlock,
  type FormulaCost,
  formulaBlock,
  readFormula,
  readParameters,
  refuseTaken,
  refuseUnused,
  requireDimension,
  symbolsBeside,
} from '../expressions.ts';
import { defaultSeed, Layout, segmentSteps } from '../layout.ts';
import type { Field, FieldSource, PlanContext, Presentation, Quote, Verdict } from '../solver.ts';
import { enclosureWork } from '../unresolved.ts';
import { checkFields, invalid, type OptionType, optionTypes, type QuantInput, tooMuch } from './problem.ts';

/** Layouts and costs as assembly/quant/problem.ts and the kernels quant, quant-merge and quant.verdict have them. */
const RUNS = 8;
const ROUND = RUNS + 1;
export const REPLICATES = 32;
const RUN_BYTES = 1024;
const CHUNK = 4096;
const BINS = 64;
const SCALARS = 8;
const QUADRATURE_POINTS = 48_001;
const QUADRATURE_UNITS = 60;
/** Of a path's derivatives, where a payoff of its own has them. */
const SCORES = 25;
/** Numbers of S and G among the prices. */
const [LAST, MEAN] = [0, 2];
const MERGE_UNITS = 20_000;
const VERDICT_UNITS = 2_000_000;
const VERDICT_UNITS_PER_ROUND = 60_000;
/** Points of each replicate: in the first round, and at most. */
const FIRST_POINTS = CHUNK;
/** Of a payoff of one's own: what three paths in all may hold must be little (assembly/quant/rare.ts). */
const FIRST_OWN_POINTS = 8 * CHUNK;
const firstPoints = ({ type }: QuantInput): number => (type === 'payoff' ? FIRST_OWN_POINTS : FIRST_POINTS);
export const MOST_POINTS = 2 ** 19;
/** Each round doubles the points at least. */
const MOST_ROUNDS = 8;

const MAX_FIXINGS = 1024;
/** σ²T: beyond it the tail of S_T decides, and a standard error says little; |r|T, |q|T: e^{±50} is a bound of sense. */
const MAX_VARIANCE = 4;
const MAX_GROWTH = 50;

type Option = Required<Omit<QuantInput, 'type'>> & { readonly type: OptionType };

/** What a payoff of its own may name, in the order of assembly/quant/problem.ts. */
const prices = ['S', 'A', 'G', 'low', 'high'];
const currency = parseUnit('currency').dimension;
const payoffs = new WeakMap<QuantInput, FormulaBlock>();

/** @throws Refusal for a formula that is none, or is no amount of money */
function payoffOf(input: QuantInput): FormulaBlock {
  const known = payoffs.get(input);
  if (known) return known;
  const parameters = readParameters(input.parameters ?? {}, 'parameters');
  refuseTaken(parameters, prices, 'parameters');
  const { symbols, isPlain } = symbolsBeside(
    prices.map((name) => ({ name, dimension: currency })),
    parameters,
  );
  const formula = readFormula(input.payoff!, symbols, { field: 'payoff', parametersField: 'parameters' });
  if (!isPlain) requireDimension(formula, currency);
  refuseUnused(parameters, [formula], 'parameters');
  const block = formulaBlock([formula], prices, parameters);
  payoffs.set(input, block);
  return block;
}

/** @throws Refusal for what the schema cannot say */
function readOption(input: QuantInput): Option {
  checkFields(input);
  const option = input as Option;
  const { type, right, S0, K, r, q = 0, sigma, T, fixings = 1, barrier } = option;
  if (type === 'payoff') payoffOf(input);
  if (fixings > MAX_FIXINGS) tooMuch('fixings', fixings, MAX_FIXINGS);
  if (!(sigma * sigma * T <= MAX_VARIANCE))
    invalid('sigma', `σ²T is ${sigma * sigma * T}`, `σ²T at most ${MAX_VARIANCE}`);
  if (!(sigma * sigma * T >= 1e-12)) invalid('sigma', `σ²T is ${sigma * sigma * T}`, 'σ²T of 1e-12 at least');
  for (const [name, rate] of Object.entries({ r, q }))
    if (!(Math.abs(rate) * T <= MAX_GROWTH))
      invalid(name, `${name}·T is ${rate * T}`, `−${MAX_GROWTH} to ${MAX_GROWTH}`);
  for (const [name, amount] of Object.entries(type === 'payoff' ? { S0 } : { S0, K }))
    if (!(amount >= 1e-100 && amount <= 1e100)) invalid(name, `${amount} is out of range`, '1e-100 to 1e100');
  if (type === 'down-out' && barrier >= S0)
    invalid('barrier', `${barrier} is not below the spot ${S0}`, `above 0 and below ${S0}`);
  if (type === 'down-out' && right === 'put' && K <= barrier)
    invalid('K', `a put with its strike at or below the barrier is worth nothing`, `above ${barrier}`);
  return option;
}

export const seedOf = (input: QuantInput, context: PlanContext) =>
  input.seed === undefined ? defaultSeed(context.requestHash) : BigInt(input.seed);

// ---- runs ----------------------------------------------------------------------------------------------

function unitsPerStep(input: QuantInput): number {
  const { type, fixings = 1 } = input;
  const perFixing = type === 'asian-arithmetic' || type === 'payoff' ? 28 : 13;
  const formula = type === 'payoff' ? (CHUNK / 2) * payoffOf(input).costs[0]!.stripHalves : 0;
  const scores = hasDerivatives(input) && type === 'payoff' ? CHUNK * SCORES : 0;
  return CHUNK * ((type === 'down-out' ? 50 : 30) + perFixing * fixings) + formula + scores;
}

/** A payoff of its own has derivatives where it names the last price alone, or the geometric mean (assembly/quant/law.ts). */
function hasDerivatives(input: QuantInput): boolean {
  if (input.type !== 'payoff' || (input.fixings ?? 1) === 1) return true;
  const [{ names }] = payoffOf(input).costs as [FormulaCost];
  return [LAST, MEAN].some((price) => names.every((name) => name === price));
}

const memoryOf = ({ fixings = 1 }: QuantInput) => 2 ** 19 + 2200 * fixings;

/** A strike counts nowhere in a payoff of its own. */
function headOf({
  type,
  right = 'call',
  S0,
  K = 1,
  r,
  q = 0,
  sigma,
  T,
  payout = 0,
  fixings = 1,
  barrier = 0,
}: Option) {
  const codes = [optionTypes.indexOf(type), right === 'call' ? 0 : 1];
  return new Layout().f64(...codes, S0, K, r, q, sigma, T, payout, fixings, barrier);
}

/** Points `first` to `last` of all replicates, four of them in a run. */
function sampleRound(option: Option, context: PlanContext, first: number, last: number): Round {
  const perReplicate = REPLICATES / RUNS;
  const steps = (perReplicate * (last - first)) / CHUNK;
  const runs = Array.from({ length: RUNS }, (_, i): RunPlan => {
    const head = headOf(option).u64(seedOf(option, context));
    return {
      kernel: 'quant',
      parts: [{ bytes: head.f64(perReplicate * i, first, last - first).bytes() }, ...formulaPart(option)],
      stepsPerSegment: segmentSteps(16 + RUN_BYTES, unitsPerStep(option)),
      steps,
      work: steps * unitsPerStep(option),
      memory: memoryOf(option),
      label: `replicates ${perReplicate * i} to ${perReplicate * (i + 1) - 1}, ${last - first} points`,
    };
  });
  return { runs };
}

/** A kernel that reads the results of all runs so far. */
function single(kernel: string, label: string, option: Option, rounds: number, work: number): RunPlan {
  const results = Array.from({ length: rounds * RUNS }, (_, i): Part => {
    const run = ROUND * Math.floor(i / RUNS) + (i % RUNS);
    return { run, of: 'result', from: 0, length: RUN_BYTES };
  });
  const parts = [{ bytes: headOf(option).f64(rounds).bytes() }, ...results, ...formulaPart(option)];
  const memory = 2 ** 18 + rounds * RUNS * RUN_BYTES;
  return { kernel, parts, stepsPerSegment: 1, steps: 1, work, memory, label };
}

const formulaPart = (option: QuantInput): Part[] =>
  option.type === 'payoff' ? [{ bytes: payoffOf(option).bytes }] : [];

const verdictUnits = (option: QuantInput, rounds: number) =>
  VERDICT_UNITS +
  VERDICT_UNITS_PER_ROUND * rounds +
  (option.type === 'payoff' ? judgingUnits(payoffOf(option).costs[0]!) : 0);

/** Over which a payoff is enclosed for paths that are never met (assembly/quant/rare.ts). */
const RARE_SERIES = 65;

/** Of a payoff of its own: a quadrature, and what lies between its points. */
const judgingUnits = (cost: FormulaCost): number =>
  QUADRATURE_POINTS * (QUADRATURE_UNITS + cost.plain) + enclosureWork(cost, 1) + RARE_SERIES * cost.series;

const rareUnits = (option: QuantInput): number =>
  option.type === 'payoff' ? RARE_SERIES * payoffOf(option).costs[0]!.series : 0;

const numberAt = (run: FinishedRun, offset: number) =>
  new DataView(run.result.buffer, run.result.byteOffset).getFloat64(offset, true);

export function planOption(input: QuantInput, context: PlanContext): Round {
  return sampleRound(readOption(input), context, 0, firstPoints(input));
}

/** Samples and merge in turn until the standard error is small enough or the points are spent. */
export function nextOption(
  input: QuantInput,
  finished: readonly FinishedRun[],
  context: PlanContext,
): Round | undefined {
  const option = readOption(input);
  const rounds = Math.ceil(finished.length / ROUND);
  if (finished.length % ROUND === RUNS)
    return {
      runs: [single('quant-merge', 'merge', option, rounds, MERGE_UNITS * rounds + rareUnits(option))],
    };
  if (finished.length % ROUND !== 0) return undefined;
  const wanted = [firstPoints(input)];
  for (let run = RUNS; run < finished.length; run += ROUND)
    wanted.push(Math.min(MOST_POINTS, numberAt(finished[run]!, 24)));
  const last = wanted.pop()!;
  const first = wanted.pop()!;
  if (numberAt(finished[finished.length - 1]!, 16) === 1 || first >= MOST_POINTS)
    return {
      runs: [single('quant.verdict', 'verdict', option, rounds, verdictUnits(option, rounds))],
      verdict: true,
    };
  return sampleRound(option, context, first, last);
}

/** The ceiling: all points that are allowed, in as many rounds as can be. */
export function quoteOption(input: QuantInput): Quote {
  const option = readOption(input);
  const doublings = expectedDoublings(option);
  const expected = Math.min(MOST_POINTS, firstPoints(input) * (1 << Math.min(30, doublings)));
  return {
    work: workOver(option, MOST_POINTS, MOST_ROUNDS),
    expected: workOver(option, expected, Math.min(MOST_ROUNDS, 1 + doublings)),
    ceiling: `${MOST_POINTS} points in each of ${REPLICATES} replicates`,
    exact: false,
    memory: memoryOf(option),
  };
}

function workOver(option: Option, points: number, rounds: number): number {
  const samples = ((REPLICATES * points) / CHUNK) * unitsPerStep(option);
  const merges = (MERGE_UNITS * rounds * (rounds + 1)) / 2 + rounds * rareUnits(option);
  return samples + merges + verdictUnits(option, rounds);
}

/** How often random options doubled their points at most, nine times in ten: the further out of the money, the more. */
function expectedDoublings(option: Option): number {
  const { type } = option;
  if (type === 'payoff') return 0;
  const [times, from] = type === 'digital' ? [2, 1.5] : type.startsWith('asian') ? [3, 0.1] : [2, 0.4];
  return Math.ceil(Math.max(0, times! * (outOfTheMoney(option) - from!)));
}

/** How far the strike lies from where the price or average is expected, in standard deviations of its logarithm. */
function outOfTheMoney({ type, right, S0, K, r, q = 0, sigma, T, fixings: n = 1 }: Option): number {
  const isAsian = type.startsWith('asian');
  const growth = (isAsian ? 0.5 : 1) * (r - q) * T;
  const forward = growth < 0 ? S0 / (1 - growth) : S0 * (1 + growth);
  const deviation = sigma * Math.sqrt(isAsian ? (T * (n + 1) * (2 * n + 1)) / (6 * n * n) : T);
  const distance = (2 * (K - forward)) / ((K + forward) * deviation); // ln(K/F), by its Padé approximant
  return right === 'call' ? distance : -distance;
}

// ---- presentation --------------------------------------------------------------------------------------

export function presentOption(
  input: QuantInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const [SE, paths, delta, deltaSE, vega, vegaSE, plainSE, controlCoefficient] = verdict.extras;
  const from = 24 + 48 * verdict.gates.length + 8 * SCALARS;
  const profile = (name: string, unit: string, column: number): Field => ({
    name,
    unit,
    shape: [BINS],
    source: { run: finished.length - 1, of: 'result', from: from + 8 * BINS * column, length: 8 * BINS },
    // No closed form says how an arithmetic average is distributed.
    sealed: column === 0 || input.type !== 'asian-arithmetic',
  });
  return {
    outputs: {
      SE,
      paths,
      replicates: REPLICATES,
      ...(hasDerivatives(input) && {
        delta,
        deltaSE,
        vega,
        vegaSE,
        vegaUnit: 'currency*yr^(1/2)',
        derivatives: input.type === 'digital' || input.type === 'payoff' ? 'likelihood ratio' : 'pathwise',
      }),
      plainSE,
      controlCoefficient,
    },
    fields: [profile('price', 'currency', 0), profile('density', '1/currency', 1)],
    plots: [{ kind: 'line', title: 'density of the price or average', x: 'price', y: ['density'] }],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * BINS),
  };
}

/** The estimate of each replicate: with one seed two jobs have the same digital shifts. */
export function replicatesOf({ result }: FinishedRun, run: number): FieldSource {
  const length = 8 * REPLICATES;
  return { run, of: 'result', from: result.length - length, length };
}

import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { profileBytes, profileWork, readDiagnostics } from '../diagnostics.ts';
import { defaultSeed, Layout, segmentSteps } from '../layout.ts';
import type { Field, PlanContext, Presentation, Quote, Verdict } from '../solver.ts';
import {
  checkFields,
  functions,
  invalid,
  type Model,
  models,
  type OptInput,
  ofVariables,
  plotsOf,
  readBounds,
  tooMuch,
} from './problem.ts';

/** Layouts and costs as assembly/opt/smooth.ts, opt-newton and its verdict have them. */
export const STARTS = 8;
const SCALARS = 7;
/** Steps of the caller's own start, which may lie anywhere, and of those that are drawn where minima are looked for. */
const mostSteps = (start: number, n: number) => (start === 0 ? 480 + 8 * n : 120 + 4 * n);
/** Of these the steps that starts of random problems took together, three times in four. */
const LIKELY_SHARE = 0.35;
const MAX_VARIABLES = 100;
const MAX_TERMS = 4096;
const MAX_POWER = 64;
const MAX_POINTS = 65_536;
const MAX_COEFFICIENTS = 12;
const ROWS_BYTES = 16 * 1024;

const parametersOf: Readonly<Record<Model, number | undefined>> = {
  exponential: 2,
  saturation: 2,
  power: 2,
  'michaelis-menten': 2,
  logistic: 3,
  gaussian: 3,
  polynomial: undefined,
};

interface Smooth {
  readonly kind: 0 | 1 | 2;
  readonly which: number;
  readonly n: number;
  readonly count: number;
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly data: readonly number[];
}

/** @throws Refusal for what the schema cannot say */
function readSmooth(input: OptInput): Smooth {
  checkFields(input);
  const x0 = input.x0!;
  const n = x0.length;
  if (n === 0) invalid('x0', 'there is no variable', 'a number for each variable');
  const problem =
    input.mode === 'nls'
      ? readModel(input, n)
      : input.function
        ? readFunction(input, n)
        : readTerms(input, n);
  const [lower, upper] = withBox(input, n);
  const outside = x0.findIndex((value, j) => value < lower[j]! || value > upper[j]!);
  if (outside >= 0)
    invalid(`x0[${outside}]`, `${x0[outside]} is out of bounds`, `${lower[outside]} to ${upper[outside]}`);
  return { ...problem, n, lower, upper };
}

/** McCormick's function has its box; outside it falls for ever. */
function withBox(input: OptInput, n: number): [number[], number[]] {
  const [lower, upper] = readBounds(input, n);
  if (input.function !== 'mccormick') return [lower, upper];
  const [low, high] = [
    [-1.5, -3],
    [4, 4],
  ] as const;
  return [
    lower.map((bound, j) => Math.max(bound, low[j]!)),
    upper.map((bound, j) => Math.min(bound, high[j]!)),
  ];
}

type Content = Omit<Smooth, 'n' | 'lower' | 'upper'>;

function readFunction({ function: name, n: sent }: OptInput, n: number): Content {
  const isOpen = name === 'rosenbrock' || name === 'styblinski-tang';
  if (isOpen && sent === undefined)
    invalid('n', `${name} needs the number of variables`, `the length of x0, ${n}`);
  if (!isOpen && sent !== undefined && sent !== 2) invalid('n', `${name} has two variables`, 2);
  if (isOpen && n > MAX_VARIABLES) tooMuch('x0', n, MAX_VARIABLES);
  const variables = isOpen ? sent! : 2;
  if (n !== variables) invalid('x0', `${n} numbers for ${variables} variables`, `${variables} numbers`);
  return { kind: 0, which: functions.indexOf(name!), count: 0, data: [] };
}

function readTerms({ polynomial, n: sent }: OptInput, n: number): Content {
  const terms = polynomial!;
  if (sent !== undefined) invalid('n', 'a polynomial has as many variables as x0', 'no n with polynomial');
  if (n > MAX_VARIABLES) tooMuch('x0', n, MAX_VARIABLES);
  if (terms.length > MAX_TERMS) tooMuch('polynomial', terms.length, MAX_TERMS);
  for (const [t, { powers }] of terms.entries()) {
    if (powers.length !== n)
      invalid(`polynomial[${t}].powers`, `${powers.length} exponents for ${n} variables`, `${n} exponents`);
    const high = powers.findIndex((power) => power > MAX_POWER);
    if (high >= 0) tooMuch(`polynomial[${t}].powers[${high}]`, powers[high]!, MAX_POWER);
  }
  const data = terms.flatMap(({ c, powers }) => [c, ...powers]);
  return { kind: 1, which: 0, count: terms.length, data };
}

function readModel({ model, data }: OptInput, n: number): Content {
  const { x, y, weight = x.map(() => 1) } = data!;
  const wanted = parametersOf[model!];
  if (wanted !== undefined && n !== wanted)
    invalid('x0', `${n} numbers for the ${wanted} parameters of ${model}`, `${wanted} numbers`);
  if (n > MAX_COEFFICIENTS) tooMuch('x0', n, MAX_COEFFICIENTS);
  if (x.length > MAX_POINTS) tooMuch('data.x', x.length, MAX_POINTS);
  if (y.length !== x.length) invalid('data.y', `${y.length} for ${x.length} points`, `${x.length} numbers`);
  if (weight.length !== x.length)
    invalid('data.weight', `${weight.length} for ${x.length} points`, `${x.length} numbers`);
  if (x.length < n) invalid('data.x', `${x.length} points for ${n} parameters`, `${n} points or more`);
  const light = weight.findIndex((w) => !(w > 0));
  if (light >= 0) invalid(`data.weight[${light}]`, `${weight[light]} is no weight`, 'a number above 0');
  const low = model === 'power' ? x.findIndex((value) => value <= 0) : -1;
  if (low >= 0) invalid(`data.x[${low}]`, `a power of ${x[low]}`, 'a number above 0');
  return { kind: 2, which: models.indexOf(model!), count: x.length, data: [...x, ...y, ...weight] };
}

export const seedOf = (input: OptInput, context: PlanContext) =>
  input.seed === undefined ? defaultSeed(context.requestHash) : BigInt(input.seed);

// ---- runs ----------------------------------------------------------------------------------------------

function layoutOf(input: OptInput, p: Smooth, start: number, seed: readonly number[]): Uint8Array {
  return new Layout()
    .f64(p.kind, p.which, p.n, mostSteps(start, p.n), p.count, start, ...seed)
    .f64s(input.x0!)
    .f64s(p.lower)
    .f64s(p.upper)
    .f64s(p.data)
    .bytes();
}

function unitsPerStep({ kind, n, count }: Smooth): number {
  const perItem = kind === 2 ? 40 + 3 * n * n : (n * n + 2 * n) * (10 + 20 * n);
  return 1000 + Math.floor((n * n * (n + 64)) / 8) + (kind === 0 ? 0 : count * perItem);
}

function startRuns(input: OptInput, p: Smooth, seed: bigint): RunPlan[] {
  const words = [Number(seed & 0xffffffffn), Number(seed >> 32n)];
  return Array.from({ length: STARTS }, (_, start): RunPlan => {
    const bytes = layoutOf(input, p, start, words);
    return {
      kernel: 'opt-newton',
      parts: [{ bytes }],
      stepsPerSegment: segmentSteps(80 + 16 * p.n, unitsPerStep(p)),
      work: (mostSteps(start, p.n) + 1) * unitsPerStep(p),
      memory: 2 ** 18 + ROWS_BYTES + bytes.length + 8 * (2 * p.n * p.n + 12 * p.n),
      label: start === 0 ? 'from x0' : `start ${start}`,
    };
  });
}

function verdictRun(input: OptInput, p: Smooth): RunPlan {
  const { kind, n, count } = p;
  const bytes = layoutOf(input, p, STARTS, [input.lower || input.upper ? 1 : 0, 0]);
  const results = Array.from({ length: STARTS }, (_, run): Part => {
    return { run, of: 'result', from: 0, length: 32 + 8 * n };
  });
  const perItem = kind === 2 ? 120 : kind === 1 ? 200 * n : 0;
  return {
    kernel: 'opt-newton.verdict',
    parts: [{ bytes }, ...results],
    stepsPerSegment: 1,
    steps: 1,
    work: 20_000 + profileWork(n) + n * n * (50 + 60 * n + count * perItem),
    memory: 2 ** 18 + 2 * bytes.length + 8 * (n * n + 100 * n) + profileBytes(n),
    label: 'verdict',
  };
}

export function planSmooth(input: OptInput, context: PlanContext): Round {
  return { runs: startRuns(input, readSmooth(input), seedOf(input, context)) };
}

export function nextSmooth(input: OptInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > STARTS) return undefined;
  return { runs: [verdictRun(input, readSmooth(input))], verdict: true };
}

export function quoteSmooth(input: OptInput): Quote {
  const p = readSmooth(input);
  const starts = startRuns(input, p, 0n);
  const verdict = verdictRun(input, p);
  const searched = starts.reduce((sum, run) => sum + run.work, 0);
  return {
    work: searched + verdict.work,
    expected: Math.ceil(LIKELY_SHARE * searched) + verdict.work,
    ceiling: `all iterations that each of ${STARTS} starts may take`,
    exact: false,
    memory: Math.max(...[...starts, verdict].map((run) => run.memory)),
  };
}

// ---- presentation --------------------------------------------------------------------------------------

export function presentSmooth(
  input: OptInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const n = input.x0!.length;
  const [local, settled, best, steps, promisedGain, smallestPivot, atStart] =
    verdict.extras as unknown as number[];
  const at = (from: number, count: number) => [...verdict.extras.subarray(from, from + count)];
  const from = 24 + 48 * verdict.gates.length + 8 * SCALARS;
  const rows = finished[best!]!.rows.reduce((sum, each) => sum + each.length, 0);
  const fields: Field[] = [
    {
      name: 'x',
      unit: '1',
      shape: [n],
      source: { run: finished.length - 1, of: 'result', from, length: 8 * n },
      sealed: true,
    },
    {
      name: 'iterates',
      unit: '1',
      shape: [rows / 16, 2],
      source: { run: best!, of: 'rows', from: 0, length: rows },
      sealed: false,
    },
  ];
  return {
    outputs: {
      x: at(SCALARS, n),
      gradient: at(SCALARS + n, n),
      local: local === 1,
      starts: STARTS,
      startsSettled: settled,
      bestStart: best,
      minima: at(SCALARS + 2 * n, STARTS),
      steps,
      promisedGain,
      smallestPivot,
      atStart,
    },
    fields,
    plots: plotsOf(n, rows / 16),
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * n + STARTS, ofVariables),
  };
}

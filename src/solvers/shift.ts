import { Type } from 'typebox';
import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import { saidBy } from './compose/said.ts';
import { examplesHere, type SolverOf } from './compose/target.ts';
import { anyQuantity, nestedRequest, record } from './input.ts';
import { verdictsOf } from './lattice/jobs.ts';
import { targetFields } from './lattice/schema.ts';
import { heldGates } from './lattice.ts';
import { Layout } from './layout.ts';
import { expectedWork } from './quote.ts';
import { outputs, outputsOf } from './shift/outputs.ts';
import { canonical, type Problem, problemOf, type ShiftInput } from './shift/problem.ts';
import type { Assumption, Example, Presentation, Quote, Solver, Verdict } from './solver.ts';

/** Cost model of assembly/verdicts/shift.ts. */
const WORK = 20_000;
const REPLICATE_WORK = 10;
const MAX_REPLICATES = 65_536;
const MEMORY = 2 ** 20;

const schema = record({
  ...targetFields,
  inputs: nestedRequest('Inputs of the operators, or whole body of the solver.'),
  shift: Type.Record(
    Type.String(),
    anyQuantity('δ, other than 0; a plain number is in the unit of the input.'),
    {
      description: 'Input name, or path in the body of the solver: δ.',
    },
  ),
});

function quoteOf({ composition, solver }: Problem): Quote {
  const quote = composition.quote();
  const { exact, memory, ceiling } = quote;
  const pairs = solver.replicates ? MAX_REPLICATES : 0;
  const own = WORK + REPLICATE_WORK * pairs;
  return {
    work: quote.work + own,
    expected: expectedWork(quote) + own,
    ...(ceiling !== undefined && { ceiling }),
    exact: exact && pairs === 0,
    memory: Math.max(memory, MEMORY + 16 * pairs),
  };
}

function roundAfter(problem: Problem, finished: readonly FinishedRun[]): Round {
  return problem.composition.next(finished) ?? { runs: [verdictRun(problem, finished)], verdict: true };
}

function verdictRun(problem: Problem, finished: readonly FinishedRun[]): RunPlan {
  const { shifts, composition } = problem;
  const replicates = replicateParts(problem, finished);
  const count = replicates.length ? replicates[0]!.length / 8 : 0;
  const head = new Layout().f64(shifts.length, count);
  for (const { from, delta, to } of shifts) head.f64(from, delta, to);
  return {
    kernel: 'shift.verdict',
    parts: [{ bytes: head.bytes() }, ...verdictsOf(composition, finished), ...replicates],
    stepsPerSegment: 1,
    steps: 1,
    work: WORK + REPLICATE_WORK * count,
    memory: MEMORY + 16 * count,
    label: 'verdict',
  };
}

type Slice = Extract<Part, { run: number }>;

/** Estimates of both sides that can be compared pair by pair; none where the solver or a side has none. */
function replicateParts({ composition, solver, points }: Problem, finished: readonly FinishedRun[]): Slice[] {
  const parts = composition.runsOf(finished).flatMap(({ runs, finished: own }, point): Slice[] => {
    const source = solver.replicates?.(points[point]!.input, own);
    return source ? [{ ...source, run: runs[source.run]! }] : [];
  });
  const [base, shifted] = parts;
  const isPaired = base !== undefined && base.length === shifted?.length;
  return isPaired && base.length >= 16 && base.length <= 8 * MAX_REPLICATES ? parts : [];
}

function assumedOf({ solver, base, shared }: Problem): Assumption[] {
  const common = shared.map((name) => ({
    name: `${name} of the shifted side`,
    value: `that of the base`,
    because: 'numerical choice: both sides on one grid',
  }));
  return [...solver.assumed(base.input), ...common];
}

function presentOf(
  { shifts, composition }: Problem,
  { extras }: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const { note } = saidBy(composition, finished);
  const [base, shifted, hasSlope, slope, hasElasticity, elasticity, uncertainty, p0, p1] =
    extras as unknown as number[];
  return {
    outputs: {
      base,
      shifted,
      slope: hasSlope === 1 ? slope : null,
      elasticity: hasElasticity === 1 ? elasticity : null,
      uncertainty,
      ...(note !== undefined && { note }),
      precision: { base: p0, shifted: p1 },
      shifts: shifts.map(({ name, from, delta, to, unit }) => ({ name, from, delta, to, unit })),
    },
    fields: [],
    plots: [],
  };
}

/** Some are of solvers that a build may lack; the declaration shows those that are there. */
const examples: readonly Example[] = [
  {
    title: 'volatility up by one point',
    body: {
      solver: 'quant',
      inputs: { mode: 'option', type: 'european', right: 'call', S0: 100, K: 100, r: 0.05, sigma: 0.2, T: 1 },
      shift: { sigma: 0.01 },
    },
    expect: { value: 0.37570374206514, unit: 'currency' },
    tolerance: 1e-3,
    source: 'Black–Scholes–Merton formula, 25 digits',
  },
  {
    title: 'ten times the signal',
    body: {
      operators: ['SP7'],
      inputs: { P_signal: { value: 1, unit: 'W' }, P_noise: 1 },
      shift: { P_signal: { value: 9, unit: 'W' } },
    },
    expect: { value: 10, unit: 'dB', base: 0, shifted: 10 },
    tolerance: 1e-3,
    source: '10·log10(10)',
  },
  {
    title: 'a faster decay',
    body: {
      solver: 'solve',
      inputs: { inputs: { c: 1, k: 0.3, y0: 5, t_end: 4 } },
      shift: { 'inputs.k': 0.05 },
    },
    expect: { value: -0.2729862398529783, base: 1.50597105956101 },
    tolerance: 1e-3,
    source: '5 exp(−1.4) − 5 exp(−1.2)',
  },
];

/** What is said where both values are right, and their difference lies within what they may be wrong by. */
const HARDLY = {
  field: 'shift',
  reason: 'the value hardly changes by this shift',
  accepts: ['a larger shift', 'inputs at which the value changes'],
};

/**
 * The change of a value when inputs change: Δ = f(x + δ) − f(x). In: the whole request of the target, and δ for one
 * or more of its inputs. Out: Δ, both values, and for one input Δ/δ and the elasticity. Both sides have one seed and,
 * where the target's request can say it, one grid. OUTSIDE_TOLERANCE where Δ is small beside what both may be wrong by.
 */
export const shiftOver = (solverOf: SolverOf): Solver<ShiftInput> => {
  const problem = (input: ShiftInput) => problemOf(solverOf, input);
  return {
    id: 'shift',
    title: 'Change of a value with its inputs',
    summary:
      'Computes f(x + δ) − f(x) of operators, an equation or any solver, both sides with one seed and one grid; sealed only where the ' +
      'difference itself is known to 0.1 %.',
    equation: '\\Delta = f(x+\\delta)-f(x)',
    references: [
      'P. Glasserman, Monte Carlo Methods in Financial Engineering (2003), 7.1 (common random numbers)',
    ],
    input: schema,
    gates: [
      ...heldGates,
      {
        name: 'difference',
        quantity: 'Δ, by what both values may be wrong by',
        source:
          'precisionActual·|f| of both sides, at least 4 ulp; or 4 standard errors of paired replicates and their rounding; and how far x + δ as a double is from it, of δ',
      },
    ],
    field: false,
    outputs,
    outputsOf: (input) => outputsOf(problem(input).shifts),
    canonical: (input) => canonical(solverOf, input),
    operators: (input) => problem(input).solver.operators?.(problem(input).base.input) ?? [],
    unit: (input) => problem(input).solver.unit(problem(input).base.input),
    assumed: (input) => assumedOf(problem(input)),
    quote: (input) => quoteOf(problem(input)),
    plan: (input) => roundAfter(problem(input), []),
    next: (input, finished) => roundAfter(problem(input), finished),
    present: (input, verdict, finished) => presentOf(problem(input), verdict, finished),
    refusal: (input, finished, first) => problem(input).composition.refusal(finished, first),
    refusalDetails: (_, status) => (status === 18 ? HARDLY : {}),
    get examples() {
      return examplesHere(solverOf, examples);
    },
  };
};

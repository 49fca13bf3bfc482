import { Type } from 'typebox';
import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import {
  type BucklingInput,
  type Column,
  columnLayout,
  endings,
  MAX_ELEMENTS,
  otherElements,
  type Piece,
  readColumn,
} from './buckling/column.ts';
import { bucklingExamples } from './buckling/examples.ts';
import { outputs } from './buckling/outputs.ts';
import { readDiagnostics } from './diagnostics.ts';
import { choice, integer, list, optional, quantity, ratio, record } from './input.ts';
import { segmentSteps } from './layout.ts';
import type { Assumption, Field, Presentation, Quote, Solver, Verdict } from './solver.ts';

/** Layouts and costs as assembly/kernels/buckling.ts and assembly/verdicts/buckling.ts have them. */
const STEPS = 226;
const UNITS_PER_UNKNOWN = 25;
const RESULT_BYTES = 1088;
const PANEL_UNITS = 40_000;
const TAPERED_UNITS = 90_000;
const VERDICT_UNITS = 1_200_000;
const SAMPLES = 129;
const SCALARS = 11;
const PAGE = 65536;
const VERDICT_MEMORY = 4 * PAGE;

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
const moment = (description: string) => positive('m^4', description);

const schema = record({
  E: positive('Pa', "Young's modulus."),
  I: Type.Union(
    [
      moment('Second moment of area.'),
      record({
        steps: list(
          record({ L: positive('m', 'Length of the piece.'), I: moment('Its second moment.') }),
          'Constant pieces from x = 0; their lengths add up to L.',
          { minItems: 1, maxItems: 64 },
        ),
      }),
      record({
        taper: record(
          {
            I0: moment('At x = 0.'),
            I1: moment('At x = L.'),
            power: ratio('4: cone.', { minimum: 1, maximum: 4 }),
          },
          { description: 'I^(1/power) is linear in x.' },
        ),
      }),
    ],
    { description: 'Second moment of area: a number, {steps} or {taper}.' },
  ),
  L: positive('m', 'Length.'),
  ends: choice(endings, 'How it is held, x = 0 first.'),
  kf: optional(quantity('N/m^2', 'Elastic foundation.', { minimum: 0 })),
  q: optional(quantity('N/m', 'Own weight per length, towards x = 0.', { minimum: 0 })),
  A: optional(positive('m^2', 'Cross-section; with sigmaY.')),
  sigmaY: optional(positive('Pa', 'Yield stress; with A.')),
  N: optional(
    integer('Elements; absent: 64, more on a stiff foundation. Made a multiple of 4 in each piece.', {
      minimum: 8,
      maximum: MAX_ELEMENTS,
    }),
  ),
});

// ---- runs ----------------------------------------------------------------------------------------------

/** A mesh of 1/stride of the elements. */
function meshRun(input: BucklingInput, column: Column, stride: number): RunPlan {
  const unknowns = 2 * (column.elements / stride) + 2;
  const work = STEPS * unknowns * UNITS_PER_UNKNOWN;
  return {
    kernel: 'buckling',
    parts: [{ bytes: columnLayout(input, column.pieces, ({ elements }) => elements / stride).bytes() }],
    stepsPerSegment: segmentSteps(88 + 8 * unknowns, unknowns * UNITS_PER_UNKNOWN),
    steps: STEPS,
    work,
    memory: PAGE * (2 + Math.ceil((120 * unknowns) / PAGE)),
    label: `${column.elements / stride} elements`,
  };
}

const strides = [1, 2, 4];
const firstRuns = (input: BucklingInput, column: Column) =>
  strides.map((stride) => meshRun(input, column, stride));

const panelUnits = ({ lower, upper, panels }: Piece) =>
  panels * (lower === upper ? PANEL_UNITS : TAPERED_UNITS);

function verdictRun(input: BucklingInput, column: Column): RunPlan {
  const { A = 0, sigmaY = 0 } = input;
  const head = columnLayout(input, column.pieces, ({ panels }) => panels);
  const parts: Part[] = [
    { bytes: head.f64(A, sigmaY, column.loads, column.elements).bytes() },
    ...strides.map((_, run) => ({ run, of: 'result', from: 0, length: RESULT_BYTES }) as const),
  ];
  const units = column.pieces.reduce((sum, piece) => sum + panelUnits(piece), 0);
  const work = units * column.loads + VERDICT_UNITS;
  return {
    kernel: 'buckling.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work,
    memory: VERDICT_MEMORY,
    label: 'verdict',
  };
}

function plan(input: BucklingInput): Round {
  return { runs: firstRuns(input, readColumn(input)) };
}

function next(input: BucklingInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > strides.length) return undefined;
  return { runs: [verdictRun(input, readColumn(input))], verdict: true };
}

function quote(input: BucklingInput): Quote {
  const column = readColumn(input);
  const runs = [...firstRuns(input, column), verdictRun(input, column)];
  return {
    work: runs.reduce((sum, run) => sum + run.work, 0),
    exact: true,
    memory: Math.max(...runs.map((run) => run.memory)),
  };
}

// ---- presentation --------------------------------------------------------------------------------------

function assumed(input: BucklingInput): Assumption[] {
  const choices: Assumption[] = [];
  if (input.N === undefined)
    choices.push({ name: 'N', value: readColumn(input).elements, because: 'numerical choice' });
  for (const [name, unit] of [
    ['kf', 'N/m^2'],
    ['q', 'N/m'],
  ] as const)
    if (input[name] === undefined) choices.push({ name, value: 0, unit, because: 'not in the equation' });
  if (input.A === undefined) choices.push({ name: 'sigmaY', value: null, because: 'yield is not tested' });
  return choices;
}

/** Reads what the verdict wrote; the offsets are those at the head of assembly/verdicts/buckling.ts. */
function present(input: BucklingInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const [, effectiveLength, K, slenderness, stress, N, count] = verdict.extras;
  const pressed = effectiveLength! > 0;
  return {
    outputs: {
      effectiveLength: pressed ? effectiveLength : null,
      K: pressed ? K : null,
      slenderness: input.A === undefined || !pressed ? null : slenderness,
      stress: input.A === undefined ? null : stress,
      loads: [...verdict.extras.subarray(7, 7 + count!)],
      N,
    },
    fields: fieldsOf(verdict, finished.length - 1),
    plots: [{ kind: 'line', title: 'mode', x: 'x', y: ['w'] }],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * SAMPLES),
  };
}

/** The mode is vouched for where it was gated: where no other load is so near that any mixture would do. */
function fieldsOf({ gates }: Verdict, run: number): Field[] {
  const extrasAt = 24 + 48 * gates.length;
  const sealed = gates.some(({ name }) => name === 'mode');
  return (['x', 'w'] as const).map((name, column) => ({
    name,
    unit: name === 'x' ? 'm' : '1',
    shape: [SAMPLES],
    source: { run, of: 'result', from: extrasAt + 8 * (SCALARS + SAMPLES * column), length: 8 * SAMPLES },
    sealed: name === 'x' || sealed,
  }));
}

/** Euler's load falls with L², where nothing but the ends holds the column. */
function slender({ L, kf, q }: BucklingInput, excess: number): string[] {
  const longer = Number((1.001 * L * Math.sqrt(excess)).toPrecision(4));
  const column = kf === undefined && q === undefined ? `L = ${longer} m or more` : 'a more slender column';
  return [column, 'no sigmaY: the load is then that of a column that does not yield'];
}

function refusalDetails(input: BucklingInput, status: number, observed: readonly number[]) {
  if (status === 18) return otherElements(input);
  if (status !== 27) return {};
  const [stress, bound] = observed as readonly [number, number];
  return { field: 'sigmaY', stress, bound, unit: 'Pa', accepts: slender(input, stress / bound) };
}

/**
 * The lowest buckling load of a column and its mode. In: E in Pa, I in m⁴, lengths in m, weight in N/m, foundation in
 * N/m². Out: P in N; where it is negative the column buckles under its own weight and must be pulled.
 */
export const buckling: Solver<BucklingInput> = {
  id: 'buckling',
  title: 'Buckling of a column',
  summary:
    'Finds the lowest buckling load of a stepped, tapered or founded column under end load and own weight by cubic Hermite elements; an inertia count proves that it is the lowest, shooting by Taylor series gives the exact load beside it.',
  equation: String.raw`(EI\,w'')''+(N\,w')'+k_f w=0,\quad N=P+q(L-x)`,
  references: [
    'Bažant & Cedolin, Stability of Structures, ch. 1 (columns, their ends, foundations)',
    'Timoshenko & Gere, Theory of Elastic Stability, art. 2.12 (own weight), 2.14 (steps and tapers)',
    'Przemieniecki, Theory of Matrix Structural Analysis, 15.2 (geometric stiffness)',
    'Golub & Van Loan, Matrix Computations, 4.3.6 (banded LDLᵀ); Sylvester’s law of inertia',
    'Wittrick & Williams, Q. J. Mech. Appl. Math. 24 (1971) 263 (count of loads)',
  ],
  input: schema,
  gates: [
    { name: 'critical load', quantity: 'P', source: 'shooting by Taylor series, orthonormalised (Godunov)' },
    { name: 'closed form', quantity: 'P', source: 'π²EI/(KL)²; least of EI(mπ/L)² + k_f(L/mπ)²' },
    { name: 'none below', quantity: 'loads below P(1 − 1e-6)', source: 'inertia of K − σG (Sylvester)' },
    { name: 'one above', quantity: 'loads below P(1 + 1e-6)', source: 'inertia of K − σG (Sylvester)' },
    { name: 'lowest', quantity: 'loads below P(1 − 1e-3)', source: 'Wittrick–Williams count of the column' },
    { name: 'meshes', quantity: 'P', source: 'meshes h, 2h, 4h of order 4' },
    { name: 'load table', quantity: 'the worst of the next loads', source: 'shooting by Taylor series' },
    {
      name: 'mode',
      quantity: 'w where it differs most, over its largest',
      source: 'meshes h, 2h, 4h of order 4',
    },
  ],
  field: true,
  outputs,
  unit: () => 'N',
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails,
  examples: bucklingExamples,
};

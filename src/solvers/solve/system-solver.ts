import type { FinishedRun, Round } from '../../proof/job.ts';
import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import type { Assumption, Field, Presentation, Quote, Verdict } from '../solver.ts';
import { unresolvedDetails } from '../unresolved.ts';
import { solveGates } from './gates.ts';
import { readStrict, type SolveInput, type System } from './problem.ts';
import { readOwnSystem } from './system.ts';
import {
  columnAt,
  firstRound,
  firstSteps,
  type Integration,
  lastLevel,
  levelsOf,
  MAX_FIRST_STEPS,
  PLAIN_LEVELS,
  quoteOf,
  roundAfter,
} from './system-runs.ts';

// What `solve` does with a system of the caller's own.

const EXTRAS = 6;
/** Gates that a smaller step passes, with their bounds. */
const STEP_GATES: Readonly<Record<string, number>> = {
  'three steps': 1e-3,
  'two steps, series': 1e-3,
  'two steps, components': 1e-3,
  'between the points': 1,
};
/** How far below its bound an error is to come: that of levels further, since the enclosure between steps asks for more than they. */
const MARGIN = 4;
const SERIES_MARGIN = 48;
/** An error of the gate between the points above which nothing bounds what lies there. */
const UNBOUNDED = 1e9;
const SHORT = 'what is shorter than a few steps';
const UNSEEN = `poles beside the motion, quotients with a double zero (2*(sin(u/2)/u)^2 has none, (1 - cos(u))/u^2 has one) and ${SHORT}`;
/** Of the run: a start as near to 0 that quotients such as (1 − cos t)/t² keep some of their digits. */
const BESIDE = 1e-8;
/** As the schema has it. */
const MOST_ITERATIONS = 40;
const noteOf = ({ operators }: SolveInput): string =>
  `NUMERICAL FALLBACK: no closed form is known for ${operators ? 'this operator' : 'a system of your own'}; the value is the RK4 integral.`;

function integrationOf(input: SolveInput): Integration {
  const { components, start, end, isConserved, block, steps: ofRow } = readOwnSystem(input);
  const strict = readStrict(input);
  const { systemBefore: before } = input;
  const steps = before
    ? Math.floor((end - start) / before.step + 0.5)
    : ((input.dt === undefined && !strict ? ofRow : undefined) ?? firstSteps(end - start, input.dt, strict));
  return {
    starts: components.map((component) => component.start),
    ...{ start, isConserved, block, steps },
    h: before ? before.step : (end - start) / steps,
    refinements: strict ? input.maxIterations : undefined,
    ...(before && { before }),
  };
}

function assumed(input: SolveInput): Assumption[] {
  const { start, end, variableUnit, components } = readOwnSystem(input);
  const { steps } = integrationOf(input);
  const unit = variableUnit === null ? {} : { unit: variableUnit };
  return [
    ...(input.dt === undefined
      ? [
          {
            name: 'dt',
            value: (end - start) / steps,
            ...unit,
            because: input.systemBefore
              ? 'that of the job that is continued'
              : `numerical choice: ${steps} steps on the coarsest level`,
          },
        ]
      : []),
    ...(input.strict ? [] : [{ name: 'levels', value: PLAIN_LEVELS, because: 'numerical choice' }]),
    ...(input.initialState?.t0 === undefined
      ? [{ name: 't0', value: 0, ...unit, because: 'origin of the variable' }]
      : []),
    ...(input.quantity === undefined && !input.operators
      ? [{ name: 'quantity', value: components[0]!.name, because: 'the first component' }]
      : []),
  ];
}

function present(input: SolveInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const system = readOwnSystem(input);
  const [steps, , , conserved, drift, timeout] = verdict.extras;
  const levels = levelsOf(integrationOf(input), finished);
  const run = levels.at(-1)!;
  const fields = fieldsOf(system, finished[run]!, run);
  const names = system.components.map(({ name }) => name);
  const diagnostics =
    fields[0]!.shape[0]! >= 3 &&
    readDiagnostics(verdict.extras, EXTRAS + names.length, {
      absentMasterEquation: 'the equation is another',
      absentBalance: 'the equation is another',
      absentStep: 'the equation is another',
    });
  return {
    outputs: {
      method: 'RK4',
      note: noteOf(input),
      iterations: levels.length - 1,
      tuneStatus: timeout === 1 ? 'timeout' : 'converged',
      steps,
      ...continuesOf(input.systemBefore),
      components: system.components.map(({ name, unit }, i) => ({
        name,
        value: verdict.extras[EXTRAS + i]!,
        unit,
      })),
      ...(system.isConserved && { conserved: { start: conserved, relativeDrift: drift } }),
    },
    fields,
    plots: [
      { kind: 'line', title: `${names.join(', ')} along ${system.variable}`, x: system.variable, y: names },
    ],
    ...(diagnostics && { diagnostics }),
  };
}

function fieldsOf(system: System, finest: FinishedRun, run: number): Field[] {
  const { components, variable, variableUnit, unit } = system;
  const n = components.length;
  const { buffer, byteOffset } = finest.result;
  const count = new DataView(buffer, byteOffset).getFloat64(8 * (1 + n) + 32, true);
  const column = (name: string, in_: string | null, k: number): Field => ({
    name,
    unit: in_,
    shape: [count],
    source: { run, of: 'result', from: columnAt(n, k), length: 8 * count },
    sealed: true,
  });
  return [
    column(variable, variableUnit, 0),
    column('value', unit, 1),
    ...components.map((component, i) => column(component.name, component.unit, 3 + i)),
  ];
}

function refusalDetails(input: SolveInput, status: number, observed: readonly number[]) {
  const end = input.inputs.t_end;
  if (status === 16) return { ...whereItEnds(input, observed), t_end: end };
  const smaller = smallerStep(input, status, observed);
  if (status === 17) {
    const reason = 'the motion leaves the numbers at every level';
    const earlier = earlierEnd(input, observed[2]);
    return {
      reason,
      maxIterations: input.maxIterations,
      accepts: earlier === undefined ? smaller : `${earlier}, or ${smaller}`,
    };
  }
  const unseen = unresolvedDetails('solve', solveGates, status, observed, {
    points: 'steps',
    field: input.strict ? 'maxIterations' : input.dt === undefined ? 'equation' : 'dt',
    accepts: `${smaller}, or an equation without ${observed[2]! > UNBOUNDED ? UNSEEN : SHORT}`,
  });
  if (unseen) return unseen;
  return status === 18 && observed.length > 0 ? { accepts: smaller } : {};
}

/** Shown are a component whose rate has no value to begin with, or else the last sample where all of them had. */
function whereItEnds(input: SolveInput, [, component, last]: readonly number[]) {
  const { components, variable, start, end } = readOwnSystem(input);
  if (last === undefined && component !== undefined) {
    const beside =
      start === 0 ? `initialState.t0 = ${Number((BESIDE * end).toPrecision(2))}` : 'initialState.t0';
    return {
      reason: `the rate of ${components[component]!.name} has no value where the run starts`,
      accepts: `a start beside it (${beside} with the values there, or other values), or an equation that has a value there, which a quotient of two that are 0, such as sin(${variable})/${variable} at 0, has not`,
    };
  }
  const behind = last === undefined ? '' : ` behind ${variable} = ${last}`;
  const earlier = earlierEnd(input, last) ?? 'an earlier t_end';
  return {
    reason: `the motion leaves the numbers${behind}, or a formula has no value there`,
    accepts: `${earlier}, ${input.strict ? 'a smaller dt' : `a smaller dt, or ${STRICT}`}`,
  };
}

/** In the last of 256 stretches a component grows tenfold: what is beside a pole is out of reach of any step. */
const isRunningUp = ([, , , , , upturn = 0]: readonly number[]): boolean => upturn > 10;
/** Two stretches before the end and more. */
const EARLIER = 0.99;

/** So much of the run, as its end. */
function shortOf(input: SolveInput, share: number): number {
  const { start, end } = readOwnSystem(input);
  return start + Number((share * (end - start)).toPrecision(4));
}

/** Steps that Runge–Kutta takes over a pole before it leaves the numbers. */
const STEPS_OVER = 4;

/**
 * The end of a run that is over well before a motion escapes: it was last among the numbers at `last`, by which steps of
 * the coarsest level may have gone over the pole.
 */
function earlierEnd(input: SolveInput, last: number | undefined): string | undefined {
  const { h } = integrationOf(input);
  const { start } = readOwnSystem(input);
  const length = (last ?? start) - (input.strict ? 0 : STEPS_OVER * h) - start;
  if (!(length > 0)) return undefined;
  return `t_end = ${start + Number((0.9 * length).toPrecision(3))}${input.dt === undefined ? '' : ' without dt'}`;
}

/** Samples stand behind steps of the first level: of fewer a search does not tell until when the motion goes. */
const FEW_STEPS = 64;

/** What looks for a step that nothing tells. */
export const STRICT = `strict: true with maxIterations: ${MOST_ITERATIONS}, which looks for the step`;

/**
 * The dt that an error asks for: RK4's falls with the fourth power of the step, and what a jump may hold between steps
 * with the first. Where levels have lost the motion, what its first samples foretell is asked. Where nothing tells, or
 * the dt is too small to be taken, strict looks for it; where that has spent what a search may, it goes on from a dt that
 * the caller asks for (./system-runs.ts).
 */
function smallerStep(input: SolveInput, status: number, observed: readonly number[]): string {
  const integration = integrationOf(input);
  const { h, steps } = integration;
  if (input.strict) {
    if (input.maxIterations! < MOST_ITERATIONS) return 'a larger maxIterations, or a smaller dt';
    const finer = 2 ** lastLevel(integration);
    return steps * finer <= MAX_FIRST_STEPS
      ? `dt = ${Number((h / finer).toPrecision(2))} with strict, which looks on from there`
      : isRunningUp(observed)
        ? `t_end = ${shortOf(input, EARLIER)} (by the end a component runs up, as beside a pole)`
        : status === 17 && steps < FEW_STEPS
          ? 'the run without dt, which tells until when it goes'
          : 'a shorter t_end (what is faster than the run by a factor of millions is out of reach)';
  }
  const shorter = status === 18 ? shortening(observed) : 0;
  return steps <= shorter * MAX_FIRST_STEPS
    ? `dt = ${Number((h * shorter).toPrecision(2))} by what was found, or ${STRICT}`
    : STRICT;
}

/** Of the step, by the gate that refused, its error and the outlook; 0 where they do not tell. */
function shortening([index, , error, , outlook]: readonly number[]): number {
  const bound = STEP_GATES[solveGates[index!]?.name ?? ''];
  if (bound === undefined) return 0;
  const told = error! <= 100 * bound ? error! : 0;
  if (bound === 1) return told > 0 ? 1 / (MARGIN * told) : 0;
  const most = Math.max(told, outlook ?? 0);
  return most > bound ? 1 / Math.sqrt(Math.sqrt((SERIES_MARGIN * most) / bound)) : 0;
}

export const systemSolver = {
  unit: (input: SolveInput): string | null => readOwnSystem(input).unit,
  assumed,
  quote: (input: SolveInput): Quote => quoteOf(integrationOf(input)),
  plan: (input: SolveInput): Round => firstRound(integrationOf(input)),
  next: (input: SolveInput, finished: readonly FinishedRun[]): Round | undefined =>
    roundAfter(integrationOf(input), finished),
  present,
  refusalDetails,
};

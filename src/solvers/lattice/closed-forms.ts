import type { Application } from '../../operators/apply.ts';
import type { Filled } from '../../operators/bytecode.ts';
import { kernelPrograms } from '../../operators/half-turns.ts';
import { expressionParameters, expressionWork } from '../../operators/parameters.ts';
import { concat } from '../../proof/bytes.ts';
import type { FinishedRun, RunPlan } from '../../proof/job.ts';
import { type FailedPoint, type PointNames, refusalOfPoints } from '../compose/failed-points.ts';
import { type ComputeInput, computation, compute, unheld } from '../compute.ts';
import { Layout } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { type Axis, pointCount } from './axes.ts';
import type { Evaluation } from './evaluation.ts';
import { refusalOfKernel } from './failures.ts';
import {
  type Binding,
  bindingsOf,
  type Names,
  type Swept,
  sweptProgram,
  sweptValues,
  tablesOf,
} from './sweep.ts';

/** Points of a segment; hashing the state alone would allow more. */
const SEGMENT = 1024;
/** Cost model of assembly/kernels/lattice.ts. */
const POINT_WORK = 120;
const BINDING_WORK = 10;
const ROW = 40;

/**
 * Operators and equations at all points in one run. `input` is the request of point 0; `inputNames` are what the axes
 * are called in it.
 */
export function evaluationOfClosedForms(
  input: ComputeInput,
  axes: readonly Axis[],
  inputNames: readonly string[],
  names: Names,
): Evaluation {
  const { applications, ids } = computation(input);
  const sweep = sweptValues(applications, axes, inputNames, names);
  const held = conditionRuns(applications, axes, sweep);
  const programs = applications.map((each, j) => sweptProgram(kernelPrograms(each).own, j, sweep));
  const own = programs.map(({ program }, application) => ({ program, application }));
  const bindings = bindingsOf(own, sweep);
  const rowBytes = ROW * applications.length;
  const block = expressionParameters(programs);
  const plan = planOf(programs, axes, bindings, block);
  const points = pointCount(axes);
  return {
    unit: applications[0]!.unit,
    operators: ids.slice(1),
    assumed: compute.assumed(input),
    quote: () => quoteOf([...held.map((each) => each.plan), plan]),
    next(finished) {
      if (finished.length > held.length) return undefined;
      if (finished.length < held.length) return { runs: held.map((each) => each.plan) };
      refuseUnheld(held, finished, names);
      return { runs: [plan] };
    },
    refusal: (finished, first) => refusalOfKernel(input, finished.slice(first, held.length + 1), names),
    said: () => ({}),
    verdict: {
      form: 1,
      programs: applications.map(({ operator, unit }) => ({ name: operator.id, unit })),
      tables: concat([tablesOf(bindings), block]),
      bindings: bindings.length,
      block: block.length,
      workPerPoint: bindings.length * BINDING_WORK + plainWork(programs),
      bytes: rowBytes * points,
      points: () => [{ run: held.length, of: 'rows', from: 0, length: rowBytes * points }],
    },
  };
}

function quoteOf(plans: readonly RunPlan[]): Quote {
  const work = plans.reduce((sum, plan) => sum + plan.work, 0);
  return { work, exact: true, memory: Math.max(...plans.map(({ memory }) => memory)) };
}

// ---- conditions ------------------------------------------------------------------------------------------

/** The conditions of one operator at all points, evaluated before the operators. */
interface ConditionRun {
  readonly application: Application;
  readonly plan: RunPlan;
}

/** One run for each operator that has any, which stays within the bindings that the kernel takes. */
function conditionRuns(
  applications: readonly Application[],
  axes: readonly Axis[],
  sweep: readonly Swept[],
): ConditionRun[] {
  return applications.flatMap((application, j): ConditionRun[] => {
    const conditions = kernelPrograms(application).conditions.map((each) => sweptProgram(each, j, sweep));
    if (conditions.length === 0) return [];
    const bindings = bindingsOf(
      conditions.map(({ program }) => ({ program, application: j })),
      sweep,
    );
    return [{ application, plan: planOf(conditions, axes, bindings, expressionParameters(conditions)) }];
  });
}

/** @throws the Refusal that names the points of the first operator of which a condition is negative somewhere */
function refuseUnheld(
  runs: readonly ConditionRun[],
  finished: readonly FinishedRun[],
  names: PointNames,
): void {
  for (const [j, { application }] of runs.entries()) {
    const failed = unheldPoints(application, concat(finished[j]!.rows), names.count);
    if (failed.length) throw refusalOfPoints(failed, names);
  }
}

/** Rows of assembly/expression/row.ts begin with the value. */
function unheldPoints({ operator, conditions }: Application, rows: Uint8Array, count: number): FailedPoint[] {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  const failed: FailedPoint[] = [];
  for (let point = 0; point < count; point++) {
    const figure = (j: number) => view.getFloat64(ROW * (point * conditions.length + j), true);
    const j = conditions.findIndex((_, each) => figure(each) < 0);
    if (j >= 0) failed.push({ point, refusal: unheld(operator, conditions[j]!, figure(j)) });
  }
  return failed;
}

// ---- runs --------------------------------------------------------------------------------------------------

/** Work units of the verdict's second evaluation. */
const plainWork = (programs: readonly Filled[]): number =>
  programs.reduce((sum, { program }) => sum + program.derivativeWork, 0);

/** hi, lo of each; in a loop, as there may be 65,536. */
function wordsOf(table: Binding['table']): Float64Array {
  const words = new Float64Array(2 * table.length);
  table.forEach(({ hi, lo }, i) => {
    words[2 * i] = hi;
    words[2 * i + 1] = lo;
  });
  return words;
}

function planOf(
  programs: readonly Filled[],
  axes: readonly Axis[],
  bindings: readonly Binding[],
  block: Uint8Array,
): RunPlan {
  const points = pointCount(axes);
  const head = new Layout()
    .i32(axes.length, bindings.length, points, block.length)
    .i32s(axes.map(({ coordinates }) => coordinates.length))
    .i32s(bindings.flatMap(({ axis, value }) => [axis, value]));
  for (const { table } of bindings) head.f64s(wordsOf(table));
  const bytes = concat([head.bytes(), block]);
  return {
    kernel: 'lattice',
    parts: [{ bytes }],
    stepsPerSegment: SEGMENT,
    steps: points,
    work: points * (POINT_WORK + BINDING_WORK * bindings.length + expressionWork(programs)),
    memory: 2 ** 20 + 2 * bytes.length,
    label: points === 1 ? '1 point' : `${points} points`,
  };
}

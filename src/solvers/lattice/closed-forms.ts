import { Refusal } from '../../errors/refusal.ts';
import { type Application, applyInputs, type GivenInputs, readOne } from '../../operators/apply.ts';
import type { Operator } from '../../operators/operator.ts';
import { expressionParameters, expressionWork } from '../../operators/parameters.ts';
import { concat } from '../../proof/bytes.ts';
import type { FinishedRun, RunPlan } from '../../proof/job.ts';
import { type PointNames, refusalOfPoints } from '../compose/failed-points.ts';
import { type ComputeInput, computation, compute } from '../compute.ts';
import { Layout } from '../layout.ts';
import { type Axis, digitsOf, givenAt, pointCount, pointOf } from './axes.ts';
import type { Evaluation } from './evaluation.ts';

/** Points of a segment (docs/protocol.md, 'Segment length', would allow more). */
const SEGMENT = 256;
/** Cost model of assembly/kernels/lattice.ts. */
const POINT_WORK = 120;
const BINDING_WORK = 10;
const ROW = 40;

/** An axis sets one value of the block of programs. */
interface Binding {
  readonly axis: number;
  readonly value: number;
  /** The value along the axis, in the unit of its row. */
  readonly table: readonly number[];
}

type Names = PointNames & { readonly refined: (refusal: Refusal) => Refusal };

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
  refuseConditions(applications, axes, inputNames, sweep, input, names);
  const bindings = bindingsOf(applications, sweep);
  const rowBytes = ROW * applications.length;
  const block = expressionParameters(applications);
  const plan = planOf(applications, axes, bindings, block);
  const points = pointCount(axes);
  return {
    unit: applications[0]!.unit,
    operators: ids.slice(1),
    assumed: compute.assumed(input),
    quote: () => ({ work: plan.work, exact: true, memory: plan.memory }),
    next: (finished) => (finished.length === 0 ? { runs: [plan] } : undefined),
    refusal: (finished) => refusalOfKernel(finished[0]!, names),
    verdict: {
      form: 1,
      programs: applications.map(({ operator, unit }) => ({ name: operator.id, unit })),
      tables: concat([tablesOf(bindings), block]),
      bindings: bindings.length,
      block: block.length,
      workPerPoint: bindings.length * BINDING_WORK + plainWork(applications),
      bytes: rowBytes * points,
      points: () => [{ run: 0, of: 'rows', from: 0, length: rowBytes * points }],
    },
  };
}

// ---- values along the axes -------------------------------------------------------------------------------

/** Of each axis and operator that knows it: the symbol and its values along the axis. */
interface Swept {
  readonly axis: number;
  readonly application: number;
  readonly symbol: string;
  readonly table: readonly number[];
}

function sweptValues(
  applications: readonly Application[],
  axes: readonly Axis[],
  inputNames: readonly string[],
  names: Names,
): Swept[] {
  return axes.flatMap((axis, k) =>
    applications.flatMap(({ operator }, application): Swept[] => {
      const input = operator.byName.get(inputNames[k]!);
      if (!input) return [];
      const table = axis.coordinates.map((_, digit) => {
        try {
          return readOne(input, inputNames[k]!, givenAt(axis, digit)).value.hi;
        } catch (error) {
          throw failedAt(error, axes, k, digit, names);
        }
      });
      return [{ axis: k, application, symbol: input.symbol, table }];
    }),
  );
}

/** A coordinate that an input does not take: the first of its points, and how many they are. */
function failedAt(error: unknown, axes: readonly Axis[], k: number, digit: number, names: Names): unknown {
  if (!(error instanceof Refusal)) return error;
  const point = pointOf(
    axes,
    axes.map((_, other) => (other === k ? digit : 0)),
  );
  const total = names.count / axes[k]!.coordinates.length;
  return refusalOfPoints([{ point, refusal: names.refined(error) }], names, total);
}

/** `symbol ≤ atMost` of an operator's row, at all points. */
function refuseConditions(
  applications: readonly Application[],
  axes: readonly Axis[],
  inputNames: readonly string[],
  sweep: readonly Swept[],
  { inputs }: ComputeInput,
  names: Names,
): void {
  for (const [application, { operator, given }] of applications.entries()) {
    const along = (symbol: string) =>
      sweep.find((each) => each.application === application && each.symbol === symbol);
    for (const { symbol, atMost, less = 0 } of operator.conditions) {
      const [small, large] = [along(symbol), along(atMost)];
      if (!small && !large) continue;
      const point = firstAbove(axes, small ?? fixed(given, symbol), large ?? fixed(given, atMost), less);
      if (point === undefined) continue;
      const digits = digitsOf(axes, point);
      const swept = Object.fromEntries(axes.map((axis, k) => [inputNames[k]!, givenAt(axis, digits[k]!)]));
      throw refusalOfPoints(
        [{ point, refusal: whyRefused(operator, { ...inputs, ...swept } as GivenInputs) }],
        names,
      );
    }
  }
}

type Column = Pick<Swept, 'table'> & { readonly axis?: number };

function fixed(given: Application['given'], symbol: string): Column | undefined {
  const value = given.get(symbol);
  return value === undefined ? undefined : { table: [typeof value === 'number' ? value : value.value] };
}

function firstAbove(
  axes: readonly Axis[],
  small: Column | undefined,
  large: Column | undefined,
  less: number,
): number | undefined {
  if (!small || !large) return undefined;
  const together = small.axis !== undefined && small.axis === large.axis;
  for (let i = 0; i < small.table.length; i++) {
    for (let j = together ? i : 0; j < (together ? i + 1 : large.table.length); j++) {
      if (small.table[i]! <= large.table[j]! - less) continue;
      return pointOf(
        axes,
        axes.map((_, k) => (k === small.axis ? i : k === large.axis ? j : 0)),
      );
    }
  }
  return undefined;
}

/** The operator's own words. */
function whyRefused(operator: Operator, inputs: GivenInputs): Refusal {
  const own = Object.fromEntries(Object.entries(inputs).filter(([name]) => operator.byName.has(name)));
  try {
    applyInputs([operator], own);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`${operator.id} takes what its conditions refuse`);
}

// ---- parameters ------------------------------------------------------------------------------------------

/** Where the swept symbols stand in the block of programs; one that only a condition knows stands nowhere. */
function bindingsOf(applications: readonly Application[], sweep: readonly Swept[]): Binding[] {
  const firsts: number[] = [];
  let next = 0;
  for (const { operator } of applications) {
    firsts.push(next);
    next += operator.program.symbols.length + operator.program.literals.length;
  }
  return sweep.flatMap(({ axis, application, symbol, table }): Binding[] => {
    const index = applications[application]!.operator.program.symbols.indexOf(symbol);
    return index < 0 ? [] : [{ axis, value: firsts[application]! + index, table }];
  });
}

function tablesOf(bindings: readonly Binding[]): Uint8Array {
  const layout = new Layout().f64s(bindings.flatMap(({ axis, value }) => [axis, value]));
  for (const { table } of bindings) layout.f64s(table);
  return layout.bytes();
}

/** Work units of the verdict's second evaluation. */
const plainWork = (applications: readonly Application[]): number =>
  applications.reduce((sum, { operator }) => sum + operator.program.derivativeWork, 0);

function planOf(
  applications: readonly Application[],
  axes: readonly Axis[],
  bindings: readonly Binding[],
  block: Uint8Array,
): RunPlan {
  const points = pointCount(axes);
  const head = new Layout()
    .i32(axes.length, bindings.length, points, block.length)
    .i32s(axes.map(({ coordinates }) => coordinates.length))
    .i32s(bindings.flatMap(({ axis, value }) => [axis, value]));
  for (const { table } of bindings) head.f64s(table);
  const bytes = concat([head.bytes(), block]);
  return {
    kernel: 'lattice',
    parts: [{ bytes }],
    stepsPerSegment: SEGMENT,
    steps: points,
    work: points * (POINT_WORK + BINDING_WORK * bindings.length + expressionWork(applications)),
    memory: 2 ** 20 + 2 * bytes.length,
    label: points === 1 ? '1 point' : `${points} points`,
  };
}

// ---- what failed -----------------------------------------------------------------------------------------

const reasons = ['evaluation', 'rounding'] as const;
const NOT_FINITE = -1;

/** The kernel shows how many points failed, and of the first five point, gate and error. */
function refusalOfKernel({ observed, status }: FinishedRun, names: Names): Refusal | undefined {
  const [total] = observed;
  if (status === 20 || total === undefined || observed.length < 4) return undefined;
  const failed = [];
  for (let at = 1; at + 2 < observed.length; at += 3) {
    const [point, gate, error] = observed.slice(at, at + 3) as [number, number, number];
    failed.push({ point, refusal: reasonOf(gate, error) });
  }
  return refusalOfPoints(failed, names, total);
}

function reasonOf(gate: number, error: number): Refusal {
  const name = reasons[gate];
  if (name !== undefined) {
    const { quantity } = compute.gates[gate]!;
    const message = `compute: gate ‘${name}’ has error ${error}, above its bound 0.001.`;
    return new Refusal('OUTSIDE_TOLERANCE', message, { gate: name, quantity, error, bound: 1e-3 });
  }
  if (gate === NOT_FINITE) return new Refusal('NON_FINITE', 'compute: the value is not a finite number.');
  const accepts = 'sin, cos and tan of up to 2^50 rad';
  return new Refusal('UNSUPPORTED', `compute: an angle is too large; accepted: ${accepts}.`, { accepts });
}

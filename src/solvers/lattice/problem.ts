import { printableWord } from '../../errors/printable.ts';
import { Refusal, refuse } from '../../errors/refusal.ts';
import { type FailedPoint, type PointNames, refusalOfPoints } from '../compose/failed-points.ts';
import { type Path, valueAt, without, withValue } from '../compose/path.ts';
import {
  inputPath,
  type Point,
  readPoint,
  readTarget,
  type SolverOf,
  type Target,
  withField,
} from '../compose/target.ts';
import { plainUnit } from '../compose/units.ts';
import { type ComputeInput, computation, compute, isIntegrated } from '../compute.ts';
import { pathText } from '../input/wrong.ts';
import { shareBlobs } from '../input.ts';
import {
  type Axis,
  coordinatesOf,
  digitsOf,
  givenAt,
  invalid,
  pointCount,
  pointOf,
  readAxes,
  wordsOf,
} from './axes.ts';
import { evaluationOfClosedForms } from './closed-forms.ts';
import type { Evaluation } from './evaluation.ts';
import { evaluationByJobs } from './jobs.ts';
import type { LatticeInput } from './schema.ts';

/** A lattice that was read: what is evaluated, where, and how. */
export interface Problem {
  readonly axes: readonly Axis[];
  /** Of each axis the unit of its coordinates, its own or that of the input; null where neither is known. */
  readonly axisUnits: readonly (string | null)[];
  readonly count: number;
  /** The point of `reduce: at`. */
  readonly at: number | undefined;
  readonly evaluation: Evaluation;
  /** The request in its canonical form. */
  readonly request: LatticeInput;
}

/** Where a request keeps what was read from it. */
const known = Symbol('lattice');
type Known = LatticeInput & { [known]?: Problem };

/** Reads a request once; what the solver is asked for shares it. @throws Refusals of the axes and of the points */
export function problemOf(solverOf: SolverOf, request: Known): Problem {
  request[known] ??= readProblem(solverOf, request);
  return request[known];
}

/** The canonical request, which knows what was read. */
export function canonical(solverOf: SolverOf, request: LatticeInput): LatticeInput {
  const problem = problemOf(solverOf, request);
  const made: Known = problem.request;
  made[known] = problem;
  return made;
}

function readProblem(solverOf: SolverOf, request: LatticeInput): Problem {
  const target = readTarget(solverOf, 'lattice', request);
  const axes = readAxes(request);
  const paths = axes.map(({ name }, k) => inputPath(target, name, `axes[${k}].name`));
  refuseGiven(target, axes, paths);
  const at = readAt(request, axes);
  const sweep = { target, axes, paths, names: namesOf(target, axes, paths) };
  const first = readFirst(sweep);
  const ofOperators = target.solver.id === compute.id;
  const evaluation =
    ofOperators && !isIntegrated(first.input as ComputeInput)
      ? evaluationOfClosedForms(first.input as ComputeInput, axes, paths.map(lastName), sweep.names)
      : evaluationByJobs(target, first, (point) => bodyAt(sweep, point), sweep.names);
  const canonicalRequest = ofOperators
    ? canonicalOfCompute(request, sweep, first)
    : canonicalOf(request, sweep, first);
  const axisUnits = axes.map(({ unit }, k) => unit ?? plainUnit(target, first.input, paths[k]!) ?? null);
  return { axes, axisUnits, count: pointCount(axes), at, evaluation, request: canonicalRequest };
}

interface Sweep {
  readonly target: Target;
  readonly axes: readonly Axis[];
  readonly paths: readonly Path[];
  readonly names: ReturnType<typeof namesOf>;
}

const lastName = (path: Path): string => String(path[path.length - 1]);

/** An input is swept or given; null in a list keeps the place of a swept item. */
function refuseGiven({ body }: Target, axes: readonly Axis[], paths: readonly Path[]): void {
  const k = paths.findIndex((path) => (valueAt(body, path) ?? null) !== null);
  if (k >= 0)
    invalid(
      `axes[${k}].name`,
      `${printableWord(axes[k]!.name)} is given in inputs already`,
      'an input that inputs leaves out',
    );
  const inner = paths.findIndex((path, i) =>
    paths.some(
      (other, j) => i !== j && other.length <= path.length && other.every((key, at) => key === path[at]),
    ),
  );
  if (inner >= 0)
    invalid(
      `axes[${inner}].name`,
      `${printableWord(axes[inner]!.name)} lies within another axis`,
      'inputs apart from each other',
    );
}

function readAt({ reduce, at, proofs = [] }: LatticeInput, axes: readonly Axis[]): number | undefined {
  const count = pointCount(axes);
  const outside = proofs.findIndex((point) => point >= count);
  if (outside >= 0)
    invalid(`proofs[${outside}]`, `there is no point ${proofs[outside]}`, `0 to ${count - 1}`);
  if (reduce !== 'at') {
    if (at !== undefined) invalid('at', `does not belong to reduce ${reduce}`, 'at with reduce at');
    return undefined;
  }
  if (at === undefined)
    return refuse(
      'MISSING_INPUT',
      'at is missing: reduce at takes the number of a coordinate on each axis.',
      {
        field: 'at',
        accepts: `${axes.length} whole numbers from 0`,
      },
    );
  const fits = at.length === axes.length && at.every((digit, k) => digit < axes[k]!.coordinates.length);
  if (!fits) {
    const most = axes.map(({ coordinates }) => coordinates.length - 1).join(', ');
    invalid('at', `[${at.join(', ')}] is no point`, `0 to [${most}]`);
  }
  return pointOf(axes, at);
}

// ---- points --------------------------------------------------------------------------------------------

function bodyAt({ target, axes, paths }: Sweep, point: number): Record<string, unknown> {
  const digits = digitsOf(axes, point);
  return paths.reduce((body, path, k) => withValue(body, path, givenAt(axes[k]!, digits[k]!)), target.body);
}

/** What is wrong with the first point and no axis has to do with is wrong with the request. */
function readFirst(sweep: Sweep): Point {
  const { target, names } = sweep;
  try {
    return readPoint(target, bodyAt(sweep, 0));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refined = names.refined(error);
    if (!String(refined.details.field).startsWith('axes[')) throw refined;
    throw refusalOfPoints([{ point: 0, refusal: refined } satisfies FailedPoint], names);
  }
}

function namesOf(
  target: Target,
  axes: readonly Axis[],
  paths: readonly Path[],
): PointNames & { readonly refined: (refusal: Refusal) => Refusal } {
  const fields = paths.map(pathText);
  return {
    of: 'lattice',
    count: pointCount(axes),
    details: (index) => ({ index, coordinates: coordinatesOf(axes, index) }),
    words: (point) => `point ${point} (${wordsOf(axes, point)})`,
    refined(refusal) {
      const { field } = refusal.details;
      const k = fields.findIndex((each) => field === each || String(field).startsWith(`${each}.`));
      if (k < 0) return withField(refusal, target);
      return new Refusal(refusal.code, refusal.message, { ...refusal.details, field: `axes[${k}]` });
    },
  };
}

// ---- canonical form --------------------------------------------------------------------------------------

function canonicalOf(request: LatticeInput, sweep: Sweep, first: Point): LatticeInput {
  const inputs = sweep.paths.reduce(without, first.request);
  shareBlobs(request.inputs, inputs);
  return assembled(request, { solver: sweep.target.solver.id, inputs }, sweep.axes);
}

/** Inputs and axes under the symbols of the operators; a name that means two of them stays. */
function canonicalOfCompute(request: LatticeInput, sweep: Sweep, first: Point): LatticeInput {
  const { axes, paths, target } = sweep;
  const { inputs, ...rest } = first.request as ComputeInput;
  const { applications } = computation(first.input as ComputeInput);
  const left: Record<string, unknown> = { ...inputs };
  const renamed = axes.map((axis, k) => {
    const name = lastName(paths[k]!);
    const symbols = new Set(applications.flatMap(({ operator }) => operator.byName.get(name)?.symbol ?? []));
    for (const symbol of symbols) delete left[symbol];
    const [symbol = name] = symbols.size === 1 ? symbols : [];
    return { ...axis, fields: { ...axis.fields, name: target.ofOperators ? symbol : `inputs.${symbol}` } };
  });
  const fields = target.ofOperators
    ? { operators: rest.operators!, inputs: left }
    : { solver: compute.id, inputs: { ...rest, inputs: left } };
  return assembled(request, fields, renamed);
}

function assembled(
  { reduce, at, proofs }: LatticeInput,
  target: Pick<LatticeInput, 'operators' | 'solver' | 'inputs'>,
  axes: readonly Axis[],
): LatticeInput {
  return {
    ...target,
    axes: axes.map(({ fields }) => fields),
    reduce,
    ...(at !== undefined && { at }),
    ...(proofs !== undefined && { proofs }),
  };
}

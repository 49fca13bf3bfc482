import { printableWord } from '../../errors/printable.ts';
import { Refusal, refuse } from '../../errors/refusal.ts';
import { Composition } from '../compose/composition.ts';
import type { PointNames } from '../compose/failed-points.ts';
import { refusalOfPoints } from '../compose/failed-points.ts';
import {
  type Point,
  readPoint,
  readTarget,
  type SolverOf,
  type Target,
  type TargetFields,
  withField,
} from '../compose/target.ts';
import { type ComputeInput, compute } from '../compute.ts';
import { nodeOf } from '../input/schema.ts';
import { shareBlobs } from '../input.ts';
import type { Solver } from '../solver.ts';
import { readShift, type SentShift, type Shifted, shiftedBody } from './inputs.ts';

export interface ShiftInput extends TargetFields {
  readonly shift: Readonly<Record<string, SentShift>>;
}

/** A shift that was read: both sides as points of one composition, the base first. */
export interface Problem {
  readonly solver: Solver;
  readonly base: Point;
  readonly points: readonly Point[];
  readonly shifts: readonly Shifted[];
  /** Numerical choices of the base that the shifted side was given. */
  readonly shared: readonly string[];
  readonly composition: Composition;
  readonly request: ShiftInput;
}

const names: PointNames = {
  of: 'shift',
  count: 2,
  details: (point) => ({ side: point === 0 ? 'base' : 'shifted' }),
  words: (point) => (point === 0 ? 'base' : 'shifted'),
};

/** Where a request keeps what was read from it. */
const known = Symbol('shift');
type Known = ShiftInput & { [known]?: Problem };

export function problemOf(solverOf: SolverOf, request: Known): Problem {
  request[known] ??= readProblem(solverOf, request);
  return request[known];
}

/** The canonical request, which knows what was read. */
export function canonical(solverOf: SolverOf, request: ShiftInput): ShiftInput {
  const problem = problemOf(solverOf, request);
  const made: Known = problem.request;
  made[known] = problem;
  return made;
}

function readProblem(solverOf: SolverOf, request: ShiftInput): Problem {
  const target = readTarget(solverOf, 'shift', request);
  const entries = Object.entries(request.shift);
  if (entries.length === 0)
    refuse('MISSING_INPUT', 'shift names no input.', {
      field: 'shift',
      accepts: 'input name: δ, one or more',
    });
  const base = readBase(target);
  const shifts = entries.map(([name, sent]) => readShift(target, base, name, sent));
  const twice = shifts.findIndex(
    ({ path }, i) => shifts.findIndex((other) => `${other.path}` === `${path}`) !== i,
  );
  if (twice >= 0)
    refuse(
      'INVALID_INPUT',
      `shift.${printableWord(shifts[twice]!.name)} is an input that is shifted already.`,
      {
        field: `shift.${printableWord(shifts[twice]!.name)}`,
        accepts: 'each input once',
      },
    );
  const { point, shared } = readShifted(target, base, shifts);
  const points = [base, point];
  const composition = new Composition(target.solver, points, names);
  return {
    solver: target.solver,
    ...{ base, points, shifts, shared, composition },
    request: canonicalOf(request, target, base, shifts),
  };
}

function readBase(target: Target): Point {
  try {
    return readPoint(target, target.body);
  } catch (error) {
    throw error instanceof Refusal ? withField(error, target) : error;
  }
}

/**
 * The other side, with the seed of the base and, where it can be said in a request, its grid: numerical choices that
 * the base left open and lists as assumed. One that does not fit there is left to the solver again, and so is one that
 * it would make by more than a factor of two otherwise: then the change is no small one, and errors need not cancel.
 */
function readShifted(
  target: Target,
  base: Point,
  shifts: readonly Shifted[],
): { point: Point; shared: readonly string[] } {
  const body = shiftedBody(base, shifts);
  const alone = attempt(target, body, base);
  if (alone instanceof Refusal) {
    const refusal = withField(alone, target);
    throw refusalOfPoints([{ point: 1, refusal }], names);
  }
  let [point, given] = [alone, body];
  const shared: string[] = [];
  for (const [name, value] of nearChoices(target, base, alone)) {
    const sameGrid = { ...given, [name]: value };
    const tried = attempt(target, sameGrid, base);
    if (tried instanceof Refusal) continue;
    [point, given] = [tried, sameGrid];
    shared.push(name);
  }
  return { point, shared };
}

function attempt(target: Target, body: Record<string, unknown>, base: Point): Point | Refusal {
  try {
    const point = { ...readPoint(target, body), context: base.context };
    target.solver.quote(point.input, point.context);
    return point;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

interface Choice {
  readonly name: string;
  readonly value: number;
  readonly unit: string | undefined;
}

/** What the base chose, where the other side alone would choose something near. */
function nearChoices(target: Target, base: Point, alone: Point): [name: string, value: unknown][] {
  const others = new Map(choicesOf(target, alone).map(({ name, value }) => [name, value]));
  return choicesOf(target, base).flatMap(({ name, value, unit }): [string, unknown][] => {
    const ratio = (others.get(name) ?? value) / value;
    if (!(ratio >= 0.5 && ratio <= 2)) return [];
    return [[name, unit === undefined || unit === '1' ? value : { value, unit }]];
  });
}

/** Fields of the solver's schema that a request left to it, with what it chose. */
function choicesOf({ solver }: Target, { input, request }: Point): Choice[] {
  const fields = nodeOf(solver.input).properties ?? {};
  return solver.assumed(input).flatMap(({ name, value, unit, because }): Choice[] => {
    const isOpen = Object.hasOwn(fields, name) && request[name] === undefined;
    const isChoice = isOpen && because.startsWith('numerical choice') && typeof value === 'number';
    return isChoice ? [{ name, value, unit }] : [];
  });
}

function canonicalOf(
  request: ShiftInput,
  { solver, ofOperators }: Target,
  base: Point,
  shifts: readonly Shifted[],
): ShiftInput {
  const isClosed = solver.id === compute.id;
  const shift = Object.fromEntries(
    shifts.map(({ name, path, canonical: delta }): [string, SentShift] => [
      isClosed ? path.slice(ofOperators ? 1 : 0).join('.') : name,
      delta,
    ]),
  );
  if (ofOperators) {
    const { operators, inputs } = base.request as ComputeInput;
    return { operators: operators!, inputs, shift };
  }
  shareBlobs(request.inputs, base.request);
  return { solver: solver.id, inputs: base.request, shift };
}

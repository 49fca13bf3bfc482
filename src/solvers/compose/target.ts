import { sha256 } from '#crypto';
import { printableWord } from '../../errors/printable.ts';
import { isTaken, Refusal, refuse } from '../../errors/refusal.ts';
import { canonicalBytes } from '../../proof/canonical.ts';
import { readNested } from '../input.ts';
import type { Example, PlanContext, Solver } from '../solver.ts';
import { type Path, pathOf } from './path.ts';

/** How a composed solver finds the others; handed in, because the registry imports it. @throws NOT_FOUND */
export type SolverOf = (id: string) => Solver;

/** The fields that name what is evaluated. */
export interface TargetFields {
  readonly operators?: readonly string[];
  readonly solver?: string;
  readonly inputs: Record<string, unknown>;
}

/** A solver and its request as far as it is fixed. */
export interface Target {
  readonly solver: Solver;
  readonly body: Record<string, unknown>;
  /** What stands in the request of the composed solver; blobs that come with it may be named in `body`. */
  readonly sent: Record<string, unknown>;
  /** Where the names of inputs begin in `body`. */
  readonly prefix: Path;
  /** Where `body` or its inputs stand in the composed request. */
  readonly ofOperators: boolean;
}

/** One job of the target: its input as the pipeline would read it, its canonical request and that one's hash. */
export interface Point {
  readonly input: unknown;
  readonly request: Record<string, unknown>;
  readonly context: PlanContext;
}

/** @throws Refusal INVALID_INPUT for none or two targets, UNSUPPORTED for a target that is itself composed */
export function readTarget(solverOf: SolverOf, self: string, fields: TargetFields): Target {
  const { operators, solver: id, inputs } = fields;
  if ((operators === undefined) === (id === undefined)) {
    const both = operators !== undefined;
    refuse(
      both ? 'INVALID_INPUT' : 'MISSING_INPUT',
      `${self} takes ${both ? 'one of operators and solver, not both' : 'operators or a solver, and has neither'}.`,
      { field: both ? 'solver' : 'operators', accepts: 'operators or solver' },
    );
  }
  if (operators !== undefined) {
    const body = { operators, inputs };
    return { solver: solverOf('compute'), body, sent: inputs, prefix: ['inputs'], ofOperators: true };
  }
  const solver = namedSolver(solverOf, id!);
  if (solver.refusal) {
    refuse('UNSUPPORTED', `${solver.id} is made of other jobs itself; ${self} takes a solver that is not.`, {
      field: 'solver',
      accepts: 'a solver that is not composed',
    });
  }
  return { solver, body: inputs, sent: inputs, prefix: [], ofOperators: false };
}

/** A solver that is not there is a wrong input here, and no missing page. */
function namedSolver(solverOf: SolverOf, id: string): Solver {
  try {
    return solverOf(id);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error;
    throw new Refusal('INVALID_INPUT', `solver: ${error.message}`, { ...error.details, field: 'solver' });
  }
}

/** The place of an input in the body of the target, by the name that the request gives it. */
export function inputPath({ prefix, ofOperators }: Target, name: string, field: string): Path {
  const path = ofOperators ? [name] : pathOf(name);
  if (path === undefined || name === '__proto__')
    refuse('INVALID_INPUT', `${field} ${printableWord(name)} is no input.`, {
      field,
      accepts: 'the name of an input, or a path such as inputs.m',
    });
  return [...prefix, ...path];
}

/** Reads a body of the target as if it had been asked alone. @throws the target's Refusals */
export function readPoint({ solver, sent }: Target, body: Record<string, unknown>): Point {
  const read = readNested(solver.input, body, sent);
  const input: unknown = solver.canonical?.(read.input) ?? read.input;
  const request = solver.canonical ? (input as Record<string, unknown>) : read.request;
  return { input, request, context: { requestHash: sha256(canonicalBytes(request)) } };
}

/** A refusal of the target with its field as the composed request spells it. */
export function withField(refusal: Refusal, { ofOperators }: Target): Refusal {
  const { field } = refusal.details;
  if (ofOperators || typeof field !== 'string') return refusal;
  const details = { ...refusal.details, field: field ? `inputs.${field}` : 'inputs' };
  return new Refusal(refusal.code, refusal.message, details);
}

/** Examples whose target this build has. */
export function examplesHere(solverOf: SolverOf, examples: readonly Example[]): Example[] {
  return examples.filter(({ body: { solver } }) => {
    return solver === undefined || isTaken(() => solverOf(String(solver)));
  });
}

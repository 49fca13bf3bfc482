import type { FinishedRun, Round } from '../proof/job.ts';
import { examplesHere, type SolverOf } from './compose/target.ts';
import { examples } from './lattice/examples.ts';
import { outputs, outputsOver } from './lattice/outputs.ts';
import { present } from './lattice/present.ts';
import { canonical, type Problem, problemOf } from './lattice/problem.ts';
import { type LatticeInput, schema } from './lattice/schema.ts';
import { verdictQuote, verdictRun } from './lattice/verdict.ts';
import { expectedWork } from './quote.ts';
import type { Assumption, GateDeclaration, Quote, Solver } from './solver.ts';

/** Ceilings of both, so that the job is held as a whole. */
function quoteOf(problem: Problem): Quote {
  const [points, verdict] = [problem.evaluation.quote(), verdictQuote(problem)];
  return {
    work: points.work + verdict.work,
    expected: expectedWork(points) + verdict.work,
    ...(points.ceiling !== undefined && { ceiling: points.ceiling }),
    exact: points.exact && verdict.exact,
    memory: Math.max(points.memory, verdict.memory),
  };
}

function roundAfter(problem: Problem, finished: readonly FinishedRun[]): Round {
  return problem.evaluation.next(finished) ?? { runs: [verdictRun(problem, finished)], verdict: true };
}

function assumedOf({ evaluation, request }: Problem): Assumption[] {
  const linear = request.axes.some(({ start, scale }) => start !== undefined && scale === undefined);
  const spacing = {
    name: 'scale',
    value: 'lin',
    because: 'numerical choice: equal steps from start to stop',
  };
  return [...evaluation.assumed, ...(linear ? [spacing] : [])];
}

const ofPoints = (kind: string, bound: string): GateDeclaration => ({
  name: `points, ${kind}`,
  quantity: `worst ${kind} gate of all points, ${bound}`,
  source: 'that point’s own verdict, whose rows are held again',
});
const kinds = ['exact', 'invariant', 'certificate', 'twin', 'estimate'];

/** The worst rows of other verdicts by class (assembly/lattice/held.ts), in that order. */
export const heldGates: readonly GateDeclaration[] = [
  ...kinds.map((kind) => ofPoints(kind, 'relative')),
  ...kinds.map((kind) => ofPoints(`${kind} ratio`, 'as a ratio or in standard errors')),
  ofPoints('count', 'a count that may not differ'),
];

/** Index of the gate ‘reduction’. Extremes and single points are as good as their points. */
const REDUCTION = heldGates.length;
const CANCELS = {
  field: 'reduce',
  reason: 'the values of the points cancel in their sum as far as they are known',
  accepts: 'max, min or at; or axes over which they do not cancel',
};

/**
 * One operator, equation or solver on a Cartesian grid of its inputs. In: the target as it would be asked alone, less
 * the swept inputs; 1 to 6 axes. Out: a reduction of the values, all values with their precision, and the root of a
 * tree over them. Refuses with the target's own codes, and then names the points; a job of which one point fails is
 * neither sealed nor charged. `solverOf` finds the target.
 */
export const latticeOver = (solverOf: SolverOf): Solver<LatticeInput> => {
  const problem = (input: LatticeInput) => problemOf(solverOf, input);
  return {
    id: 'lattice',
    title: 'A solver on a grid of inputs',
    summary:
      'Evaluates operators, an equation or any solver at every point of a Cartesian grid of inputs; each point passes its own gates, ' +
      'and a Merkle tree binds index, coordinates and value of each.',
    equation:
      'f(x_i, y_j, \\dots),\\quad \\text{leaf}=H(0\\,\\|\\,\\text{index}\\,\\|\\,x_i\\,\\|\\,y_j\\,\\|\\cdots\\|\\,f)',
    references: [
      'RFC 6962, 2.1 (Merkle tree), RFC 9162, 2.1.3 (inclusion proofs)',
      'FIPS 180-4, 6.2 (SHA-256)',
      'N. J. Higham, SIAM J. Sci. Comput. 14 (1993) 783 (sums by pairs)',
    ],
    input: schema,
    gates: [
      ...heldGates,
      {
        name: 'reduction',
        quantity: 'the value, by the farther end of its bracket',
        source: 'precisionActual·|f| of every point, carried through the reduction',
      },
      {
        name: 'second evaluation',
        quantity: 'the value at every point of an operator or equation',
        source: 'the same expression in double, by other code, at the coordinates of the point',
      },
    ],
    field: true,
    outputs,
    outputsOf: (input) => outputsOver(problem(input)),
    canonical: (input) => canonical(solverOf, input),
    operators: (input) => problem(input).evaluation.operators,
    unit: (input) => problem(input).evaluation.unit,
    assumed: (input) => assumedOf(problem(input)),
    quote: (input) => quoteOf(problem(input)),
    plan: (input) => roundAfter(problem(input), []),
    next: (input, finished) => roundAfter(problem(input), finished),
    present: (input, verdict, finished) => present(problem(input), verdict, finished),
    refusal: (input, finished, first) => problem(input).evaluation.refusal(finished, first),
    refusalDetails: (_, status, [gate]) => (status === 18 && gate === REDUCTION ? CANCELS : {}),
    get examples() {
      return examplesHere(solverOf, examples);
    },
  };
};

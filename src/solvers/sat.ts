import { checkNewEnd } from './continuation.ts';
import { endsOf, nextCount, planCount, presentCount, quoteCount } from './sat/count.ts';
import {
  conflictsOf,
  cubeVariables,
  nextDecide,
  planDecide,
  presentDecide,
  quoteDecide,
} from './sat/decide.ts';
import { readFormula, type SatInput, schema } from './sat/formula.ts';
import { outputs } from './sat/outputs.ts';
import type { Assumption, Continuation, Example, Solver } from './solver.ts';

const isCount = ({ mode }: SatInput) => mode === 'count';
const budgetOf = (input: SatInput) => (isCount(input) ? endsOf(input) : conflictsOf(input));

function assumed(input: SatInput): Assumption[] {
  const choices: Assumption[] = [];
  if (input.conflictBudget === undefined)
    choices.push({
      name: 'conflictBudget',
      value: budgetOf(input),
      because: 'numerical choice: the most before DID_NOT_CONVERGE',
    });
  const formula = readFormula(input);
  if (input.clauses !== undefined && input.variables === undefined)
    choices.push({ name: 'variables', value: formula.variables, because: 'the largest literal' });
  if (!isCount(input))
    choices.push({
      name: 'cubes',
      value: 2 ** cubeVariables(formula).length,
      because: 'numerical choice: by the number of variables',
    });
  return choices;
}

/**
 * A search ends by its conflicts, or earlier by the work that they are given, or by the room for its proof, which is the
 * same whatever the budget.
 */
function spentDetails(input: SatInput, conflicts: number, isRoomFilled: boolean): Record<string, unknown> {
  const budget = budgetOf(input);
  const unit = isCount(input) ? 'conflicts and leaves' : 'conflicts';
  const details = { conflictBudget: budget, conflicts };
  const said = (why: string, accepts: string) => ({
    message: `sat: ${conflicts} ${unit} gave no answer, and ${why}; accepted: ${accepts}.`,
    ...details,
    accepts,
  });
  if (isRoomFilled) {
    const field = input.clauses === undefined ? 'dimacs' : 'clauses';
    const accepts = 'a formula that is decided sooner: a larger conflictBudget has no more room';
    return { ...said('the room for the proof is filled', accepts), field };
  }
  const spent =
    conflicts >= budget
      ? `the budget of ${budget} is spent`
      : input.conflictBudget === undefined
        ? 'the work is spent that a request without conflictBudget may take'
        : `the work is spent that conflictBudget ${budget} has`;
  const accepts = `conflictBudget above ${budget}, with which the work grows`;
  return { ...said(spent, accepts), field: 'conflictBudget' };
}

/** The search depends on nothing but the formula, so that a larger budget goes through the same conflicts. */
const continuation: Continuation<SatInput> = {
  end: () => 'conflictBudget',
  start: [],
  results: [],
  join(sent, { first }) {
    checkNewEnd('conflictBudget', {
      start: 0,
      before: budgetOf(first),
      end: sent.conflictBudget ?? budgetOf(sent),
    });
    return { ...first, conflictBudget: sent.conflictBudget! };
  },
};

/** No three of 1 … n in one class of two that are equally far apart, one variable a number. */
function vanDerWaerden(n: number): number[][] {
  const clauses: number[][] = [];
  for (const sign of [1, -1])
    for (let d = 1; 2 * d < n; d++)
      for (let a = 1; a + 2 * d <= n; a++) clauses.push([sign * a, sign * (a + d), sign * (a + 2 * d)]);
  return clauses;
}

const dimacs = (n: number, clauses: readonly (readonly number[])[]) =>
  `p cnf ${n} ${clauses.length}\n${clauses.map((clause) => `${clause.join(' ')} 0\n`).join('')}`;

const examples: Example[] = [
  {
    title: 'van der Waerden W(3,3) > 8: models',
    body: { mode: 'count', clauses: vanDerWaerden(8) },
    expect: { value: 6, unit: '1' },
    tolerance: 0,
    source: 'van der Waerden numbers: 6 colourings of 8',
  },
  {
    title: 'W(3,3) ≤ 9: unsatisfiable',
    body: { mode: 'decide', dimacs: dimacs(9, vanDerWaerden(9)), conflictBudget: 10000 },
    expect: { value: 0, unit: '1' },
    tolerance: 0,
    source: 'W(3,3) = 9 (van der Waerden)',
  },
];

/**
 * Satisfiability of a formula in conjunctive normal form with a model or a checked proof, and the number of its models.
 * In: DIMACS text or lists of literals. Out: 1 or 0, or the count, exact.
 */
export const sat: Solver<SatInput> = {
  id: 'sat',
  title: 'Satisfiability',
  summary:
    'Decides a formula by conflict-driven clause learning over cubes, with a model, or with an LRAT proof that a checker ' +
    'of its own accepts; or counts its models, against all assignments, or against a second order of search and a check of the whole tree.',
  equation: String.raw`\exists x\in\{0,1\}^n:\ \bigwedge_c\bigvee_{\ell\in c}\ell(x)`,
  references: [
    'Biere, Heule, van Maaren & Walsh, Handbook of Satisfiability, 2021, ch. 4 (conflict-driven clause learning)',
    'Moskewicz et al., DAC 2001 (watched literals, VSIDS)',
    'Sörensson & Biere, SAT 2009 (minimization of learnt clauses)',
    'Audemard & Simon, IJCAI 2009 (glue)',
    'Luby, Sinclair & Zuckerman, Inf. Process. Lett. 47 (1993) 173 (restarts)',
    'Cruz-Filipe et al., CADE 2017 (LRAT)',
    'Fichte, Hecher & Roland, SAT 2022 (proofs of counts)',
    'Davis, Logemann & Loveland, Commun. ACM 5 (1962) 394 (count)',
  ],
  input: schema,
  gates: [
    { name: 'model', quantity: 'clauses that are true', source: 'the formula' },
    { name: 'proof', quantity: 'cubes with an accepted proof', source: 'LRAT checker' },
    { name: 'models', quantity: 'value', source: 'all assignments, or a second order of variables' },
    { name: 'tree', quantity: 'value', source: 'models of the tree of the search, end by end' },
  ],
  field: false,
  outputs,
  unit: () => '1',
  assumed,
  quote: (input) => (isCount(input) ? quoteCount(input) : quoteDecide(input)),
  plan: (input) => (isCount(input) ? planCount(input) : planDecide(input)),
  next: (input, finished) => (isCount(input) ? nextCount(input, finished) : nextDecide(input, finished)),
  present: (input, verdict, finished) =>
    isCount(input) ? presentCount(input, verdict) : presentDecide(input, verdict, finished),
  refusalDetails: (input, status, observed) => {
    const first = isCount(input) ? 1 : 0;
    if (status === 17) return spentDetails(input, observed[first]!, observed[first + 1] === 1);
    if (status === 22 && isCount(input))
      return {
        message: 'sat: there are more than 2^53 models, which no double holds exactly.',
        field: 'mode',
        bound: 2 ** 53,
        accepts: 'mode decide',
      };
    return status === 22 ? { field: 'clauses', accepts: 'a formula with smaller clauses' } : {};
  },
  continuation,
  examples,
};

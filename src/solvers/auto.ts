import { Type } from 'typebox';
import type { FinishedRun } from '../proof/job.ts';
import { Binder, type Bound } from './auto/bind.ts';
import { discrete } from './auto/discrete.ts';
import { dynamics } from './auto/dynamics.ts';
import { byName, elsewhere } from './auto/elsewhere.ts';
import { fields } from './auto/fields.ts';
import { answersOf, inputPaths, listPaths } from './auto/paths.ts';
import { placeAll } from './auto/place.ts';
import { Router } from './auto/route.ts';
import { solids } from './auto/solids.ts';
import type { Target } from './auto/target.ts';
import { plainText, quantitiesOf, wordsOf } from './auto/text.ts';
import { theory } from './auto/theory.ts';
import { readInput, record } from './input.ts';
import { type Outputs, outputsFor } from './outputs.ts';
import { refusalOfRun } from './refused-run.ts';
import type { Solver } from './solver.ts';

export interface AutoInput {
  readonly query: string;
  readonly constants?: Readonly<Record<string, unknown>>;
}

/** What a question comes to: a request to a solver, and from which words it was made. */
export interface Understood {
  readonly solver: Solver;
  readonly request: Record<string, unknown>;
  /** The request as the solver's schema reads it. */
  readonly input: unknown;
  readonly phrases: readonly string[];
  readonly bound: readonly Bound[];
}

const quantityOrNumber = Type.Unsafe<unknown>({
  anyOf: [
    Type.Number({ unit: 'any', description: 'In the unit that is named, or in the one of the input.' }),
    Type.Array(Type.Number()),
  ],
});

const schema = record({
  query: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'The question, in words with numbers and units.',
  }),
  constants: Type.Optional(
    Type.Record(Type.String({ pattern: '^.{1,40}$' }), quantityOrNumber, {
      description: 'Symbol → value: what the text leaves open. A conflict with the text is refused.',
    }),
  ),
});

/** The solvers that a node has; rules for others are not heard. */
export interface SolversThere {
  readonly solverOf: (id: string) => Solver;
  readonly all: () => readonly Solver[];
}

/** Hears of every solver: of one for which nothing is written, its id and its title. */
function routerOver(solvers: readonly Solver[]): Router {
  const ids = new Set(solvers.map(({ id }) => id));
  const there = ({ id }: Target) => ids.delete(id);
  const written = [targets.filter(there), elsewhere.filter(there)] as const;
  const named = solvers.filter(({ id }) => id !== 'auto' && ids.has(id)).map(byName);
  return new Router(written[0], [...written[1], ...named]);
}

/** All that rules exist for. */
export const targets = [...dynamics, ...discrete, ...fields, ...solids, ...theory];

/** What a text and its constants say, before the target has read it. Throws as `understandBy` does. */
export function heard(
  { query, constants = {} }: AutoInput,
  router: Router,
  solverOf: (id: string) => Solver,
): Omit<Understood, 'input'> {
  const text = plainText(query);
  const words = wordsOf(text);
  const { target, phrases } = router.route(words);
  const solver = solverOf(target.id);
  const paths = inputPaths(solver.input);
  const binder = new Binder(target, text, listPaths(solver.input));
  binder.readWords();
  binder.readNumbers(quantitiesOf(text), (path) => paths.get(path));
  binder.readConstants(constants, [...paths.keys()]);
  binder.readSame();
  binder.readRatios((path) => paths.get(path));
  binder.refuseUnused();
  placeAll(target, text, words, binder.placed, answersOf(solver.input));
  const { body: request, bound } = binder.binding();
  return { solver, request, phrases, bound };
}

/**
 * Understands questions for the solvers that are there. Throws NO_ROUTE · AMBIGUOUS_QUERY · INVALID_INPUT, and
 * what the target says of its request.
 */
export function understandBy({ solverOf, all }: SolversThere): (input: AutoInput) => Understood {
  let router: Router | undefined;
  const known = new WeakMap<AutoInput, Understood>();
  return (input) => {
    const before = known.get(input);
    if (before) return before;
    router ??= routerOver(all());
    const said = heard(input, router, solverOf);
    const read = readInput(said.solver.input, said.request).input;
    const understood = { ...said, input: said.solver.canonical?.(read) ?? read };
    known.set(input, understood);
    return understood;
  };
}

const outputs: Outputs = {
  route: [null, 'The solver that was asked; what its answer shows stands beside.'],
  understood: [null, 'Which input came from which words.'],
  phrases: [null, 'The words that named the solver.'],
  bound: [null, 'The inputs, with their words.'],
  asked: [null, 'The request as that solver got it, which says its units.'],
};

/** A plain number that was asked is in the unit of the solver's schema; one with a unit names it. */
const askedUnits = ({ input }: Solver): Outputs =>
  Object.fromEntries(
    [...inputPaths(input)].map(([path, unit = '1']) => {
      const [first] = unit.split(' or ');
      return [`asked.${path}`, [() => (first === 'any' ? null : first!), 'A number of the request.']];
    }),
  );

/** Which input came from which words, to be read. */
const inWords = (bound: readonly Bound[]): string =>
  bound.map(({ field, text }) => `${field} ← ${text}`).join('; ');

/** Fixed rules over the solvers that are there; no model of language, no guess. */
export function autoOf(there: SolversThere): Solver<AutoInput> {
  const understand = understandBy(there);

  const forward =
    <Rest extends unknown[], R>(act: (of: Understood, ...rest: Rest) => R) =>
    (input: AutoInput, ...rest: Rest): R =>
      act(understand(input), ...rest);

  return {
    id: 'auto',
    title: 'A question in words',
    summary:
      'Reads a question by fixed rules, says which solver it asks, which inputs it took from which words and what is missing, and answers as that solver does. It never guesses an input, and refuses a question of which a word or an input would be left out.',
    equation: String.raw`\text{words} \mapsto \text{solver},\ \text{inputs}`,
    references: ['Lexicon, unit table and rules of this release (src/solvers/auto); no model of language'],
    input: schema,
    gates: [],
    gatesOf: forward(({ solver, input }) => solver.gatesOf?.(input) ?? solver.gates),
    field: true,
    outputs,
    outputsOf: forward(({ solver, input }) => ({
      ...outputs,
      ...askedUnits(solver),
      ...outputsFor(solver, input),
    })),
    unit: forward(({ solver, input }) => solver.unit(input)),
    operators: forward(({ solver, input }) => solver.operators?.(input) ?? []),
    assumed: forward(({ solver, input }) => solver.assumed(input)),
    quote: forward(({ solver, input }, context) => solver.quote(input, context)),
    plan: forward(({ solver, input }, context) => solver.plan(input, context)),
    next: forward(({ solver, input }, finished, context) => solver.next(input, finished, context)),
    present: forward(({ solver, input, request, phrases, bound }, verdict, finished) => {
      const presentation = solver.present(input, verdict, finished);
      return {
        ...presentation,
        outputs: {
          route: solver.id,
          understood: inWords(bound),
          phrases,
          bound,
          asked: request,
          ...presentation.outputs,
        },
      };
    }),
    refusal: forward(({ solver, input }, finished: readonly FinishedRun[], first: number) => {
      const said = solver.refusal?.(input, finished, first);
      const failed = finished.slice(first).find(({ status }) => status >= 16);
      return said ?? (failed && refusalOfRun(solver, input, failed));
    }),
    examples: [
      {
        title: 'a zero of zeta',
        body: { query: 'first zero of the Riemann zeta function' },
        expect: { route: 'zeta', value: 14.1347251417347, unit: '1' },
        tolerance: 1e-3,
        source: 'Odlyzko, Tables of zeros of the Riemann zeta function',
      },
      {
        title: 'an option',
        body: { query: 'Black-Scholes call S=100 K=100 r=5% sigma=20% T=1 year' },
        expect: { route: 'quant', value: 10.4505835721856, unit: 'currency' },
        tolerance: 1e-3,
        source: 'Black & Scholes 1973, eq. 13',
      },
      {
        title: 'an epidemic',
        body: {
          query:
            'SIR epidemic with N=763, S0=762, I0=1, beta=1.66 per day, gamma=0.44 per day over 60 days: how many are infected in total?',
        },
        expect: { route: 'epi', value: 743.731018538167, unit: '1' },
        tolerance: 1e-3,
        source: 'final size N − S∞ of the boarding school of 1978 (Murray, Mathematical Biology I, 10.2)',
      },
      {
        title: 'a power flow',
        body: { query: 'AC power flow of the IEEE 14-bus network: total losses' },
        expect: { route: 'grid', value: 13.393272, unit: 'MW' },
        tolerance: 1e-3,
        source: 'case14 of the UW archive, solved by Newton–Raphson',
      },
      {
        title: 'a climate, with constants',
        body: {
          query: 'steady temperature of a zero-dimensional climate',
          constants: { S0: 1361, albedo: 0.3, emissivity: 1 },
        },
        expect: { route: 'climate', value: 254.57814, unit: 'K' },
        tolerance: 1e-3,
        source: '(S(1 − α)/4σ)^¼',
      },
    ],
  };
}

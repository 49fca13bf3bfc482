import { examples } from './opt/examples.ts';
import { outputs } from './opt/outputs.ts';
import { type OptInput, schema } from './opt/problem.ts';
import { nextProgramme, planProgramme, presentProgramme, quoteProgramme } from './opt/programme.ts';
import { nextSmooth, planSmooth, presentSmooth, quoteSmooth, STARTS, seedOf } from './opt/smooth.ts';
import type { Assumption, PlanContext, Solver } from './solver.ts';

const isProgramme = ({ mode }: OptInput) => mode === 'lp' || mode === 'qp';

function assumed(input: OptInput, context?: PlanContext): Assumption[] {
  if (isProgramme(input)) return assumedOfProgramme(input);
  const choices: Assumption[] = [
    { name: 'starts', value: STARTS, because: 'numerical choice: x0, and others drawn about it' },
  ];
  if (input.function === 'mccormick')
    choices.push({
      name: 'bounds',
      value: [
        [-1.5, 4],
        [-3, 4],
      ],
      because: 'definition: without its box the function falls for ever',
    });
  if (input.mode === 'nls' && input.data?.weight === undefined)
    choices.push({ name: 'data.weight', value: 1, because: 'convention: all points alike' });
  if (input.seed === undefined) {
    const value = context ? String(seedOf(input, context)) : 'first 8 bytes of requestHash';
    choices.push({ name: 'seed', value, because: 'numerical choice: derived from the request' });
  }
  return choices;
}

function assumedOfProgramme(input: OptInput): Assumption[] {
  const choices: Assumption[] = [];
  if (input.mode === 'lp' && input.sense === undefined)
    choices.push({ name: 'sense', value: 'min', because: 'the sense if none is named' });
  if (input.constant === undefined)
    choices.push({ name: 'constant', value: 0, because: 'not in the equation' });
  for (const name of ['A', 'E', 'lower', 'upper'] as const)
    if (input[name] === undefined) choices.push({ name, value: 'none', because: 'not in the equation' });
  return choices;
}

const LIKE_SIZES = 'variables and rows in units in which their numbers are of like size';

/** What the kernels show when they refuse: see the heads of assembly/verdicts/opt.ts and opt-newton.ts. */
function refusalDetails(input: OptInput, status: number, observed: readonly number[]) {
  const { mode } = input;
  const [what, margin, count = 0] = observed;
  const shown = observed.slice(3, 3 + Math.min(count, 12));
  if (status === 17)
    return { accepts: isProgramme(input) ? LIKE_SIZES : 'a problem that is better scaled, or another x0' };
  if (status !== 20) return {};
  if (what === 1)
    return {
      message: 'opt: no x fulfils all rows and bounds; Farkas’ multipliers of the rows prove it.',
      field: 'A',
      certificate: { kind: 'Farkas', margin, rows: count, multipliers: shown },
      accepts: 'rows and bounds that some x fulfils',
    };
  if (what === 2)
    return {
      message: 'opt: the objective is unbounded along a ray that no row or bound stops.',
      field: mode === 'lp' ? 'c' : 'g',
      certificate: { kind: 'ray', slope: margin, variables: count, direction: shown },
      accepts: 'rows or bounds that stop it',
    };
  if (what === 3)
    return {
      message: 'opt: H is not positive semidefinite.',
      field: 'H',
      smallestPivot: margin,
      accepts: 'a positive semidefinite matrix',
    };
  return {
    message: 'opt: the objective falls without an end.',
    field: mode === 'nls' ? 'model' : 'polynomial',
    fellTo: margin,
    at: shown,
    accepts: 'an objective that is bounded below, or bounds',
  };
}

/**
 * Linear and quadratic programmes with a certificate of duality, minima of smooth functions, least squares. In: pure
 * numbers. Out: the least (or largest) value of the objective, and where it is.
 */
export const opt: Solver<OptInput> = {
  id: 'opt',
  title: 'Optimization',
  summary:
    'Solves linear programmes by the bounded dual simplex method, convex quadratic ones by that of Goldfarb and Idnani, ' +
    'both judged by the duality gap recomputed from the request; minimizes smooth functions and fits models by Newton’s ' +
    'method in a trust region from eight starts, judged by independent derivatives.',
  equation: String.raw`\min\ \tfrac12x^\top Hx+c^\top x,\ Ax\le b,\ Ex=d,\ l\le x\le u;\quad \min f(x)`,
  references: [
    'Koberstein, The dual simplex method, thesis, Paderborn 2005 (bounded dual simplex, phase 1)',
    'Forrest & Tomlin, Math. Program. 2 (1972) 263; Forrest & Goldfarb, Math. Program. 57 (1992) 341 (factors, steepest edges)',
    'Bland, Math. Oper. Res. 2 (1977) 103 (no cycling)',
    'Goldfarb & Idnani, Math. Programming 27 (1983) 1 (quadratic programmes)',
    'Rockafellar, SIAM J. Control Optim. 14 (1976) 877 (semidefinite H)',
    'Boyd & Vandenberghe, Convex Optimization, §5.2, 5.8 (dual bound, certificates of infeasibility)',
    'Nocedal & Wright, Numerical Optimization, §4, 10.3 (trust region, Levenberg–Marquardt)',
    'Fike & Alonso, AIAA 2011-886 (hyper-dual numbers, by which minima are judged)',
  ],
  input: schema,
  gates: [
    { name: 'feasibility', quantity: 'largest violation of a row or bound', source: 'the request' },
    { name: 'multipliers', quantity: 'largest multiplier of the wrong sign', source: 'the request' },
    { name: 'complementarity', quantity: 'largest multiplier × slack', source: 'the request' },
    { name: 'duality gap', quantity: 'value', source: 'dual bound from the request' },
    { name: 'gradient', quantity: 'Σ|x ∂f|', source: 'hyper-dual numbers' },
    { name: 'second derivatives', quantity: 'smallest pivot', source: 'hyper-dual numbers' },
    { name: 'promised gain', quantity: 'gain of Newton’s next step', source: 'hyper-dual numbers' },
    { name: 'value', quantity: 'f(x)', source: 'the objective once more' },
    { name: 'known minimum', quantity: 'f(x)', source: 'closed form' },
  ],
  field: true,
  outputs,
  unit: () => '1',
  assumed,
  quote: (input) => (isProgramme(input) ? quoteProgramme(input) : quoteSmooth(input)),
  plan: (input, context) => (isProgramme(input) ? planProgramme(input) : planSmooth(input, context)),
  next: (input, finished) =>
    isProgramme(input) ? nextProgramme(input, finished) : nextSmooth(input, finished),
  present: (input, verdict, finished) =>
    (isProgramme(input) ? presentProgramme : presentSmooth)(input, verdict, finished),
  refusalDetails,
  examples,
};

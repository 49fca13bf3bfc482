import { examples } from '../../src/solvers/opt/examples.ts';
import { afiro } from '../../test/solvers/afiro.ts';
import { pigeonhole, random3 } from '../../test/solvers/formulas.ts';
import { scattered, stairs } from '../../test/solvers/programmes.ts';
import { besidePython, type Case } from '../beside-python.ts';
import { type Figure, quick } from '../figure.ts';
import { sp7Lattice } from '../sp7-lattice.ts';

const hole = pigeonhole(quick ? 6 : 8, quick ? 5 : 7);
const random = random3(200, 900, 3);
const zero = quick ? 100 : 1000;
const side = quick ? 16 : 64;
const plan = stairs(quick ? 5 : 40);
const blend = scattered(quick ? 60 : 500);

/** PySAT is C++: half of its rate is asked for. */
const native = { atMost: 2 } as const;

/** The body of the example of opt whose title begins so. */
const exampleOf = (title: string) => examples.find((each) => each.title.startsWith(title))!.body as never;
const hs76 = exampleOf('quadratic programme HS76') as { H: object; g: object; A: object; b: object };
const misra = exampleOf('least squares') as { data: { x: object; y: object }; x0: object };

/** A linear programme of sparse rows as bench/python/choices.py takes it. */
const asked = ({ c, A, b, E, d }: Pick<typeof plan, 'c' | 'A' | 'b' | 'E' | 'd'>) => ({
  ...{ c, shape: A.shape, entries: A.entries, b },
  ...{ equal: E.shape[0], entries_equal: E.entries, d },
});
const { c, A, b, upper } = blend;

const cases: readonly Case[] = [
  {
    solver: 'opt',
    what: 'afiro',
    body: afiro,
    peer: 'SciPy linprog, HiGHS',
    ask: ['linear_programme', asked(afiro)],
    truth: -464.75314286,
    within: 1e-8,
  },
  {
    solver: 'opt',
    what: `stairs of ${plan.b.length + plan.d.length} rows and ${plan.c.length} variables`,
    body: plan,
    peer: 'SciPy linprog, HiGHS',
    ask: ['linear_programme', { ...asked(plan), upper: plan.upper }],
    within: 1e-8,
  },
  {
    solver: 'opt',
    what: `scattered, ${A.shape[0]} rows and ${A.shape[1]} variables`,
    body: blend,
    peer: 'SciPy linprog, HiGHS',
    ask: ['linear_programme', { c, shape: A.shape, entries: A.entries, b, upper }],
    within: 1e-8,
  },
  {
    solver: 'opt',
    what: 'quadratic programme HS76',
    body: hs76,
    peer: 'SciPy SLSQP',
    ask: ['quadratic_programme', { H: hs76.H, g: hs76.g, A: hs76.A, b: hs76.b }],
    truth: -103 / 22,
    within: 1e-8,
  },
  {
    solver: 'opt',
    what: 'fit Misra1a from eight starts',
    body: misra,
    peer: 'SciPy curve_fit',
    ask: ['fit', { x: misra.data.x, y: misra.data.y, start: misra.x0, starts: 8 }],
    truth: 0.12455138894,
    within: 1e-8,
  },
  ...(['minisat22', 'cadical153'] as const).map(
    (solver): Case => ({
      solver: 'sat',
      what: `hole${quick ? 5 : 7}, with its proof checked`,
      body: { mode: 'decide', clauses: hole },
      peer: `PySAT ${solver}, without a proof`,
      goal: native,
      ask: ['decided', { clauses: hole, solver }],
      truth: 0,
      within: 0,
    }),
  ),
  {
    solver: 'sat',
    what: 'random 3-SAT, 200 variables, with its proof checked',
    body: { mode: 'decide', clauses: random },
    peer: 'PySAT minisat22, without a proof',
    goal: native,
    ask: ['decided', { clauses: random, solver: 'minisat22' }],
    within: 0,
  },
  {
    solver: 'zeta',
    what: `zero ${zero}`,
    body: { mode: 'zero', n: zero },
    peer: 'mpmath zetazero',
    ask: ['zero', { n: zero }],
    within: 1e-9,
  },
  {
    solver: 'compute',
    what: 'ECHO5 with its units',
    body: {
      operators: ['ECHO5'],
      inputs: { A: { value: 2, unit: 'V' }, t: 0.1, tau: { value: 500, unit: 'ms' }, omega: 10 },
    },
    peer: 'Pint',
    ask: ['decay', { A: 2, t: 0.1, tau: 500, omega: 10 }],
    within: 1e-12,
  },
  {
    solver: 'shift',
    what: 'ECHO5 with its units, a tenth of a second later',
    body: {
      operators: ['ECHO5'],
      inputs: { A: { value: 2, unit: 'V' }, t: 0.1, tau: { value: 500, unit: 'ms' }, omega: 10 },
      shift: { t: 0.1 },
    },
    peer: 'Pint',
    ask: ['shifted_decay', { A: 2, t: 0.1, tau: 500, omega: 10, by: 0.1 }],
    within: 1e-12,
  },
  // A lattice is plain numbers, or these and what binds them, or that and what holds them: each is one's own to choose.
  ...(
    [
      ['NumPy, numbers alone', 'decibels'],
      ['NumPy, and a tree by hashlib', 'bound_decibels'],
      ['NumPy, a tree by hashlib, held in 106 bits by mpmath', 'wide_decibels'],
    ] as const
  ).map(
    ([peer, name]): Case => ({
      solver: 'lattice',
      what: `SP7 at ${side * side} points, each in the tree`,
      body: sp7Lattice(side),
      peer,
      ask: [name, { side }],
      within: 1e-9,
      work: () => side * side,
      unit: 'points/s',
    }),
  ),
];

export const figure: Figure = {
  title:
    'solvers: programmes, formulas, zeros, closed forms → whole jobs/s, against SciPy, PySAT, mpmath, Pint, NumPy',
  run: () => besidePython('choices', cases),
};

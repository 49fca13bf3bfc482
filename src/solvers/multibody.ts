import type { FinishedRun } from '../proof/job.ts';
import { continuesOf, FROM_ITS_START, jobToContinue, WHOLE_STEPS } from './continuation.ts';
import { DIAGNOSTICS, readDiagnostics } from './diagnostics.ts';
import { choice, numbers, optional, points, quantity, ratio, record } from './input.ts';
import { orShorter, shorterStep } from './long-steps.ts';
import { continuation } from './multibody/continuation.ts';
import { examples } from './multibody/examples.ts';
import { asSolve, inputsSchema, presentMasterEquation } from './multibody/master-equation.ts';
import { outputs } from './multibody/outputs.ts';
import { firstRound, places, quote, shapes, verdictRound } from './multibody/plan.ts';
import { defaultTheta, type MultibodyInput, newtonG, readProblem, schemes } from './multibody/problem.ts';
import { solve } from './solve.ts';
import type { Assumption, Field, GateDeclaration, Presentation, Solver, Verdict } from './solver.ts';

/** The bound of the energy drift in per cent (SOLV-25). */
const DRIFT_BOUND_PCT = 0.1;
/** Largest system whose final state stands in the answer itself; larger ones are fields only. */
const MAX_INLINE_BODIES = 1024;

const schema = record({
  position: optional(points('m', 3, 'Position of every body.')),
  velocity: optional(points('m/s', 3, 'Velocity of every body; with position.')),
  mass: optional(numbers('kg', 'Mass of every body, 0 or more.')),
  referenceMode: optional(choice(['gravity'], 'Law of force.')),
  dt: quantity('s', 'Step; for radau15 the first and largest.', { exclusiveMinimum: 0 }),
  t_max: quantity('s', 'Length of the run.', { exclusiveMinimum: 0 }),
  G: optional(
    quantity('m^3/(kg s^2)', 'Gravitational constant; absent: CODATA 2022.', { exclusiveMinimum: 0 }),
  ),
  softening: optional(quantity('m', 'Softening length of the force; absent: no such term.', { minimum: 0 })),
  integrator: optional(choice(schemes, 'Time stepping; absent: pefrl.')),
  force: optional(choice(['direct', 'tree'], 'How the force is summed; absent: direct.')),
  theta: optional(ratio('Opening angle of the tree.', { minimum: 0, maximum: 1 })),
  inputs: optional(inputsSchema),
  initialState: optional(
    record(
      {
        position: optional(points('m', 3, 'Positions.')),
        velocity: optional(points('m/s', 3, 'Velocities.')),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: jobToContinue('t_max', FROM_ITS_START, `${WHOLE_STEPS} (radau15: any)`),
      },
      { description: 'The start, instead of position and velocity.' },
    ),
  ),
});

const ENERGY_AT_END = 10;
/** The energy summed anew, force and potential of the tree. */
const OF_THE_TREE = [5, 6, 7];

/** Behind the gates of `solve`, which a request without positions passes. */
const gates: readonly GateDeclaration[] = [
  ...solve.gates,
  {
    name: 'energy drift',
    quantity: 'max |E(t) − E₀| / max(|E₀|, 0.1 (K₀ + |U₀|)), every step',
    source: 'conservation of energy from the start of the run',
  },
  {
    name: 'Kepler position',
    quantity: 'largest distance of a body from its orbit / separation',
    source: 'exact two-body motion by universal variables (Battin 1999, §4.5)',
  },
  {
    name: 'Kepler velocity',
    quantity: 'largest error of a velocity / max(relative speed, √(μ/r))',
    source: 'exact two-body motion by universal variables (Battin 1999, §4.5)',
  },
  {
    name: 'energy, half step',
    quantity: 'error by |E(h) − E(h/2)| / max(|E₀|, 0.1 (K₀ + |U₀|))',
    source: 'the same run with half the step (radau15: a tenth of ε) and, by tree, 0.7 of theta',
  },
  {
    name: 'final state, half step',
    quantity:
      'largest error of a position or velocity, by the difference / the largest about the centre of mass',
    source: 'the same run with half the step (radau15: a tenth of ε) and, by tree, 0.7 of theta',
  },
  {
    name: 'energy, summed anew',
    quantity:
      '|E − Σ ½mv² + Σ Gmm/r| / |Σ ½mv² − Σ Gmm/r|, final state; by tree the first, which has the same E',
    source: 'the equation, pair by pair in code of its own',
  },
  {
    name: 'tree force',
    quantity: 'rms error of the final accelerations of a sample of bodies / their rms',
    source: 'direct sum over all bodies for the sample',
  },
  {
    name: 'tree potential',
    quantity: 'rms error of the final potentials of a sample of bodies / their rms',
    source: 'direct sum over all bodies for the sample',
  },
  {
    name: 'two-body twin',
    quantity: 'errors of position / separation and of velocity / speed, the larger',
    source: 'exact two-body motion (Battin 1999, §4.5), same integrator, step and G',
  },
  {
    name: 'free motion',
    quantity: 'errors of position / way or coordinates and of velocity / speed, the larger',
    source: 'x + vt: nothing attracts one body alone',
  },
  { name: 'energy at the end', quantity: 'E, the value', source: 'E at the start, which is kept' },
];

function assumed(input: MultibodyInput): readonly Assumption[] {
  const master = asSolve(input);
  if (master) return solve.assumed(master);
  const list: Assumption[] = [];
  const choose = (name: string, value: unknown) => list.push({ name, value, because: 'numerical choice' });
  if (input.G === undefined) {
    list.push({ name: 'G', value: newtonG, unit: 'm^3/(kg s^2)', because: 'CODATA 2022' });
  }
  if (input.softening === undefined) {
    list.push({ name: 'softening', value: 0, unit: 'm', because: 'not in the equation' });
  }
  if (input.integrator === undefined) choose('integrator', 'pefrl');
  if (input.force === undefined) choose('force', 'direct');
  if (input.force === 'tree' && input.theta === undefined) choose('theta', defaultTheta);
  return list;
}

function present(input: MultibodyInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const master = asSolve(input);
  if (master) return presentMasterEquation(master, verdict, finished);
  const problem = readProblem(input);
  const [
    driftPct,
    momentumDrift,
    angularMomentumDrift,
    sealed,
    positions,
    velocities,
    E0,
    K,
    U,
    ,
    ,
    treeError,
  ] = verdict.extras as unknown as number[];
  const bodies = problem.mass.length;
  const state = bodies <= MAX_INLINE_BODIES ? { finalState: finalState(bodies, finished[0]!) } : {};
  const vouched = sealed === 1;
  return {
    outputs: {
      energyDriftPct: driftPct,
      energyDriftBoundPct: DRIFT_BOUND_PCT,
      conservative: true,
      conservationChecked: true,
      momentumDrift,
      angularMomentumDrift,
      initialEnergy: E0,
      kineticEnergy: K,
      potentialEnergy: U,
      steps: finished[0]!.steps,
      ...continuesOf(problem.before),
      finalStateSealed: vouched,
      positionError: positions,
      velocityError: velocities,
      ...(problem.tree ? { treeForceError: treeError } : {}),
      ...(vouched ? state : { unsealedFields: state }),
    },
    fields: fields(input, finished, vouched),
    plots: [
      { kind: 'points', title: 'orbits', x: 'x', y: 'y' },
      { kind: 'line', title: 'energy drift (%)', x: 'time', y: ['energyDrift'] },
    ],
    diagnostics: readDiagnostics(verdict.extras, verdict.extras.length - DIAGNOSTICS, {
      absentTerm: 'one coordinate alone has no such term',
      absentMasterEquation: 'fewer than three rows',
    }),
  };
}

/** Positions and velocities of a run's result as nested lists: what `initialState` takes. */
function finalState(bodies: number, run: FinishedRun) {
  const all = new Float64Array(run.result.slice(16, 16 + 48 * bodies).buffer);
  const triples = (from: number) =>
    Array.from({ length: bodies }, (_, i) => [...all.subarray(from + 3 * i, from + 3 * i + 3)]);
  return { position: triples(0), velocity: triples(3 * bodies) };
}

function fields(input: MultibodyInput, finished: readonly FinishedRun[], sealed: boolean): Field[] {
  const problem = readProblem(input);
  const verdict = finished.length - 1;
  const at = places(problem, finished[verdict]!);
  const { bodies, plotted, rows, rowBytes } = shapes(problem);
  let next = at.series;
  const column = (name: string, unit: string, shape: number[], vouched: boolean): Field => {
    const length = 8 * shape.reduce((a, b) => a * b, 1);
    next += length;
    return {
      name,
      unit,
      shape,
      source: { run: verdict, of: 'result', from: next - length, length },
      sealed: vouched,
    };
  };
  const vectors = (name: string, unit: string, from: number): Field => {
    const source = { run: 0, of: 'result' as const, from, length: at.vectors };
    return { name, unit, shape: [problem.mass.length, 3], source, sealed };
  };
  return [
    column('time', 's', [plotted], true),
    column('energyDrift', '%', [plotted], true),
    column('x', 'm', [plotted, bodies], sealed),
    column('y', 'm', [plotted, bodies], sealed),
    vectors('position', 'm', at.position),
    vectors('velocity', 'm/s', at.velocity),
    {
      // Each row: t, (E − E₀)/scale, then x y z of the first bodies.
      name: 'trajectory',
      unit: 's, 1, m',
      shape: [rows, rowBytes / 8],
      source: { run: 0, of: 'rows', from: 0, length: rows * rowBytes },
      sealed,
    },
  ];
}

/** What `solve` says of its end is said of `t_max`. */
function namedHere({ t_end, ...details }: Record<string, unknown>): Record<string, unknown> {
  if (details.field !== 'inputs.t_end') return t_end === undefined ? details : { t_end, ...details };
  const accepts = (details.accepts as string[]).map((each) => each.replace(/^t_end/, 't_max'));
  return { ...details, field: 't_max', t_max: t_end, accepts };
}

function refusalDetails(
  input: MultibodyInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  const { dt, t_max } = input;
  const master = asSolve(input);
  if (master) return namedHere(solve.refusalDetails?.(master, status, observed) ?? {});
  if (status === 19) {
    const driftPct = 100 * observed[2]!;
    const drift = { driftPct, boundPct: DRIFT_BOUND_PCT, dt, t_max };
    if (input.integrator === 'radau15') return drift;
    const order = input.integrator === 'leapfrog' ? 2 : 4;
    const shorter = orShorter(shorterStep(dt, driftPct / DRIFT_BOUND_PCT, order));
    const other = input.force === 'tree' ? 'a smaller theta' : 'integrator radau15';
    return { ...drift, field: 'dt', accepts: `${shorter}, or ${other}` };
  }
  const gate = observed[0]! - solve.gates.length;
  if (status === 18 && input.force === 'tree' && OF_THE_TREE.includes(gate))
    return { field: 'theta', theta: input.theta, accepts: 'a smaller theta, or force direct' };
  if (status === 18 && gate === ENERGY_AT_END)
    return {
      field: 'dt',
      reason: 'E is small beside K and U, and so easily lost',
      accepts: 'a smaller dt, or integrator radau15',
    };
  if (status === 17)
    return {
      field: 't_max',
      reason: `the adaptive step shrank or grew too costly at ${observed[0]} s, as where bodies meet`,
      ...{ time: observed[0], dt, t_max },
      accepts: ['an end before that', 'a softening'],
    };
  return {};
}

export const multibody: Solver<MultibodyInput> = {
  id: 'multibody',
  title: 'Gravitating bodies',
  summary:
    'N bodies under Newtonian gravity, by symplectic schemes of order 2, 4 and 6 or by adaptive Gauss–Radau of order 15. The energy drift is a gate; positions are sealed where an exact orbit or a finer run confirms them.',
  equation: String.raw`\ddot{\mathbf r}_i=-G\sum_{j\ne i} m_j\,\frac{\mathbf r_i-\mathbf r_j}{(|\mathbf r_i-\mathbf r_j|^2+\epsilon^2)^{3/2}}`,
  references: [
    'Omelyan, Mryglod & Folk, Comput. Phys. Commun. 146 (2002) 188, eq. 20 (pefrl)',
    'Yoshida, Phys. Lett. A 150 (1990) 262, solution A (yoshida6)',
    'Everhart, in Dynamics of Comets (1985) 185; Rein & Spiegel, MNRAS 446 (2015) 1424 (radau15)',
    'Barnes & Hut, Nature 324 (1986) 446 (tree)',
    'Battin, An Introduction to the Mathematics and Methods of Astrodynamics (1999), §4.5 (two bodies)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: (input) => {
    const master = asSolve(input);
    return master ? solve.unit(master) : 'J';
  },
  assumed,
  quote: (input, context) => {
    const master = asSolve(input);
    return master ? solve.quote(master, context) : quote(readProblem(input));
  },
  plan: (input, context) => {
    const master = asSolve(input);
    return master ? solve.plan(master, context) : firstRound(readProblem(input));
  },
  next: (input, finished, context) => {
    const master = asSolve(input);
    if (master) return solve.next(master, finished, context);
    const problem = readProblem(input);
    const runs = firstRound(problem).runs.length;
    return finished.length > runs ? undefined : verdictRound(problem, solve.gates.length);
  },
  present,
  refusalDetails,
  continuation,
  examples,
};

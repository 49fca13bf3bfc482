import { type TSchema, Type } from 'typebox';
import type { FinishedRun } from '../proof/job.ts';
import { continuesOf, FROM_ITS_START, jobToContinue, WHOLE_STEPS } from './continuation.ts';
import { DIAGNOSTICS, readDiagnostics } from './diagnostics.ts';
import { continuation } from './evolve/continuation.ts';
import { evolveExamples, evolveProbes } from './evolve/examples.ts';
import { outputs, unitOf } from './evolve/outputs.ts';
import { BINS, firstRound, nextRound, quoteEvolve, rowCount, stateBody } from './evolve/plan.ts';
import { BOLTZMANN, type EvolveInput, readProblem, truncations } from './evolve/problem.ts';
import { choice, integer, optional, points, quantity, record, seed, unitBy, vector } from './input.ts';
import { orShorter, shorterStep } from './long-steps.ts';
import type { Assumption, Field, Presentation, Solver, Verdict } from './solver.ts';

/** The bound of the energy drift in per cent. */
const DRIFT_BOUND_PCT = 0.1;
const SCALARS = 13;
/** Largest system whose final state stands in the answer itself; larger ones are fields only. */
const MAX_INLINE_ATOMS = 1024;

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
/** Of a length, a time and the like: with units lj there is none. */
const scaled = <T extends TSchema>(unit: string, field: (unit: string) => T): T =>
  unitBy('units', { lj: '1' }, field(`${unit} or 1`));

const schema = record({
  units: optional(
    choice(['lj'], 'Reduced units: epsilon, sigma, mass and k_B are 1 and not sent; all numbers are plain.'),
  ),
  epsilon: optional(positive('J', 'Depth of the well; without units lj.')),
  sigma: optional(positive('m', 'Distance where the potential is 0; without units lj.')),
  mass: optional(positive('kg', 'Mass of every atom; without units lj.')),
  box: optional(
    scaled('m', (unit) =>
      Type.Union(
        [
          choice(['open'], 'No walls.'),
          positive(unit, 'Edge of a periodic cube.'),
          vector(unit, 'Edges of a periodic box.', { minItems: 3, maxItems: 3 }),
        ],
        { description: 'open, or the periodic edges; of a lattice it follows from the density.' },
      ),
    ),
  ),
  r_c: optional(
    scaled('m', (unit) =>
      positive(unit, 'Cut-off, at most half a periodic box; absent in an open one: none.'),
    ),
  ),
  truncation: optional(choice(truncations, 'What happens at r_c; with it.')),
  dt: scaled('s', (unit) => positive(unit, 'Step, at most 0.02 σ√(m/ε).')),
  t_max: scaled('s', (unit) => positive(unit, 'Length of the run.')),
  seed: optional(seed()),
  initialState: record(
    {
      position: optional(scaled('m', (unit) => points(unit, 3, 'Position of every atom.', { minItems: 1 }))),
      velocity: optional(
        scaled('m/s', (unit) => points(unit, 3, 'Velocity of every atom.', { minItems: 1 })),
      ),
      cells: optional(integer('Cells of an fcc lattice per edge.', { minimum: 1, maximum: 62 })),
      density: optional(scaled('1/m^3', (unit) => positive(unit, 'Atoms per volume; with cells.'))),
      temperature: optional(
        scaled('K', (unit) => positive(unit, 'Kinetic temperature of the start, exactly; with cells.')),
      ),
      t0: optional(scaled('s', (unit) => quantity(unit, 'Time of the start.'))),
      continue: jobToContinue('t_max', FROM_ITS_START, WHOLE_STEPS),
    },
    { description: 'Atoms, or a lattice with velocities drawn by the seed.' },
  ),
});

function assumed(input: EvolveInput): Assumption[] {
  const choices: Assumption[] = [];
  const add = (name: string, value: unknown, because: string, unit?: string) =>
    choices.push({ name, value, because, ...(unit ? { unit } : {}) });
  if (input.r_c === undefined) add('r_c', null, 'no cut-off: every pair is summed');
  if (input.seed === undefined && input.initialState.cells !== undefined)
    add('seed', 'derived', 'numerical choice: from the request');
  if (input.initialState.t0 === undefined) add('t0', 0, 'origin of time', unitOf(input, 's'));
  if (input.units === undefined) add('k_B', BOLTZMANN, 'CODATA 2022', 'J/K');
  return choices;
}

/** Reads what the verdict wrote; the offsets are those at the head of assembly/verdicts/evolve.ts. */
function present(input: EvolveInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const { atoms, cutoff, edges, truncation, before } = readProblem(input);
  const [driftPct, momentum, E0, K, U, T, virial, pressure, vouched, difference, volume, steps, tail] =
    verdict.extras;
  const sealed = vouched === 1;
  const state = atoms <= MAX_INLINE_ATOMS ? { finalState: finalState(input, verdict, finished[0]!) } : {};
  return {
    outputs: {
      energyDriftPct: driftPct,
      energyDriftBoundPct: DRIFT_BOUND_PCT,
      conservative: true,
      momentumDrift: momentum,
      initialEnergy: E0,
      kineticEnergy: K,
      potentialEnergy: U,
      temperature: T,
      virial,
      pressure: edges ? pressure : null,
      volume: edges ? volume : null,
      longRangeEnergy: edges && truncation === 'truncated' ? tail : null,
      atoms,
      steps,
      ...continuesOf(before),
      finalStateSealed: sealed,
      positionError: difference,
      ...(sealed ? state : { unsealedFields: state }),
    },
    fields: fieldsOf(input, verdict, finished, sealed),
    plots: [
      { kind: 'line', title: 'energies', x: 'time', y: ['kinetic', 'potential', 'energy'] },
      { kind: 'line', title: 'energy drift (%)', x: 'time', y: ['energyDrift'] },
      ...(cutoff > 0 ? [{ kind: 'line', title: 'g(r)', x: 'r', y: ['g'] } as const] : []),
    ],
    diagnostics: readDiagnostics(verdict.extras, verdict.extras.length - DIAGNOSTICS, {
      absentTerm: 'the kinetic energy alone has no such term',
      absentMasterEquation: 'fewer than three rows',
    }),
  };
}

/** Positions and velocities of a run's result as nested lists: what `initialState` takes. */
function finalState(input: EvolveInput, { extras }: Verdict, run: FinishedRun) {
  const problem = readProblem(input);
  const { atoms } = problem;
  const from = 32 + stateBody(atoms);
  const all = new Float64Array(run.result.slice(from, from + 48 * atoms).buffer);
  const triples = (first: number) =>
    Array.from({ length: atoms }, (_, i) => [...all.subarray(first + 3 * i, first + 3 * i + 3)]);
  const t0 = extras[SCALARS + rowCount(problem) - 1];
  return { position: triples(0), velocity: triples(3 * atoms), t0 };
}

function fieldsOf(
  input: EvolveInput,
  { gates }: Verdict,
  finished: readonly FinishedRun[],
  sealed: boolean,
): Field[] {
  const problem = readProblem(input);
  const rows = rowCount(problem);
  const first = 24 + 48 * gates.length + 8 * SCALARS;
  const column = (name: string, unit: string, at: number, count: number, vouched: boolean): Field => ({
    name,
    unit,
    shape: [count],
    source: { run: finished.length - 1, of: 'result', from: at, length: 8 * count },
    sealed: vouched,
  });
  const series = (
    [
      ['time', unitOf(input, 's')],
      ['energyDrift', '%'],
      ['kinetic', unitOf(input, 'J')],
      ['potential', unitOf(input, 'J')],
      ['energy', unitOf(input, 'J')],
      ['temperature', unitOf(input, 'K')],
    ] as const
  ).map(([name, unit], k) =>
    column(name, unit, first + 8 * rows * k, rows, ['time', 'energyDrift', 'energy'].includes(name)),
  );
  const at = first + 48 * rows;
  const distribution =
    problem.cutoff > 0
      ? [column('r', unitOf(input, 'm'), at, BINS, true), column('g', '1', at + 8 * BINS, BINS, false)]
      : [];
  const from = 32 + stateBody(problem.atoms);
  const vectors = (name: string, unit: string, offset: number): Field => ({
    name,
    unit: unitOf(input, unit),
    shape: [problem.atoms, 3],
    source: { run: 0, of: 'result', from: offset, length: 24 * problem.atoms },
    sealed,
  });
  return [
    ...series,
    ...distribution,
    vectors('position', 'm', from),
    vectors('velocity', 'm/s', from + 24 * problem.atoms),
  ];
}

/** Place of the gate among those below. */
const ENERGY_BY_ITSELF = 6;

const FAST = 'atoms come into one another within a step, and the motion leaves the numbers';

function refusalDetails(
  { dt, t_max }: EvolveInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  if (status === 19) {
    const driftPct = 100 * observed[2]!;
    const shorter = orShorter(shorterStep(dt, (2 * driftPct) / DRIFT_BOUND_PCT, 2));
    return {
      driftPct,
      boundPct: DRIFT_BOUND_PCT,
      dt,
      t_max,
      field: 'dt',
      accepts: `${shorter}, or a larger r_c`,
    };
  }
  if (status === 16)
    return { field: 'dt', reason: FAST, accepts: orShorter(Number((dt / 10).toPrecision(3))) };
  if (status === 18 && observed[0] === ENERGY_BY_ITSELF)
    return {
      field: 'dt',
      reason: 'E is small beside K and U, and so easily lost',
      accepts: 'a smaller dt',
    };
  if (status === 22)
    return {
      field: 'initialState',
      reason: 'atoms crowd more densely than a liquid, and than their box on average',
      accepts: 'atoms that fill their box more evenly',
    };
  return {};
}

/**
 * Lennard-Jones atoms at constant energy. In: SI, or pure numbers with units lj. Out: the energy at the end in J, with
 * temperature, pressure, series and g(r).
 */
export const evolve: Solver<EvolveInput> = {
  id: 'evolve',
  title: 'Lennard-Jones atoms',
  summary:
    'Molecular dynamics of Lennard-Jones atoms at constant energy by velocity Verlet, in an open or periodic box. The energy drift is a gate, a run of half the step must agree, and forces of sampled atoms are summed anew; positions are sealed where both runs agree on them.',
  equation: String.raw`m\ddot{\mathbf r}_i=-\nabla_i\sum_{j\ne i}4\epsilon\left[\left(\tfrac{\sigma}{r_{ij}}\right)^{12}-\left(\tfrac{\sigma}{r_{ij}}\right)^{6}\right]`,
  references: [
    'Verlet, Phys. Rev. 159 (1967) 98 (method, rows of neighbours)',
    'Swope, Andersen, Berens & Wilson, J. Chem. Phys. 76 (1982) 637 (velocity form)',
    'Allen & Tildesley, Computer Simulation of Liquids, 2nd ed., 1.6.3, 2.4, 5.3 (truncation, pressure, cells)',
    'NIST Standard Reference Simulation Website, Lennard-Jones fluid (energies of given configurations)',
  ],
  input: schema,
  gates: [
    {
      name: 'energy drift',
      quantity: 'max |E(t) − E₀| / max(|E₀|, 0.1 (K₀ + |U₀|)), every step',
      source: 'conservation of energy from the start of the run',
    },
    { name: 'momentum', quantity: 'max |P − P₀| / Σm|v|', source: 'conservation of momentum' },
    { name: 'energy, half step', quantity: 'E at the end', source: 'the same run with half the step' },
    {
      name: 'pair energies',
      quantity: 'energies of 256 atoms at most: rms error / rms',
      source: 'sum over all atoms, without neighbour rows',
    },
    {
      name: 'forces',
      quantity: 'forces on 256 atoms at most: rms error / rms',
      source: 'sum over all atoms, without neighbour rows',
    },
    {
      name: 'two atoms',
      quantity: 'their distance after τ/2',
      source: 'motion on a line from 1.2 σ, by Runge–Kutta 4 in 20000 steps',
    },
    { name: 'energy at every step', quantity: 'E, the value', source: 'E at the start, which is kept' },
  ],
  field: true,
  outputs,
  unit: (input) => unitOf(input, 'J'),
  assumed,
  quote: quoteEvolve,
  plan: firstRound,
  next: nextRound,
  present,
  refusalDetails,
  continuation,
  examples: evolveExamples,
  probes: evolveProbes,
};

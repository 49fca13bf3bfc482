import type { FinishedRun, Round, RunPlan } from '../proof/job.ts';
import { dockExamples } from './dock/examples.ts';
import { outputs } from './dock/outputs.ts';
import { ceilingOf, clusterVerdict, dockVerdict, hopRuns, posesOf, searchRuns } from './dock/plan.ts';
import { present } from './dock/present.ts';
import { COULOMB, readProblem } from './dock/problem.ts';
import { type DockInput, schema } from './dock/schema.ts';
import type { Assumption, Quote, Solver } from './solver.ts';

function runsOf(input: DockInput): { runs: RunPlan[]; verdict: RunPlan } {
  const problem = readProblem(input);
  return problem.mode === 'dock'
    ? { runs: searchRuns(problem), verdict: dockVerdict(problem) }
    : { runs: hopRuns(problem), verdict: clusterVerdict(problem) };
}

function plan(input: DockInput): Round {
  return { runs: runsOf(input).runs };
}

function next(input: DockInput, finished: readonly FinishedRun[]): Round | undefined {
  const { runs, verdict } = runsOf(input);
  return finished.length > runs.length ? undefined : { runs: [verdict], verdict: true };
}

function quote(input: DockInput): Quote {
  const { runs, verdict } = runsOf(input);
  return ceilingOf([...runs, verdict]);
}

function assumed(input: DockInput): Assumption[] {
  const choices: Assumption[] = [];
  if (input.mode === undefined)
    choices.push({ name: 'mode', value: 'dock', because: 'the mode if none is named' });
  if (input.mode === 'cluster') {
    choices.push({ name: 'seed', value: [1, 2], because: 'fixed seeds of the two searches' });
    return choices;
  }
  const problem = readProblem(input);
  if (problem.mode === 'dock')
    choices.push({
      name: 'poses',
      value: posesOf(problem),
      because: 'numerical choice; the best 512 descend',
    });
  if (input.scoring === 'vina') {
    choices.push({ name: 'cutOff', value: 8, unit: 'Angstrom', because: 'Trott & Olson 2010' });
    return choices;
  }
  if (input.epsR === undefined)
    choices.push({ name: 'q', value: 0, unit: 'e', because: 'not in the equation' });
  else choices.push({ name: 'k_e', value: COULOMB, unit: 'kJ*Angstrom/(mol*e^2)', because: 'CODATA 2022' });
  return choices;
}

/** Places among the gates below of those that a search can fail at, though its problem is sound. */
const SEARCHED = [1, 2, 4];
const UNCERTAIN = [6, 7];

function refusalDetails(
  input: DockInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  if (status === 18 && input.mode !== 'cluster' && SEARCHED.includes(observed[0]!))
    return { field: 'box', box: input.box, accepts: 'a smaller box about the place of binding' };
  if (status === 18 && input.mode === 'cluster' && UNCERTAIN.includes(observed[0]!))
    return { field: 'N', N: input.N, accepts: 'fewer atoms' };
  if (status !== 17) return {};
  const [isBound, ...center] = observed.slice(0, 4);
  if (isBound !== 1)
    return {
      field: 'box',
      message: 'dock: no minimum of the energy has its centre in the box.',
      box: input.box,
      accepts: 'a box that holds a bound pose',
    };
  const place = center.map((each) => Number(each.toPrecision(6)));
  return {
    field: 'box',
    message: 'dock: no minimum in the box is as low as the energy at one of its sides.',
    box: input.box,
    center: place,
    accepts: `a box that reaches beyond ${place.join(', ')} Å, where a lower minimum lies`,
  };
}

/**
 * The lowest energy of a rigid ligand on a rigid receptor, or of a cluster. In: Å, kJ/mol, e; a cluster in reduced
 * units. Out: E in kJ/mol (or reduced), pose, positions, the next best poses.
 */
export const dock: Solver<DockInput> = {
  id: 'dock',
  title: 'Docking of rigid bodies; lowest clusters',
  summary:
    'Places a rigid ligand on a rigid receptor from Sobol poses by BFGS, in Lennard-Jones and Coulomb or in the terms of AutoDock Vina; two disjoint halves must agree, and a planted problem with a known minimum is searched beside. Finds the lowest cluster by basin hopping.',
  equation: String.raw`\min_{x,R}\sum_{ij}4\epsilon_{ij}\left[(\sigma_{ij}/r)^{12}-(\sigma_{ij}/r)^6\right]+\frac{k_e q_iq_j}{\epsilon_r r}`,
  references: [
    'Trott & Olson, J. Comput. Chem. 31 (2010) 455, eqs. 2–7 and table 1 (Vina)',
    'Shoemake, Uniform random rotations, in Graphics Gems III (1992) 124',
    'Nocedal & Wright, Numerical Optimization, algs. 3.1 and 6.1 (BFGS); Liu & Nocedal, Math. Program. 45 (1989) 503',
    'Wales & Doye, J. Phys. Chem. A 101 (1997) 5111 (basin hopping; lowest clusters)',
    'Hoare & Pal, Adv. Phys. 20 (1971) 161; Cambridge Cluster Database (lowest clusters)',
  ],
  input: schema,
  gates: [
    { name: 'energy', quantity: 'E', source: 'pair by pair from the pose' },
    { name: 'halves', quantity: 'lowest E', source: 'the other, disjoint half of the poses' },
    { name: 'gradient', quantity: '‖(force, torque/radius)‖·σ/|E|', source: 'stationary: 0' },
    { name: 'planted', quantity: 'lowest E_AB', source: 'E − E_A − E_B of the thirteen-atom icosahedron' },
    {
      name: 'no lower neighbour',
      quantity: 'fall of E over |E|',
      source: '24 poses at 1e-3 and 1e-4 Å or rad',
    },
    { name: 'cluster energy', quantity: 'E', source: 'pair by pair from the positions' },
    { name: 'table', quantity: 'E', source: 'Cambridge Cluster Database' },
    { name: 'searches', quantity: 'lowest E', source: 'the other search, from chance' },
    { name: 'forces', quantity: 'largest |∂E/∂x|/|E|', source: 'stationary: 0' },
    { name: 'bound', quantity: 'E', source: 'every pair at its own minimum, −N(N − 1)/2' },
  ],
  field: true,
  outputs,
  unit: ({ mode }) => (mode === 'cluster' ? '1' : 'kJ/mol'),
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails,
  examples: dockExamples,
};

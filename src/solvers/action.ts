import { isTaken } from '../errors/refusal.ts';
import type { FinishedRun, Round } from '../proof/job.ts';
import { continuation } from './action/continuation.ts';
import { actionExamples } from './action/examples.ts';
import { outputs } from './action/outputs.ts';
import { flowRuns, verdictRun } from './action/plan.ts';
import { present } from './action/present.ts';
import { readProblem } from './action/problem.ts';
import { type ActionInput, schema } from './action/schema.ts';
import { orShorter, shorterStep } from './long-steps.ts';
import type { Assumption, Quote, Solver } from './solver.ts';

function plan(input: ActionInput): Round {
  return { runs: flowRuns(input, readProblem(input)) };
}

function next(input: ActionInput, finished: readonly FinishedRun[]): Round | undefined {
  const problem = readProblem(input);
  const runs = flowRuns(input, problem);
  if (finished.length > runs.length) return undefined;
  return { runs: [verdictRun(input, problem, runs)], verdict: true };
}

function quote(input: ActionInput): Quote {
  const problem = readProblem(input);
  const flows = flowRuns(input, problem);
  const runs = [...flows, verdictRun(input, problem, flows)];
  return {
    work: runs.reduce((sum, { work }) => sum + work, 0),
    exact: true,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

function assumed(input: ActionInput): Assumption[] {
  const { dt } = readProblem(input);
  const choices: Assumption[] = [];
  if (dt !== input.dt)
    choices.push({
      name: 'dt',
      value: dt,
      unit: 's',
      because: 'steps fill t_max, a multiple of four of them',
    });
  if (input.integrator === undefined)
    choices.push({ name: 'integrator', value: 'pefrl', because: 'numerical choice' });
  if (input.quantity === undefined)
    choices.push({ name: 'quantity', value: 'action', because: 'the value if none is named' });
  if (input.initialState?.t0 === undefined)
    choices.push({ name: 't0', value: 0, unit: 's', because: 'origin of time' });
  if (input.system === 'henon-heiles')
    choices.push({ name: 'm', value: 1, because: 'reduced units: mass 1, frequency 1' });
  return choices;
}

/** An error of so many times its bound is that of a value that is as good as 0. */
const NEAR_NOTHING = 1e6;

/** Four of the steps that are asked for are then half as long as one was, by which the motion itself may be finite. */
const FINER = 8;

function refusalDetails(input: ActionInput, status: number, observed: readonly number[]) {
  const { t_max, dt, integrator } = input;
  const [first = 0, second = 0, third = 0, fourth = 0] = observed;
  // Of all gates the first that refuses speaks: behind it another may be off by twice as much.
  const shorter = (step: number, excess: number) => {
    const wanted = shorterStep(step, 2 * excess, integrator === 'leapfrog' ? 2 : 4);
    if (excess < NEAR_NOTHING && wanted > 0 && isTaken(() => readProblem({ ...input, dt: wanted })))
      return { field: 'dt', accepts: orShorter(wanted) };
    return { field: 't_max', accepts: 'an end at which the value is not so near to 0, or another quantity' };
  };
  if (status === 19)
    return { driftPct: first, boundPct: second, dt: third, t_max: fourth, ...shorter(third, first / second) };
  if (status === 18) return shorter(dt, third / fourth);
  if (status === 16)
    return {
      field: 'dt',
      reason:
        'the motion, or that by two or four of these steps, which it is held against, leaves the finite numbers',
      accepts: `${orShorter(Number((readProblem(input).dt / FINER).toPrecision(3)))}${input.system === 'fput' ? ', or a start nearer to rest' : ''}`,
    };
  if (status !== 20) return {};
  const reason = first > 0 ? 'the run ends before a period is complete' : 'this motion has no period';
  const accepts = first > 0 ? `t_max of ${first} s or more` : 'a bound motion beside the equilibrium';
  return { field: first > 0 ? 't_max' : 'q0', message: `action: ${reason}.`, reason, accepts, t_max };
}

/**
 * Flow of a Hamiltonian and its action S = ∫(T − V)dt. In: kg, m, s, or reduced for henon-heiles. Out: S or J in J·s, or
 * the period in s; the end, phase-space series, energy drift of the symplectic scheme and of Runge–Kutta 4 beside it.
 */
export const action: Solver<ActionInput> = {
  id: 'action',
  title: 'Action of a Hamiltonian flow',
  summary:
    'Integrates a Hamiltonian system by a symplectic scheme that carries its action as the discrete Lagrangian sum; oscillators, pendulum, wells and Kepler orbits are held against exact motion, Hénon–Heiles against a Taylor series, chains against three steps and a mode.',
  equation: String.raw`S=\int_0^t (T-V)\,dt,\quad J=\oint p\,dq,\quad \dot q=\partial_p H,\ \dot p=-\partial_q H`,
  references: [
    'Marsden & West, Acta Numerica 10 (2001) 357 (discrete Lagrangian sum)',
    'Omelyan, Mryglod & Folk, Comput. Phys. Commun. 146 (2002) 188, eq. 20 (PEFRL)',
    'Yoshida, Phys. Lett. A 150 (1990) 262, table 1, solution A (order 6)',
    'Landau & Lifshitz, Mechanics, §10, §11, §15, §49 (virial theorem, quadratures, Kepler, J)',
    'Battin, An Introduction to the Mathematics and Methods of Astrodynamics, §4.5 (universal variables)',
    'Hénon & Heiles, Astron. J. 69 (1964) 73; Fermi, Pasta, Ulam & Tsingou, LA-1940 (1955)',
  ],
  input: schema,
  gates: [
    { name: 'energy', quantity: 'H', source: 'its value at the start, watched at every step' },
    { name: 'action', quantity: 'S', source: 'exact motion: virial theorem or quadrature' },
    { name: 'end', quantity: 'q, p at t_max', source: 'exact motion' },
    { name: 'series', quantity: 'q, p, S of the worst row', source: 'exact motion' },
    { name: 'period', quantity: 'period', source: 'closed form or quadrature around the orbit' },
    { name: 'action variable', quantity: 'J', source: 'closed form or quadrature around the orbit' },
    { name: 'Taylor series', quantity: 'S and all rows', source: 'Taylor series of order 24, own steps' },
    { name: 'action by steps', quantity: 'S', source: 'steps h, 2h, 4h of the order of the scheme' },
    { name: 'end by steps', quantity: 'q, p at t_max', source: 'steps h, 2h, 4h of the order of the scheme' },
    { name: 'short chain', quantity: 'q, p, S', source: 'lowest mode of two or three masses without α' },
  ],
  field: true,
  outputs,
  unit: ({ system, quantity }) => (system === 'henon-heiles' ? '1' : quantity === 'period' ? 's' : 'J*s'),
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails,
  continuation,
  examples: actionExamples,
};

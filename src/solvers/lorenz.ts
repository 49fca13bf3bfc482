import type { FinishedRun, Round } from '../proof/job.ts';
import { beginningOf, FROM_ITS_START, jobToContinue, overStretches } from './continuation.ts';
import { logarithm } from './elementary.ts';
import { choice, optional, quantity, ratio, record, seed, usedWith } from './input.ts';
import { outputs } from './lorenz/outputs.ts';
import { KEPT_BYTES, runsOf, seedOf, TRAJECTORY_RUNS, verdictOf } from './lorenz/plan.ts';
import { present } from './lorenz/present.ts';
import {
  CHAINS,
  checkGoesOn,
  type LorenzInput,
  longestTime,
  timeToRest,
  unstableAbove,
} from './lorenz/problem.ts';
import type { Assumption, PlanContext, Quote, Solver } from './solver.ts';

const positive = (description: string) => ratio(description, { exclusiveMinimum: 0, maximum: 1e6 });
const place = (description: string) => optional(ratio(description, { minimum: -1e6, maximum: 1e6 }));

const schema = record({
  mode: choice(
    ['trajectory', 'exponents', 'fixed-point'],
    'A motion, the Lyapunov exponents, or the fixed points.',
  ),
  sigma: positive('Prandtl number.'),
  rho: positive('Rayleigh number over its critical value.'),
  beta: positive('Geometry of the rolls.'),
  ...usedWith(
    { mode: ['trajectory'] },
    {
      x0: place('x at the start.'),
      y0: place('y at the start, with x0.'),
      z0: place('z at the start, with x0.'),
    },
  ),
  ...usedWith(
    { mode: ['trajectory', 'exponents'] },
    {
      t_max: optional(
        ratio('Of a trajectory the end, at most about 33 in chaos; of exponents the time of all chains.', {
          exclusiveMinimum: 0,
        }),
      ),
    },
  ),
  ...usedWith({ mode: ['exponents'] }, { seed: optional(seed()) }),
  ...usedWith(
    { mode: ['trajectory'] },
    {
      initialState: optional(
        record(
          {
            x: place('x.'),
            y: place('y.'),
            z: place('z.'),
            t0: optional(quantity('s', 'Time of the start.')),
            continue: jobToContinue('t_max', FROM_ITS_START),
          },
          { description: 'The start, instead of x0, y0 and z0.' },
        ),
      ),
    },
  ),
});

function next(input: LorenzInput, finished: readonly FinishedRun[], context: PlanContext): Round | undefined {
  if (finished.length > runsOf(input, context).length) return undefined;
  return { runs: [verdictOf(input, context)], verdict: true };
}

/** Exact for exponents; else a ceiling, since steps follow the motion. */
function quote(input: LorenzInput, context: PlanContext): Quote {
  const plans = [...runsOf(input, context), verdictOf(input, context)];
  const work = plans.reduce((sum, plan) => sum + plan.work, 0);
  return { work, exact: input.mode === 'exponents', memory: Math.max(...plans.map(({ memory }) => memory)) };
}

function assumed(input: LorenzInput, context?: PlanContext): Assumption[] {
  const choices: Assumption[] = [];
  if (input.mode === 'trajectory') {
    choices.push({
      name: 'order',
      value: [24, 28],
      because: 'numerical choice: Taylor series, one of them from moved starts too',
    });
    if (input.initialState?.t0 === undefined)
      choices.push({ name: 't0', value: 0, because: 'origin of time' });
  }
  if (input.mode === 'exponents') {
    choices.push({ name: 'chains', value: 64, because: 'numerical choice' });
    if (input.seed === undefined)
      choices.push({
        name: 'seed',
        value: context ? String(seedOf(input, context)) : 'first 8 bytes of requestHash',
        because: 'numerical choice: derived from the request',
      });
  }
  return choices;
}

/** Places of gates among those below. */
const STANDARD_ERROR = 6;
const CYCLE = 14;
const AT_REST = 15;
/** Why the others of the exponents that longer chains hold do not hold, and how they are then said. */
const reasons: Readonly<Record<number, string>> = {
  5: 'chains have not come to what they stay on for long enough',
  [STANDARD_ERROR]: 'three standard errors of the largest exponent are above the bound',
  7: 'means are those of too short a time',
  8: 'means are those of too short a time',
  9: 'chains have not come to rest for long enough',
  [CYCLE]: 'it is not clear that every chain is on a cycle, whose largest exponent is 0',
};

/** A verdict shows the time at which a shorter run would be held; a run that fails itself shows none. */
function beyondHorizon(
  input: LorenzInput,
  t_max: number,
  observed: readonly number[],
): Record<string, unknown> {
  const held = observed.length > 4 && observed[4]! > beginningOf(input) ? observed[4]! : undefined;
  return {
    field: 't_max',
    reason: 'beyond the horizon of predictability',
    t_max,
    accepts: held === undefined ? 'a shorter t_max' : `a t_max of ${Number(held.toPrecision(7))}`,
    ...(held !== undefined && { held }),
  };
}

function refusalDetails(
  input: LorenzInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  if ((status !== 17 && status !== 18) || input.t_max === undefined) return {};
  const { mode, t_max } = input;
  if (mode !== 'exponents') return status === 17 ? beyondHorizon(input, t_max, observed) : {};
  const [gate = 0, , error = 1, bound = 1, late = 0] = observed;
  if (gate === AT_REST) return severalFates(input, error, late);
  const reason = reasons[gate];
  if (reason === undefined) return {};
  // A standard error falls as 1/√t; a quarter more, since it was measured. What chains were before they came to what they
  // stay on falls as 1/t at last, and more slowly before.
  const sampled = gate === STANDARD_ERROR;
  const times = sampled ? 1.25 * (error / bound) * (error / bound) : (2 * error) / bound;
  const toRest = sampled ? 0 : timeToRest(input);
  return { field: 't_max', reason, t_max, accepts: longerTime(input, Math.max(times * t_max, toRest)) };
}

/**
 * Some chains came to rest and others did not, which may yet, or move for ever. Chaos that does not last is left at a
 * rate: those that were left in the later half say how long it takes until all but a fifth of one are expected at rest.
 */
function severalFates(input: LorenzInput, atRest: number, late: number): Record<string, unknown> {
  const t_max = input.t_max!;
  const [count, moving] = [Math.round(atRest * CHAINS), Math.round((1 - atRest) * CHAINS)];
  const lives = logarithm(5 * moving) / logarithm(1 + Math.round(late * CHAINS) / moving);
  const needed = Number((1.25 * t_max * (1 + 0.5 * lives)).toPrecision(2));
  const unstable = unstableAbove(input);
  const above =
    unstable === undefined ? [] : [`a rho above ${unstable}, where the fixed points are unstable`];
  const most = longestTime(input);
  const longer =
    needed <= most
      ? `t_max of about ${needed}, in which all are expected to come to rest`
      : late > 0
        ? 'parameters whose motion settles sooner'
        : `a longer t_max, at most ${most}, if they do come to rest: none did in the later half of this one`;
  return {
    field: 't_max',
    reason: `${count} of ${CHAINS} chains came to rest at the fixed points, which are stable, and the others did not`,
    t_max,
    accepts: (needed <= most ? [longer, ...above] : [...above, longer]).join(', or '),
  };
}

/** In two digits. */
function longerTime(input: LorenzInput, time: number): string {
  const needed = Number(time.toPrecision(2));
  const most = longestTime(input);
  if (needed <= most) return `t_max of about ${needed}`;
  return `a longer t_max, at most ${most}, or parameters whose motion settles sooner`;
}

/**
 * Lorenz' equations of convection. In and out are pure numbers: z(t_max), the largest Lyapunov exponent, or z of the
 * fixed points C±.
 */
export const lorenz: Solver<LorenzInput> = {
  id: 'lorenz',
  title: 'Lorenz equations',
  summary:
    'Integrates the Lorenz equations by Taylor series as far as another order and starts that are moved in their last ' +
    'digits give the same, samples their Lyapunov ' +
    'exponents over 64 chains until the standard error is small, or finds their fixed points and eigenvalues.',
  equation: String.raw`\dot x=\sigma(y-x),\quad \dot y=x(\rho-z)-y,\quad \dot z=xy-\beta z`,
  references: [
    'Lorenz, J. Atmos. Sci. 20 (1963) 130 (equations 25 to 27; stability 32, 33)',
    'Jorba & Zou, Exp. Math. 14 (2005) 99 (Taylor series, their step)',
    'Benettin, Galgani, Giorgilli & Strelcyn, Meccanica 15 (1980) 9 (exponents)',
    'Sprott, Chaos and Time-Series Analysis, Oxford 2003 (λ₁ = 0.9056)',
    'Viswanath, Physica D 190 (2004) 115 (digits of chaotic motions)',
    'Kuznetsov, Mokaev, Kuznetsova & Kudryashova, Nonlinear Dyn. 102 (2020) 713 (where all motions come to rest)',
  ],
  input: schema,
  gates: [
    {
      name: 'other runs',
      quantity: 'x, y or z at t_max: twice the largest difference',
      source: 'Taylor series of order 28, and with x, y or z of the start moved by 2⁻⁴⁹ of it',
    },
    {
      name: 'other runs, series',
      quantity: 'coordinate of the worst row: twice the largest difference',
      source: 'the same runs',
    },
    {
      name: 'row to row',
      quantity: 'coordinate of the worst row',
      source: 'RK4 in small steps from the row before',
    },
    { name: 'twin: z axis', quantity: 'z of the worst row', source: 'z₀ exp(−βt), x = y = 0' },
    { name: 'sum', quantity: 'λ₁ + λ₂ + λ₃', source: '−(σ + 1 + β)' },
    {
      name: 'neutral exponent',
      quantity: 'λ₂ in chaos, λ₁ of a cycle, beside λ₃',
      source: '0 along the flow',
    },
    {
      name: 'standard error',
      quantity: 'three standard errors of λ₁',
      source: '16 blocks of each of 64 chains',
    },
    { name: 'mean of x²', quantity: '⟨x²⟩', source: 'β⟨z⟩' },
    { name: 'mean of y²', quantity: '⟨y²⟩ + β⟨z²⟩', source: 'ρβ⟨z⟩' },
    {
      name: 'at rest',
      quantity:
        'λ₁, λ₂, λ₃ over the later half of the chains, beside the largest; sealed are the eigenvalues',
      source: 'real parts of the eigenvalues of the fixed point',
    },
    { name: 'place', quantity: 'x, y, z of C+', source: '√(β(ρ−1)), √(β(ρ−1)), ρ−1' },
    { name: 'eigenvalues', quantity: 'sums, pairs and product', source: 'Lorenz 1963, eq. 33' },
    { name: 'eigenvalues, origin', quantity: 'sums, pairs and product', source: 'Lorenz 1963, eq. 32' },
    { name: 'literature', quantity: 'λ₁ of σ = 10, ρ = 28, β = 8/3', source: 'Sprott 2003: 0.9056' },
    {
      name: 'cycle',
      quantity: 'half of |λ₂| of a chain on a cycle, and its |λ₁|: λ₁ is 0 then, and sealed as 0',
      source: 'later half of each chain, which still moves',
    },
    {
      name: 'chains at rest',
      quantity: 'share of the chains that came to rest where others did not',
      source: '0: chains of one fate',
    },
  ],
  field: true,
  outputs,
  unit: () => '1',
  assumed,
  quote,
  plan: (input, context) => ({ runs: runsOf(input, context) }),
  next,
  present,
  refusalDetails,
  continuation: overStretches({
    kernels: ['lorenz'],
    end: 't_max',
    start: ['x0', 'y0', 'z0'],
    bodies(first) {
      checkGoesOn(first);
      return new Array(TRAJECTORY_RUNS).fill(KEPT_BYTES);
    },
  }),
  probes: [
    {
      title: 'exponents of a fixed point',
      body: { mode: 'exponents', sigma: 10, rho: 10, beta: 8 / 3, t_max: 2000 },
    },
  ],
  examples: [
    {
      title: 'trajectory',
      body: { mode: 'trajectory', sigma: 10, rho: 28, beta: 8 / 3, x0: 1, y0: 1, z0: 1, t_max: 10 },
      expect: {
        value: 24.6908581027906,
        unit: '1',
        finalState: { x: -4.90268754113465, y: -3.74387292180292, z: 24.6908581027906 },
      },
      tolerance: 1e-6,
      source: 'Taylor series, 25 digits',
    },
    {
      title: 'Lyapunov exponents',
      slow: true,
      body: { mode: 'exponents', sigma: 10, rho: 28, beta: 8 / 3, t_max: 500000 },
      expect: { value: 0.9056, unit: '1', kaplanYorke: 2.0621 },
      tolerance: 1e-3,
      source: 'Sprott 2003; Viswanath 1998',
    },
    {
      title: 'fixed point',
      body: { mode: 'fixed-point', sigma: 10, rho: 28, beta: 8 / 3 },
      expect: { value: 27, unit: '1', rhoUnstable: 470 / 19 },
      tolerance: 1e-12,
      source: 'z of C± = ρ − 1, Hopf bifurcation at σ(σ+β+3)/(σ−β−1)',
    },
  ],
};

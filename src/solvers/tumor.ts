import type { FinishedRun, Round, RunPlan } from '../proof/job.ts';
import { beginningOf } from './continuation.ts';
import type { Assumption, Quote, Solver } from './solver.ts';
import { continuation } from './tumor/continuation.ts';
import { growthRuns, growthVerdict, presentGrowth } from './tumor/grow.ts';
import { finer, invasionRuns, invasionVerdict, presentInvasion, readInvasion } from './tumor/invade.ts';
import { outputs } from './tumor/outputs.ts';
import { schema, type TumorInput } from './tumor/schema.ts';

const invades = ({ mode }: TumorInput) => mode === 'invade';
const runsOf = (input: TumorInput): RunPlan[] => (invades(input) ? invasionRuns(input) : growthRuns(input));
const verdictOf = (input: TumorInput): RunPlan =>
  invades(input) ? invasionVerdict(input) : growthVerdict(input);

function next(input: TumorInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > runsOf(input).length) return undefined;
  return { runs: [verdictOf(input)], verdict: true };
}

/** Exact for an invasion; a ceiling for growth, whose steps follow the volume. */
function quote(input: TumorInput): Quote {
  const plans = [...runsOf(input), verdictOf(input)];
  const work = plans.reduce((sum, plan) => sum + plan.work, 0);
  return { work, exact: invades(input), memory: Math.max(...plans.map(({ memory }) => memory)) };
}

function assumed(input: TumorInput): Assumption[] {
  const choices: Assumption[] = [];
  if (input.mode === undefined)
    choices.push({ name: 'mode', value: 'grow', because: 'the mode if none is named' });
  if (input.initialState?.t0 === undefined)
    choices.push({ name: 't0', value: 0, unit: 's', because: 'origin of time' });
  if (!invades(input)) {
    if (input.dt === undefined)
      choices.push({
        name: 'dt',
        value: 'by the volume',
        because: 'numerical choice: a sixteenth of 1/|d(V̇/V)/d ln V|',
      });
    if (input.schedule === undefined)
      choices.push({ name: 'schedule', value: [], because: 'not in the equation' });
    return choices;
  }
  const { N, stepsPerRow } = readInvasion(input);
  if (input.N === undefined && input.initialState === undefined)
    choices.push({ name: 'N', value: N, because: 'numerical choice: 40 cells in the width of a front' });
  if (input.dt === undefined)
    choices.push({
      name: 'dt',
      value: (input.t_max - beginningOf(input)) / (64 * stepsPerRow),
      unit: 's',
      because: 'numerical choice: D·dt/dx² = 1/4, 20 steps in 1/r',
    });
  if (input.quantity === undefined)
    choices.push({ name: 'quantity', value: 'speed', because: 'the value if none is named' });
  return choices;
}

function refusalDetails(input: TumorInput, status: number, observed: readonly number[]) {
  if (status !== 18 && status !== 17) return {};
  const { mode = 'grow', t_max, dt } = input;
  if (invades(input)) return { mode, t_max, dt, ...(status === 18 ? finer(input, observed) : {}) };
  if (dt === undefined) return { mode, t_max };
  const reason = 'the steps are too long for the rate of growth';
  return { mode, t_max, dt, field: 'dt', reason, accepts: 'none: steps then follow the growth' };
}

/**
 * Growth of a tumour under treatment, or its invasion along a line. In: volumes in m³, rates in 1/s, doses in Gy,
 * lengths in m. Out: V(t_max) in m³; or the speed of invasion in m/s, or the density at a point.
 */
export const tumor: Solver<TumorInput> = {
  id: 'tumor',
  title: 'Tumour growth',
  summary:
    'Integrates the growth laws of Gompertz, Verhulst, Richards or Bertalanffy in ln V from dose to dose, held against ' +
    'their closed forms; or Fisher’s equation of invasion on three grids, held against the front of Ablowitz and Zeppetella.',
  equation: String.raw`\dot V=aV\ln\frac{K}{V},\ rV\Bigl(1-\bigl(\tfrac VK\bigr)^{\nu}\Bigr),\ \alpha V^{2/3}-\beta V;\quad u_t=Du_{xx}+ru(1-u)`,
  references: [
    'Gerlee, Cancer Res. 73 (2013) 2407 (growth laws and their solutions)',
    'Bertalanffy, Q. Rev. Biol. 32 (1957) 217 (αV^(2/3) − βV)',
    'Fowler, Br. J. Radiol. 62 (1989) 679 (survival e^(−αD−βD²))',
    'Ablowitz & Zeppetella, Bull. Math. Biol. 41 (1979) 835 (front of speed (5/√6)√(rD))',
    'Murray, Mathematical Biology I, 13.2 and 13.4',
  ],
  input: schema,
  gates: [
    { name: 'volume', quantity: 'V(t_max)', source: 'closed form of the law, from dose to dose' },
    { name: 'series', quantity: 'V of the worst row', source: 'closed form of the law, from dose to dose' },
    { name: 'speed', quantity: 'speed of ∫u dx', source: '(5/√6)√(rD)' },
    { name: 'profile', quantity: 'u of the worst cell', source: 'front of Ablowitz and Zeppetella' },
    {
      name: 'probe',
      quantity: 'u at the probe, over itself or 0.001',
      source: 'front of Ablowitz and Zeppetella',
    },
    {
      name: 'three steps',
      quantity: 'the value, over itself or a thousandth of the largest u or of the speed of a front',
      source: 'grids dx, 2dx, 4dx of this run (Richardson)',
    },
    { name: 'profile, two steps', quantity: 'u of the worst cell', source: 'grids dx and 2dx (Richardson)' },
    { name: 'twin: front', quantity: 'u of the worst cell', source: 'front of Ablowitz and Zeppetella' },
    {
      name: 'twin: diffusion',
      quantity: 'u of the worst cell',
      source: '½ + ½ cos(πx/Lx) exp(−D(π/Lx)²t), r = 0',
    },
    { name: 'twin: growth', quantity: 'u of the worst cell', source: 'logistic growth, alike everywhere' },
  ],
  field: true,
  outputs,
  unit: (input) => (!invades(input) ? 'm^3' : input.quantity === 'value' ? '1' : 'm/s'),
  assumed,
  quote,
  plan: (input) => ({ runs: runsOf(input) }),
  next,
  present: (input, verdict) =>
    invades(input) ? presentInvasion(input, verdict) : presentGrowth(input, verdict),
  refusalDetails,
  continuation,
  examples: [
    {
      title: 'Gompertz growth',
      body: {
        model: 'gompertz',
        V0: { value: 1, unit: 'mm^3' },
        K: { value: 1000, unit: 'mm^3' },
        a: { value: 0.1, unit: '1/d' },
        t_max: { value: 20, unit: 'd' },
      },
      expect: { value: 3.92639646722058e-7, unit: 'm^3' },
      tolerance: 1e-6,
      source: 'K exp(ln(V₀/K) e^(−at)), 15 digits',
    },
    {
      title: 'logistic growth',
      body: { model: 'logistic', V0: 10, K: 1000, r: 0.2, t_max: 25 },
      expect: { value: 599.859601813035, unit: 'm^3' },
      tolerance: 1e-6,
      source: 'K/(1 + (K/V₀ − 1) e^(−rt)), 15 digits',
    },
    {
      title: 'Gompertz with one dose of 2 Gy',
      body: {
        model: 'gompertz',
        V0: { value: 1, unit: 'mm^3' },
        K: { value: 1000, unit: 'mm^3' },
        a: { value: 0.1, unit: '1/d' },
        schedule: [{ t: { value: 10, unit: 'd' }, dose: 2, alpha: 0.3, beta: 0.03 }],
        t_max: { value: 20, unit: 'd' },
      },
      expect: { value: 3.01273672951318e-7, unit: 'm^3' },
      tolerance: 1e-6,
      source: 'closed form on both sides of e^(−0.72), 15 digits',
    },
    {
      title: 'invasion front',
      body: {
        mode: 'invade',
        D: { value: 0.1, unit: 'mm^2/d' },
        r: { value: 0.1, unit: '1/d' },
        Lx: { value: 100, unit: 'mm' },
        initial: { type: 'front', x0: [0.04] },
        t_max: { value: 100, unit: 'd' },
        N: 1600,
      },
      expect: { value: 2.36254797722143e-9, unit: 'm/s' },
      tolerance: 1e-3,
      source: '(5/√6)√(rD), 15 digits',
    },
  ],
};

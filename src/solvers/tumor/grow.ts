import { refuse } from '../../errors/refusal.ts';
import type { Part, RunPlan } from '../../proof/job.ts';
import { beginningOf, continuesOf, earlierState } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { checkFields, checkStart } from './fields.ts';
import { type Dose, models, type TumorInput } from './schema.ts';

/** Layouts and costs as assembly/kernels/tumor.ts and assembly/verdicts/tumor.ts have them. */
const ROWS = 257;
const STATE_BYTES = 16 + 40;
const UNITS_PER_STEP = 80;
const UNITS_PER_DOSE = 40;
const VERDICT_UNITS = 2_300_000;
const SCALARS = 10;
const MEMORY = 2 ** 18;
/** What a run keeps to go on from. */
export const KEPT_BYTES = 16;

const MAX_STEPS = 2 ** 26;
/** e-folds, times ν where that is above 1, that a volume may lie below and above the one it tends to. */
const MAX_DEPTH = 600;
const MAX_HEIGHT = 16;
/** Steps of the default in 1/|dẏ/dy|. */
const STEPS_PER_RATE = 16;

interface Growth {
  readonly model: number;
  readonly rate: number;
  readonly nu: number;
  readonly V0: number;
  readonly t0: number;
  /** V∞ [m³], or 0 with α [m/s] and β [1/s]. */
  readonly limit: readonly [number, number, number];
  readonly doses: readonly Dose[];
  readonly share: number;
  readonly dt: number;
  readonly mostSteps: number;
}

const rateNames = {
  gompertz: ['K', 'a'],
  logistic: ['K', 'r'],
  richards: ['K', 'r', 'nu'],
  bertalanffy: ['alpha', 'beta'],
} as const;

/** What the schema cannot say: the fields of the model, one start, doses in order, bounded depth and steps. */
export function readGrowth(input: TumorInput): Growth {
  if (input.model === undefined)
    checkFields(input, 'mode grow', ['model'], ['V0', 'schedule', 'K', 'a', 'r', 'nu', 'alpha', 'beta']);
  const model = input.model!;
  checkFields(input, `model ${model}`, rateNames[model], ['model', 'V0', 'schedule']);
  checkStart(input, 'V0', 'V', 'u');
  const { alpha = 0, beta = 0, K = 0, nu = 1 } = input;
  const V0 = input.initialState?.V ?? input.V0!;
  const rate = (input.a ?? input.r ?? input.beta)!;
  const power = model === 'bertalanffy' ? 1 / 3 : nu;
  const doses = dosesOf(input);
  const limit = model === 'bertalanffy' ? (alpha / beta) * (alpha / beta) * (alpha / beta) : K;
  const ways = wayOf(input, V0 / limit, doses, power);
  const dt = input.dt ?? Number.POSITIVE_INFINITY;
  const share = input.dt === undefined ? 1 / STEPS_PER_RATE : Number.POSITIVE_INFINITY;
  return {
    ...{ model: models.indexOf(model), rate, nu, V0, doses, dt, share },
    t0: input.initialState?.t0 ?? 0,
    limit: model === 'bertalanffy' ? [0, alpha, beta] : [K, 0, 0],
    mostSteps: mostSteps(input, rate * (model === 'gompertz' ? 1 : power), power * ways, doses.length),
  };
}

function dosesOf({ schedule = [], t_max }: TumorInput): readonly Dose[] {
  schedule.forEach(({ t }, i) => {
    const least = i === 0 ? 0 : schedule[i - 1]!.t;
    if (!(t >= least && t <= t_max))
      refuse('INVALID_INPUT', `schedule[${i}].t: ${t} s is not between ${least} and ${t_max} s.`, {
        field: `schedule[${i}].t`,
        accepts: `${least} to ${t_max} s, in the order of time; a job that goes on may have later ones`,
      });
  });
  return schedule;
}

/** How far ln V goes at most, back and forth. @throws Refusal LIMIT_EXCEEDED */
function wayOf(input: TumorInput, ratio: number, doses: readonly Dose[], power: number): number {
  const below = minusLog(ratio);
  const above = minusLog(1 / ratio);
  const lost = doses.reduce((sum, { dose, alpha, beta }) => sum + dose * (alpha + beta * dose), 0);
  const steep = Math.max(1, power);
  if (!(steep * (below + lost) <= MAX_DEPTH && steep * above <= MAX_HEIGHT))
    refuse('LIMIT_EXCEEDED', 'The volume leaves the e-folds around the one it tends to.', {
      field: below + above > lost ? (input.initialState ? 'initialState.V' : 'V0') : 'schedule',
      measured: steep * Math.max(below + lost, above),
      bound: above > 0 ? MAX_HEIGHT : MAX_DEPTH,
      accepts: `at most ${MAX_DEPTH} e-folds below it and ${MAX_HEIGHT} above, divided by ν where ν > 1`,
    });
  return below + above + 2 * lost;
}

/** max(0, −ln r) or a little more: −ln r ≤ n (r^(−1/n) − 1), by roots, which all round alike. */
function minusLog(r: number): number {
  let root = 1 / r;
  for (let i = 0; i < 16; i++) root = Math.sqrt(root);
  return Math.max(0, 2 ** 16 * (root - 1));
}

/**
 * A ceiling: ∫ |dẏ/dy| dt is at most e times its part near y = 0 and 1.6 times the way of y, and every row and dose
 * can end a step early.
 */
function mostSteps(input: TumorInput, steepness: number, way: number, doses: number): number {
  const { dt } = input;
  const length = input.t_max - beginningOf(input);
  const own = dt === undefined ? STEPS_PER_RATE * (2.72 * steepness * length + 1.6 * way) : length / dt;
  const most = Math.ceil(1.01 * own) + 2 * (ROWS + doses) + 64;
  if (most <= MAX_STEPS) return most;
  return refuse('LIMIT_EXCEEDED', `tumor would need up to ${most} steps.`, {
    field: dt === undefined ? 't_max' : 'dt',
    measured: most,
    bound: MAX_STEPS,
    accepts: `at most ${MAX_STEPS} steps: a shorter t_max or a larger dt`,
  });
}

// ---- runs ----------------------------------------------------------------------------------------------

function headOf({ t_max }: TumorInput, growth: Growth): Layout {
  const { model, rate, nu, V0, limit, share, dt, mostSteps: most, doses } = growth;
  return new Layout()
    .f64(model, rate, nu, V0, ...limit, t_max, share, dt, most, doses.length)
    .f64s(doses.map(({ t }) => t))
    .f64s(doses.flatMap(({ dose, alpha, beta }) => [dose, alpha, beta]));
}

/** The doses in the parameters of a run. */
export function dosesIn(head: Uint8Array): Dose[] {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const at = (index: number) => view.getFloat64(88 + 8 * index, true);
  const count = at(0);
  return Array.from({ length: count }, (_, i) => {
    const [t, loss] = [1 + i, 1 + count + 3 * i];
    return { t: at(t), dose: at(loss), alpha: at(loss + 1), beta: at(loss + 2) };
  });
}

export function growthRuns(input: TumorInput): RunPlan[] {
  const growth = readGrowth(input);
  return [
    {
      kernel: 'tumor',
      parts: [{ bytes: headOf(input, growth).bytes() }, ...earlierState(input, 0)],
      stepsPerSegment: segmentSteps(STATE_BYTES, UNITS_PER_STEP),
      work: growth.mostSteps * UNITS_PER_STEP,
      memory: MEMORY,
      label: `RK4, ${input.model}`,
    },
  ];
}

export function growthVerdict(input: TumorInput): RunPlan {
  const growth = readGrowth(input);
  const parts: Part[] = [
    { bytes: headOf(input, growth).f64(growth.t0, beginningOf(input)).bytes() },
    { run: 0, of: 'result', from: 0, length: 16 },
    { run: 0, of: 'rows', from: 0, length: 8 * ROWS },
  ];
  const work = growth.doses.length * UNITS_PER_DOSE + VERDICT_UNITS;
  return {
    kernel: 'tumor.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work,
    memory: MEMORY,
    label: 'verdict',
  };
}

// ---- presentation --------------------------------------------------------------------------------------

export function presentGrowth(input: TumorInput, verdict: Verdict): Presentation {
  const [V, limitVolume, closedForm, steps, grows, doubling, inflectionV, ahead, inflectionT, smallest] =
    verdict.extras;
  const extrasAt = 24 + 48 * verdict.gates.length;
  const field = (name: string, unit: string, column: number): Field => ({
    name,
    unit,
    shape: [ROWS],
    source: { run: 1, of: 'result', from: extrasAt + 8 * (SCALARS + ROWS * column), length: 8 * ROWS },
    sealed: true,
  });
  const outputs = {
    finalState: { V, t0: verdict.extras[SCALARS + ROWS - 1] },
    closedForm,
    limitVolume,
    doublingTime: grows === 1 ? doubling : null,
    inflection: { V: inflectionV, t: ahead === 1 ? inflectionT : null },
    smallest,
    steps,
    ...continuesOf(input.before),
  };
  return {
    outputs,
    fields: [field('t', 's', 0), field('V', 'm^3', 1)],
    plots: [{ kind: 'line', title: 'volume', x: 't', y: ['V'] }],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * ROWS, {
      absentTerm: 'the equation has no such term',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

import type { FinishedRun } from '../../proof/job.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { mapOverBox } from '../plot.ts';
import type { Assumption, Field, Presentation, Verdict } from '../solver.ts';
import { uOffset } from './layout.ts';
import { marchOf } from './plan.ts';
import { isSection, type PlaneProblem, type Problem } from './problem.ts';
import { readProblem } from './read.ts';
import type { FlowInput } from './schema.ts';
import { presentSection, sectionOf } from './section.ts';
import { FINEST, ghiaOf } from './steady.ts';
import { extrasOf } from './verdict.ts';

/** Reads what the verdict wrote; the order is that of assembly/verdicts/flow.ts. */
export function present(input: FlowInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const problem = readProblem(input);
  const run = finished.length - 1;
  return isSection(problem)
    ? presentSection(sectionOf(problem), verdict, run)
    : presentPlane(problem, verdict, run);
}

function presentPlane(problem: PlaneProblem, verdict: Verdict, run: number): Presentation {
  const isSteady = problem.form === 'cavity';
  const rows = isSteady ? 0 : marchOf(problem).rows;
  return {
    outputs: {
      ...shared(problem, verdict),
      ...(isSteady ? steadyOutputs(problem, verdict) : marched(problem, verdict)),
    },
    fields: fieldsOf(problem, verdict, run, rows),
    plots: plotsOf(problem, isSteady),
    diagnostics: readDiagnostics(verdict.extras, extrasOf(problem, rows).diagnostics, {
      absentTerm: 'the equation has no such term, or the flow is steady',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

function shared({ U, Lx, nu }: PlaneProblem, { extras, gates }: Verdict) {
  const [h, h2, h4, order, extrapolated, closedForm] = extras;
  const [rateX, forceX, rateY, forceY] = extras.subarray(15, 19);
  return {
    grids: { h, '2h': h2, '4h': h4, order, extrapolated: extrapolated === 1 },
    closedForm: gates.some(({ name }) => name === 'value') ? closedForm : null,
    reynolds: U > 0 ? (U * Lx) / nu : null,
    divergence: extras[7],
    kineticEnergy: extras[10],
    largestVelocity: { u: extras[11], v: extras[12] },
    momentum: { x: { rate: rateX, forces: forceX }, y: { rate: rateY, forces: forceY } },
    steps: extras[19],
  };
}

function steadyOutputs(problem: PlaneProblem, { extras }: Verdict) {
  const published = ghiaOf(problem);
  return { residual: extras[13], ...(published && { ghia1982: published }) };
}

function marched(problem: PlaneProblem, { extras }: Verdict) {
  const { dt } = marchOf(problem);
  return {
    dt,
    courant: extras[8],
    kineticEnergyAtStart: extras[9],
    divergenceOfStart: extras[14],
    finalState: { u: 'field u', v: 'field v', t0: extras[6] },
    ...(problem.before && { continues: { job: problem.before.job, steps: problem.before.steps } }),
  };
}

function fieldsOf(problem: PlaneProblem, { gates }: Verdict, run: number, rows: number): Field[] {
  const { nx, ny, form } = problem;
  const finest = form === 'cavity' ? FINEST : 0;
  const sealed = gates.some(({ name }) => name === 'field');
  let from = uOffset(ny);
  const field = (name: string, unit: string, height: number, width: number): Field => {
    const length = 8 * height * width;
    from += length;
    return {
      name,
      unit,
      shape: [height, width],
      source: { run: finest, of: 'result', from: from - length, length },
      sealed: sealed && (name === 'u' || name === 'v'),
    };
  };
  const at = 24 + 48 * gates.length;
  const places = extrasOf(problem, rows);
  const column = (name: string, unit: string, place: number, count: number, isPlace = false): Field => ({
    name,
    unit,
    shape: [count],
    source: { run, of: 'result', from: at + 8 * place, length: 8 * count },
    sealed: sealed || isPlace,
  });
  return [
    field('u', 'm/s', ny, nx + 1),
    field('v', 'm/s', ny + 1, nx),
    field('p_over_rho', 'm^2/s^2', ny, nx),
    field('psi', 'm^2/s', ny + 1, nx + 1),
    field('omega', '1/s', ny + 1, nx + 1),
    column('y', 'm', places.y, ny, true),
    column('u_centre', 'm/s', places.u, ny),
    column('x', 'm', places.x, nx, true),
    column('v_centre', 'm/s', places.v, nx),
    ...(rows > 0
      ? [column('t', 's', places.t, rows, true), column('kinetic_energy', 'm^4/s^2', places.energy, rows)]
      : []),
  ];
}

const plotsOf = (problem: PlaneProblem, isSteady: boolean): Presentation['plots'] => [
  { kind: 'line', title: 'u on the vertical middle line', x: 'y', y: ['u_centre'] },
  { kind: 'line', title: 'v on the horizontal middle line', x: 'x', y: ['v_centre'] },
  mapOverBox('stream function', 'psi', problem),
  mapOverBox('vorticity', 'omega', problem),
  ...(isSteady ? [] : [{ kind: 'line', title: 'kinetic energy', x: 't', y: ['kinetic_energy'] } as const]),
];

// ---- assumptions ---------------------------------------------------------------------------------------

const because = 'numerical choice';

/** Numerical choices and what the request left out of the equation. */
export function assumed(input: FlowInput): Assumption[] {
  const problem = readProblem(input);
  const list: (Assumption | false)[] = [
    input.N === undefined && { name: 'N', value: cellsOf(problem), because },
    input.probe === undefined &&
      ['u', 'v', 'p', 'psi', 'omega'].includes(input.quantity) && {
        name: 'probe',
        value: centreOf(input),
        unit: 'm',
        because: 'the centre',
      },
    ...(isSection(problem) ? sectionChoices(problem, input) : planeChoices(problem, input)),
  ];
  return list.filter((entry) => entry !== false);
}

const cellsOf = (problem: Problem): number[] => {
  if (!isSection(problem)) return [problem.nx, problem.ny];
  return problem.nz === 1 ? [problem.ny] : [problem.ny, problem.nz];
};

function centreOf({ case: form, Lx, Ly, Lz }: FlowInput): number[] {
  if (form === 'channel') return [0, Ly / 2];
  return form === 'duct' ? [0, Ly / 2, Lz! / 2] : [Lx! / 2, Ly / 2];
}

function stepChoice(dt: number, asked: number | undefined): Assumption | false {
  const kept = asked !== undefined && dt >= 0.99 * asked;
  return (
    !kept && {
      name: 'dt',
      value: dt,
      unit: 's',
      because: `${because}: ν dt Σ1/dx² ≤ 0.4, |u|dt/dx + |v|dt/dy ≤ 0.5`,
    }
  );
}

const originOfTime = ({ initialState }: FlowInput): Assumption | false =>
  initialState?.t0 === undefined && { name: 't0', value: 0, unit: 's', because: 'origin of time' };

function sectionChoices(
  problem: Extract<Problem, { form: 'channel' | 'duct' }>,
  input: FlowInput,
): (Assumption | false)[] {
  if (input.t_end === undefined) return [];
  return [
    stepChoice(sectionOf(problem).dt, input.dt),
    input.initialState === undefined && {
      name: 'start',
      value: 'rest',
      because: 'a channel or duct without an initialState starts from rest',
    },
    originOfTime(input),
  ];
}

function planeChoices(problem: PlaneProblem, input: FlowInput): (Assumption | false)[] {
  if (problem.form === 'cavity')
    return [input.tol === undefined && { name: 'tol', value: problem.tol, unit: '1', because }];
  return [
    stepChoice(marchOf(problem).dt, input.dt),
    originOfTime(input),
    problem.form === 'custom' &&
      input.g === undefined && { name: 'g', value: [0, 0], unit: 'm/s^2', because: 'not in the equation' },
    input.initialState !== undefined && {
      name: 'start',
      value: 'projected',
      because: 'what has sources in the start is taken away: see divergenceOfStart',
    },
  ];
}

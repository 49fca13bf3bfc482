import type { FinishedRun } from '../../proof/job.ts';
import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { mapOverBox } from '../plot.ts';
import type { Assumption, Field, Presentation, Verdict } from '../solver.ts';
import { fieldOffsets, type Grid, gridOf } from './plan.ts';
import { readProblem } from './problem.ts';
import type { ReactInput } from './schema.ts';

/** Reads what the verdict wrote; the order is that of assembly/verdicts/react.ts. */
export function present(input: ReactInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const grid = gridOf(readProblem(input));
  const { problem } = grid;
  const two = problem.species === 2;
  const [
    h,
    h2,
    h4,
    order,
    extrapolated,
    closedForm,
    meanU,
    meanV,
    startU,
    startV,
    least,
    steps,
    dt,
    change,
    reacted,
    peak,
    rate,
    front,
  ] = verdict.extras;
  const outputs = {
    grids: { h, '2h': h2, '4h': h4, order, extrapolated: extrapolated === 1 },
    closedForm: verdict.gates.some(({ name }) => name === 'closed form') ? closedForm : null,
    meanU,
    ...(two && { meanV }),
    meanAtStart: two ? { u: startU, v: startV } : { u: startU },
    leastConcentration: least,
    peakU: peak,
    front: front! < 0 ? null : front,
    balance: { change, reacted },
    fastestRate: rate,
    steps,
    dt,
    finalState: { u: 'field u', ...(two && { v: 'field v' }), t0: problem.t0 + problem.duration },
    ...continuesOf(problem.before),
  };
  return {
    outputs,
    fields: fieldsOf(grid, verdict, finished.length - 1),
    plots: plotsOf(grid),
    diagnostics: readDiagnostics(verdict.extras, fieldOffsets(grid, 0).diagnostics, {
      absentTerm: 'the equation has no such term',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

function fieldsOf(grid: Grid, { gates }: Verdict, run: number): Field[] {
  const { box, species } = grid.problem;
  const at = fieldOffsets(grid, gates.length);
  const sealed = gates.some(({ name }) => name === 'field');
  const shape = box.dim === 1 ? [box.nx + 1] : [box.ny + 1, box.nx + 1];
  const field = (name: string, index: number): Field => ({
    name,
    unit: '1',
    shape,
    source: { run: 0, of: 'result', from: at.u + index * at.bytes, length: at.bytes },
    sealed,
  });
  const column = (name: string, unit: string, from: number, count: number, isSealed = false): Field => ({
    name,
    unit,
    shape: [count],
    source: { run, of: 'result', from, length: 8 * count },
    sealed: isSealed,
  });
  const series = (['t', 'mean_u', 'mean_v', 'u_probe', 'front'] as const)
    .map((name, i) =>
      column(
        name,
        name === 't' ? 's' : name === 'front' ? 'm' : '1',
        at.series + 8 * grid.rows * i,
        grid.rows,
        name === 't',
      ),
    )
    .filter(({ name }) => name !== 'mean_v' || species === 2);
  return [
    field('u', 0),
    ...(species === 2 ? [field('v', 1)] : []),
    column('x', 'm', at.x, box.nx + 1, true),
    column('profile', '1', at.profile, box.nx + 1, sealed),
    ...series,
    column('k', 'rad/m', at.spectrum, grid.modes, true),
    column('power', '1', at.spectrum + 8 * grid.modes, grid.modes),
  ];
}

function plotsOf({ problem }: Grid): Presentation['plots'] {
  const means = problem.species === 2 ? ['mean_u', 'mean_v'] : ['mean_u'];
  return [
    { kind: 'line', title: 'u along x through the probe', x: 'x', y: ['profile'] },
    { kind: 'line', title: 'means', x: 't', y: means },
    { kind: 'line', title: 'power of the modes along x', x: 'k', y: ['power'] },
    ...(problem.box.dim === 2 ? [mapOverBox('u', 'u', problem.box)] : []),
  ];
}

/** Numerical choices that the request left open. */
export function assumed(input: ReactInput): Assumption[] {
  const { problem, dt } = gridOf(readProblem(input));
  const { box } = problem;
  const because = 'numerical choice';
  const dtChosen = input.dt === undefined || dt < 0.99 * input.dt;
  const list: (Assumption | false)[] = [
    input.dim === undefined && { name: 'dim', value: 2, because: 'the dimension if none is named' },
    input.N === undefined && {
      name: 'N',
      value: box.dim === 1 ? [box.nx] : [box.nx, box.ny],
      because: input.initialState ? 'that of initialState.u' : because,
    },
    input.probe === undefined && {
      name: 'probe',
      value: box.probe.slice(0, box.dim),
      unit: 'm',
      because: 'the centre',
    },
    dtChosen && {
      name: 'dt',
      value: dt,
      unit: 's',
      because: `${because}: D·dt/dx² ≤ 0.2, and 0.015 of the fastest reaction`,
    },
    input.quantity === undefined && {
      name: 'quantity',
      value: 'mean',
      because: 'the value if none is named',
    },
    input.component === undefined && {
      name: 'component',
      value: 'u',
      because: 'the species if none is named',
    },
    input.initialState?.t0 === undefined && { name: 't0', value: 0, unit: 's', because: 'origin of time' },
  ];
  return list.filter((entry) => entry !== false);
}

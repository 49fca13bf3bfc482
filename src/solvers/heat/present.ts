import type { FinishedRun } from '../../proof/job.ts';
import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { mapOverBox } from '../plot.ts';
import type { Assumption, Field, Presentation, Verdict } from '../solver.ts';
import { fieldOffsets, type Grid, gridOf } from './plan.ts';
import { readProblem } from './problem.ts';
import type { HeatInput } from './schema.ts';
import { formOf } from './steps.ts';

/** Reads what the verdict wrote; the order is that of assembly/verdicts/heat.ts. */
export function present(input: HeatInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const grid = gridOf(readProblem(input), input.dt);
  const { problem } = grid;
  const [fine, v2, v4, order, extrapolated, exact, range, before, after, inflow, source] = verdict.extras;
  const [iterations, residual, steps, dt, , warmest, coldest] = verdict.extras.subarray(11);
  const form = formOf(problem);
  const outputs = {
    probe: problem.box.probe.slice(0, problem.box.dim),
    onGrid: fine,
    closedForm: form === 'none' ? null : { form, T: exact },
    grids:
      grid.levels === 3 ? { h: fine, '2h': v2, '4h': v4, order, extrapolated: extrapolated === 1 } : null,
    warmest,
    coldest,
    range,
    balance: problem.steady ? { inflow, source } : { before, after, inflow, source },
    ...(problem.steady
      ? { iterations, residual }
      : { steps, dt, finalState: { T: 'field T', t0: problem.t0 + problem.duration } }),
    ...continuesOf(problem.before),
  };
  const reasons = problem.steady ? {} : { absentTerm: 'the equation has no such term' };
  return {
    outputs,
    fields: fieldsOf(grid, verdict, finished.length - 1),
    plots: plotsOf(grid),
    diagnostics: readDiagnostics(verdict.extras, fieldOffsets(grid, 0).diagnostics, reasons),
  };
}

function fieldsOf(grid: Grid, { gates }: Verdict, run: number): Field[] {
  const { box } = grid.problem;
  const at = fieldOffsets(grid, gates.length);
  const sealed = gates.some(({ name }) => name === 'field');
  const column = (name: string, unit: string, from: number, count: number, isSealed: boolean): Field => ({
    name,
    unit,
    shape: [count],
    source: { run, of: 'result', from, length: 8 * count },
    sealed: isSealed,
  });
  const shape = box.dim === 1 ? [box.nx + 1] : [box.ny + 1, box.nx + 1];
  const series = [
    column('t', 's', at.t, grid.rows, true),
    column('T_probe', 'K', at.series, grid.rows, false),
  ];
  return [
    { name: 'T', unit: 'K', shape, source: { run: 0, of: 'result', ...at.T }, sealed },
    column('x', 'm', at.x, box.nx + 1, true),
    column('profile', 'K', at.profile, box.nx + 1, sealed),
    ...(grid.problem.steady ? [] : series),
  ];
}

function plotsOf({ problem }: Grid): Presentation['plots'] {
  return [
    { kind: 'line', title: 'temperature along x through the probe', x: 'x', y: ['profile'] },
    ...(problem.steady
      ? []
      : [{ kind: 'line', title: 'temperature at the probe', x: 't', y: ['T_probe'] } as const]),
    ...(problem.box.dim === 2 ? [mapOverBox('temperature', 'T', problem.box)] : []),
  ];
}

/** Numerical choices that the request left open. */
export function assumed(input: HeatInput): Assumption[] {
  const { problem, steps } = gridOf(readProblem(input), input.dt);
  const { box, t0 } = problem;
  const N = box.dim === 1 ? [box.nx] : [box.nx, box.ny];
  const because = 'numerical choice';
  const list: (Assumption | false)[] = [
    input.dim === undefined && { name: 'dim', value: 2, because: 'the dimension if none is named' },
    input.N === undefined && {
      name: 'N',
      value: N,
      because: input.initialState?.T ? 'that of initialState.T' : because,
    },
    input.probe === undefined && {
      name: 'probe',
      value: box.probe.slice(0, box.dim),
      unit: 'm',
      because: 'the centre',
    },
    input.s === undefined && { name: 's', value: 0, unit: 'K/s', because: 'not in the equation' },
    problem.steady && input.tol === undefined && { name: 'tol', value: problem.tol, because },
    !problem.steady && input.scheme === undefined && { name: 'scheme', value: 'adi', because },
    !problem.steady &&
      input.dt === undefined && {
        name: 'dt',
        value: steps.dt,
        unit: 's',
        because: `${because}: ${problem.scheme === 'adi' ? 'α·dt/dx² ≤ 4' : 'α·dt·Σ1/dx² ≤ 0.4'}`,
      },
    !problem.steady &&
      input.initialState?.t0 === undefined && { name: 't0', value: t0, unit: 's', because: 'origin of time' },
    input.initial?.type === 'mode' &&
      input.initial.T === undefined && {
        name: 'initial.T',
        value: 0,
        unit: 'K',
        because: 'the mode stands alone',
      },
  ];
  return list.filter((entry) => entry !== false);
}

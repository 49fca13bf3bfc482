import type { FinishedRun } from '../../proof/job.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { mapOverBox } from '../plot.ts';
import type { Assumption, Field, Presentation, Verdict } from '../solver.ts';
import { fieldOffsets, type Grid, gridOf, layerCells, runsBeforeTwin } from './plan.ts';
import { isPower, readProblem } from './problem.ts';
import type { WaveInput } from './schema.ts';
import { formOf } from './steps.ts';

/** Reads what the verdict wrote; the order is that of assembly/verdicts/wave.ts. */
export function present(input: WaveInput, verdict: Verdict, _finished: readonly FinishedRun[]): Presentation {
  const grid = gridOf(readProblem(input), input.dt);
  const { problem, levels } = grid;
  const [fine, v2, v4, order, extrapolated, exact, , start, end, inflow, work, loss] = verdict.extras;
  const [steps, dt, strongest, reflectance, transmittance, courant, largest] = verdict.extras.subarray(12);
  const [balanceError, thicker, atProbe] = verdict.extras.subarray(19);
  const form = formOf(problem);
  const ofPower = isPower(problem.quantity);
  const outputs = {
    probe: problem.box.probe.slice(0, problem.box.dim),
    onGrid: fine,
    atProbe,
    closedForm: form === 'none' ? null : { form, value: exact },
    grids: levels === 3 ? { h: fine, '2h': v2, '4h': v4, order, extrapolated: extrapolated === 1 } : null,
    thickerLayers: grid.hasThick ? thicker : null,
    strongestFrequency: strongest,
    reflectance: ofPower ? reflectance : null,
    transmittance: ofPower ? transmittance : null,
    modes: problem.modes > 0 ? problem.modes : null,
    energy: { start, end, inflow, work, loss, balanceError },
    courant,
    largest,
    steps,
    dt,
    finalState: finalState(grid),
    ...(problem.before && { continues: { job: problem.before.job, steps: problem.before.steps } }),
  };
  return {
    outputs,
    fields: fieldsOf(grid, verdict),
    plots: plotsOf(grid),
    diagnostics: readDiagnostics(verdict.extras, fieldOffsets(grid, 0).diagnostics, {
      absentTerm: 'the equation has no such term',
    }),
  };
}

function finalState({ problem: { maxwell, box, t0 }, steps }: Grid): Record<string, unknown> {
  const end = t0 + steps.steps * steps.dt;
  if (!maxwell) return { u: 'field u', v: 'field v', t0: end };
  return { Ez: 'field Ez', ...(box.dim === 2 && { Hx: 'field Hx' }), Hy: 'field Hy', t0: end };
}

function fieldsOf(grid: Grid, { gates }: Verdict): Field[] {
  const { box, maxwell } = grid.problem;
  const at = fieldOffsets(grid, gates.length);
  const verdictRun = runsBeforeTwin(grid) + 1;
  const array = (name: string, unit: string, from: number, shape: readonly number[]): Field => ({
    name,
    unit,
    shape,
    source: { run: 0, of: 'result', from, length: 8 * shape.reduce((a, b) => a * b, 1) },
    sealed: false,
  });
  const column = (name: string, unit: string, from: number, count: number, sealed = false): Field => ({
    name,
    unit,
    shape: [count],
    source: { run: verdictRun, of: 'result', from, length: 8 * count },
    sealed,
  });
  const over = (columns: number, rows: number) => (box.dim === 1 ? [columns] : [rows, columns]);
  const nodes = over(box.nx + 1, box.ny + 1);
  const unit = maxwell ? 'V/m' : 'm';
  const whole = maxwell
    ? [
        array('Ez', unit, at.u, nodes),
        ...(box.dim === 2 ? [array('Hx', 'A/m', at.rates, [box.ny, box.nx + 1])] : []),
        array('Hy', 'A/m', at.Hy, over(box.nx, box.ny + 1)),
      ]
    : [array('u', unit, at.u, nodes), array('v', 'm/s', at.rates, nodes)];
  return [
    ...whole,
    column('x', 'm', at.x, box.nx + 1, true),
    column('profile', unit, at.profile, box.nx + 1),
    column('t', 's', at.series, grid.rows, true),
    column('series', unit, at.series + 8 * grid.rows, grid.rows),
    column('f', 'Hz', at.spectrum, grid.bins, true),
    column('spectrum', unit, at.spectrum + 8 * grid.bins, grid.bins),
  ];
}

function plotsOf({ problem: { box, maxwell } }: Grid): Presentation['plots'] {
  const name = maxwell ? 'Ez' : 'displacement';
  return [
    { kind: 'line', title: `${name} along x through the probe`, x: 'x', y: ['profile'] },
    { kind: 'line', title: `${name} at the probe`, x: 't', y: ['series'] },
    { kind: 'line', title: 'spectrum at the probe', x: 'f', y: ['spectrum'] },
    ...(box.dim === 2 ? [mapOverBox(name, maxwell ? 'Ez' : 'u', box)] : []),
  ];
}

/** Numerical choices that the request left open. */
export function assumed(input: WaveInput): Assumption[] {
  const { problem, steps } = gridOf(readProblem(input), input.dt);
  const { box, t0, maxwell, quantity, duration } = problem;
  const because = 'numerical choice';
  const absent = 'not in the equation';
  const list: (Assumption | false)[] = [
    problem.driven &&
      input.initial === undefined &&
      input.initialState === undefined && {
        name: 'initial',
        value: 0,
        unit: maxwell ? 'V/m' : 'm',
        because: 'at rest before the source acts',
      },
    input.mode === undefined && { name: 'mode', value: 'scalar', because: 'the equation if none is named' },
    input.dim === undefined && { name: 'dim', value: 2, because: 'the dimension if none is named' },
    input.quantity === undefined && { name: 'quantity', value: 'value', because: 'if none is named' },
    input.N === undefined && {
      name: 'N',
      value: box.dim === 1 ? [box.nx] : [box.nx, box.ny],
      because: input.initialState ? 'that of initialState' : because,
    },
    input.probe === undefined && {
      name: 'probe',
      value: box.probe.slice(0, box.dim),
      unit: 'm',
      because: 'the centre',
    },
    input.dt === undefined && {
      name: 'dt',
      value: steps.dt,
      unit: 's',
      because: `${because}: a Courant number of at most ${box.dim === 1 && !problem.hasLayers ? 1 : problem.hasLayers ? 0.9 : 0.95}`,
    },
    input.initialState?.t0 === undefined && { name: 't0', value: t0, unit: 's', because: 'origin of time' },
    maxwell && input.muR === undefined && { name: 'muR', value: 1, because: 'not magnetic' },
    maxwell && input.sigma === undefined && { name: 'sigma', value: 0, unit: 'S/m', because: absent },
    input.source !== undefined &&
      input.source.type !== 'formula' && {
        name: 'source.current',
        value: 1,
        unit: box.dim === 1 ? 'A/m' : 'A',
        because: 'what is driven scales with it',
      },
    problem.hasLayers && {
      name: 'layers',
      value: layerCells({ problem }),
      because: 'cells of a perfectly matched layer, outside the box',
    },
    problem.hasLayers &&
      problem.start.kind !== 'rest' && {
        name: 'initial beyond absorbing sides',
        value: 'as at the side',
        because: 'the field outside the box is not known',
      },
    isPower(quantity) && {
      name: 't_end',
      value: duration,
      unit: 's',
      because: problem.window > 0 ? 'when the last window closes' : 'when all has passed',
    },
    problem.window > 0 && {
      name: 'window',
      value: problem.window,
      unit: 's',
      because: 'under which a sine is transformed: Nuttall’s, three of them half a window apart',
    },
  ];
  return list.filter((entry) => entry !== false);
}

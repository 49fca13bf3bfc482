import type { FinishedRun } from '../../proof/job.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { mapOverBox } from '../plot.ts';
import type { Assumption, Field, Presentation, Verdict } from '../solver.ts';
import { extrasFrom } from './plan.ts';
import { type Bar, type Plate, type Problem, readProblem } from './problem.ts';
import type { FractureInput } from './schema.ts';

const reasons = { absentTerm: 'the field is static', absentStep: 'the field is static' };

/** Reads what the verdicts wrote; the order is that of assembly/verdicts/fracture{,-bar}.ts. */
export function present(
  input: FractureInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const problem = readProblem(input);
  const { rows, numbers, nodes } = extrasFrom(problem, 0);
  const at =
    problem.mode === 'bar'
      ? numbers + 2 * rows + 2 * nodes
      : numbers + 5 * rows + 2 * (problem.N + 1) + 2 * (problem.M + 1);
  const shown =
    problem.mode === 'bar'
      ? { outputs: barOutputs(problem, verdict), fields: barFields(problem, verdict, finished.length - 1) }
      : {
          outputs: plateOutputs(problem, verdict),
          fields: plateFields(problem, verdict, finished.length - 1),
        };
  return { ...shown, plots: plotsOf(problem), diagnostics: readDiagnostics(verdict.extras, at, reasons) };
}

const going = ({ before }: Problem) =>
  before ? { continues: { job: before.job, steps: before.steps } } : {};

function levelsOutput(problem: Problem, [h, h2, h4, order, extrapolated]: readonly number[]) {
  if (problem.levels === 1) return {};
  return { grids: { h, '2h': h2, '4h': h4, order, extrapolated: extrapolated === 1 } };
}

// ---- bar -----------------------------------------------------------------------------------------------

function barOutputs(bar: Bar, { extras }: Verdict) {
  const [strength, strain, peakStrain, falls, turns, most, elastic, surface, work, stress] = extras;
  const [profile, profileReference, discreteBias, excess, steps] = extras.subarray(15, 20);
  return {
    strength,
    strengthStrain: strain,
    peakStrain,
    peakPassed: falls === 1,
    stress,
    energies: { elastic, surface, work, largestExcess: excess },
    profile: { energy: profile, reference: profileReference, discreteBias },
    iterations: { all: turns, mostInStep: most },
    steps,
    N: bar.N,
    ...levelsOutput(bar, [...extras.subarray(10, 15)]),
    finalState: { u: 'field u', d: 'field d', step: bar.last },
    ...going(bar),
  };
}

function barFields(bar: Bar, { gates }: Verdict, run: number): Field[] {
  const { bytes, rows, heads, nodes } = extrasFrom(bar, gates.length);
  const sealed = (name: string, unit: string, from: number, count: number, isSealed: boolean): Field => ({
    name,
    unit,
    shape: [count],
    source: { run, of: 'result', from: bytes + 8 * from, length: 8 * count },
    sealed: isSealed,
  });
  const ofRun = (name: string, unit: string, index: number): Field => ({
    name,
    unit,
    shape: [nodes],
    source: { run: 0, of: 'result', from: heads + 8 * nodes * index, length: 8 * nodes },
    sealed: false,
  });
  return [
    sealed('strain', '1', 0, rows, true),
    sealed('stress', 'Pa', rows, rows, false),
    sealed('x', 'm', 2 * rows, nodes, true),
    sealed('profile', '1', 2 * rows + nodes, nodes, false),
    ofRun('u', 'm', 0),
    ofRun('d', '1', 1),
  ];
}

// ---- plate ---------------------------------------------------------------------------------------------

function plateOutputs(plate: Plate, { extras }: Verdict) {
  const [U, F, elastic, surface, work, crackLength] = extras;
  const [peakForce, atPeak, discreteBias, pathDeviation, tipX, turns, most, unstable] = extras.subarray(
    11,
    19,
  );
  const [surfaceStart, stableWork, stableGain, excess, damageMove, steps, open] = extras.subarray(19, 26);
  return {
    crackLength,
    pathDeviation,
    peakForce,
    peakDisplacement: atPeak,
    peakLoadError: open,
    displacement: U,
    force: F,
    tipX,
    discreteBias,
    energies: { elastic, surface, surfaceOfNotch: surfaceStart, work, largestExcess: excess },
    stable: { work: stableWork, gain: stableGain, unstableSteps: unstable },
    iterations: { all: turns, mostInStep: most },
    damageMove,
    mirrored: plate.mirrored,
    steps,
    N: [plate.N, plate.M],
    ...levelsOutput(plate, [...extras.subarray(6, 11)]),
    finalState: { u: 'field u', d: 'field d', step: plate.last },
    ...going(plate),
  };
}

function plateFields(plate: Plate, { gates }: Verdict, run: number): Field[] {
  const { bytes, rows, heads, nodes } = extrasFrom(plate, gates.length);
  const { N, M } = plate;
  const column = (name: string, unit: string, from: number, count: number, sealed = false): Field => ({
    name,
    unit,
    shape: [count],
    source: { run, of: 'result', from: bytes + 8 * from, length: 8 * count },
    sealed,
  });
  const series = ['U', 'F', 'elastic', 'surface', 'work'].map((name, i) =>
    column(name, i === 0 ? 'm' : i === 1 ? 'N/m' : 'J/m', i * rows, rows),
  );
  const path = 5 * rows;
  const profile = path + 2 * (N + 1);
  const ofRun = (name: string, unit: string, shape: readonly number[], index: number): Field => ({
    name,
    unit,
    shape,
    source: {
      run: 0,
      of: 'result',
      from: heads + 8 * nodes * index,
      length: 8 * shape.reduce((a, b) => a * b, 1),
    },
    sealed: false,
  });
  return [
    ofRun('u', 'm', [M + 1, N + 1, 2], 0),
    ofRun('d', '1', [M + 1, N + 1], 2),
    ...series,
    column('path_x', 'm', path, N + 1, true),
    column('path_y', 'm', path + N + 1, N + 1),
    column('y', 'm', profile, M + 1, true),
    column('profile', '1', profile + M + 1, M + 1),
  ];
}

// ---- what is drawn, and what was assumed ---------------------------------------------------------------

function plotsOf(problem: Problem): Presentation['plots'] {
  if (problem.mode === 'bar')
    return [
      { kind: 'line', title: 'stress against strain', x: 'strain', y: ['stress'] },
      { kind: 'line', title: 'damage along the bar', x: 'x', y: ['profile'] },
    ];
  return [
    mapOverBox('damage', 'd', problem),
    { kind: 'line', title: 'force against displacement', x: 'U', y: ['F'] },
    { kind: 'line', title: 'energies', x: 'U', y: ['elastic', 'surface', 'work'] },
    { kind: 'points', title: 'path of the crack', x: 'path_x', y: 'path_y' },
  ];
}

/** Numerical choices that the request left open, and how the body is held. */
export function assumed(input: FractureInput): Assumption[] {
  const problem = readProblem(input);
  const isBar = problem.mode === 'bar';
  const list: (Assumption | false)[] = [
    input.mode === undefined && { name: 'mode', value: 'plane', because: 'the body if none is named' },
    input.N === undefined && {
      name: 'N',
      value: isBar ? problem.N : [problem.N, problem.M],
      because: 'numerical choice: ell is eight cells',
    },
    input.tol === undefined && { name: 'tol', value: problem.tol, because: 'numerical choice' },
    input.quantity === undefined && {
      name: 'quantity',
      value: isBar ? 'peakStress' : 'crackLength',
      because: 'the value if none is named',
    },
    !isBar &&
      input.loading.direction === undefined && {
        name: 'loading.direction',
        value: 'normal',
        because: 'the loading if none is named',
      },
    { name: 'kappa', value: 1e-7, because: 'residual stiffness of what is broken' },
    ...(isBar
      ? [{ name: 'seed', value: 1e-8, because: 'share by which the two middle elements are weaker' }]
      : [
          {
            name: 'grips',
            value: 'clamped',
            because: 'bottom moves by −U/2 and top by U/2; left and right are free',
          },
          {
            name: 'notch',
            value: 'd = 1',
            because: 'the nodes on its line, or next to it where it is inclined',
          },
        ]),
  ];
  return list.filter((entry) => entry !== false);
}

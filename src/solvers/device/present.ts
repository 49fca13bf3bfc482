import { readDiagnostics } from '../diagnostics.ts';
import { mapOverBox } from '../plot.ts';
import type { Assumption, Field, Presentation, Verdict } from '../solver.ts';
import { biasSteps, diagnosticsAt, hasThreeGrids, LINE, PLANE } from './plan.ts';
import { type Problem, readProblem } from './problem.ts';
import { constants } from './profile.ts';
import type { DeviceInput } from './schema.ts';

/** Names what the verdict wrote; the order is that of assembly/verdicts/device.ts and device-plane.ts. */
export function present(input: DeviceInput, verdict: Verdict, run: number): Presentation {
  const problem = readProblem(input);
  return problem.dim === 1
    ? presentLine(input, problem, verdict, run)
    : presentPlane(input, problem, verdict, run);
}

function presentLine(input: DeviceInput, problem: Problem, verdict: Verdict, run: number): Presentation {
  const [Vbi, EmaxEquilibrium, onGrid, J, EmaxAt, fine, v2, v4, order, extrapolated] = verdict.extras;
  const [exactField, ohm, spread, recombined, iterations, update, debye, W, approximate, saturation] =
    verdict.extras.subarray(10);
  const { quantity } = input;
  const isJunction = problem.profile.kind === 'junction';
  const isKnown = quantity === 'Emax' && !hasThreeGrids(problem, input);
  const flows = problem.isBiased && quantity === 'J';
  return {
    outputs: {
      Vbi,
      Emax: onGrid,
      EmaxAt,
      EmaxEquilibrium,
      J: problem.isBiased ? J : null,
      exactField: isKnown ? exactField : null,
      ohm: flows && verdict.gates.some(({ name }) => name === 'Ohm’s law') ? ohm : null,
      spreadOfJ: flows && hasThreeGrids(problem, input) ? spread : null,
      recombined: flows && hasThreeGrids(problem, input) ? recombined : null,
      grids: hasThreeGrids(problem, input)
        ? { h: fine, '2h': v2, '4h': v4, order, extrapolated: extrapolated === 1 }
        : null,
      debyeLength: debye,
      depletionApproximation: isJunction && W! > 0 ? { W, Emax: approximate } : null,
      saturationCurrent: isJunction && problem.isBiased ? saturation : null,
      iterations,
      update,
      N: problem.nx,
    },
    fields: lineFields(problem, verdict, run),
    plots: linePlots(problem),
    diagnostics: readDiagnostics(verdict.extras, diagnosticsAt(problem), reasons),
  };
}

const reasons = { absentTerm: 'the equation has no such term' };

function lineFields(problem: Problem, { gates }: Verdict, run: number): Field[] {
  const count = problem.nx + 1;
  const isExact = gates.some(({ name }) => name === 'first integral');
  const column = (name: string, unit: string, k: number, sealed: boolean): Field => ({
    name,
    unit,
    shape: [count],
    source: { run: 0, of: 'result', from: 8 * k * count, length: 8 * count },
    sealed,
  });
  const rows = biasSteps(problem) + 1;
  const from = 24 + 48 * gates.length + 8 * LINE.scalars;
  const series = (name: string, unit: string, k: number): Field => ({
    name,
    unit,
    shape: [rows],
    source: { run, of: 'result', from: from + 8 * k * rows, length: 8 * rows },
    sealed: false,
  });
  const mesh = problem.isBiased ? 5 : 3;
  const columns = [
    column('x', 'm', mesh, true),
    column('psi', 'V', 0, isExact),
    column('n', '1/m^3', 1, isExact),
    column('p', '1/m^3', 2, isExact),
    column('E', 'V/m', mesh + 1, isExact),
  ];
  if (!problem.isBiased) return columns;
  const iv = [series('V', 'V', 0), series('J', 'A/m^2', 1)];
  return [
    ...columns,
    ...iv,
    ...(problem.profile.kind === 'junction' ? [series('shockley', 'A/m^2', 2)] : []),
  ];
}

function linePlots({ isBiased, profile }: Problem): Presentation['plots'] {
  const y = profile.kind === 'junction' ? ['J', 'shockley'] : ['J'];
  return [
    { kind: 'line', title: 'potential', x: 'x', y: ['psi'] },
    { kind: 'line', title: 'electric field', x: 'x', y: ['E'] },
    { kind: 'line', title: 'electrons and holes', x: 'x', y: ['n', 'p'] },
    ...(isBiased ? [{ kind: 'line', title: 'current against bias', x: 'V', y } as const] : []),
  ];
}

function presentPlane(input: DeviceInput, problem: Problem, verdict: Verdict, run: number): Presentation {
  const [Vbi, Emax, fine, v2, v4, order, extrapolated, gauss, newton, update, gradients, x, y] =
    verdict.extras;
  const { nx, ny } = problem;
  const nodes = 8 * (nx + 1) * (ny + 1);
  const map = (name: string, unit: string, k: number): Field => ({
    name,
    unit,
    shape: [ny + 1, nx + 1],
    source: { run: 0, of: 'result', from: PLANE.head + k * nodes, length: nodes },
    sealed: false,
  });
  const from = 24 + 48 * verdict.gates.length + 8 * PLANE.scalars;
  const line = (name: string, unit: string, k: number, sealed: boolean): Field => ({
    name,
    unit,
    shape: [nx + 1],
    source: { run, of: 'result', from: from + 8 * k * (nx + 1), length: 8 * (nx + 1) },
    sealed,
  });
  return {
    outputs: {
      Vbi,
      Emax,
      EmaxAt: [x, y],
      grids: hasThreeGrids(problem, input)
        ? { h: fine, '2h': v2, '4h': v4, order, extrapolated: extrapolated === 1 }
        : null,
      gauss,
      iterations: newton,
      update,
      gradientIterations: gradients,
      N: [nx, ny],
    },
    fields: [
      line('x', 'm', 0, true),
      line('profile', 'V', 1, false),
      map('psi', 'V', 0),
      map('n', '1/m^3', 1),
      map('p', '1/m^3', 2),
      map('E', 'V/m', 3),
    ],
    plots: [
      mapOverBox('potential', 'psi', problem),
      mapOverBox('size of the electric field', 'E', problem),
      { kind: 'line', title: 'potential along the middle', x: 'x', y: ['profile'] },
    ],
    diagnostics: readDiagnostics(verdict.extras, diagnosticsAt(problem), reasons),
  };
}

// ---- what was not said ---------------------------------------------------------------------------------

export function assumed(input: DeviceInput): Assumption[] {
  const { dim, nx, ny, tol } = readProblem(input);
  const because = 'numerical choice';
  const list: (Assumption | false)[] = [
    { name: 'e', value: constants.e, unit: 'C', because: 'CODATA 2022, exact' },
    { name: 'k', value: constants.k, unit: 'J/K', because: 'CODATA 2022, exact' },
    { name: 'epsilon0', value: constants.epsilon0, unit: 'F/m', because: 'CODATA 2022' },
    { name: 'statistics', value: 'boltzmann', because: 'dopings are below 1e26 1/m³' },
    {
      name: 'contacts',
      value: 'ohmic',
      because: 'neutral and in equilibrium, at x = 0 and at the other end',
    },
    dim === 2 && { name: 'sides', value: 'insulated', because: 'y = 0 and y = Ly carry no contact' },
    input.dim === undefined && { name: 'dim', value: dim, because: 'the shape of the profile' },
    input.V === undefined && { name: 'V', value: 0, unit: 'V', because: 'equilibrium' },
    input.V !== undefined &&
      input.recombination === undefined && { name: 'recombination', value: 'srh', because: 'its default' },
    input.V !== undefined && {
      name: 'impact ionisation, tunnelling, Auger',
      value: 0,
      because: 'not in the equation',
    },
    input.N === undefined && { name: 'N', value: dim === 1 ? nx : [nx, ny], because },
    input.tol === undefined && { name: 'tol', value: tol, because },
  ];
  return list.filter((entry) => entry !== false);
}

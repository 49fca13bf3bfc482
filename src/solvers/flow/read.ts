import { refuse } from '../../errors/refusal.ts';
import { invalid, inWords, missing } from '../grid/box.ts';
import {
  cellsOf,
  checkCells,
  checkReynolds,
  defaultCells,
  sectionCells,
  sectionOfStart,
  shapeOfStart,
} from './cells.ts';
import type { PlaneProblem, Problem, SectionProblem } from './problem.ts';
import { type FlowInput, LEAST_CELLS, quantities } from './schema.ts';
import { isClosed, readBoundary } from './sides.ts';
import { readSectionStart, readStart, speedsOf } from './start.ts';

/** Fields that a case needs. */
const needed = {
  cavity: ['Lx', 'U', 'lidProfile'],
  'taylor-green': ['Lx', 'U', 't_end'],
  channel: ['G'],
  duct: ['Lz', 'G'],
  custom: ['Lx', 'boundary', 'initialState', 't_end'],
} as const;

/** Reads what the schema cannot say. @throws Refusal that names the field */
export function readProblem(input: FlowInput): Problem {
  checkFields(input);
  return input.case === 'channel' || input.case === 'duct' ? readSection(input) : readPlane(input);
}

function checkFields(input: FlowInput): void {
  const form = input.case;
  const hasState = input.initialState !== undefined;
  const names: readonly string[] = needed[form].filter(
    (name) => !(form === 'taylor-green' && name === 'U' && hasState),
  );
  const absent = names.filter((name) => input[name as keyof FlowInput] === undefined);
  if (absent.length) missing(absent[0]!, absent, `${form} with ${inWords(names)}`);
  if (input.nu === undefined && input.mu === undefined)
    missing('nu', ['nu'], 'nu [m²/s], or mu [Pa s] and rho [kg/m³]');
  if (input.nu !== undefined && input.mu !== undefined)
    invalid('mu', 'the viscosity is given twice', 'nu, or mu and rho');
  const needsDensity = input.mu !== undefined || input.G !== undefined || input.quantity === 'p';
  if (needsDensity && input.rho === undefined) missing('rho', ['rho'], 'the density [kg/m³]');
}

/** @throws Refusal LIMIT_EXCEEDED where a quotient leaves the numbers */
function finite(field: string, value: number): number {
  if (Number.isFinite(value) && value !== 0) return value;
  return refuse('LIMIT_EXCEEDED', `flow: ${field} leads to ${value}.`, {
    field,
    accepts: 'numbers of a usual size',
  });
}

const viscosityOf = ({ nu, mu, rho }: FlowInput): number => nu ?? finite('mu', mu! / rho!);

function inside(field: string, value: number, length: number): number {
  if (!(value >= 0 && value <= length)) invalid(field, `${value} lies outside`, `0 to ${length}`);
  return value;
}

// ---- channel and duct ----------------------------------------------------------------------------------

function readSection(input: FlowInput): SectionProblem {
  const form = input.case as 'channel' | 'duct';
  if (input.quantity !== 'u' && input.quantity !== 'uMax')
    invalid('quantity', `a ${form} has velocity along x alone`, ['u', 'uMax']);
  if (input.t_end === undefined && input.steady === undefined)
    missing('t_end', ['t_end'], 't_end [s] after a start, or steady: true');
  if (input.t_end !== undefined && input.steady)
    invalid('steady', 'the end is given twice', 't_end, or steady: true');
  if (input.steady && input.dt !== undefined) invalid('dt', 'a steady flow has no steps', 't_end with dt');
  if (input.steady && input.initialState)
    invalid('initialState', 'a steady flow has no start', 't_end with initialState');
  const axes = form === 'duct' ? 2 : 1;
  const [ny, nz] = cellsOf(input.N, axes, sectionOfStart(input) ?? sectionCells(input));
  checkCells(ny, nz);
  checkStarted(ny, axes === 2 ? nz : ny);
  const Lz = input.Lz ?? input.Ly;
  const centre = [0, input.Ly / 2, ...(axes === 2 ? [Lz / 2] : [])];
  const probe = input.probe ?? centre;
  if (probe.length !== centre.length)
    invalid('probe', `it has ${probe.length} coordinates`, `${centre.length} of them`);
  if (input.quantity === 'uMax' && input.probe)
    invalid('probe', 'the largest u stands on the axis', 'no probe');
  const nu = viscosityOf(input);
  const t0 = input.initialState?.t0 ?? 0;
  if (input.t_end !== undefined) checkEnd(input.t_end, t0);
  return {
    form,
    ny,
    nz,
    Ly: input.Ly,
    Lz,
    nu,
    rho: input.rho!,
    push: input.G! === 0 ? 0 : finite('G', input.G! / input.rho!),
    start: readSectionStart(input, ny, nz),
    t0,
    duration: input.t_end === undefined ? 0 : input.t_end - t0,
    probe: [inside('probe.1', probe[1]!, input.Ly), axes === 2 ? inside('probe.2', probe[2]!, Lz) : Lz / 2],
    dt: input.dt,
    ...(input.before && { before: input.before }),
  };
}

function checkEnd(end: number, t0: number): void {
  if (!(end > t0)) invalid('t_end', `t_end must lie after t0 = ${t0} s`, `> ${t0}`);
}

/** Cells that came with a start have their coarser grids too. */
function checkStarted(nx: number, ny: number): void {
  if (nx % 4 || ny % 4 || nx < LEAST_CELLS || ny < LEAST_CELLS)
    invalid(
      'initialState.u',
      `it has ${nx} × ${ny} cells`,
      `N ≥ ${LEAST_CELLS} cells along each axis, divisible by 4`,
    );
}

// ---- plane ---------------------------------------------------------------------------------------------

function readPlane(input: FlowInput): PlaneProblem {
  const form = input.case as PlaneProblem['form'];
  const [Lx, Ly, nu] = [input.Lx!, input.Ly, viscosityOf(input)];
  const [nx, ny] = cellsOf(input.N, 2, shapeOfStart(input) ?? defaultCells(input, nu));
  checkCells(nx, ny);
  checkStarted(nx, ny);
  const sides = readBoundary(input, nx, ny);
  const start = readStart(input, nx, ny);
  const t0 = input.initialState?.t0 ?? 0;
  if (form !== 'cavity') checkEnd(input.t_end!, t0);
  checkQuantity(input);
  const g: [number, number] = [input.g?.[0] ?? 0, input.g?.[1] ?? 0];
  const duration = form === 'cavity' ? 0 : input.t_end! - t0;
  const problem: PlaneProblem = {
    form,
    nx,
    ny,
    Lx,
    Ly,
    nu,
    rho: input.rho,
    U: input.U ?? 0,
    lid: form === 'cavity' ? (input.lidProfile === 'uniform' ? 1 : 2) : 0,
    g,
    ...sides,
    start,
    speeds: speedsOf(input, sides.sides, start, { nu, g, duration }),
    t0,
    duration,
    quantity: quantities.indexOf(input.quantity),
    probe: readProbe(input),
    dt: input.dt,
    tol: input.tol ?? 1e-9,
    ...(input.before && { before: input.before }),
  };
  checkReynolds(input, problem);
  checkRatio(input, problem);
  return problem;
}

/** A fluid that stands still at its start, with nothing that passes its sides, has no energy to compare with. */
function checkRatio({ quantity }: FlowInput, { start, sides, nx, ny }: PlaneProblem): void {
  if (quantity !== 'kineticEnergyRatio' || start.kind === 'vortices' || !isClosed(sides, nx, ny)) return;
  const isZero = (value: number) => value === 0;
  const still =
    start.kind === 'uniform'
      ? start.u === 0 && start.v === 0
      : [start.u, start.v].every((u) => u.every(isZero));
  if (still) invalid('quantity', 'a start at rest has no kinetic energy', quantities.slice(0, 10));
}

function readProbe({ probe, Lx, Ly }: FlowInput): readonly [number, number] {
  if (!probe) return [Lx! / 2, Ly / 2];
  if (probe.length !== 2) invalid('probe', `it has ${probe.length} coordinates`, '2 of them');
  return [inside('probe.0', probe[0]!, Lx!), inside('probe.1', probe[1]!, Ly)];
}

function checkQuantity({ quantity, probe, case: form }: FlowInput): void {
  if (probe && quantities.indexOf(quantity) > 4)
    invalid('probe', `${quantity} is not taken at a point`, 'no probe');
  if (form === 'cavity' && quantity === 'kineticEnergyRatio')
    invalid('quantity', 'a steady flow has no start', quantities.slice(0, 10));
}

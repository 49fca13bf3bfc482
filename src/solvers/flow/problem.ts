import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';
import { flatArray, invalid, missing, readSides, type SideName, sideNames } from '../grid/box.ts';
import { type Before, type FlowInput, type FullSide, quantities, type Side } from './schema.ts';

/** Kinds of sides by their code in assembly/flow/problem.ts. */
export const kindCodes = { wall: 0, inflow: 0, slip: 1, outflow: 2, periodic: 3 } as const;
export type KindCode = (typeof kindCodes)[keyof typeof kindCodes];
export const RING = kindCodes.periodic;

/** What flows in a plane. */
export interface PlaneProblem {
  readonly form: 'cavity' | 'taylor-green' | 'custom';
  readonly nx: number;
  readonly ny: number;
  readonly Lx: number;
  readonly Ly: number;
  readonly nu: number;
  readonly rho: number | undefined;
  readonly U: number;
  /** 0: none, 1: uniform, 2: regularised. */
  readonly lid: 0 | 1 | 2;
  readonly g: readonly [number, number];
  /** Left, right, bottom, top. */
  readonly kinds: readonly KindCode[];
  /** Velocities of the sides in their order: normal on the faces, tangential on their ends. */
  readonly sides: readonly number[];
  readonly start:
    | { readonly kind: 'arrays'; readonly u: readonly number[]; readonly v: readonly number[] }
    | { readonly kind: 'uniform'; readonly u: number; readonly v: number }
    | { readonly kind: 'vortices' };
  /** Largest |u|, |v| that may be met. */
  readonly speeds: readonly [number, number];
  readonly t0: number;
  readonly duration: number;
  readonly quantity: number;
  readonly probe: readonly [number, number];
  readonly dt: number | undefined;
  readonly tol: number;
  readonly before?: Before;
}

/** What flows along a channel (nz = 1) or a duct. */
export interface SectionProblem {
  readonly form: 'channel' | 'duct';
  readonly ny: number;
  readonly nz: number;
  readonly Ly: number;
  readonly Lz: number;
  readonly nu: number;
  readonly rho: number;
  /** G/ρ [m/s²]. */
  readonly push: number;
  /** 0: steady. */
  readonly duration: number;
  readonly probe: readonly [number, number];
  readonly dt: number | undefined;
}

export type Problem = PlaneProblem | SectionProblem;
export const isSection = (problem: Problem): problem is SectionProblem =>
  problem.form === 'channel' || problem.form === 'duct';

const MOST_CELLS = 4_200_000;
const MOST_REYNOLDS = 3200;
const MOST_CELL_REYNOLDS = 8;
const CELLS_PER_LAYER = 12;

/** Fields that one case needs, may have besides, and that others have. */
const needed = {
  cavity: ['Lx', 'U', 'lidProfile'],
  'taylor-green': ['Lx', 'U', 't_end'],
  channel: ['G'],
  duct: ['Lz', 'G'],
  custom: ['Lx', 'boundary', 'initialState', 't_end'],
} as const;
const possible = {
  cavity: ['tol'],
  'taylor-green': ['U', 'dt', 'initialState'],
  channel: ['t_end', 'steady', 'dt'],
  duct: ['t_end', 'steady', 'dt'],
  custom: ['dt', 'g'],
} as const;
const particular = [
  ...['Lx', 'Lz', 'U', 'lidProfile', 'G', 'g', 'boundary', 't_end', 'steady', 'dt', 'tol', 'initialState'],
] as (keyof FlowInput)[];

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
  if (absent.length) missing(absent[0]!, absent, `${form} with ${names.join(', ')}`);
  const allowed: readonly string[] = [...names, ...possible[form]];
  for (const name of particular)
    if (input[name] !== undefined && !allowed.includes(name))
      invalid(name, `${form} has no ${name}`, [...allowed]);
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

function checkCells(nx: number, ny: number): void {
  if (nx * ny <= MOST_CELLS) return;
  refuse('LIMIT_EXCEEDED', `${nx * ny} cells are above ${MOST_CELLS}.`, {
    field: 'N',
    measured: nx * ny,
    bound: MOST_CELLS,
    accepts: `at most ${MOST_CELLS} cells`,
  });
}

function cellsOf(
  N: FlowInput['N'],
  axes: 1 | 2,
  fallback: readonly [number, number],
): readonly [number, number] {
  const given = typeof N === 'number' ? [N, axes === 2 ? N : 1] : N;
  if (!given) return fallback;
  if (typeof N !== 'number' && given.length !== axes)
    invalid('N', `N has ${given.length} numbers`, `a number or ${axes} of them`);
  return [given[0]!, given[1] ?? 1];
}

function inside(field: string, value: number, length: number): number {
  if (!(value >= 0 && value <= length)) invalid(field, `${value} lies outside`, `0 to ${length}`);
  return value;
}

// ---- channel and duct ----------------------------------------------------------------------------------

const SECTION_CELLS = 64;

function readSection(input: FlowInput): SectionProblem {
  const form = input.case as 'channel' | 'duct';
  if (input.quantity !== 'u' && input.quantity !== 'uMax')
    invalid('quantity', `a ${form} has velocity along x alone`, ['u', 'uMax']);
  if (input.t_end === undefined && input.steady === undefined)
    missing('t_end', ['t_end'], 't_end [s] after a start from rest, or steady: true');
  if (input.t_end !== undefined && input.steady)
    invalid('steady', 'the end is given twice', 't_end, or steady: true');
  if (input.steady && input.dt !== undefined) invalid('dt', 'a steady flow has no steps', 't_end with dt');
  const axes = form === 'duct' ? 2 : 1;
  const [ny, nz] = cellsOf(input.N, axes, [SECTION_CELLS, axes === 2 ? SECTION_CELLS : 1]);
  checkCells(ny, nz);
  const Lz = input.Lz ?? input.Ly;
  const centre = [0, input.Ly / 2, ...(axes === 2 ? [Lz / 2] : [])];
  const probe = input.probe ?? centre;
  if (probe.length !== centre.length)
    invalid('probe', `it has ${probe.length} coordinates`, `${centre.length} of them`);
  if (input.quantity === 'uMax' && input.probe)
    invalid('probe', 'the largest u stands on the axis', 'no probe');
  const nu = viscosityOf(input);
  return {
    form,
    ny,
    nz,
    Ly: input.Ly,
    Lz,
    nu,
    rho: input.rho!,
    push: input.G! === 0 ? 0 : finite('G', input.G! / input.rho!),
    duration: input.t_end ?? 0,
    probe: [inside('probe.1', probe[1]!, input.Ly), axes === 2 ? inside('probe.2', probe[2]!, Lz) : Lz / 2],
    dt: input.dt,
  };
}

// ---- plane ---------------------------------------------------------------------------------------------

function readPlane(input: FlowInput): PlaneProblem {
  const form = input.case as PlaneProblem['form'];
  const [Lx, Ly, nu] = [input.Lx!, input.Ly, viscosityOf(input)];
  const [nx, ny] = cellsOf(input.N, 2, shapeOfStart(input) ?? defaultCells(input, nu));
  checkCells(nx, ny);
  if (nx % 4 || ny % 4 || nx < 32 || ny < 32)
    invalid('initialState.u', `it has ${nx} × ${ny} cells`, 'N ≥ 32 cells along each axis, divisible by 4');
  const sides = readBoundary(input, nx, ny);
  const start = readStart(input, nx, ny);
  const t0 = input.initialState?.t0 ?? 0;
  if (form !== 'cavity' && !(input.t_end! > t0))
    invalid('t_end', `t_end must lie after t0 = ${t0} s`, `> ${t0}`);
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
  checkReynolds(problem);
  return problem;
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

/** Of a cavity as many as three grids need to agree, by the layers at its walls, of 1/√Re of its length. */
function cavityCells({ U, Lx }: FlowInput, nu: number): number {
  const layers = Math.sqrt((U! * Lx!) / nu);
  return Math.max(128, 64 * Math.min(16, Math.ceil((CELLS_PER_LAYER * layers) / 64)));
}

/** Cells that keep |u|h/ν at 8 or below, at least 64. */
function defaultCells(input: FlowInput, nu: number): readonly [number, number] {
  const { case: form, U, Lx, Ly } = input;
  const wanted = ((U ?? 0) * Math.max(Lx!, Ly)) / (MOST_CELL_REYNOLDS * nu);
  const cells = form === 'cavity' ? cavityCells(input, nu) : Math.max(64, 32 * Math.ceil(wanted / 32));
  return [cells, cells];
}

function shapeOfStart({ initialState }: FlowInput): readonly [number, number] | undefined {
  const rows = initialState?.u;
  if (typeof rows !== 'object' || typeof rows[0] !== 'object') return undefined;
  return [rows[0].length - 1, rows.length];
}

function checkReynolds({ form, speeds, nu, Lx, Ly, nx, ny, U }: PlaneProblem): void {
  const reynolds = (U * Lx) / nu;
  if (form === 'cavity' && !(reynolds <= MOST_REYNOLDS))
    refuse(
      'LIMIT_EXCEEDED',
      `flow: Re = ${reynolds} is above ${MOST_REYNOLDS}, beyond which a cavity need not be steady.`,
      {
        field: 'nu',
        measured: reynolds,
        bound: MOST_REYNOLDS,
        accepts: `U Lx/nu of at most ${MOST_REYNOLDS}`,
      },
    );
  const cell =
    Math.max((speeds[0] * Lx) / nx, (speeds[1] * Ly) / ny, form === 'cavity' ? (U * Lx) / nx : 0) / nu;
  if (!(cell <= MOST_CELL_REYNOLDS * (1 + 1e-12)))
    refuse('STABILITY_LIMIT', `N: |u|h/ν of a cell is ${cell}, above ${MOST_CELL_REYNOLDS}.`, {
      field: 'N',
      measured: cell,
      bound: MOST_CELL_REYNOLDS,
      accepts: 'more cells, a larger viscosity, or a smaller velocity',
    });
}

// ---- sides ---------------------------------------------------------------------------------------------

const fullSide = (side: Side): FullSide => (typeof side === 'string' ? { type: side } : side);

function readBoundary(input: FlowInput, nx: number, ny: number): Pick<PlaneProblem, 'kinds' | 'sides'> {
  if (input.case !== 'custom') {
    const kind = input.case === 'cavity' ? kindCodes.wall : RING;
    return { kinds: [kind, kind, kind, kind], sides: new Array(4 * nx + 4 * ny + 4).fill(0) };
  }
  const sides = readSides<Side>(
    input.boundary!,
    (value) => typeof value === 'string' || (typeof value === 'object' && value !== null && 'type' in value),
    (side) => fullSide(side).type === 'periodic',
    2,
  ) as Record<SideName, Side>;
  const read = sideNames.map((name) =>
    readSide(name, fullSide(sides[name]), name === 'left' || name === 'right' ? ny : nx),
  );
  checkVolume(input, read, nx, ny);
  return {
    kinds: read.map(({ kind }) => kind),
    sides: read.flatMap(({ normal, along }) => [...normal, ...along]),
  };
}

interface ReadSide {
  readonly kind: KindCode;
  readonly normal: readonly number[];
  readonly along: readonly number[];
}

function readSide(name: SideName, { type, u, v }: FullSide, cells: number): ReadSide {
  const upright = name === 'left' || name === 'right';
  const [normal, along] = upright ? [u, v] : [v, u];
  const [across, tangent] = upright ? ['u', 'v'] : ['v', 'u'];
  const field = `boundary.${name}`;
  if (type === 'inflow' && normal === undefined)
    missing(`${field}.${across}`, [`${field}.${across}`], 'the velocity of the inflow');
  if (type === 'wall' && normal !== undefined && [normal].flat().some((x) => x !== 0))
    invalid(`${field}.${across}`, 'nothing passes a wall', 'inflow, or 0');
  if (type !== 'wall' && type !== 'inflow' && (u !== undefined || v !== undefined))
    invalid(`${field}.${u === undefined ? 'v' : 'u'}`, `${type} has no velocity`, 'wall or inflow');
  const spread = (value: FullSide['u'], count: number, part: string): readonly number[] => {
    if (typeof value !== 'object') return new Array(count).fill(value ?? 0);
    if (value.length !== count)
      invalid(`${field}.${part}`, `it has ${value.length} numbers`, `a number or ${count} of them`);
    return value;
  };
  return {
    kind: kindCodes[type],
    normal: spread(normal, cells, across!),
    along: spread(along, cells + 1, tangent!),
  };
}

const VOLUME_ROUNDING = 1e-9;

/** What flows in must flow out, where no side is open. */
function checkVolume({ Lx, Ly }: FlowInput, sides: readonly ReadSide[], nx: number, ny: number): void {
  if (sides.some(({ kind }) => kind === kindCodes.outflow)) return;
  const lengths = [Ly / ny, -Ly / ny, Lx! / nx, -Lx! / nx];
  const flows = sides.flatMap(({ normal }, i) => normal.map((value) => value * lengths[i]!));
  const total = flows.reduce((sum, flow) => sum + flow, 0);
  const size = flows.reduce((sum, flow) => sum + Math.abs(flow), 0);
  if (Math.abs(total) <= VOLUME_ROUNDING * size) return;
  invalid(
    'boundary',
    `${total} m²/s flow in and have no way out`,
    'inflows that add up to nothing, or an outflow',
  );
}

// ---- start ---------------------------------------------------------------------------------------------

const starts = ['initialState {u, v, t0}'];

function readStart(input: FlowInput, nx: number, ny: number): PlaneProblem['start'] {
  const { initialState, case: form } = input;
  refuseElsewhere('flow', initialState, starts);
  if (!initialState) return form === 'taylor-green' ? { kind: 'vortices' } : { kind: 'uniform', u: 0, v: 0 };
  if (form === 'taylor-green' && input.U !== undefined)
    invalid('initialState', 'the start is given twice', ['U', ...starts]);
  const { u, v } = initialState;
  if (u === undefined) missing('initialState.u', ['initialState.u'], starts);
  if (v === undefined) missing('initialState.v', ['initialState.v'], starts);
  if (typeof u === 'number' && typeof v === 'number') return { kind: 'uniform', u, v };
  const spread = (field: string, value: NonNullable<typeof u>, columns: number, rows: number) =>
    typeof value === 'number'
      ? new Array<number>(columns * rows).fill(value)
      : flatArray(field, value, columns, rows);
  return {
    kind: 'arrays',
    u: spread('initialState.u', u, nx + 1, ny),
    v: spread('initialState.v', v, nx, ny + 1),
  };
}

const largest = (values: readonly number[]) =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

interface Driven {
  readonly nu: number;
  readonly g: readonly [number, number];
  readonly duration: number;
}

/** What |u| and |v| may come to: start and sides, and what a force adds until it is balanced or the run ends. */
function speedsOf(
  { case: form, U, Lx, Ly }: FlowInput,
  sides: readonly number[],
  start: PlaneProblem['start'],
  { nu, g, duration }: Driven,
): readonly [number, number] {
  if (start.kind === 'vortices') return [U!, (U! * Ly) / Lx!];
  if (form === 'cavity') return [U!, 0];
  const all = largest(sides);
  const width = Math.min(Lx!, Ly);
  const added = (force: number) => Math.abs(force) * Math.min(duration, (width * width) / (8 * nu));
  const [u, v] =
    start.kind === 'uniform' ? [Math.abs(start.u), Math.abs(start.v)] : [largest(start.u), largest(start.v)];
  return [Math.max(all, u) + added(g[0]), Math.max(all, v) + added(g[1])];
}

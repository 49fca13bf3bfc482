import { refuse } from '../../errors/refusal.ts';
import {
  constants,
  doublingsOf,
  hasEvenRows,
  type Junction,
  longestStep,
  mostOf,
  type Profile,
} from './profile.ts';
import type { DeviceInput } from './schema.ts';

/** Cells along an axis of the plane where N does not say them; more where there are few along y. */
const PLANE_CELLS = 256;
const MOST = { line: 65_536, plane: 512, planeCells: 262_144 };
/** Of a junction by default: cells, and cells times steps of the bias that the limit of work leaves room for. */
const JUNCTION = { least: 1024, most: 16_384, cellSteps: 1.6e7 };
const LN2 = 0.6931471805599453;

/** Cells of a device, and what they cover. */
interface Lattice {
  readonly profile: Profile;
  readonly Lx: number;
  readonly Ly: number;
  readonly nx: number;
  readonly ny: number;
}

export function over(field: string, measured: number, bound: number, what: string): never {
  refuse('LIMIT_EXCEEDED', `${field}: ${measured} ${what} are above ${bound}.`, {
    field,
    measured,
    bound,
    accepts: `at most ${bound} ${what}`,
  });
}

/** Debye's length where the doping is largest [m]. */
function debyeLength({ temperature, epsR, ni }: DeviceInput, most: number): number {
  const Vt = (constants.k * temperature) / constants.e;
  return Math.sqrt((constants.epsilon0 * epsR * Vt) / (constants.e * Math.max(most, 2 * ni)));
}

/** Cells for a number that is wanted: a multiple of `unit` times the intervals of the array where that is not too many. */
function cellsFor(intervals: number, unit: number, wanted: number, most: number): number {
  const step = unit * intervals;
  if (!(step <= most)) return unit * Math.ceil(Math.min(intervals, most) / unit);
  const target = wanted < most ? wanted : most;
  return step * Math.max(1, Math.min(Math.ceil(target / step), Math.floor(most / step)));
}

/**
 * More where a depletion layer holds many kT/q. What it generates ends where carriers come to n_i, and they do so within
 * Debye's length λ of the lighter side over √(2 ln C/n_i), at λ√(2ψ/V_t) from the junction. Cells have grown by then; so
 * many are enough for a thousandth of J, as random junctions from 20 to 100 K show: more forward, where all that
 * recombines does so within such a length.
 */
function junctionCells(input: DeviceInput, { Na, Nd, Lp, Ln }: Junction): number {
  const { V = 0, temperature, ni } = input;
  if (V === 0) return JUNCTION.least;
  const Vt = (constants.k * temperature) / constants.e;
  const [light, length] = Na < Nd ? [Na, Lp] : [Nd, Ln];
  const fall = Math.max(1, LN2 * doublingsOf(light / ni));
  const growth = LN2 * doublingsOf(length / (2 * debyeLength(input, Math.max(Na, Nd))));
  const wanted = (V < 0 ? 2.2 : 9) * growth * Math.sqrt(Math.max(0, 2 * fall - V / Vt) * fall);
  const most = Math.min(JUNCTION.most, (JUNCTION.cellSteps * longestStep(Vt)) / Math.abs(V));
  return 8 * Math.ceil(Math.max(JUNCTION.least, Math.min(wanted, most)) / 8);
}

/**
 * As many cells along x as an error of order 2 takes that is `excess` times its bound: at least twice as many. Of an array
 * at least three in two of the shortest Debye length, without which no order is believed (assembly/verdicts/device.ts), and
 * no more than six in one: an error on fewer says nothing.
 */
export function cellsWanted(
  input: DeviceInput,
  { profile, Lx, Ly, nx, ny }: Lattice,
  excess: number,
): number {
  const times = Math.max(2, Math.ceil(1.2 * Math.sqrt(excess)));
  if (profile.kind === 'junction') return times * nx;
  const longest = hasEvenRows(profile) ? Lx : Math.max(Lx, (Ly / ny) * nx);
  const resolved = (1.6 * longest) / debyeLength(input, mostOf(profile));
  const most = resolved > nx ? Math.max(4 * resolved, 2 * nx) : Infinity;
  return 8 * Math.ceil(Math.max(resolved, Math.min(times * nx, most)) / 8);
}

/** The most that may be asked for along x. */
export function mostCells({ profile, Lx, Ly, ny }: Lattice): number {
  if (ny === 0) return MOST.line;
  const { rows } = profile as { rows: number };
  for (let nx = MOST.plane; nx > 32; nx -= 8)
    if (nx * cellsAcross(rows, (nx * Ly) / Lx, MOST.plane) <= MOST.planeCells) return nx;
  return 32;
}

const cellsAcross = (rows: number, wanted: number, most: number) =>
  cellsFor(rows - 1, 4, Math.max(wanted, 16), most);

/** Cells along x and y; in one dimension none along y. */
export function readCells(
  input: DeviceInput,
  profile: Profile,
  dim: 1 | 2,
  Lx: number,
  Ly: number,
): readonly [number, number] {
  const { N } = input;
  const bound = dim === 1 ? MOST.line : MOST.plane;
  if (N !== undefined && N > bound) over('N', N, bound, 'cells');
  if (profile.kind === 'junction') return [N ?? junctionCells(input, profile), 0];
  const { columns, rows, isUniform } = profile;
  const debye = debyeLength(input, mostOf(profile));
  if (dim === 1)
    return [N ?? (isUniform ? 64 : cellsFor(columns - 1, 8, Math.max(512, (8 * Lx) / debye), 8192)), 0];
  const isEven = hasEvenRows(profile);
  const most = isEven ? MOST.plane : PLANE_CELLS;
  const nx = N ?? cellsFor(columns - 1, 4, isUniform ? 32 : Math.max(64, (8 * Lx) / debye), most);
  const across = isUniform ? 32 : isEven ? 16 : Math.max(64, (8 * Ly) / debye);
  const ny =
    N === undefined ? cellsAcross(rows, across, PLANE_CELLS) : cellsAcross(rows, (nx * Ly) / Lx, MOST.plane);
  if (nx * ny > MOST.planeCells) over('N', nx * ny, MOST.planeCells, 'cells');
  return [nx, ny];
}

import { refuse } from '../../errors/refusal.ts';
import { flatArray, invalid, missing } from '../grid/box.ts';
import { over, readCells } from './cells.ts';
import { constants, doublingsOf, mostOf, type Profile } from './profile.ts';
import { DEGENERATE, type DeviceInput } from './schema.ts';

export interface Problem {
  readonly dim: 1 | 2;
  readonly profile: Profile;
  /** Lengths along x and y [m]; y: 0 in one dimension. */
  readonly Lx: number;
  readonly Ly: number;
  readonly nx: number;
  readonly ny: number;
  /** From n_i to the largest doping. */
  readonly doublings: number;
  readonly V: number;
  /** kT/q [V]. */
  readonly Vt: number;
  readonly isBiased: boolean;
  readonly recombines: boolean;
  readonly tol: number;
}

const profiles = ['Na, Nd, Lp and Ln', 'doping and L', 'doping, Lx and Ly'];
const MOST_DOPING_NODES = 262_144;

/** Reads what the schema cannot say. @throws Refusal that names the field */
export function readProblem(input: DeviceInput): Problem {
  const dim = readDimension(input);
  const profile = input.doping === undefined ? readJunction(input) : readDoping(input, dim);
  readBias(input, dim);
  const [Lx, Ly] =
    profile.kind === 'junction'
      ? [profile.Lp + profile.Ln, 0]
      : dim === 1
        ? [input.L!, 0]
        : [input.Lx!, input.Ly!];
  const [nx, ny] = readCells(input, profile, dim, Lx, Ly);
  return {
    ...{ dim, profile, Lx, Ly, nx, ny },
    doublings: doublingsOf(mostOf(profile) / input.ni),
    V: input.V ?? 0,
    Vt: (constants.k * input.temperature) / constants.e,
    isBiased: input.V !== undefined && input.V !== 0,
    recombines: input.recombination !== 'none',
    tol: input.tol ?? 1e-8,
  };
}

// ---- profiles ------------------------------------------------------------------------------------------

function unwanted(input: DeviceInput, names: readonly (keyof DeviceInput)[], why: string): void {
  for (const name of names)
    if (input[name] !== undefined)
      invalid(name, why, `a request without ${name}, or another profile: ${profiles.join('; ')}`);
}

function needed(
  input: DeviceInput,
  names: readonly (keyof DeviceInput)[],
  accepts: string | readonly string[],
): void {
  const absent = names.filter((name) => input[name] === undefined);
  if (absent.length) missing(absent[0]!, absent, accepts);
}

function readDimension({ dim, doping, L, Lx, Ly }: DeviceInput): 1 | 2 {
  if (doping === undefined) return dim ?? 1;
  if (typeof doping === 'number') return dim ?? (L === undefined && (Lx ?? Ly) !== undefined ? 2 : 1);
  const shape = typeof doping[0] === 'number' ? 1 : 2;
  if (dim !== undefined && dim !== shape)
    invalid(
      'doping',
      `it is an array of ${shape === 1 ? 'numbers' : 'rows'}, dim is ${dim}`,
      dim === 1 ? 'numbers along x' : 'rows [y][x]',
    );
  return shape;
}

function readJunction(input: DeviceInput): Profile {
  unwanted(input, ['L', 'Lx', 'Ly'], 'it goes with doping');
  needed(input, ['Na', 'Nd', 'Lp', 'Ln'], profiles);
  if (input.dim === undefined) missing('dim', ['dim'], 'dim 1 with Na, Nd, Lp and Ln');
  if (input.dim === 2)
    invalid('dim', 'an abrupt junction has one dimension', 'dim 1, or doping with Lx and Ly');
  const { Na, Nd, Lp, Ln } = input as Required<DeviceInput>;
  checkScales(input, Math.max(Na, Nd));
  return { kind: 'junction', Na, Nd, Lp, Ln };
}

function readDoping(input: DeviceInput, dim: 1 | 2): Profile {
  unwanted(input, ['Na', 'Nd', 'Lp', 'Ln'], 'the profile is given by doping too');
  unwanted(
    input,
    dim === 1 ? ['Lx', 'Ly'] : ['L'],
    `the profile has ${dim} dimension${dim === 1 ? '' : 's'}`,
  );
  needed(input, dim === 1 ? ['L'] : ['Lx', 'Ly'], dim === 1 ? profiles[1] : profiles[2]);
  const { values, columns, rows } = nodesOf(input.doping!, dim);
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  if (!(most < DEGENERATE))
    invalid(
      'doping',
      `${most} 1/m³ is degenerate: Boltzmann’s statistics fail`,
      `−${DEGENERATE} to ${DEGENERATE}`,
    );
  checkScales(input, most);
  return { kind: 'array', values, columns, rows, isUniform: values.every((value) => value === values[0]) };
}

function nodesOf(doping: NonNullable<DeviceInput['doping']>, dim: 1 | 2) {
  if (typeof doping === 'number') {
    const values = new Array<number>(2 * dim).fill(doping);
    return { values, columns: 2, rows: dim };
  }
  const rows = dim === 1 ? 1 : doping.length;
  const columns = dim === 1 ? doping.length : (doping[0] as readonly number[]).length;
  if (columns < 2 || (dim === 2 && rows < 2))
    invalid('doping', 'it has one node along an axis', 'at least 2 nodes');
  const values = flatArray('doping', doping, columns, rows);
  if (values.length > MOST_DOPING_NODES) over('doping', values.length, MOST_DOPING_NODES, 'nodes');
  return { values, columns, rows };
}

/** Densities over n_i and Debye's length must be numbers. */
function checkScales({ temperature, epsR, ni }: DeviceInput, most: number): void {
  if (!(most / ni < 1e100))
    invalid('ni', `a doping of ${most} 1/m³ is too far above it`, 'above 1e-100 of the doping');
  const Vt = (constants.k * temperature) / constants.e;
  const square = (constants.epsilon0 * epsR * Vt) / (constants.e * ni);
  if (!(Vt > 1e-100 && Vt < 1e100))
    invalid('temperature', `kT/q is ${Vt} V`, 'a temperature whose kT/q is a voltage');
  if (!(square > 1e-100 && square < 1e100))
    invalid('ni', `the intrinsic Debye length is √${square} m`, 'a density of carriers');
}

// ---- bias ----------------------------------------------------------------------------------------------

const transport = ['mun', 'mup', 'taun', 'taup', 'recombination'] as const;

function readBias(input: DeviceInput, dim: 1 | 2): void {
  if (dim === 2) {
    for (const [field, isThere] of [
      ['V', input.V !== undefined],
      ['quantity', input.quantity === 'J'],
    ] as const)
      if (isThere)
        refuse('UNSUPPORTED', 'device: in two dimensions there is the equilibrium alone.', {
          field,
          accepts: field === 'V' ? 'dim 1, or no V' : ['Vbi', 'Emax'],
        });
  }
  if (input.quantity === 'J') needed(input, ['V'], 'V [V], mun, mup, and taun, taup or recombination none');
  if (input.V === undefined) {
    for (const name of transport)
      if (input[name] !== undefined) invalid(name, 'without V nothing flows', `V, or no ${name}`);
    return;
  }
  needed(input, ['mun', 'mup'], 'mun and mup [m²/(V s)]');
  if (input.recombination !== 'none')
    needed(input, ['taun', 'taup'], 'taun and taup [s], or recombination none');
  else
    for (const name of ['taun', 'taup'] as const)
      if (input[name] !== undefined)
        invalid(name, 'recombination is none', `recombination srh, or no ${name}`);
}

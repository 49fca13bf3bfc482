import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';

const cubed = (x: number): number => x * x * x;

export const truncations = ['truncated', 'shifted', 'shifted-force'] as const;
export type Truncation = (typeof truncations)[number];
type Triples = readonly (readonly number[])[];

export interface EvolveInput {
  readonly units?: 'lj';
  readonly epsilon?: number;
  readonly sigma?: number;
  readonly mass?: number;
  readonly box?: 'open' | number | readonly number[];
  readonly r_c?: number;
  readonly truncation?: Truncation;
  readonly dt: number;
  readonly t_max: number;
  readonly seed?: number | string;
  readonly initialState: {
    readonly position?: Triples;
    readonly velocity?: Triples;
    readonly cells?: number;
    readonly density?: number;
    readonly temperature?: number;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
}

/** Where the earlier job ended. */
export interface Before {
  readonly job: string;
  readonly steps: number;
  /** h of the run, in seconds. */
  readonly step: number;
  /** State bodies of the run and of the one with half the step. */
  readonly states: readonly Uint8Array[];
}

export interface Problem {
  readonly atoms: number;
  readonly epsilon: number;
  readonly sigma: number;
  readonly mass: number;
  /** Edges in m; none: open; of a lattice zeros. */
  readonly edges: readonly [number, number, number] | undefined;
  readonly cutoff: number;
  readonly truncation: Truncation;
  readonly step: number;
  readonly steps: number;
  readonly t0: number;
  readonly lattice?: { readonly cells: number; readonly density: number; readonly kT: number };
  readonly position: Triples;
  readonly velocity: Triples;
  /** Room for neighbours of an atom behind it, on average. */
  readonly room: number;
  readonly before?: Before;
}

export const MAX_ATOMS = 1_000_000;
const MAX_WORK = 1e13;
const MAX_BARE = 4096;
/** CODATA 2022, J/K. */
export const BOLTZMANN = 1.380649e-23;

function invalid(field: string, message: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', message, { field, accepts });
}

function missing(field: string, accepts: unknown): never {
  return refuse('MISSING_INPUT', `evolve lacks ${field}.`, { field, missing: [field], accepts });
}

export function readProblem(input: EvolveInput): Problem {
  const scales = scalesOf(input);
  const start = startOf(input, scales.epsilon);
  const step = input.before?.step ?? stepOf(input, scales);
  const edges = edgesOf(input, start.lattice !== undefined);
  const cutoff = cutoffOf(input, edges, start);
  const atoms = start.lattice ? 4 * cubed(start.lattice.cells) : start.position.length;
  const problem: Problem = {
    ...scales,
    ...start,
    atoms,
    edges,
    cutoff,
    truncation: input.truncation ?? 'truncated',
    step,
    steps: stepsOf(input, step),
    room: roomOf(atoms, cutoff / scales.sigma, densityOf(start, edges, atoms) * cubed(scales.sigma)),
    ...(input.before && { before: input.before }),
  };
  checkSize(problem);
  checkOverlap(problem);
  return problem;
}

function scalesOf(input: EvolveInput) {
  const { units, epsilon, sigma, mass } = input;
  const names = ['epsilon', 'sigma', 'mass'] as const;
  if (units === 'lj') {
    const given = names.find((name) => input[name] !== undefined);
    if (given) invalid(given, `With units lj ${given} is 1.`, 'units lj alone, or epsilon, sigma and mass');
    return { epsilon: 1, sigma: 1, mass: 1 };
  }
  const lacking = names.find((name) => input[name] === undefined);
  if (lacking) missing(lacking, 'epsilon [J], sigma [m] and mass [kg], or units lj');
  return { epsilon: epsilon!, sigma: sigma!, mass: mass! };
}

/** h = t_max/n with n = ⌈t_max/dt⌉; at most 0.02 τ. */
function stepOf({ dt, t_max }: EvolveInput, { epsilon, sigma, mass }: ReturnType<typeof scalesOf>): number {
  const longest = 0.02 * sigma * Math.sqrt(mass / epsilon);
  if (!(dt <= longest * (1 + 1e-12)))
    refuse('STABILITY_LIMIT', `dt: ${dt} is more than 0.02 σ√(m/ε).`, {
      field: 'dt',
      measured: dt,
      bound: longest,
      maxDt: longest,
      accepts: `at most ${longest}`,
    });
  return t_max / Math.max(1, Math.ceil((t_max / dt) * (1 - 1e-12)));
}

const stepsOf = ({ t_max }: EvolveInput, step: number) => Math.max(1, Math.floor(t_max / step + 0.5));

type Start = Pick<Problem, 'position' | 'velocity' | 't0' | 'lattice'>;
const starts = ['initialState {position, velocity}', 'initialState {cells, density, temperature}'];

function startOf({ initialState, units }: EvolveInput, epsilon: number): Start {
  const { position, velocity, cells, density, temperature, t0 = 0 } = initialState;
  refuseElsewhere('evolve', initialState, starts);
  const lattice = cells !== undefined || density !== undefined || temperature !== undefined;
  if (lattice && (position || velocity))
    invalid('initialState.cells', 'The start is given twice: atoms and a lattice.', starts);
  if (!lattice) {
    if (!position) missing('initialState.position', starts);
    if (!velocity) missing('initialState.velocity', starts);
    checkAtoms(position, velocity);
    return { position, velocity, t0 };
  }
  const [n, rho, T] = [
    cells ?? missing('initialState.cells', starts),
    density ?? missing('initialState.density', starts),
    temperature ?? missing('initialState.temperature', starts),
  ];
  const kT = units === 'lj' ? T * epsilon : T * BOLTZMANN;
  return { lattice: { cells: n, density: rho, kT }, position: [], velocity: [], t0 };
}

function checkAtoms(position: Triples, velocity: Triples): void {
  if (velocity.length !== position.length)
    invalid(
      'initialState.velocity',
      `There are ${position.length} positions and ${velocity.length} velocities.`,
      `${position.length} velocities`,
    );
  if (position.length < 2)
    invalid('initialState.position', 'One atom has nothing to meet.', 'two atoms or more');
  if (position.length > MAX_ATOMS)
    refuse('LIMIT_EXCEEDED', `${position.length} atoms are too many.`, {
      field: 'initialState.position',
      measured: position.length,
      bound: MAX_ATOMS,
    });
}

function edgesOf({ box }: EvolveInput, lattice: boolean): Problem['edges'] {
  if (lattice) {
    if (box !== undefined) invalid('box', 'The box of a lattice follows from its density.', 'no box');
    return [0, 0, 0];
  }
  if (box === undefined) missing('box', 'open, an edge [m] or [Lx, Ly, Lz]');
  if (box === 'open') return undefined;
  const edges = typeof box === 'number' ? [box, box, box] : box;
  if (!edges.every((edge) => edge > 0)) invalid('box', 'An edge is not above 0.', 'edges above 0');
  return edges as unknown as readonly [number, number, number];
}

function cutoffOf(input: EvolveInput, edges: Problem['edges'], { lattice }: Start): number {
  const { r_c, truncation } = input;
  if (r_c === undefined) {
    if (edges) missing('r_c', 'a cut-off of at most half the box');
    if (truncation !== undefined) invalid('truncation', 'Without r_c nothing is truncated.', 'r_c beside it');
    return 0;
  }
  if (truncation === undefined) missing('truncation', truncations);
  // cells³ · 4/ρ is the volume: cubes compare as edges do, without a root.
  const fits = lattice
    ? 8 * r_c * r_c * r_c <= ((4 * cubed(lattice.cells)) / lattice.density) * (1 + 1e-12)
    : !edges || edges.every((edge) => 2 * r_c <= edge * (1 + 1e-12));
  if (!fits)
    invalid(
      'r_c',
      'r_c is more than half the box: an atom would meet another twice.',
      'at most half the box',
    );
  return r_c;
}

function densityOf({ lattice }: Start, edges: Problem['edges'], atoms: number): number {
  if (lattice) return lattice.density;
  return edges ? atoms / (edges[0] * edges[1] * edges[2]) : 0;
}

/**
 * Room for half of all, or for half of those in a ball of r_c + 0.3σ at the box's density and some more, or at that of a
 * liquid where that is denser; and for what leads past 65,535 atoms and more.
 */
function roomOf(atoms: number, cutoff: number, density: number): number {
  if (cutoff === 0) return 0;
  const most = Math.ceil((atoms - 1) / 2);
  if (density === 0) return most;
  const reach = cutoff + 0.3;
  const ball = 4.19 * reach * reach * reach;
  return Math.min(most, Math.ceil((ball * Math.max(1, 1.1 * density)) / 2) + 6) + Math.floor(atoms / 131_070);
}

/** Work units of an atom's pairs in a step. */
export const pairUnits = ({ atoms, cutoff, room }: Problem) => (cutoff > 0 ? 8 * room : 3 * (atoms - 1));

function checkSize(problem: Problem): void {
  const { atoms, cutoff, edges, steps } = problem;
  if ((cutoff === 0 || !edges) && atoms > MAX_BARE)
    refuse('LIMIT_EXCEEDED', `${atoms} atoms in an open box all meet one another.`, {
      field: 'initialState.position',
      measured: atoms,
      bound: MAX_BARE,
      accepts: `at most ${MAX_BARE} atoms, or a periodic box`,
    });
  const work = atoms * pairUnits(problem) * steps;
  if (!(work <= MAX_WORK))
    refuse('LIMIT_EXCEEDED', `${atoms} atoms for ${steps} steps are too much work.`, {
      field: 't_max',
      measured: work,
      bound: MAX_WORK,
      accepts: 'fewer atoms, a shorter t_max or a larger dt',
    });
}

/** Atoms nearer than σ/2, found in cells of that size by name. */
function checkOverlap({ position, sigma, edges }: Problem): void {
  const size = sigma / 2;
  const fold = (x: number, axis: number) => (edges ? x - edges[axis]! * Math.floor(x / edges[axis]!) : x);
  const seen = new Map<string, number[]>();
  position.forEach((point, i) => {
    const folded = point.map(fold);
    const cell = folded.map((x) => Math.floor(x / size));
    for (const dz of [-1, 0, 1])
      for (const dy of [-1, 0, 1])
        for (const dx of [-1, 0, 1])
          for (const j of seen.get(`${cell[0]! + dx} ${cell[1]! + dy} ${cell[2]! + dz}`) ?? [])
            if (tooNear(point, position[j]!, edges, size)) refuseOverlap(i, j, size);
    const key = cell.join(' ');
    seen.set(key, [...(seen.get(key) ?? []), i]);
  });
}

function tooNear(a: readonly number[], b: readonly number[], edges: Problem['edges'], size: number): boolean {
  const d2 = a.reduce((sum, x, axis) => {
    const d = x - b[axis]!;
    const d1 = edges ? d - edges[axis]! * Math.floor(d / edges[axis]! + 0.5) : d;
    return sum + d1 * d1;
  }, 0);
  return d2 < size * size;
}

function refuseOverlap(i: number, j: number, size: number): never {
  return invalid(
    `initialState.position[${i}]`,
    `Atoms ${j} and ${i} overlap.`,
    `atoms ${size} apart or more`,
  );
}

import { refuse } from '../../errors/refusal.ts';
import type { Bar, Plate } from './problem.ts';

// What a plate's run takes: memory as assembly/fracture/levels.ts and multigrid.ts lay it, and ceilings of its work.

const MOST_WORK = 1e15;
/** Fields of nodes of a run on its own grid, those of a split's stiffness, and those in whose place the grids are built. */
const FIELDS = 25;
const SPLIT_FIELDS = 6;
const SPARE_FIELDS = 8;
/** Cells above which there are no coarser grids; cells across the coarsest up to which it is eliminated. */
const MOST_GRIDDED = 2_000_000;
const WIDEST_DIRECT = 64;

export const nodes = ({ N, M }: Plate, factor: number) => (N / factor + 1) * (M / factor + 1);
export const padded = ({ N, M }: Plate, factor: number) => (N / factor + 4) * (M / factor + 1);
export const fieldsOf = ({ split }: Plate) => FIELDS + (split === 0 ? 0 : SPLIT_FIELDS);

/** Sizes of the coarser grids of a run, as assembly/fracture/levels.ts lays them. */
function coarserGrids({ N, M }: Plate, factor: number): (readonly [number, number])[] {
  const grids: (readonly [number, number])[] = [];
  if ((N * M) / (factor * factor) > MOST_GRIDDED) return grids;
  let [n, m] = [N / factor, M / factor];
  while (n % 2 === 0 && m % 2 === 0 && Math.min(n, m) > 6) {
    [n, m] = [n / 2, m / 2];
    grids.push([n, m]);
  }
  return grids;
}

/** Bytes of their matrices and vectors, of the factors of the coarsest, and what building them takes beyond spare fields. */
export function gridBytes(plate: Plate, factor: number): number {
  const grids = coarserGrids(plate, factor);
  const last = grids.at(-1);
  if (!last) return 0;
  const [n, m] = last;
  const inner = n < m ? n + 1 : m - 1;
  const factors = Math.min(n, m) <= WIDEST_DIRECT ? 2 * (n + 1) * (m - 1) * (2 * inner + 5) : 0;
  const own = ([n, m]: readonly [number, number]) => 44 * (n + 2) * (m + 1) + 8 * (n + 1) * (m + 1);
  const built = ([n, m]: readonly [number, number]) => 2 * n * m + 128 * n;
  const finest = (2 * plate.N * plate.M) / (factor * factor);
  const building = grids.reduce((sum, grid) => sum + built(grid), finest);
  const beyond = Math.max(0, building - SPARE_FIELDS * padded(plate, factor));
  return 8 * (grids.reduce((sum, grid) => sum + own(grid), 0) + factors + beyond) + 4000;
}

/** U/Uc, all loads together, Uc being the load under which a crack runs along a strip with clamped sides (Rivlin & Thomas 1953). */
function severity({ uMax, steps, last, Gc, Ly, lambda, mu, direction }: Plate): number {
  const modulus = direction === 1 ? mu : lambda + 2 * mu;
  return (uMax * last) / steps / Math.sqrt((2 * Gc * Ly) / modulus);
}

/**
 * Whether the load may break the plate: square ones did from 0.83 Uc on; a tall one bears more, as it contracts; and where
 * ell is long, one softens as a whole at its strength, whose energy is 3G_c/16ℓ (AT1) or G_c/6ℓ (AT2, Pham et al. 2011):
 * with its notch from 0.4 of that energy on.
 */
function mayBreak(plate: Plate): boolean {
  const height = plate.Ly / plate.Lx;
  const cracks = plate.direction === 1 ? 0.7 * height : 0.75 * Math.sqrt(height);
  const softens = Math.sqrt((0.4 * (plate.model === 1 ? 3 / 16 : 1 / 6) * plate.Ly) / plate.ell);
  return severity(plate) > Math.min(cracks, softens);
}

/**
 * Work of a turn, measured, and a fifth more: a few cycles over the grids, many where closed cells slide on each other; and
 * the damage, found the slower the more cells lie in ell.
 */
export function turnWork(plate: Plate, factor: number): number {
  const { N, M, h, ell, split, direction, notch } = plate;
  const isGridded = coarserGrids(plate, factor).length > 0;
  const whole = isGridded ? Math.max(900, 800 + (30 * ell) / (h * factor)) : 600 + (24 * (N + M)) / factor;
  const spectral = mayBreak(plate) ? 1500 + (100 * N) / factor : 3000;
  const slides = direction === 1 || notch.angle !== 0;
  const ofSplit = slides ? 1000 + (300 * Math.max(N, M)) / factor : split === 1 ? spectral : 2300;
  return padded(plate, factor) * (split === 0 ? whole : Math.max(ofSplit, 1.4 * whole));
}

/**
 * Turns: at most twice those measured, which are a few a load step, some hundreds for a plate that breaks, and more
 * on more cells along which its crack creeps; AT2 takes nearly twice as many.
 */
function turnsOf(plate: Plate, factor: number): number {
  const { model, last, done, N, M } = plate;
  const breaking = mayBreak(plate) ? 400 + (6 * Math.max(N, M)) / factor : 0;
  return 8 * (last - done) + (model === 1 ? 150 : 250) + (model === 1 ? 1 : 1.8) * breaking;
}

/** Work in which the notch takes the damage that it has without a load. */
const notchWork = (plate: Plate, factor: number) =>
  padded(plate, factor) *
  (plate.model === 1
    ? 3000 + (40 * (plate.N + plate.M)) / factor
    : 1000 + (130 * (plate.N + plate.M)) / factor);

/** Work after which a run is said not to converge. */
export function plateWork(plate: Plate, factor: number): number {
  return checkedWork(Math.ceil(turnWork(plate, factor) * turnsOf(plate, factor) + notchWork(plate, factor)));
}

/** Of that what random plates take at most, nine times in ten: what slides on a split's closed cells is cut short seldom. */
export function expectedShare({ split, direction, notch }: Plate): number {
  const slides = direction === 1 || notch.angle !== 0;
  if (split === 0 || !slides) return 0.35;
  return split === 1 ? 0.1 : 0.25;
}

/** Turns that random bars take at most, nine times in ten: of AT1 three a step until it breaks, of AT2 four. */
export function expectedTurns({ model, E, Gc, ell, L, uMax, steps, last, done }: Bar): number {
  const strain = (uMax * last) / (steps * L);
  const breaks = strain * strain > (3 * Gc) / (8 * E * ell);
  const left = last - done;
  if (model === 1) return breaks ? 5 * left + 150 : 3 * left + 4;
  return breaks ? 8 * left + 330 : 4 * left + 380;
}

export function checkedWork(work: number): number {
  if (work <= MOST_WORK) return work;
  return refuse('LIMIT_EXCEEDED', `fracture could need ${work} work units.`, {
    field: 'loading.steps',
    measured: work,
    bound: MOST_WORK,
    accepts: 'fewer cells or load steps',
  });
}

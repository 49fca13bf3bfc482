import { refuse } from '../../errors/refusal.ts';
import type { Plate } from './problem.ts';

// What a plate's run takes: memory as assembly/fracture/levels.ts and multigrid.ts lay it, and ceilings of its work.

const MOST_WORK = 1e15;
/** Fields of nodes of a run on its own grid, and those of a split's stiffness. */
const FIELDS = 42;
const SPLIT_FIELDS = 6;
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

/** Bytes of their matrices, vectors and elements, and of the factors of the coarsest. */
export function gridBytes(plate: Plate, factor: number): number {
  const grids = coarserGrids(plate, factor);
  const last = grids.at(-1);
  if (!last) return 2 * padded(plate, factor) * 8;
  const [n, m] = last;
  const inner = n < m ? n + 1 : m - 1;
  const factors = Math.min(n, m) <= WIDEST_DIRECT ? 2 * (n + 1) * (m - 1) * (2 * inner + 5) : 0;
  const own = ([n, m]: readonly [number, number]) => 44 * (n + 2) * (m + 1) + 10 * (n + 1) * (m + 1);
  const elements = 64 * grids[0]![0] * grids[0]![1];
  const finest = (2 * plate.N * plate.M) / (factor * factor);
  return 8 * (grids.reduce((sum, grid) => sum + own(grid), finest) + elements + factors) + 4000;
}

/** Work of a turn: a few cycles over the grids, or as many iterations as cells span. */
export function turnWork(plate: Plate, factor: number): number {
  const cycles = coarserGrids(plate, factor).length > 0 ? 1400 : 600 + (24 * (plate.N + plate.M)) / factor;
  return padded(plate, factor) * cycles * (plate.split === 0 ? 1 : 1.4);
}

/** Work after which a run is said not to converge. */
export function plateWork(plate: Plate, factor: number): number {
  const turns = 20 * (plate.last - plate.done) + 1500 + (100 * Math.max(plate.N, plate.M)) / factor;
  return checkedWork(Math.ceil(turnWork(plate, factor) * turns));
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

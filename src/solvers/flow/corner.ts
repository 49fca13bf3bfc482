import { cellsAccepted } from '../grid/box.ts';
import { MOST_OF_CAVITY } from './cells.ts';
import type { PlaneProblem } from './problem.ts';
import { quantities } from './schema.ts';

/** So many cells from a corner where the speed of the lid ends three grids agree: there the flow depends on the angle alone. */
const CELLS_FROM_LID = 40;
const UNIFORM = 1;
/** Cells of a steady cavity that halve often enough. */
const STEP = 64;
/** Codes of what is taken at a point end here. */
const LAST_AT_POINT = quantities.indexOf('omega');

const jumpsBeside = ({ lid, quantity }: PlaneProblem) => lid === UNIFORM && quantity <= LAST_AT_POINT;

/** What a cavity is told that no cells are enough for. */
export const orElse = (problem: PlaneProblem): string =>
  `a smaller Re${jumpsBeside(problem) ? ', or a probe farther from where the lid ends' : ''}`;

/** What is accepted where the probe is within so many cells of an end of a uniform lid; `usual` cells at least. */
export function nearLidCorner(
  problem: PlaneProblem,
  usual: readonly [number, number],
): Record<string, unknown> | undefined {
  const { nx, ny, Lx, Ly } = problem;
  const [x, y] = problem.probe;
  if (!jumpsBeside(problem)) return undefined;
  const cellsBetween = Math.max((Math.min(x, Lx - x) * nx) / Lx, ((Ly - y) * ny) / Ly);
  if (cellsBetween >= CELLS_FROM_LID) return undefined;
  const finer = [nx, ny].map((count, axis) =>
    Math.max(usual[axis]!, STEP * Math.ceil((count * CELLS_FROM_LID) / cellsBetween / STEP)),
  );
  if (finer[0]! * finer[1]! <= MOST_OF_CAVITY)
    return { field: 'N', accepts: cellsAccepted(finer, undefined) };
  const times = Math.sqrt(MOST_OF_CAVITY / (nx * ny));
  const finest = [nx, ny].map((count) => Math.max(STEP, STEP * Math.floor((count * times) / STEP)));
  const away = CELLS_FROM_LID * Math.max(Lx / finest[0]!, Ly / finest[1]!);
  return {
    field: 'probe',
    accepts: `at least ${away} m from the corners where the lid ends, with ${cellsAccepted(finest, undefined)}`,
  };
}

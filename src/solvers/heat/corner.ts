import { cellsAccepted, goesOnFrom, moreCells } from '../grid/box.ts';
import { MOST_NAMED, readProblem, type Side } from './problem.ts';
import type { HeatInput } from './schema.ts';

/** So many cells from a corner where T jumps three grids agree: there T depends on the angle alone. */
const CELLS_FROM_JUMP = 18;

const apart = (x: number, y: number) => Math.sqrt(x * x + y * y);

/** How far the probe is from the nearest corner at which two fixed sides have different temperatures [m]. */
function fromJump({ box, sides }: ReturnType<typeof readProblem>): number {
  const { Lx, Ly, probe } = box;
  const jumps = (a: Side | undefined, b: Side | undefined) =>
    a !== undefined && b !== undefined && a.kind === 0 && b.kind === 0 && a.T !== b.T;
  let nearest = Infinity;
  for (const [i, x] of [0, Lx].entries())
    for (const [j, y] of [0, Ly].entries())
      if (jumps(sides[i], sides[2 + j])) nearest = Math.min(nearest, apart(probe[0] - x, probe[1] - y));
  return nearest;
}

/** What is accepted where a probe is within so many cells of such a corner; `usual` cells at least. */
export function nearJump(input: HeatInput, usual: readonly number[]): Record<string, unknown> | undefined {
  const problem = readProblem(input);
  const { nx, ny, Lx, Ly } = problem.box;
  const far = fromJump(problem);
  const enough = CELLS_FROM_JUMP * Math.max(Lx / nx, Ly / ny);
  if (!(far < enough)) return undefined;
  const cellsAt = (distance: number) =>
    [Lx, Ly].map((length, axis) =>
      Math.max([nx, ny][axis]!, usual[axis]!, 4 * Math.ceil((CELLS_FROM_JUMP * length) / distance / 4)),
    );
  const away = (distance: number) =>
    `at least ${distance} m from the corner where the temperatures of two sides meet`;
  const cells = cellsAt(far);
  if (!cells.every((count) => count <= MOST_NAMED[2])) {
    const least = Math.min(enough, Math.min(Lx, Ly) / 8);
    const finer = least < enough ? `, with ${cellsAccepted(cellsAt(least), input.dt)}` : '';
    return { field: 'probe', accepts: `${away(least)}${finer}` };
  }
  return moreCells(cellsAccepted(cells, input.dt), goesOnFrom(input.before, input.initialState?.T));
}

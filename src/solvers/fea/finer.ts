// Meshes that do where one was too coarse.

import { sizeOf } from './cost.ts';
import type { Mesh, Patch } from './mesh.ts';
import { feltCorners, isProbeBeside, lowestPlaces } from './orders.ts';
import { factors, MAX_CELLS, MAX_MEMORY } from './plan.ts';
import type { Problem } from './problem.ts';

/** More cells than the verdict asks for, which foresees by two orders. */
const MARGIN = 1.25;
/** As many elements and patches as a request may have. */
const MOST_PATCHES = 4096;
const SHOWN = 8;

/** What is accepted in the place of a mesh that has `times` too few cells along a side. */
export function meshesThatDo(problem: Problem, times: number): string {
  const more = finer(problem, times);
  return more === undefined ? towardsCorners(problem) : ofMore(problem, more);
}

/** Where memory has no room for so many cells of one size. */
function towardsCorners(problem: Problem): string {
  const places = lowestPlaces(problem).map((at) => `[${at.join(', ')}]`);
  const most = places.slice(0, SHOWN).join(', ') + (places.length > SHOWN ? ', …' : '');
  const where = places.length > 0 ? `towards ${most}` : 'where sides meet and supports or loads end';
  return `cells that are finer ${where}${problem.mesh.nodeCopies ? '' : ' (grade)'}`;
}

function ofMore({ mesh }: Problem, more: number): string {
  if (mesh.nodeCopies && mesh.patches.length * more * more <= MOST_PATCHES)
    return `each element divided into ${more} × ${more}`;
  // A patch with N is solved on N cells along a side, an element on 4.
  if (mesh.nodeCopies)
    return `patches of nine corners in place of elements, each with N [${4 * more}, ${4 * more}]`;
  return `N ${more} times as large: ${shown(mesh, (n) => more * n)}`;
}

function shown({ patches }: Mesh, of: (n: number) => number): string {
  const most = patches.slice(0, SHOWN).map(({ cells }) => `[${cells.map(of).join(', ')}]`);
  return most.join(', ') + (patches.length > SHOWN ? ', …' : '');
}

/** Times as many cells along each side, with more than two between the probe and a corner beside it. */
function finer(problem: Problem, times: number): number | undefined {
  const felt = feltCorners(problem);
  for (
    let wanted = Math.ceil(MARGIN * times);
    wanted * wanted <= MAX_CELLS;
    wanted = Math.ceil(1.2 * wanted)
  ) {
    const found = finerBy(problem, wanted);
    if (!found || !isProbeBeside(found.on, felt)) return found?.more;
  }
  return undefined;
}

function finerBy(problem: Problem, wanted: number): { more: number; on: Problem } | undefined {
  const { input, mesh } = problem;
  const factor = problem.factors[0]!;
  for (const more of [wanted, wanted * factor]) {
    const cells = ([n, m]: Patch['cells']): Patch['cells'] => [more * n, more * m];
    const patches = mesh.patches.map((patch) => ({ ...patch, cells: cells(patch.cells) }));
    const on = { ...problem, mesh: { ...mesh, patches }, factors: factors(input, { ...mesh, patches }) };
    if (on.factors[0]! * more < wanted * factor) continue;
    return fits(on, on.mesh, on.factors[0]!) ? { more, on } : undefined;
  }
  return undefined;
}

function fits({ d, samples }: Problem, mesh: Mesh, factor: number): boolean {
  const { cells, memory } = sizeOf(mesh, factor, d, samples);
  return cells <= MAX_CELLS && memory <= MAX_MEMORY;
}

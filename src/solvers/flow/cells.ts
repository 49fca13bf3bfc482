import { refuse } from '../../errors/refusal.ts';
import { invalid } from '../grid/box.ts';
import type { PlaneProblem } from './problem.ts';
import type { FlowInput } from './schema.ts';

export const MOST_CELLS = 4_200_000;
const MOST_REYNOLDS = 3200;
const MOST_CELL_REYNOLDS = 8;
const CELLS_PER_LAYER = 12;

export function checkCells(nx: number, ny: number): void {
  if (nx * ny <= MOST_CELLS) return;
  refuse('LIMIT_EXCEEDED', `${nx * ny} cells are above ${MOST_CELLS}.`, {
    field: 'N',
    measured: nx * ny,
    bound: MOST_CELLS,
    accepts: `at most ${MOST_CELLS} cells`,
  });
}

export function cellsOf(
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

/** Of a cavity as many as three grids need to agree, by the layers at its walls, of 1/√Re of its length. */
function cavityCells({ U, Lx }: FlowInput, nu: number): number {
  const layers = Math.sqrt((U! * Lx!) / nu);
  return Math.max(128, 64 * Math.min(16, Math.ceil((CELLS_PER_LAYER * layers) / 64)));
}

/** Of a long cavity so many times as many along its longer side, on all at most so many. */
const MOST_LONGER = 8;
export const MOST_OF_CAVITY = 1024 * 1024;

function cavityOf(input: FlowInput, nu: number): readonly [number, number] {
  const cells = cavityCells(input, nu);
  const most = Math.min(MOST_LONGER, Math.floor(MOST_OF_CAVITY / (cells * cells)));
  const along = (longer: number, other: number) =>
    cells * Math.max(1, Math.min(Math.ceil(longer / other - 0.5), most));
  return [along(input.Lx!, input.Ly), along(input.Ly, input.Lx!)];
}

/** Cells that keep |u|h/ν at 8 or below, at least 64. */
export function defaultCells(input: FlowInput, nu: number): readonly [number, number] {
  const { case: form, U, Lx, Ly } = input;
  if (form === 'cavity') return cavityOf(input, nu);
  const wanted = ((U ?? 0) * Math.max(Lx!, Ly)) / (MOST_CELL_REYNOLDS * nu);
  const cells = Math.max(64, 32 * Math.ceil(wanted / 32));
  return [cells, cells];
}

const SECTION_CELLS = 64;
const MOST_SECTION_CELLS = 4096;

/** As many along the shorter side as that takes, and square ones as far as that goes along the longer. */
export function sectionCells({ Ly, Lz = Ly, case: form }: FlowInput): readonly [number, number] {
  if (form === 'channel') return [SECTION_CELLS, 1];
  const [short, long] = [Math.min(Ly, Lz), Math.max(Ly, Lz)];
  const wanted = 4 * Math.ceil((SECTION_CELLS * long) / short / 4);
  const most = Math.min(wanted, MOST_SECTION_CELLS);
  return Ly <= Lz ? [SECTION_CELLS, most] : [most, SECTION_CELLS];
}

/** Cells of a section along y and z. */
export function sectionOfStart({
  initialState,
  case: form,
}: FlowInput): readonly [number, number] | undefined {
  const u = initialState?.u;
  if (typeof u !== 'object') return undefined;
  const rows = typeof u[0] === 'object' ? (u as readonly (readonly number[])[]) : undefined;
  if (form === 'channel') return rows ? undefined : [u.length, 1];
  return rows && [rows[0]!.length, rows.length];
}

export function shapeOfStart({ initialState }: FlowInput): readonly [number, number] | undefined {
  const rows = initialState?.u;
  if (typeof rows !== 'object' || typeof rows[0] !== 'object') return undefined;
  return [rows[0].length - 1, rows.length];
}

/** Of a refusal that names an N: the cells of a start that was given as arrays are those of the arrays. */
export function ofCells(
  { initialState }: Pick<FlowInput, 'initialState'>,
  details: Record<string, unknown>,
): Record<string, unknown> {
  if (typeof initialState?.u !== 'object' || !`${details.accepts}`.startsWith('N ')) return details;
  return { ...details, field: 'initialState', accepts: `initialState for ${details.accepts}` };
}

export function checkReynolds(input: FlowInput, problem: PlaneProblem): void {
  const { form, speeds, nu, Lx, Ly, nx, ny, U } = problem;
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
  const [alongX, alongY] = [(speeds[0] * Lx) / nu, (speeds[1] * Ly) / nu];
  const cell = Math.max(alongX / nx, alongY / ny);
  if (!(cell <= MOST_CELL_REYNOLDS * (1 + 1e-12)))
    refuse(
      'STABILITY_LIMIT',
      `N: |u|h/ν of a cell is ${cell}, above ${MOST_CELL_REYNOLDS}.`,
      ofCells(input, {
        field: 'N',
        measured: cell,
        bound: MOST_CELL_REYNOLDS,
        accepts: cellsWithinReynolds([nx, ny], [alongX, alongY]),
      }),
    );
}

/** Cells along each axis that hold |u|h/ν, no fewer than were sent. */
function cellsWithinReynolds(sent: readonly number[], reynolds: readonly number[]): string {
  const otherwise = 'a larger viscosity, or a smaller velocity';
  const enough = sent.map((cells, axis) =>
    Math.max(cells, 4 * Math.ceil(reynolds[axis]! / MOST_CELL_REYNOLDS / 4)),
  );
  if (!(enough[0]! * enough[1]! <= MOST_CELLS))
    return `${otherwise}: no N of at most ${MOST_CELLS} cells is enough`;
  return `N = [${enough.join(', ')}], ${otherwise}`;
}

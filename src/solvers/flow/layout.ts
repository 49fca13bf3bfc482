import type { Part } from '../../proof/job.ts';
import { Layout } from '../layout.ts';
import { RING } from './problem.ts';

// Layouts of assembly/flow/problem.ts and answer.ts, and what they take of memory.

export const LEVELS = [1, 2, 4] as const;
export type Factor = (typeof LEVELS)[number];

export const ANSWER_HEAD = 128;

export const answerBytes = (nx: number, ny: number): number => psiOffset(nx, ny) + 16 * (nx + 1) * (ny + 1);
/** Where the fields of an answer begin. */
export const uOffset = (ny: number): number => ANSWER_HEAD + 16 * ny;
export const psiOffset = (nx: number, ny: number): number =>
  uOffset(ny) + 8 * ((nx + 1) * ny + nx * (ny + 1) + nx * ny);

export interface HeadOf {
  readonly nx: number;
  readonly ny: number;
  readonly Lx: number;
  readonly Ly: number;
  readonly nu: number;
  readonly dt?: number;
  readonly steps?: number;
  readonly g?: readonly number[];
  readonly factor?: number;
  readonly kinds: readonly number[];
  /** Kind and two numbers: assembly/flow/problem.ts. */
  readonly start: readonly [number, number, number];
  readonly stepsPerRow?: number;
  readonly lid?: number;
  readonly U?: number;
  readonly tol?: number;
  readonly hasCorners?: boolean;
  /** How much wider the cells of the coarsest grid are. */
  readonly coarsest?: number;
}

export function kernelHead(head: HeadOf): Layout {
  const { nx, ny, Lx, Ly, nu, dt = 0, steps = 0, g = [0, 0], factor = 1, kinds, start } = head;
  return new Layout().f64(
    ...[nx, ny, Lx, Ly, nu, dt, steps, ...g, factor, ...kinds, ...start, 1, head.stepsPerRow ?? 1],
    ...[head.lid ?? 0, head.U ?? 0, head.tol ?? 0, head.hasCorners ? 1 : 0, head.coarsest ?? 0],
  );
}

/** Sides at rest. */
export const stillSides = (nx: number, ny: number): number[] => new Array(4 * nx + 4 * ny + 4).fill(0);

// ---- memory --------------------------------------------------------------------------------------------

export const bytesOf = (parts: readonly Part[]): number =>
  parts.reduce(
    (sum, part) => sum + ('bytes' in part ? part.bytes.length : 'length' in part ? part.length : 0),
    0,
  );
export const pagesOf = (bytes: number): number => 65536 * (2 + Math.ceil(bytes / 65536));
export const paddedBytes = (nx: number, ny: number): number => 8 * (nx + 8) * (ny + 3);

interface Grid {
  readonly nx: number;
  readonly ny: number;
  readonly Lx: number;
  readonly Ly: number;
  readonly kinds: readonly number[];
}

export const OPEN = 2;
/** Rows of the transform: one side along y that is open alone makes an odd mirror image. */
const transformRows = ({ ny, kinds }: Grid): number =>
  (kinds[2] === OPEN) !== (kinds[3] === OPEN) ? 2 * ny : ny;
/** The table that a direct solution turns f into φ in. */
export const phiBytes = (grid: Grid): number => 8 * (grid.nx + 1) * transformRows(grid);

/** What a direct solution takes beside: strips of the transform, angles, eight modes, and factors. */
export function poissonBytes(grid: Grid): number {
  const { nx, kinds } = grid;
  const rows = transformRows(grid);
  const shared = (1024 + 16 + 16 + 2) * rows + 72 * (nx + 1) + 256;
  return shared + (kinds[0] === RING ? 128 * (rows / 8 + 1) : 64 * pivotColumns(grid, rows));
}

/**
 * Columns of eight pivots: of each group until they settle, by a factor e^(−4 asinh σ) a column, σ = sin x dx/dy of its first
 * mode.
 */
function pivotColumns({ nx, ny, Lx, Ly, kinds }: Grid, rows: number): number {
  const quarter = kinds[2] === RING ? 3.14 : 1.57;
  let columns = nx + 1;
  for (let first = 4; 2 * first <= rows; first += 4) {
    const x = (quarter * first) / rows;
    const sigma = ((Lx * ny) / (Ly * nx)) * x * (1 - (x * x) / 6);
    columns += 1 + Math.min(nx, Math.ceil(8.5 * (1 + 1 / sigma)) + 12);
  }
  return columns;
}

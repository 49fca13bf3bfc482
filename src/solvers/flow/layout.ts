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
/** Tables of the direct solution: two for the transform, pivots, and a ring's border. */
export function poissonBytes(nx: number, ny: number, kinds: readonly number[]): number {
  const rows = kinds[2] === 2 || kinds[3] === 2 ? 2 * ny : ny;
  return (kinds[0] === RING ? 4 : 3) * 8 * (nx + 1) * rows + 40 * rows + 512;
}

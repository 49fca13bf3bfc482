import type { Before } from './schema.ts';

/** Kinds of sides by their code in assembly/flow/problem.ts. */
export const kindCodes = { wall: 0, inflow: 0, slip: 1, outflow: 2, periodic: 3 } as const;
export type KindCode = (typeof kindCodes)[keyof typeof kindCodes];
export const RING = kindCodes.periodic;

/** What flows in a plane. */
export interface PlaneProblem {
  readonly form: 'cavity' | 'taylor-green' | 'custom';
  readonly nx: number;
  readonly ny: number;
  readonly Lx: number;
  readonly Ly: number;
  readonly nu: number;
  readonly rho: number | undefined;
  readonly U: number;
  /** 0: none, 1: uniform, 2: regularised. */
  readonly lid: 0 | 1 | 2;
  readonly g: readonly [number, number];
  /** Left, right, bottom, top. */
  readonly kinds: readonly KindCode[];
  /** Velocities of the sides in their order: normal on the faces, tangential on their ends. */
  readonly sides: readonly number[];
  readonly start:
    | { readonly kind: 'arrays'; readonly u: readonly number[]; readonly v: readonly number[] }
    | { readonly kind: 'uniform'; readonly u: number; readonly v: number }
    | { readonly kind: 'vortices' };
  /** Largest |u|, |v| that may be met. */
  readonly speeds: readonly [number, number];
  readonly t0: number;
  readonly duration: number;
  readonly quantity: number;
  readonly probe: readonly [number, number];
  readonly dt: number | undefined;
  readonly tol: number;
  readonly before?: Before;
}

/** What flows along a channel (nz = 1) or a duct. */
export interface SectionProblem {
  readonly form: 'channel' | 'duct';
  readonly ny: number;
  readonly nz: number;
  readonly Ly: number;
  readonly Lz: number;
  readonly nu: number;
  readonly rho: number;
  /** G/ρ [m/s²]. */
  readonly push: number;
  readonly start: SectionStart;
  readonly t0: number;
  /** 0: steady. */
  readonly duration: number;
  readonly probe: readonly [number, number];
  readonly dt: number | undefined;
  readonly before?: Before;
}

/** u at t0: of cells their means, along y first. */
export type SectionStart =
  | { readonly kind: 'rest' }
  | { readonly kind: 'uniform'; readonly u: number }
  | { readonly kind: 'cells'; readonly u: readonly number[] };

export type Problem = PlaneProblem | SectionProblem;
export const isSection = (problem: Problem): problem is SectionProblem =>
  problem.form === 'channel' || problem.form === 'duct';

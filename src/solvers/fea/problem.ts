import type { Mesh } from './mesh.ts';
import type { FeaInput } from './schema.ts';

/** A poisson or elasticity request as it was read. */
export interface Problem {
  readonly input: FeaInput;
  readonly mesh: Mesh;
  /** Unknowns per node. */
  readonly d: 1 | 2;
  /** Cells of the runs over those of the request, finest first. */
  readonly factors: readonly number[];
  readonly supports: readonly (readonly number[])[];
  readonly loads: readonly (readonly number[])[];
  /** Samples per side of a patch in the field output. */
  readonly samples: number;
}

import type { Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  effectiveLength: ['m', 'Length of a pinned column with the same load.'],
  K: ['1', 'That over the length.'],
  slenderness: ['1', 'Effective length over the radius of gyration; with A.'],
  stress: ['Pa', 'Largest stress under that load; with A.'],
  loads: ['N', 'The lowest loads.'],
  N: ['1', 'Elements of the finest mesh.'],
};

import type { Outputs } from '../outputs.ts';

/** Lengths are in Angstrom and energies in kJ/mol; a cluster's are reduced. */
export const outputs: Outputs = {
  optimality: [null, 'proved where the value is a known global minimum, else consensus of two searches.'],
  'pose.center': ['Angstrom', 'Where the ligand lies in the lowest pose.'],
  'pose.quaternion': ['1', 'How it is turned there.', 'unsealed'],
  'poses.energy': ['value', 'Energy of the lowest poses that differ.', 'unsealed'],
  'poses.center': ['Angstrom', 'Where the ligand lies in each.', 'unsealed'],
  'poses.quaternion': ['1', 'How it is turned in each.', 'unsealed'],
  halves: ['value', 'What the two halves of the starts came to.'],
  'planted.energy': ['1', 'Energy that the search finds in a problem whose answer is known, reduced.'],
  'planted.unit': [null, 'Its unit.'],
  searches: ['1', 'What the two searches came to.'],
  force: ['1', 'Largest force over the size of the energy.'],
  shortest: ['1', 'Shortest distance of two atoms, in σ.'],
  longest: ['1', 'Longest distance of two atoms, in σ.'],
};

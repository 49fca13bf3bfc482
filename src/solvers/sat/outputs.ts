import type { Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  satisfiable: [null, 'Whether there is a model.'],
  model: [
    '1',
    'A model, where there is one and it is short: each variable by its number, negative where it is false.',
  ],
  proof: [null, 'Where there is none: format and SHA-256 of the proof that was checked.'],
  'proof.bytes': ['1', 'Its length.'],
  conflicts: ['1', 'Conflicts of all searches.'],
  decisions: ['1', 'Decisions.'],
  propagations: ['1', 'Propagations.'],
  restarts: ['1', 'Restarts.'],
  cubes: ['1', 'Parts that the search was cut into.'],
  models: ['1', 'Number of models.'],
  ends: ['1', 'Leaves of the tree of the count.'],
  variables: ['1', 'Variables.'],
  clauses: ['1', 'Clauses.'],
};

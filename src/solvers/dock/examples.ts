import type { Example } from '../solver.ts';

export const dockExamples: readonly Example[] = [
  {
    title: 'atom on a rigid triangle',
    body: {
      scoring: 'lj',
      receptor: {
        position: [
          [-1.908185482125934, -1.101691401769144, 0],
          [1.908185482125934, -1.101691401769144, 0],
          [0, 2.203382803538287, 0],
        ],
        sigma: 3.4,
        epsilon: 1,
      },
      ligand: { position: [[0, 0, 0]], sigma: 3.4, epsilon: 1 },
      combination: 'lorentz-berthelot',
      box: { center: [0, 0, 0], size: [12, 12, 12] },
    },
    expect: { value: -3, unit: 'kJ/mol' },
    tolerance: 1e-6,
    source: '−3ε at the top of a tetrahedron of edge 2^(1/6)σ',
  },
  {
    title: 'one pair of apolar carbons, Vina',
    body: {
      scoring: 'vina',
      receptor: { position: [[0, 0, 0]], type: ['C_H'] },
      ligand: { position: [[0, 0, 0]], type: ['C_H'] },
      box: { center: [0, 0, 0], size: [14, 14, 14] },
    },
    expect: { value: -0.297869878574, unit: 'kJ/mol' },
    tolerance: 1e-6,
    source: 'minimum of the pair terms with the weights of Trott & Olson 2010, −0.0711926096 kcal/mol',
  },
  {
    title: 'cluster LJ13',
    body: { mode: 'cluster', N: 13, potential: 'lj' },
    expect: { value: -44.326801, unit: '1', optimality: 'proved' },
    tolerance: 1e-6,
    source: 'Cambridge Cluster Database',
  },
  {
    title: 'Morse cluster, ρ = 6, 7 atoms',
    body: { mode: 'cluster', N: 7, potential: 'morse', rho: 6 },
    expect: { value: -16.20758, unit: '1', optimality: 'proved' },
    tolerance: 1e-6,
    source: 'Cambridge Cluster Database, Morse ρ₀ = 6',
  },
];

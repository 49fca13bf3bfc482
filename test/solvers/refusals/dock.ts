import type { Refused } from '../solver-test.ts';

const atom = { position: [[0, 0, 0]], sigma: 3.4, epsilon: 1 };
const box = { center: [0, 0, 0], size: [10, 10, 10] };
const pair = { scoring: 'lj', receptor: atom, ligand: atom, combination: 'geometric', box };
const carbon = { position: [[0, 0, 0]], type: ['C_H'] };
const vina = { scoring: 'vina', receptor: carbon, ligand: carbon, box };
const cluster = { mode: 'cluster', N: 5, potential: 'lj' };
const { combination: _, ...withoutRule } = pair;
const { box: __, ...withoutBox } = pair;

export const refused: readonly Refused[] = [
  { title: 'no box', body: withoutBox, code: 'MISSING_INPUT', field: 'box' },
  { title: 'no rule', body: withoutRule, code: 'MISSING_INPUT', field: 'combination' },
  {
    title: 'no well depth',
    body: { ...pair, ligand: { position: [[0, 0, 0]], sigma: 3.4 } },
    code: 'MISSING_INPUT',
    field: 'ligand.epsilon',
  },
  {
    title: 'charges without a permittivity',
    body: { ...pair, receptor: { ...atom, q: 1 }, ligand: { ...atom, q: -1 } },
    code: 'MISSING_INPUT',
    field: 'epsR',
  },
  {
    title: 'charges of the ligand alone',
    body: { ...pair, epsR: 1, ligand: { ...atom, q: -1 } },
    code: 'MISSING_INPUT',
    field: 'receptor.q',
  },
  {
    title: 'a permittivity without charges',
    body: { ...pair, epsR: 4 },
    code: 'INVALID_INPUT',
    field: 'epsR',
  },
  {
    title: 'two sizes for one atom',
    body: { ...pair, receptor: { ...atom, sigma: [3, 4] } },
    code: 'INVALID_INPUT',
    field: 'receptor.sigma',
  },
  {
    title: 'a negative size among several',
    body: { ...pair, receptor: { ...atom, sigma: [-3] } },
    code: 'INVALID_INPUT',
  },
  {
    title: 'a type in lj',
    body: { ...pair, ligand: { ...atom, type: ['C_H'] } },
    code: 'INVALID_INPUT',
    field: 'ligand.type',
  },
  {
    title: 'no type in vina',
    body: { ...vina, ligand: { position: [[0, 0, 0]] } },
    code: 'MISSING_INPUT',
    field: 'ligand.type',
  },
  {
    title: 'a rule in vina',
    body: { ...vina, combination: 'geometric' },
    code: 'INVALID_INPUT',
    field: 'combination',
  },
  { title: 'torsions', body: { ...pair, torsions: [[0, 1]] }, code: 'INVALID_INPUT', field: 'torsions' },
  { title: 'a range of Lennard-Jones', body: { ...cluster, rho: 6 }, code: 'INVALID_INPUT', field: 'rho' },
  {
    title: 'Morse without a range',
    body: { ...cluster, potential: 'morse' },
    code: 'MISSING_INPUT',
    field: 'rho',
  },
  { title: 'a box for a cluster', body: { ...cluster, box }, code: 'INVALID_INPUT', field: 'box' },
  { title: 'a cluster of one', body: { ...cluster, N: 1 }, code: 'INVALID_INPUT', field: 'N' },
  {
    title: 'a box that the ligand leaves',
    body: { ...pair, box: { center: [0, 0, 0], size: [1, 1, 1] } },
    code: 'DID_NOT_CONVERGE',
    field: 'box',
  },
];

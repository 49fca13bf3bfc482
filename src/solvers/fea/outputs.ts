import type { Output, Outputs } from '../outputs.ts';
import type { FeaInput } from './schema.ts';

const of = (unit: string, meaning: string, held?: Output<FeaInput>[2]): Output<FeaInput> => [
  ({ analysis }) => (analysis === 'poisson' ? '1' : unit),
  meaning,
  held,
];

export const outputs: Outputs<FeaInput> = {
  'meshes.cells': ['1', 'Cells of each mesh, as values has them.'],
  'meshes.values': ['value', 'The value on meshes of h, 2 h and 4 h.'],
  observedOrder: ['1', 'Order that they show; null where they agree.'],
  scale: ['value', 'What errors are measured by.'],
  iterations: ['1', 'Steps of conjugate gradients.'],
  residual: ['1', 'Relative residual that they leave.'],
  unknowns: ['1', 'Free unknowns.'],
  cells: ['1', 'Cells.'],
  energy: of(
    'J',
    'Strain energy; poisson: ½∫k|∇u|².',
    ({ analysis, quantity }) => analysis !== 'truss' && quantity !== 'energy',
  ),
  applied: of('N', 'Sum of the loads, along each axis.'),
  reaction: of('N', 'Sum of the reactions, along each axis.'),
  largest: [
    ({ analysis, quantity }, unit) => (analysis === 'truss' && quantity === 'energy' ? 'm' : unit),
    'Largest size of what the value is taken from; of a truss’s energy the largest displacement.',
    ({ analysis }) => analysis !== 'truss',
  ],
  reference: ['value', 'The value by another method; truss.'],
};

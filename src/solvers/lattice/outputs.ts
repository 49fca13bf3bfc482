import type { Output, Outputs } from '../outputs.ts';
import type { Problem } from './problem.ts';

const inItsUnit = (meaning: string): Output => [null, `${meaning}, in the unit of each axis.`];

export const outputs: Outputs = {
  reduce: [null, 'How the values became one.'],
  'of.index': ['1', 'Number of the point that the value is of; null where it is of all.'],
  'of.coordinates': inItsUnit('Its coordinates'),
  'leastPrecise.index': ['1', 'Number of the point of the largest error.'],
  'leastPrecise.coordinates': inItsUnit('Its coordinates'),
  'leastPrecise.precisionActual': ['1', 'That error, relative.'],
  'axes.name': [null, 'Input that the axis sweeps, of each axis in its order.'],
  'axes.unit': [null, 'Unit of its coordinates; null where none is known.'],
  'axes.count': ['1', 'Points along it: the shape of the values.'],
  values: ['value', 'All values, the last axis fastest; null where they are many.'],
  uncertainties: ['value', 'What each value may be off by.'],
  note: [null, 'Where a value is of an integral: why.'],
  pointsRoot: [null, 'Root of the Merkle tree of the points.'],
  headerHash: [null, 'SHA-256 of what the points share.'],
  'proofs.index': ['1', 'Number of a point that was asked for.'],
  'proofs.coordinates': inItsUnit('Its coordinates'),
  'proofs.value': ['value', 'Its value.'],
  'proofs.path': [null, 'Nodes beside its way to the root.'],
};

/** The same with the unit of every axis by its name. */
export function outputsOver({ axes, axisUnits }: Problem): Outputs {
  const coordinates = ['of', 'leastPrecise', 'proofs'].flatMap((point) =>
    axes.map(
      ({ name }, k) => [`${point}.coordinates.${name}`, [() => axisUnits[k]!, `Its ${name}.`]] as const,
    ),
  );
  return { ...outputs, ...Object.fromEntries(coordinates) };
}

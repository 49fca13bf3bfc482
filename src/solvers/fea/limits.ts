// Of a value that has no limit as cells shrink, what is asked for in its place.

import { isAt, isProbeLoaded, singularPlaces } from './orders.ts';
import type { Problem } from './problem.ts';

/** What a refusal names; undefined where finer cells lead to a limit. */
export function limitless(problem: Problem, isPinned: boolean): Record<string, unknown> | undefined {
  if (isPinned) return pinned(problem);
  if (isProbeLoaded(problem)) return loaded(problem);
  return singular(problem);
}

function pinned({ d, mesh }: Problem) {
  const side = mesh.nodeCopies ? '{element, side}' : '{patch, side}';
  const what = d === 1 ? 'takes up a flux' : 'bears a force';
  return {
    field: 'supports',
    reason: `a node that alone is held ${what}: on ever finer cells it holds nothing`,
    accepts: [`supports over a side, on ${side}`, 'nodes that bear nothing and only keep the body in place'],
  };
}

function loaded({ input, mesh }: Problem) {
  const side = mesh.nodeCopies ? '{element, side}' : '{patch, side}';
  const isEnergy = input.quantity === 'energy';
  return {
    field: 'loads',
    reason: isEnergy
      ? 'under a force on one node the energy grows without bound as cells shrink'
      : 'under a force on one node the value grows without bound as cells shrink',
    accepts: [
      `the force as total over a side, on ${side}`,
      isEnergy ? 'quantity displacement, away from the node' : 'a probe away from the node',
    ],
  };
}

function singular(problem: Problem) {
  const { input, mesh } = problem;
  if (input.quantity !== 'stress') return undefined;
  const place = singularPlaces(problem).find((at) => isAt(at, input.probe!, mesh.extent));
  return (
    place && {
      field: 'probe',
      reason: `at the corner [${place.join(', ')}] stresses grow without bound as cells shrink`,
      accepts: 'a probe away from there',
    }
  );
}

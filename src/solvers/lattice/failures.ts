import { Refusal } from '../../errors/refusal.ts';
import type { FinishedRun } from '../../proof/job.ts';
import { refusalOfPoints } from '../compose/failed-points.ts';
import { compute } from '../compute.ts';
import type { Names } from './sweep.ts';

// What the kernel `lattice` says of the points that failed.

const reasons = ['evaluation', 'rounding'] as const;
const NOT_FINITE = -1;

/** The kernel shows how many points failed, and of the first five point, gate and error. */
export function refusalOfKernel(finished: readonly FinishedRun[], names: Names): Refusal | undefined {
  const failedRun = finished.find(({ status }) => status >= 16);
  if (!failedRun) return undefined; // the verdict
  const { observed, status } = failedRun;
  const [total] = observed;
  if (status === 20 || total === undefined || observed.length < 4) return undefined;
  const failed = [];
  for (let at = 1; at + 2 < observed.length; at += 3) {
    const [point, gate, error] = observed.slice(at, at + 3) as [number, number, number];
    failed.push({ point, refusal: reasonOf(gate, error) });
  }
  return refusalOfPoints(failed, names, total);
}

function reasonOf(gate: number, error: number): Refusal {
  const name = reasons[gate];
  if (name !== undefined) {
    const { quantity } = compute.gates[gate]!;
    const message = `compute: gate ‘${name}’ has error ${error}, above its bound 0.001.`;
    return new Refusal('OUTSIDE_TOLERANCE', message, { gate: name, quantity, error, bound: 1e-3 });
  }
  if (gate === NOT_FINITE) return new Refusal('NON_FINITE', 'compute: the value is not a finite number.');
  const accepts = 'sin, cos and tan of up to 2^50 rad';
  return new Refusal('UNSUPPORTED', `compute: an angle is too large; accepted: ${accepts}.`, { accepts });
}

import type { Refusal } from '../../errors/refusal.ts';
import type { FinishedRun } from '../../proof/job.ts';
import { refusalOfPoints } from '../compose/failed-points.ts';
import { type ComputeInput, compute } from '../compute.ts';
import { refusalOfRun } from '../refused-run.ts';
import type { Names } from './sweep.ts';

// What the kernel `lattice` says of the points that failed.

/** In place of a gate; −2 is an angle that is too large. */
const NOT_FINITE = -1;
/** Statuses of kernels (src/errors/catalogue.ts), and what both gates of a point hold. */
const [NON_FINITE, OUTSIDE_TOLERANCE, UNSUPPORTED] = [16, 18, 24];
const BOUND = 1e-3;

/** The kernel shows how many points failed, and of the first five point, gate and error. */
export function refusalOfKernel(
  input: ComputeInput,
  finished: readonly FinishedRun[],
  names: Names,
): Refusal | undefined {
  const failedRun = finished.find(({ status }) => status >= 16);
  if (!failedRun) return undefined; // the verdict
  const { observed, status } = failedRun;
  const [total] = observed;
  if (status === 20 || total === undefined || observed.length < 4) return undefined;
  const failed = [];
  for (let at = 1; at + 2 < observed.length; at += 3) {
    const [point, gate, error] = observed.slice(at, at + 3) as [number, number, number];
    failed.push({ point, refusal: reasonOf(input, gate, error) });
  }
  return refusalOfPoints(failed, names, total);
}

/** The status with which a job of that point alone would have ended. */
function reasonOf(input: ComputeInput, gate: number, error: number): Refusal {
  if (gate >= 0)
    return refusalOfRun(compute, input, { status: OUTSIDE_TOLERANCE, observed: [gate, 0, error, BOUND] });
  return refusalOfRun(compute, input, {
    status: gate === NOT_FINITE ? NON_FINITE : UNSUPPORTED,
    observed: [],
  });
}

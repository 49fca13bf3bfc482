import { Refusal } from '../../errors/refusal.ts';

/** A point whose job was refused, and why. */
export interface FailedPoint {
  readonly point: number;
  readonly refusal: Refusal;
}

/** How a composed solver names its points. */
export interface PointNames {
  /** Solver that the points are of. */
  readonly of: string;
  readonly count: number;
  /** Members that name a point in the details of a refusal. */
  readonly details: (point: number) => Record<string, unknown>;
  /** The same in a few words. */
  readonly words: (point: number) => string;
}

/** Points that a refusal lists; all are counted. */
const LISTED = 16;

/**
 * The refusal of a composed job, whose code, field and gate are those of the first point that failed. `points` lists
 * the first 16 with their own code and sentence; `failed` counts all (of one round, as far as it is known).
 */
export function refusalOfPoints(
  failed: readonly FailedPoint[],
  names: PointNames,
  total = failed.length,
): Refusal {
  const { point, refusal } = failed[0]!;
  const which = total === 1 ? 'one point fails' : `${total} points fail, the first`;
  const message = `${names.of}: of ${names.count} points ${which}, at ${names.words(point)}: ${refusal.message}`;
  const points = failed.slice(0, LISTED).map((each) => ({
    ...names.details(each.point),
    code: each.refusal.code,
    message: each.refusal.message,
    ...owned(each.refusal),
  }));
  return new Refusal(refusal.code, message, { ...refusal.details, points, failed: total, of: names.count });
}

/** What a refusal says beside code and sentence, as far as it belongs to one point. */
function owned({ details: { trace: _, inputError: __, points: ___, ...details } }: Refusal) {
  return details;
}

/** Of a `dt` [s] that was longer than the steps of a request without one, where it is what a refusal may come from. */
export function longSteps(dt: number | undefined, usual: number): Record<string, unknown> {
  if (dt === undefined || !(dt > usual)) return {};
  return {
    field: 'dt',
    reason: 'the steps are too long for these rates',
    accepts: `at most ${usual} s`,
  };
}

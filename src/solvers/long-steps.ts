/** Of a `dt` [s] that was longer than the steps of a request without one, where it is what a refusal may come from. */
export function longSteps(dt: number | undefined, usual: number): Record<string, unknown> {
  if (dt === undefined || !(dt > usual)) return {};
  return {
    field: 'dt',
    reason: 'the steps are too long for these rates',
    accepts: `at most ${usual} s`,
  };
}

/** The `dt` in which an error so many times its bound comes below it, a fifth shorter; `order` of the scheme, or less. */
export function shorterStep(dt: number, excess: number, order: 2 | 4): number {
  const root = order === 4 ? Math.sqrt(Math.sqrt(excess)) : Math.sqrt(excess);
  return Number((dt / (1.25 * root)).toPrecision(3));
}

/** The same as a refusal asks for it. */
export const orShorter = (dt: number): string => `dt = ${dt} or less`;

import { type Dimension, dimension, sameDimension } from '../units/dimension.ts';
import { type Counted, counted } from '../units/symbols.ts';
import { exponentOf, parseUnit } from '../units/unit.ts';

// Cycles, angles and decays in a second are all 1/s to the SI, and 10 Hz is 62.8 rad/s. What a number in 1/s counts only
// the unit that was sent and the unit of the row can say, so the two must say the same (SI Brochure, 9th edition, 2.3.4).

const perSecond: Dimension = dimension({ s: -1 });

const whatCounts = (unit: string): readonly Counted[] =>
  counted.filter((what) => exponentOf(what, unit) !== 0);

/**
 * Whether a number in `sent` may be another one in `own`, of the same dimension. 1/s itself is Hz and Bq by their definition;
 * for an angle it is refused, as 1500 1/min may be turns. In 1/(s*T) an angle is usual, so cycles are refused for it.
 * Turns are cycles or angles as the row asks. Throws a UnitError.
 */
export function isOtherRate(own: string, sent: string): boolean {
  if (own === sent) return false;
  const isRate = sameDimension(parseUnit(own).dimension, perSecond);
  const [wanted, given] = [whatCounts(own), whatCounts(sent)];
  if (given.length === 0) return isRate && wanted.includes('angle');
  if (wanted.length === 0) return isRate || given.some((what) => what !== 'angle');
  const isThere = (what: Counted) => given.includes(what) || (what !== 'decay' && given.includes('turn'));
  return isRate && (wanted.length !== given.length || !wanted.every(isThere));
}

/** What an input in such a unit takes, in words. */
export function ratesFor(own: string): string {
  const [what] = whatCounts(own);
  if (what === 'angle') return 'rad/s, deg/s, rpm and the like; a cycle is 2π rad';
  if (what === 'cycle') return 'Hz, rpm or 1/s; 2π rad are a cycle';
  if (what === 'decay') return 'Bq or 1/s';
  const isRate = sameDimension(parseUnit(own).dimension, perSecond);
  return `${isRate ? '1/s, 1/h' : own} and the like, in which neither cycles nor angles nor turns are counted`;
}

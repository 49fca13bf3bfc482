import { sameDimension } from '../../units/dimension.ts';
import { parseUnit } from '../../units/unit.ts';
import type { Reading } from './target.ts';
import { type Quantity, quantitiesOf } from './text.ts';

const between = /^ ?(?:by|[x×]) ?$/;
const third = /^ ?(?:by|[x×]) ?\d/;
const beforeFirst = /(?:by|[x×]|\bat) ?$/;
const squareSide = /\bsquare\b[^.;:]*(\b(?:sides?|edges?)(?: lengths?)?(?: of| is|:)? ?(?:[aL] ?)?=? ?)$/i;
const squareBehind = /^ (?:square|(?:on|to) (?:a|each|the) side)\b/i;
const metre = parseUnit('m').dimension;

type Length = { readonly value: number; readonly unit: string };

const lengthOf = ({ value, unit }: Quantity): Length | undefined =>
  typeof value === 'number' && unit !== undefined && sameDimension(parseUnit(unit).dimension, metre)
    ? { value, unit }
    : undefined;

/**
 * Reads the two sides of a rectangle: ‘1 m by 2 m’, ‘1 m × 2 m’, ‘1 x 2 m’, ‘square of side 1 m’. Three lengths are a box
 * and stay unread.
 */
export const sides =
  (width: string, height: string) =>
  (text: string): Reading | undefined => {
    const quantities = quantitiesOf(text);
    for (const [i, last] of quantities.entries()) {
      const side = lengthOf(last);
      if (!side) continue;
      const behind = text.slice(last.end);
      const square = squareSide.exec(text.slice(0, last.start));
      if (square && !third.test(behind))
        return {
          start: last.start - square[1]!.length,
          end: last.end,
          patch: { [width]: side, [height]: side },
        };
      const named = squareBehind.exec(behind);
      if (named)
        return {
          start: last.start,
          end: last.end + named[0].length,
          patch: { [width]: side, [height]: side },
        };
      const first = quantities[i - 1];
      if (!first || !between.test(text.slice(first.end, last.start)) || third.test(behind)) continue;
      const other = lengthOf({ ...first, unit: first.unit ?? side.unit });
      if (!other || beforeFirst.test(text.slice(0, first.start))) continue;
      return { start: first.start, end: last.end, patch: { [width]: other, [height]: side } };
    }
    return undefined;
  };

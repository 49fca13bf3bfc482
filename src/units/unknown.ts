import { nearest } from '../errors/nearest.ts';
import { ambiguous } from './customary.ts';
import { plainNames, prefixedSymbols } from './names.ts';

const counts = '1 for a count of bits or bytes, 1/s for so many a second; 8 bits are a byte';
const gravity = '9.80665 m/s^2 for standard gravity';

/** What people write for units that have no unit here, or go by another name, and what to write. */
const instead: readonly (readonly [texts: RegExp, write: string])[] = [
  [/^(?:USD|EUR|GBP|CHF|JPY|CNY|[Dd]ollars?|[Ee]uros?)$/, 'currency, which is the same for all of them'],
  [/^[kKMGTP]?i?(?:bits?|[Bb]ytes?|B|bps)$/, counts],
  [/^(?:deg(?:ree)?s?[_-]?C|[Cc]elsius|[Cc]entigrade)$/, 'degC'],
  [/^(?:deg(?:ree)?s?[_-]?F|[Ff]ahrenheit)$/, 'degF'],
  [/^g_?n$/, gravity],
  [
    /^(?:k_B|N_A|m_[enp]|mu_|eps(?:ilon)?_?|R)$/,
    'the number of the constant with its unit, from /api/constants',
  ],
  [/^amu$/, 'u'],
  [/^mcg$/, 'ug'],
  [/^gms?$/, 'g'],
  [/^kgs$/, 'kg'],
  [/^kmh$/, 'km/h'],
  [/^(?:sq|square|cubic)$/, 'a power, such as ft^2 or in^3'],
  [/^sq_?(?:ft|in|m|mi)$/, 'a power, such as ft^2'],
  [/^[cb]pm$/, '1/min'],
  [/^cps$/, 'Hz, or 1/s for counts'],
  [/^molal$/, 'mol/kg'],
  [/^(?:wt|vol|mol)%$/, '%'],
  [/^ppm[vw]$/, 'ppm'],
  [/^[Mm]ach$/, 'm/s, or the Mach number as a plain number'],
  [/^[Cc]alories?$/, 'cal for 4.184 J, or kcal for the calorie of food'],
  [/^[Mm]sun$/, 'M_sun'],
  [/^decades?$/, 'yr, with the number ten times'],
  [/^(?:century|centuries)$/, 'yr, with the number a hundred times'],
  [/^fortnights?$/, 'd, with the number fourteen times'],
  [/^mo$/, 'month'],
];

/** Fewer letters are near to half of all symbols. */
const LEAST = 3;
const words = plainNames.filter(({ length }) => length >= LEAST);

/** What a text may have meant that names no unit: other names, the same letters as capitals or not, or the nearest word. */
export function meantBy(text: string): string | undefined {
  const known = instead.find(([texts]) => texts.test(text))?.[1];
  if (known !== undefined) return known;
  const lower = text.toLowerCase();
  const same = [...plainNames, ...prefixedSymbols()].filter((name) => name.toLowerCase() === lower);
  if (same.length > 0) return same.join(' or ');
  return ambiguous.get(lower) ?? (text.length < LEAST ? undefined : nearest(text, words));
}

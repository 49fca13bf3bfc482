/** A number, or one with its unit and standard uncertainty, as POST /api/svc/compute takes it. */
export type Quantity =
  | number
  | { readonly value: number; readonly unit?: string; readonly uncertainty?: number };

const numeral = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const pattern = new RegExp(String.raw`^(${numeral})\s*(?:(?:±|\+/-|\+-)\s*(${numeral})\s*)?(.*)$`, 'iu');
/** A power of ten as it is printed: 6.67×10⁻¹¹, 3 x 10^8, 1.6·10^(-19). */
const powerOfTen =
  /^([+-]?[\d.]+)\s*[×x*·⋅]\s*10\s*(?:\^\s*\(?\s*([-+−]?\d{1,3})\s*\)?|([⁺⁻]?[⁰¹²³⁴-⁹]{1,3}))(?![\d.^])/u;
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** What goes on like a number and is none: `1,5`, `1.2.3`, `3 4`; but `3 1/m` is one with its unit. */
const brokenNumeral = /^(?!1\s*\/)[\d.,']/;

/**
 * Reads what a person types or pastes: `3`, `3 km/h`, `3 ± 0.1 km/h`, `6.67×10⁻¹¹ N·m²/kg²`. Whether the unit fits is for others to say.
 * Throws a RangeError whose message is a sentence.
 */
export function readQuantity(text: string): Quantity {
  const typed = withExponent(text.trim().replace(/^−/, '-').replace(/e−/i, 'e-'));
  const [, digits, spread, unit = ''] = pattern.exec(typed) ?? [];
  const value = Number(digits);
  if (digits === undefined || brokenNumeral.test(unit))
    throw new RangeError(`“${typed}” is no number; write 3, 3 km/h or 3 ± 0.1 km/h, with a decimal point.`);
  if (!Number.isFinite(value)) throw new RangeError(`${digits} is beyond the range of a double.`);
  if (/^\(\d+\)/.test(unit))
    throw new RangeError(`“${typed}” may say how uncertain it is; write 3.0 ± 0.1 km.`);
  if (spread !== undefined && /%|‰|pp[mb]/.test(unit))
    throw new RangeError(`“${typed}” may be ${spread} ${unit} of it or as much more; write 3 ± 0.15 km.`);
  if (unit === '' && spread === undefined) return value;
  return {
    value,
    ...(unit === '' ? {} : { unit }),
    ...(spread === undefined ? {} : { uncertainty: Number(spread) }),
  };
}

function withExponent(text: string): string {
  return text.replace(powerOfTen, (_, digits: string, plain?: string, small = '') => {
    const exponent =
      plain ?? [...small].map((c) => (c === '⁻' ? '-' : c === '⁺' ? '+' : raised.indexOf(c))).join('');
    return `${digits}e${exponent.replace('−', '-')}`;
  });
}

/** The same as text, so that it can be put into a field; `unit` is that of the operator for a plain number. */
export function quantityText(quantity: Quantity, unit: string | null): string {
  const { value, unit: own = unit } = typeof quantity === 'number' ? { value: quantity } : quantity;
  return own === null || own === '1' || own === 'any' ? String(value) : `${value} ${own}`;
}

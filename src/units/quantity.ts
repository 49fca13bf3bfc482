/** A number, or one with its unit and standard uncertainty, as POST /api/svc/compute takes it. */
export type Quantity =
  | number
  | { readonly value: number; readonly unit?: string; readonly uncertainty?: number };

/** A text that is no quantity, or one of two readings; the message is a sentence. */
export class QuantityError extends RangeError {
  override readonly name = 'QuantityError';
  readonly accepts: string;

  constructor(text: string, problem: string, accepts: string) {
    super(`“${text}” ${problem}; write ${accepts}.`);
    this.accepts = accepts;
  }
}

const spreadSign = String.raw`(?:±|\+/-|\+-)`;
const exponent = String.raw`(?:e[+-]?\d+)?`;
const plainNumeral = String.raw`(?:\d+\.?\d*|\.\d+)`;
const numeral = `[+-]?${plainNumeral}${exponent}`;
/** 3 km, 3 ± 0.1 km. */
const ordinary = new RegExp(String.raw`^(${numeral})\s*(?:${spreadSign}\s*(${numeral})\s*)?(.*)$`, 'iu');
/** (3 ± 0.1) km, (3 ± 0.1)e3 m: ISO/IEC Guide 98-3 (GUM), 7.2.2; SI Brochure, 5.4.5. */
const bracketed = new RegExp(
  String.raw`^\(\s*([+-]?${plainNumeral})\s*${spreadSign}\s*(${plainNumeral})\s*\)(${exponent})\s*(.*)$`,
  'iu',
);
/** 3.0(2) km, 6.674 30(15)e-11 m^3, as CODATA prints them: the digits in brackets stand in the last places. */
const concise = new RegExp(
  String.raw`^([+-]?)(${plainNumeral})\((${plainNumeral})\)(${exponent})\s*(.*)$`,
  'iu',
);
/** 63.2 m ± 0.1 m, which NIST SP 811, 7.7, prefers to 63.2 ± 0.1 m. */
const twice = new RegExp(String.raw`^(.*?)\s*${spreadSign}\s*(${numeral})\s*(.*)$`, 'iu');
/** A power of ten as it is printed: 6.67×10⁻¹¹, 3 x 10^8, 1.6·10^(-19), behind brackets too. */
const powerOfTen =
  /^([+-]?[\d.]+(?:\([\d.]+\))?|\([^()]*\))\s*[×x*·⋅]\s*10\s*(?:\^\s*\(?\s*([-+−]?\d{1,3})\s*\)?|([⁺⁻]?[⁰¹²³⁴-⁹]{1,3}))(?![\d.^])/u;
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** Digits in groups of three (SI Brochure, 5.4.4) before brackets or a power of ten, where they are no two numbers. */
const groups = /^[+-]?\d{1,3}(?:\s\d{3})*(?:\.(?:\d{3}\s)*\d{1,4})?(?=\(|\s*[×x]\s*10\s*[\^⁺⁻⁰¹-⁹])/u;
/** What goes on like a number and is none: `1,5`, `1.2.3`, `3 4`; but `3 1/m` is one with its unit. */
const brokenNumeral = /^(?!1\s*\/)[\d.,']|^\([\d.\s]*\)|±|\+\/-/;

interface Parts {
  readonly digits: string;
  readonly spread?: string | undefined;
  readonly unit: string;
  /** The brackets say what the sign of a part belongs to. */
  readonly isEnclosed?: true;
}

/**
 * Reads what a person types or pastes: `3`, `3 km/h`, `3 ± 0.1 km/h`, `(3 ± 0.1) km/h`, `3.0(1) km/h`, `6.67×10⁻¹¹ N·m²/kg²`.
 * Whether the unit fits is for others to say. Throws a QuantityError.
 */
export function readQuantity(text: string): Quantity {
  const typed = withExponent(
    text
      .trim()
      .replace(/^(\(?\s*)−/, '$1-')
      .replace(/e−/i, 'e-')
      .replace(groups, (digits) => digits.replace(/\s/g, '')),
  );
  const parts = enclosed(typed) ?? inBrackets(typed) ?? plainly(typed);
  if (!parts || brokenNumeral.test(parts.unit))
    throw new QuantityError(typed, 'is no number', '3, 3 km/h or 3 ± 0.1 km/h, with a decimal point');
  const { digits, spread, unit, isEnclosed } = parts;
  const value = Number(digits);
  if (!Number.isFinite(value))
    throw new QuantityError(digits, 'is beyond the range of a double', 'a smaller number');
  if (spread !== undefined && !isEnclosed && /%|‰|pp[mb]/.test(unit))
    throw new QuantityError(
      typed,
      `may be ${spread} ${unit} of it or as much more`,
      '(3 ± 0.15) %, or 3 ± 0.15 km',
    );
  if (unit === '' && spread === undefined) return value;
  return {
    value,
    ...(unit === '' ? {} : { unit }),
    ...(spread === undefined ? {} : { uncertainty: Number(spread) }),
  };
}

function enclosed(text: string): Parts | undefined {
  const [, digits, spread, power, unit] = bracketed.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return { digits: digits + power, spread: spread! + power, unit: unit!, isEnclosed: true };
}

/** A point in the brackets makes them a number of its own, 100.021 47(0.000 35) g (GUM, 7.2.2). */
function inBrackets(text: string): Parts | undefined {
  const [, sign, digits, inside, power, unit] = concise.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const places = inside!.includes('.') ? 0 : (digits.split('.')[1] ?? '').length;
  const spread = Number(power!.slice(1)) - places;
  return { digits: sign + digits + power, spread: `${inside}e${spread}`, unit: unit!, isEnclosed: true };
}

function plainly(text: string): Parts | undefined {
  const [, digits, spread, unit = ''] = ordinary.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const [, own, second, again] = (spread === undefined && twice.exec(unit)) || [];
  if (own === undefined) return { digits, spread, unit };
  if (own !== again)
    throw new QuantityError(text, 'has an uncertainty in another unit', '63.2 m ± 0.1 m or (63.2 ± 0.1) m');
  return { digits, spread: second, unit: own, isEnclosed: true };
}

function withExponent(text: string): string {
  return text.replace(powerOfTen, (_, digits: string, plain?: string, small = '') => {
    const power =
      plain ?? [...small].map((c) => (c === '⁻' ? '-' : c === '⁺' ? '+' : raised.indexOf(c))).join('');
    return `${digits}e${power.replace('−', '-')}`;
  });
}

/** The same as text, so that it can be put into a field; `unit` is that of the operator for a plain number. */
export function quantityText(quantity: Quantity, unit: string | null): string {
  const { value, unit: own = unit } = typeof quantity === 'number' ? { value: quantity } : quantity;
  return own === null || own === '1' || own === 'any' ? String(value) : `${value} ${own}`;
}

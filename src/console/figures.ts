const raised: Readonly<Record<string, string>> = {
  ...{ '-': '⁻', '/': 'ᐟ', '.': '·' },
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((sign, digit) => [String(digit), sign])),
};
const superscript = (text: string): string => [...text].map((sign) => raised[sign] ?? sign).join('');

/** A double for people: at most so many significant digits, powers of ten as such. */
export function figureText(x: number, digits = 17): string {
  const rounded = Number(x.toPrecision(Math.min(digits, 17)));
  const shortest = digits >= 17 ? x : rounded;
  const size = Math.abs(shortest);
  if (size === 0 || (size >= 1e-4 && size < 1e7)) return String(shortest).replace('-', '−');
  const [mantissa = '', exponent = ''] = shortest.toExponential().split('e');
  return `${mantissa.replace('-', '−')} × 10${superscript(exponent.replace('+', ''))}`;
}

/** A value and its uncertainty to the second digit of it: `20.00 ± 0.13`. */
export function spreadText(value: number, uncertainty: number): string {
  const second = Math.floor(Math.log10(uncertainty)) - 1;
  if (second < 0 && second > -13 && Math.abs(value) < 1e7)
    return `${value.toFixed(-second).replace('-', '−')} ± ${uncertainty.toFixed(-second)}`;
  const first = value === 0 ? second : Math.floor(Math.log10(Math.abs(value)));
  return `${figureText(value, Math.min(17, Math.max(1, first - second + 1)))} ± ${figureText(uncertainty, 2)}`;
}

const spelled: Readonly<Record<string, string>> = { ohm: 'Ω', degC: '°C', degF: '°F' };

/** A unit for people: `W/(m^2*K)` is W/(m²·K). */
export function unitText(unit: string | null): string {
  if (unit === null || unit === '1') return '';
  return unit
    .replace(/[A-Za-z]+/g, (word) => spelled[word] ?? word)
    .replace(/\^\(?([+-]?\d+(?:\/\d+)?)\)?/g, (_, exponent: string) => superscript(exponent))
    .replaceAll('*', '·');
}

import { prefixes, symbols } from './symbols.ts';

/** Names of units as words (NIST SP 811, chapter 9, and B.8), by symbol. */
const words: ReadonlyMap<string, string> = new Map(
  [
    ['m', 'meter meters metre metres'],
    ['g', 'gram grams'],
    ['s', 'second seconds secs'],
    ['A', 'amp ampere amperes amps'],
    ['K', 'kelvin kelvins'],
    ['mol', 'mole moles'],
    ['cd', 'candela candelas'],
    ['min', 'minute minutes mins'],
    ['h', 'hour hrs'],
    ['yr', 'yrs'],
    ['L', 'liter liters litre litres'],
    ['t', 'tonne tonnes'],
    ['deg', 'degree degrees'],
    ['rad', 'radian radians'],
    ['sr', 'steradian steradians'],
    ['arcmin', 'arcminute arcminutes'],
    ['arcsec', 'arcsecond arcseconds'],
    ['rev', 'turn turns revolution revolutions'],
    ['Hz', 'hertz'],
    ['N', 'newton newtons'],
    ['Pa', 'pascal pascals'],
    ['bar', 'bars'],
    ['J', 'joule joules'],
    ['W', 'watt watts'],
    ['eV', 'electronvolt electronvolts'],
    ['kcal', 'kilocalorie kilocalories'],
    ['V', 'volt volts'],
    ['C', 'coulomb coulombs'],
    ['F', 'farad farads'],
    ['ohm', 'ohms'],
    ['S', 'siemens'],
    ['Wb', 'weber webers'],
    ['T', 'tesla teslas'],
    ['H', 'henry henrys henries'],
    ['lm', 'lumen lumens'],
    ['lx', 'lux'],
    ['Bq', 'becquerel becquerels'],
    ['Ci', 'curie curies'],
    ['Gy', 'gray grays'],
    ['Sv', 'sievert sieverts'],
    ['kat', 'katal katals'],
    ['Da', 'dalton daltons'],
    ['M', 'molar'],
    ['P', 'poise'],
    ['St', 'stokes'],
    ['um', 'micron microns'],
    ['Angstrom', 'angstrom angstroms'],
    ['in', 'inch inches'],
    ['ft', 'feet foot'],
    ['yd', 'yard yards'],
    ['mi', 'mile miles'],
    ['acre', 'acres'],
    ['ha', 'hectare hectares'],
    ['ly', 'light-year light-years lightyear lightyears'],
    ['pc', 'parsec parsecs'],
    ['slug', 'slugs'],
    ['grain', 'grains'],
    ['carat', 'carats'],
    ['dyn', 'dynes'],
    ['erg', 'ergs'],
    ['hp', 'horsepower'],
    ['knot', 'knots'],
    ['%', 'percent'],
  ].flatMap(([symbol, names]) => names!.split(' ').map((name): [string, string] => [name, symbol!])),
);

/** The prefixes as words (SI Brochure, 9th edition, table 7), before names whose symbols take them. */
const prefixWords: readonly (readonly [word: string, prefix: string])[] = Object.entries({
  ...{
    quetta: 'Q',
    ronna: 'R',
    yotta: 'Y',
    zetta: 'Z',
    exa: 'E',
    peta: 'P',
    tera: 'T',
    giga: 'G',
    mega: 'M',
  },
  ...{
    kilo: 'k',
    hecto: 'h',
    deca: 'da',
    deka: 'da',
    deci: 'd',
    centi: 'c',
    milli: 'm',
    micro: 'u',
    nano: 'n',
  },
  ...{ pico: 'p', femto: 'f', atto: 'a', zepto: 'z', yocto: 'y', ronto: 'r', quecto: 'q' },
});

/** The symbol that a name stands for, `km` for kilometres; a name may begin with a capital. */
export function symbolOfName(text: string): string | undefined {
  if (symbols.has(text)) return undefined;
  const name = text.replace(/^\p{Lu}(?=\p{Ll}{2})/u, (first) => first.toLowerCase());
  const own = words.get(name);
  if (own !== undefined) return own;
  const [word, prefix] = prefixWords.find(([each]) => name.startsWith(each)) ?? [];
  const of = word === undefined ? undefined : words.get(name.slice(word.length));
  return of !== undefined && symbols.get(of)?.prefixes ? prefix + of : undefined;
}

/** Every symbol and name, without prefixes. */
export const plainNames: readonly string[] = [...symbols.keys(), ...words.keys()];

/** Every symbol with a prefix before it. */
export const prefixedSymbols = (): string[] =>
  [...symbols].flatMap(([symbol, { prefixes: takesThem }]) =>
    takesThem ? [...prefixes.keys()].map((prefix) => prefix + symbol) : [],
  );

/**
 * What to write where two factors beside one another have two readings: `ft lb` is a foot-pound to an engineer, who
 * writes ft-lb where it is printed, and a product of a length and a mass to the SI.
 */
export function twoReadings(left: string, right: string): string | undefined {
  const [a, b] = [left, right]
    .map((each) => each.replace(/^\((.*)\)$/, '$1'))
    .map((each) => symbolOfName(each) ?? each);
  const [length, pounds] = a === 'ft' || a === 'in' ? [a, b] : [b, a];
  if (length !== 'ft' && length !== 'in') return undefined;
  if (pounds === 'oz') return `oz-in or ${length}*ozf for the torque`;
  if (pounds !== 'lb' && pounds !== 'lbs') return undefined;
  return `${length}-lb for pounds of force (${length}*lbf), or ${length}*lbm for pounds of mass`;
}

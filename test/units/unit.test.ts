import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { convert, convertDifference, convertWide } from '../../src/units/conversion.ts';
import { ambiguous } from '../../src/units/customary.ts';
import { isDimensionless, sameDimension } from '../../src/units/dimension.ts';
import { unitOfDimension, unitOver } from '../../src/units/format.ts';
import { add, invert, multiply, ofDouble, toDouble, toDoubleDouble } from '../../src/units/fraction.ts';
import { plainNames, prefixedSymbols } from '../../src/units/names.ts';
import { prefixes, symbols } from '../../src/units/symbols.ts';
import { isUnit, parseUnit, sameUnit, UnitError } from '../../src/units/unit.ts';

// SI Brochure, 9th edition (2019): definitions and table 8; NIST SP 811, appendix B.8, for customary units.
const conversions: [number, string, string, number][] = [
  [100, 'mW', 'W', 0.1],
  [500, 'ms', 's', 0.5],
  [36, 'km/h', 'm/s', 10],
  [25, 'degC', 'K', 298.15],
  [0, 'K', 'degC', -273.15],
  [212, 'degF', 'degC', 100],
  [180, 'deg', 'rad', Math.PI],
  [1, 'yr', 'd', 365.25],
  [12, 'month', 'yr', 1],
  [90, 'min', 'h', 1.5],
  [1, 'eV', 'J', 1.602176634e-19],
  [1, 'e', 'C', 1.602176634e-19],
  [1, 'u', 'kg', 1.66053906892e-27],
  [1, 'M_sun', 'kg', 1.98841e30],
  [1, 'Angstrom', 'nm', 0.1],
  [1, 'Å', 'pm', 100],
  [421, 'ppm', '1', 421e-6],
  [1, 'W*yr/(m^2*K)', 'J/(m^2 K)', 31557600],
  [1, 'cm^-3', '1/m^3', 1e6],
  [4, 'yr^-1/2', 'yr^(-1/2)', 4],
  [1, 'kJ/mol', 'J/mol', 1000],
  [5, 'MVAr', 'W', 5e6],
  [1, 'm²·s⁻¹', 'cm^2/s', 1e4],
  [1, 'kWh', 'J', 3.6e6],
  [1, 'in', 'mm', 25.4],
  [1, 'mi', 'ft', 5280],
  [1, 'yd', 'ft', 3],
  [1, 'nmi', 'm', 1852],
  [36, 'knot', 'km/h', 66.672],
  [1, 'acre', 'ft^2', 43560],
  [1, 'ha', 'm^2', 10000],
  [16, 'oz', 'lb', 1],
  [1, 'lbf', 'N', 4.4482216152605],
  [1, 'psi', 'Pa', 6894.757293168362], // NIST SP 811: 6.894 757 E+03
  [760, 'Torr', 'atm', 1],
  [1, 'mmHg', 'Pa', 133.322387415], // NIST SP 811: 133.3224
  [1, 'hp', 'ft*lbf/s', 550],
  [1, 'hp', 'W', 745.6998715822702], // NIST SP 811: 745.6999
  [1, 'Btu', 'J', 1055.05585262],
  [1, 'Btu/lb', 'J/g', 2.326], // NIST SP 811: exact
  [1, 'Btu', 'BTU', 1],
  [1, 'gal_US', 'in^3', 231],
  [1, 'gal_UK', 'L', 4.54609],
  [8, 'pt_US', 'gal_US', 1],
  [128, 'floz_US', 'qt_US', 4],
  [1, 'floz_UK', 'mL', 28.4130625], // NIST SP 811: 28.413 06
  [160, 'floz_UK', 'qt_UK', 4],
  [1, 'bbl', 'm^3', 0.158987294928], // NIST SP 811: 1.589 873 E-01
  [1, 'cfm', 'm^3/s', 0.0004719474432], // NIST SP 811: 4.719 474 E-04
  [60, 'mph', 'ft/s', 88],
  [1, 'kn', 'knot', 1],
  [36, 'kph', 'm/s', 10],
  [1, 'ksi', 'psi', 1000],
  [144, 'psf', 'psi', 1],
  [1, 'kip', 'N', 4448.2216152605],
  [1, 'slug', 'lbf*s^2/ft', 1],
  [1, 'slug', 'kg', 14.593902937206364], // NIST SP 811: 1.459 390 E+01
  [1, 'ton_US', 'lb', 2000],
  [1, 'ton_UK', 'kg', 1016.0469088],
  [7000, 'grain', 'lb', 1],
  [5, 'carat', 'g', 1],
  [1, 'inHg', 'Pa', 3386.388640341], // NIST SP 811: 3.386 389 E+03
  [1, 'inH2O', 'Pa', 249.08891],
  [1, 'ftH2O', 'Pa', 2989.06692], // NIST SP 811: 2.989 067 E+03
  [10, 'cmH2O', 'mmH2O', 100],
  [1000, 'mTorr', 'Torr', 1],
  [1, 'kgf', 'N', 9.80665],
  [1, 'hp_metric', 'W', 735.49875], // NIST SP 811: 7.354 988 E+02
  [1, 'erg', 'J', 1e-7],
  [1, 'dyn/cm', 'mN/m', 1],
  [1, 'cP', 'Pa*s', 0.001],
  [1, 'cSt', 'mm^2/s', 1],
  [1, 'gauss', 'T', 1e-4],
  [1, 'mGal', 'm/s^2', 1e-5],
  [1, 'mCi', 'Bq', 3.7e7],
  [100, 'rem', 'Sv', 1],
  [5, 'mM', 'mol/m^3', 5],
  [495, 'degR', 'K', 275],
  [1, 'BTU/hr', 'Btu/h', 1],
  [4.7, 'kOhm', 'ohm', 4700],
  [1, '\u2126', 'ohm', 1], // the sign of the ohm, the kelvin and the angstrom beside the letters
  [1, '\u212a', 'K', 1],
  [1, '\u212b', 'nm', 0.1],
  [3000, 'rpm', 'Hz', 50],
  [100, 'gon', 'deg', 90],
  [212, '°F', 'degC', 100],
  [1, 'wk', 'd', 7],
  [2, 'hours', 'min', 120],
  [3, 'weeks', 'days', 21],
  [1, 'ft-lb', 'J', 1.3558179483314003], // NIST SP 811: 1.355 818 E+00
  [12, 'in-lbf', 'lb-ft', 1],
  [1, 'ft-lbs', 'in-lbs', 12],
  [1, 'W m-2 K-1', 'W/(m^2*K)', 1],
  [1, 'W/(m*°C)', 'W/(m*K)', 1],
  [1, 'W/m-°C', 'W/(m*K)', 1],
  [4186, 'J/(kg*°C)', 'kJ/(kg*K)', 4.186],
  [1, 'kJ/kg/°C', 'J/(kg*K)', 1000],
  [1, 'Btu/(h ft^2 °F)', 'W/(m^2*K)', 5.678263341113488], // NIST SP 811: 5.678 263
  [1, 'Btu/hr-ft²-°F', 'W/(m²·K)', 5.678263341113488],
  [1, 'Btu/(lb*°F)', 'J/(kg*K)', 4186.8], // NIST SP 811: exact
  [1, 'Btu*in/(h*ft^2*°F)', 'W/(m*K)', 0.1442278888642826], // NIST SP 811: 1.442 279 E-01
  [12, 'ppm/°C', '1/K', 12e-6],
  [9, '/°F', '1/°C', 16.2],
  [2, '℃/W', 'K/W', 2],
  [20, 'ºC', 'K', 293.15],
  [3, '°C/min', 'K/s', 0.05],
  [1, 'K*degC', 'K^2', 1],
  [1, 'N-m', 'J', 1],
  [1, 'kW-h', 'kWh', 1],
  [1, 'ac-ft', 'acre*ft', 1],
  [1, 'Ah', 'C', 3600],
  [2500, 'mAh', 'A-h', 2.5],
  [1, 'AU', 'm', 149597870700],
  [760, 'torr', 'Pa', 101325],
  [760, 'mm Hg', 'mmHg', 760],
  [60, 'rev/min', 'Hz', 1],
  [1, 'cc', 'mL', 1],
  [5, 'kilometers/hour', 'km/h', 5],
  [30, 'degrees', 'deg', 30],
  [1, 'lb/in.²', 'lb/in^2', 1],
  // Names (NIST SP 811, chapter 9), with the prefixes of the SI Brochure, table 7, and with a capital.
  [3, 'Kilowatts', 'W', 3000],
  [5, 'millivolts', 'mV', 5],
  [2, 'centipoise', 'mPa*s', 2],
  [7, 'microfarads', 'uF', 7],
  [4, 'Newton metres', 'N*m', 4],
  [50, 'percent', '1', 0.5],
  [3, 'hrs', 'mins', 180],
  [2, 'yrs', 'd', 730.5],
  [1, 'light-year', 'ly', 1],
  [3, 'megatonnes', 'Gg', 3000],
  [500, 'kilocalories', 'kJ', 2092],
  [1, 'W·m⁻²·K⁻¹', 'W m−2 K−1', 1],
  [2, '‰', '%', 0.2],
  // NIST SP 811, appendix B.8: every one to the digits that it prints.
  [1, 'oz-in', 'N*m', 0.0070615518142260435], // 7.061 552 E-03
  [1, 'ozf', 'N', 0.2780138509537812],
  [1, 'pdl', 'lbm*ft/s^2', 1],
  [1, 'plf', 'N/m', 14.593902937206364],
  [1, 'klf', 'kip/ft', 1],
  [1, 'Oe', 'A/m', 79.57747154594767],
  [1, 'Mx', 'Wb', 1e-8],
  [1, 'darcy', 'm^2', 9.869232667160128e-13],
  [1, 'debye', 'C*m', 3.335640951981521e-30],
  [1, 'roentgen', 'C/kg', 2.58e-4],
  [1, 'cmil', 'm^2', 5.067074790974977e-10],
  [1, 'fc', 'lx', 10.763910416709722],
  [1, 'tex', 'kg/m', 1e-6],
  [1, 'kBtu', 'Btu', 1000],
  [1, 'therm_US', 'MJ', 105.4804],
  [1, 'quad', 'J', 1.05505585262e18],
  [1, 'ton_refrigeration', 'kW', 3.5168528420666667], // 12 000 Btu/h: 3.516 853
  [1, 'hp_boiler', 'W', 9809.5],
  [1, 'cfs', 'm^3/s', 0.028316846592],
  [1, 'LPM', 'L/min', 1],
  [1, 'lbmol', 'mol', 453.59237],
  [1, 'g-mol', 'mol', 1],
  [1, 'mH2O', 'kPa', 9.80665],
  [1, 'reyn', 'lbf*s/in^2', 1],
  [1, 'Mpsi', 'GPa', 6.894757293168361],
  [1, 'Jy', 'W/(m^2*Hz)', 1e-26],
  [1, 'R_sun', 'km', 695700],
  [1, 'g/cm3', 'kg/m^3', 1000],
  [3, 'um', 'm', 3e-6],
  [3, 'µm', 'm', 3e-6],
  [1, 'Pa', 'N/m^2', 1],
  [1, 'min', 's', 60],
  [20, 'dB', 'dB', 20],
];

t.test('conversions give the double nearest to the exact value', async (t) => {
  for (const [value, from, to, expected] of conversions)
    t.equal(convert(value, from, to), expected, `${value} ${from}`);
});

const refused = [
  '',
  'm^',
  '(m',
  'm)',
  'foo',
  'W/m*K',
  'W/m K',
  'm*degC/m',
  '%*degC',
  'degF^2/°C',
  'm^99',
  '2',
  'm**2',
  'm/',

  'kmin',
  'm^1/7',
  'm s^',
  `${'m*'.repeat(80)}m`,
  '((((m^20)^20)^20)^20)',
  '\u202em',
  'm\u0000',
  'm 2',
  'm2^3',
  'g0', // standard gravity to some, and no power of a gram
  'm/s0',
  'kg^0',
  'm^-02',
  'm-100',
  'm1/2',
  'kg-m',
  'mft',
  'kpsi',
  'mrev',
  'kcc',
  'lb-ft^2', // the trade's moment of inertia, not a squared energy
  'ft-lb2',
  'deg F',
  'degrees C',
  'mmeter',
  '° C',
  '°\u00a0F',
  'C°', // of a coulomb
  'kilo',
  'kilofoot',
  'kilokilometer',
  'kmetre',
  'kilom',
];

t.test('a unit text that cannot be read is refused with a sentence', async (t) => {
  for (const text of refused)
    t.throws(() => parseUnit(text), { name: 'UnitError', message: /\.$/ }, JSON.stringify(text));
});

t.test('a name that means two things is refused with the names of both', async (t) => {
  for (const [text, meant] of [
    ['kt', /knot, or Gg/],
    ['gal', /gal_US or gal_UK/],
    ['gal/min', /gal_US or gal_UK/],
    ['pt', /pt_US or pt_UK/],
    ['qt', /qt_US or qt_UK/],
    ['PS', /hp_metric/],
    ['ton', /ton_US .* ton_UK/],
    ['mt', /metric ton/],
    ['fl oz', /floz_US or floz_UK/],
    ['ft lb', /ft-lb .*ft\*lbf.*ft\*lbm/],
    ['ft*lb', /ft-lb .*ft\*lbf.*ft\*lbm/],
    ['ft·lb/s', /ft-lb .*ft\*lbf.*ft\*lbm/],
    ['foot lb', /ft-lb .*ft\*lbf.*ft\*lbm/],
    ['(lbs)*(ft)', /ft-lb .*ft\*lbf.*ft\*lbm/],
    ['lb ft', /ft-lb .*ft\*lbf.*ft\*lbm/],
    ['J/(in lb)', /in-lb .*in\*lbf.*in\*lbm/],
    ['in oz', /oz-in or in\*ozf/],
    ['psig', /psia/],
    ['ct', /carat/],
    ['1/MM', /mol\/L/],
  ] as const)
    t.throws(() => parseUnit(text), { name: 'UnitError', message: meant, accepts: meant }, text);
  for (const [name, accepts] of ambiguous)
    t.throws(() => parseUnit(name), { name: 'UnitError', accepts }, name);
  t.equal(convert(1, 'mGal', 'cm/s^2'), 0.001);
});

// The values: NIST SP 811 (2008), B.8, IAU 2012 B2 and 2015 B3, CODATA 2022.
t.test('the page says of a unit by convention what it is', async (t) => {
  const page = readFileSync(new URL('../../../docs/operators.md', import.meta.url), 'utf8');
  const [, table] = /\| unit \| is here \|.*\n\|---\|---\|---\|\n((?:\|.*\n)+)/.exec(page)!;
  const lines = table!.trim().split('\n');
  t.ok(lines.length > 30);
  for (const line of lines) {
    const [, names, is] = line.split('|');
    const [value, unit = '1'] = is!.trim().split(' ');
    for (const [, name] of names!.matchAll(/`([^`]+)`/g))
      t.equal(convert(1, name!, unit), Number(value), name);
  }
});

t.test('what names no unit is refused with what to write', async (t) => {
  for (const [text, write] of [
    ['USD/kWh', 'currency, which is the same for all of them'],
    ['Mbit/s', '1 for a count of bits or bytes, 1/s for so many a second; 8 bits are a byte'],
    ['mhz', 'MHz or mHz'],
    ['Kg', 'kg'],
    ['KWh', 'kWh'],
    ['PSI', 'psi'],
    ['PSIG', ambiguous.get('psig')!],
    ['deg_C', 'degC'],
    ['C°', '°C'],
    ['metrs', 'metre'],
    ['g0', '9.80665 m/s^2 for standard gravity'],
    ['kmh', 'km/h'],
    ['N_A', 'the number of the constant with its unit, from /api/constants'],
    ['furlong', 'a unit'],
    ['x', 'a unit'],
    ['hbar', ambiguous.get('hbar')!],
  ] as const)
    try {
      parseUnit(text);
      t.fail(text);
    } catch (error) {
      t.equal((error as UnitError).accepted('a unit'), write, text);
    }
});

t.test('no name is a symbol, with a prefix or without', async (t) => {
  const written = new Set([...symbols.keys(), ...prefixedSymbols()]);
  const both = plainNames.filter((name) => !symbols.has(name) && written.has(name));
  t.same(both, []);
  for (const name of plainNames)
    if (!symbols.has(name)) t.ok(isUnit(name) && isUnit(name[0]!.toUpperCase() + name.slice(1)), name);
});

t.test('what stands open behind a / is refused with how to write it', async (t) => {
  for (const [text, ...readings] of [
    ['J/kg K', 'J/(kg*K)', 'J*K/kg'],
    ['W/m2K', 'W/(m^2*K)', 'W*K/m^2'],
    ['W/m*K', 'W/(m*K)', 'W*K/m'],
    ['J/kg/K m', 'J/kg/(K*m)'],
    ['kJ/kmol·K', 'kJ/(kmol*K)', 'kJ*K/kmol'],
  ] as const) {
    t.throws(() => parseUnit(text), { name: 'UnitError', accepts: readings.join(' or ') }, text);
    for (const reading of readings) t.ok(isUnit(reading), reading);
  }
  for (const [text, written] of [
    ['kg-m', 'kg*m'],
    ['kg-m/s', 'kg*m'],
  ] as const)
    t.throws(
      () => parseUnit(text),
      { message: new RegExp(`write a product as ${written.replace('*', '\\*')}`) },
      text,
    );
});

t.test('quantities of another dimension do not convert', async (t) => {
  for (const [from, to] of [
    ['m', 's'],
    ['dB', '1'],
    ['currency', '1'],
    ['K', 'J'],
    ['rad/s', 'm'],
  ] as const) {
    t.throws(() => convert(1, from, to), UnitError, `${from} to ${to}`);
  }
});

t.test('a symbol has one meaning: none is another with a prefix unless the table says so', async (t) => {
  const written = new Set([
    'min',
    'cd',
    'Pa',
    'ft',
    'au',
    'pc',
    'Gy',
    'yr',
    'h',
    'd',
    'm',
    'T',
    'kat',
    'Da',
    'mi',
    'pu',
    'u',
  ]);
  for (const name of symbols.keys()) {
    const clash = [...prefixes.keys()].find(
      (prefix) => symbols.get(name.slice(prefix.length))?.prefixes && name.startsWith(prefix),
    );
    if (clash) t.ok(written.has(name), `${name} could be ${clash}-${name.slice(clash.length)}`);
  }
});

t.test('an uncertainty has no zero of the scale', async (t) => {
  t.equal(convertDifference(2, 'degC', 'K'), 2);
  t.equal(convertDifference(9, 'degF', 'degC'), 5);
  t.equal(convertDifference(5, 'ms', 's'), 0.005);
});

const unitText = fc
  .array(
    fc.tuple(
      fc.constantFrom('kg', 'm', 's', 'A', 'K', 'mol', 'N', 'V', 'mW', 'km', 'eV', 'h'),
      fc.constantFrom(-2, -1, 1, 2),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((factors) => factors.map(([name, exponent]) => `${name}^${exponent}`).join('*'));

t.test('a conversion there and back is off by at most one unit in the last place', async () => {
  fc.assert(
    fc.property(unitText, fc.double({ min: 1e-30, max: 1e30 }), (text, value) => {
      const si = unitOfDimension(parseUnit(text).dimension);
      const there = convert(value, text, si);
      const back = convert(there, si, text);
      return there === 0 || !Number.isFinite(there) || Math.abs(back - value) <= 2 ** -52 * value;
    }),
    { numRuns: 300 },
  );
});

t.test('the quick product rounds as the exact fractions do', async () => {
  const pairs = fc.constantFrom(
    ['in', 'm'],
    ['eV', 'J'],
    ['u', 'kg'],
    ['deg', 'rad'],
    ['km/h', 'm/s'],
    ['m/s', 'km/h'],
    ['yr^-1/2', 's^-1/2'],
    ['pc', 'ly'],
  );
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  fc.assert(
    fc.property(pairs, value, ([from, to], x) => {
      const [a, b] = [parseUnit(from!).scale, parseUnit(to!).scale];
      const expected = toDouble(multiply(ofDouble(x), multiply(a, invert(b))));
      return Object.is(convert(x, from!, to!) + 0, expected + 0);
    }),
    { numRuns: 5000 },
  );
});

t.test('the quick double-double rounds as the exact fractions do', async () => {
  const units = ['km/h', 'deg', 'in', 'min', 'mm', 'eV', 'degC', 'degF', 'lb', 'arcsec', 'h', 'kPa'];
  const si = new Map([
    ['km/h', 'm/s'],
    ['deg', 'rad'],
    ['in', 'm'],
    ['min', 's'],
    ['mm', 'm'],
    ['eV', 'J'],
  ]);
  for (const [unit, to] of [
    ['degC', 'K'],
    ['degF', 'K'],
    ['lb', 'kg'],
    ['arcsec', '1'],
    ['h', 's'],
    ['kPa', 'Pa'],
  ])
    si.set(unit!, to!);
  const decimals = fc.tuple(fc.integer({ min: -999999, max: 999999 }), fc.integer({ min: 0, max: 12 }));
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: -1000, max: 1000, noNaN: true }),
    decimals.map(([digits, places]) => Number(`${digits}e-${places}`)),
  );
  fc.assert(
    fc.property(number, fc.constantFrom(...units), (x, unit) => {
      const to = si.get(unit)!;
      const { scale, offset = { n: 0n, d: 1n } } = parseUnit(unit);
      const exact = add(multiply(ofDouble(x), scale), offset);
      const expected = toDoubleDouble(exact);
      const { hi, lo } = convertWide(x, unit, to);
      return hi === expected.hi && lo === expected.lo && hi === convert(x, unit, to);
    }),
    { numRuns: 4000 },
  );
});

t.test('the SI unit of a dimension reads back to that dimension', async () => {
  fc.assert(
    fc.property(unitText, (text) => {
      const { dimension } = parseUnit(text);
      const again = parseUnit(unitOfDimension(dimension));
      return sameDimension(again.dimension, dimension) && again.scale.n === again.scale.d;
    }),
    { numRuns: 300 },
  );
});

t.test('no text makes the parser fail otherwise than by a UnitError', async () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.stringMatching(/^[mskgK*/^() 0-9-]{0,40}$/),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      try {
        parseUnit(text);
      } catch (error) {
        return error instanceof UnitError;
      }
      return true;
    }),
    { numRuns: 2000 },
  );
});

t.test('names of derived units, and products where there is none', async (t) => {
  const cases = [
    ['kg*m^2/(s^3*A)', 'V'],
    ['N/m^2', 'Pa'],
    ['kg*m/s', 'kg*m/s'],
    ['1/s', '1/s'],
    ['/s', '1/s'],
    ['W/(m*K)', 'kg*m/(s^3*K)'],
    ['m^1/2', 'm^(1/2)'],
    ['rad', '1'],
  ];
  for (const [text, expected] of cases) t.equal(unitOfDimension(parseUnit(text!).dimension), expected);
  t.ok(
    sameUnit('N*m', 'J') && !sameUnit('K', 'degC') && !sameUnit('km', 'm') && isUnit('m/s') && !isUnit('x'),
  );
  t.ok(isDimensionless(parseUnit('deg').dimension));
});

t.test('one unit over another', (t) => {
  const rows = [
    ['m^2', 'm', 'm'],
    ['m/s', 's', 'm/s^2'],
    ['J', 'J', '1'],
    ['dB', 'W', 'dB/W'],
    ['eV', '1', 'eV'],
    ['MW', 'km/h', 'MW/(km/h)'],
    ['1', 's', '1/s'],
  ] as const;
  for (const [above, below, text] of rows) t.equal(unitOver(above, below), text);
  t.end();
});

import { type Dimension, dimension } from './dimension.ts';
import { decimal, type Fraction, fraction, multiply, pi } from './fraction.ts';

/** 0.45359237 kg · 9.80665 m/s². */
const poundForce = decimal('4.4482216152605');
const ofKilogramForce = decimal('9.80665');
const mercury = decimal('133.322387415');
const squareInch = fraction(64516n, 10n ** 8n);
const tenths = (exponent: bigint): Fraction => fraction(1n, 10n ** exponent);
/** 231 cubic inches. */
const gallon = decimal('0.003785411784');
const imperialGallon = decimal('0.00454609');
const pound = fraction(45359237n, 10n ** 8n);
const pressureOf = (force: Fraction, area: Fraction): Fraction => multiply(force, { n: area.d, d: area.n });

const length = dimension({ m: 1 });
const area = dimension({ m: 2 });
const volume = dimension({ m: 3 });
const flow = dimension({ m: 3, s: -1 });
const mass = dimension({ kg: 1 });
const speed = dimension({ m: 1, s: -1 });
const acceleration = dimension({ m: 1, s: -2 });
const load = dimension({ kg: 1, s: -2 });
const force = dimension({ kg: 1, m: 1, s: -2 });
const pressure = dimension({ kg: 1, m: -1, s: -2 });
const viscosity = dimension({ kg: 1, m: -1, s: -1 });
const diffusivity = dimension({ m: 2, s: -1 });
const energy = dimension({ kg: 1, m: 2, s: -2 });
const power = dimension({ kg: 1, m: 2, s: -3 });
const kelvin = dimension({ K: 1 });
const amount = dimension({ mol: 1 });
const concentration = dimension({ mol: 1, m: -3 });
const field = dimension({ kg: 1, s: -2, A: -1 });
const dose = dimension({ m: 2, s: -2 });

/** What one is in base units, and whether it takes prefixes. */
type CustomaryUnit = readonly [scale: Fraction, dimension: Dimension, prefixes?: 'prefixes'];

/** Of force, not of mass, as in every book that writes it with a hyphen. */
const footPound: CustomaryUnit = [multiply(poundForce, fraction(3048n, 10000n)), energy];
const inchPound: CustomaryUnit = [multiply(poundForce, fraction(254n, 10000n)), energy];
const inchOunce: CustomaryUnit = [multiply(poundForce, fraction(254n, 160000n)), energy];
const btu = decimal('1055.05585262');
const cubicFoot = fraction(3048n ** 3n, 10n ** 12n);
const poundMole: CustomaryUnit = [decimal('453.59237'), amount];

/**
 * Units outside the SI, by NIST SP 811 (2008), appendix B.8: hp is 550 ft·lbf/s, Btu that of the International Table,
 * mmHg and inH2O the conventional ones. The jansky is the IAU's, R_sun and L_sun those of its resolution B3 (2015), the reyn
 * that of J. E. Shigley, Mechanical Engineering Design, 12-1, and psia is psi from a vacuum. What two countries or two trades call by one name has two names here.
 */
export const customary: Readonly<Record<string, CustomaryUnit>> = {
  in: [fraction(254n, 10000n), length],
  thou: [fraction(254n, 10n ** 7n), length],
  ft: [fraction(3048n, 10000n), length],
  yd: [fraction(9144n, 10000n), length],
  mi: [fraction(1609344n, 1000n), length],
  R_sun: [fraction(695700000n), length],
  nmi: [fraction(1852n), length],
  acre: [fraction(40468564224n, 10n ** 7n), area],
  ac: [fraction(40468564224n, 10n ** 7n), area],
  ha: [fraction(10000n), area],
  barn: [tenths(28n), area, 'prefixes'],
  darcy: [fraction(1n, 101325n * 10n ** 7n), area, 'prefixes'],
  cmil: [multiply(pi, fraction(16129n, 10n ** 14n)), area],
  cc: [tenths(6n), volume],
  gal_US: [gallon, volume],
  qt_US: [multiply(gallon, fraction(1n, 4n)), volume],
  pt_US: [multiply(gallon, fraction(1n, 8n)), volume],
  floz_US: [multiply(gallon, fraction(1n, 128n)), volume],
  gal_UK: [imperialGallon, volume],
  qt_UK: [multiply(imperialGallon, fraction(1n, 4n)), volume],
  pt_UK: [multiply(imperialGallon, fraction(1n, 8n)), volume],
  floz_UK: [multiply(imperialGallon, fraction(1n, 160n)), volume],
  bbl: [multiply(gallon, fraction(42n)), volume],
  cfm: [multiply(cubicFoot, fraction(1n, 60n)), flow],
  cfs: [cubicFoot, flow],
  LPM: [fraction(1n, 60000n), flow],
  lpm: [fraction(1n, 60000n), flow],
  lb: [pound, mass],
  lbm: [pound, mass],
  lbs: [pound, mass],
  oz: [fraction(28349523125n, 10n ** 12n), mass],
  grain: [decimal('0.00006479891'), mass],
  carat: [decimal('0.0002'), mass],
  slug: [multiply(poundForce, fraction(10000n, 3048n)), mass],
  ton_US: [multiply(pound, fraction(2000n)), mass],
  ton_UK: [multiply(pound, fraction(2240n)), mass],
  knot: [fraction(1852n, 3600n), speed],
  kn: [fraction(1852n, 3600n), speed],
  mph: [decimal('0.44704'), speed],
  fpm: [fraction(3048n, 600000n), speed],
  kmph: [fraction(1000n, 3600n), speed],
  kph: [fraction(1000n, 3600n), speed],
  Gal: [tenths(2n), acceleration, 'prefixes'],
  lbf: [poundForce, force],
  kip: [multiply(poundForce, fraction(1000n)), force],
  kips: [multiply(poundForce, fraction(1000n)), force],
  ozf: [multiply(poundForce, fraction(1n, 16n)), force],
  pdl: [decimal('0.138254954376'), force],
  kgf: [ofKilogramForce, force],
  kp: [ofKilogramForce, force],
  gf: [multiply(ofKilogramForce, tenths(3n)), force],
  dyn: [tenths(5n), force, 'prefixes'],
  dyne: [tenths(5n), force],
  plf: [multiply(poundForce, fraction(10000n, 3048n)), load],
  klf: [multiply(poundForce, fraction(10n ** 7n, 3048n)), load],
  psi: [pressureOf(poundForce, squareInch), pressure],
  ksi: [multiply(pressureOf(poundForce, squareInch), fraction(1000n)), pressure],
  psia: [pressureOf(poundForce, squareInch), pressure],
  Mpsi: [multiply(pressureOf(poundForce, squareInch), fraction(10n ** 6n)), pressure],
  ksf: [pressureOf(poundForce, multiply(squareInch, fraction(144n, 1000n))), pressure],
  bara: [fraction(100000n), pressure],
  psf: [pressureOf(poundForce, multiply(squareInch, fraction(144n))), pressure],
  Torr: [fraction(101325n, 760n), pressure, 'prefixes'],
  torr: [fraction(101325n, 760n), pressure],
  mmHg: [mercury, pressure],
  cmHg: [multiply(mercury, fraction(10n)), pressure],
  inHg: [multiply(mercury, fraction(254n, 10n)), pressure],
  mH2O: [multiply(ofKilogramForce, fraction(1000n)), pressure],
  mmH2O: [ofKilogramForce, pressure],
  cmH2O: [multiply(ofKilogramForce, fraction(10n)), pressure],
  inH2O: [multiply(ofKilogramForce, fraction(254n, 10n)), pressure],
  ftH2O: [multiply(ofKilogramForce, fraction(3048n, 10n)), pressure],
  P: [tenths(1n), viscosity, 'prefixes'],
  reyn: [pressureOf(poundForce, squareInch), viscosity, 'prefixes'],
  St: [tenths(4n), diffusivity, 'prefixes'],
  erg: [tenths(7n), energy, 'prefixes'],
  Btu: [btu, energy],
  BTU: [btu, energy],
  kBtu: [multiply(btu, fraction(1000n)), energy],
  MMBtu: [multiply(btu, fraction(10n ** 6n)), energy],
  quad: [multiply(btu, fraction(10n ** 15n)), energy],
  therm_US: [decimal('105480400'), energy],
  therm_EC: [decimal('105505600'), energy],
  'ft-lb': footPound,
  'ft-lbs': footPound,
  'ft-lbf': footPound,
  'lb-ft': footPound,
  'lbf-ft': footPound,
  'in-lb': inchPound,
  'in-lbs': inchPound,
  'in-lbf': inchPound,
  'lb-in': inchPound,
  'lbf-in': inchPound,
  'oz-in': inchOunce,
  'in-oz': inchOunce,
  'ozf-in': inchOunce,
  hp: [multiply(poundForce, fraction(550n * 3048n, 10000n)), power],
  hp_electric: [fraction(746n), power],
  hp_boiler: [decimal('9809.5'), power],
  ton_refrigeration: [multiply(btu, fraction(12000n, 3600n)), power],
  L_sun: [decimal('3.828e26'), power],
  hp_metric: [multiply(ofKilogramForce, fraction(75n)), power],
  degR: [fraction(5n, 9n), kelvin],
  '°R': [fraction(5n, 9n), kelvin],
  gmol: [fraction(1n), amount],
  'g-mol': [fraction(1n), amount],
  kgmol: [fraction(1000n), amount],
  'kg-mol': [fraction(1000n), amount],
  lbmol: poundMole,
  'lb-mol': poundMole,
  M: [fraction(1000n), concentration, 'prefixes'],
  gauss: [tenths(4n), field],
  Oe: [multiply(fraction(250n), { n: pi.d, d: pi.n }), dimension({ A: 1, m: -1 }), 'prefixes'],
  Mx: [tenths(8n), dimension({ kg: 1, m: 2, s: -2, A: -1 })],
  debye: [fraction(1n, 299792458n * 10n ** 21n), dimension({ A: 1, s: 1, m: 1 })],
  roentgen: [decimal('2.58e-4'), dimension({ A: 1, s: 1, kg: -1 })],
  mho: [fraction(1n), dimension({ kg: -1, m: -2, s: 3, A: 2 })],
  Jy: [tenths(26n), dimension({ kg: 1, s: -2 }), 'prefixes'],
  fc: [fraction(10n ** 8n, 3048n ** 2n), dimension({ cd: 1, m: -2 })],
  tex: [tenths(6n), dimension({ kg: 1, m: -1 })],
  rem: [tenths(2n), dose, 'prefixes'],
};

const gallons = 'gal_US or gal_UK';
const pints = 'pt_US or pt_UK';
const quarts = 'qt_US or qt_UK';
const fluidOunces = 'floz_US or floz_UK';

/**
 * Texts that one reader takes for this and another for that, with what to write; prefixes would make units of some. With
 * a prefix of its own mGal is plain.
 */
export const ambiguous: ReadonlyMap<string, string> = new Map([
  ['kt', 'knot, or Gg for a kilotonne'],
  ['mt', 't for a metric ton, or kg for a thousandth of it'],
  ['MT', 't for metric tons, Tg for a million of them, or T for teslas'],
  ['ton', 't for metric tons, ton_US for 2000 lb, ton_UK for 2240 lb, or ton_refrigeration'],
  ['tons', 't for metric tons, ton_US for 2000 lb, ton_UK for 2240 lb, or ton_refrigeration'],
  ['gal', gallons],
  ['Gal', `cm/s^2 for a galileo, ${gallons}`],
  ['gallon', gallons],
  ['gallons', gallons],
  ['gpm', 'gal_US/min or gal_UK/min'],
  ['qt', quarts],
  ['quart', quarts],
  ['pt', pints],
  ['pint', pints],
  ['floz', fluidOunces],
  ['fl', `fL for femtolitres, ${fluidOunces}`],
  ['hbar', 'J*s with 1.054571817e-34 times the number for ħ, or bar with a hundred times it'],
  ['PS', 'hp_metric, or S with a power of ten for siemens'],
  ['at', 'kgf/cm^2 for a technical atmosphere, or pg for an attotonne'],
  ['ct', 'carat, or 10 kg for a hundredth of a tonne'],
  ['gr', 'grain, or g'],
  ['mil', 'thou for a thousandth of an inch, or mrad'],
  ['fps', 'ft/s, or Hz for frames in a second'],
  ['MM', 'M for mol/L, and a million as part of the number'],
  ['pound', 'lb for a mass, or lbf for a force'],
  ['pounds', 'lb for a mass, or lbf for a force'],
  ['ounce', 'oz for a mass, floz_US or floz_UK'],
  ['ounces', 'oz for a mass, floz_US or floz_UK'],
  ['psig', 'psia for an absolute pressure, which is 14.696 psi more, or psi for a difference'],
  ['barg', 'bara for an absolute pressure, which is 1.01325 bar more, or bar for a difference'],
  ['pcf', 'lb/ft^3 for a density, or lbf/ft^3 for a weight'],
  ['mpg', 'mi/gal_US or mi/gal_UK'],
  ['gph', 'gal_US/h or gal_UK/h'],
  ['therm', 'therm_US or therm_EC'],
  ['MBtu', 'kBtu for a thousand Btu, or MMBtu for a million'],
  ['Cal', 'kcal for a kilocalorie, or cal'],
  ['mD', 'mdarcy, or debye with a power of ten'],
  ['D', 'darcy or debye'],
  ['G', 'gauss, or a unit behind the prefix'],
  ['ppt', 'the number itself, for 10^-3 as for 10^-12'],
]);

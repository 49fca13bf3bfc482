import { WHOLE } from '../units/dimension.ts';
import { unitOfDimension } from '../units/format.ts';
import { exponentOf, parseUnit, UnitError } from '../units/unit.ts';
import { constantOf } from './dimensions.ts';
import { type Expression, symbolsOf, visit } from './syntax.ts';

// A turn is 2π rad and one cycle: 3000 rpm are 314.16 rad/s (NIST SP 811, B.8) and 50 1/s. Where a unit is declared, it says
// which (../units/conversion.ts). In a free-form equation the letter does, as the books have it (ISO 80000-3, 3-10 to 3-17): ω
// and other angles in a time are in rad/s, rotational frequencies n and f in 1/s. Under any other letter it is asked for.

const INDEX = String.raw`(?:_[\p{L}\p{N}_]+|\d*)`;
const ANGLE = 'theta|phi|psi|varphi|θ|φ|ψ';
/** ω, as it is typed too, and what says of an angle how fast it grows. */
const angularRate = new RegExp(
  String.raw`^(?:(?:omega|Omega|ω|Ω|w)${INDEX}|d?(?:${ANGLE})_?(?:dot|dt)(?:_?0)?|angular_?\w*)$`,
  'u',
);
const angle = new RegExp(`^(?:${ANGLE}|alpha|α|angle)${INDEX}$`, 'u');
const frequency = new RegExp(`^(?:n|N|f|nu|ν|freq|frequency|rpm|rps|rotational_frequency)${INDEX}$`, 'u');

/** Whether a letter is an angle in a time by its name. */
export const isAngularRate = (name: string): boolean => angularRate.test(name);

const ofAngle = /^1(?=$|\/s(?:\^\d+)?$)/;

/** The unit without factor that a number of a free-form equation is taken to: turns are angles under the name of one. */
export function coherentUnit(name: string, sent: string): string {
  const unit = unitOfDimension(parseUnit(sent).dimension);
  const turns = exponentOf('turn', sent);
  if (turns === 0) return unit;
  if (turns === 1 && ofAngle.test(unit) && (isAngularRate(name) || angle.test(name)))
    return unit.replace(ofAngle, 'rad');
  return `(${unit})*cycle^(${turns * WHOLE}/${WHOLE})`;
}

/** What a letter that was sent in turns is taken for; undefined where it was sent in none. */
type Turning = 'angle' | 'frequency' | 'open';

export function turningOf(name: string, sent: string | undefined): Turning | undefined {
  if (sent === undefined || turnsIn(sent) === 0) return undefined;
  if (coherentUnit(name, sent).startsWith('rad')) return 'angle';
  return frequency.test(name) && turnsIn(sent) === 1 ? 'frequency' : 'open';
}

export function turnsIn(unit: string): number {
  try {
    return exponentOf('turn', unit);
  } catch (error) {
    if (error instanceof UnitError) return 0; // which is said of the input
    throw error;
  }
}

/** Why a letter in turns cannot be read, and what can. */
export interface TurnsFault {
  readonly name: string;
  readonly what: string;
  readonly accepts: string;
}

const BOTH = 'rad/s, where 1 rpm is 0.1047198 rad/s, or 1/s, where it is 0.0166667 1/s';

export const openTurns = (name: string): TurnsFault => ({
  ...{ name, what: 'counts turns, which are cycles to some and 2π rad to others' },
  accepts: `${BOTH}, or a name that says which: omega or n`,
});

/** What is wrong with the turns of a formula, where something is. */
export function turnsFault(
  expression: Expression,
  unitOf: (name: string) => string | undefined,
): TurnsFault | undefined {
  const letters = symbolsOf(expression);
  const named = (wanted: Turning) => letters.filter((name) => turningOf(name, unitOf(name)) === wanted);
  const [open, frequencies, angles] = [named('open'), named('frequency'), named('angle')];
  const minutes = perMinute(expression, [...open, ...frequencies, ...angles]);
  if (minutes) return minutes;
  if (open.length > 0 && !isCancelled(expression, open, frequencies, unitOf)) return openTurns(open[0]!);
  const besidePi = angles.find((name) => isBesidePi(expression, name));
  if (besidePi !== undefined)
    return {
      ...{ name: besidePi, what: 'counts turns and stands beside a pi, where it may count cycles' },
      accepts: `rad/s or rad, where 1 rpm is 0.1047198 rad/s and a turn 6.283185 rad, or n in place of ${besidePi}`,
    };
  if (frequencies.length > 0 && !hasPi(expression) && letters.some((name) => isLever(name, unitOf(name))))
    return {
      ...{
        name: frequencies[0]!,
        what: 'counts turns, and stands without a 2*pi beside a lever, torque or inertia',
      },
      accepts: `2*pi*${frequencies[0]} in the formula, omega in place of ${frequencies[0]}, or 1/s`,
    };
  return undefined;
}

/** Numbers that turn turns a minute into rad/s, Hz, kilowatts or horse powers, where the unit says the minute already. */
const OF_A_MINUTE = new Set(['30', '60', '120', '9549', '9550', '9.549', '9.55', '5252', '33000']);

function perMinute(expression: Expression, letters: readonly string[]): TurnsFault | undefined {
  let found: string | undefined;
  visit(expression, (node) => {
    if (node.kind === 'number' && OF_A_MINUTE.has(node.text)) found ??= node.text;
  });
  const [name] = letters;
  if (found === undefined || name === undefined) return undefined;
  return {
    ...{ name, what: `counts turns, in a formula with ${found}, as for a plain number of turns a minute` },
    accepts: 'the number without unit, or the formula without what converts it',
  };
}

/** Whether turns cancel, among the letters that may be either alone or with those that are frequencies. */
function isCancelled(
  expression: Expression,
  open: readonly string[],
  frequencies: readonly string[],
  unitOf: (name: string) => string | undefined,
): boolean {
  const among = (letters: readonly string[]) =>
    netTurns(expression, (name) => (letters.includes(name) ? turnsIn(unitOf(name)!) : 0)) === 0;
  return among(open) || among([...open, ...frequencies]);
}

/** How often turns stand in a product; NaN where that cannot be said. */
function netTurns(node: Expression, turns: (name: string) => number): number {
  const of = (part: Expression) => netTurns(part, turns);
  switch (node.kind) {
    case 'number':
      return 0;
    case 'symbol':
      return turns(node.name);
    case 'negate':
      return of(node.of);
    case 'call':
      return ofCall(node.name, node.arguments.map(of));
    case 'binary': {
      const [left, right] = [of(node.left), of(node.right)];
      if (node.operator === '*') return left + right;
      if (node.operator === '/') return left - right;
      if (node.operator !== '^') return same([left, right]);
      const exponent = constantOf(node.right);
      return left === 0
        ? right && Number.NaN
        : exponent
          ? (left * Number(exponent.n)) / Number(exponent.d)
          : Number.NaN;
    }
  }
}

const same = (turns: readonly number[]): number =>
  turns.every((each) => each === turns[0]) ? turns[0]! : Number.NaN;

/** Under a sine ./counts.ts says whether there is a π beside them. */
function ofCall(name: string, turns: readonly number[]): number {
  const all = same(turns);
  if (name === 'sqrt') return all / 2;
  if (name === 'cbrt') return all / 3;
  if (name === 'abs' || name === 'min' || name === 'max') return all;
  if (name === 'atan2') return all - all;
  const isCircular = /^(?:sin|cos|tan|sinpi|cospi)$/.test(name);
  return isCircular && !Number.isNaN(all) ? 0 : all && Number.NaN;
}

/** Whether a product has π and the letter on one side of its line; what stands under sinpi has another π. */
function isBesidePi(expression: Expression, letter: string): boolean {
  const products: [product: Expression, pi: number][] = [[expression, 0]];
  visit(expression, (node) => {
    if (node.kind === 'call')
      for (const each of node.arguments) products.push([each, /^(?:sin|cos)pi$/.test(node.name) ? 1 : 0]);
    if (node.kind === 'binary' && (node.operator === '+' || node.operator === '-'))
      products.push([node.left, 0], [node.right, 0]);
  });
  const count = (node: Expression, of: string) => netTurns(node, (name) => (name === of ? 1 : 0));
  return products.some(([product, pi]) => (count(product, 'pi') + pi) * count(product, letter) > 0);
}

/** π, or a numeral that holds one: 6.28, 39.48. */
function hasPi(expression: Expression): boolean {
  let has = symbolsOf(expression).includes('pi');
  visit(expression, (node) => {
    has ||= node.kind === 'number' && /^(?:3\.14|6\.28|9\.87|12\.5[67]|19\.7|39\.[45])/.test(node.text);
  });
  return has;
}

/** What an angle in a time is multiplied with, and a number of turns only with a 2π. */
const levers: readonly (readonly [name: RegExp, unit: string])[] = [
  [new RegExp(`^(?:r|R|radius)${INDEX}$`, 'u'), 'm'],
  [new RegExp(`^(?:T|M|tau|τ|torque)${INDEX}$`, 'u'), 'J'],
  [new RegExp(`^(?:I|J|inertia)${INDEX}$`, 'u'), 'kg*m^2'],
];

function isLever(name: string, unit: string | undefined): boolean {
  const lever = levers.find(([letters]) => letters.test(name));
  return lever !== undefined && unit !== undefined && unitOfDimension(parseUnit(unit).dimension) === lever[1];
}

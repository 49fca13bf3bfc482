import { printable, printableWord } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import { dimension, sameDimension } from '../units/dimension.ts';
import { exponentOf, parseUnit, UnitError } from '../units/unit.ts';
import { constantOf } from './dimensions.ts';
import { type Expression, symbolsOf } from './syntax.ts';
import { isAngularRate, openTurns, type TurnsFault, turningOf, turnsFault, turnsIn } from './turns.ts';

// Cycles, angles and decays in a second are all 1/s to the SI, and 10 Hz is 62.8 rad/s (./rates.ts). A row says what its
// inputs count; in a free-form equation only its own factors of π do: sin(2*pi*f*t) turns cycles into angles, sin(f*t)
// takes them for such. Of turns, as in rpm, the letter says whether they are cycles or angles (./turns.ts).

/** The unit that a letter was sent in. */
export type UnitOf = (name: string) => string | undefined;

/** How often cycles, decays, turning angles (those in a time) and π stand in a product. */
interface Counts {
  readonly cycle: number;
  readonly decay: number;
  readonly turning: number;
  readonly pi: number;
}

/** A product that may hold a 2π unseen, such as one with 6.283. */
const ANY = 'any';
type Counted = Counts | typeof ANY;

const NONE: Counts = { cycle: 0, decay: 0, turning: 0, pi: 0 };
const PI: Counts = { ...NONE, pi: 1 };
const perSecond = dimension({ s: -1 });
/**
 * @throws Refusal INVALID_INPUT for an ω in Hz, for cycles under sin, cos or tan without a π, for rad/s there with one,
 * and for a sum of what counts unlike things; `place` leads to the inputs in the request
 */
export function refuseMiscounted(expression: Expression, unitOf: UnitOf, place = 'inputs'): void {
  const letters = symbolsOf(expression);
  const counts = new Map(letters.map((name) => [name, ofUnit(name, unitOf(name))]));
  const isTurned = letters.some((name) => turningOf(name, unitOf(name)) !== undefined);
  if (!isTurned && [...counts.values()].every((each) => each === NONE)) return;
  for (const name of letters)
    if (isAngularRate(name) && counts.get(name)!.cycle !== 0) refuseAngular(name, unitOf(name)!, place);
  const of = (name: string): Counted => (name === 'pi' ? PI : counts.get(name)!);
  new Counting(of, unitOf, place).of(expression);
  const fault = turnsFault(expression, unitOf);
  if (fault) refuseTurns(fault, unitOf(fault.name)!, place);
}

const refuseTurns = ({ name, what, accepts }: TurnsFault, unit: string, place: string): never =>
  refuseUnit(name, unit, place, what, accepts);

/** @throws Refusal INVALID_INPUT for a number beside the formulas, such as where a component starts, in turns of no known kind */
export function refuseOpenTurns(name: string, unit: string | undefined, place: string): void {
  if (turningOf(name, unit) === 'open') refuseTurns(openTurns(name), unit!, place);
}

function ofUnit(name: string, unit: string | undefined): Counts {
  if (unit === undefined) return NONE;
  const turning = turningOf(name, unit);
  if (turning === 'angle')
    return sameDimension(parseUnit(unit).dimension, perSecond) ? { ...NONE, turning: 1 } : NONE;
  if (turning !== undefined) return { ...NONE, cycle: turnsIn(unit) };
  try {
    const [cycle, decay] = [exponentOf('cycle', unit), exponentOf('decay', unit)];
    const isRate = sameDimension(parseUnit(unit).dimension, perSecond);
    const turning = isRate ? exponentOf('angle', unit) : 0;
    return cycle === 0 && decay === 0 && turning === 0 ? NONE : { cycle, decay, turning, pi: 0 };
  } catch (error) {
    if (error instanceof UnitError) return NONE; // which is said of the input
    throw error;
  }
}

function refuseAngular(name: string, unit: string, place: string): never {
  const accepts = `rad/s, or a frequency f and 2*pi*f in place of ${name}`;
  return refuseUnit(name, unit, place, 'counts cycles: 10 Hz is 62.8 rad/s', accepts);
}

function refuseUnit(name: string, unit: string, place: string, what: string, accepts: string): never {
  const field = `${place}.${printableWord(name)}.unit`;
  return refuse('INVALID_INPUT', `${field} is ${printable(unit)}, which ${what}; accepted: ${accepts}.`, {
    field,
    accepts,
  });
}

class Counting {
  readonly #letter: (name: string) => Counted;
  readonly #unitOf: UnitOf;
  readonly #place: string;

  constructor(letter: (name: string) => Counted, unitOf: UnitOf, place: string) {
    this.#letter = letter;
    this.#unitOf = unitOf;
    this.#place = place;
  }

  of(node: Expression): Counted {
    switch (node.kind) {
      case 'number':
        return Number.isInteger(Number(node.text)) ? NONE : ANY;
      case 'symbol':
        return this.#letter(node.name);
      case 'negate':
        return this.of(node.of);
      case 'call':
        return this.#call(node);
      case 'binary':
        return this.#binary(node);
    }
  }

  #binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>): Counted {
    const [a, b] = [this.of(left), this.of(right)];
    if (operator === '+' || operator === '-') return this.#joined(operator, left, right, a, b);
    if (operator === '^') return raised(a, exponentIn(right));
    return a === ANY || b === ANY ? ANY : product(a, b, operator === '*' ? 1 : -1);
  }

  #call({ name, arguments: list }: Extract<Expression, { kind: 'call' }>): Counted {
    const [a, b] = list.map((argument) => this.of(argument)) as [Counted, Counted | undefined];
    if (name === 'sin' || name === 'cos' || name === 'tan') this.#refuseTurns(name, list[0]!, a, 0);
    if (name === 'sinpi' || name === 'cospi') this.#refuseTurns(name, list[0]!, a, 1);
    if (name === 'sqrt' || name === 'cbrt') return raised(a, name === 'sqrt' ? 1 / 2 : 1 / 3);
    if (b !== undefined) {
      const joined = this.#joined(name, list[0]!, list[1]!, a, b);
      return name === 'atan2' ? NONE : joined;
    }
    return name === 'abs' ? a : NONE;
  }

  /** Cycles need a factor of π to be an angle, angles in a time must have none. */
  #refuseTurns(name: string, argument: Expression, counted: Counted, extra: number): void {
    if (counted === ANY) return;
    const pi = counted.pi + extra;
    if (counted.cycle !== 0 && counted.turning === 0 && pi === 0)
      this.#refuse(argument, 'cycle', `counts cycles where ${name} takes an angle`, (letter) => [
        `rad/s, or 2*pi*${letter} in the formula`,
      ]);
    if (counted.turning !== 0 && counted.cycle === 0 && pi > 0)
      this.#refuse(
        argument,
        'turning',
        `is an angle in a time, which stands beside a pi under ${name}`,
        () => ['Hz, or a formula without the pi'],
      );
  }

  #joined(what: string, left: Expression, right: Expression, a: Counted, b: Counted): Counted {
    if (a === ANY || b === ANY) return ANY;
    if (a.cycle === b.cycle && a.decay === b.decay && a.turning === b.turning) return a.pi === b.pi ? a : ANY;
    if (isNone(a) || isNone(b)) return isNone(a) ? b : a;
    if (a.pi !== b.pi || (a.cycle === b.cycle && a.decay === b.decay)) return ANY;
    const kind = a.decay !== b.decay ? 'decay' : 'cycle';
    const side = a[kind] !== 0 ? left : right;
    return this.#refuse(
      side,
      kind,
      `counts ${kind}s where ${what} joins them with what counts something else`,
      () => ['quantities that count the same; a cycle is 2*pi rad'],
    );
  }

  #refuse(
    node: Expression,
    kind: 'cycle' | 'decay' | 'turning',
    what: string,
    accepts: (letter: string) => readonly [string],
  ): never {
    const name = symbolsOf(node).find((letter) => {
      const counted = this.#letter(letter);
      return counted !== ANY && counted[kind] !== 0;
    })!;
    return refuseUnit(name, this.#unitOf(name)!, this.#place, what, accepts(name)[0]);
  }
}

const isNone = ({ cycle, decay, turning }: Counts): boolean => cycle === 0 && decay === 0 && turning === 0;

const product = (a: Counts, b: Counts, sign: number): Counts => ({
  cycle: a.cycle + sign * b.cycle,
  decay: a.decay + sign * b.decay,
  turning: a.turning + sign * b.turning,
  pi: a.pi + sign * b.pi,
});

function raised(counted: Counted, exponent: number | undefined): Counted {
  if (counted === ANY) return ANY;
  if (exponent === undefined) return isNone(counted) && counted.pi === 0 ? NONE : ANY;
  return product(NONE, counted, exponent);
}

/** The exponent where it is a plain number. */
function exponentIn(node: Expression): number | undefined {
  const exact = constantOf(node);
  return exact && Number(exact.n) / Number(exact.d);
}

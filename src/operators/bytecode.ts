import { type DoubleDouble, decimal, isDecimal, toDoubleDouble } from '../units/fraction.ts';
import { constantOf, numeral } from './dimensions.ts';
import { functions, opcodes } from './functions.ts';
import { type Expression, symbolsOf } from './syntax.ts';

/** A number as the kernel takes it: hi + lo, with its standard uncertainty. */
export interface Value extends DoubleDouble {
  readonly sigma: number;
  /** It is the double nearest to a decimal and not that decimal, or was converted from one. */
  readonly isNearest?: true;
}

/** A compiled expression. Pushes name values by index: first the symbols in order, then the literals. */
export interface Program {
  readonly symbols: readonly string[];
  readonly literals: readonly Value[];
  readonly code: readonly number[];
  readonly depth: number;
  /** Work units of the value, and of one derivative pass (assembly/expression/opcodes.ts, `cost`). */
  readonly work: number;
  readonly derivativeWork: number;
  /** Of one look at uncertain values to either side: one, two together or all. */
  readonly bendWork: number;
}

/** A program that can be run. */
export interface Filled {
  readonly program: Program;
  /** In the order of the program's symbols. */
  readonly values: readonly Value[];
}

const PROGRAM_COST = 300;
const DERIVATIVE_COST = 40;
/** Places beside a value at which a program that turns is asked again (assembly/expression/uncertainty.ts). */
const PLACES = 4;
const LARGEST_POWER = 1024n;

/** pi to the width of a double-double (OEIS A000796). */
export const pi = exactly('3.14159265358979323846264338327950288419716939937511');

/** The double-double nearest to a decimal numeral. */
export function exactly(text: string, sigma = 0): Value {
  return { ...toDoubleDouble(decimal(numeral(text))), sigma };
}

/** What is known of a value beside its words, which are made from a number that was sent. */
export const nearestTo = (sent: number): Pick<Value, 'isNearest'> =>
  isDecimal(sent) ? {} : { isNearest: true };

export function compile(expression: Expression): Program {
  const symbols = symbolsOf(expression).filter((name) => name !== 'pi');
  const literals: Value[] = [];
  const code: number[] = [];
  let [height, depth] = [0, 0];

  const emit = (opcode: number, operand = 0, growth = 0): void => {
    code.push((operand << 8) | opcode);
    height += growth;
    depth = Math.max(depth, height);
  };
  const literal = (value: Value): void => {
    const at = literals.findIndex(({ hi, lo }) => hi === value.hi && lo === value.lo);
    if (at < 0) literals.push(value);
    emit(opcodes.push, symbols.length + (at < 0 ? literals.length - 1 : at), 1);
  };
  const write = (node: Expression): void => {
    if (node.kind === 'number') literal(exactly(node.text));
    else if (node.kind === 'symbol') {
      if (node.name === 'pi') literal(pi);
      else emit(opcodes.push, symbols.indexOf(node.name), 1);
    } else if (node.kind === 'negate') {
      write(node.of);
      emit(opcodes.negate);
    } else if (node.kind === 'call') {
      node.arguments.forEach(write);
      emit(functions.get(node.name)!.opcode, 0, 1 - node.arguments.length);
    } else {
      const power = node.operator === '^' ? wholePower(node.right) : undefined;
      write(node.left);
      if (power !== undefined) emit(opcodes.powerOf, power);
      else {
        write(node.right);
        emit(opcodes[node.operator], 0, -1);
      }
    }
  };
  write(expression);
  return {
    symbols,
    literals,
    code,
    depth,
    work: workOf(code),
    derivativeWork:
      (code.some((word) => turning.has(word & 0xff)) ? 1 + PLACES : 1) * DERIVATIVE_COST * code.length,
    bendWork: DERIVATIVE_COST * code.length,
  };
}

/** abs, sign, floor, mod, min and max, which have steps and kinks (assembly/expression/uncertainty.ts). */
const turning = new Set([14, 15, 16, 51, 52, 60]);

function wholePower(exponent: Expression): number | undefined {
  const constant = constantOf(exponent);
  if (constant?.d !== 1n || constant.n > LARGEST_POWER || constant.n < -LARGEST_POWER) return undefined;
  return Number(constant.n);
}

/** The cost table of assembly/expression/opcodes.ts; a test runs every function and compares. */
const costs: readonly (readonly [cost: number, opcodes: readonly number[]])[] = [
  [10, [0, 1, 14, 15, 51, 60]],
  [20, [8, 9, 10]],
  [60, [11, 16, 32, 52]],
  [200, [2, 33]],
  [400, [34, 40, 41, 43, 44]],
  [1200, [12, 13, 45, 46, 47]],
  [2000, [59]],
  [3200, [56, 57, 58]],
];

/** floor, sign and mod: a program that has one is run twice (assembly/expression/evaluate.ts). */
const steps = new Set([16, 52, 60]);

function workOf(code: readonly number[]): number {
  const once = code.reduce((sum, word) => sum + cost(word & 0xff), 0);
  return PROGRAM_COST + (code.some((word) => steps.has(word & 0xff)) ? 2 : 1) * once;
}

function cost(opcode: number): number {
  return costs.find(([, list]) => list.includes(opcode))?.[0] ?? 800;
}

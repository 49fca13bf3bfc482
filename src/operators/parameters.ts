import type { Filled, Value } from './bytecode.ts';
import { opcodes } from './functions.ts';

const HEADER = 16;
const VALUE = 24;

/** The parameter block of the expression kernel (assembly/kernels/expression.ts) for these programs, in order. */
export function expressionParameters(programs: readonly Filled[]): Uint8Array {
  let [values, words, depth] = [0, 0, 0];
  for (const { program } of programs) {
    values += program.symbols.length + program.literals.length;
    words += program.code.length;
    depth = Math.max(depth, program.depth);
  }
  const programsAt = HEADER + VALUE * values;
  const codeAt = programsAt + 8 * programs.length;
  const view = new DataView(new ArrayBuffer((codeAt + 4 * words + 7) & ~7));
  view.setInt32(0, programs.length, true);
  view.setInt32(4, values, true);
  view.setInt32(8, words, true);
  view.setInt32(12, depth, true);
  writeValues(view, programs);
  writePrograms(view, programs, programsAt, codeAt);
  return new Uint8Array(view.buffer);
}

function writeValues(view: DataView, programs: readonly Filled[]): void {
  let at = HEADER;
  for (const { values, program } of programs) {
    for (const value of values) at = writeValue(view, at, value);
    for (const value of program.literals) at = writeValue(view, at, value);
  }
}

function writeValue(view: DataView, at: number, { hi, lo, sigma }: Value): number {
  view.setFloat64(at, hi, true);
  view.setFloat64(at + 8, lo, true);
  view.setFloat64(at + 16, sigma, true);
  return at + VALUE;
}

/** Each program's pushes count from its own first value. */
function writePrograms(view: DataView, programs: readonly Filled[], tableAt: number, codeAt: number): void {
  let [word, firstValue] = [0, 0];
  programs.forEach(({ program, values }, j) => {
    view.setInt32(tableAt + 8 * j, word, true);
    view.setInt32(tableAt + 8 * j + 4, program.code.length, true);
    for (const instruction of program.code) {
      view.setInt32(codeAt + 4 * word++, placed(instruction, values, firstValue), true);
    }
    firstValue += program.symbols.length + program.literals.length;
  });
}

function placed(instruction: number, values: readonly Value[], firstValue: number): number {
  if ((instruction & 0xff) !== opcodes.push) return instruction;
  const index = instruction >> 8;
  const push = values[index]?.isNearest ? opcodes.pushNearest : opcodes.push;
  return ((index + firstValue) << 8) | push;
}

/** Work units that the kernel will spend: the programs, and the passes of each for each uncertain value and each pair. */
export function expressionWork(programs: readonly Filled[]): number {
  let [uncertain, work, derivativeWork, bendWork] = [0, 0, 0, 0];
  for (const { values, program } of programs) {
    for (const { sigma } of values) if (sigma !== 0) uncertain++;
    work += program.work;
    derivativeWork += program.derivativeWork;
    bendWork += program.bendWork;
  }
  if (uncertain === 0) return work; // literals are certain
  return work + uncertain * derivativeWork + (uncertain * uncertain + 1) * bendWork;
}

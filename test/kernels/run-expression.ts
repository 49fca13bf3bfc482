import { compile, nearestTo } from '../../src/operators/bytecode.ts';
import { expressionParameters } from '../../src/operators/parameters.ts';
import { parse } from '../../src/operators/parse.ts';
import { driveRun, instantiateKernel, type KernelExports } from '../../workers/kernel-host.ts';
import { kernelModule } from '../solvers/run-job.ts';

// Formulas in the kernel `expression`, for its tests.

export type Number3 = readonly [hi: number, lo?: number, sigma?: number];

/** A program with its values laid out, as compute plans it. */
export function block(text: string, values: Record<string, Number3> = {}): Uint8Array {
  const expression = parse(text);
  const program = compile(expression);
  const list = program.symbols.map((name) => {
    const [hi, lo = 0, sigma = 0] = values[name]!;
    return { hi, lo, sigma };
  });
  return expressionParameters([{ program, values: list }]);
}

/** The same of numbers as a caller sends them. */
export function sent(text: string, numbers: Readonly<Record<string, number>>, sigma = 0): Uint8Array {
  const program = compile(parse(text));
  const values = program.symbols.map((name) => ({
    hi: numbers[name]!,
    lo: 0,
    sigma,
    ...nearestTo(numbers[name]!),
  }));
  return expressionParameters([{ program, values }]);
}

export function run(kernel: KernelExports, parameters: Uint8Array) {
  const finished = driveRun(kernel, {
    kernel: '0'.repeat(64),
    parameters,
    stepsPerSegment: 1,
    memory: 2 ** 24,
    work: 1e4,
  });
  const numbers = new Float64Array(finished.result.slice().buffer);
  const [value, lo, uncertainty] = numbers.slice(-3) as unknown as [number, number, number];
  return { ...finished, value, lo, uncertainty, evaluation: numbers[7]! }; // the error of the first gate
}

export const kernel = instantiateKernel(kernelModule('expression'));
export const evaluate = (text: string, values?: Record<string, Number3>) => run(kernel, block(text, values));

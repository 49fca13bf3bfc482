import { applyInputs, type GivenInputs } from '../../src/operators/apply.ts';
import { expressionParameters } from '../../src/operators/parameters.ts';
import { type Row as OperatorRow, operator, registry } from '../../src/operators/registry.ts';
import { javascriptText, mathjsInstance, mathjsText } from '../../test/operators/notations.ts';
import { kernelModule } from '../../test/solvers/run-job.ts';
import { instantiateKernel } from '../../workers/kernel-host.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { alternatingMedians } from '../timing.ts';

// operators: formulas of the whole registry at their worked examples → evaluations/s in one thread, against mathjs
// (compiled) and plain JavaScript. The kernel evaluates in double and in double-double with a running error bound; the
// other two in double alone, and nobody knows how far they are off.

const EVERY = quick ? 100 : 10;
const REPEATS = quick ? 3 : 200;
/** Status of a kernel that has come to its end (assembly/kernel/status.ts). */
const FINISHED = 1;
const ROUNDS = quick ? 1 : 7;

interface Contestant {
  readonly id: string;
  readonly parameters: Uint8Array<ArrayBuffer>;
  /** With a derivative for each input, one of a thousandth uncertain. */
  readonly uncertain: Uint8Array<ArrayBuffer>;
  readonly mathjs: { evaluate(scope: Record<string, number>): number };
  readonly scope: Record<string, number>;
  readonly plain: (...values: number[]) => number;
  readonly values: number[];
}

const math = mathjsInstance();
const kernel = instantiateKernel(kernelModule('expression'));

function contestant({ id, expression, examples }: OperatorRow): Contestant | undefined {
  if (expression === undefined || examples.length === 0) return undefined;
  const application = applyInputs([operator(id)], examples[0]!.inputs as GivenInputs)[0]!;
  const { program, values } = application;
  const [forMathjs, forPlain] = [
    mathjsText(expression, program.symbols),
    javascriptText(operator(id).expression, program.symbols),
  ];
  if (forMathjs === undefined || forPlain === undefined) return undefined;
  const names = program.symbols.map((_, i) => `v${i}`);
  const doubles = values.map(({ hi }) => hi);
  const shaken = values.map(({ hi, lo }) => ({ hi, lo, sigma: Math.abs(hi) / 1000 }));
  return {
    id,
    parameters: new Uint8Array(expressionParameters([application])),
    uncertain: new Uint8Array(expressionParameters([{ ...application, values: shaken }])),
    mathjs: math.compile(forMathjs),
    scope: Object.fromEntries(names.map((name, i) => [name, doubles[i]!])),
    plain: new Function(...names, `return ${forPlain};`) as Contestant['plain'],
    values: doubles,
  };
}

/** Parameters in, status out: the kernel as a run has it. */
function evaluate(parameters: Uint8Array): number {
  const at = kernel.configure(parameters.length);
  new Uint8Array(kernel.memory.buffer, at, parameters.length).set(parameters);
  kernel.start(1e6);
  kernel.advance(1, 1e6);
  return kernel.status();
}

/** Evaluations per second of processor time: other work on the machine does not count. */
function rate(contestants: readonly Contestant[], evaluation: (one: Contestant) => number): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (const one of contestants) for (let i = 0; i < REPEATS; i++) sum += evaluation(one);
  const { user, system } = process.cpuUsage(before);
  if (Number.isNaN(sum)) throw new Error('an evaluation left the numbers');
  return ((contestants.length * REPEATS) / (user + system)) * 1e6;
}

export const figure: Figure = {
  title:
    'operators: formulas of the registry → evaluations/s in one thread, against mathjs and plain JavaScript',
  async run(): Promise<Row[]> {
    const rows = [...registry().rows.values()].filter((_, i) => i % EVERY === 0);
    const all = rows.map(contestant).filter((one) => one !== undefined);
    const refused = all.find(({ parameters }) => evaluate(parameters) !== FINISHED);
    if (refused) throw new Error(`the kernel refuses ${refused.id}`);
    const rates = await alternatingMedians(ROUNDS, {
      kernel: () => rate(all, ({ parameters }) => evaluate(parameters)),
      uncertain: () => rate(all, ({ uncertain }) => evaluate(uncertain)),
      mathjs: () => rate(all, ({ mathjs, scope }) => mathjs.evaluate(scope)),
      plain: () => rate(all, ({ plain, values }) => plain(...values)),
    });
    const row = (figure: string, value: number, against: string, peer: number) =>
      rated({ figure: `operators: ${figure}`, value, unit: '1/s', against, peer });
    const named = `kernel, ${all.length} formulas`;
    return [
      row(named, rates.kernel, 'mathjs, compiled', rates.mathjs),
      row(named, rates.kernel, 'plain JavaScript', rates.plain),
      row(`${named}, every input uncertain`, rates.uncertain, 'mathjs, compiled', rates.mathjs),
    ];
  },
};

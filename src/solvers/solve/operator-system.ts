import { printable } from '../../errors/printable.ts';
import { refuse } from '../../errors/refusal.ts';
import { type Application, domain, fits } from '../../operators/apply.ts';
import type { Value } from '../../operators/bytecode.ts';
import { expressionsOf } from '../../operators/operator.ts';
import { type FormulaBlock, formulaBlock } from '../expressions.ts';
import type { System } from './problem.ts';

/** Numbers of an operator by symbol. */
type Numbers = ReadonlyMap<string, number>;

const blocks = new WeakMap<Application, System>();

/** The differential equation of an operator that has no closed form, with the numbers that it was given. */
export function systemOfOperator(application: Application): System {
  const known = blocks.get(application);
  if (known) return known;
  const system = systemAt(application, numbersOf(application));
  blocks.set(application, system);
  return system;
}

function numbersOf({ program, values }: Application): Numbers {
  return new Map(program.symbols.map((symbol, i) => [symbol, values[i]!.hi]));
}

function systemAt({ operator }: Application, numbers: Numbers): System {
  const ode = operator.ode!;
  const end = numbers.get(ode.variable)!;
  if (!(end > 0))
    refuse(
      'INVALID_INPUT',
      `${operator.id}: ${ode.variable} is ${printable(end)}, where the integration ends.`,
      {
        field: `inputs.${ode.variable}`,
        accepts: 'a number above 0',
      },
    );
  return {
    variable: ode.variable,
    variableUnit: operator.inputs.find(({ symbol }) => symbol === ode.variable)!.unit,
    components: ode.components.map(({ symbol, unit, start }) => ({
      name: symbol,
      unit,
      start: typeof start === 'number' ? start : numbers.get(start)!,
    })),
    start: 0,
    end,
    unit: operator.result.unit,
    isConserved: ode.conserved !== undefined,
    conservedUnit: null,
    block: blockOf(ode, numbers),
    steps: ode.steps,
  };
}

function blockOf(ode: NonNullable<Application['operator']['ode']>, numbers: Numbers): FormulaBlock {
  const own = [...ode.components.map(({ symbol }) => symbol), ode.variable];
  const parameters = [...numbers].flatMap(([name, value]) => (own.includes(name) ? [] : [{ name, value }]));
  return formulaBlock(
    expressionsOf(ode).map((expression) => ({ expression })),
    own,
    parameters,
  );
}

/** The same with each uncertain input one standard uncertainty lower and higher, pair by pair. */
export function shiftedSystems(application: Application): System[] {
  const { program, values } = application;
  const numbers = numbersOf(application);
  return program.symbols.flatMap((symbol, i) => {
    const { hi, sigma }: Value = values[i]!;
    if (sigma === 0) return [];
    refuseBeyond(application, symbol, [hi - sigma, hi + sigma]);
    return [hi - sigma, hi + sigma].map((x) => systemAt(application, new Map([...numbers, [symbol, x]])));
  });
}

/** A root of a negative length would be an uncertainty of nothing. */
function refuseBeyond({ operator }: Application, symbol: string, ends: readonly number[]): void {
  const input = operator.inputs.find((each) => each.symbol === symbol);
  const beyond = input && ends.find((hi) => !fits({ ...input, whole: false }, { hi, lo: 0 }));
  if (beyond === undefined) return;
  const accepts = 'an uncertainty whose ends the operator takes as well';
  refuse(
    'INVALID_INPUT',
    `inputs.${symbol}.uncertainty reaches to ${beyond}, where ${operator.id} takes ${domain(input!)}; accepted: ${accepts}.`,
    { field: `inputs.${symbol}.uncertainty`, accepts },
  );
}

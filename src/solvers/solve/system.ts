import { printable, printableWord } from '../../errors/printable.ts';
import { refuse } from '../../errors/refusal.ts';
import { applyInputs, type GivenInputs } from '../../operators/apply.ts';
import { refuseOpenTurns } from '../../operators/counts.ts';
import { operator } from '../../operators/registry.ts';
import { symbolsOf } from '../../operators/syntax.ts';
import { type Dimension, over } from '../../units/dimension.ts';
import { unitOfDimension } from '../../units/format.ts';
import { parseUnit } from '../../units/unit.ts';
import {
  type Formula,
  type FormulaPlace,
  type FormulaSymbol,
  formulaBlock,
  type Parameter,
  readFormula,
  readParameter,
  readParameters,
  refuseUnused,
  requireDimension,
  type SentParameters,
  unitOfFormula,
} from '../expressions.ts';
import { readSystem } from './differential.ts';
import { systemOfOperator } from './operator-system.ts';
import { type Quantity, refuseStateOfSystem, type SolveInput, type System } from './problem.ts';

const MODULATION = 'KO42';
const place = (field: string): FormulaPlace => ({ field, parametersField: 'inputs' });
const systems = new WeakMap<SolveInput, System>();

/** The system of a request with an `equation`; throws the Refusal that names what is missing or does not fit. */
export function readOwnSystem(input: SolveInput): System {
  const known = systems.get(input);
  if (known) return known;
  const system = input.operators ? systemOfRow(input, input.operators) : systemOf(input);
  systems.set(input, system);
  return system;
}

/** The differential equation of an operator; one with a closed form is for compute (HON-15). */
function systemOfRow(input: SolveInput, operators: readonly string[]): System {
  refuseStateOfSystem(input);
  for (const field of ['quantity', 'conserved'] as const)
    if (input[field] !== undefined)
      refuse('INVALID_INPUT', `${field} goes with an equation of your own.`, { field, accepts: 'equation' });
  const ids = operators.filter((id) => id !== MODULATION);
  if (ids.length !== 1)
    refuse('INVALID_INPUT', `operators names ${ids.length} beside ${MODULATION}; solve integrates one.`, {
      field: 'operators',
      accepts: 'one operator with a differential equation',
    });
  const named = operator(ids[0]!);
  if (!named.ode)
    refuse('UNSUPPORTED', `${named.id} has a closed form, which compute gives and nothing overrides.`, {
      field: 'operators',
      accepts: 'an operator with a differential equation',
    });
  return systemOfOperator(applyInputs([named], input.inputs as GivenInputs)[0]!);
}

function systemOf(input: SolveInput): System {
  refuseStateOfSystem(input);
  const { variable, components: texts } = readSystem(input.equation!);
  const sent: Record<string, Quantity | undefined> = { ...input.inputs };
  if (sent[variable] !== undefined) invalid(variable, `${printable(variable)} is what the system runs along`);
  const end = take(sent, ['t_end'], 'the end of the run');
  const starts = texts.map(({ name }) =>
    take(sent, [`${name}0`, `${name}_0`], `where ${printable(name)} starts`),
  );
  const parameters = readParameters(sent as SentParameters, 'inputs');
  const taken = parameters.find(({ name }) => texts.some((each) => each.name === name));
  if (taken) invalid(taken.name, `${printable(taken.name)} is a component; its start is ${taken.name}0`);

  const along = variableOf(variable, end, [...starts, ...parameters]);
  const symbols: FormulaSymbol[] = [
    ...texts.map(({ name }, i) => ({ name, dimension: starts[i]!.dimension })),
    along,
    ...parameters,
  ];
  const rates = texts.map(({ rate }) => readFormula(rate, symbols, place('equation')));
  for (const [i, rate] of rates.entries())
    requireDimension(rate, perVariable(starts[i]!.dimension, along.dimension));
  const quantity = readFormula(input.quantity ?? texts[0]!.name, symbols, place('quantity'));
  const conserved =
    input.conserved === undefined ? [] : [readFormula(input.conserved, symbols, place('conserved'))];
  const formulas = [...rates, quantity, ...conserved];
  refuseMisplaced(parameters, formulas);
  refuseUnused(parameters, formulas, 'inputs');
  return assemble({ along, starts, parameters, end, quantity, conserved, rates, input, names: texts });
}

/** What goes beside inputs, and where, unless a formula has a letter of that name. */
const beside: ReadonlyMap<string, string> = new Map([
  ['dt', 'dt'],
  ['t0', 'initialState.t0'],
]);

function refuseMisplaced(parameters: readonly Parameter[], formulas: readonly Formula[]): void {
  for (const { name } of parameters) {
    const field = beside.get(name);
    if (field === undefined || formulas.some(({ expression }) => symbolsOf(expression).includes(name)))
      continue;
    const accepts = `${field} beside inputs`;
    refuse('INVALID_INPUT', `inputs.${name} stands in no formula; accepted: ${accepts}.`, {
      field: `inputs.${name}`,
      accepts,
    });
  }
}

interface Parts {
  readonly along: FormulaSymbol;
  readonly starts: readonly Parameter[];
  readonly parameters: readonly Parameter[];
  readonly end: Parameter;
  readonly rates: readonly Formula[];
  readonly quantity: Formula;
  readonly conserved: readonly Formula[];
  readonly names: readonly { readonly name: string }[];
  readonly input: SolveInput;
}

function assemble(parts: Parts): System {
  const { along, starts, parameters, end, rates, quantity, conserved, names, input } = parts;
  const start = input.initialState?.t0 ?? 0;
  if (!(end.value > start))
    refuse('INVALID_INPUT', `inputs.t_end: t_end must lie after t0 = ${start}.`, {
      field: 'inputs.t_end',
      accepts: `> ${start}`,
    });
  return {
    variable: along.name,
    components: names.map(({ name }, i) => ({
      name,
      start: starts[i]!.value,
      unit: unitOf(starts[i]!.dimension),
    })),
    start,
    end: end.value,
    unit: unitOfFormula(quantity),
    variableUnit: unitOf(along.dimension),
    isConserved: conserved.length > 0,
    conservedUnit: conserved[0] ? unitOfFormula(conserved[0]) : null,
    block: formulaBlock(
      [...rates, quantity, ...conserved],
      [...names.map(({ name }) => name), along.name],
      parameters,
    ),
  };
}

/**
 * A variable has the dimension of its end. An end without one is in seconds, where the variable is called t; but where
 * no number at all has a unit, the system is one of plain numbers.
 */
function variableOf(variable: string, end: Parameter, others: readonly Parameter[]): FormulaSymbol {
  const isPlain = others.every(({ dimension }) => dimension === undefined);
  const time = variable === 't' && !isPlain ? parseUnit('s').dimension : undefined;
  return { name: variable, dimension: end.dimension ?? time };
}

const perVariable = (y: Dimension | undefined, t: Dimension | undefined): Dimension | undefined =>
  y && t && over(y, t);

const unitOf = (dimension: Dimension | undefined): string | null =>
  dimension === undefined ? null : unitOfDimension(dimension);

/**
 * The end of a job that goes on, in SI numbers as the first job's: a number as it is, a unit of the same dimension.
 * @throws Refusal INVALID_INPUT
 */
export function endInUnitOf({ inputs }: SolveInput, sent: Quantity): Quantity {
  const [first, end] = [quantityOf('t_end', inputs.t_end!), quantityOf('t_end', sent)];
  const unit = unitOf(first.dimension);
  const own = unitOf(end.dimension);
  if (own !== null && own !== unit)
    refuse(
      'INVALID_INPUT',
      `inputs.t_end is in ${own}, that of the first job ${unit ? `in ${unit}` : 'a plain number'}.`,
      {
        field: 'inputs.t_end',
        accepts: unit ?? 'a plain number',
      },
    );
  return unit === null ? end.value : { value: end.value, unit };
}

/** Takes the first of the names that is there, under the name that was sent. @throws Refusal MISSING_INPUT */
function take(sent: Record<string, Quantity | undefined>, names: readonly string[], what: string): Parameter {
  const name = names.find((candidate) => sent[candidate] !== undefined);
  if (name === undefined) {
    const field = `inputs.${printableWord(names[0]!)}`;
    return refuse('MISSING_INPUT', `solve lacks ${field}, ${what}; accepted: a number, or {value, unit}.`, {
      field,
      missing: [field],
      accepts: 'a number, or {value, unit}',
    });
  }
  const found = sent[name]!;
  delete sent[name];
  return quantityOf(name, found);
}

function quantityOf(name: string, quantity: Quantity): Parameter {
  const parameter = readParameter(name, quantity, 'inputs');
  refuseOpenTurns(name, parameter.unit, 'inputs');
  return parameter;
}

function invalid(name: string, what: string): never {
  const field = `inputs.${printableWord(name)}`;
  refuse('INVALID_INPUT', `${field}: ${what}.`, { field, accepts: 'another name' });
}

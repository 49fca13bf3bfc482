import { symbolsOf } from '../../operators/syntax.ts';
import { parseUnit } from '../../units/unit.ts';
import {
  type FormulaBlock,
  formulaBlock,
  readFormula,
  readParameters,
  refuseTaken,
  refuseUnused,
  requireDimension,
  type SentParameters,
  symbolsBeside,
} from '../expressions.ts';

/** A formula of the places of a grid, where it stands in the request, and the unit that belongs there. */
export interface GridFormula {
  readonly field: string;
  readonly text: string;
  readonly unit: string;
  /** The time is one of its symbols. */
  readonly ofTime?: boolean;
}

/** The block, and of each formula whether the time stands in it. */
export interface GridFormulas extends FormulaBlock {
  readonly changes: readonly boolean[];
}

interface Around {
  readonly parameters: SentParameters | undefined;
  readonly dim: 1 | 2;
  /** Time of the start [s]. */
  readonly t0?: number;
  /** The job goes on: numbers of its start are needed no more. */
  readonly goesOn?: boolean;
}

const metre = parseUnit('m').dimension;
const second = parseUnit('s').dimension;
const blocks = new WeakMap<object, GridFormulas>();

/**
 * Formulas of x, in the plane y, and t as the block of assembly/grid/formula.ts, in their order; undefined where there
 * is none. `request` is what they stand in. @throws Refusal that names the field
 */
export function gridFormulas(
  request: object,
  given: readonly GridFormula[],
  { parameters: sent, dim, t0 = 0, goesOn }: Around,
): GridFormulas | undefined {
  if (given.length === 0) return undefined;
  const known = blocks.get(request);
  if (known) return known;
  const parameters = readParameters(sent ?? {}, 'parameters');
  const places = (dim === 1 ? ['x'] : ['x', 'y']).map((name) => ({ name, dimension: metre }));
  const moving = [...places, { name: 't', dimension: second }];
  const isTimed = given.some(({ ofTime }) => ofTime);
  refuseTaken(parameters, isTimed ? ['x', 'y', 't'] : ['x', 'y'], 'parameters');
  const formulas = given.map(({ field, text, unit, ofTime }) => {
    const { symbols, isPlain } = symbolsBeside(ofTime ? moving : places, parameters);
    const formula = readFormula(text, symbols, { field, parametersField: 'parameters' });
    if (!isPlain) requireDimension(formula, parseUnit(unit).dimension);
    return formula;
  });
  if (!goesOn) refuseUnused(parameters, formulas, 'parameters');
  // Where no formula is of the time, t may be the name of a number.
  const set = ['x', 'y', isTimed ? { name: 't', value: t0 } : ''];
  const block = {
    ...formulaBlock(formulas, set, parameters),
    changes: formulas.map(({ expression }) => isTimed && symbolsOf(expression).includes('t')),
  };
  blocks.set(request, block);
  return block;
}

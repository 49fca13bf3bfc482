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
}

interface Around {
  readonly parameters: SentParameters | undefined;
  readonly dim: 1 | 2;
}

const metre = parseUnit('m').dimension;
const blocks = new WeakMap<object, FormulaBlock>();

/**
 * Formulas of x and, in the plane, y as the block of assembly/grid/formula.ts, in their order; undefined where there is
 * none. `request` is what they stand in. @throws Refusal that names the field
 */
export function gridFormulas(
  request: object,
  given: readonly GridFormula[],
  { parameters: sent, dim }: Around,
): FormulaBlock | undefined {
  if (given.length === 0) return undefined;
  const known = blocks.get(request);
  if (known) return known;
  const parameters = readParameters(sent ?? {}, 'parameters');
  const names = dim === 1 ? ['x'] : ['x', 'y'];
  refuseTaken(parameters, ['x', 'y'], 'parameters');
  const { symbols, isPlain } = symbolsBeside(
    names.map((name) => ({ name, dimension: metre })),
    parameters,
  );
  const formulas = given.map(({ field, text, unit }) => {
    const formula = readFormula(text, symbols, { field, parametersField: 'parameters' });
    if (!isPlain) requireDimension(formula, parseUnit(unit).dimension);
    return formula;
  });
  refuseUnused(parameters, formulas, 'parameters');
  const block = formulaBlock(formulas, ['x', 'y'], parameters);
  blocks.set(request, block);
  return block;
}

import { baseUnits, type Dimension, dimensionless, over, sameDimension, WHOLE } from './dimension.ts';
import { parseUnit } from './unit.ts';

/** Derived units whose name says no more than their dimension does; 1/s is neither Hz nor Bq, so neither is here. */
const named = ['N', 'Pa', 'J', 'W', 'C', 'V', 'F', 'ohm', 'S', 'Wb', 'T', 'H'].map((name) => ({
  name,
  dimension: parseUnit(name).dimension,
}));

/** The SI unit of a dimension: a derived unit's name, or a product of base units that parses back to it. */
export function unitOfDimension(dimension: Dimension): string {
  const known = named.find((unit) => sameDimension(unit.dimension, dimension));
  if (known) return known.name;
  const above = factors(dimension);
  const below = factors(over(dimensionless, dimension));
  if (below.length === 0) return above.join('*') || '1';
  const divisor = below.length === 1 ? below[0] : `(${below.join('*')})`;
  return `${above.join('*') || '1'}/${divisor}`;
}

/** The text of one unit over another: reduced where that is plainer. */
export function unitOver(above: string, below: string): string {
  if (above === below) return '1';
  if (below === '1') return above;
  const quotient = `${above}/${/[*/]/.test(below) ? `(${below})` : below}`;
  const [a, b] = [parseUnit(above).dimension, parseUnit(below).dimension];
  if (unitOfDimension(a) !== above || unitOfDimension(b) !== below) return quotient;
  const reduced = unitOfDimension(over(a, b));
  return reduced.length > quotient.length ? quotient : reduced;
}

function factors(dimension: Dimension): string[] {
  return baseUnits.flatMap((unit, i) => {
    const sixtieths = dimension[i]!;
    if (sixtieths <= 0) return [];
    return [sixtieths === WHOLE ? unit : `${unit}^${exponentText(sixtieths)}`];
  });
}

function exponentText(sixtieths: number): string {
  if (sixtieths % WHOLE === 0) return String(sixtieths / WHOLE);
  let [a, b] = [sixtieths, WHOLE];
  while (b !== 0) [a, b] = [b, a % b];
  return `(${sixtieths / a}/${WHOLE / a})`;
}

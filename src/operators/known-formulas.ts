import { type Operator, prepare } from './operator.ts';
import { type Row, registry } from './registry.ts';
import { type Lettered, lettersOf, renamingOfAlike, shapeOf } from './same-formula.ts';

/** A row of the registry whose formula is the one that was asked about. */
export interface SameFormula {
  readonly row: Row;
  /** Each letter that was sent, with the symbol of the row that it is. */
  readonly letters: Readonly<Record<string, string>>;
}

interface Known extends Lettered {
  readonly row: Row;
  readonly operator: Operator;
}

/** Rows prepared at once, so that the event loop is not held up while the index is made. */
const AT_ONCE = 25;
/** Rows of one shape that are compared. A product of two letters is half of physics. */
const MOST_COMPARED = 400;

let index: Promise<ReadonlyMap<string, readonly Known[]>> | undefined;

/** Rows by the shape of their formula, made at first use. */
function byShape(): Promise<ReadonlyMap<string, readonly Known[]>> {
  index ??= indexed([...registry().rows.values()].filter(({ expression }) => expression !== undefined));
  return index;
}

async function indexed(rows: readonly Row[]): Promise<ReadonlyMap<string, readonly Known[]>> {
  const shapes = new Map<string, Known[]>();
  for (const [i, row] of rows.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
    const operator = prepare(row);
    const known = { row, operator, expression: operator.expression, letters: lettersOf(operator.expression) };
    const shape = shapeOf(known);
    shapes.set(shape, [...(shapes.get(shape) ?? []), known]);
  }
  return shapes;
}

/**
 * The rows that are this formula under some renaming of letters (src/operators/canonical.ts says what counts as the
 * same). A constant of a row is only the letter of its own key. Rows whose symbols or aliases are the letters that
 * were sent come first, then those that give what stands left of the `=`.
 */
export async function sameFormulas(
  formula: Lettered,
  result: string | undefined,
  limit: number,
): Promise<SameFormula[]> {
  const rows = (await byShape()).get(shapeOf(formula)) ?? [];
  const found = rows.slice(0, MOST_COMPARED).flatMap(({ row, operator, ...known }) => {
    const named = namedAlike(operator);
    // Names that are the same are tried first, so that F = m*a is not told that m is a.
    const isNamed = formula.letters.every((own) => known.letters.some((theirs) => named(own, theirs)));
    const letters =
      (isNamed ? renamingOfAlike(formula, known, named) : undefined) ??
      renamingOfAlike(formula, known, mayBe);
    return letters ? [{ row, letters, score: scoreOf(letters, named, result === row.result.symbol) }] : [];
  });
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ row, letters }) => ({ row, letters: Object.fromEntries(bare(letters)) }));
}

const withoutMark = (name: string): string => name.replace(/^#/, '');
/** A letter that is bound to a constant is that constant and nothing else; another may be whatever the row calls otherwise. */
const mayBe = (own: string, theirs: string): boolean =>
  own === theirs || (!own.startsWith('#') && (!theirs.startsWith('#') || own === withoutMark(theirs)));

const namedAlike =
  ({ byName }: Operator) =>
  (own: string, theirs: string): boolean =>
    own === theirs ||
    (!own.startsWith('#') && (own === withoutMark(theirs) || byName.get(own)?.symbol === theirs));

function scoreOf(
  letters: ReadonlyMap<string, string>,
  named: (own: string, theirs: string) => boolean,
  sameResult: boolean,
): number {
  return [...letters].filter(([own, theirs]) => named(own, theirs)).length + (sameResult ? 1 : 0);
}

function* bare(letters: ReadonlyMap<string, string>): Generator<[string, string]> {
  for (const [own, theirs] of letters) yield [withoutMark(own), withoutMark(theirs)];
}

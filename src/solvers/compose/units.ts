import { type ComputeInput, computation } from '../compute.ts';
import { keepsUnit, type Node, nodeOf, openValues, unitDecided, unitsOf } from '../input/schema.ts';
import type { Path } from './path.ts';
import type { Target } from './target.ts';

/** All that a schema may mean by a path, through its alternatives. */
export function nodesAt(node: Node, [key, ...rest]: Path): Node[] {
  if (node.anyOf)
    return node.anyOf.flatMap((variant) =>
      nodesAt(
        variant,
        [key!, ...rest].filter((k) => k !== undefined),
      ),
    );
  if (key === undefined) return [node];
  const inner = innerNode(node, key);
  return inner ? nodesAt(inner, rest) : [];
}

function innerNode(node: Node, key: string | number): Node | undefined {
  if (typeof key === 'number' && Array.isArray(node.items)) return (node.items as Node[])[key];
  if (typeof key === 'number') return node.items as Node | undefined;
  return Object.hasOwn(node.properties ?? {}, key) ? node.properties![key] : openValues(node);
}

/**
 * The unit of a plain number, which a choice of the request may decide, or several of which its rest means one; none
 * where the caller's own counts.
 */
export function usualUnits(nodes: readonly Node[], request: unknown): readonly string[] {
  const found = nodes.find(
    ({ type, unit }) => unit !== undefined && (type === 'number' || type === 'integer'),
  );
  const number = found && unitDecided(found, request as Readonly<Record<string, unknown>>);
  if (!number || number.unit === 'any') return [];
  return keepsUnit(number) ? unitsOf(number).slice(0, 1) : unitsOf(number);
}

/** The unit that a plain number has at a place of a target's request; undefined where it has none. */
export function plainUnit({ solver, ofOperators }: Target, input: unknown, path: Path): string | undefined {
  if (!ofOperators) {
    const nodes = nodesAt(nodeOf(solver.input), path);
    if (nodes.some(keepsUnit)) return undefined; // such as the k of an equation of the first order
    if (nodes.some(({ type, unit }) => type === 'integer' && unit === undefined)) return '1';
    const units = usualUnits(nodes, input);
    return units.length === 1 ? units[0] : undefined;
  }
  const { applications } = computation(input as ComputeInput);
  const rows = applications.flatMap(({ operator }) => operator.byName.get(String(path.at(-1))) ?? []);
  return rows.find(({ dimension }) => dimension)?.unit;
}

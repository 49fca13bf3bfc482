import type { TObject } from 'typebox';
import { isRecord, type Node, nodeOf } from '../input/schema.ts';

/** Every number that a request may name, by its dotted path, with the unit text of the schema. */
export function inputPaths(schema: TObject): ReadonlyMap<string, string | undefined> {
  const paths = new Map<string, string | undefined>();
  collect(nodeOf(schema), '', paths);
  return paths;
}

/** The words of `quantity`: which answers a solver gives. */
export const answersOf = (schema: TObject): readonly string[] =>
  (nodeOf(schema).properties?.quantity?.enum ?? []).map(String);

function collect(node: Node, path: string, paths: Map<string, string | undefined>): void {
  for (const alternative of node.anyOf ?? []) collect(alternative, path, paths);
  for (const [name, inner] of Object.entries(node.properties ?? {}))
    collect(inner, path ? `${path}.${name}` : name, paths);
  const isNumber = node.type === 'number' || node.type === 'integer' || isRecord(node.items);
  if (isNumber && path && paths.get(path) === undefined) paths.set(path, node.unit);
}

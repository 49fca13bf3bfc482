import type { TObject } from 'typebox';
import { isRecord, type Node, nodeOf } from '../input/schema.ts';
import { onceFor } from './once.ts';

/** Every number that a request may name, by its dotted path, with the unit text of the schema. */
export const inputPaths = onceFor((schema: TObject): ReadonlyMap<string, string | undefined> => {
  const paths = new Map<string, string | undefined>();
  collect(nodeOf(schema), '', paths);
  return paths;
});

/** The words of `quantity`: which answers a solver gives. */
export const answersOf = (schema: TObject): readonly string[] =>
  (nodeOf(schema).properties?.quantity?.enum ?? []).map(String);

/** The paths of which every value is a list, such as a point: on a line it is one number. */
export const listPaths = onceFor((schema: TObject): ReadonlySet<string> => {
  const lists = new Map<string, boolean>();
  const visit = (node: Node, path: string): void => {
    for (const alternative of node.anyOf ?? []) visit(alternative, path);
    for (const [name, inner] of Object.entries(node.properties ?? {}))
      visit(inner, path ? `${path}.${name}` : name);
    if (node.type !== undefined) lists.set(path, node.type === 'array' && lists.get(path) !== false);
  };
  visit(nodeOf(schema), '');
  return new Set([...lists].flatMap(([path, isList]) => (isList ? [path] : [])));
});

function collect(node: Node, path: string, paths: Map<string, string | undefined>): void {
  for (const alternative of node.anyOf ?? []) collect(alternative, path, paths);
  for (const [name, inner] of Object.entries(node.properties ?? {}))
    collect(inner, path ? `${path}.${name}` : name, paths);
  const isNumber = node.type === 'number' || node.type === 'integer' || isRecord(node.items);
  if (isNumber && path && paths.get(path) === undefined) paths.set(path, node.unit);
}

import type { TObject } from 'typebox';
import { nearest } from '../../errors/nearest.ts';
import { printable, printableWord } from '../../errors/printable.ts';
import { refuse } from '../../errors/refusal.ts';
import { accepts } from './accepts.ts';
import { type Node, nodeOf, openValues } from './schema.ts';
import { descriptionOf } from './used-with.ts';

/** A command-line flag that stands for a field of the request. */
export interface FlagDeclaration {
  /** Without dashes: `dt`, `initial.A`; `inputs.<name>` where the names are open. */
  readonly name: string;
  readonly type: 'number' | 'integer' | 'flag' | 'choice' | 'text' | 'json';
  readonly unit: string | undefined;
  readonly words: readonly string[] | undefined;
  readonly required: boolean;
  readonly open: boolean;
  readonly meaning: string;
  readonly accepted: string;
}

/** The flags of a request schema; an object's fields have dots, lists and alternatives are JSON. */
export function flags(schema: TObject): FlagDeclaration[] {
  return flagsOf(nodeOf(schema), '', true).map(({ flag }) => flag);
}

interface Entry {
  readonly flag: FlagDeclaration;
  readonly node: Node;
}

function flagsOf(node: Node, prefix: string, required: boolean): Entry[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const needed = required && (node.required?.includes(key) ?? false);
    const open = openValues(property);
    if (property.properties) {
      const others = open ? [entry(`${name}.<name>`, open, needed, true)] : [];
      return [...flagsOf(property, `${name}.`, needed), ...others];
    }
    if (open) return [entry(`${name}.<name>`, open, needed, true, descriptionOf(property))];
    return [entry(name, property, needed, false)];
  });
}

function entry(
  name: string,
  node: Node,
  required: boolean,
  open: boolean,
  description = descriptionOf(node),
): Entry {
  const words = node.enum?.map(String);
  const [meaning, accepted] = [description ?? '', accepts(node)];
  return {
    node,
    flag: { name, type: flagType(node), unit: node.unit, words, required, open, meaning, accepted },
  };
}

function flagType(node: Node): FlagDeclaration['type'] {
  if (node.enum) return 'choice';
  if (node.decimal) return 'integer';
  if (node.anyOf) return 'json';
  switch (node.type) {
    case 'number':
    case 'integer':
      return node.type;
    case 'boolean':
      return 'flag';
    case 'string':
      return 'text';
    default:
      return 'json';
  }
}

/**
 * A request body from flags: `{dt: '5ms', 'initial.A': '2', probe: '[0.5, 0.5]'}`. Numbers may carry a unit, lists of
 * numbers may be `1,2,3`. The body is then read like any other. Throws a Refusal for a flag the schema has not.
 */
export function inputFromFlags(
  schema: TObject,
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const entries = flagsOf(nodeOf(schema), '', true);
  const body: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(values)) {
    place(body, name.split('.'), flagValue(nodeOfFlag(entries, name), name, text));
  }
  return body;
}

function nodeOfFlag(entries: readonly Entry[], name: string): Node {
  const exact = entries.find(({ flag }) => flag.name === name);
  if (exact) return exact.node;
  const open = entries.find(({ flag }) => flag.open && name.startsWith(flag.name.slice(0, -'<name>'.length)));
  if (open) return open.node;
  // `--boundary '{…}'` for an object that has flags of its own.
  if (entries.some(({ flag }) => flag.name.startsWith(`${name}.`))) return { type: 'object' };
  const names = entries.map(({ flag }) => flag.name);
  const near = nearest(name, names);
  const hint = near ? `, the nearest is --${near}` : '';
  refuse('INVALID_INPUT', `--${printableWord(name)} is no flag here${hint}; accepted: ${names.join(', ')}.`, {
    field: printableWord(name),
    accepts: names,
  });
}

function place(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = body;
  for (const key of path.slice(0, -1)) {
    const inner = Object.hasOwn(at, key) ? at[key] : undefined;
    const next = typeof inner === 'object' && inner !== null ? inner : {};
    define(at, key, next);
    at = next as Record<string, unknown>;
  }
  define(at, path.at(-1)!, value);
}

/** An own field under any name, `__proto__` too, so that the reader meets and refuses it. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

const numeral = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(.*?)\s*$/isu;

function flagValue(node: Node, name: string, text: string): unknown {
  switch (flagType(node)) {
    case 'flag':
      return text === '' || text === 'true' ? true : text === 'false' ? false : text;
    case 'choice':
      return node.enum!.find((word) => String(word) === text) ?? text;
    case 'integer':
      return node.decimal ? text.trim() : numberOrText(text);
    case 'number':
      return /^\s*\{/.test(text) ? json(name, text) : numberOrText(text);
    case 'text':
      return text;
    case 'json':
      return looseJson(node, name, text);
  }
}

/** `5` → 5, `5ms` → {value: 5, unit: 'ms'}; other text stays, `5 ± 1 ms` too, for the reader to take or refuse. */
function numberOrText(text: string): unknown {
  const match = numeral.exec(text);
  if (!match || /^(?:±|\+\/?-)/.test(match[2]!)) return text;
  const value = Number(match[1]);
  return match[2] ? { value, unit: match[2] } : value;
}

function looseJson(node: Node, name: string, text: string): unknown {
  if (/^\s*["[{]/.test(text)) return json(name, text);
  const takesList = node.type === 'array' || node.anyOf?.some((variant) => variant.type === 'array');
  if (takesList && text.includes(',')) return text.split(',').map(item);
  return node.type === 'array' && node.blob === undefined ? [item(text)] : item(text);
}

function item(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  return numberOrText(trimmed);
}

function json(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    refuse('INVALID_INPUT', `--${name} is ${printable(text)}, which is no JSON; accepted: JSON.`, {
      field: name,
      accepts: 'JSON',
    });
  }
}

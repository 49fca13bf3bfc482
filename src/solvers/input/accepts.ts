import { type Node, openValues, unitsOf, wordsOf } from './schema.ts';

/** What a schema takes, in words, such as `a number above 0 in s` or `one of x, y`. */
export function accepts(node: Node): string {
  if (node.anyOf) return node.anyOf.map(accepts).join(', or ');
  if (node.decimal) return 'a whole number from 0 to 2^64 - 1, above 2^53 as a decimal string';
  if (node.const !== undefined) return String(node.const);
  if (node.enum) return node.enum.length === 1 ? String(node.enum[0]) : `one of ${node.enum.join(', ')}`;
  switch (node.type) {
    case 'number':
      return `a number${range(node)}${unitWords(node)}`;
    case 'integer':
      return `a whole number${range(node)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return `text${lengths(node.minLength, node.maxLength, 'characters')}`;
    case 'array':
      return list(node);
    case 'object':
      return fields(node);
    default:
      return node.description ?? 'another value';
  }
}

function range(node: Node): string {
  const words: string[] = [];
  if (node.minimum !== undefined) words.push(`from ${node.minimum}`);
  if (node.exclusiveMinimum !== undefined) words.push(`above ${node.exclusiveMinimum}`);
  if (node.maximum !== undefined) words.push(`to ${node.maximum}`);
  if (node.exclusiveMaximum !== undefined) words.push(`below ${node.exclusiveMaximum}`);
  if (node.multipleOf !== undefined) words.push(`divisible by ${node.multipleOf}`);
  return words.length ? ` ${words.join(' ')}` : '';
}

function unitWords(node: Node): string {
  if (node.unit === undefined || (node.unit === '1' && node.with === undefined)) return '';
  if (node.unit === 'any') return ' in any unit';
  const by = node.with === undefined ? '' : ` with ${node.with}`;
  return ` in ${unitsOf(node).join(' or ').replace(/ any$/, ' any other unit')}${by}`;
}

function lengths(least: number | undefined, most: number | undefined, what: string): string {
  if (least !== undefined && least === most) return ` of ${least} ${what}`;
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${what}`;
  if (most !== undefined) return ` of at most ${most} ${what}`;
  return least ? ` of at least ${least} ${what}` : '';
}

function list(node: Node): string {
  const items = node.items;
  if (Array.isArray(items)) return `a list of [${(items as Node[]).map(accepts).join('; ')}]`;
  const size = lengths(node.minItems, node.maxItems, 'items');
  const blob = node.blob ? ' (or a blob)' : '';
  return items ? `a list${size}, each ${accepts(items as Node)}${blob}` : `a list${size}`;
}

function fields(node: Node): string {
  const open = openValues(node);
  if (open && !node.properties) return `an object of name: ${accepts(open)}`;
  const required = new Set(node.required);
  const names = Object.entries(node.properties ?? {}).map(
    ([name, property]) => `${name}${onlyWord(property)}${required.has(name) ? '' : '?'}`,
  );
  return `an object with ${names.join(', ')}${open ? ', and names of your own' : ''}`;
}

/** A field with one allowed word tells an alternative from its neighbours: the `dirichlet` of a `type`. */
function onlyWord(node: Node): string {
  const words = wordsOf(node);
  return words?.length === 1 ? ` ${words[0]}` : '';
}

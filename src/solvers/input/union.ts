import { accepts } from './accepts.ts';
import { isRecord, type Node, wordsOf } from './schema.ts';
import { Wrong } from './wrong.ts';

/** The alternatives that a value could be meant as, likeliest first; those of another JSON type are left out. */
export function candidates(variants: readonly Node[], value: unknown): Node[] {
  return variants
    .map((variant) => ({ variant, score: likelihood(variant, value) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ variant }) => variant);
}

function likelihood(node: Node, value: unknown): number {
  if (node.anyOf) return Math.max(0, ...node.anyOf.map((variant) => likelihood(variant, value)));
  const words = wordsOf(node);
  if (words) return wordLikelihood(words, value);
  if (node.decimal) return typeof value === 'number' || typeof value === 'string' ? 1 : 0;
  switch (node.type) {
    case 'number':
    case 'integer':
      return typeof value === 'number' || isQuantity(value) ? 1 : 0;
    case 'array':
      return arrayLikelihood(node, value);
    case 'object':
      return isRecord(value) ? objectLikelihood(node, value) : 0;
    default:
      return typeof value === node.type || (node.type === 'null' && value === null) ? 1 : 0;
  }
}

const isQuantity = (value: unknown): boolean =>
  isRecord(value) && ('value' in value || 'unit' in value) && !Array.isArray(value.value);

function wordLikelihood(words: readonly unknown[], value: unknown): number {
  if (words.includes(value)) return 3;
  return words.some((word) => typeof word === typeof value) ? 1 : 0;
}

function arrayLikelihood(node: Node, value: unknown): number {
  if (!Array.isArray(value))
    return isRecord(value) && ('$blob' in value || Array.isArray(value.value)) ? 1 : 0;
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node;
  const sized = value.length >= minItems && value.length <= maxItems ? 2 : 1;
  const items = Array.isArray(node.items) ? (node.items as Node[])[0] : (node.items as Node | undefined);
  return value.length && items ? sized + likelihood(items, value[0]) : sized;
}

/** Where a word that tells the alternatives apart is wrong or missing, all of them are named, not the likeliest alone. */
export function amongAlternatives(wrong: Wrong, variant: Node, variants: readonly Node[]): Wrong {
  const [key, ...deeper] = wrong.path;
  if (key === undefined)
    return wordsOf(variant) || variant.anyOf
      ? new Wrong(wrong.problem, accepts({ anyOf: variants }), wrong.missing)
      : wrong;
  const words = deeper.length === 0 ? wordsAt(String(key), variants) : [];
  if (words.length < 2 || !wordsOf(variant.properties?.[key] ?? {})) return wrong;
  return new Wrong(wrong.problem, accepts({ enum: words }), wrong.missing).within(key);
}

const wordsAt = (name: string, variants: readonly Node[]): unknown[] => [
  ...new Set(variants.flatMap(({ properties }) => wordsOf(properties?.[name] ?? {}) ?? [])),
];

/** A field with one allowed word (a `type`) decides; beside it count the known, the unknown and the missing fields. */
function objectLikelihood(node: Node, value: Record<string, unknown>): number {
  let score = 1000;
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const words = wordsOf(property);
    const decides = words?.length === 1;
    if (words && Object.hasOwn(value, name)) {
      score += words.includes(value[name]) ? (decides ? 100 : 10) : decides ? -100 : 0;
    }
    if (Object.hasOwn(value, name)) score += 3;
    else if (node.required?.includes(name)) score -= 2;
  }
  for (const name of Object.keys(value).slice(0, 50)) if (!node.properties?.[name]) score -= 3;
  return Math.max(1, score);
}

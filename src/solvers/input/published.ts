import type { TObject } from 'typebox';
import { keepsUnit, type Node, nodeOf, unitsOf } from './schema.ts';
import { descriptionOf } from './used-with.ts';

type Json = Record<string, unknown>;

const ours = ['unit', 'temperature', 'blob', 'decimal', 'nested', 'usedWith', 'unitBy'];

/**
 * The schema as callers see it in OpenAPI: plain JSON Schema in which a number with a unit has its two forms, an
 * array its blob form, and a unit stands in the description and in `x-unit`.
 */
export function publishedSchema(schema: TObject): Json {
  return published(nodeOf(schema));
}

function published(node: Node): Json {
  if (node.anyOf) return { ...plain(node), anyOf: node.anyOf.map(published) };
  if (node.decimal) return { ...seedForms, ...annotations(node) };
  if (node.type === 'array') return publishedArray(node);
  if (node.type === 'object') return publishedObject(node);
  if (node.unit !== undefined)
    return { ...annotations(node), anyOf: [bareForm(node), quantityForm(node, { type: 'number' })] };
  return plain(node);
}

const seedForms: Json = {
  anyOf: [
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', pattern: '^[0-9]{1,20}$' },
  ],
};

function publishedArray(node: Node): Json {
  const items = Array.isArray(node.items)
    ? (node.items as Node[]).map(published)
    : node.items && published(node.items as Node);
  const array: Json = { ...bareForm(node), ...(items ? { items } : {}) };
  const blob = node.blob ? [blobForm(node.blob)] : [];
  const withUnit = hasUnit(node) ? [quantityForm(node, array)] : [];
  if (blob.length + withUnit.length === 0) return { ...array, ...annotations(node) };
  return { ...annotations(node), anyOf: [array, ...withUnit, ...blob] };
}

const hasUnit = (node: Node): boolean => node.unit !== undefined && node.unit !== '1' && node.unit !== 'any';

function publishedObject(node: Node): Json {
  const map = (properties: Readonly<Record<string, Node>>) =>
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, published(property)]));
  return {
    ...plain(node),
    ...(node.properties ? { properties: map(node.properties) } : {}),
    ...(node.patternProperties ? { patternProperties: map(node.patternProperties) } : {}),
  };
}

function blobForm(kind: string): Json {
  return {
    type: 'object',
    description: `A blob: raw little-endian ${kind} numbers, row-major.`,
    properties: { $blob: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } },
    required: ['$blob'],
    additionalProperties: false,
  };
}

function quantityForm(node: Node, value: Json): Json {
  const unit = keepsUnit(node) ? 'Any unit.' : `A unit that converts to ${unitsOf(node).join(' or ')}.`;
  return {
    type: 'object',
    properties: { value, unit: { type: 'string', description: unit } },
    required: ['value', 'unit'],
    additionalProperties: false,
  };
}

/** Type and limits, without what is said about them. */
function bareForm(node: Node): Json {
  const { description: _, ...rest } = plain(node);
  return rest;
}

/** Without the keywords of ours; typebox's own stand in properties that do not enumerate. */
function plain(node: Node): Json {
  const kept = Object.entries(node).filter(([keyword]) => !ours.includes(keyword));
  return Object.fromEntries(node.usedWith ? [...kept, ['description', descriptionOf(node)]] : kept);
}

function annotations(node: Node): Json {
  const unit = node.unit;
  const unitText = unit === undefined || unit === '1' ? '' : ` Unit: ${unit}.`;
  const description = `${descriptionOf(node) ?? ''}${unitText}`.trim();
  return { ...(description ? { description } : {}), ...(unit === undefined ? {} : { 'x-unit': unit }) };
}

import { type Static, type TSchema, Type } from 'typebox';
import { type Choices, nodeOf, type UnitBy } from './input/schema.ts';

/**
 * Builders for a solver's request schema. A schema is plain JSON Schema with keywords of our own:
 *
 *   unit        the unit of a number, or of the numbers in an array; there `{"value": 3, "unit": "km/h"}` is
 *               taken too and converted. `K or 1` names alternatives, the first being that of plain numbers.
 *               `any` keeps number and unit as they were sent (anyQuantity).
 *   temperature what a number in K is, where it is no point on a scale: a `difference` (an amplitude, an anomaly), or
 *               `either`, by other fields. 20 degC is a point and 20 delta_degC a difference; the other is refused
 *   blob        the array may be a blob: {"$blob": "sha256:…"}, raw little-endian numbers of this type
 *   decimal     an integer that may be a decimal string (a 64-bit seed)
 *   nested      an object that the schema of another solver reads
 *   usedWith    choices beside a field, of which one at least must be made where the field is given
 *   unitBy      the choice at the top of the request that decides between the alternatives of `unit`
 */
type Options = { readonly [keyword: string]: unknown };

/** A number with a unit. */
export const quantity = (unit: string, description: string, options: Options = {}) =>
  Type.Number({ unit, description, ...options });

/** A number in whatever unit the caller names; the solver gets the number, or {value, unit} where a unit was named. */
export const anyQuantity = (description: string, options: Options = {}) =>
  Type.Unsafe<number | { value: number; unit: string }>({
    type: 'number',
    unit: 'any',
    description,
    ...options,
  });

/** A pure number (unit 1). */
export const ratio = (description: string, options: Options = {}) => quantity('1', description, options);

export const integer = (description: string, options: Options = {}) =>
  Type.Integer({ description, ...options });

/** An unsigned 64-bit integer, as a JSON integer or a decimal string. */
export const seed = () =>
  Type.Unsafe<number | string>({
    decimal: true,
    description: 'Seed of the random stream, 0 to 2^64 − 1; absent: derived from the request.',
  });

export const flag = (description: string, options: Options = {}) => Type.Boolean({ description, ...options });

/** One of a few words. */
export const choice = <const T extends readonly string[]>(
  words: T,
  description: string,
  options: Options = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: words, description, ...options });

/** A list of numbers with one unit, such as a point or a force. */
export const vector = (unit: string, description: string, options: Options = {}) =>
  Type.Array(Type.Number({ unit }), { unit, description, ...options });

/** A list of points or vectors; may be a blob of f64. */
export const points = (unit: string, dimensions: number, description: string, options: Options = {}) =>
  Type.Array(Type.Array(Type.Number({ unit }), { minItems: dimensions, maxItems: dimensions }), {
    unit,
    blob: 'f64',
    description,
    ...options,
  });

/** A list of numbers; may be a blob of f64. */
export const numbers = (unit: string, description: string, options: Options = {}) =>
  Type.Array(Type.Number({ unit }), { unit, blob: 'f64', description, ...options });

export const list = <T extends TSchema>(items: T, description: string, options: Options = {}) =>
  Type.Array(items, { description, ...options });

/** An object that refuses unknown fields. */
export const record = <T extends Record<string, TSchema>>(fields: T, options: Options = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options });

/** The request of another solver, left as it is: `readNested` reads it by that solver's schema. */
export const nestedRequest = (description: string) =>
  Type.Unsafe<Record<string, unknown>>(
    Type.Record(Type.String(), Type.Unsafe<unknown>({ description: 'a field of that request' }), {
      nested: true,
      description,
    }),
  );

/** Fields that go with some of the choices beside them; with others they are refused. */
export function usedWith<T extends Record<string, TSchema>>(
  choices: Choices | readonly Choices[],
  fields: T,
): T {
  for (const field of Object.values(fields)) Object.assign(field, { usedWith: [choices].flat() });
  return fields;
}

/** A number, or list of them, in other units where the request's choice is one of these words. */
export function unitBy<T extends TSchema>(choice: string, units: UnitBy['units'], schema: T): T {
  const { anyOf = [], items } = nodeOf(schema);
  const inner = [...anyOf, items ?? []].flat() as TSchema[];
  for (const each of inner) unitBy(choice, units, each);
  return Object.assign(schema, { unitBy: { choice, units } });
}

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

export { blobsIn } from './input/blob.ts';
export { type FlagDeclaration, flags, inputFromFlags } from './input/flags.ts';
export { publishedSchema } from './input/published.ts';
export {
  type BlobSource,
  type ReadInput,
  readInput,
  readNested,
  shareBlobs,
} from './input/reader.ts';
export type { Static };

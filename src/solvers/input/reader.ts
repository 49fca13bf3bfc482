import type { Static, TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { nearest } from '../../errors/nearest.ts';
import { legible, printable } from '../../errors/printable.ts';
import { Refusal } from '../../errors/refusal.ts';
import { temperatureOf } from '../../operators/temperatures.ts';
import { converter } from '../../units/conversion.ts';
import { sameDimension } from '../../units/dimension.ts';
import { isUnit, parseUnit, UnitError } from '../../units/unit.ts';
import { accepts } from './accepts.ts';
import { blobArray, blobReference, leafOf, placeOf } from './blob.ts';
import { isRecord, keepsUnit, type Node, nodeOf, openValues, unitDecided, unitsOf } from './schema.ts';
import { amongAlternatives, candidates } from './union.ts';
import { refuseUnused } from './used-with.ts';
import { Wrong, wrongValue } from './wrong.ts';

/** The bytes of a blob by its digest (64 hex digits), or undefined where it is not there. */
export type BlobSource = (digest: string) => Uint8Array | undefined;

export interface ReadInput<Input> {
  /** Validated, in the units of the schema, blobs resolved: what a solver's plan gets. */
  readonly input: Input;
  /** The canonical request, whose hash the envelope names: the same, with blobs as references. */
  readonly request: Record<string, unknown>;
}

type Conversion = (value: number) => number;
interface Context {
  /** The body as it was sent. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly blobs: BlobSource | undefined;
  /** What was sent for each array that came from a blob. */
  readonly references: Map<unknown, unknown>;
}
/** Checks and converts one value. `unit` is the conversion of an array's {value, unit} on its way to the numbers. */
type Reader = (value: unknown, context: Context, unit?: Conversion) => unknown;

interface Compiled {
  readonly read: Reader;
  readonly check: (value: unknown) => boolean;
}
const compiled = new WeakMap<TSchema, Compiled>();

/**
 * Reads a request body by its schema: converts every {value, unit}, resolves blobs, takes decimal strings for seeds
 * and validates. The body is left as it is. Throws a Refusal, INVALID_INPUT or MISSING_INPUT, that names the field,
 * what is wrong with it and what is accepted there.
 */
export function readInput<T extends TObject>(
  schema: T,
  body: unknown,
  blobs?: BlobSource,
): ReadInput<Static<T>> {
  const { read, check } = compile(schema);
  const context: Context = { request: isRecord(body) ? body : {}, blobs, references: new Map() };
  let input: unknown;
  try {
    input = read(body, context);
  } catch (error) {
    throw error instanceof Wrong ? error.refusal() : error;
  }
  if (!check(input)) refuseBySchema(schema, input);
  const request = context.references.size ? withReferences(input, context.references) : input;
  return { input: input as Static<T>, request: request as Record<string, unknown> };
}

function compile(schema: TSchema): Compiled {
  let known = compiled.get(schema);
  if (!known) {
    const validator = Compile(checkable(nodeOf(schema)) as TSchema);
    known = { read: reader(nodeOf(schema)), check: (value) => validator.Check(value) };
    compiled.set(schema, known);
  }
  return known;
}

const blobSources = new WeakMap<object, BlobSource>();

/** Reads a request that stands in another as `nestedRequest`, or a copy of it, by the schema it is for. */
export function readNested<T extends TObject>(
  schema: T,
  body: Record<string, unknown>,
  nested: Record<string, unknown>,
): ReadInput<Static<T>> {
  return readInput(schema, body, blobSources.get(nested));
}

/** Blobs that `nested` may name, `copy` may name too. */
export function shareBlobs(nested: Record<string, unknown>, copy: Record<string, unknown>): void {
  const source = blobSources.get(nested);
  if (source) blobSources.set(copy, source);
}

/** Leaves what is in it to the schema of another solver, with the blobs that came with the whole. */
function nestedReader(node: Node): Reader {
  return (value, { blobs }) => {
    if (!isRecord(value)) throw wrongValue(value, node);
    if (blobs) blobSources.set(value, blobs);
    return value;
  };
}

/**
 * The schema of what has been read: a number in any unit may still be {value, unit}. Long lists of numbers are not gone
 * through again: of a number the reader knows every keyword.
 */
function checkable(node: Node): Node {
  if (node.nested) return {};
  if (node.blob && leafOf(node).type === 'number') return { type: 'array' };
  if (node.type === 'number' && keepsUnit(node)) return {};
  const map = (properties: Readonly<Record<string, Node>>) =>
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, checkable(property)]));
  return {
    ...node,
    ...(node.anyOf ? { anyOf: node.anyOf.map(checkable) } : {}),
    ...(node.properties ? { properties: map(node.properties) } : {}),
    ...(node.patternProperties ? { patternProperties: map(node.patternProperties) } : {}),
    ...(node.items
      ? { items: Array.isArray(node.items) ? node.items.map(checkable) : checkable(node.items as Node) }
      : {}),
  };
}

/** The schema says no to what the reader let pass: a keyword that only the schema's own validator knows. */
function refuseBySchema(schema: TSchema, input: unknown): never {
  const [error] = Compile(checkable(nodeOf(schema)) as TSchema).Errors(input);
  const field = (error?.instancePath ?? '').slice(1).replaceAll('/', '.');
  throw new Refusal(
    'INVALID_INPUT',
    `${field || 'The request'} ${error?.message ?? 'does not fit its schema'}.`,
    {
      field,
    },
  );
}

function reader(node: Node): Reader {
  if (node.nested) return nestedReader(node);
  if (node.anyOf) return unionReader(node);
  if (node.decimal) return seedReader(node);
  if (node.const !== undefined) return wordReader(node, [node.const]);
  if (node.enum) return wordReader(node, node.enum);
  switch (node.type) {
    case 'number':
      return keepsUnit(node) ? anyUnitReader(node) : numberReader(node);
    case 'integer':
      return node.unit === undefined ? integerReader(node) : numberReader(node);
    case 'boolean':
      return typeReader(node, (value) => typeof value === 'boolean');
    case 'null':
      return typeReader(node, (value) => value === null);
    case 'string':
      return stringReader(node);
    case 'array':
      return arrayReader(node);
    case 'object':
      return objectReader(node);
    default:
      throw new TypeError(`the reader knows no schema of type ${node.type}`);
  }
}

function typeReader(node: Node, fits: (value: unknown) => boolean): Reader {
  return (value) => {
    if (!fits(value)) throw wrongValue(value, node);
    return value;
  };
}

function wordReader(node: Node, words: readonly unknown[]): Reader {
  const texts = words.filter((word) => typeof word === 'string');
  return (value) => {
    if (words.includes(value)) return value;
    const near = typeof value === 'string' ? nearest(value, texts) : undefined;
    throw near ? new Wrong(`is ${printable(value)}, near ${near}`, accepts(node)) : wrongValue(value, node);
  };
}

function stringReader(node: Node): Reader {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = node;
  const pattern = node.pattern === undefined ? undefined : new RegExp(node.pattern, 'u');
  return typeReader(node, (value) => {
    if (typeof value !== 'string' || value.length < minLength || value.length > maxLength) return false;
    // A lone surrogate has no UTF-8 and so no canonical form.
    return !/\p{Surrogate}/u.test(value) && (pattern?.test(value) ?? true);
  });
}

// ---- numbers -------------------------------------------------------------------------------------------

function inRange(node: Node): (x: number) => boolean {
  const {
    minimum = -Infinity,
    exclusiveMinimum = -Infinity,
    maximum = Infinity,
    exclusiveMaximum = Infinity,
  } = node;
  return (x) =>
    Number.isFinite(x) && x >= minimum && x <= maximum && x > exclusiveMinimum && x < exclusiveMaximum;
}

/** A number as it is, or {value, unit} converted; a negative zero is zero. */
function numberReader(node: Node): Reader {
  const fits = inRange(node);
  const whole = node.type === 'integer';
  const read: Reader = (value, context, unit) => {
    if (typeof value === 'string') throw wrongText(value, node, (sent) => read(sent, context, unit));
    let x: unknown = value;
    if (isRecord(value)) x = ofQuantity(value, unitDecided(node, context.request));
    else if (unit && typeof value === 'number') x = unit(value);
    if (typeof x !== 'number' || !fits(x) || (whole && !Number.isSafeInteger(x)))
      throw wrongNumber(value, x, node);
    return x + 0;
  };
  return read;
}

function wrongNumber(value: unknown, converted: unknown, node: Node): Wrong {
  if (!isRecord(value) || typeof converted !== 'number') return wrongValue(converted, node);
  return new Wrong(`is ${printable(converted)} after conversion to ${unitsOf(node)[0]}`, accepts(node));
}

const numberText = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(\S.{0,39})?$/i;

/** Of text that says a number which `read` takes, such as "3 m", how it is sent. */
function wrongText(text: string, node: Node, read: (sent: unknown) => unknown): Wrong {
  const { problem, accepted } = wrongValue(text, node);
  const [, digits, unit] = numberText.exec(text) ?? [];
  if (digits === undefined) return new Wrong(problem, accepted);
  const sent = unit === undefined ? Number(digits) : { value: Number(digits), unit };
  try {
    read(sent);
  } catch (error) {
    if (error instanceof Wrong) return new Wrong(problem, accepted);
    throw error;
  }
  return new Wrong(problem, `${accepted}, such as ${JSON.stringify(sent)} without quotation marks around it`);
}

function ofQuantity(sent: Record<string, unknown>, node: Node): unknown {
  const unit = quantityUnit(sent, node);
  if (typeof sent.value !== 'number') throw wrongValue(sent.value, node).within('value');
  return conversion(unit, unitsOf(node), node)(sent.value);
}

/** The unit of {value, unit}, which has these two keys and no other. */
function quantityUnit(sent: Record<string, unknown>, node: Node): string {
  for (const key of Object.keys(sent)) {
    if (key !== 'value' && key !== 'unit') throw unknownField(key, ['value', 'unit']);
  }
  if (sent.value === undefined) throw new Wrong('is missing', accepts(node), true).within('value');
  if (typeof sent.unit === 'string') return sent.unit;
  const missing = sent.unit === undefined;
  const problem = missing ? 'is missing' : `is ${printable(sent.unit)}`;
  throw new Wrong(problem, `a unit that converts to ${unitsOf(node).join(' or ')}`, missing).within('unit');
}

function conversion(unit: string, units: readonly string[], node: Node): Conversion {
  const accepted = units.includes(unit) ? 'a unit' : `a unit that converts to ${units.join(' or ')}`;
  let problem = '';
  let meant = accepted;
  for (const wanted of units) {
    try {
      if (wanted === 'K') refuseOtherTemperature(unit, node);
      return converter(unit, wanted);
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      meant = error.accepted(accepted);
      problem ||= hasOtherDimension(unit, wanted)
        ? 'has another dimension'
        : error.message.replace(/\.$/, '');
    }
  }
  throw new Wrong(`is ${printable(unit)}: ${legible(problem)}`, `${meant} (${accepts(node)})`).within('unit');
}

const hasOtherDimension = (unit: string, wanted: string): boolean =>
  isUnit(unit) && !sameDimension(parseUnit(unit).dimension, parseUnit(wanted).dimension);

/** A difference of 20 K is none of 293.15 K: where the one belongs, the other is no number of it. */
function refuseOtherTemperature(unit: string, node: Node): void {
  const wanted = node.temperature ?? 'point';
  const kind = temperatureOf(unit);
  if (kind === 'other' || kind === wanted) return;
  const is = kind === 'point' ? 'a point on a scale' : 'a difference of temperatures';
  const [belongs, units] = temperatures[wanted];
  throw new Wrong(`is ${printable(unit)}, ${is}, where ${belongs} belongs`, units).within('unit');
}

/** What belongs there, and in which units. */
const temperatures = {
  point: ['a temperature', 'K, degC or degF'],
  difference: ['a difference', 'K, delta_degC or delta_degF'],
  either: ['a number in K, a temperature or a difference,', 'K'],
} as const;

/** Keeps the caller's number and unit. */
function anyUnitReader(node: Node): Reader {
  const fits = inRange(node);
  return (value) => {
    const x = isRecord(value) ? value.value : value;
    const unit = isRecord(value) ? quantityUnit(value, node) : undefined;
    if (typeof x !== 'number' || !fits(x)) throw wrongValue(x, node);
    if (unit === undefined) return x + 0;
    conversion(unit, [unit], node);
    return { value: x + 0, unit };
  };
}

function integerReader(node: Node): Reader {
  const fits = inRange(node);
  const step = node.multipleOf ?? 1;
  const read = (value: unknown): unknown => {
    if (typeof value === 'string') throw wrongText(value, node, read);
    if (typeof value !== 'number' || !fits(value) || value % step !== 0) throw wrongValue(value, node);
    if (!Number.isSafeInteger(value))
      throw new Wrong(`is ${value}, which is no exact integer`, accepts(node));
    return value + 0;
  };
  return read;
}

/** A u64: a number up to 2^53 − 1, above that a decimal string, whichever way it was sent. */
function seedReader(node: Node): Reader {
  return (value) => {
    const digits = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
    const seed = digits ?? (Number.isSafeInteger(value) ? BigInt(value as number) : undefined);
    if (seed === undefined || seed < 0n || seed >= 1n << 64n) throw wrongValue(value, node);
    return seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : seed.toString();
  };
}

// ---- containers ----------------------------------------------------------------------------------------

function arrayReader(node: Node): Reader {
  const items = Array.isArray(node.items)
    ? (node.items as Node[]).map(reader)
    : node.items && reader(node.items as Node);
  const readNumbers = node.blob && blobReader(node);
  const { minItems = 0, maxItems = Infinity } = Array.isArray(items)
    ? { minItems: items.length, maxItems: items.length }
    : node;

  const readItems: Reader = (value, context, unit) => {
    if (!Array.isArray(value)) throw wrongValue(value, node);
    if (value.length < minItems || value.length > maxItems) throw wrongValue(value, node);
    const result = new Array(value.length);
    for (let i = 0; i < value.length; i++) {
      try {
        const read = Array.isArray(items) ? items[i] : items;
        result[i] = read ? read(value[i], context, unit) : value[i];
      } catch (error) {
        throw error instanceof Wrong ? error.within(i) : error;
      }
    }
    return result;
  };

  const readBlob: Reader = (value, context, unit) => {
    if (isRecord(value) && '$blob' in value) refuseBlob(value, node);
    const digest = blobReference(value);
    if (digest === undefined) return readItems(value, context, unit);
    return readNumbers!(digest, context, unit);
  };

  return (value, context, unit) => {
    if (!isRecord(value)) return readItems(value, context, unit);
    const sent = node.unit !== undefined && node.unit !== 'any' && 'value' in value;
    const inner = sent ? listConversion(value, unitDecided(node, context.request)) : unit;
    const result = readBlob(sent ? value.value : value, context, inner);
    if (blobReference(sent ? value.value : value) !== undefined) context.references.set(result, value);
    return result;
  };
}

const listConversion = (sent: Record<string, unknown>, node: Node): Conversion =>
  conversion(quantityUnit(sent, node), unitsOf(node), node);

/** Reads the numbers of a blob one after the other; of a wrong one it says where it stands. */
function blobReader(node: Node) {
  const read = reader(leafOf(node));
  return (digest: string, context: Context, unit: Conversion | undefined): unknown[] => {
    let at = -1;
    const take = (x: number, index: number): number => {
      at = index;
      return read(x, context, unit) as number;
    };
    try {
      return blobArray(digest, node, context.blobs, take);
    } catch (error) {
      if (!(error instanceof Wrong) || at < 0) throw error;
      throw placeOf(at, node).reduceRight((wrong, index) => wrong.within(index), error);
    }
  };
}

function refuseBlob(value: Record<string, unknown>, node: Node): void {
  if (!node.blob) throw new Wrong('is a blob, which this field does not take', accepts(node));
  if (blobReference(value) === undefined) {
    throw new Wrong(`names the blob ${printable(value.$blob)}`, '{"$blob": "sha256:<64 hex digits>"}');
  }
}

function objectReader(node: Node): Reader {
  const open = openValues(node);
  if (open && !node.properties) return openReader(node, reader(open));
  const properties = node.properties ?? {};
  const names = Object.keys(properties);
  const readers = new Map(names.map((name) => [name, reader(properties[name]!)]));
  const others = open && openReader(node, reader(open));
  const required = node.required ?? [];
  return (value, context) => {
    if (!isRecord(value)) throw wrongValue(value, node);
    const unknown = Object.keys(value).filter((key) => !readers.has(key));
    if (unknown.length && !others) throw unknownField(unknown[0]!, names);
    for (const name of required) {
      if (ownValue(value, name) === undefined) {
        throw new Wrong('is missing', accepts(properties[name]!), true).within(name);
      }
    }
    const own = Object.fromEntries(unknown.map((key) => [key, value[key]])); // __proto__ becomes a name to refuse
    const result = others ? (others(own, context) as Record<string, unknown>) : {};
    for (const [name, read] of readers) {
      const sent = ownValue(value, name);
      if (sent !== undefined) result[name] = readWithin(read, name, sent, context);
    }
    refuseUnused(properties, result);
    return result;
  };
}

const ownValue = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const MAX_NAMES = 1000;

/** An object with names of the caller's own. */
function openReader(node: Node, read: Reader): Reader {
  return (value, context) => {
    if (!isRecord(value)) throw wrongValue(value, node);
    const names = Object.keys(value);
    if (names.length > MAX_NAMES)
      throw new Wrong(`has ${names.length} fields`, `at most ${MAX_NAMES} fields`);
    const result: Record<string, unknown> = {};
    for (const name of names) {
      if (name === '__proto__' || name.length > 100)
        throw new Wrong('is no name', 'a name of 1 to 100 characters').within(name);
      result[name] = readWithin(read, name, value[name], context);
    }
    return result;
  };
}

function readWithin(read: Reader, name: string, value: unknown, context: Context): unknown {
  try {
    return read(value, context);
  } catch (error) {
    throw error instanceof Wrong ? error.within(name) : error;
  }
}

function unknownField(key: string, names: readonly string[]): Wrong {
  const near = nearest(key, names);
  const known = names.join(', ');
  return new Wrong(`is no field here${near ? `, the nearest is ${near}` : ''}`, known || 'no field').within(
    key,
  );
}

/** The first alternative that fits; where none does, what is wrong with the likeliest. */
function unionReader(node: Node): Reader {
  const readers = new Map(node.anyOf!.map((variant) => [variant, reader(variant)]));
  return (value, context, unit) => {
    let first: Wrong | undefined;
    for (const variant of candidates(node.anyOf!, value)) {
      try {
        return readers.get(variant)!(value, context, unit);
      } catch (error) {
        if (!(error instanceof Wrong)) throw error;
        first ??= amongAlternatives(error, variant, node.anyOf!);
      }
    }
    throw first ?? wrongValue(value, node);
  };
}

function withReferences(value: unknown, references: ReadonlyMap<unknown, unknown>): unknown {
  const reference = references.get(value);
  if (reference !== undefined) return reference;
  if (Array.isArray(value)) {
    return typeof value[0] === 'object' ? value.map((item) => withReferences(item, references)) : value;
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withReferences(inner, references)]),
  );
}

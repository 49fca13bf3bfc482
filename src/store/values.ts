import { Refusal } from '../errors/refusal.ts';
import { type BaseType, baseType, type Columns, isNullable, type Table } from './table.ts';

/** The values that reach an adapter: json is text by then. */
export type Stored = string | bigint | number | Uint8Array | null;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** In every Node that we run on, but newer than the compiler's ES2023. */
type WellFormed = string & { isWellFormed(): boolean };

/** SQLite ends a text at U+0000 and a lone surrogate has no UTF-8: both would come back as something else. */
function storableText(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new TypeError(`${where} is text, not ${typeof value}`);
  if (value.includes('\u0000') || !(value as WellFormed).isWellFormed())
    throw new Refusal('INVALID_INPUT', 'A text may not hold U+0000 or an unpaired surrogate.', {
      field: where,
    });
  return value;
}

function storableInt64(value: unknown, where: string): bigint {
  if (typeof value !== 'bigint') throw new TypeError(`${where} is a bigint, not ${typeof value}`);
  if (value < int64Min || value > int64Max)
    throw new Refusal('INVALID_INPUT', 'An integer does not fit 64 bits.', { field: where });
  return value;
}

/** −0 is stored as 0: SQLite keeps no sign of zero. */
function storableReal(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new TypeError(`${where} is a finite number, not ${String(value)}`);
  return value + 0;
}

function storableBlob(value: unknown, where: string): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError(`${where} is a Uint8Array`);
  return value;
}

function storableJson(value: unknown, where: string): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${where} is not JSON data`);
  return text;
}

const storable: Record<BaseType, (value: unknown, where: string) => Stored> = {
  text: storableText,
  int64: storableInt64,
  real: storableReal,
  blob: storableBlob,
  json: storableJson,
};

/** One value on its way in, checked against its column. */
export function encodeValue(table: Table, column: string, value: unknown): Stored {
  const type = table.columns[column];
  if (type === undefined) throw new TypeError(`${table.name} has no column ${column}`);
  if (value === null || value === undefined) {
    if (!isNullable(type)) throw new TypeError(`${table.name}.${column} is never null`);
    return null;
  }
  return storable[baseType(type)](value, `${table.name}.${column}`);
}

/** The columns that an update changes. A key is what a row is, so it never changes. */
export function changedColumns(table: Table, changes: object): [string, Stored][] {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new TypeError(`${table.name}: an update that changes nothing`);
  return given.map(([column, value]) => {
    if (table.key.includes(column)) throw new TypeError(`${table.name}.${column}: a key never changes`);
    return [column, encodeValue(table, column, value)];
  });
}

/** A whole row on its way in, in the order of the declaration. */
export function encodeRow(table: Table, row: object): Stored[] {
  const values = row as Record<string, unknown>;
  for (const name of Object.keys(values))
    if (table.columns[name] === undefined) throw new TypeError(`${table.name} has no column ${name}`);
  return Object.keys(table.columns).map((column) => encodeValue(table, column, values[column]));
}

/** One value on its way out. Bytes are copied, so that they belong to the caller. */
export function decodeValue(type: Columns[string], value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const base = baseType(type);
  if (base === 'json') return JSON.parse(value as string);
  if (base === 'blob') return new Uint8Array(value as Uint8Array);
  return value;
}

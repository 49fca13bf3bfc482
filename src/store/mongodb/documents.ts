import { type Document, Double } from 'mongodb';
import { type Order, totalOrder } from '../order.ts';
import type { Query, Range, Where } from '../store.ts';
import { baseType, type Columns, type Index, indexName, isNullable, type Table } from '../table.ts';
import { changedColumns, decodeValue, encodeRow, encodeValue } from '../values.ts';

/**
 * Rows as documents. `_id` is the key: the value of a single key column, which is not stored again, or a document of
 * the key's columns, which are stored beside it too. A null column is absent, so that unique indexes over it can be
 * partial. `_writes` counts updates: without it an update to equal values would be no write and meet no conflict.
 */
type Value = string | bigint | Double | Uint8Array;

export function fieldOf(t: Table, column: string): string {
  return t.key.length === 1 && t.key[0] === column ? '_id' : column;
}

function bsonValue(t: Table, column: string, value: unknown): Value | null {
  const stored = encodeValue(t, column, value);
  return typeof stored === 'number' ? new Double(stored) : stored;
}

export function idOf(t: Table, key: object): Value | Document {
  const values = key as Record<string, unknown>;
  if (t.key.length === 1) return bsonValue(t, t.key[0]!, values[t.key[0]!])!;
  return Object.fromEntries(t.key.map((column) => [column, bsonValue(t, column, values[column])]));
}

export function documentOf(t: Table, row: object): Document {
  const document: Document = { _id: idOf(t, row), _writes: 0 };
  const values = encodeRow(t, row);
  for (const [i, column] of Object.keys(t.columns).entries()) {
    const value = values[i]!;
    if (value === null || fieldOf(t, column) === '_id') continue;
    document[column] = typeof value === 'number' ? new Double(value) : value;
  }
  return document;
}

/** Binary of the driver holds its bytes in `buffer`, up to `position`. */
function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('buffer' in value) || value instanceof Uint8Array)
    return value;
  const { buffer, position } = value as unknown as { buffer: Uint8Array; position: number };
  return buffer.subarray(0, position);
}

export function rowOf(t: Table, document: Document): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const column in t.columns)
    row[column] = decodeValue(t.columns[column]!, plainValue(document[fieldOf(t, column)]));
  return row;
}

const operators = { gt: '$gt', gte: '$gte', lt: '$lt', lte: '$lte' } as const;

function rangeFilter(t: Table, column: string, range: Range<unknown>): Document {
  const filter: Document = {};
  for (const [name, value] of Object.entries(range)) {
    if (value === undefined) continue;
    if (name === 'in') filter.$in = (value as readonly unknown[]).map((v) => bsonValue(t, column, v));
    else {
      if (baseType(t.columns[column]!) === 'blob')
        throw new TypeError(`${t.name}.${column}: blobs have no order`);
      filter[operators[name as keyof typeof operators]] = bsonValue(t, column, value);
    }
  }
  return filter;
}

export function filterOf(t: Table, where: Where<Columns> = {}): Document {
  const filter: Document = {};
  for (const [column, value] of Object.entries(where) as [string, unknown][]) {
    if (value === undefined) continue;
    const isRange = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
    filter[fieldOf(t, column)] = isRange
      ? rangeFilter(t, column, value as Range<unknown>)
      : bsonValue(t, column, value);
  }
  return filter;
}

export function sortOf(t: Table, query: Query<Columns>): [string, 1 | -1][] {
  return totalOrder(t, query.orderBy).map(([column, direction]) => [
    fieldOf(t, column),
    direction === 'asc' ? 1 : -1,
  ]);
}

/** Behind a row in the order: a > x, or a = x and b > y, or … */
function behind(t: Table, order: Order, after: Record<string, unknown>): Document {
  if (order.some(([column]) => isNullable(t.columns[column]!)))
    throw new TypeError(`${t.name}: 'after' needs an order by columns that are never null`);
  const value = (column: string) => bsonValue(t, column, after[column]);
  return {
    $or: order.map(([column, direction], i) => ({
      ...Object.fromEntries(order.slice(0, i).map(([c]) => [fieldOf(t, c), value(c)])),
      [fieldOf(t, column)]: { [direction === 'asc' ? '$gt' : '$lt']: value(column) },
    })),
  };
}

export function queryFilter(t: Table, query: Query<Columns>): Document {
  const filter = filterOf(t, query.where);
  if (!query.after) return filter;
  return { $and: [filter, behind(t, totalOrder(t, query.orderBy), query.after)] };
}

export function changesOf(t: Table, changes: object): Document {
  const set: Document = {};
  const unset: Document = {};
  for (const [column, value] of changedColumns(t, changes)) {
    if (value === null) unset[column] = '';
    else set[column] = typeof value === 'number' ? new Double(value) : value;
  }
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
    $inc: { _writes: 1 },
  };
}

/** $sum turns into a floating-point number beyond 64 bits, so high and low halves are summed apart; both exact. */
export function sumPipeline(
  t: Table,
  column: string,
  group: readonly string[],
  where?: Where<Columns>,
): Document[] {
  if (baseType(t.columns[column]!) !== 'int64') throw new TypeError(`${t.name}.${column} is not int64`);
  const value = `$${fieldOf(t, column)}`;
  const low = { $mod: [value, 2n ** 32n] };
  const high = { $divide: [{ $subtract: [value, low] }, 2n ** 32n] };
  const id = Object.fromEntries(group.map((name) => [name, `$${fieldOf(t, name)}`]));
  return [
    { $match: filterOf(t, where) },
    { $group: { _id: group.length > 0 ? id : null, low: { $sum: low }, high: { $sum: high } } },
    { $sort: { _id: 1 } },
  ];
}

export interface IndexSpec {
  readonly name: string;
  readonly fields: Record<string, 1>;
  readonly options: Document;
}

export function indexSpec(t: Table, index: Index): IndexSpec {
  const fields = Object.fromEntries(index.columns.map((c) => [fieldOf(t, c), 1 as const]));
  const nullable = index.columns.filter((c) => isNullable(t.columns[c]!));
  const partial = Object.fromEntries(nullable.map((c) => [c, { $exists: true }]));
  const options = index.unique
    ? { unique: true, ...(nullable.length > 0 && { partialFilterExpression: partial }) }
    : {};
  return { name: indexName(t.name, index), fields, options };
}

/** The declared indexes, and for a key of several columns one over them, for ranges. */
export function indexSpecs(t: Table): IndexSpec[] {
  const byKey: Index[] = t.key.length > 1 ? [{ columns: t.key, unique: false }] : [];
  return [...byKey, ...t.indexes].map((index) => indexSpec(t, index));
}

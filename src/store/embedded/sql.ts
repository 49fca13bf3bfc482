import { type Order, totalOrder } from '../order.ts';
import type { Query, Range, Where } from '../store.ts';
import { baseType, type Columns, type Index, indexName, isNullable, type Table } from '../table.ts';
import { changedColumns, encodeValue, type Stored } from '../values.ts';

/** SQL text with its bound values. */
export interface Sql {
  readonly text: string;
  readonly values: Stored[];
}

const sqlType = { text: 'TEXT', int64: 'INTEGER', real: 'REAL', blob: 'BLOB', json: 'TEXT' } as const;
const quoted = (names: readonly string[]) => names.map((n) => `"${n}"`).join(', ');

export function createTable(t: Table): string {
  const columns = Object.entries(t.columns).map(
    ([name, type]) => `"${name}" ${sqlType[baseType(type)]}${isNullable(type) ? '' : ' NOT NULL'}`,
  );
  // A clustered key saves one B-tree per insert, but is slow for rows larger than a fraction of a page
  // (sqlite.org/withoutrowid.html, section 4).
  const small = !Object.entries(t.columns).some(([name, type]) => isLarge(t, name, baseType(type)));
  const options = small ? 'STRICT, WITHOUT ROWID' : 'STRICT';
  return `CREATE TABLE "${t.name}" (${columns.join(', ')}, PRIMARY KEY (${quoted(t.key)})) ${options}`;
}

function isLarge(t: Table, column: string, type: string): boolean {
  return type === 'json' || (type === 'blob' && !t.key.includes(column));
}

export function addColumn(t: Table, column: string): string {
  return `ALTER TABLE "${t.name}" ADD COLUMN "${column}" ${sqlType[baseType(t.columns[column]!)]}`;
}

export function createIndex(t: Table, index: Index): string {
  return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX "${indexName(t.name, index)}" ON "${t.name}" (${quoted(index.columns)})`;
}

export function dropIndex(t: Table, index: Index): string {
  return `DROP INDEX "${indexName(t.name, index)}"`;
}

function isRange(value: unknown): value is Range<unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function rangeCondition(t: Table, column: string, range: Range<unknown>): Sql[] {
  const parts: Sql[] = [];
  for (const [name, value] of Object.entries(range)) {
    if (value === undefined) continue;
    if (name === 'in') parts.push(inCondition(t, column, value as readonly unknown[]));
    else {
      if (baseType(t.columns[column]!) === 'blob')
        throw new TypeError(`${t.name}.${column}: blobs have no order`);
      const sign = comparisons[name as keyof typeof comparisons];
      parts.push({ text: `"${column}" ${sign} ?`, values: [encodeValue(t, column, value)] });
    }
  }
  return parts;
}

function inCondition(t: Table, column: string, list: readonly unknown[]): Sql {
  return {
    text: `"${column}" IN (${list.map(() => '?').join(', ')})`,
    values: list.map((v) => encodeValue(t, column, v)),
  };
}

function conditions(t: Table, where: object): Sql[] {
  return Object.entries(where).flatMap(([column, value]): Sql[] => {
    if (value === undefined) return [];
    if (value === null) return [{ text: `"${column}" IS NULL`, values: [] }];
    if (isRange(value)) return rangeCondition(t, column, value);
    return [{ text: `"${column}" = ?`, values: [encodeValue(t, column, value)] }];
  });
}

function joined(parts: readonly Sql[], before: string, between: string): Sql {
  if (parts.length === 0) return { text: '', values: [] };
  return { text: before + parts.map((p) => p.text).join(between), values: parts.flatMap((p) => p.values) };
}

export function whereClause<C extends Columns>(t: Table<C>, where: Where<C> = {}, more: Sql[] = []): Sql {
  return joined([...conditions(t as unknown as Table, where), ...more], ' WHERE ', ' AND ');
}

/** Behind a row in the order: (a > ?) OR (a = ? AND b > ?) OR …, or the row comparison when all run one way. */
function behind(t: Table, order: Order, after: Record<string, unknown>): Sql {
  const values = order.map(([column]) => encodeValue(t, column, after[column]));
  if (order.some(([column]) => isNullable(t.columns[column]!)))
    throw new TypeError(`${t.name}: 'after' needs an order by columns that are never null`);
  const sign = (direction: string) => (direction === 'asc' ? '>' : '<');
  if (order.every(([, direction]) => direction === order[0]![1])) {
    const names = quoted(order.map(([column]) => column));
    return { text: `(${names}) ${sign(order[0]![1])} (${order.map(() => '?').join(', ')})`, values };
  }
  const cases = order.map(([column, direction], i) => {
    const equal = order.slice(0, i).map(([c]) => `"${c}" = ?`);
    const text = [...equal, `"${column}" ${sign(direction)} ?`].join(' AND ');
    return { text: `(${text})`, values: values.slice(0, i + 1) };
  });
  const any = joined(cases, '', ' OR ');
  return { text: `(${any.text})`, values: any.values };
}

export function select(t: Table, query: Query<Columns>): Sql {
  const order = totalOrder(t, query.orderBy);
  const more = query.after ? [behind(t, order, query.after)] : [];
  const where = whereClause(t, query.where, more);
  const by = order.map(([column, direction]) => `"${column}" ${direction === 'asc' ? 'ASC' : 'DESC'}`);
  const names = quoted(Object.keys(t.columns));
  const limited = query.limit !== undefined || query.offset !== undefined;
  return {
    text: `SELECT ${names} FROM "${t.name}"${where.text} ORDER BY ${by.join(', ')}${limited ? ' LIMIT ? OFFSET ?' : ''}`,
    values: limited ? [...where.values, BigInt(query.limit ?? -1), BigInt(query.offset ?? 0)] : where.values,
  };
}

export function selectCount(t: Table, where: Where<Columns> | undefined): Sql {
  const clause = whereClause(t, where);
  return { text: `SELECT count(*) FROM "${t.name}"${clause.text}`, values: clause.values };
}

/** Sums of the high and the low 32 bits: SQLite's own sum() fails beyond 64 bits. */
export function selectSum(t: Table, column: string, group: readonly string[], where?: Where<Columns>): Sql {
  if (baseType(t.columns[column]!) !== 'int64') throw new TypeError(`${t.name}.${column} is not int64`);
  const clause = whereClause(t, where);
  const names = group.length > 0 ? `${quoted(group)}, ` : '';
  const by = group.length > 0 ? ` GROUP BY ${quoted(group)} ORDER BY ${quoted(group)}` : '';
  return {
    text: `SELECT ${names}coalesce(sum("${column}" >> 32), 0), coalesce(sum("${column}" & 4294967295), 0) FROM "${t.name}"${clause.text}${by}`,
    values: clause.values,
  };
}

const keyed = new WeakMap<Table, { get: string; insert: string; put: string }>();

/** The statements by key of a table, built once. */
export function byKey(t: Table) {
  const known = keyed.get(t);
  if (known) return known;
  const names = Object.keys(t.columns);
  const insert = `INSERT INTO "${t.name}" (${quoted(names)}) VALUES (${names.map(() => '?').join(', ')})`;
  const rest = names.filter((n) => !t.key.includes(n));
  const set = rest.map((n) => `"${n}" = excluded."${n}"`).join(', ');
  const made = {
    get: `SELECT ${quoted(names)} FROM "${t.name}" WHERE ${t.key.map((k) => `"${k}" = ?`).join(' AND ')}`,
    insert,
    put: `${insert} ON CONFLICT (${quoted(t.key)}) DO ${rest.length > 0 ? `UPDATE SET ${set}` : 'NOTHING'}`,
  };
  keyed.set(t, made);
  return made;
}

/** Conditions for exactly one row; a key that lacks a column is an error and never a wider condition. */
function keyConditions(t: Table, key: object): Sql[] {
  return keyValues(t, key).map((value, i) => ({ text: `"${t.key[i]}" = ?`, values: [value] }));
}

/** The values of a key in the order of the declaration. */
export function keyValues(t: Table, key: object): Stored[] {
  return t.key.map((column) => encodeValue(t, column, (key as Record<string, unknown>)[column]));
}

export function update(t: Table, key: object, changes: object, expected: Where<Columns> = {}): Sql {
  const values: Stored[] = [];
  let assignments = '';
  for (const [column, value] of changedColumns(t, changes)) {
    assignments += `${values.length > 0 ? ', ' : ''}"${column}" = ?`;
    values.push(value);
  }
  const where = joined([...keyConditions(t, key), ...conditions(t, expected)], ' WHERE ', ' AND ');
  return { text: `UPDATE "${t.name}" SET ${assignments}${where.text}`, values: [...values, ...where.values] };
}

export function remove(t: Table, key: object, expected: Where<Columns> = {}): Sql {
  const where = joined([...keyConditions(t, key), ...conditions(t, expected)], ' WHERE ', ' AND ');
  return { text: `DELETE FROM "${t.name}"${where.text}`, values: where.values };
}

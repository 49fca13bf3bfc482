/**
 * Tables as data. A feature declares its records once; both adapters, the row types and the backup read the same
 * declaration.
 *
 * | column | in TypeScript | in SQLite | in MongoDB |
 * |---|---|---|---|
 * | `text` | string, well formed, without U+0000 | TEXT | string |
 * | `int64` | bigint, −2⁶³ … 2⁶³−1 | INTEGER | long |
 * | `real` | number, finite | REAL | double |
 * | `blob` | Uint8Array | BLOB | binary |
 * | `json` | plain JSON data | TEXT | string |
 *
 * A `?` behind the type allows null.
 */
export type BaseType = 'text' | 'int64' | 'real' | 'blob' | 'json';
export type ColumnType = BaseType | `${BaseType}?`;
export type Columns = Readonly<Record<string, ColumnType>>;

type Json = unknown;
type BaseValue<B> = B extends 'text'
  ? string
  : B extends 'int64'
    ? bigint
    : B extends 'real'
      ? number
      : B extends 'blob'
        ? Uint8Array
        : Json;

export type ValueOf<C> = C extends `${infer B}?` ? BaseValue<B> | null : BaseValue<C>;
type Nullable<C extends Columns> = { [K in keyof C]: C[K] extends `${BaseType}?` ? K : never }[keyof C];

/** A row as it is read. */
export type RowOf<C extends Columns> = { [K in keyof C]: ValueOf<C[K]> };
/** A row as it is written: nullable columns may be left out and are then null. */
export type NewRowOf<C extends Columns> = { [K in Exclude<keyof C, Nullable<C>>]: ValueOf<C[K]> } & {
  [K in Nullable<C>]?: ValueOf<C[K]>;
};

export interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** A declared table. `C` its columns, `K` the names of its key columns. */
export interface Table<C extends Columns = Columns, K extends string = string> {
  readonly name: string;
  readonly key: readonly K[];
  readonly columns: C;
  readonly indexes: readonly Index[];
}

/** The row, the row to write and the key of a table: `Row<typeof accounts>`. */
export type Row<T> = T extends Table<infer C, string> ? RowOf<C> : never;
export type NewRow<T> = T extends Table<infer C, string> ? NewRowOf<C> : never;
export type Key<T> = T extends Table<infer C, infer K> ? { [P in K & keyof C]: ValueOf<C[P]> } : never;

const identifier = /^[a-z][a-z0-9_]{0,62}$/;

function assertDeclared(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new TypeError(sentence);
}

/**
 * Declares a table. Names are lower case with underscores; key columns are never null; a `json` column can be
 * neither key nor indexed.
 */
export function table<const C extends Columns, const K extends keyof C & string>(declaration: {
  name: string;
  key: readonly K[];
  columns: C;
  indexes?: readonly { columns: readonly (keyof C & string)[]; unique?: boolean }[];
}): Table<C, K> {
  const { name, key, columns } = declaration;
  const indexes = (declaration.indexes ?? []).map((i) => ({ columns: i.columns, unique: i.unique ?? false }));
  for (const word of [name, ...Object.keys(columns)])
    assertDeclared(identifier.test(word), `${word}: not a table or column name`);
  assertDeclared(key.length > 0, `${name}: a table has at least one key column`);
  for (const column of [...key, ...indexes.flatMap((i) => i.columns)]) {
    assertDeclared(columns[column] !== undefined, `${name}.${column}: not a column`);
    assertDeclared(baseType(columns[column]!) !== 'json', `${name}.${column}: json cannot be indexed`);
  }
  for (const column of key)
    assertDeclared(!isNullable(columns[column]!), `${name}.${column}: a key cannot be null`);
  return { name, key, columns, indexes };
}

export function baseType(type: ColumnType): BaseType {
  return (type.endsWith('?') ? type.slice(0, -1) : type) as BaseType;
}

export function isNullable(type: ColumnType): boolean {
  return type.endsWith('?');
}

/** Name of an index in the database: the table and its columns. */
export function indexName(table: string, index: Index): string {
  return `${table}__${index.columns.join('__')}${index.unique ? '__unique' : ''}`;
}

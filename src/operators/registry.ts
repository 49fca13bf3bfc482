import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Compile } from 'typebox/compile';
import { sha256 } from '#crypto';
import { nearest } from '../errors/nearest.ts';
import { printable } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import { toHex, utf8 } from '../proof/bytes.ts';
import { besideSource } from '../units/data-file.ts';
import { type Operator, prepare } from './operator.ts';
import { fileSchema, type OperatorFile, type OperatorRow } from './row.ts';

/** Grows with every change of a row that can change a result. */
export const registryVersion = '1.5.0';

/** A row with the category of its file. */
export type Row = OperatorRow & { readonly category: string };

export interface Registry {
  readonly version: string;
  /** SHA-256 over the data files: name, a zero byte, content, in the order of their names. */
  readonly corpusSha256: string;
  readonly rows: ReadonlyMap<string, Row>;
  /** Category → its title, in the order of the files. */
  readonly titles: ReadonlyMap<string, string>;
}

export const dataFolder = besideSource(import.meta.url, './data/');

/** What was released last (src/operators/release.ts). */
export const releaseFile = besideSource(import.meta.url, './release.json');

/** The digest of rows that were held against the schema when they were released; undefined before a first release. */
function releasedDigest(): string | undefined {
  return existsSync(releaseFile) ? JSON.parse(readFileSync(releaseFile, 'utf8')).corpus_sha256 : undefined;
}

/**
 * Reads the files of a data folder. Throws an Error that names file and row for what does not fit. Bytes of digest
 * `checked` fitted before, and fit again: holding them against the schema is more than half of the time at start.
 */
export function loadRegistry(folder: URL = dataFolder, checked = releasedDigest()): Registry {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  const contents = names.map((name) => readFileSync(new URL(name, folder)));
  const corpusSha256 = toHex(sha256(...names.flatMap((name, i) => [utf8(`${name}\0`), contents[i]!])));
  const rows = new Map<string, Row>();
  const titles = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const file = readFile(name, contents[i]!.toString('utf8'), corpusSha256 === checked);
    titles.set(file.category, file.title);
    for (const row of file.operators) {
      if (rows.has(row.id)) throw new Error(`${name}: the operator ${row.id} stands there twice`);
      rows.set(row.id, { ...row, category: file.category });
    }
  }
  return { version: registryVersion, corpusSha256, rows, titles };
}

const fitting = () => Compile(fileSchema);
let validator: ReturnType<typeof fitting> | undefined;

function readFile(name: string, text: string, isChecked: boolean): OperatorFile {
  const file: unknown = JSON.parse(text);
  if (isChecked) return file as OperatorFile;
  validator ??= fitting();
  if (validator.Check(file)) return file;
  const [error] = validator.Errors(file);
  throw new Error(`${name}${error?.instancePath}: ${error?.message}`);
}

let loaded: Registry | undefined;

/** The registry of this release, read at first use. */
export function registry(): Registry {
  loaded ??= loadRegistry();
  return loaded;
}

const prepared = new Map<string, Operator>();

/** The operator of this id, compiled at first use. Throws UNKNOWN_OPERATOR, or NON_SCALAR_RESULT for a relation. */
export function operator(id: string): Operator {
  const known = prepared.get(id);
  if (known) return known;
  const row = rowOf(id);
  if (row.expression === undefined && row.ode === undefined) {
    return refuse(
      'NON_SCALAR_RESULT',
      `${row.id} (${row.name}) is ${row.refuses}; an envelope carries one number.`,
      {
        field: 'operators',
        accepts: 'operators whose result is one number',
      },
    );
  }
  const operatorOfRow = prepare(row);
  prepared.set(id, operatorOfRow);
  return operatorOfRow;
}

/** @throws Refusal UNKNOWN_OPERATOR */
export function rowOf(id: string): Row {
  return registry().rows.get(id) ?? unknownOperator(id);
}

/** @throws Refusal UNKNOWN_OPERATOR that names the nearest id */
function unknownOperator(id: string): never {
  const near = nearest(id, registry().rows.keys());
  const hint = near ? `, the nearest is ${near}` : '';
  return refuse(
    'UNKNOWN_OPERATOR',
    `No operator is called ${printable(id)}${hint}; accepted: ids of the registry.`,
    {
      field: 'operators',
      accepts: 'ids of GET /api/svc/operators',
      ...(near ? { nearest: near } : {}),
    },
  );
}

import MiniSearch, { type Query } from 'minisearch';
import { unitOfDimension } from '../units/format.ts';
import { parseUnit } from '../units/unit.ts';
import { type Row, registry } from './registry.ts';

/** What a row is found by, each with the weight of a hit in it. */
const weights = {
  id: 8,
  name: 5,
  symbols: 3,
  aliases: 2,
  category: 2,
  units: 2,
  meanings: 1,
  description: 1,
};

const AT_ONCE = 20;

export interface SearchOptions {
  readonly category?: string;
  readonly limit: number;
}

export interface Found {
  /** Of all that fit, beyond the limit too. */
  readonly total: number;
  /** Best first; scores compare only within one answer (BM25). */
  readonly results: readonly { readonly row: Row; readonly score: number }[];
}

/** An index over rows: ranked by BM25, forgiving of an edit in four letters, and of words that are cut short. */
export class OperatorSearch {
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #index: MiniSearch<Document>;

  private constructor(rows: readonly Row[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#index = new MiniSearch<Document>({
      idField: 'key',
      fields: Object.keys(weights),
      tokenize: (text, field) => (field === 'units' ? text.split('\n') : words(text)),
      processTerm: plain,
    });
  }

  /** Indexes a few rows at a time, for 1600 of them would hold up the event loop for half a second. */
  static async over(rows: readonly Row[]): Promise<OperatorSearch> {
    const search = new OperatorSearch(rows);
    await search.#index.addAllAsync(rows.map(documentOf), { chunkSize: AT_ONCE });
    return search;
  }

  /** Rows that have all the words; where none has, rows that have some. An empty query is every row. */
  find(query: string, { category, limit }: SearchOptions): Found {
    const wanted = words(query).length === 0 ? MiniSearch.wildcard : query;
    const all = this.#ranked(wanted, 'AND', category);
    const found = all.length > 0 ? all : this.#ranked(wanted, 'OR', category);
    const results = found.slice(0, limit).map(({ id, score }) => ({ row: this.#rows.get(id)!, score }));
    return { total: found.length, results };
  }

  #ranked(query: Query, combineWith: 'AND' | 'OR', category: string | undefined) {
    return this.#index.search(query, {
      combineWith,
      boost: weights,
      tokenize: queryWords,
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 3 && !/\d/.test(term) ? 0.25 : false),
      filter: ({ id }) => category === undefined || this.#rows.get(id)!.category === category,
    });
  }
}

let ofRegistry: Promise<OperatorSearch> | undefined;

/** The index of the registry, built at first use. */
export function operatorSearch(): Promise<OperatorSearch> {
  ofRegistry ??= OperatorSearch.over([...registry().rows.values()]);
  return ofRegistry;
}

type Document = Readonly<Record<'key' | keyof typeof weights, string>>;

function documentOf({ id, name, description, category, inputs, fixed = [], result }: Row): Document {
  const own = [...inputs, ...fixed, result];
  return {
    key: id,
    ...{ id, name, description },
    category: category.replaceAll('_', ' '),
    symbols: own.map(({ symbol }) => symbol).join(' '),
    aliases: inputs.flatMap(({ aliases }) => aliases).join(' '),
    meanings: own.map(({ meaning }) => meaning).join(' '),
    units: [...new Set(own.flatMap(({ unit }) => [unit, siUnit(unit) ?? unit]))].join('\n'),
  };
}

/** Words of a text; a symbol such as `P_signal` is found whole and by its parts. */
function words(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]))
    .filter((word) => word !== '');
}

/** Of a query a piece with a sign in it may be a unit: `km/h` finds what is in m/s. */
function queryWords(query: string): string[] {
  return query.split(/\s+/).flatMap((piece) => {
    const unit = /[*/^·⋅]/.test(piece) ? siUnit(piece) : undefined;
    return unit === undefined ? words(piece) : [unit];
  });
}

function siUnit(text: string): string | undefined {
  try {
    return unitOfDimension(parseUnit(text).dimension);
  } catch {
    return undefined; // `any`, `derived`, or no unit at all
  }
}

/** Lower case, without accents. */
const plain = (term: string): string =>
  term
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();

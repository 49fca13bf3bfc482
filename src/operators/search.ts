import MiniSearch from 'minisearch';
import { unitOfDimension } from '../units/format.ts';
import { parseUnit } from '../units/unit.ts';
import { FormulaSearch } from './formula-search.ts';
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

/** Words that say that a formula is wanted and not which; they count little, and no row needs them. */
const WEAK = new Set('law equation formula rule theorem principle effect relation calculator'.split(' '));
const WEAK_COUNTS = 0.2;
/** Words that say nothing. */
const SILENT = new Set('a an and at by for from how in is of on the to what with'.split(' '));
/** Words that stand for one another: a row that has one is found by all. */
const SAME = [
  'speed velocity',
  'gravity gravitation',
  'resistor resistance',
  'capacitor capacitance',
  'inductor inductance',
  'loan mortgage',
  'perimeter circumference',
  'pipe tube',
  'color colour',
  'center centre',
  'fiber fibre',
  'vapor vapour',
  'meter metre',
  'tunneling tunnelling',
].map((group) => group.split(' '));
const others = new Map(SAME.flatMap((group) => group.map((word) => [word, group])));
const NO_SUCH_FORMULA =
  'No operator has this formula. It can be computed as it is: send it as `equation` to POST /api/svc/compute.';
/** Of the best score; what has less is left out. */
const LEAST_PART = 0.1;

export interface SearchOptions {
  readonly category?: string;
  readonly limit: number;
}

export interface Found {
  /** Of all that fit, beyond the limit too. */
  readonly total: number;
  /** Best first; scores compare only within one answer (BM25). */
  readonly results: readonly { readonly row: Row; readonly score: number }[];
  /** Where there is nothing: what would help. */
  readonly note?: string;
}

/**
 * An index over rows: ranked by BM25 and by how many of the words a row has, forgiving of an edit in four to six letters,
 * two in up to ten and three beyond, of plurals, and of words that are cut short. A formula finds rows by its letters.
 */
export class OperatorSearch {
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #index: MiniSearch<Document>;
  readonly #formulas: FormulaSearch;

  private constructor(rows: readonly Row[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#formulas = new FormulaSearch(rows);
    this.#index = new MiniSearch<Document>({
      idField: 'key',
      fields: Object.keys(weights),
      tokenize: (text, field) => (field === 'units' ? text.split('\n') : words(text)),
      processTerm: (term, field) => (field === 'units' ? plain(term) : withOthers(stem(plain(term)))),
    });
  }

  /** Indexes a few rows at a time, for 1600 of them would hold up the event loop for half a second. */
  static async over(rows: readonly Row[]): Promise<OperatorSearch> {
    const search = new OperatorSearch(rows);
    await search.#index.addAllAsync(rows.map(documentOf), { chunkSize: AT_ONCE });
    return search;
  }

  /** Rows that have all the words come before those that have some. An empty query is every row. */
  find(query: string, { category, limit }: SearchOptions): Found {
    const isIn = (id: string) => category === undefined || this.#rows.get(id)!.category === category;
    const alike = isUnit(query) ? undefined : this.#formulas.find(query);
    const found = alike?.filter(({ row }) => isIn(row.id)) ?? [];
    if (found.length > 0) return { total: found.length, results: found.slice(0, limit) };
    if (alike && query.includes('=')) return { total: 0, results: [], note: NO_SUCH_FORMULA };
    const ranked = this.#ranked(query, isIn);
    const results = ranked.slice(0, limit).map(({ id, score }) => ({ row: this.#rows.get(id)!, score }));
    return { total: ranked.length, results };
  }

  #ranked(query: string, isIn: (id: string) => boolean): { id: string; score: number }[] {
    const filter = ({ id }: { id: string }) => isIn(id);
    const wanted = [...new Set(queryWords(query).map(termOf))].filter((term) => term !== '');
    if (wanted.length === 0) return this.#index.search(MiniSearch.wildcard, { filter });
    const loud = wanted.filter((term) => !SILENT.has(term));
    const terms = loud.length === 0 ? wanted : loud;
    const found = this.#index.search(terms.join('\n'), {
      combineWith: 'OR',
      boost: weights,
      tokenize: (text) => text.split('\n'),
      processTerm: (term) => term,
      boostTerm: (term) => counts(term),
      prefix: (term) => term.length > 2,
      fuzzy: (term) => !this.#isKnown(term) && edits(term),
      filter,
    });
    const sum = (list: readonly string[]) => list.reduce((total, term) => total + counts(term), 0);
    const ranked = found
      .map(({ id, score, queryTerms }) => {
        const part = sum(queryTerms) / sum(terms);
        return { id, score: score * part * part };
      })
      .sort((a, b) => b.score - a.score);
    return ranked.filter(({ score }) => score >= LEAST_PART * ranked[0]!.score);
  }

  /** What some row has to the letter is no typing error: Biot is not bit. */
  #isKnown(term: string): boolean {
    return this.#index.search(term, { tokenize: (text) => [text], processTerm: (each) => each }).length > 0;
  }
}

const counts = (term: string): number => (WEAK.has(term) ? WEAK_COUNTS : 1);

/** Edits that are forgiven in a word. */
function edits(term: string): number | false {
  if (term.length < 4 || /\d/.test(term)) return false;
  return term.length < 7 ? 1 : term.length < 11 ? 2 : 3;
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
    .replace(/(\p{L})['’]s\b/gu, '$1')
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]))
    .filter((word) => word !== '');
}

/** Of a query a piece with a sign in it may be a unit: `km/h` finds what is in m/s. */
function queryWords(query: string): string[] {
  return query.split(/\s+/).flatMap((piece) => (isUnit(piece) ? [siUnit(piece)!] : words(piece)));
}

const isUnit = (text: string): boolean => /[*/^·⋅]/.test(text) && siUnit(text) !== undefined;
const termOf = (word: string): string => (/[*/^·⋅]/.test(word) ? plain(word) : stem(plain(word)));

/** Without the s of a plural or of a name: `pendulums`, `ohms`; gas, loss and bus keep theirs. */
const stem = (term: string): string => (/^\p{L}{3,}[^aius]s$/u.test(term) ? term.slice(0, -1) : term);

const withOthers = (term: string): string[] => others.get(term) ?? [term];

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

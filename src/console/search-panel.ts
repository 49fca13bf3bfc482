import { byId, element } from './elements.ts';
import { setInType } from './formula.ts';
import { type Category, NodeError, type ShortRow, search } from './node-api.ts';
import { type Place, placeHash } from './place.ts';

const AT_FIRST = 20;
/** The most that one search gives. */
const AT_MOST = 100;
/** A pause in typing after which it is searched. */
const PAUSE_MS = 120;

/** The search: what is typed, the category, and the operators that fit, each a link to its place. */
export class SearchPanel {
  readonly #query = byId<HTMLInputElement>('query');
  readonly #category = byId<HTMLSelectElement>('category');
  readonly #found = byId('found');
  readonly #results = byId<HTMLOListElement>('results');
  readonly #more = byId<HTMLButtonElement>('more');
  #limit = AT_FIRST;
  #pause: number | undefined;
  #running = new AbortController();
  #chosen = '';

  /** @param onQuery is told of every new search, so that the address follows it */
  constructor(onQuery: (query: string, category: string) => void) {
    const changed = () => {
      this.#limit = AT_FIRST;
      onQuery(this.query, this.#category.value);
      clearTimeout(this.#pause);
      this.#pause = window.setTimeout(() => void this.run(), PAUSE_MS);
    };
    this.#query.addEventListener('input', changed);
    this.#category.addEventListener('change', changed);
    this.#more.addEventListener('click', () => {
      this.#limit = AT_MOST;
      void this.run();
    });
    byId('search-form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#openBest();
    });
    for (const list of [this.#query, this.#results]) {
      list.addEventListener('keydown', (event) => this.#step(event as KeyboardEvent));
    }
  }

  get query(): string {
    return this.#query.value.trim();
  }

  offer(categories: readonly Category[]): void {
    const option = ({ category, title, operators }: Category) =>
      element('option', { value: category }, `${title} (${operators})`);
    const chosen = this.#category.value;
    this.#category.append(...categories.map(option));
    this.#category.value = chosen;
  }

  /** Shows a place: its words and category in the fields, and its operator marked among the results. */
  async show({ id, query, category }: Place): Promise<void> {
    const isNew = query !== this.query || category !== this.#category.value;
    this.#chosen = id;
    this.#query.value = query;
    this.#category.value = category;
    if (isNew || this.#results.childElementCount === 0) await this.run();
    else this.#mark();
  }

  async run(): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const [query, category] = [this.query, this.#category.value];
    try {
      const { total, results } = await search(query, category, this.#limit, this.#running.signal);
      this.#draw(results.map((row) => resultItem(row, { query, category })));
      byId('search').classList.toggle('all', query === '' && category === '');
      this.#found.textContent = countText(total, results.length, query);
      this.#more.hidden = total <= results.length || this.#limit === AT_MOST;
      this.#mark();
    } catch (error) {
      if (error instanceof NodeError) this.#found.textContent = error.message;
      else if ((error as Error).name !== 'AbortError') throw error;
    }
  }

  /** Whoever stands on a result stays on it when it is found again. */
  #draw(items: readonly HTMLLIElement[]): void {
    const focused = this.#links().find((link) => link === document.activeElement)?.dataset.id;
    this.#results.replaceChildren(...items);
    if (focused === undefined) return;
    (this.#links().find((link) => link.dataset.id === focused) ?? this.#query).focus();
  }

  #mark(): void {
    for (const link of this.#links()) {
      if (link.dataset.id === this.#chosen) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }

  #links(): HTMLAnchorElement[] {
    return [...this.#results.querySelectorAll('a')];
  }

  /** Enter in the words opens what fits best. */
  async #openBest(): Promise<void> {
    clearTimeout(this.#pause);
    await this.run();
    const [best] = this.#links();
    if (best) location.hash = best.hash;
  }

  /** Up and down go through the results and back to the words. */
  #step(event: KeyboardEvent): void {
    const links = this.#links();
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    (next < 0 ? this.#query : (links[next] ?? links[at]))?.focus();
  }
}

function countText(total: number, shown: number, query: string): string {
  if (total === 0) return `No operator fits “${query}”.`;
  const operators = total === 1 ? '1 operator' : `${total.toLocaleString('en')} operators`;
  return shown < total ? `${operators}, the first ${shown}` : operators;
}

function resultItem(row: ShortRow, place: Omit<Place, 'id'>): HTMLLIElement {
  const link = element(
    'a',
    { href: placeHash({ ...place, id: row.id }), 'data-id': row.id },
    element('span', { class: 'name' }, row.name),
    element(
      'span',
      { class: 'kicker' },
      element('code', {}, row.id),
      ` · ${row.category.replaceAll('_', ' ')}`,
    ),
    setInType(element('span', { class: 'preview', 'aria-hidden': 'true' }), row.equation),
  );
  return element('li', {}, link);
}

import { KeyField } from './account-key.ts';
import { byId, element } from './elements.ts';
import { NodeError, operatorRow, type RegistryFacts, registryFacts, specification } from './node-api.ts';
import { operatorPanel } from './operator-panel.ts';
import { placeHash, readPlace } from './place.ts';
import { SearchPanel } from './search-panel.ts';

// The page at /docs/operators: search, read, fill in, compute, verify. Everything it knows it asks of the node that
// serves it; where one is stands in the address, so that a place can be sent to somebody.

const panel = byId('operator');
const intro = byId('intro');
const key = new KeyField();
/** What is shown, so that a new search does not draw it again and lose what was typed. */
let shown = '';

const searching = new SearchPanel((query, category) => {
  history.replaceState(null, '', placeHash({ id: shown, query, category }));
});

/** Shows what the address names. `opened`: somebody went there just now, and wants to read it. */
async function follow(opened: boolean): Promise<void> {
  if (document.getElementById(location.hash.slice(1))) return; // the link to the search
  const place = readPlace(location.hash);
  const results = searching.show(place);
  if (place.id !== shown) await showOperator(place.id, opened);
  await results;
}

async function showOperator(id: string, opened: boolean): Promise<void> {
  shown = id;
  intro.hidden = id !== '';
  panel.hidden = id === '';
  document.title = id === '' ? 'Operators · proofmesh' : `${id} · proofmesh`;
  if (id === '') return;
  panel.setAttribute('aria-busy', 'true');
  const drawn = await drawOperator(id);
  if (shown !== id) return; // somebody has gone on meanwhile
  panel.replaceChildren(drawn);
  panel.removeAttribute('aria-busy');
  if (opened) {
    panel.scrollIntoView({ block: 'start' });
    panel.querySelector('h2')?.focus({ preventScroll: true });
  }
}

async function drawOperator(id: string): Promise<HTMLElement> {
  try {
    const [row, specified] = await Promise.all([operatorRow(id), specification(id)]);
    return operatorPanel(row, specified, key);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return element('p', { class: 'error', role: 'alert' }, error.message);
  }
}

function introduce({ total, version, categories }: RegistryFacts): void {
  searching.offer(categories);
  const many = total.toLocaleString('en');
  byId('extent').textContent = `${many} formulas in ${categories.length} categories, registry ${version}`;
  const links = categories.map(({ category, title, operators }) =>
    element(
      'li',
      {},
      element('a', { href: placeHash({ id: '', query: '', category }) }, title),
      ` ${operators}`,
    ),
  );
  byId('categories').replaceChildren(...links);
}

async function begin(): Promise<void> {
  try {
    introduce(await registryFacts());
  } catch (error) {
    byId('extent').textContent = (error as Error).message;
  }
  await follow(false);
  window.addEventListener('hashchange', () => void follow(true));
}

void begin();

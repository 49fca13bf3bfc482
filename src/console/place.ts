/** Where one is on the page: an operator, and what was searched. It is the part of the address after #. */
export interface Place {
  readonly id: string;
  readonly query: string;
  readonly category: string;
}

/** `#KO42`, `#q=pendulum`, `#SP7&q=noise&category=signal_processing`. */
export function readPlace(hash: string): Place {
  const [first = '', ...rest] = hash.replace(/^#/, '').split('&');
  const isId = /^[A-Z][A-Z0-9_]*$/.test(first);
  const named = new URLSearchParams((isId ? rest : [first, ...rest]).join('&'));
  return {
    id: isId ? first : '',
    query: (named.get('q') ?? '').slice(0, 200),
    category: named.get('category') ?? '',
  };
}

export function placeHash({ id, query, category }: Place): string {
  const named = new URLSearchParams();
  if (query !== '') named.set('q', query);
  if (category !== '') named.set('category', category);
  return `#${[id, named.toString()].filter((part) => part !== '').join('&')}`;
}

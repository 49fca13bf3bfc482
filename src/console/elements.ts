type Attributes = Readonly<Record<string, string | boolean | undefined>>;
export type Child = Node | string | undefined;

/**
 * An element with attributes and children. Text becomes a text node and an attribute is set as a string: there is no
 * way from here by which data becomes markup.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (typeof value === 'string') made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** An element of the page as it was served; that it is there is ours to keep. */
export function byId<Kind extends HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

/** A term and what it is, for a list of both; undefined where there is nothing to say. */
export function described(term: string, ...what: readonly Child[]): HTMLElement | undefined {
  if (what.every((child) => child === undefined || child === '')) return undefined;
  return element('div', {}, element('dt', {}, term), element('dd', {}, ...what));
}

import type { Choices, Node } from './schema.ts';
import { Wrong } from './wrong.ts';

/** Such as `mode grow and model gompertz or logistic`. */
const inWords = (choices: Choices): string =>
  Object.entries(choices)
    .map(([name, words]) => `${name} ${words.join(', ').replace(/, ([^,]*)$/, ' or $1')}`)
    .join(' and ');

const alternatives = ({ usedWith }: Node): string => (usedWith ?? []).map(inWords).join(', or ');

/** What is said of a field, and what it goes with. */
export function descriptionOf(node: Node): string | undefined {
  if (node.usedWith === undefined) return node.description;
  return `${node.description ?? ''} With ${alternatives(node)}.`.trim();
}

/**
 * A field that what was chosen beside it does not use is refused: who sends it thinks of another problem. A choice that
 * is absent is its default, and without one it may yet be any (another field or an earlier job can say it).
 */
export function refuseUnused(
  properties: Readonly<Record<string, Node>>,
  read: Readonly<Record<string, unknown>>,
): void {
  for (const [name, node] of Object.entries(properties)) {
    if (node.usedWith === undefined || read[name] === undefined) continue;
    const strangers = node.usedWith.map((choices) =>
      Object.entries(choices).find(([choice, words]) => {
        const chosen = read[choice] ?? properties[choice]?.default;
        return chosen !== undefined && !words.includes(chosen);
      }),
    );
    const [first] = strangers;
    if (first === undefined || strangers.includes(undefined)) continue;
    const [choice] = first;
    const chosen = read[choice] ?? properties[choice]?.default;
    throw new Wrong(`is not used with ${choice} ${chosen}`, `${name} with ${alternatives(node)}`).within(
      name,
    );
  }
}

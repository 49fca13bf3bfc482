// The part of README.md that is made from the declarations; all else there is written by hand.
import { readFileSync } from 'node:fs';

const [opened, closed] = ['<!-- Made from src/solvers by `npm run docs`. -->\n', '\n<!-- so far -->'];

export async function readme() {
  const { solvers } = await import(new URL('../../dist/src/solvers/registry.js', import.meta.url).href);
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [before, rest] = halves(text, opened);
  const [, after] = halves(rest, closed);
  const list = solvers.map(({ id, title }) => `[\`${id}\`](docs/solvers/${id}.md) ${title}`);
  return `${before}${opened}\n${list.join(' · ')}\n${closed}${after}`;
}

function halves(text, mark) {
  const found = text.split(mark);
  if (found.length !== 2)
    throw new Error(`README.md has ‘${mark.trim()}’ ${found.length - 1} times, not once`);
  return found;
}

import t from 'tap';
import { repositoryFiles } from './source-files.ts';

const files = new Map(repositoryFiles().map(({ path, text }) => [path, text]));

/** A block of code that says where it is from: `<!-- from PATH -->`, an empty line, the block. */
const excerpt = /^<!-- from (\S+) -->\n\n```\w*\n(.*?)^```$/gms;

/** Excerpts of a page that do not stand, line for line, in the file that they name. */
function strayExcerpts(page: string, text: string, texts: ReadonlyMap<string, string>): string[] {
  return [...text.matchAll(excerpt)]
    .filter(([, path, block]) => !texts.get(path!)?.includes(block!))
    .map(([, path, block]) => `${page}: ${path} does not hold\n${block}`);
}

t.test('what a page quotes from a file stands in that file', async (t) => {
  const pages = [...files].filter(([path]) => path.endsWith('.md'));
  t.strictSame(
    pages.flatMap(([path, text]) => strayExcerpts(path, text, files)),
    [],
  );
  t.ok([...(files.get('docs/adding-a-solver.md') ?? '').matchAll(excerpt)].length > 5);
});

t.test('a quotation that has drifted from its file is refused', async (t) => {
  const texts = new Map([['a.ts', 'one\ntwo\nthree\n']]);
  const quoting = (path: string, code: string) => `<!-- from ${path} -->\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
  t.strictSame(strayExcerpts('p.md', quoting('a.ts', 'two\nthree'), texts), []);
  t.match(strayExcerpts('p.md', quoting('a.ts', 'two\nfour'), texts), [/a\.ts does not hold\ntwo\nfour/]);
  t.match(strayExcerpts('p.md', quoting('b.ts', 'two'), texts), [/b\.ts does not hold/]);
});

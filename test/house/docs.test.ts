import { execFile } from 'node:child_process';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { repositoryRoot } from '../root.ts';
import { repositoryFiles } from './source-files.ts';

const files = new Map(repositoryFiles().map(({ path, text }) => [path, text]));
type Texts = ReadonlyMap<string, string>;

const line = /^- \**([A-Z]+-\d+[a-z]?)\**\s+(.+?)\s*\((test\/\S+\.(?:ts|py): ".+")\)\.?$/;
const claim = /(test\/\S+\.(?:ts|py)): ("(?:[^"]|"(?! ?[;,)]|$))+")/g;

/** What is wrong with one line of docs/requirements.md. */
function faultsOf(text: string, texts: Texts): string[] {
  const [, id, sentence, claims] = line.exec(text) ?? [];
  if (id === undefined) return [`not "- ID sentence (test/…/x.test.ts: "title")": ${text}`];
  const named = [...claims!.matchAll(claim)].map(([, file, title]) => ({
    file: file!,
    title: title!.slice(1, -1),
  }));
  const gone = named.filter(({ file }) => !texts.has(file)).map(({ file }) => `${id}: ${file} is gone`);
  const untold = named
    .filter(({ file, title }) => texts.has(file) && !texts.get(file)!.replaceAll("\\'", "'").includes(title))
    .map(({ file, title }) => `${id}: ${file} has no test "${title}"`);
  const short = sentence!.length < 20 ? [`${id}: what is built is not said in a sentence`] : [];
  return [...(named.length ? [] : [`${id}: names no test`]), ...short, ...gone, ...untold];
}

/** Checks docs/requirements.md: its lines that start with a dash are requirements, each once. */
function requirementFaults(page: string, texts: Texts): string[] {
  const lines = page.split('\n').filter((text) => text.startsWith('- '));
  const ids = lines.map((text) => line.exec(text)?.[1]).filter((id) => id !== undefined);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} stands twice`);
  return [...lines.flatMap((text) => faultsOf(text, texts)), ...repeated];
}

t.test('each built requirement names a test that exists', async (t) => {
  t.strictSame(requirementFaults(files.get('docs/requirements.md') ?? '', files), []);
});

t.test('a requirement whose test is gone, renamed or unnamed is refused', async (t) => {
  const texts = new Map([['test/a/b.test.ts', "t.test('seals once', …); t.test('it\\'s \"so\"', …)"]]);
  const sentence = 'A result is sealed once and only once';
  const faults = (end: string) => requirementFaults(`- ENV-02 ${sentence} ${end}`, texts);
  t.strictSame(faults('(test/a/b.test.ts: "seals once")'), []);
  t.strictSame(faults('(test/a/b.test.ts: "seals once"; test/a/b.test.ts: "it\'s "so"")'), []);
  t.match(faults('(test/a/c.test.ts: "seals once")'), [/c\.test\.ts is gone/]);
  t.match(faults('(test/a/b.test.ts: "seals twice")'), [/no test "seals twice"/]);
  t.match(faults('(test/a/b.test.ts: "seals once"; test/a/b.test.ts: "lost")'), [/no test "lost"/]);
  t.match(faults('(see the tests)'), [/^not "- ID/]);
  const twice = `- ENV-02 ${sentence} (test/a/b.test.ts: "seals once")\n`.repeat(2);
  t.match(requirementFaults(twice, texts), [/stands twice/]);
});

/** As GitHub makes them: lower case, spaces to dashes, no punctuation. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

/** Links within the repository that lead nowhere. */
function brokenLinks(path: string, text: string, texts: Texts): string[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/i.test(link))
    .filter((link) => {
      const [file, anchor] = link.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), file!);
      const found = texts.has(target) || [...texts.keys()].some((known) => known.startsWith(`${target}/`));
      return !found || (anchor !== undefined && !anchorsOf(texts.get(target) ?? '').includes(anchor));
    })
    .map((link) => `${path} links to ${link}, which is not there`);
}

t.test('links between the pages lead somewhere', async (t) => {
  const pages = [...files].filter(([path]) => path.endsWith('.md'));
  t.strictSame(
    pages.flatMap(([path, text]) => brokenLinks(path, text, files)),
    [],
  );
});

t.test('a link to nowhere is refused', async (t) => {
  const texts = new Map([
    ['docs/a.md', '# One heading, two\n'],
    ['src/b.ts', ''],
  ]);
  const page = '[1](a.md) [2](../src/b.ts) [3](a.md#one-heading-two) [4](../src) [5](https://example.org)';
  t.strictSame(brokenLinks('docs/x.md', page, texts), []);
  t.match(brokenLinks('docs/x.md', '[1](c.md) [2](a.md#three)', texts), [/c\.md/, /a\.md#three/]);
});

const listed = (page: string): string[] =>
  [...page.matchAll(/^- `([^`]+)` /gm)].map(([, name]) => name!).sort();

t.test('each dependency has its line, and each line its dependency', async (t) => {
  const { dependencies, devDependencies, overrides } = JSON.parse(files.get('package.json')!);
  const wanted = Object.keys({ ...dependencies, ...devDependencies, ...overrides }).sort();
  t.strictSame(listed(files.get('docs/dependencies.md') ?? ''), wanted);
});

t.test('generated pages are what their generators make', async (t) => {
  const generator = join(repositoryRoot, 'scripts', 'generated-docs.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [generator]).catch((error) => error);
  t.equal(stdout.trim(), '', 'write them anew with `npm run docs`');
});

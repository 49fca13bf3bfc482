import t from 'tap';
import { repositoryFiles, type SourceFile } from './source-files.ts';

// Put together from pieces, so that this file does not hold what it looks for.
const folder = (...names: string[]) => new RegExp(`(?<![\\w./-])/${names.join('/')}/`);
const host = (...labels: string[]) => new RegExp(labels.join('\\.'), 'i');

const unwanted: readonly (readonly [why: string, pattern: RegExp])[] = [
  ['unfinished work', new RegExp(`\\b(TO${'DO'}|FIX${'ME'}|XX${'X'})\\b`)],
  ['a path of one machine', folder('work')],
  ['a path of one machine', folder('farm')],
  ['a path of one machine', folder('root')],
  ['a path of one machine', folder('home', '\\w+')],
  ['a folder beside the repository', new RegExp(`\\.\\./${'sha'}red/`)],
  ['a registry host', host('registry', 'npmjs')],
  ['a registry host', host('registry', 'yarnpkg')],
  ['a registry host', host('pypi', 'org')],
  ['a registry host', host('python' + 'hosted', 'org')],
  ['a registry host', host('deb', 'debian', 'org')],
];

const findings = ({ path, text }: SourceFile): string[] =>
  unwanted.flatMap(([why, pattern]) => {
    const match = pattern.exec(text);
    const line = match ? text.slice(0, match.index).split('\n').length : 0;
    return match ? [`${path}:${line} has ${why}: ${match[0]}`] : [];
  });

t.test('no file holds unfinished work, a path of one machine or a registry host', async (t) => {
  t.strictSame(repositoryFiles().flatMap(findings), []);
});

t.test('each unwanted word is found, with its line', async (t) => {
  const bad = [
    '// TO' + 'DO later',
    'cd /wo' + 'rk/main',
    'see ../sha' + 'red/x',
    'https://registry.' + 'npmjs.org/',
  ];
  for (const text of bad) t.match(findings({ path: 'a.ts', text: `\n${text}` }), [/^a\.ts:2 has /], text);
});

t.test('words that only look alike stay', async (t) => {
  const fine = ['src/work/a.ts', './root/b', 'a method', 'https://example.org/work/1'];
  for (const text of fine) t.strictSame(findings({ path: 'a.ts', text }), [], text);
});

// `npm run operators [-- CATEGORY…]`: a line for each category of the registry, and every law that a row breaks.
// `--write` puts the data files into their layout first.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dataFolder, loadRegistry } from '../../src/operators/registry.ts';
import { broken, type Row, repeated } from './laws.ts';
import { layout } from './layout.ts';
import { equalInValue } from './same-values.ts';

interface Line {
  readonly category: string;
  readonly rows: number;
  readonly examples: number;
  readonly sources: number;
  readonly failing: number;
}

async function lineOf(category: string, rows: readonly Row[], problems: string[]): Promise<Line> {
  let failing = 0;
  for (const row of rows) {
    const found = await broken(row);
    if (found.length > 0) failing++;
    problems.push(...found.map((problem) => `${row.id}: ${problem}`));
  }
  return {
    category,
    rows: rows.length,
    examples: rows.filter(({ examples }) => examples.length > 0).length,
    sources: new Set(rows.map(({ source }) => source)).size,
    failing,
  };
}

function table(lines: readonly Line[]): string {
  const head = ['category', 'rows', 'with examples', 'sources', 'failing'];
  const cells = lines.map(({ category, rows, examples, sources, failing }) =>
    [category, rows, examples, sources, failing].map(String),
  );
  const widths = head.map((title, k) => Math.max(title.length, ...cells.map((row) => row[k]!.length)));
  const shown = (row: readonly string[]) =>
    row.map((cell, k) => (k === 0 ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!))).join('  ');
  return [shown(head), widths.map((width) => '─'.repeat(width)).join('  '), ...cells.map(shown)].join('\n');
}

function writeLayout(): void {
  for (const name of readdirSync(dataFolder)) {
    const file = new URL(name, dataFolder);
    const text = readFileSync(file, 'utf8');
    const laidOut = layout(JSON.parse(text));
    if (laidOut !== text) writeFileSync(file, laidOut);
  }
}

/** Prints the table and what is broken; 0 where nothing is. */
async function report(words: readonly string[]): Promise<number> {
  if (words.includes('--write')) writeLayout();
  const wanted = words.filter((word) => !word.startsWith('--'));
  const { text, problems } = await survey([...loadRegistry().rows.values()] as Row[], wanted);
  console.log(text);
  for (const problem of problems) console.log(`\n  ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

/** The lines of these categories, or of all, and every law that one of their rows breaks. */
export async function survey(
  rows: readonly Row[],
  wanted: readonly string[] = [],
): Promise<{ text: string; problems: readonly string[] }> {
  const problems: string[] = [];
  const lines: Line[] = [];
  const categories = [...new Set(rows.map(({ category }) => category))];
  for (const category of categories.filter((name) => wanted.length === 0 || wanted.includes(name))) {
    const own = rows.filter((row) => row.category === category);
    lines.push(await lineOf(category, own, problems));
  }
  const ids = new Set(
    rows.filter(({ category }) => lines.some((line) => line.category === category)).map(({ id }) => id),
  );
  problems.push(
    ...[...repeated(rows), ...equalInValue(rows)].filter((problem) =>
      problem.split(' ').some((word) => ids.has(word)),
    ),
  );
  return { text: table([...lines, total(lines)]), problems };
}

function total(lines: readonly Line[]): Line {
  const sum = (key: 'rows' | 'examples' | 'sources' | 'failing') =>
    lines.reduce((found, line) => found + line[key], 0);
  return {
    category: `${lines.length} categories`,
    rows: sum('rows'),
    examples: sum('examples'),
    sources: sum('sources'),
    failing: sum('failing'),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await report(process.argv.slice(2));

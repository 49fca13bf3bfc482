// `npm run operators [-- CATEGORY…]`: a line for each category of the registry, and every law that a row breaks.
// `--write` puts the data files into their layout first.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dataFolder, loadRegistry } from '../../src/operators/registry.ts';
import { broken, type Row, repeated } from './laws.ts';
import { layout } from './layout.ts';

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

async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--write')) writeLayout();
  const wanted = words.filter((word) => !word.startsWith('--'));
  const rows = [...loadRegistry().rows.values()] as Row[];
  const categories = [...new Set(rows.map(({ category }) => category))];
  const problems: string[] = [];
  const lines: Line[] = [];
  for (const category of categories.filter((name) => wanted.length === 0 || wanted.includes(name)))
    lines.push(
      await lineOf(
        category,
        rows.filter((row) => row.category === category),
        problems,
      ),
    );
  const ids = new Set(
    rows.filter(({ category }) => lines.some((line) => line.category === category)).map(({ id }) => id),
  );
  problems.push(...repeated(rows).filter((problem) => problem.split(' ').some((word) => ids.has(word))));
  const sum = (key: 'rows' | 'examples' | 'sources' | 'failing') =>
    lines.reduce((total, line) => total + line[key], 0);
  const total: Line = {
    category: `${lines.length} categories`,
    rows: sum('rows'),
    examples: sum('examples'),
    sources: sum('sources'),
    failing: sum('failing'),
  };
  console.log(table([...lines, total]));
  for (const problem of problems) console.log(`\n  ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

await main(process.argv.slice(2));

import { fork, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Row } from './figure.ts';
import { compilerVersion } from './native.ts';
import { table } from './table.ts';

// `npm run bench [-- NAME…] [--quick]`: every figure in a process of its own, one after another, and one table.

const here = dirname(fileURLToPath(import.meta.url));
const results = resolve(here, '..', 'bench-results.json');
const tools = resolve(here, '..', '..', 'scripts', 'test-tools.mjs');

export interface FigureResult {
  readonly file: string;
  readonly title?: string;
  readonly rows: readonly Row[];
  /** Why it ended without rows. */
  readonly error?: string;
  /** When it was measured, and whether at a small size. */
  readonly at?: string;
  readonly quick?: boolean;
}

/** What is kept of earlier runs beside what was measured now: figures that are still there and were not run again. */
export function merged(
  earlier: readonly FigureResult[],
  now: readonly FigureResult[],
  there: readonly string[],
): FigureResult[] {
  const kept = earlier.filter(({ file }) => there.includes(file) && !now.some((each) => each.file === file));
  return [...kept, ...now].sort((a, b) => (a.file < b.file ? -1 : 1));
}

function earlierResults(): readonly FigureResult[] {
  return existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')).measured : [];
}

/** Compiled bench files that export a `figure` and whose path contains one of `names` (all, when there is none). */
export function figureFiles(names: readonly string[] = []): string[] {
  return readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && dirname(file) !== '.')
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
    .map((file) => join(here, file))
    .filter((file) => /^export const figure\b/m.test(readFileSync(file, 'utf8')))
    .sort();
}

/** Runs one figure to its end in a process of its own. */
export function runFigure(file: string, quick: boolean): Promise<FigureResult> {
  const child = fork(join(here, 'one-figure.js'), [file], {
    env: { ...process.env, BENCH_QUICK: quick ? '1' : '0' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const name = relative(here, file);
  return new Promise((done) => {
    let result: FigureResult = { file: name, rows: [], error: 'ended without a result' };
    child.on('message', (message: Pick<FigureResult, 'title' | 'rows'>) => {
      result = { file: name, ...message };
    });
    child.on('error', ({ message }) => done({ file: name, rows: [], error: message }));
    child.on('close', (code) => done(code === 0 ? result : { ...result, error: `ended with ${code}` }));
  });
}

/** What the figures were measured on. */
export function machine(): Record<string, unknown> {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim(),
    threads: processors.length,
    memoryBytes: totalmem(),
    system: `${type()} ${release()} ${arch()}`,
    node: process.versions.node,
    v8: process.versions.v8,
    compiler: compilerVersion ?? 'none',
  };
}

async function main(args: readonly string[]): Promise<void> {
  const quick = args.includes('--quick');
  const files = figureFiles(args.filter((argument) => !argument.startsWith('-')));
  if (files.length === 0) throw new Error('no figure has a name like that');
  spawnSync(process.execPath, [tools, 'bench'], { stdio: 'inherit' });
  const measured: FigureResult[] = [];
  for (const file of files) {
    console.error(`${measured.length + 1}/${files.length} ${relative(here, file)}`);
    measured.push({ ...(await runFigure(file, quick)), at: new Date().toISOString(), quick });
  }
  const on = machine();
  console.log(`\n${on.processor}, ${on.threads} threads, ${on.system}, node ${on.node}, ${on.compiler}`);
  if (quick) console.log('small sizes: these numbers show that the benches run, not how fast');
  console.log(`\n${table(measured.flatMap(({ rows }) => rows))}`);
  console.log('\nN/W: the rate of the peer over ours; 1 is parity, below 1 is faster than the peer.');
  if (!existsSync(dirname(results))) mkdirSync(dirname(results));
  const there = figureFiles().map((file) => relative(here, file));
  const all = merged(earlierResults(), measured, there);
  writeFileSync(`${results}.${process.pid}`, `${JSON.stringify({ machine: on, measured: all }, null, 2)}\n`);
  renameSync(`${results}.${process.pid}`, results);
  const broken = measured.filter(({ error }) => error !== undefined);
  for (const { file, error } of broken) console.error(`${file}: ${error}`);
  process.exitCode = broken.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}

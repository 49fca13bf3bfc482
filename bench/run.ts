import { fork, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Figure, Row } from './figure.ts';
import { compilerVersion } from './native.ts';
import { table } from './table.ts';

// `npm run bench [-- NAME…] [--quick] [--out FILE]`: every figure in a process of its own, one after another, and one
// table, on standard output and in FILE. A figure that fails or hangs is named at the end and stops no other.

const here = dirname(fileURLToPath(import.meta.url));
const results = resolve(here, '..', 'bench-results.json');
const manifest = resolve(here, '..', 'kernels', 'manifest.json');
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
  /** SHA-256 of the manifest of the kernels that it was measured of. */
  readonly kernels?: string;
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

/** Longer than any figure takes on an idle machine that names no other limit. */
const LIMIT_MS = 600_000;

interface HowToRun {
  /** One of all the figures: those that can go on for hours take a share of their size. */
  readonly whole?: boolean;
  readonly limitMs?: number;
}

/** Runs one figure to its end, or the end of its time, in a process of its own. */
export function runFigure(
  file: string,
  quick: boolean,
  { whole = false, limitMs }: HowToRun = {},
): Promise<FigureResult> {
  const child = fork(join(here, 'one-figure.js'), [file], {
    env: { ...process.env, BENCH_QUICK: quick ? '1' : '0', BENCH_WHOLE: whole ? '1' : '0' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const name = relative(here, file);
  let mostMs = limitMs ?? LIMIT_MS;
  const within = () => setTimeout(() => child.kill('SIGKILL'), mostMs);
  let limit = within();
  return new Promise((done) => {
    let result: FigureResult = { file: name, rows: [], error: 'ended without a result' };
    child.on('message', (message: Pick<FigureResult, 'title' | 'rows'> | Pick<Figure, 'limitMs'>) => {
      if ('rows' in message) result = { file: name, ...message };
      else if (message.limitMs !== undefined && limitMs === undefined && !quick) {
        clearTimeout(limit);
        mostMs = message.limitMs;
        limit = within();
      }
    });
    child.on('error', ({ message }) => done({ file: name, rows: [], error: message }));
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      const how =
        signal === 'SIGKILL' ? `did not end within ${mostMs / 1000} s` : `ended with ${signal ?? code}`;
      done(code === 0 ? result : { ...result, error: how });
    });
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

/** What a page can quote: the machine, the table, and what could not be measured. No time of day. */
export function report(measured: readonly FigureResult[], quick: boolean): string {
  const on = machine();
  const broken = measured.filter(({ error }) => error !== undefined);
  return [
    `${on.processor}, ${on.threads} threads, ${on.system}, node ${on.node}, ${on.compiler}`,
    ...(quick ? ['small sizes: these numbers show that the benches run, not how fast'] : []),
    `\n${table(measured.flatMap(({ rows }) => rows))}`,
    '\nN/W: the rate of the peer over ours; 1 is parity, below 1 is faster than the peer.',
    ...broken.map(({ file, error }) => `not measured: ${file}: ${error}`),
  ].join('\n');
}

/** Keeps what was measured until now beside what earlier runs measured. */
function keep(measured: readonly FigureResult[]): void {
  mkdirSync(dirname(results), { recursive: true });
  const there = figureFiles().map((file) => relative(here, file));
  const all = merged(earlierResults(), measured, there);
  writeFileSync(
    `${results}.${process.pid}`,
    `${JSON.stringify({ machine: machine(), measured: all }, null, 2)}\n`,
  );
  renameSync(`${results}.${process.pid}`, results);
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, out: { type: 'string' } },
    allowPositionals: true,
  });
  const { quick, out } = values;
  const files = figureFiles(positionals);
  if (files.length === 0) throw new Error('no figure has a name like that');
  if (out !== undefined) writeFileSync(out, ''); // a place that cannot be written is said before, not after
  spawnSync(process.execPath, [tools, 'bench'], { stdio: 'inherit' });
  const kernels = createHash('sha256').update(readFileSync(manifest)).digest('hex');
  const began = performance.now();
  const measured: FigureResult[] = [];
  for (const file of files) {
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    console.error(`${measured.length + 1}/${files.length} ${relative(here, file)} (${minutes} min)`);
    const result = await runFigure(file, quick, { whole: positionals.length === 0 });
    measured.push({ ...result, at: new Date().toISOString(), quick, kernels });
    keep(measured);
  }
  const text = report(measured, quick);
  console.log(`\n${text}`);
  if (out !== undefined) writeFileSync(out, `${text}\n`);
  process.exitCode = measured.some(({ error }) => error !== undefined) ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}

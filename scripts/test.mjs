// `npm test [-- FILE…]`: builds, brings what the tests need, runs the compiled tests under tap and ends with the
// counts alone on a line. A FILE is a test's path or a part of it: `npm test -- proof/merkle`.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { solversTable } from './solvers.mjs';
import { emptyTally, failureText, runnerFailure, sourceOf, tally, tapSink } from './tap-counts.mjs';
import { ensureTestTools } from './test-tools.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);

function testFiles(wanted) {
  const folder = join(root, 'dist', 'test');
  if (!existsSync(folder)) return [];
  const parts = wanted.map((word) => word.replace(/^(dist\/)?test\//, '').replace(/\.test\.(ts|js)$/, ''));
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.test.js'))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .map((file) => join('dist', 'test', file))
    .sort();
}

function reportFile(node) {
  const { passed, failed, skipped } = tally(node);
  const seconds = ((node.result.time ?? 0) / 1000).toFixed(1);
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
  const verdict = failed ? 'FAIL' : 'ok  ';
  console.log(`${verdict} ${sourceOf(node.name)}  ${counts.filter(Boolean).join(', ')}  ${seconds} s`);
}

function reportSkips(skips, missing) {
  const byReason = new Map();
  for (const { path, reason } of skips)
    byReason.set(reason, [...(byReason.get(reason) ?? []), path.map(sourceOf).join(' › ')]);
  for (const [reason, names] of byReason)
    console.log(`\n  SKIPPED ${reason}\n      ${names.join('\n      ')}`);
  for (const sentence of missing) console.log(`\n  MISSING ${sentence}`);
}

/** Runs the files under tap; resolves to what ran and to how tap ended. */
function runTap(files) {
  const package_ = createRequire(import.meta.url).resolve('tap/package.json');
  const command = join(dirname(package_), 'dist', 'esm', 'run.mjs');
  const { parser, files: ran, runner } = tapSink(reportFile);
  return new Promise((done, fail) => {
    const tap = spawn(process.execPath, [command, '--reporter=tap', ...files], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errors = [];
    tap.stdout.pipe(parser);
    tap.stderr.on('data', (text) => errors.push(...String(text).split('\n')));
    tap.stderr.pipe(process.stderr);
    tap.on('error', fail);
    parser.on('complete', () => {
      if (tap.exitCode !== null || tap.signalCode !== null)
        done({ ran, runner, errors, code: tap.exitCode ?? 1 });
      else tap.on('close', (code) => done({ ran, runner, errors, code: code ?? 1 }));
    });
  });
}

async function main(wanted) {
  await build();
  const missing = ensureTestTools();
  const files = testFiles(wanted);
  if (wanted.length === 0) rmSync(join(root, 'dist', 'evidence'), { recursive: true, force: true });
  const { ran, runner, errors, code } = files.length > 0 ? await runTap(files) : { ran: [], code: 1 };
  const counts = emptyTally();
  for (const file of ran) tally(file, [file.name], counts);
  for (const file of files.filter((name) => !ran.some((node) => node.name === name))) {
    counts.failed += 1;
    counts.failures.push({
      path: [file],
      assertions: [],
      result: { name: 'never reported: tap ended before it' },
    });
  }
  for (const failure of counts.failures) console.log(failureText(failure));
  reportSkips(counts.skips, missing);
  if (wanted.length === 0) console.log(`\n${await solversTable()}`);
  if (counts.passed + counts.failed === 0) console.log('\n  no test ran');
  if (code !== 0 && counts.failed === 0 && counts.passed > 0) {
    console.log(runnerFailure(runner, code, errors));
    counts.failed += 1;
  }
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? code || 1 : 0;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  console.log('\n0 passed, 1 failed, 0 skipped');
  process.exitCode = 1;
});

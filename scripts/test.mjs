// `npm test [-- FILE…]`: builds, brings what the tests need, runs the compiled tests, two files at a time, and ends
// with the counts alone on a line. A FILE is a test's path or a part of it: `npm test -- proof/merkle`.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { runFiles } from './run-file.mjs';
import { solversTable } from './solvers.mjs';
import { compiledOf, emptyTally, failuresInBrief, failureText, sourceOf, tally } from './tap-counts.mjs';
import { grouped } from './test-order.mjs';
import { ensureTestTools } from './test-tools.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);

/** Of which one mostly waits for what it started; more would make claims of time depend on their neighbours. */
const AT_ONCE = 2;

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
  const { passed, failed, skipped, failures } = tally(node);
  const seconds = ((node.result.time ?? 0) / 1000).toFixed(1);
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
  const verdict = failed ? 'FAIL' : 'ok  ';
  const line = [`${verdict} ${sourceOf(node.name)}`, counts.filter(Boolean).join(', '), `${seconds} s`];
  console.log([...line, failed && failuresInBrief(failures)].filter(Boolean).join('  '));
}

function reportSkips(skips, missing) {
  const byReason = new Map();
  for (const { path, reason } of skips)
    byReason.set(reason, [...(byReason.get(reason) ?? []), path.map(sourceOf).join(' › ')]);
  for (const [reason, names] of byReason)
    console.log(`\n  SKIPPED ${reason}\n      ${names.join('\n      ')}`);
  for (const sentence of missing) console.log(`\n  MISSING ${sentence}`);
}

async function main(wanted) {
  const [missing] = await Promise.all([ensureTestTools(), build()]);
  const groups = grouped(testFiles(wanted).map(sourceOf)).map((files) => files.map(compiledOf));
  if (wanted.length === 0) rmSync(join(root, 'dist', 'evidence'), { recursive: true, force: true });
  const ran = await runFiles(groups, AT_ONCE, reportFile);
  const counts = emptyTally();
  for (const file of ran.sort((a, b) => (a.name < b.name ? -1 : 1))) tally(file, [file.name], counts);
  for (const failure of counts.failures) console.log(failureText(failure));
  reportSkips(counts.skips, missing);
  if (wanted.length === 0) console.log(`\n${await solversTable()}`);
  if (counts.passed + counts.failed === 0) console.log('\n  no test ran');
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  console.log('\n0 passed, 1 failed, 0 skipped');
  process.exitCode = 1;
});

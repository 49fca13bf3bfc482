// Runs one compiled test file in a process of its own and reads the TAP it says. tap's own runner preloads a
// TypeScript compiler, mocks and process tracing into every file and every program a file starts: half of the
// processor time of `npm test`.
import { spawn } from 'node:child_process';
import { emptyFile, finished } from './tap-counts.mjs';

/** Longer than any file may take; tap itself ends a test before that and says which one. */
const LIMIT_S = 600;
const GRACE_MS = 10_000;
const TAIL = 20;

/** Ends what a file left behind: the programs that it starts are of its group. */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing is left
  }
}

/** Resolves when the process has ended and its output with it; what it left behind may hold the output open. */
function ended(child) {
  let impatient;
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', () => {
      impatient = setTimeout(killGroup, GRACE_MS, child.pid);
    });
    child.on('close', (code, signal) => {
      clearTimeout(impatient);
      killGroup(child.pid);
      done({ code, signal });
    });
  });
}

/** @returns the file with its tests, for `tally`; what it says on standard error goes to `log` too */
export async function runFile(file, log = process.stderr) {
  const began = performance.now();
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TAP_TIMEOUT: String(LIMIT_S) },
    detached: true,
  });
  const interrupt = () => killGroup(child.pid);
  process.once('exit', interrupt);
  const limits = [
    setTimeout(() => child.kill('SIGTERM'), LIMIT_S * 1000 + GRACE_MS),
    setTimeout(interrupt, LIMIT_S * 1000 + 3 * GRACE_MS),
  ];
  const { parser, node } = emptyFile(file);
  const complete = new Promise((done) => parser.on('complete', done));
  const errors = [];
  child.stdout.pipe(parser);
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log?.write(text);
    errors.push(...text.split('\n').filter((line) => line !== ''));
    errors.splice(0, errors.length - TAIL);
  });
  const [end, results] = await Promise.all([ended(child), complete]);
  for (const limit of limits) clearTimeout(limit);
  process.off('exit', interrupt);
  return finished(node, { ...end, results, errors, ms: performance.now() - began });
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => process.exit(code)); // so that what runs is ended with us

/** Runs files a few at a time, in their order; `report` gets each as it ends. */
export async function runFiles(files, atOnce, report) {
  const waiting = files.values();
  const ran = [];
  const lane = async () => {
    for (const file of waiting) {
      const node = await runFile(file);
      ran.push(node);
      report?.(node);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return ran;
}

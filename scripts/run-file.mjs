// Runs one compiled test file in a process of its own and reads the TAP it says. tap's own runner preloads a
// TypeScript compiler, mocks and process tracing into every file and every program a file starts: half of the
// processor time of `npm test`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { emptyFile, emptyGroup, finished } from './tap-counts.mjs';

/** Longer than any file may take; tap itself ends a test before that and says which one. */
const LIMIT_S = 600;
const GRACE_MS = 10_000;
const TAIL = 20;
const groupScript = fileURLToPath(new URL('./run-group.mjs', import.meta.url));

/** Processes that are running: none outlives this one. */
const running = new Set();
process.once('exit', () => running.forEach(killGroup));

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

/** Runs a program that says TAP to its end; what it says on standard error goes to `log` too. */
async function run(args, parser, log) {
  const child = spawn(process.execPath, ['--enable-source-maps', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TAP_TIMEOUT: String(LIMIT_S) },
    detached: true,
  });
  running.add(child.pid);
  const limits = [
    setTimeout(() => child.kill('SIGTERM'), LIMIT_S * 1000 + GRACE_MS),
    setTimeout(killGroup, LIMIT_S * 1000 + 3 * GRACE_MS, child.pid),
  ];
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
  running.delete(child.pid);
  return { ...end, results, errors };
}

/** @returns the file with its tests, for `tally`; what it says on standard error goes to `log` too */
export async function runFile(file, log = process.stderr) {
  const began = performance.now();
  const { parser, node } = emptyFile(file);
  const end = await run([file], parser, log);
  return finished(node, { ...end, ms: performance.now() - began });
}

/**
 * Runs files one after another in one process, which loads and warms only once what they share. A file in which the
 * process ends is failed, and those behind it go on in another one.
 */
export async function runGroup(files, report, log = process.stderr) {
  if (files.length === 1) return report(await runFile(files[0], log));
  let began = performance.now();
  const ran = [];
  const { parser, node } = emptyGroup(files, (file) => {
    file.result.time = performance.now() - began;
    began = performance.now();
    ran.push(file);
  });
  const end = await run([groupScript, ...files], parser, log);
  const broke = end.code !== 0 && ran.every(({ result }) => result.ok);
  if (broke && ran.length === files.length) node.children = ran.pop().children;
  for (const file of ran) report(file);
  if (ran.length === files.length) return;
  node.name = files[ran.length];
  report(finished(node, { ...end, ms: performance.now() - began }));
  const rest = files.slice(ran.length + 1);
  if (rest.length > 0) await runGroup(rest, report, log);
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => process.exit(code)); // so that what runs is ended with us

/** Runs groups of files a few at a time, in their order; `report` gets each file as it ends. */
export async function runFiles(groups, atOnce, report) {
  const waiting = groups.values();
  const ran = [];
  const keep = (node) => {
    ran.push(node);
    report?.(node);
  };
  const lane = async () => {
    for (const files of waiting) await runGroup(files, keep);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return ran;
}

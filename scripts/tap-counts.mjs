// Reads a TAP stream of test files and counts tests: a test is a `t.test` without tests inside it, or a whole file
// that has none. Assertions are not counted, so that a loop over ten thousand cases is still one claim.
import { Parser } from 'tap-parser';

/** Lines kept of what a file said outside its tests. */
const TAIL = 20;
/** The parser's reason for a file that says nothing at all. */
const NOTHING_SAID = 'no tests found';

/** One test file or test, as it ran. */
class Node {
  children = new Map();
  assertions = [];
  noise = [];
  constructor(name) {
    this.name = name;
  }

  get failed() {
    return this.result ? !this.result.ok && !this.result.todo : false;
  }

  /** What tap says about the end of this test; skipped also when all it did was to skip. */
  get skipReason() {
    const own = this.result?.skip || this.result?.todo;
    if (own) return own === true ? 'no reason given' : own;
    if (this.children.size > 0 || this.assertions.length === 0 || this.failed) return undefined;
    const reasons = this.assertions.map((assertion) => assertion.skip || assertion.todo);
    if (!reasons.every(Boolean)) return undefined;
    return reasons[0] === true ? this.assertions[0].name : reasons[0];
  }
}

function watch(parser, node) {
  parser.on('extra', (text) => node.noise.push(text));
  parser.on('child', (childParser) => {
    const child = new Node(childParser.name);
    node.children.set(childParser, child);
    watch(childParser, child);
    node.latest = child;
  });
  parser.on('assert', (result) => {
    const child = node.latest;
    node.latest = undefined;
    if (child) child.result = result;
    if (child) node.onChild?.(child);
    else if (result.skip || result.todo) addSkipped(node, result);
    else node.assertions.push(result);
  });
}

/** `t.test(name, {skip})` leaves one line without a body; so does `t.skip`. */
function addSkipped(node, result) {
  const child = new Node(result.name);
  child.result = result;
  node.children.set(result, child);
  node.onChild?.(child);
}

export const emptyTally = () => ({ passed: 0, failed: 0, skipped: 0, failures: [], skips: [] });

/** Counts a finished file or test and everything in it. */
export function tally(node, path = [node.name], counts = emptyTally()) {
  const failuresBefore = counts.failed;
  for (const child of node.children.values()) tally(child, [...path, child.name], counts);
  const ownFailures = node.assertions.filter((assertion) => !assertion.ok);
  const brokenItself = node.failed && counts.failed === failuresBefore;
  if (brokenItself || ownFailures.length > 0) {
    counts.failed += 1;
    counts.failures.push({ path, assertions: ownFailures, result: node.result });
  } else if (node.children.size === 0) countLeaf(node, path, counts);
  return counts;
}

function countLeaf(node, path, counts) {
  const reason = node.skipReason;
  if (reason === undefined) {
    counts.passed += 1;
    return;
  }
  counts.skipped += 1;
  counts.skips.push({ path, reason });
}

/** A parser to pipe a file's TAP into, and the file, whose tests fill as they end. */
export function emptyFile(name) {
  const node = new Node(name);
  const parser = new Parser();
  watch(parser, node);
  return { parser, node };
}

/** The test that ends a file, where several run in one process (run-group.mjs). */
export const END_OF_FILE = 'the end of a file';

/** A parser for the TAP of several files, and what stands behind the last that ended; `onFile` gets each as it ends. */
export function emptyGroup(names, onFile) {
  const { parser, node } = emptyFile(names[0]);
  const left = [...names];
  node.onChild = ({ name, result }) => {
    if (name !== END_OF_FILE) return;
    const file = new Node(left.shift());
    const last = [...node.children.keys()].at(-1);
    if (result.ok) node.children.delete(last);
    Object.assign(file, { children: node.children, assertions: node.assertions });
    Object.assign(node, { children: new Map(), assertions: [], noise: [] });
    file.result = { name: file.name, ok: isWhole(file) };
    onFile(file);
  };
  return { parser, node };
}

const isWhole = ({ children, assertions }) =>
  [...[...children.values()].map(({ result }) => result), ...assertions].every(
    ({ ok, todo }) => ok || todo,
  ) && children.size + assertions.length > 0;

/** The file at its end: it failed when a test did, or when it ended otherwise than by coming to its end. */
export function finished(node, { code, signal, results, errors, ms }) {
  const { ok, bailout, plan, failures } = results;
  const wrong = failures.map(({ tapError }) => tapError).filter(Boolean);
  const message = [...wrong, bailout && `bailout: ${bailout}`, ...node.noise.slice(-TAIL), ...errors];
  const diag = { exitCode: code, signal, message: message.filter(Boolean).join('\n') };
  const isEmpty = plan.skipAll && ['', NOTHING_SAID].includes(plan.skipReason);
  const isOk = ok && code === 0 && !isEmpty;
  const skip = isOk && plan.skipAll && plan.skipReason;
  node.result = { name: node.name, ok: isOk, skip, time: ms, diag };
  return node;
}

/** The source of a compiled test. */
export const sourceOf = (path) => path.replace(/^dist\//, '').replace(/\.js$/, '.ts');
export const compiledOf = (path) => `dist/${path.replace(/\.ts$/, '.js')}`;

function details(assertion) {
  const { diff, found, wanted, at, message, stack, exitCode, signal } = assertion.diag ?? {};
  const place = at ? `${at.fileName}:${at.lineNumber}` : undefined;
  const values = diff ?? (found !== undefined ? JSON.stringify({ found, wanted }) : undefined);
  const end = signal ? `ended by ${signal}` : exitCode ? `ended with exit code ${exitCode}` : undefined;
  const lines = [assertion.name, message, end, values, place, stack].filter(Boolean).join('\n');
  return lines.replace(/^/gm, '      ').slice(0, 4000);
}

/** Letters of a failure that stand in the one line about its file. */
const BRIEF = 240;
/** Failures of a file that its one line names. */
const NAMED = 3;

/** What failed in a file and why, on one line: of a long output often only the beginnings are kept. */
export function failuresInBrief(failures) {
  const named = failures.slice(0, NAMED).map(({ path, assertions, result }) => {
    const why = details(assertions[0] ?? result)
      .replace(/\s+/g, ' ')
      .trim();
    const claim = path.slice(1).join(' › ');
    return `${claim && `› ${claim}: `}${why.length > BRIEF ? `${why.slice(0, BRIEF)}…` : why}`;
  });
  const others = failures.length - named.length;
  return [...named, others > 0 && `and ${others} more`].filter(Boolean).join('  ');
}

/** A failure for people to read. */
export function failureText({ path, assertions, result }) {
  const shown = (assertions.length > 0 ? assertions : [result]).map(details);
  return `\n  FAIL ${path.map(sourceOf).join(' › ')}\n${shown.join('\n')}`;
}

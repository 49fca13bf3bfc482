import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { compileSource, textOf } from '../kernels/compile-assembly.ts';
import { repositoryRoot } from '../root.ts';

// Small kernels that behave badly, or well and slowly, compiled when a test needs them.

const frame = `
import { allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64,
  restoreState, rowsFull, running, show, spend, stepsDone, watchFinite } from "../kernel/frame";
export { configure, status, state, stateLength, drain, drainLength, observe, observeLength,
  result, resultLength, work } from "../kernel/frame";
let body: usize = 0;
function layout(): void { body = openState(8); watchFinite(body, 1); openRows(8 * 64); }
export function start(budget: i32): i32 { layout(); store<f64>(body, parameterF64(0)); return 1; }
export function restore(length: i32): usize { layout(); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }
`;

const advance = (step: string) => `${frame}
export function advance(steps: i32, budget: i32): i32 {
  let taken = 0;
  let spent = 0;
  while (taken < steps && spent < budget && running() && !rowsFull(8)) {
    ${step}
    taken++;
  }
  return taken;
}
`;

/** x → x·x − 0.7 with a row every 1000 steps, to the number of steps in the second parameter; 100 units a step. */
const counter = advance(`
    store<f64>(body, load<f64>(body) * load<f64>(body) - 0.7);
    countStep(); spend(100); spent += 100;
    if (stepsDone() % 1000 == 0) store<f64>(appendRow(8), load<f64>(body));
    show(0, <f64>stepsDone());
    if (stepsDone() == <u64>parameterF64(8)) { store<f64>(openResult(8), load<f64>(body)); finish(); }
`);

const sources = {
  counter,
  /** Never returns from a call. */
  hang: advance('while (true) { store<f64>(body, load<f64>(body) + 1.0); }'),
  /** Returns, but gets nowhere. */
  idle: `${frame}
export function advance(steps: i32, budget: i32): i32 { return 0; }`,
  trap: advance('unreachable();'),
  /** Takes a MiB a step. */
  hungry: advance('allocate(1 << 20); countStep(); spend(1000); spent += 1000000;'),
  /** Leaves the finite numbers at the first step. */
  infinite: advance('store<f64>(body, 1.0 / (load<f64>(body) - load<f64>(body))); countStep(); spend(1);'),
  refuses: advance('fail(17); show(0, 42.0);'),
  /** Several threads may do its blocks; shows how many blocks others than the leader did, of those that they did wrong. */
  shared: `import { each, seat } from "../kernel/team";
${advance(`
    done = stepsDone(); wrong = 7;
    each(block, 64);
    for (let i: usize = 0; i < 64; i++) {
      others += load<i32>(blocks + 16 * i, 4) > 0 ? 1 : 0;
      faults += load<u64>(blocks + 16 * i, 8) != done + i ? 1 : 0;
    }
    if (wrong != 7) faults++;
    for (let k = 0; k < 40; k++) {
      const count = k % 2 == 0 ? 3 : 64;
      each(k % 2 == 0 ? once : twice, count);
      for (let i: usize = 0; i < 64; i++) {
        faults += load<i32>(turns + 4 * i) != (i >= <usize>count ? 0 : k % 2 == 0 ? 1 : 2) ? 1 : 0;
        store<i32>(turns + 4 * i, 0);
      }
    }
    countStep(); spend(100_000); spent += 100_000;
    show(0, <f64>others); show(1, <f64>faults);
    if (stepsDone() == <u64>parameterF64(8)) { store<f64>(openResult(8), load<f64>(body)); finish(); }
`)}
const blocks = memory.data(1024, 16), turns = memory.data(256, 16);
function once(i: i32): void { store<i32>(turns + 4 * <usize>i, load<i32>(turns + 4 * <usize>i) + 1); }
function twice(i: i32): void { store<i32>(turns + 4 * <usize>i, load<i32>(turns + 4 * <usize>i) + 2); }
let done: u64 = 0, wrong: i32 = 0, others: i32 = 0, faults: i32 = 0, turned: f64 = 0;
let room: usize = 0;
function inner(_k: i32): void { store<u64>(room, load<u64>(room, 8) + 1, 8); }
function block(i: i32): void {
  for (let k = 0; k < 1000; k++) turned += sqrt(turned + 1.0);
  store<i32>(blocks + 16 * <usize>i, seat(), 4);
  store<u64>(blocks + 16 * <usize>i, done, 8);
  room = blocks + 16 * <usize>i;
  each(inner, i);
  if (seat() > 0) wrong = 8;
}
`,
  /**
   * Several threads may do its blocks, and from the step in the third parameter on some never end one: the fourth says 0 those
   * who assist trap, 1 all do, 2 those who assist stand still, but the first traps when one does, 3 those who assist stand
   * still. Shows its steps, whether it is the twin, and from which step on this instance has it.
   */
  lossy: `import { each, seat, TEAM } from "../kernel/team";
${advance(`
    at = <f64>stepsDone();
    if (first < 0) first = at;
    each(block, 64);
    let sum = 0.0;
    for (let i: usize = 0; i < 64; i++) sum += load<f64>(parts + 8 * i);
    store<f64>(body, sum / 128.0);
    countStep(); spend(100_000); spent += 100_000;
    if (stepsDone() % 100 == 0) store<f64>(appendRow(8), sum);
    show(0, <f64>stepsDone()); show(1, TEAM ? 1.0 : 0.0); show(2, first);
    if (stepsDone() == <u64>parameterF64(8)) { store<f64>(openResult(8), load<f64>(body)); finish(); }
`)}
const parts = memory.data(512, 16);
let at: f64 = 0, first: f64 = -1;
function block(i: i32): void {
  let turned = load<f64>(body) + <f64>i;
  for (let k = 0; k < 1000; k++) turned = sqrt(turned + 1.0);
  if (at >= parameterF64(16)) misbehave(<i32>parameterF64(24), i);
  store<f64>(parts + 8 * <usize>i, turned);
}
const words = memory.data(8);
function misbehave(how: i32, i: i32): void {
  if (how == 1 || (how == 0 && seat() > 0)) unreachable();
  if (TEAM && how == 2) {
    if (seat() == 1 && i < 32) { atomic.store<i32>(words, 1); awaitStanding(); unreachable(); }
    if (atomic.load<i32>(words) == 1) {
      if (seat() > 1) atomic.store<i32>(words, 1, 4);
      awaitStanding();
    }
  }
  while (how == 3 && seat() > 0) {}
}
function awaitStanding(): void {
  if (TEAM) while (atomic.load<i32>(words, 4) == 0 || seat() > 1) {}
}
`,
};
/** Those that have a twin for several threads. */
const twinned: readonly string[] = ['shared', 'lossy'];

export type FixtureKernel = keyof typeof sources;

/** A catalogue of the named fixtures, in a folder of its own. */
export async function fixtureCatalogue(...names: FixtureKernel[]): Promise<KernelCatalogue> {
  const folder = mkdtempSync(join(tmpdir(), 'kernels-'));
  const manifest: Record<string, unknown> = {};
  for (const name of names) {
    const kernel = keep(await compileSource(fixture, sources[name]), folder);
    const team = twinned.includes(name) && keep(await compileTwin(sources[name]), folder);
    manifest[name] = { ...kernel, ...(team && { team }) };
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return new KernelCatalogue([folder]);
}

const fixture = 'assembly/fixtures/kernel.ts';

function keep(bytes: Uint8Array, folder: string) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(join(folder, `${sha256}.wasm`), bytes);
  return { sha256, bytes: bytes.length };
}

async function compileTwin(source: string): Promise<Uint8Array> {
  const builder = await import(pathToFileURL(join(repositoryRoot, 'scripts', 'team-twin.mjs')).href);
  const file = resolve(repositoryRoot, fixture);
  return builder.compileTwin(fixture, (path: string) => (resolve(path) === file ? source : textOf(path)));
}

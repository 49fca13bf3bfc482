import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { compileSource } from '../kernels/compile-assembly.ts';

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
};

export type FixtureKernel = keyof typeof sources;

/** A catalogue of the named fixtures, in a folder of its own. */
export async function fixtureCatalogue(...names: FixtureKernel[]): Promise<KernelCatalogue> {
  const folder = mkdtempSync(join(tmpdir(), 'kernels-'));
  const manifest: Record<string, unknown> = {};
  for (const name of names) {
    const bytes = await compileSource('assembly/fixtures/kernel.ts', sources[name]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(folder, `${sha256}.wasm`), bytes);
    manifest[name] = { sha256, bytes: bytes.length };
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return new KernelCatalogue([folder]);
}

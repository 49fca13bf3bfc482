import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What the tests of a solver found: a line of `npm run solvers` is made of it, and of nothing typed by hand. */
export interface Evidence {
  readonly solver: string;
  /** What was built when it was found. */
  readonly build: string;
  /** Published values against ours: error relative to the value's own scale, and the tolerance that was held. */
  readonly references: { title: string; error: number; tolerance: number; source: string }[];
  /** Of each gate the worst error over all jobs that passed, beside its bound. */
  readonly gates: Record<string, { error: number; bound: number }>;
  readonly orders: { title: string; observed: number; theory: number }[];
  /** Why no order is measured, where theory gives none. */
  withoutOrder?: string;
  /** How the jobs of kernels made wrong in one place ended. */
  readonly twins: { ended: string; refused: boolean }[];
}

/** dist/evidence, which is made anew by every run of the tests that fill it. */
const folder = new URL('../../evidence/', import.meta.url);
/** By the file that it is written to. */
const gathered = new Map<string, Evidence>();

const inDist = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url));

/** Digest of what dist holds: what tsc read, and the kernels. Evidence of another build counts for nothing. */
export const presentBuild = createHash('sha256')
  .update(inDist('build.json'))
  .update(inDist('kernels/manifest.json'))
  .digest('hex');

/** Of the kernels alone, which benches name beside what they measured of them. */
export const presentKernels = createHash('sha256').update(inDist('kernels/manifest.json')).digest('hex');

/** The test file that runs: of several in one process the one that is named as if it ran alone (scripts/run-group.mjs). */
const testFile = () => process.argv[1]!.split(/[/\\]/).slice(-2).join('-').replace('.test.js', '');

/**
 * Evidence of one solver in the test file that runs; written when its process ends, under the file's name, so that a file
 * that runs again takes the place of what it found before.
 */
export function evidenceOf(solver: string): Evidence {
  if (gathered.size === 0) process.on('exit', write);
  const name = `${testFile()}.${solver}.json`;
  const evidence = gathered.get(name) ?? {
    solver,
    build: presentBuild,
    references: [],
    gates: {},
    orders: [],
    twins: [],
  };
  gathered.set(name, evidence);
  return evidence;
}

function write(): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, evidence] of gathered)
    writeFileSync(new URL(name, folder), `${JSON.stringify(evidence, null, 2)}\n`);
}

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
  /** How the jobs of kernels made wrong in one place ended. */
  readonly twins: { ended: string; refused: boolean }[];
}

/** dist/evidence, which is made anew by every run of the tests that fill it. */
const folder = new URL('../../evidence/', import.meta.url);
const gathered = new Map<string, Evidence>();

const inDist = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url));

/** Digest of what dist holds: what tsc read, and the kernels. Evidence of another build counts for nothing. */
export const presentBuild = createHash('sha256')
  .update(inDist('build.json'))
  .update(inDist('kernels/manifest.json'))
  .digest('hex');

/** Evidence of one solver in this test file; written when its process ends. */
export function evidenceOf(solver: string): Evidence {
  if (gathered.size === 0) process.on('exit', write);
  const evidence = gathered.get(solver) ?? {
    solver,
    build: presentBuild,
    references: [],
    gates: {},
    orders: [],
    twins: [],
  };
  gathered.set(solver, evidence);
  return evidence;
}

function write(): void {
  const file = process.argv[1]!.split(/[/\\]/).slice(-2).join('-').replace('.test.js', '');
  mkdirSync(folder, { recursive: true });
  for (const [solver, evidence] of gathered)
    writeFileSync(new URL(`${file}.${solver}.json`, folder), `${JSON.stringify(evidence, null, 2)}\n`);
}

import { mkdirSync, writeFileSync } from 'node:fs';

/** What the tests of a solver found: a line of `npm run solvers` is made of it, and of nothing typed by hand. */
export interface Evidence {
  readonly solver: string;
  /** Published values against ours: error relative to the value's own scale, and the tolerance that was held. */
  readonly references: { title: string; error: number; tolerance: number; source: string }[];
  /** Worst error of each gate over all runs that were sealed. */
  readonly gates: Record<string, number>;
  readonly orders: { title: string; observed: number; theory: number }[];
  /** Kernels made wrong in one place, and how each ended. */
  readonly twins: { title: string; ended: string; refused: boolean }[];
}

/** dist/evidence, which is made anew by every run of the tests that fill it. */
export const evidenceFolder = new URL('../../evidence/', import.meta.url);

/** Evidence of one test file; written when its process ends. */
export function gatherEvidence(solver: string, testFile: string): Evidence {
  const evidence: Evidence = { solver, references: [], gates: {}, orders: [], twins: [] };
  const name = new URL(testFile).pathname.split('/').pop()!.replace('.test.js', '.json');
  process.on('exit', () => {
    mkdirSync(evidenceFolder, { recursive: true });
    writeFileSync(new URL(name, evidenceFolder), `${JSON.stringify(evidence, null, 2)}\n`);
  });
  return evidence;
}

import type { FinishedRun } from '../../proof/job.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { counted } from '../plot.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { entriesOf, KEPT, TOP } from './plan.ts';
import { ATOM, type ClusterProblem, type DockProblem, readProblem } from './problem.ts';
import type { DockInput } from './schema.ts';

/** Reads what the verdict wrote; the offsets are those at the heads of assembly/verdicts/dock.ts, dock-cluster.ts. */
export function present(input: DockInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const problem = readProblem(input);
  return problem.mode === 'dock'
    ? presentDock(problem, verdict, finished.length - 1)
    : presentCluster(problem, verdict, finished.length - 1);
}

const reasons = { absentTerm: 'energies by rank have no such term' };

function fieldAt({ gates }: Verdict, run: number) {
  const extrasAt = 24 + 48 * gates.length;
  return (name: string, unit: string, shape: readonly number[], from: number): Field => ({
    name,
    unit,
    shape,
    source: { run, of: 'result', from: extrasAt + 8 * from, length: 8 * shape.reduce((a, b) => a * b, 1) },
    sealed: true,
  });
}

const poseOf = (numbers: Float64Array) => ({
  center: [...numbers.subarray(0, 3)],
  quaternion: [...numbers.subarray(3, 7)],
});

function presentDock({ ligand }: DockProblem, verdict: Verdict, run: number): Presentation {
  const { extras } = verdict;
  const m = ligand.length / ATOM;
  const field = fieldAt(verdict, run);
  const profile = 12 + 8 * TOP;
  const atoms = profile + 2 * KEPT;
  const poses = Array.from({ length: extras[11]! }, (_, i) => {
    const at = 12 + 8 * i;
    return { energy: extras[at], ...poseOf(extras.subarray(at + 1, at + 8)) };
  });
  return {
    outputs: {
      optimality: 'consensus',
      pose: poseOf(extras.subarray(1, 8)),
      poses,
      halves: [extras[8], extras[9]],
      planted: { energy: extras[10], unit: 'reduced' },
    },
    fields: [
      field('position', 'Angstrom', [m, 3], atoms),
      { ...field('energies', 'kJ/mol', [2 * KEPT], profile), sealed: false },
    ],
    plots: [
      {
        kind: 'line',
        title: 'energies of the poses that were kept, the lowest first',
        x: counted('pose', 2 * KEPT),
        y: ['energies'],
      },
    ],
    diagnostics: readDiagnostics(extras, atoms + 3 * m, reasons),
  };
}

function presentCluster(problem: ClusterProblem, verdict: Verdict, run: number): Presentation {
  const { extras } = verdict;
  const [entries] = entriesOf(problem);
  const field = fieldAt(verdict, run);
  return {
    outputs: {
      optimality: extras[4] === 1 ? 'proved' : 'consensus',
      searches: [extras[1], extras[2]],
      force: extras[3],
      shortest: extras[5],
      longest: extras[6],
    },
    fields: [
      field('position', '1', [problem.N, 3], 7 + entries),
      { ...field('energies', '1', [entries], 7), sealed: false },
    ],
    plots: [
      {
        kind: 'line',
        title: 'energies of the minima in the order in which they were met',
        x: counted('minimum', entries),
        y: ['energies'],
      },
    ],
    diagnostics: readDiagnostics(extras, 7 + entries + 3 * problem.N, reasons),
  };
}

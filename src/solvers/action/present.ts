import type { FinishedRun } from '../../proof/job.ts';
import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import type { Plot } from '../plot.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { SCALARS } from './plan.ts';
import { readProblem } from './problem.ts';
import type { ActionInput } from './schema.ts';

/** A longer end stands in the fields alone. */
const INLINE = 256;

const orNull = (shown: boolean, value: number) => (shown ? value : null);

/** Reads what the verdict wrote; the offsets are those at the head of assembly/verdicts/action.ts. */
export function present(
  input: ActionInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const problem = readProblem(input);
  const { q, rows, system } = problem;
  const n = q.length;
  const extra = (i: number) => verdict.extras[i]!;
  const ends = SCALARS + 7 * rows;
  const turned = extra(14) === 1;
  const periodic = extra(15) === 1;
  const list = (from: number) => [...verdict.extras.subarray(from, from + n)];
  return {
    outputs: {
      S: extra(0),
      J: orNull(turned, extra(1)),
      period: orNull(turned, extra(2)),
      exactJ: orNull(periodic, extra(3)),
      exactPeriod: orNull(periodic, extra(4)),
      turns: extra(5),
      energyDriftPct: {
        symplectic: extra(6),
        rk4: orNull(extra(7) >= 0, extra(7)),
        rk4EqualForces: orNull(extra(8) >= 0, extra(8)),
      },
      energy: extra(11),
      pathIntegral: extra(12),
      steps: extra(9),
      dt: extra(10),
      finalState: {
        q: n <= INLINE ? list(ends) : 'field q_end',
        p: n <= INLINE ? list(ends + n) : 'field p_end',
        t0: extra(13),
      },
      ...continuesOf(input.before),
    },
    fields: fieldsOf(input, verdict, finished.length - 1, rows, n),
    plots: plotsOf(n),
    diagnostics: readDiagnostics(verdict.extras, ends + 2 * n, {
      absentTerm: 'the equation has no such term',
      absentMasterEquation: 'too few rows',
      absentStep: system === 'harmonic' ? 'not measured' : 'a step of this equation is not linear',
    }),
  };
}

/** Rows are gated where they stand beside exact motion or a series; energy is watched at every step. */
function fieldsOf(input: ActionInput, { gates }: Verdict, run: number, rows: number, n: number): Field[] {
  const extrasAt = 24 + 48 * gates.length;
  const gated = gates.some(({ name }) => name === 'series' || name === 'Taylor series');
  const reduced = input.system === 'henon-heiles';
  const angle = input.system === 'pendulum';
  const length = reduced ? '1' : angle ? 'rad' : 'm';
  const impulse = reduced ? '1' : angle ? 'kg*m^2/s' : 'kg*m/s';
  const column = (name: string, unit: string, index: number, sealed: boolean): Field => ({
    name,
    unit,
    shape: [rows],
    source: { run, of: 'result', from: extrasAt + 8 * (SCALARS + index * rows), length: 8 * rows },
    sealed,
  });
  const series = [
    column('t', reduced ? '1' : 's', 0, true),
    column('H', reduced ? '1' : 'J', 1, true),
    column('S', reduced ? '1' : 'J*s', 2, gated),
    column('q', length, 3, gated),
    ...(n > 1 ? [column('q2', length, 4, gated)] : []),
    column('p', impulse, 5, gated),
    ...(n > 1 ? [column('p2', impulse, 6, gated)] : []),
  ];
  if (n <= INLINE) return series;
  const end = (name: string, unit: string, place: number): Field => ({
    name,
    unit,
    shape: [n],
    source: { run, of: 'result', from: extrasAt + 8 * (SCALARS + 7 * rows + place * n), length: 8 * n },
    sealed: true,
  });
  return [...series, end('q_end', length, 0), end('p_end', impulse, 1)];
}

function plotsOf(n: number): Plot[] {
  const motion: Plot = { kind: 'line', title: 'coordinates', x: 't', y: n > 1 ? ['q', 'q2'] : ['q'] };
  return [motion, { kind: 'points', title: 'phase space', x: 'q', y: 'p' }];
}

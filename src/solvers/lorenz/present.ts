import type { FinishedRun } from '../../proof/job.ts';
import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import type { LorenzInput } from './problem.ts';

/** Reads what the verdicts wrote; the offsets are those at their heads. */
export function present(
  input: LorenzInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const run = finished.length - 1;
  if (input.mode === 'trajectory') return trajectory(input, verdict, run);
  return input.mode === 'exponents' ? exponents(verdict, run) : fixedPoint(input, verdict);
}

/** Columns of `count` numbers each, from index `at` of the extras on. */
function columns(
  { gates }: Verdict,
  run: number,
  at: number,
  count: number,
  names: readonly string[],
): Field[] {
  const extrasAt = 24 + 48 * gates.length;
  return names.map((name, column) => ({
    name,
    unit: '1',
    shape: [count],
    source: { run, of: 'result', from: extrasAt + 8 * (at + count * column), length: 8 * count },
    sealed: true,
  }));
}

function trajectory(input: LorenzInput, verdict: Verdict, run: number): Presentation {
  const [x, y, z, steps, t0] = verdict.extras;
  return {
    outputs: { finalState: { x, y, z, t0 }, steps, ...continuesOf(input.before) },
    fields: columns(verdict, run, 5, 257, ['t', 'x', 'y', 'z']),
    plots: [
      { kind: 'line', title: 'x, y and z', x: 't', y: ['x', 'y', 'z'] },
      { kind: 'points', title: 'attractor from the side', x: 'x', y: 'z' },
    ],
    diagnostics: readDiagnostics(verdict.extras, 5 + 4 * 257, {
      absentTerm: 'the equation of z has no such term',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

const fates = ['at rest', 'cycle', 'chaos'];

function exponents(verdict: Verdict, run: number): Presentation {
  const [l1, l2, l3, standardError, dimension, fate, time, chains, h, before] = verdict.extras;
  return {
    outputs: {
      exponents: [l1, l2, l3],
      standardError,
      kaplanYorke: dimension,
      fate: fates[fate!],
      time,
      chains,
      dt: h,
      unmeasured: before,
    },
    fields: columns(verdict, run, 10, 16, ['t', 'lambda1', 'lambda2', 'lambda3']),
    plots: [{ kind: 'line', title: 'largest exponent, block by block', x: 't', y: ['lambda1'] }],
    diagnostics: readDiagnostics(verdict.extras, 10 + 4 * 16),
  };
}

function fixedPoint({ rho }: LorenzInput, { extras }: Verdict): Presentation {
  const [x, y, z, iterations] = extras;
  const [hopf, stable, originStable] = extras.subarray(16);
  const eigenvalues = (at: number) => [0, 2, 4].map((i) => ({ re: extras[at + i], im: extras[at + i + 1] }));
  const away = {
    place: { x, y, z },
    mirrored: true,
    stable: stable === 1,
    eigenvalues: eigenvalues(4),
  };
  const origin = { stable: originStable === 1, eigenvalues: eigenvalues(10) };
  return {
    outputs: {
      ...(rho > 1 && { fixedPoint: away }),
      origin,
      rhoUnstable: hopf === 0 ? null : hopf,
      iterations,
    },
    fields: [],
    plots: [],
  };
}

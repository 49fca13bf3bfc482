import type { Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { answerBytes, bytesOf, LEVELS, pagesOf } from './layout.ts';
import type { PlaneProblem } from './problem.ts';

// Layout and cost of assembly/verdicts/flow.ts.

/** Bytes of a row of the march. */
export const ROW = 32;
const SCALARS = 20;
const DIAGNOSTICS = 40;

const caseCodes = { cavity: 0, 'taylor-green': 1, custom: 2 } as const;

export interface Judged {
  readonly problem: PlaneProblem;
  readonly dt: number;
  readonly rows: number;
  /** 0: none, 1: Taylor–Green, 2: a number. */
  readonly closed: readonly [code: number, value: number];
  /** Kind, cells, lengths, U, drift, t. */
  readonly twin: readonly number[];
  /** Runs of h, 2h, 4h and the twin, and of the rows. */
  readonly runs: readonly number[];
  readonly twinBytes: number;
}

export const verdictUnits = (nx: number, ny: number): number => 4_000_000 + 200 * (nx + 1) * (ny + 1);

export function verdictOf({ problem, dt, rows, closed, twin, runs, twinBytes }: Judged): Round {
  const { nx, ny, Lx, Ly, nu, duration, t0, rho, quantity, probe, kinds, U, lid, g } = problem;
  const head = new Layout()
    .f64(
      caseCodes[problem.form],
      nx,
      ny,
      Lx,
      Ly,
      nu,
      dt,
      duration,
      t0,
      rho ?? 0,
      quantity,
      ...probe,
      ...kinds,
    )
    .f64(U, lid, ...closed, ...twin, rows, ...g)
    .f64s(problem.sides);
  const parts: Part[] = [{ bytes: head.bytes() }];
  LEVELS.forEach((factor, i) => {
    parts.push({ run: runs[i]!, of: 'result', from: 0, length: answerBytes(nx / factor, ny / factor) });
  });
  if (twinBytes > 0) parts.push({ run: runs[3]!, of: 'result', from: 0, length: twinBytes });
  if (rows > 0) parts.push({ run: runs[0]!, of: 'rows', from: 0, length: ROW * rows });
  const shown = 8 * (SCALARS + 2 * (nx + ny) + 2 * rows + DIAGNOSTICS);
  const run: RunPlan = {
    kernel: 'flow.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: verdictUnits(nx, ny),
    memory: pagesOf(bytesOf(parts) + shown + 8 * (nx + 9) * (ny + 9) + 120 * ny + 60_000),
    label: 'verdict',
  };
  return { runs: [run], verdict: true };
}

export function quoteOfRounds(rounds: readonly Round[], exact: boolean): Quote {
  const runs = rounds.flatMap((round) => round.runs);
  return {
    work: runs.reduce((sum, { work }) => sum + work, 0),
    exact,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

/** Where the extras of the verdict stand, in numbers. */
export function extrasOf({ nx, ny }: PlaneProblem, rows: number) {
  const y = SCALARS;
  const x = y + 2 * ny;
  const t = x + 2 * nx;
  return { y, u: y + ny, x, v: x + nx, t, energy: t + rows, diagnostics: t + 2 * rows };
}

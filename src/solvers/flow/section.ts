import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Field, Presentation, Quote, Verdict } from '../solver.ts';
import { bytesOf, type Factor, LEVELS, OPEN, pagesOf, poissonBytes } from './layout.ts';
import type { SectionProblem } from './problem.ts';
import { quoteOfRounds } from './verdict.ts';

/** Layouts and costs: assembly/kernels/flow-duct.ts, assembly/verdicts/flow-duct.ts. */
const HEAD = 32;
const ROW = 24;
const MOST_ROWS = 256;
const SCALARS = 12;
const DIAGNOSTICS = 40;
const BOUND = 0.5;
const CHOICE = 0.4;
const MOST_CELL_STEPS = 5e10;
const MOST_TERMS = 1000;
const MOST_POWER = 42;

interface Section {
  readonly problem: SectionProblem;
  /** 0: steady. */
  readonly steps: number;
  readonly dt: number;
  readonly stepsPerRow: number;
  readonly rows: number;
}

/** A step that is four times as long on twice as wide cells: steps come in sixteens. */
export function sectionOf(problem: SectionProblem): Section {
  const { ny, nz, Ly, Lz, nu, duration, dt, before } = problem;
  if (duration === 0) return { problem, steps: 0, dt: 0, stepsPerRow: 1, rows: 2 };
  if (before) return inRows(problem, Math.round(duration / before.dt), before.dt);
  const rate = nu * ((ny * ny) / (Ly * Ly) + (nz === 1 ? 0 : (nz * nz) / (Lz * Lz)));
  if (dt !== undefined && dt * rate > BOUND * (1 + 1e-12))
    refuse('STABILITY_LIMIT', `dt: ν dt Σ1/dx² is ${dt * rate}, above ${BOUND}.`, {
      field: 'dt',
      measured: dt * rate,
      bound: BOUND,
      maxDt: BOUND / rate,
      accepts: `at most ${BOUND / rate} s`,
    });
  const steps = 16 * Math.max(2, Math.ceil((duration / (dt ?? CHOICE / rate) / 16) * (1 - 1e-12)));
  return inRows(problem, steps, duration / steps);
}

function inRows(problem: SectionProblem, steps: number, dt: number): Section {
  const { ny, nz, before } = problem;
  const done = before?.steps ?? 0;
  const cellSteps = (steps - done) * ny * nz;
  if (!(cellSteps <= MOST_CELL_STEPS))
    refuse('LIMIT_EXCEEDED', `flow would need ${cellSteps} steps of a cell.`, {
      field: 't_end',
      measured: cellSteps,
      bound: MOST_CELL_STEPS,
      accepts: 'a shorter t_end, a larger dt, fewer cells, or steady: true',
    });
  const stepsPerRow = 16 * Math.max(1, Math.ceil((steps - done) / (16 * MOST_ROWS)));
  const ends = Math.floor(steps / stepsPerRow) - Math.floor(done / stepsPerRow);
  return { problem, steps, dt, stepsPerRow, rows: 1 + ends + (steps % stepsPerRow === 0 ? 0 : 1) };
}

// ---- runs ----------------------------------------------------------------------------------------------

const cellsOf = ({ ny, nz }: SectionProblem, factor: Factor) =>
  [ny / factor, nz === 1 ? 1 : nz / factor] as const;
export const sectionBytes = (problem: SectionProblem, factor: Factor) => {
  const [n, m] = cellsOf(problem, factor);
  return HEAD + 8 * n * m;
};
/** Width of a channel is what one asks of it per metre. */
const widthOf = ({ nz, Lz }: SectionProblem) => (nz === 1 ? 1 : Lz);

const startCodes = { rest: 0, uniform: 1, cells: 2 } as const;
const GOES_ON = 3;

/** Code of the start and what is everywhere. */
const startOf = ({ start, before }: SectionProblem): readonly [number, number] => [
  before ? GOES_ON : startCodes[start.kind],
  start.kind === 'uniform' ? start.u : 0,
];

const cellsOfStart = ({ start }: SectionProblem): Part[] =>
  start.kind === 'cells' ? [{ bytes: new Layout().f64s(start.u).bytes() }] : [];

const startParts = (problem: SectionProblem, factor: Factor): Part[] =>
  problem.before ? [{ bytes: problem.before.results[LEVELS.indexOf(factor)]! }] : cellsOfStart(problem);

/** Sines that are left of a start: assembly/flow/duct-start.ts. */
function startBytes({ start, ny, nz, Ly, Lz, nu, duration }: SectionProblem): number {
  if (start.kind === 'rest') return 0;
  const terms = (length: number, cells: number) => {
    const most = start.kind === 'cells' ? cells : MOST_TERMS;
    const slowest = length / Math.PI;
    return Math.min(most, Math.sqrt(1 + (MOST_POWER / (nu * duration)) * slowest * slowest));
  };
  const ofY = terms(Ly, ny);
  return 8 * ofY * (nz === 1 ? 1 : terms(Lz, nz)) + 8 * ofY * nz;
}

function runOf({ problem, steps, dt, stepsPerRow }: Section, factor: Factor): RunPlan {
  const [n, m] = cellsOf(problem, factor);
  const share = factor * factor;
  const head = new Layout().f64(n, m, problem.Ly, widthOf(problem), problem.nu, dt * share);
  head.f64(steps / share, problem.push, Math.max(1, stepsPerRow / share));
  const parts: Part[] = [
    { bytes: head.f64(...startOf(problem), factor).bytes() },
    ...startParts(problem, factor),
  ];
  const taken = Math.max(1, (steps - (problem.before?.steps ?? 0)) / share);
  const units = 500 + (steps > 0 ? 12 : 60) * n * m;
  const padded = 8 * (n + 6) * (m + 2);
  const grid = { nx: n, ny: m, Lx: problem.Ly, Ly: widthOf(problem), kinds: [OPEN, OPEN, OPEN, OPEN] };
  const beside = steps > 0 ? 48 * (n + 6) : poissonBytes(grid);
  return {
    kernel: 'flow-duct',
    parts,
    stepsPerSegment: segmentSteps(padded + 48, units),
    steps: taken,
    work: units * (taken + 1),
    memory: pagesOf(bytesOf(parts) + padded + beside + 20_000),
    label: factor === 1 ? 'grid h' : `grid ${factor}h`,
  };
}

export const firstSectionRound = (section: Section): Round => ({
  runs: LEVELS.map((factor) => runOf(section, factor)),
});

function verdictRound({ problem, dt, rows }: Section): Round {
  const { ny, nz, Ly, nu, duration, push, probe, t0 } = problem;
  const head = new Layout().f64(ny, nz, Ly, widthOf(problem), nu, dt, duration, push, ...probe, rows);
  head.f64(...startOf({ ...problem, before: undefined }), t0);
  const parts: Part[] = [{ bytes: head.bytes() }, ...cellsOfStart(problem)];
  LEVELS.forEach((factor, run) => {
    parts.push({ run, of: 'result', from: 0, length: sectionBytes(problem, factor) });
  });
  parts.push({ run: 0, of: 'rows', from: 0, length: ROW * rows });
  const run: RunPlan = {
    kernel: 'flow-duct.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 4_000_000 + 3000 * ny * nz,
    memory: pagesOf(
      bytesOf(parts) +
        8 * (SCALARS + 2 * (ny + rows) + nz + DIAGNOSTICS) +
        8 * (ny + 4) * (nz + 8) +
        startBytes(problem) +
        120 * ny +
        60_000,
    ),
    label: 'verdict',
  };
  return { runs: [run], verdict: true };
}

export function nextSectionRound(section: Section, finished: readonly FinishedRun[]): Round | undefined {
  return finished.length === LEVELS.length ? verdictRound(section) : undefined;
}

export const quoteOfSection = (section: Section): Quote =>
  quoteOfRounds([firstSectionRound(section), verdictRound(section)], true);

// ---- presentation --------------------------------------------------------------------------------------

export function presentSection(section: Section, verdict: Verdict, run: number): Presentation {
  const { problem, rows, dt } = section;
  const { ny, nz, duration, t0, before } = problem;
  const [h, h2, h4, order, extrapolated, closedForm, discharge, mean, change, force, peak, steps] =
    verdict.extras;
  const isDuct = problem.form === 'duct';
  const outputs = {
    grids: { h, '2h': h2, '4h': h4, order, extrapolated: extrapolated === 1 },
    closedForm,
    discharge,
    meanVelocity: mean,
    largestVelocity: peak,
    momentum: { rate: change, forces: force },
    steps,
    ...(duration > 0 && { dt, finalState: { u: 'field u', t0: t0 + duration } }),
    ...continuesOf(before),
  };
  return {
    outputs,
    fields: fieldsOf(section, verdict, run),
    plots: [
      { kind: 'line', title: 'velocity across the gap', x: 'y', y: ['profile'] },
      ...(duration > 0 ? [{ kind: 'line', title: 'discharge', x: 't', y: ['discharge'] } as const] : []),
      ...(isDuct ? [{ kind: 'map', title: 'u', field: 'u', x: 'y', y: 'z' } as const] : []),
    ],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * ny + nz + 2 * rows, {
      absentTerm: 'the equation of the cross section has no such term, or it is not evaluated at one time',
      absentStep: 'the profile is taken at one time',
    }),
  };
}

function fieldsOf({ problem: { form, ny, nz }, rows }: Section, { gates }: Verdict, run: number): Field[] {
  const at = 24 + 48 * gates.length + 8 * SCALARS;
  const series = at + 8 * (2 * ny + nz);
  const column = (name: string, unit: string, from: number, count: number, sealed: boolean): Field => ({
    name,
    unit,
    shape: [count],
    source: { run, of: 'result', from, length: 8 * count },
    sealed,
  });
  const u: Field = {
    name: 'u',
    unit: 'm/s',
    shape: form === 'duct' ? [nz, ny] : [ny],
    source: { run: 0, of: 'result', from: HEAD, length: 8 * ny * nz },
    sealed: true,
  };
  return [
    u,
    column('y', 'm', at, ny, true),
    ...(form === 'duct' ? [column('z', 'm', at + 8 * ny, nz, true)] : []),
    column('profile', 'm/s', at + 8 * (ny + nz), ny, true),
    column('t', 's', series, rows, true),
    column('discharge', form === 'duct' ? 'm^3/s' : 'm^2/s', series + 8 * rows, rows, false),
  ];
}

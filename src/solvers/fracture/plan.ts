import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { injected } from '../grid/box.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import {
  checkedWork,
  expectedShare,
  expectedTurns,
  fieldsOf,
  gridBytes,
  nodes,
  padded,
  plateWork,
  turnWork,
} from './cost.ts';
import type { Bar, Plate, Problem } from './problem.ts';

// Layouts and costs: assembly/fracture/problem.ts, assembly/kernels/fracture{,-bar}.ts, assembly/verdicts/fracture{,-bar}.ts.

const PLATE_HEAD = 272;
const PLATE_ROW = 56;
const BAR_HEAD = 128;
const BAR_ROW = 48;
/** Of the profile that the bar's verdict extrapolates with. */
const FINER = 2;

const scalars = { plane: 26, bar: 20 } as const;
const levelsOf = ({ levels }: Problem): readonly (1 | 2 | 4)[] => (levels === 3 ? [1, 2, 4] : [1]);
const labels = { 1: 'cells of h', 2: 'cells of 2h', 4: 'cells of 4h' } as const;
const bytesOf = (parts: readonly Part[]) =>
  parts.reduce((sum, part) => sum + ('bytes' in part ? part.bytes.length : part.length), 0);
const pages = (bytes: number) => 65536 * (2 + Math.ceil(bytes / 65536));
const rowsOf = ({ last, done }: Problem) => last - done + 1;

export function resultBytes(problem: Problem, factor: number): number {
  if (problem.mode === 'bar') return BAR_HEAD + 24 * (problem.N / factor + 1);
  return PLATE_HEAD + 32 * nodes(problem, factor);
}

const startKind = ({ before, start }: Problem) => (before ? 2 : start ? 1 : 0);

/** Literal parts behind the head: arrays of the start on every `factor`-th node, or an earlier result. */
function startParts(problem: Problem, level: number, factor: number): Part[] {
  const { before, start, N } = problem;
  if (before) return [{ bytes: before.results[level]! }];
  if (!start) return [];
  const M = problem.mode === 'bar' ? 0 : problem.M;
  const d = injected(start.d, N, M, factor);
  if (problem.mode === 'bar')
    return [
      {
        bytes: new Layout()
          .f64s(injected(start.u, N, 0, factor))
          .f64s(d)
          .bytes(),
      },
    ];
  const [x, y] = [0, 1].map((part) =>
    injected(
      start.u.filter((_, i) => i % 2 === part),
      N,
      M,
      factor,
    ),
  );
  const u = x!.flatMap((value, i) => [value, y![i]!]);
  return [{ bytes: new Layout().f64s(u).f64s(d).bytes() }];
}

// ---- plate ---------------------------------------------------------------------------------------------

function plateHead(plate: Plate, factor: number): Layout {
  const { N, M, h, lambda, mu, Gc, ell, model, split, dimensions, direction, notch } = plate;
  return new Layout().f64(
    ...[N / factor, M / factor, h * factor, lambda, mu, Gc, ell, model, split, dimensions, direction],
    ...[plate.uMax, plate.steps, plate.last, plate.tol, plateWork(plate, factor)],
    ...[notch.a, notch.y, notch.angle, startKind(plate), plate.done],
  );
}

function plateRun(plate: Plate, level: number, factor: 1 | 2 | 4): RunPlan {
  const parts: Part[] = [{ bytes: plateHead(plate, factor).bytes() }, ...startParts(plate, level, factor)];
  const field = 8 * padded(plate, factor);
  return {
    kernel: 'fracture',
    parts,
    stepsPerSegment: segmentSteps(4 * field + PLATE_HEAD, 10 * turnWork(plate, factor)),
    steps: plate.last - plate.done,
    work: plateWork(plate, factor) + 400 * padded(plate, factor),
    memory: pages(bytesOf(parts) + fieldsOf(plate) * field + gridBytes(plate, factor) + 20_000),
    label: labels[factor],
  };
}

/** Column of the profile: the middle of what the notch leaves. */
const columnOf = ({ N, h, notch }: Plate) => Math.min(N, Math.floor((N + Math.floor(notch.a / h)) / 2));

/** Whether there is an earlier job, U and F a part before its end, and its largest force: numbers of the head of a result. */
function partBefore({ before }: Plate): readonly number[] {
  const [result] = before?.results ?? [];
  if (!result) return [0, 0, 0, 0];
  const head = new DataView(result.buffer, result.byteOffset);
  return [1, ...[160, 168, 56].map((at) => head.getFloat64(at, true))];
}

function plateVerdict(plate: Plate): RunPlan {
  const { mirrored, quantity, levels, N, M } = plate;
  const rows = rowsOf(plate);
  const head = plateHead(plate, 1).f64(rows, levels, mirrored ? 1 : 0, quantity, columnOf(plate));
  head.f64(...partBefore(plate));
  const parts: Part[] = [{ bytes: head.bytes() }, ...resultParts(plate, PLATE_ROW)];
  const shown = 8 * (scalars.plane + 5 * rows + 2 * (N + 1) + 2 * (M + 1) + 40) + 1000;
  return {
    kernel: 'fracture.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 1_500_000 + 600 * nodes(plate, 1) + 40 * rows,
    memory: pages(bytesOf(parts) + 32 * nodes(plate, 1) + shown + 8 * 16 * (M + 1) + 40_000),
    label: 'verdict',
  };
}

function resultParts(problem: Problem, row: number): Part[] {
  return levelsOf(problem).flatMap((factor, run): Part[] => {
    const result: Part = { run, of: 'result', from: 0, length: resultBytes(problem, factor) };
    return run === 0 ? [result, { run, of: 'rows', from: 0, length: row * rowsOf(problem) }] : [result];
  });
}

// ---- bar -----------------------------------------------------------------------------------------------

/** Bytes of a node: the state, what drives the damage, the damage before a turn, whether it is held. */
const BAR_NODE = 5 * 8 + 1;
const barUnits = (elements: number) => 120 * (elements + 1);
const mostTurns = ({ last, done }: Bar) => 60 * (last - done) + 30_000;

function barHead(bar: Bar, elements: number, kind: number, work: number): Layout {
  const { L, E, Gc, ell, model, uMax, steps, last, tol, done } = bar;
  return new Layout().f64(elements, L, E, Gc, ell, model, uMax, steps, last, tol, kind, done, work);
}

function barRun(bar: Bar, level: number, factor: 1 | 2 | 4): RunPlan {
  const elements = bar.N / factor;
  const units = barUnits(elements);
  const work = checkedWork(units * mostTurns(bar));
  const head = barHead(bar, elements, startKind(bar), work);
  const parts: Part[] = [{ bytes: head.bytes() }, ...startParts(bar, level, factor)];
  return {
    kernel: 'fracture-bar',
    parts,
    stepsPerSegment: segmentSteps(24 * (elements + 1) + BAR_HEAD, 8 * units),
    steps: bar.last - bar.done,
    work: work + 70 * units,
    memory: pages(bytesOf(parts) + BAR_NODE * (elements + 3) + 40_000),
    label: labels[factor],
  };
}

function profileRun(bar: Bar, elements: number): RunPlan {
  const units = barUnits(elements);
  const parts: Part[] = [{ bytes: barHead(bar, elements, 3, 1e15).bytes() }];
  return {
    kernel: 'fracture-bar',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 62 * units,
    memory: pages(bytesOf(parts) + BAR_NODE * (elements + 3) + 40_000),
    label: `profile on ${elements} elements`,
  };
}

function barVerdict(bar: Bar): RunPlan {
  const rows = rowsOf(bar);
  const { N, levels } = bar;
  const head = barHead(bar, N, startKind(bar), 0).f64(rows, levels, FINER * N);
  const profiles = [N, FINER * N].map(
    (elements, i): Part => ({
      run: levels + i,
      of: 'result',
      from: 0,
      length: BAR_HEAD + 24 * (elements + 1),
    }),
  );
  const parts: Part[] = [{ bytes: head.bytes() }, ...resultParts(bar, BAR_ROW), ...profiles];
  return {
    kernel: 'fracture-bar.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 1_500_000 + 200 * (N + 1) + 20 * rows,
    memory: pages(bytesOf(parts) + 8 * (scalars.bar + 2 * rows + 20 * (N + 1)) + 60_000),
    label: 'verdict',
  };
}

// ---- rounds --------------------------------------------------------------------------------------------

export function firstRound(problem: Problem): Round {
  const levels = levelsOf(problem);
  if (problem.mode === 'plane') return { runs: levels.map((factor, i) => plateRun(problem, i, factor)) };
  const profiles = [problem.N, FINER * problem.N].map((elements) => profileRun(problem, elements));
  return { runs: [...levels.map((factor, i) => barRun(problem, i, factor)), ...profiles] };
}

const verdictRun = (problem: Problem) =>
  problem.mode === 'bar' ? barVerdict(problem) : plateVerdict(problem);

export const verdictRound = (problem: Problem): Round => ({ runs: [verdictRun(problem)], verdict: true });

export const isVerdictDue = (problem: Problem, finished: readonly FinishedRun[]) =>
  finished.length === problem.levels + (problem.mode === 'bar' ? 2 : 0);

/** A ceiling: how often the two minimisations take turns is not known before. */
export function quoteOf(problem: Problem): Quote {
  const levels = levelsOf(problem).length;
  const runs = [...firstRound(problem).runs, verdictRun(problem)];
  const share = problem.mode === 'bar' ? expectedTurns(problem) / mostTurns(problem) : expectedShare(problem);
  const sum = (works: readonly number[]) => Math.ceil(works.reduce((total, work) => total + work, 0));
  return {
    work: sum(runs.map(({ work }) => work)),
    expected: sum(runs.map(({ work }, run) => (run < levels ? share * work : work))),
    ceiling: 'as many turns between displacement and damage as the load steps may take',
    exact: false,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

/** Numbers before the arrays in the verdict's extras, and bytes before the extras. */
export const extrasFrom = (problem: Problem, gates: number) => ({
  bytes: 24 + 48 * gates + 8 * scalars[problem.mode],
  numbers: scalars[problem.mode],
  rows: rowsOf(problem),
  heads: problem.mode === 'bar' ? BAR_HEAD : PLATE_HEAD,
  nodes: problem.mode === 'bar' ? problem.N + 1 : nodes(problem, 1),
});

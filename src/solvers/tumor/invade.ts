import { refuse } from '../../errors/refusal.ts';
import type { Part, RunPlan } from '../../proof/job.ts';
import { beginningOf, continuesOf, earlierState } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { checkFields, checkStart } from './fields.ts';
import { MAX_CELLS, quantities, type TumorInput } from './schema.ts';

/** Layouts and costs as assembly/kernels/tumor-invade.ts and assembly/verdicts/tumor-invade.ts have them. */
const INTERVALS = 64;
const ROWS = INTERVALS + 1;
const UNITS_PER_CELL = 240;
const VERDICT_UNITS = 2_300_000;
const SCALARS = 9;
const unitsPerStep = (cells: number) => 2 * cells + 60;
const resultBytes = (cells: number) => 64 + 16 * cells;
const stateBytes = (cells: number) => 16 + 64 + 8 * (2 * cells + 1);

const MAX_CELL_STEPS = 5e10;
/** Cells of the default in the width √(6D/r) of a front. */
const CELLS_PER_WIDTH = 40;
const MAX_COURANT = 0.25;
/** Steps of the default in 1/r at least. */
const STEPS_PER_RATE = 20;
/** Widths beyond which a front is 1 on its left and 0 on its right within 1e-6. */
const LEFT_WIDTHS = 14.5;
const RIGHT_WIDTHS = 7.5;

/** What runs over cells and steps of three widths keep to go on from; twins are made anew. */
export const keptBytes = (input: TumorInput) => [1, 2, 4].map((width) => (8 * readInvasion(input).N) / width);

const starts = { front: 0, density: 1, cosine: 2, uniform: 3 } as const;
const EARLIER_STATE = 4;

interface Start {
  readonly kind: keyof typeof starts;
  readonly at: number;
  readonly density?: readonly number[];
}

export interface Invasion {
  readonly D: number;
  readonly r: number;
  readonly Lx: number;
  /** Beginning and end, since the first start. */
  readonly begin: number;
  readonly t_max: number;
  readonly t0: number;
  readonly N: number;
  /** Of the finest level; divisible by 16. */
  readonly stepsPerRow: number;
  readonly start: Start;
  readonly probe: number;
  /** The ends are too far for the front to tell: it has a closed form. */
  readonly exact: boolean;
  readonly twins: readonly Start[];
}

/** What the schema cannot say: the fields of the mode, one start, the stability limit, a bounded amount of work. */
export function readInvasion(input: TumorInput): Invasion {
  checkFields(input, 'mode invade', ['D', 'r', 'Lx'], ['initial', 'quantity', 'probe', 'N']);
  checkStart(input, 'initial', 'u', 'V');
  const [D, r, Lx, t_max] = [input.D!, input.r!, input.Lx!, input.t_max];
  const width = Math.sqrt((6 * D) / r);
  const density = input.initialState?.u;
  const start: Start = density
    ? { kind: 'density', at: 0, density }
    : { kind: 'front', at: frontPlace(input, Lx) };
  const N = cellsOf(input, Lx / width);
  const begin = beginningOf(input);
  const fits = (x0: number, time: number) =>
    x0 >= LEFT_WIDTHS * width && x0 + 5 * time * Math.sqrt((r * D) / 6) + RIGHT_WIDTHS * width <= Lx;
  const exact = start.kind === 'front' && fits(start.at, t_max);
  const highest = density ? density.reduce((a, b) => Math.max(a, b), 1) : 1;
  return {
    ...{ D, r, Lx, begin, t_max, N, start, exact },
    t0: input.initialState?.t0 ?? 0,
    probe: probeOf(input, Lx),
    stepsPerRow: stepsPerRow(input, N, r * highest),
    twins: exact ? [] : twinsOf(fits(LEFT_WIDTHS * width, t_max - begin) ? LEFT_WIDTHS * width : undefined),
  };
}

const twinsOf = (place: number | undefined): Start[] =>
  place === undefined
    ? [
        { kind: 'cosine', at: 0 },
        { kind: 'uniform', at: 0.1 },
      ]
    : [{ kind: 'front', at: place }];

function frontPlace({ initial }: TumorInput, Lx: number): number {
  const x0 = initial?.x0;
  if (x0 === undefined)
    refuse('MISSING_INPUT', 'tumor lacks initial.x0, where the front is at the start.', {
      field: 'initial.x0',
      missing: ['initial.x0'],
      accepts: `[x] from 0 to ${Lx} m`,
    });
  return within(x0[0]!, Lx, 'initial.x0');
}

function probeOf({ quantity, probe }: TumorInput, Lx: number): number {
  if (quantity === 'value' && probe === undefined)
    refuse('MISSING_INPUT', 'tumor lacks probe, where the value is taken.', {
      field: 'probe',
      missing: ['probe'],
      accepts: `[x] from 0 to ${Lx} m`,
    });
  return probe ? within(probe[0]!, Lx, 'probe') : Lx / 2;
}

function within(x: number, Lx: number, field: string): number {
  if (x >= 0 && x <= Lx) return x;
  return refuse('INVALID_INPUT', `${field}: ${x} m is outside.`, { field, accepts: `[x] from 0 to ${Lx} m` });
}

function cellsOf({ N, initialState }: TumorInput, widths: number): number {
  const u = initialState?.u;
  if (u) {
    const least = u.reduce((a, b) => Math.min(a, b), 0);
    if (u.length % 4 !== 0 || (N !== undefined && N !== u.length) || least < 0)
      refuse('INVALID_INPUT', 'initialState.u: it needs a number for each cell, none below 0.', {
        field: 'initialState.u',
        accepts: N === undefined ? 'a multiple of 4 numbers, each from 0' : `${N} numbers, each from 0`,
      });
    return u.length;
  }
  const cells = N ?? Math.max(64, 4 * Math.ceil((CELLS_PER_WIDTH * widths) / 4));
  if (cells <= MAX_CELLS) return cells;
  return refuse('LIMIT_EXCEEDED', `tumor would need ${cells} cells.`, {
    field: 'Lx',
    measured: cells,
    bound: MAX_CELLS,
    accepts: `at most ${MAX_CELLS} cells: a shorter Lx, or N`,
  });
}

function stepsPerRow(input: TumorInput, N: number, rate: number): number {
  const [D, Lx, length] = [input.D!, input.Lx!, input.t_max - beginningOf(input)];
  const dx = Lx / N;
  const maxDt = (MAX_COURANT * dx * dx) / D;
  if (input.dt !== undefined && !(input.dt <= maxDt * (1 + 1e-12)))
    refuse('STABILITY_LIMIT', `dt: D·dt/dx² is ${(D * input.dt) / (dx * dx)}, above ${MAX_COURANT}.`, {
      field: 'dt',
      measured: (D * input.dt) / (dx * dx),
      bound: MAX_COURANT,
      maxDt,
      accepts: `at most ${maxDt} s`,
    });
  const dt = input.dt ?? Math.min(maxDt, 1 / (STEPS_PER_RATE * rate));
  const perRow = 16 * Math.max(1, Math.ceil((length / (dt * INTERVALS * 16)) * (1 - 1e-12)));
  if (perRow * INTERVALS * N <= MAX_CELL_STEPS) return perRow;
  return refuse('LIMIT_EXCEEDED', `tumor would need ${perRow * INTERVALS} steps of ${N} cells.`, {
    field: input.dt === undefined ? 't_max' : 'dt',
    measured: perRow * INTERVALS * N,
    bound: MAX_CELL_STEPS,
    accepts: `at most ${MAX_CELL_STEPS} steps times cells: a shorter t_max, a larger dt or fewer cells`,
  });
}

const THREE_STEPS = 5;
/** More cells than the order asks: of three meshes, which bound up to three times the error that a front shows. */
const MARGIN = { shown: 1.2, known: 2.5 };

/** Gates whose error is that of the cells: from the front's speed to its twin. */
const isOfCells = (gate: number): boolean => gate >= 2 && gate <= 7;

/**
 * What would do where a gate finds the cells too wide: their error is of order 2 in dx, as dt goes with dx². The gate is
 * the first that refuses; one behind it may ask for more.
 */
export function finer(input: TumorInput, [gate, , error, bound]: readonly number[]): Record<string, unknown> {
  if (!isOfCells(gate!)) return {};
  const { N, stepsPerRow: perRow } = readInvasion(input);
  const margin = gate! < THREE_STEPS ? MARGIN.known : MARGIN.shown;
  const cells = 4 * Math.ceil((margin * N * Math.sqrt(error! / bound!)) / 4);
  const more = cells / N;
  const field = input.initialState?.u ? 'initialState.u' : 'N';
  if (!(cells <= MAX_CELLS && perRow * INTERVALS * N * more * more * more <= MAX_CELL_STEPS))
    return { field, accepts: 'a shorter t_max or Lx' };
  const alone = field === 'N' ? `at least ${cells}` : `the same density in at least ${cells} cells`;
  return { field, accepts: input.dt === undefined ? alone : `${alone}, and no dt` };
}

// ---- runs ----------------------------------------------------------------------------------------------

/** Level k has cells 2^k times as wide and steps 4^k times as long. */
function headOf(invasion: Invasion, start: Start, level = 0, goesOn = false): Layout {
  const { D, Lx, N, stepsPerRow: perRow, probe } = invasion;
  const end = start === invasion.start ? invasion.t_max : invasion.t_max - invasion.begin;
  const r = start.kind === 'cosine' ? 0 : invasion.r;
  return new Layout().f64(
    D,
    r,
    Lx,
    N / (1 << level),
    end,
    perRow / (1 << (2 * level)),
    goesOn ? EARLIER_STATE : starts[start.kind],
    start.at,
    probe,
    1 << level,
  );
}

function run(invasion: Invasion, start: Start, level: number, label: string, earlier: Part[] = []): RunPlan {
  const cells = invasion.N / (1 << level);
  const steps = (INTERVALS * invasion.stepsPerRow) / (1 << (2 * level));
  const goesOn = earlier.length > 0;
  const density = goesOn ? [] : (start.density ?? []);
  return {
    kernel: 'tumor-invade',
    parts: [{ bytes: headOf(invasion, start, level, goesOn).f64s(density).bytes() }, ...earlier],
    stepsPerSegment: segmentSteps(stateBytes(cells), unitsPerStep(cells)),
    steps,
    work: steps * unitsPerStep(cells),
    memory: 2 ** 17 + (goesOn ? 24 : 16) * cells + 8 * density.length,
    label,
  };
}

export function invasionRuns(input: TumorInput): RunPlan[] {
  const invasion = readInvasion(input);
  const levels = [0, 1, 2].map((level) =>
    run(
      invasion,
      invasion.start,
      level,
      `Heun, ${invasion.N / (1 << level)} cells`,
      earlierState(input, level),
    ),
  );
  return [...levels, ...invasion.twins.map((twin) => run(invasion, twin, 0, `twin: ${twin.kind}`))];
}

export function invasionVerdict(input: TumorInput): RunPlan {
  const invasion = readInvasion(input);
  const { N, twins, start, exact, t0, begin } = invasion;
  const head = headOf(invasion, start)
    .f64(t0, quantities.indexOf(input.quantity ?? 'speed'), exact ? 1 : 0)
    .f64(twins.length, begin);
  const parts: Part[] = [
    { bytes: head.bytes() },
    ...twins.map((twin) => ({ bytes: headOf(invasion, twin).bytes() })),
    ...[0, 1, 2].map(
      (level): Part => ({ run: level, of: 'result', from: 0, length: resultBytes(N / (1 << level)) }),
    ),
    { run: 0, of: 'rows', from: 0, length: 8 * ROWS },
    ...twins.map((_, k): Part => ({ run: 3 + k, of: 'result', from: 0, length: resultBytes(N) })),
  ];
  return {
    kernel: 'tumor-invade.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: N * UNITS_PER_CELL + VERDICT_UNITS,
    memory: 2 ** 18 + 200 * N,
    label: 'verdict',
  };
}

// ---- presentation --------------------------------------------------------------------------------------

export function presentInvasion(input: TumorInput, verdict: Verdict): Presentation {
  const [speed, density, invaded, frontSpeed, width, N, steps, dt, t0] = verdict.extras;
  const { exact, twins } = readInvasion(input);
  const cells = N!;
  const extrasAt = 24 + 48 * verdict.gates.length;
  const field = (name: string, unit: string, at: number, count: number, sealed = true): Field => ({
    name,
    unit,
    shape: [count],
    source: { run: 3 + twins.length, of: 'result', from: extrasAt + 8 * at, length: 8 * count },
    sealed,
  });
  const profileAt = SCALARS + 2 * ROWS;
  const outputs = {
    speed,
    ...(input.quantity === 'value' && { density }),
    invaded,
    front: { speed: frontSpeed, width, exact },
    finalState: { t0, u: 'field u' },
    N,
    steps,
    dt,
    ...continuesOf(input.before),
  };
  return {
    outputs,
    fields: [
      field('t', 's', SCALARS, ROWS),
      field('invaded', 'm', SCALARS + ROWS, ROWS, false),
      field('x', 'm', profileAt, cells),
      field('u', '1', profileAt + cells, cells),
    ],
    plots: [
      { kind: 'line', title: 'density at the end', x: 'x', y: ['u'] },
      { kind: 'line', title: 'invaded length', x: 't', y: ['invaded'] },
    ],
    diagnostics: readDiagnostics(verdict.extras, profileAt + 2 * cells, {
      absentTerm: 'the equation has no such term',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { type ClimateInput, invalid, missing, oneOf, quantityOf } from './problem.ts';

// The model with latitude. Layouts and costs as assembly/kernels/climate-ebm.ts and assembly/verdicts/climate-ebm.ts.

const DEFAULT_CELLS = 400;
const PLACES = 257;
const STATES = 8;
const HALVINGS = 50;
const CELLS_AT = 160;
const VERDICT_UNITS = { once: 2_000_000, search: 6_000_000, iced: 10_000, bare: 300 };
const PAGE = 65536;

export interface Latitude {
  /** Cells of a hemisphere. */
  readonly cells: number;
  readonly ice: boolean;
  readonly start: 'warm' | 'cold' | 'given';
  readonly given: readonly number[];
  /** |x| of the probe. */
  readonly probe: number;
}

export function readLatitude(input: ClimateInput): Latitude {
  const { N = DEFAULT_CELLS, ai, Tf, probe, initialState } = input;
  const quantity = quantityOf(input);
  if (quantity === 'temperature' && probe === undefined)
    missing(input, 'probe', '[x], x = sin(latitude), -1..1');
  const ice = ai !== undefined || Tf !== undefined;
  if (ice && (ai === undefined || Tf === undefined))
    missing(input, ai === undefined ? 'ai' : 'Tf', 'ai and Tf, or neither: no ice');
  if (!ice && quantity === 'iceLatitude') missing(input, 'ai', 'ai and Tf, without which there is no ice');
  const common = { cells: 4 * Math.ceil(N / 8), ice, probe: Math.abs(probe?.[0] ?? 0) };
  if (!ice) {
    const useless = (['start', 'initialState'] as const).find((name) => input[name] !== undefined);
    if (useless)
      invalid(useless, `Without ice the state does not depend on ${useless}.`, 'ai and Tf beside it');
    return { ...common, start: 'warm', given: [] };
  }
  if (oneOf(input, ['start', 'initialState']) === 'start')
    return { ...common, start: input.start!, given: [] };
  return { ...common, start: 'given', given: givenTemperatures(input, initialState!, 2 * common.cells) };
}

function givenTemperatures(
  input: ClimateInput,
  { T, Td, t0 }: NonNullable<ClimateInput['initialState']>,
  count: number,
): readonly number[] {
  if (Td !== undefined || t0 !== undefined)
    invalid('initialState', 'ebm has no deep layer and no time.', 'initialState {T}');
  if (T === undefined) missing(input, 'initialState.T', 'T [K], a number or one of each cell');
  if (typeof T === 'number') return [T];
  if (T.length !== count)
    invalid('initialState.T', `There are ${T.length} temperatures of ${count} cells.`, `${count} numbers`);
  return T;
}

// ---- runs ----------------------------------------------------------------------------------------------

function head(input: ClimateInput, latitude: Latitude, level: number): Layout {
  const { S0, A, B, D, s2, a0, a2, ai = 0, Tf = 0 } = input;
  const { cells, ice, start, given, probe } = latitude;
  return new Layout()
    .f64(S0!, A!, B!, D!, s2!, a0!, a2!, ai, Tf, ice ? 1 : 0)
    .f64(['warm', 'cold', 'given'].indexOf(start), cells / 2 ** level, probe, given.length);
}

function levelRun(input: ClimateInput, latitude: Latitude, level: number): RunPlan {
  const cells = latitude.cells / 2 ** level;
  const solving = 100 + 15 * cells;
  const solutions = latitude.ice ? PLACES + STATES * HALVINGS + 2 : 2;
  return {
    kernel: 'climate-ebm',
    parts: [{ bytes: head(input, latitude, level).f64s(latitude.given).bytes() }],
    stepsPerSegment: segmentSteps(16 + 8 * PLACES, solving),
    steps: latitude.ice ? PLACES + 1 : 1,
    work: solutions * solving,
    memory: 2 * PAGE + 40 * cells + 8 * latitude.given.length,
    label: `${2 * cells} cells`,
  };
}

const levelsOf = ({ ice }: Latitude) => (ice ? [0, 1, 2] : [0]);

function verdictRun(input: ClimateInput, latitude: Latitude): RunPlan {
  const { cells, ice, given } = latitude;
  const value = ['meanTemperature', 'temperature', 'iceLatitude'].indexOf(quantityOf(input));
  const parts: Part[] = [
    { bytes: head(input, latitude, 0).f64(value).f64s(given).bytes() },
    ...levelsOf(latitude).map(
      (level): Part => ({ run: level, of: 'result', from: 0, length: CELLS_AT + (8 * cells) / 2 ** level }),
    ),
  ];
  const { once, search, iced, bare } = VERDICT_UNITS;
  return {
    kernel: 'climate-ebm.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: once + cells * (ice ? iced : bare) + (ice ? search : 0),
    memory: 5 * PAGE + 260 * cells + 8 * given.length,
    label: 'verdict',
  };
}

export function firstRound(input: ClimateInput): Round {
  const latitude = readLatitude(input);
  return { runs: levelsOf(latitude).map((level) => levelRun(input, latitude, level)) };
}

export function nextRound(input: ClimateInput, finished: readonly FinishedRun[]): Round | undefined {
  const latitude = readLatitude(input);
  if (finished.length > levelsOf(latitude).length) return undefined;
  return { runs: [verdictRun(input, latitude)], verdict: true };
}

/** With ice a ceiling: how many states there are is not known before. */
export function quoteLatitude(input: ClimateInput): Quote {
  const latitude = readLatitude(input);
  const runs = [...firstRound(input).runs, verdictRun(input, latitude)];
  return {
    work: runs.reduce((sum, run) => sum + run.work, 0),
    exact: !latitude.ice,
    memory: Math.max(...runs.map((run) => run.memory)),
  };
}

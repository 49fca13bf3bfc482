import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout } from '../layout.ts';
import { counted } from '../plot.ts';
import type { Field, Presentation, Quote, Verdict } from '../solver.ts';
import { type Formula, readFormula, type SatInput } from './formula.ts';

/** Layouts and costs as assembly/sat/memory.ts, the kernel sat and its verdict have them. */
const CONFLICTS = 200_000;
const CONFLICTS_PER_SEGMENT = 2 ** 14;
const CLAUSE_WORDS = 5;
const RESULT_HEAD = 64;
const COUNTERS = 144;
/** Cubes that are searched at the same time. */
const ROUND = 2;
const ROWS = 2 ** 17;
const MAX_LISTED = 4096;
/** Words of all proofs together: the checker holds them in its memory. */
const PROOF_WORDS = 2 ** 24;

/** Variables that the cubes are made of: those that occur most, of equal ones the first. */
export function cubeVariables({ variables, uses }: Formula): number[] {
  const wanted = variables < 60 ? 0 : variables < 150 ? 1 : 2;
  const chosen: number[] = [];
  while (chosen.length < wanted) {
    let best = -1;
    for (let v = 0; v < variables; v++)
      if (!chosen.includes(v + 1) && (best < 0 || uses[v]! > uses[best]!)) best = v;
    chosen.push(best + 1);
  }
  return chosen;
}

/** Variable i is true where bit i of the cube's number is 0. */
const literalsOf = (variables: readonly number[], cube: number) =>
  variables.map((v, i) => ((cube >> i) & 1 ? -v : v));

// ---- runs ----------------------------------------------------------------------------------------------

function arenaWords({ variables, clauses, words }: Formula, cube: number): number {
  const given = words.length + CLAUSE_WORDS * (clauses + cube) + cube;
  return given + Math.min(2 ** 23, Math.max(2 ** 18, 4 * given)) + 8 * (variables + 6);
}

const padded = (bytes: number) => 16 * Math.ceil(bytes / 16);

function stateBytes(formula: Formula, cube: number): number {
  const n = formula.variables;
  return (
    16 +
    COUNTERS +
    padded(2 * n) +
    padded(n) +
    8 * padded(4 * n) +
    16 +
    2 * padded(8 * n) +
    padded(4 * arenaWords(formula, cube))
  );
}

/** Twice as many with every seven variables: about twice what pigeons and their holes take. */
function conflictsByDefault({ variables: n }: Formula): number {
  let conflicts = 32 * (1 + (n % 7) / 7);
  for (let left = n; left >= 7 && conflicts < CONFLICTS; left -= 7) conflicts *= 2;
  return Math.min(CONFLICTS, Math.ceil(conflicts));
}

export const conflictsOf = (input: SatInput) =>
  input.conflictBudget ?? conflictsByDefault(readFormula(input));

/** Work of all cubes that a request allows which names no conflictBudget. */
const SEARCH_WORK = 2 ** 31;

/** What a search may take that meets no conflict. */
const unitsToBegin = ({ variables: n, words }: Formula) => 5000 + 200 * words.length + 2000 * n;

/** Most work that a cube may take: so much for each conflict, the more the more clauses are learnt. */
function workAllowed(input: SatInput, formula: Formula, conflicts: number, cubes: number): number {
  const { variables, words } = formula;
  const perConflict = 3000 + 30 * variables + words.length / 5 + Math.min(27_000, 4 * conflicts);
  const most = unitsToBegin(formula) + Math.ceil((conflicts + 1) * perConflict);
  if (input.conflictBudget !== undefined) return most;
  return Math.min(most, unitsToBegin(formula) + SEARCH_WORK / cubes);
}

function cubeRun(input: SatInput, formula: Formula, cube: number): RunPlan {
  const { variables, clauses, words } = formula;
  const literals = literalsOf(cubeVariables(formula), cube);
  const cubes = 2 ** literals.length;
  const conflicts = Math.ceil(conflictsOf(input) / cubes);
  const most = workAllowed(input, formula, conflicts, cubes);
  const bytes = new Layout()
    .f64(variables, clauses, words.length, conflicts, literals.length)
    .f64(arenaWords(formula, literals.length), most, PROOF_WORDS / cubes)
    .i32s([...words, ...literals])
    .bytes();
  const state = stateBytes(formula, literals.length);
  return {
    kernel: 'sat',
    parts: [{ bytes }],
    stepsPerSegment: CONFLICTS_PER_SEGMENT,
    // The last step may end above what is allowed: by no more than one conflict can take.
    work: most + unitsToBegin(formula),
    memory: 2 ** 17 + bytes.length + state + 2 * ROWS + 4 * words.length + 78 * variables,
    label: literals.length === 0 ? 'search' : `cube ${literals.join(' ')}`,
  };
}

/** All cubes in pairs; the lowest that is satisfiable ends it. */
function cubeRound(input: SatInput, formula: Formula, first: number): Round {
  const cubes = 2 ** cubeVariables(formula).length;
  const runs = Array.from({ length: Math.min(ROUND, cubes - first) }, (_, i) =>
    cubeRun(input, formula, first + i),
  );
  return { runs };
}

export const planDecide = (input: SatInput): Round => cubeRound(input, readFormula(input), 0);

const numberAt = (run: FinishedRun, offset: number) =>
  new DataView(run.result.buffer, run.result.byteOffset).getFloat64(offset, true);
const outcomeOf = (run: FinishedRun) => numberAt(run, 0);
const rowBytes = ({ rows }: FinishedRun) => rows.reduce((sum, { length }) => sum + length, 0);
const numberOf = (finished: readonly FinishedRun[], offset: number) =>
  finished.reduce((sum, run) => sum + numberAt(run, offset), 0);

export function nextDecide(input: SatInput, finished: readonly FinishedRun[]): Round | undefined {
  const formula = readFormula(input);
  const cubes = 2 ** cubeVariables(formula).length;
  const rounds = Math.ceil(cubes / ROUND);
  const searched = finished.slice(0, ROUND * rounds).filter((run) => run.kernel === finished[0]!.kernel);
  if (searched.length < finished.length) return undefined;
  const model = searched.findIndex((run) => outcomeOf(run) === 1);
  if (model < 0 && searched.length < cubes) return cubeRound(input, formula, searched.length);
  return { runs: [verdictRun(formula, searched, model)], verdict: true };
}

/** Whether a search ended because its proof filled its room, which no budget enlarges. */
const filledRoom = (run: FinishedRun, cubes: number) =>
  outcomeOf(run) === 2 && 4 * PROOF_WORDS <= cubes * rowBytes(run);

/** `model` is the run that found one, −1 where none has. */
function verdictRun(formula: Formula, searched: readonly FinishedRun[], model: number): RunPlan {
  const { variables: n, clauses, words } = formula;
  const chosen = cubeVariables(formula);
  const outcome = model >= 0 ? 1 : searched.some((run) => outcomeOf(run) === 2) ? 2 : 0;
  const greatest = Math.max(0, ...searched.map((run) => numberAt(run, 56)));
  const head = new Layout()
    .f64(n, clauses, words.length, chosen.length, outcome, searched.length, greatest, numberOf(searched, 8))
    .f64(searched.some((run) => filledRoom(run, 2 ** chosen.length)) ? 1 : 0)
    .i32s([...words, ...chosen]);
  const proofs = outcome === 0 ? searched.reduce((sum, run) => sum + rowBytes(run), 0) : 0;
  const parts: Part[] = [];
  if (outcome === 0) {
    head.f64s(searched.map(rowBytes));
    for (const [run, { rows }] of searched.entries())
      parts.push({ run, of: 'rows', from: 0, length: rows.reduce((sum, { length }) => sum + length, 0) });
  } else if (outcome === 1)
    parts.push({ run: model, of: 'result', from: RESULT_HEAD, length: 8 * Math.ceil(n / 8) });
  const bytes = head.bytes();
  const searchWork = searched.reduce((sum, run) => sum + Number(run.work), 0);
  return {
    kernel: 'sat.verdict',
    parts: [{ bytes }, ...parts],
    stepsPerSegment: 1,
    steps: 1,
    work: baseUnits(formula) + (outcome === 0 ? searchWork + 5 * proofs : 0),
    memory: 2 ** 18 + bytes.length + proofs + 24 * n + 4 * greatest + 64 * chosen.length,
    label: 'verdict',
  };
}

const baseUnits = ({ words, variables }: Formula) => 2000 + 25 * words.length + 10 * variables;

/**
 * The ceiling: every cube to its end, and the proof of it checked. A literal of the proof stands for one that was
 * resolved, at half its price for the checker and for the hash each.
 */
export function quoteDecide(input: SatInput): Quote {
  const formula = readFormula(input);
  const cubes = 2 ** cubeVariables(formula).length;
  const { work: perCube, memory } = cubeRun(input, formula, 0);
  const work = Math.ceil(4 * cubes * perCube + baseUnits(formula));
  return {
    work,
    expected: Math.min(work, Math.ceil(likelyUnits(formula))),
    ceiling: `${conflictsOf(input)} conflicts (conflictBudget), and the check of as long a proof`,
    exact: false,
    memory: memory + 5 * PROOF_WORDS,
  };
}

/**
 * What random formulas take at most, nine times in ten: little with few clauses a variable, more with many, and then, where
 * they are about as many as leave no model, twice as much with every twelve variables. Far more of them, short ones above all,
 * contradict each other soon, far fewer never. Nothing tells of a formula that is hard for another reason.
 */
function likelyUnits(formula: Formula): number {
  const { variables: n, clauses } = formula;
  const share = clauses < 2.7 * n ? 0.25 : clauses < 3.7 * n ? 0.4 : 1;
  const density = densityOf(formula);
  const hard = density < EASY ? 0 : density > FULL ? n / (density * density) : n;
  let units = share * unitsToBegin(formula) + baseUnits(formula);
  for (let left = hard - 74; share === 1 && left >= 12 && units < SEARCH_WORK; left -= 12) units *= 2;
  return units;
}

const LN2 = 0.6931471805599453;
/** Below this part of the clauses that leave no model, random formulas have one that is soon found. */
const EASY = 0.8;
/** Beyond this part their refutations grow shorter. */
const FULL = 1.15;

/** Clauses over those of their length that leave random formulas no model: 1, 4.26 and then 2^k ln 2 to a variable. */
function densityOf({ words, variables }: Formula): number {
  let sum = 0;
  for (let at = 0; at < words.length; at += words[at]! + 1) {
    const size = words[at]!;
    if (size === 2) sum += 1;
    else if (size === 3) sum += 1 / 4.26;
    else if (size < 30) sum += size < 2 ? 0 : 1 / (LN2 * (1 << size));
  }
  return sum / variables;
}

// ---- presentation --------------------------------------------------------------------------------------

const hex = (word: number) => word.toString(16).padStart(8, '0');

export function presentDecide(
  input: SatInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const formula = readFormula(input);
  const n = formula.variables;
  const searched = finished.slice(0, -1);
  const isSatisfiable = verdict.value === 1;
  const counts = {
    conflicts: numberOf(searched, 8),
    decisions: numberOf(searched, 16),
    propagations: numberOf(searched, 24),
    restarts: numberOf(searched, 32),
    cubes: searched.length,
    variables: n,
    clauses: formula.clauses,
  };
  const model = [...verdict.extras.subarray(9, 9 + n)];
  const proof = {
    bytes: verdict.extras[0],
    sha256: [...verdict.extras.subarray(1, 9)].map(hex).join(''),
    format: 'LRAT, i32 little endian',
  };
  const field: Field = {
    name: 'model',
    unit: '1',
    shape: [n],
    source: {
      run: finished.length - 1,
      of: 'result',
      from: 24 + 48 * verdict.gates.length + 72,
      length: 8 * n,
    },
    sealed: true,
  };
  return {
    outputs: {
      satisfiable: isSatisfiable,
      model: isSatisfiable && n <= MAX_LISTED ? model : null,
      proof: isSatisfiable ? null : proof,
      ...counts,
    },
    fields: isSatisfiable && n > 0 ? [field] : [],
    plots:
      isSatisfiable && n > 0
        ? [{ kind: 'line', title: 'the model, 1 is true', x: counted('variable', n), y: ['model'] }]
        : [],
  };
}

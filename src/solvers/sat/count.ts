import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Presentation, Quote, Verdict } from '../solver.ts';
import { type Formula, readFormula, type SatInput } from './formula.ts';

/** Layouts and costs as assembly/kernels/sat-count.ts and its verdict have them. */
const ENDS = 500_000;
const RESULT_BYTES = 16;
/** All assignments are tried where they are 2^24 at most, and not too many literals a block of 64. */
const MAX_TRIED = 24;
const MAX_TRIED_WORK = 2 ** 31;
const MAX_TREE_BYTES = 2 ** 25 + 2 ** 16;

const blocksOf = ({ variables: n }: Formula) => (n > 6 ? 2 ** (n - 6) : 1);
const triedUnits = (formula: Formula) => blocksOf(formula) * (formula.words.length + 10);
const isTried = (formula: Formula) => formula.variables <= MAX_TRIED && triedUnits(formula) <= MAX_TRIED_WORK;

/** A tree of decisions has no more ends than there are assignments. */
export const endsOf = (input: SatInput) =>
  input.conflictBudget ?? Math.min(ENDS, 2 ** Math.min(20, readFormula(input).variables));

const unitsPerEnd = ({ words, clauses, variables: n }: Formula) => 200 + 12 * (words.length + clauses + n);

const countBegins = ({ words, clauses, variables: n }: Formula) => 5000 + 100 * (words.length + clauses * n);

function countRun(input: SatInput, formula: Formula, order: 0 | 1): RunPlan {
  const { variables: n, clauses, words } = formula;
  const ends = endsOf(input);
  const begin = countBegins(formula);
  const most = begin + (ends + 1) * unitsPerEnd(formula);
  const bytes = new Layout()
    .f64(n, clauses, words.length, ends, order, most, !isTried(formula) && order === 0 ? 1 : 0, 0)
    .i32s(words)
    .bytes();
  const state = 16 + 64 + 12 * (n + 2) + 16 * Math.ceil((2 * n) / 16) + 8 * (clauses + 2);
  return {
    kernel: 'sat-count',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(state, 2000),
    work: most + begin,
    memory: 2 ** 19 + 2 * bytes.length + 2 * state + 60 * n,
    label: order === 0 ? 'most uses first' : 'fewest uses first',
  };
}

export function planCount(input: SatInput): Round {
  const formula = readFormula(input);
  const orders = isTried(formula) ? ([0] as const) : ([0, 1] as const);
  return { runs: orders.map((order) => countRun(input, formula, order)) };
}

interface Tree {
  /** Conflicts and leaves. */
  readonly ends: number;
  readonly bytes: number;
}

/** Of a count that is proved each end of the tree is looked at, and each of its words. */
function verdictRun(formula: Formula, tree: Tree): RunPlan {
  const { variables, clauses, words } = formula;
  const tried = isTried(formula);
  const checked = 5 * tree.bytes + tree.ends * (2 * words.length + 20);
  const bytes = new Layout()
    .f64(variables, clauses, words.length, tried ? 1 : 0)
    .i32s(words)
    .bytes();
  const results = Array.from({ length: tried ? 1 : 2 }, (_, run): Part => {
    return { run, of: 'result', from: 0, length: RESULT_BYTES };
  });
  return {
    kernel: 'sat-count.verdict',
    parts: [
      { bytes },
      ...results,
      ...(tried ? [] : [{ run: 0, of: 'rows', from: 0, length: tree.bytes } as const]),
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: 1000 + (tried ? triedUnits(formula) : checked),
    memory: 2 ** 18 + 2 * bytes.length + tree.bytes + 20 * variables,
    label: 'verdict',
  };
}

export function nextCount(input: SatInput, finished: readonly FinishedRun[]): Round | undefined {
  const formula = readFormula(input);
  if (finished.length > (isTried(formula) ? 1 : 2)) return undefined;
  return { runs: [verdictRun(formula, treeOf(finished[0]!))], verdict: true };
}

function treeOf({ result, rows }: FinishedRun): Tree {
  const ends = new DataView(result.buffer, result.byteOffset).getFloat64(8, true);
  return { ends, bytes: rows.reduce((sum, { length }) => sum + length, 0) };
}

/** As large as a tree with so many ends may be. */
function largestTree(ends: number, { variables }: Formula): Tree {
  return { ends: ends + 1, bytes: Math.min(MAX_TREE_BYTES, 4 * (ends + 1) * (2 * variables + 2)) };
}

export function quoteCount(input: SatInput): Quote {
  const formula = readFormula(input);
  const counts = planCount(input).runs;
  const verdict = verdictRun(formula, largestTree(endsOf(input), formula));
  const work = Math.ceil(counts.reduce((sum, run) => sum + run.work, verdict.work));
  const likely = likelyEnds(input, formula);
  const perOrder = countBegins(formula) + (likely * unitsPerEnd(formula)) / 2;
  return {
    work,
    expected: Math.ceil(counts.length * perOrder + verdictRun(formula, largestTree(likely, formula)).work),
    ceiling: `${endsOf(input)} conflicts and leaves (conflictBudget) in each order, and their check`,
    exact: false,
    memory: Math.max(verdict.memory, ...counts.map(({ memory }) => memory)),
  };
}

/** Random formulas have as many ends as half of their variables have assignments, and each is half of what it may be. */
const likelyEnds = (input: SatInput, { variables }: Formula): number =>
  Math.min(endsOf(input), 2 ** Math.ceil(variables / 2));

export function presentCount(input: SatInput, verdict: Verdict): Presentation {
  const { variables, clauses } = readFormula(input);
  return {
    outputs: {
      satisfiable: verdict.value > 0,
      models: verdict.value,
      ends: verdict.extras[0],
      variables,
      clauses,
    },
    fields: [],
    plots: [],
  };
}

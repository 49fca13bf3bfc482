import type { FinishedRun } from '../../src/proof/job.ts';
import { gateKindsOf, kindNames, readVerdictBytes, worstError } from '../../src/proof/verdict-bytes.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { exampleRuns, sealedBy } from './example-job.ts';

// Verdicts that a kernel of the node's own is said to have given, sealed with the node's key: every digest, hash and
// signature holds.

type Row = readonly [
  kind: (typeof kindNames)[number],
  measured: number,
  reference: number,
  error: number,
  bound: number,
];

/** The example under a verdict of these rows, which a kernel of the node's own is said to have given. */
function withVerdict(rows: readonly Row[], precision?: number, ...extras: number[]): string {
  const numbers = rows.flatMap(([kind, ...row], index) => [index, kindNames.indexOf(kind), ...row]);
  const layout = (worst: number) =>
    new Layout().f64(1540, worst, rows.length, ...numbers, ...extras, 55).bytes();
  const verdict = readVerdictBytes(layout(0));
  const worst = precision ?? worstError(verdict.rows);
  const [first, last] = exampleRuns() as [FinishedRun, FinishedRun];
  const gates = rows.map(() => ({ name: 'gate', quantity: 'sum', source: 'the node' }));
  const sealed = { precisionActual: worst, gateKinds: gateKindsOf(verdict.rows) };
  const { answer } = sealedBy(sealed, { gates }, [first, { ...last, result: layout(worst) }]);
  return JSON.stringify(answer);
}

const exact: Row = ['exact', 1540, 1540.77, 5e-4, 1e-3];
const estimate: Row = ['estimate', 0.01, 0.02, 1e-4, 2.5e-4];

/** Verdicts that no verifier lets pass, and what it says. */
export const refusedVerdicts: readonly (readonly [title: string, file: string, says: RegExp])[] = [
  ['no rows', withVerdict([]), /^\/verdict: no gate stands behind the value$/],
  [
    'kinds that are no reference',
    withVerdict([
      ['invariant', 3, 3, 0, 1e-3],
      ['twin', 4, 4, 0, 1e-3],
    ]),
    /^\/verdict: no exact, certificate or estimate row/,
  ],
  [
    'a reference in standard errors only',
    withVerdict([['exact', 1540, 1540, 0, 4.5]]),
    /^\/verdict: no exact.*\n\/gates\/0: .*no estimate row bounds the standard error$/s,
  ],
  ['a bound of 1 %', withVerdict([exact, ['estimate', 1, 1, 5e-3, 1e-2]]), /^\/gates\/1: .*no precision$/],
  ['a wide certificate', withVerdict([exact, ['certificate', 1, 1, 0, 0.5]]), /^\/gates\/1: .*nor a ratio$/],
  ['a wide ratio', withVerdict([exact, ['twin', 2, 0, 2, 1e9]]), /^\/gates\/1: .*nor a ratio$/],
  ['many standard errors', withVerdict([exact, estimate, ['exact', 3, 3, 0, 5]]), /^\/gates\/2: .*no prec/],
  [
    'standard errors as large as the number',
    withVerdict([exact, estimate, ['exact', 2, 1, 1, 4.5]]),
    /^\/gates\/2: 1 standard errors between 2 and 1 are too large ones$/,
  ],
  [
    'a ratio of other numbers',
    withVerdict([exact, ['certificate', 8, 2, 0.5, 1]]),
    /^\/gates\/1: error 0.5 is neither the difference nor the ratio of 8 and 2$/,
  ],
  ['a count that differs', withVerdict([exact, ['certificate', 3, 2, 0, 0]]), /^\/gates\/1: a count/],
  [
    'no error where there is one',
    withVerdict([['exact', 1540, 1550, 0, 1e-3]]),
    /^\/gates\/0: error 0 between 1540 and 1550$/,
  ],
  ['an error below 0', withVerdict([['exact', 1540, 1540, -1, 1e-3]]), /^\/gates\/0: error -1 is below 0$/],
  [
    'an error above its bound',
    withVerdict([exact, ['twin', 2, 1, 2, 1e-3]], 5e-4),
    /\/gates\/1: error 2 abo/,
  ],
  ['a better precision than its rows', withVerdict([exact], 1e-9), /^\/verdict: not 0.0005$/],
  ['numbers that are none', withVerdict([exact], undefined, Number.NaN), /^\/verdict: .*finite$/],
];

/** Verdicts whose rows are of each sort that a solver writes. */
export const allowedVerdicts: readonly (readonly [title: string, file: string])[] = (
  [
    ['a closed form', [exact, ['invariant', 2, 2, 0, 1e-10]]],
    ['means of samples', [exact, estimate, ['invariant', 2.001, 2, 0.5, 4.5], ['exact', 3, 3, 0, 4.5]]],
    [
      'counts and ratios',
      [
        ['certificate', 0.2, 0, 0.2, 1],
        ['certificate', 8, 2, 0.25, 1],
        ['certificate', 7, 7, 0, 0],
        ['certificate', 3e-9, 0, 3e-9, 1e-3],
      ],
    ],
    ['a size that is no comparison', [['estimate', 0, 2, 0, 2.5e-4]]],
    ['rounding', [exact, ['twin', 1, 1 + 2 ** -50, 0, 1e-3]]],
  ] satisfies [string, Row[]][]
).map(([title, rows]) => [title, withVerdict(rows)]);

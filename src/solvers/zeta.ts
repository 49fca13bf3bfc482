import type { FinishedRun } from '../proof/job.ts';
import { DIAGNOSTICS, readDiagnostics } from './diagnostics.ts';
import { choice, integer, optional, ratio, record, usedWith } from './input.ts';
import type { Assumption, Field, Presentation, Solver, Verdict } from './solver.ts';
import { outputs } from './zeta/outputs.ts';
import {
  next,
  plan,
  profileSamples,
  quote,
  readBounded,
  rowBytes,
  rowsLength,
  scansOf,
} from './zeta/plan.ts';
import type { ZetaInput } from './zeta/problem.ts';

const highest = 1e10;
const height = (description: string) => optional(ratio(description, { minimum: 0, maximum: highest }));

const schema = record({
  mode: choice(['Z', 'zero', 'zeros', 'count'], 'Z(t), the n-th zero, the zeros in [t1, t2], or N(T).'),
  ...usedWith({ mode: ['Z'] }, { t: height('Height.') }),
  ...usedWith({ mode: ['zero'] }, { n: optional(integer('Index of the zero.', { minimum: 1 })) }),
  ...usedWith(
    { mode: ['zeros'] },
    { t1: height('Lower end.'), t2: height('Upper end, above t1; at most a million zeros.') },
  ),
  ...usedWith({ mode: ['count'] }, { T: height('Height.') }),
});

function assumed(input: ZetaInput): Assumption[] {
  const choices: Assumption[] = [
    {
      name: 'terms',
      value: 'Riemann–Siegel with C₀…C₄ from t = 200, Euler–Maclaurin below',
      because: 'numerical choice',
    },
  ];
  if (input.mode === 'Z') return choices;
  return [
    ...choices,
    {
      name: 'tolerance',
      value: 1e-10,
      unit: '1',
      because: 'numerical choice: width of a bracket in mean spacings',
    },
    { name: 'density', value: 4, because: 'numerical choice: samples of Z in a Gram interval' },
  ];
}

// ---- presentation --------------------------------------------------------------------------------------

const scalars = 8;
const diagnosticsAt = scalars + 2 * profileSamples;
const zerosAt = diagnosticsAt + DIAGNOSTICS;

function present(input: ZetaInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  return {
    outputs: { mode: input.mode, ...outputsOf(input, verdict) },
    fields: fieldsOf(input, verdict, finished),
    plots: [{ kind: 'line', title: 'Z(t)', x: 't', y: ['Z'] }],
    diagnostics: readDiagnostics(verdict.extras, diagnosticsAt),
  };
}

function outputsOf({ mode, n }: ZetaInput, { extras }: Verdict): Record<string, unknown> {
  const [lower, upper, count, argument, before, listed, errorBound, again] = extras;
  const zeros = [...extras.subarray(zerosAt, zerosAt + listed!)];
  switch (mode) {
    case 'Z':
      return { errorBound, reference: again };
    case 'zero':
      return { n, bracket: [lower, upper], N: count, S: argument, errorBound };
    case 'zeros':
      return { zeros, zerosListed: listed, N1: before, N2: count, S2: argument };
    case 'count':
      return { N: count, S: argument };
  }
}

function fieldsOf(input: ZetaInput, verdict: Verdict, finished: readonly FinishedRun[]): Field[] {
  const run = finished.length - 1;
  const extrasAt = 24 + 48 * verdict.gates.length;
  const column = (name: string, at: number, count: number): Field => ({
    name,
    unit: '1',
    shape: [count],
    source: { run, of: 'result', from: extrasAt + 8 * at, length: 8 * count },
    sealed: true,
  });
  const fields = [
    column('t', scalars, profileSamples),
    column('Z', scalars + profileSamples, profileSamples),
  ];
  if (input.mode !== 'zeros') return fields;
  const listed = verdict.extras[5]!;
  return [...fields, column('zeros', zerosAt, listed), ...brackets(input, finished)];
}

/** Per part of the scan, a little more than was asked: γ, lower and upper end, Z at either. */
function brackets(input: ZetaInput, finished: readonly FinishedRun[]): Field[] {
  return scansOf(input, finished).map((run, part) => {
    const length = rowsLength(finished[run]!);
    return {
      name: part === 0 ? 'brackets' : `brackets${part + 1}`,
      unit: '1',
      shape: [length / rowBytes, rowBytes / 8],
      source: { run, of: 'rows', from: 0, length },
      sealed: true,
    };
  });
}

/**
 * Hardy's Z function and the zeros of ζ on the critical line. In: heights and indices as pure numbers. Out: Z(t), γ_n,
 * or a number of zeros; every count is closed by Turing's method, so that an index is certain.
 */
export const zeta: Solver<ZetaInput> = {
  id: 'zeta',
  title: 'Riemann zeta function on the critical line',
  summary:
    'Computes Z(t), the n-th zero, all zeros between two heights, or their number, by the Riemann–Siegel formula; ' +
    'zeros are bracketed by certain signs and counted by Turing’s method.',
  equation: 'Z(t)=e^{i\\theta(t)}\\zeta(\\tfrac12+it),\\quad Z(\\gamma_n)=0',
  references: [
    'Edwards, Riemann’s Zeta Function, chapters 6 to 8',
    'Gabcke, Neue Herleitung und explizite Restabschätzung der Riemann-Siegel-Formel, Göttingen 1979',
    'Lehman, Proc. London Math. Soc. 20 (1970) 303 (Turing’s method)',
    'Trudgian, Math. Comp. 80 (2011) 2259 (its constants)',
    'Berrut & Trefethen, SIAM Rev. 46 (2004) 501 (barycentric interpolation)',
    'Brent, Algorithms for Minimization without Derivatives, chapter 4',
  ],
  input: schema,
  gates: [
    {
      name: 'second evaluation',
      quantity: 'Z(t)',
      source: 'Euler–Maclaurin below t = 2000, else other expansions',
    },
    {
      name: 'error bound',
      quantity: '|Z(t)|, at least 1e-3',
      source: 'Gabcke’s bound of the remainder and rounding',
    },
    {
      name: 'evaluations agree',
      quantity: '|Z − Z′| over both bounds',
      source: 'second evaluation at every sample',
    },
    {
      name: 'signs',
      quantity: 'bound over |Z| at the ends of brackets',
      source: 'Gabcke’s bound and rounding',
    },
    {
      name: 'count',
      quantity: 'zeros between the Gram points A and B',
      source: 'n_B − n_A by Turing’s method',
    },
    {
      name: 'Turing below',
      quantity: '|∫S dt| if a zero were missing',
      source: 'Trudgian’s bound of |∫S dt|',
    },
    {
      name: 'Turing above',
      quantity: '|∫S dt| if a zero were too many',
      source: 'Trudgian’s bound of |∫S dt|',
    },
    { name: 'bracket', quantity: 'width over the mean spacing', source: 'ends of opposite sign' },
    { name: 'heights', quantity: 'bound over |Z| at t1, t2 or T', source: 'second evaluation' },
  ],
  field: true,
  outputs,
  unit: () => '1',
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails: (input) => ({ mode: readBounded(input).mode }),
  examples: [
    {
      title: 'Z(1000)',
      body: { mode: 'Z', t: 1000 },
      expect: { value: 0.99779463752159, unit: '1' },
      tolerance: 1e-3,
      source: 'mpmath, 25 digits',
    },
    {
      title: 'the 1000th zero',
      body: { mode: 'zero', n: 1000 },
      expect: { value: 1419.4224809459956, unit: '1' },
      tolerance: 1e-6,
      source: 'Odlyzko, tables of zeros of the zeta function',
    },
    {
      title: 'Lehmer’s pair',
      body: { mode: 'zeros', t1: 7005, t2: 7005.2 },
      expect: { value: 2, unit: '1', zeros: [7005.06286617492, 7005.10056467265] },
      tolerance: 1e-6,
      source: 'Lehmer, Acta Math. 95 (1956) 291; digits by mpmath',
    },
    {
      title: 'number of zeros up to 10⁴',
      body: { mode: 'count', T: 10000 },
      expect: { value: 10142, unit: '1' },
      tolerance: 0,
      source: 'Odlyzko, tables of zeros of the zeta function',
    },
  ],
};

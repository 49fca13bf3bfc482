import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { type Balance, hasSeries, ROWS, readBalance } from './balance.ts';
import { readLatitude } from './latitude.ts';
import type { ClimateInput } from './problem.ts';

// Reads what the verdicts wrote; the offsets are those at their heads.

const SCALARS = 7;
const LATITUDE_SCALARS = 24;
/** Largest profile whose numbers stand in the answer itself. */
const MAX_INLINE = 1024;

/** Columns of the extras, one behind the other, as fields that the verdict gated. */
function columns(
  { gates }: Verdict,
  run: number,
  first: number,
  count: number,
  named: readonly (readonly [string, string])[],
): Field[] {
  return named.map(([name, unit], column) => ({
    name,
    unit,
    shape: [count],
    source: {
      run,
      of: 'result',
      from: 24 + 48 * gates.length + 8 * (first + count * column),
      length: 8 * count,
    },
    sealed: true,
  }));
}

// ---- without latitude ----------------------------------------------------------------------------------

export function presentBalance(input: ClimateInput, verdict: Verdict, run: number): Presentation {
  const balance = readBalance(input);
  const outputs = outputsOf(input, balance, verdict.extras);
  if (hasSeries(balance)) return withSeries(input, outputs, verdict, run);
  if (balance.levels === 0) return { outputs, fields: [], plots: [] };
  const coordinate = balance.code === 'layers' ? 'layer' : 'depth';
  return {
    outputs,
    fields: columns(verdict, run, SCALARS, balance.levels, [
      [coordinate, '1'],
      ['T', 'K'],
    ]),
    plots: [{ kind: 'line', title: 'from the top to the ground', x: coordinate, y: ['T'] }],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * balance.levels, {
      absentMasterEquation: 'there are fewer than three levels',
    }),
  };
}

function outputsOf(input: ClimateInput, balance: Balance, extras: Float64Array): Record<string, unknown> {
  const [T, deep, F, equilibrium, effective, steps, dt] = extras;
  switch (input.model) {
    case 'forcing':
      return { forcing: F, temperature: input.lambda === undefined ? null : T };
    case 'grey':
      return { temperature: T, effectiveTemperature: effective };
    case 'two-layer': {
      const t0 = hasSeries(balance) ? { t0: extras[SCALARS + ROWS - 1] } : {};
      const time = hasSeries(balance) ? { steps, dt, ...continuesOf(input.before) } : {};
      return { temperature: T, equilibrium, finalState: { T, Td: deep, ...t0 }, ...time };
    }
    default:
      if (!hasSeries(balance)) return { temperature: T, equilibrium };
      return {
        temperature: T,
        equilibrium: equilibrium! > 0 ? equilibrium : null,
        finalState: { T, t0: extras[SCALARS + ROWS - 1] },
        steps,
        dt,
        ...continuesOf(input.before),
      };
  }
}

function withSeries(
  { model }: ClimateInput,
  outputs: Record<string, unknown>,
  verdict: Verdict,
  run: number,
): Presentation {
  const two = model === 'two-layer';
  const named = [
    ['t', 's'],
    ['T', 'K'],
    ['Td', 'K'],
  ] as const;
  return {
    outputs,
    fields: columns(verdict, run, SCALARS, ROWS, two ? named : named.slice(0, 2)),
    plots: [{ kind: 'line', title: two ? 'anomalies' : 'temperature', x: 't', y: two ? ['T', 'Td'] : ['T'] }],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 3 * ROWS, {
      absentTerm: 'the balance has no such term',
      absentStep: two ? 'two layers have no single mode' : 'a step of this equation is not linear',
    }),
  };
}

// ---- with latitude -------------------------------------------------------------------------------------

export function presentLatitude(input: ClimateInput, verdict: Verdict, run: number): Presentation {
  const { cells, ice } = readLatitude(input);
  const [mean, probed, edge, x, leaving, absorbed, margin, count] = verdict.extras;
  const T = verdict.extras.subarray(LATITUDE_SCALARS + 2 * cells, LATITUDE_SCALARS + 4 * cells);
  const states = Array.from({ length: count! }, (_, i) => ({
    iceLatitude: verdict.extras[8 + 2 * i],
    stable: verdict.extras[9 + 2 * i] === 1,
  }));
  return {
    outputs: {
      meanTemperature: mean,
      temperature: input.probe ? probed : null,
      iceLatitude: ice ? edge : null,
      ...(ice ? { iceEdge: x, stabilityMargin: margin, states } : {}),
      outgoing: leaving,
      absorbed,
      ...(2 * cells <= MAX_INLINE ? { finalState: { T: [...T] } } : {}),
    },
    fields: columns(verdict, run, LATITUDE_SCALARS, 2 * cells, [
      ['latitude', 'deg'],
      ['T', 'K'],
    ]),
    plots: [{ kind: 'line', title: 'temperature over latitude', x: 'latitude', y: ['T'] }],
    diagnostics: readDiagnostics(verdict.extras, LATITUDE_SCALARS + 4 * cells),
  };
}

import { continuesOf } from '../continuation.ts';
import { readDiagnostics } from '../diagnostics.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { lineIntervals, planeGrid } from './levels.ts';
import { unitsOf, waveUnit } from './outputs.ts';
import type { SchrodingerInput } from './schema.ts';
import { passageIntervals, readEvolution } from './waves.ts';

// Names for what the verdicts wrote; the offsets are those at the heads of assembly/verdicts/schrodinger*.ts.

const ROWS = 33;
/** Arrays above this are fields alone. */
const INLINE = 4096;

/** Where and when; gates look at the value, and at what ψ has in the mean, not at ψ itself. */
const coordinates = new Set(['r', 'x', 'y', 't']);

/** Columns that stand one after another in the extras, from number `at` on. */
function columns(verdict: Verdict, run: number, at: number, list: readonly Column[]): Field[] {
  let from = 24 + 48 * verdict.gates.length + 8 * at;
  return list.map(({ name, unit, shape }) => {
    const length = 8 * shape.reduce((product, size) => product * size, 1);
    const sealed = coordinates.has(name);
    const field: Field = { name, unit, shape, source: { run, of: 'result', from, length }, sealed };
    from += length;
    return field;
  });
}

interface Column {
  readonly name: string;
  readonly unit: string | null;
  readonly shape: readonly number[];
}

function presentLine(input: SchrodingerInput, verdict: Verdict, run: number): Presentation {
  const N = lineIntervals(input);
  const [joules, E, below, above, numerov, dvr, nodes, kinetic, potential] = verdict.extras;
  const { metre, energy } = unitsOf(input);
  return {
    outputs: {
      ...(energy === 'eV' ? { joules } : {}),
      E,
      levelBelow: input.n === 0 ? null : below,
      levelAbove: above,
      numerov,
      dvr: dvr === 0 ? null : dvr,
      nodes,
      kinetic,
      potential,
      N,
    },
    fields: columns(verdict, run, 9, [
      { name: input.mode === 'radial' ? 'r' : 'x', unit: metre, shape: [N + 1] },
      { name: input.mode === 'radial' ? 'u' : 'psi', unit: waveUnit(input, 1), shape: [N + 1] },
    ]),
    plots: [
      input.mode === 'radial'
        ? { kind: 'line', title: 'u = rψ', x: 'r', y: ['u'] }
        : { kind: 'line', title: 'ψ', x: 'x', y: ['psi'] },
    ],
    diagnostics: readDiagnostics(verdict.extras, 9 + 2 * (N + 1)),
  };
}

function presentPlane(input: SchrodingerInput, verdict: Verdict, run: number): Presentation {
  const { nx, ny } = planeGrid(input);
  const levels = input.n! + 2;
  const [joules, kinetic, potential] = verdict.extras;
  const { metre, energy } = unitsOf(input);
  const at = 3 + levels;
  return {
    outputs: {
      ...(energy === 'eV' ? { joules } : {}),
      levels: [...verdict.extras.subarray(3, at)],
      kinetic,
      potential,
      N: [nx, ny],
    },
    fields: columns(verdict, run, at, [
      { name: 'x', unit: metre, shape: [nx - 1] },
      { name: 'y', unit: metre, shape: [ny - 1] },
      { name: 'psi', unit: waveUnit(input, 2), shape: [ny - 1, nx - 1] },
    ]),
    plots: [{ kind: 'map', title: 'ψ', field: 'psi', x: 'x', y: 'y' }],
    diagnostics: readDiagnostics(verdict.extras, at + nx - 1 + ny - 1 + (nx - 1) * (ny - 1)),
  };
}

function presentEvolution(input: SchrodingerInput, verdict: Verdict, run: number): Presentation {
  const { nx, ny, nodes } = readEvolution(input);
  const { metre, second, energy } = unitsOf(input);
  const [norm, mean, width, meanEnergy, energyDriftPct, steps, dt, t0] = verdict.extras;
  const places = Math.min(128, nx);
  const statesAt = 8 + ROWS * (4 + places) + places;
  const part = (from: number) => [...verdict.extras.subarray(from, from + nodes)];
  const shape = ny === 1 ? [nx] : [ny, nx];
  const wave = waveUnit(input, ny === 1 ? 1 : 2);
  return {
    outputs: {
      norm,
      mean,
      width,
      energy: meanEnergy,
      energyDriftPct,
      steps,
      dt,
      ...continuesOf(input.before),
      finalState: nodes <= INLINE ? { psiRe: part(statesAt), psiIm: part(statesAt + nodes), t0 } : { t0 },
    },
    fields: columns(verdict, run, 8, [
      { name: 't', unit: second, shape: [ROWS] },
      { name: 'mean', unit: metre, shape: [ROWS] },
      { name: 'width', unit: metre, shape: [ROWS] },
      { name: 'energy', unit: energy, shape: [ROWS] },
      { name: 'x', unit: metre, shape: [places] },
      { name: 'density', unit: metre === '1' ? '1' : '1/m', shape: [ROWS, places] },
      { name: 'psiRe', unit: wave, shape },
      { name: 'psiIm', unit: wave, shape },
    ]),
    plots: [
      { kind: 'line', title: 'mean and width', x: 't', y: ['mean', 'width'] },
      { kind: 'map', title: '|ψ|² along x in time', field: 'density', x: 'x', y: 't' },
    ],
    diagnostics: readDiagnostics(verdict.extras, statesAt + 2 * nodes),
  };
}

function presentPassage(input: SchrodingerInput, verdict: Verdict, run: number): Presentation {
  const N = passageIntervals(input);
  const [transmission, reflection] = verdict.extras;
  return {
    outputs: { transmission, reflection, N },
    fields: columns(verdict, run, 2, [
      { name: 'x', unit: unitsOf(input).metre, shape: [N + 1] },
      { name: 'density', unit: '1', shape: [N + 1] },
    ]),
    plots: [{ kind: 'line', title: '|ψ|² for an incident wave of 1', x: 'x', y: ['density'] }],
    diagnostics: readDiagnostics(verdict.extras, 2 + 2 * (N + 1)),
  };
}

export function present(input: SchrodingerInput, verdict: Verdict, run: number): Presentation {
  if (input.mode === 'eigen2d') return presentPlane(input, verdict, run);
  if (input.mode === 'evolve') return presentEvolution(input, verdict, run);
  return input.mode === 'transmission'
    ? presentPassage(input, verdict, run)
    : presentLine(input, verdict, run);
}

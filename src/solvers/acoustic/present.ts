import { DIAGNOSTICS, readDiagnostics } from '../diagnostics.ts';
import type { Plot } from '../plot.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { FREQUENCIES, isDrivenBox } from './box.ts';
import { fieldGrid } from './field.ts';
import { axisCount, SAMPLES, TURN } from './lines.ts';
import { maskGrid } from './mask.ts';
import { hasImpedance, speedOf } from './problem.ts';
import type { AcousticInput } from './schema.ts';

// Names for what the verdicts wrote; the offsets are those at the heads of assembly/verdicts/acoustic*.ts.

interface Column {
  readonly name: string;
  readonly unit: string | null;
  readonly shape: readonly number[];
  /** Whether a gate looks at it; absent: yes. */
  readonly sealed?: boolean;
}

/** Columns that stand one after another in the extras, from number `at` on. */
function columns(verdict: Verdict, run: number, at: number, list: readonly Column[]): Field[] {
  let from = 24 + 48 * verdict.gates.length + 8 * at;
  return list.map(({ name, unit, shape, sealed = true }) => {
    const length = 8 * shape.reduce((product, size) => product * size, 1);
    const field: Field = { name, unit, shape, source: { run, of: 'result', from, length }, sealed };
    from += length;
    return field;
  });
}

const last = (verdict: Verdict) => readDiagnostics(verdict.extras, verdict.extras.length - DIAGNOSTICS);
const axes = ['x', 'y', 'z'] as const;

/** 3 ln 10: p falls to a thousandth of itself in 6.9/δ (Kuttruff, Room Acoustics, 3.51). */
const SIXTY_DECIBELS = 6.907755278982137;

/** What a decay rate δ [1/s] says of a mode of frequency f [Hz]; nothing dies where no wall takes anything. */
const damping = (frequencies: readonly number[], decayRates: readonly number[]) => ({
  frequencies,
  decayRates,
  Q: decayRates.map((delta, i) => (delta > 0 ? (0.5 * TURN * frequencies[i]!) / delta : null)),
  reverberationTimes: decayRates.map((delta) => (delta > 0 ? SIXTY_DECIBELS / delta : null)),
});

/** Of modes that the walls take nothing from: the loss of the air alone damps them. */
const listOf = ({ eta = 0 }: AcousticInput, frequencies: readonly number[]) =>
  eta === 0
    ? { frequencies }
    : damping(
        frequencies,
        frequencies.map((f) => 0.5 * TURN * f * eta),
      );

function presentModes(input: AcousticInput, verdict: Verdict, run: number): Presentation {
  const count = axisCount(input);
  const names = axes.slice(0, count);
  const own = (name: string) => (count === 1 ? 'p' : `p_${name}`);
  return {
    outputs: {
      c: speedOf(input),
      mode: [...verdict.extras.subarray(2, 2 + count)],
      ...listOf(input, [...verdict.extras.subarray(5, 5 + input.count!)]),
    },
    fields: columns(
      verdict,
      run,
      5 + input.count!,
      names.flatMap((name) => [
        { name, unit: 'm', shape: [SAMPLES] },
        { name: own(name), unit: '1', shape: [SAMPLES] },
      ]),
    ),
    plots: names.map(
      (name): Plot => ({ kind: 'line', title: `mode along ${name}`, x: name, y: [own(name)] }),
    ),
    diagnostics: last(verdict),
  };
}

function presentWalls(input: AcousticInput, verdict: Verdict, run: number): Presentation {
  const count = axisCount(input);
  const listed = input.count!;
  const names = axes.slice(0, count);
  const own = (name: string) => (count === 1 ? 'p' : `p_${name}`);
  const list = (from: number) => [...verdict.extras.subarray(from, from + listed)];
  return {
    outputs: {
      c: verdict.extras[1],
      mode: [...verdict.extras.subarray(2, 2 + count)],
      ...damping(list(7), list(7 + listed)),
      counted: { frequency: verdict.extras[5], decayRate: verdict.extras[6] },
    },
    fields: columns(
      verdict,
      run,
      7 + 2 * listed,
      names.flatMap((name) => [
        { name, unit: 'm', shape: [SAMPLES] },
        { name: `${own(name)}Re`, unit: '1', shape: [SAMPLES] },
        { name: `${own(name)}Im`, unit: '1', shape: [SAMPLES] },
      ]),
    ),
    plots: names.map(
      (name): Plot => ({
        kind: 'line',
        title: `mode along ${name}`,
        x: name,
        y: [`${own(name)}Re`, `${own(name)}Im`],
      }),
    ),
    diagnostics: last(verdict),
  };
}

/** The mode is shown, not vouched for: three meshes bound its frequency alone. */
function presentMask(input: AcousticInput, verdict: Verdict, run: number): Presentation {
  const grid = maskGrid(input);
  return {
    outputs: {
      c: speedOf(input),
      ...listOf(input, [...verdict.extras.subarray(2, 2 + input.count!)]),
      N: grid.N,
    },
    fields: columns(verdict, run, 2 + input.count!, [
      { name: 'x', unit: 'm', shape: [grid.columns] },
      { name: 'y', unit: 'm', shape: [grid.rows] },
      { name: 'p', unit: '1', shape: [grid.rows, grid.columns], sealed: false },
    ]),
    plots: [{ kind: 'map', title: 'mode', field: 'p', x: 'x', y: 'y' }],
    diagnostics: last(verdict),
  };
}

function presentMaskWalls(input: AcousticInput, verdict: Verdict, run: number): Presentation {
  const grid = maskGrid(input);
  const listed = input.count!;
  const list = (from: number) => [...verdict.extras.subarray(from, from + listed)];
  return {
    outputs: {
      c: verdict.extras[1],
      ...damping(list(4), list(4 + listed)),
      counted: { frequency: verdict.extras[2], decayRate: verdict.extras[3] },
      N: grid.N,
    },
    fields: columns(verdict, run, 4 + 2 * listed, [
      { name: 'x', unit: 'm', shape: [grid.columns] },
      { name: 'y', unit: 'm', shape: [grid.rows] },
      { name: 'pRe', unit: '1', shape: [grid.rows, grid.columns], sealed: false },
      { name: 'pIm', unit: '1', shape: [grid.rows, grid.columns], sealed: false },
    ]),
    plots: [
      { kind: 'map', title: 'Re of the mode', field: 'pRe', x: 'x', y: 'y' },
      { kind: 'map', title: 'Im of the mode', field: 'pIm', x: 'x', y: 'y' },
    ],
    diagnostics: last(verdict),
  };
}

/** Whether the air or the far end takes anything of a driven duct. */
function isDamped({ eta = 0, boundary }: AcousticInput): boolean {
  const sides = typeof boundary === 'object' && !('type' in boundary) ? boundary.right : boundary;
  return eta > 0 || (typeof sides === 'object' && sides.type === 'impedance' && sides.Z > 0);
}

function presentDriven(input: AcousticInput, verdict: Verdict, run: number): Presentation {
  const [, re, im, incoming, outgoing, lost] = verdict.extras;
  const passing = input.analysis === 'transmission';
  const response = passing ? 'TL' : 'response';
  return {
    outputs: passing
      ? { power: { incoming, outgoing, lost } }
      : { p: { re, im }, power: { incoming, outgoing, lost } },
    fields: columns(verdict, run, 6, [
      { name: 'x', unit: 'm', shape: [SAMPLES] },
      { name: 'p', unit: passing ? '1' : 'Pa', shape: [SAMPLES] },
      { name: 'frequency', unit: 'Hz', shape: [SAMPLES] },
      // Undamped it has no bound where a frequency of it meets a resonance.
      { name: response, unit: passing ? 'dB' : 'Pa', shape: [SAMPLES], sealed: passing || isDamped(input) },
    ]),
    plots: [
      { kind: 'line', title: '|p| along the duct', x: 'x', y: ['p'] },
      {
        kind: 'line',
        title: passing ? 'transmission loss' : '|p| at the probe',
        x: 'frequency',
        y: [response],
      },
    ],
    diagnostics: last(verdict),
  };
}

/** Three meshes bound p at the probe; elsewhere it is shown. */
function presentField(input: AcousticInput, verdict: Verdict, run: number): Presentation {
  const [, re, im, incoming, outgoing, lost] = verdict.extras;
  const grid = fieldGrid(input);
  return {
    outputs: { p: { re, im }, power: { incoming, outgoing, lost }, N: grid.N },
    fields: columns(verdict, run, 6, [
      { name: 'x', unit: 'm', shape: [grid.columns] },
      { name: 'y', unit: 'm', shape: [grid.rows] },
      { name: 'pRe', unit: 'Pa', shape: [grid.rows, grid.columns], sealed: false },
      { name: 'pIm', unit: 'Pa', shape: [grid.rows, grid.columns], sealed: false },
      { name: 'frequency', unit: 'Hz', shape: [grid.frequencies] },
      { name: 'response', unit: 'Pa', shape: [grid.frequencies], sealed: false },
    ]),
    plots: [
      { kind: 'map', title: 'Re p', field: 'pRe', x: 'x', y: 'y' },
      { kind: 'map', title: 'Im p', field: 'pIm', x: 'x', y: 'y' },
      { kind: 'line', title: '|p| at the probe', x: 'frequency', y: ['response'] },
    ],
    diagnostics: last(verdict),
  };
}

function presentBox(verdict: Verdict, run: number): Presentation {
  const [, re, im, incoming, outgoing, lost] = verdict.extras;
  return {
    outputs: { p: { re, im }, power: { incoming, outgoing, lost } },
    fields: columns(verdict, run, 6, [
      ...axes.flatMap((name) => [
        { name, unit: 'm', shape: [SAMPLES] },
        { name: `p_${name}`, unit: 'Pa', shape: [SAMPLES] },
      ]),
      { name: 'frequency', unit: 'Hz', shape: [FREQUENCIES] },
      { name: 'response', unit: 'Pa', shape: [FREQUENCIES], sealed: false },
    ]),
    plots: [
      ...axes.map(
        (name): Plot => ({
          kind: 'line',
          title: `|p| along ${name} through the probe`,
          x: name,
          y: [`p_${name}`],
        }),
      ),
      { kind: 'line', title: '|p| at the probe', x: 'frequency', y: ['response'] },
    ],
    diagnostics: last(verdict),
  };
}

export function present(input: AcousticInput, verdict: Verdict, run: number): Presentation {
  if (input.analysis === 'forced' && input.domain.type === 'mask') return presentField(input, verdict, run);
  if (input.analysis === 'forced' || input.analysis === 'transmission')
    return isDrivenBox(input) ? presentBox(verdict, run) : presentDriven(input, verdict, run);
  if (input.domain.type === 'mask')
    return hasImpedance(input) ? presentMaskWalls(input, verdict, run) : presentMask(input, verdict, run);
  return hasImpedance(input) ? presentWalls(input, verdict, run) : presentModes(input, verdict, run);
}

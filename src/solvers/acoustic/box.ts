import { refuse } from '../../errors/refusal.ts';
import type { Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import {
  axisSides,
  checkWave,
  code,
  type Meshed,
  nodesOf,
  pages,
  pieceLayout,
  probeOf,
  SAMPLES,
  TURN,
} from './lines.ts';
import { MOST } from './mask.ts';
import { type End, endsOf, piecesOf, sentElements, speedOf, tooMuch } from './problem.ts';
import type { AcousticInput, Side } from './schema.ts';

// Boxes that are driven between open walls or walls of impedance. Costs and layouts as assembly/acoustics/box.ts,
// assembly/acoustics/across.ts, the kernels acoustic-across, acoustic-box and acoustic-box-spectrum and the verdict have them.

/** Across the box every mode is found. */
const MOST_ELEMENTS = 64;
const LEAST_ELEMENTS = 8;
/** Sound that cannot go on dies within the shortest side that it is held by: so many elements in that, up to a bound along and across. */
const IN_DYING = { each: 4, along: 128, across: 32 };
/** Elements for each radian of α over an axis: the verdict's roots begin from elements until |κ| is twice |α|. */
const PER_ADMITTANCE = 0.7;
/** Sound that starts beside a wall that gives way is r log r there: the last element is cut at these. */
const CUTS = [1 / 64, 1 / 16, 1 / 4, 1];
export const FREQUENCIES = 33;
/** Modes of an axis in the verdict. */
const EXACT = 1024;

const beside: readonly Side[] = ['bottom', 'top', 'front', 'back'];

/** Whether a driven box is more than a duct: a side beside the piston gives way. */
export function isDrivenBox(input: AcousticInput): boolean {
  if (input.analysis !== 'forced' || input.domain.type !== 'box') return false;
  const ends = endsOf(input, ['right', ...beside], ['left']);
  return beside.some((side) => ends.get(side)!.type !== 'rigid');
}

interface Axis {
  readonly L: number;
  readonly ends: readonly End[];
  /** Of equal length, before those at the ends are cut; 0: p is the same all along. */
  readonly elements: number;
}

const RIGID: End = { type: 'rigid', R: 0, X: 0 };
const givesWay = ({ type }: End) => type !== 'rigid';

/**
 * The shortest wave: along a wall that yields as a spring, X < 0, runs one of k² − α², which goes on with k alone between walls.
 * Z is the same at all frequencies, so that the spectrum has it too.
 */
function shortestWave(input: AcousticInput, ends: readonly (readonly End[])[]): number {
  const k = (TURN * input.frequency!) / speedOf(input);
  const bound = ends.map((pair) =>
    Math.max(
      ...pair.map(({ type, R, X }) => {
        if (type !== 'impedance' || X >= 0) return 0;
        const size = (TURN * input.frequency! * input.rho!) / (R * R + X * X);
        return Math.max(0, size * size * (X * X - R * R));
      }),
    ),
  );
  return TURN / Math.sqrt(bound.reduce((sum, square) => sum + square, k * k));
}

/** |α|L of an end, α = ωρ/Z. */
function admittanceOf(input: AcousticInput, { type, R, X }: End, L: number): number {
  return type === 'impedance' ? (TURN * input.frequency! * input.rho! * L) / Math.sqrt(R * R + X * X) : 0;
}

function readAxes(input: AcousticInput): Axis[] {
  const { domain } = input;
  if (domain.type !== 'box') throw new RangeError('no box');
  const named = endsOf(input, ['right', ...beside], ['left']);
  const pairs = axisSides.map((pair) => pair.map((side) => named.get(side) ?? RIGID));
  const wave = shortestWave(input, pairs);
  const sent = sentElements(input, 3);
  const lengths = [domain.Lx, domain.Ly, domain.Lz];
  const shortest = Math.min(...lengths.filter((_, axis) => axis === 0 || pairs[axis]!.some(givesWay)));
  return lengths.map((L, axis) => {
    const ends = pairs[axis]!;
    if (axis > 0 && !ends.some(givesWay)) return { L, ends, elements: 0 };
    const bound = axis === 0 ? IN_DYING.along : IN_DYING.across;
    const dying = Math.min(bound, Math.ceil((IN_DYING.each * L) / shortest));
    const wanted = sent[axis] ?? Math.max(LEAST_ELEMENTS, dying, Math.ceil((8 * L) / wave));
    checkWave((4 * wanted * wave) / L);
    return { L, ends, elements: axis === 0 ? wanted : enoughAcross(input, axis, ends, L, wanted) };
  });
}

/** Elements across: those of the wave, or those that the walls take. */
function enoughAcross(
  input: AcousticInput,
  axis: number,
  ends: readonly End[],
  L: number,
  wanted: number,
): number {
  const admittances = ends.map((end) => admittanceOf(input, end, L));
  const least = Math.ceil(PER_ADMITTANCE * (admittances[0]! + admittances[1]!));
  const sent = input.N !== undefined;
  if (least > (sent ? wanted : MOST_ELEMENTS)) {
    const side = axisSides[axis]![admittances[0]! > admittances[1]! ? 0 : 1];
    refuse('LIMIT_EXCEEDED', `boundary.${side}: so soft a wall takes ${least} elements.`, {
      field: sent ? 'N' : `boundary.${side}`,
      measured: least,
      bound: sent ? wanted : MOST_ELEMENTS,
      accepts: sent ? `at least ${least}` : 'open, or a larger |Z|',
    });
  }
  return tooManyAcross(Math.max(wanted, least));
}

function tooManyAcross(elements: number): number {
  if (elements > MOST_ELEMENTS)
    refuse('LIMIT_EXCEEDED', `N: ${elements} elements stand across the box.`, {
      field: 'N',
      measured: elements,
      bound: MOST_ELEMENTS,
      accepts: `at most ${MOST_ELEMENTS} across, or a lower frequency`,
    });
  return elements;
}

/** Equal elements, those at the named ends cut. */
function meshOf({ L, elements }: Axis, left: boolean, right: boolean): Meshed[] {
  if (elements === 0) return [{ L, S: 1, elements: 1 }];
  const h = L / elements;
  const cuts = CUTS.map((to, i) => ({ L: (to - (CUTS[i - 1] ?? 0)) * h, S: 1, elements: 1 }));
  const inner = elements - (left ? 1 : 0) - (right ? 1 : 0);
  return [
    ...(left ? cuts : []),
    ...(inner > 0 ? [{ L: h * inner, S: 1, elements: inner }] : []),
    ...(right ? [...cuts].reverse() : []),
  ];
}

const meshesOf = (axes: readonly Axis[]) =>
  axes.map((axis, i) => meshOf(axis, i === 0 || givesWay(axis.ends[0]!), i > 0 && givesWay(axis.ends[1]!)));

const coarser = ({ elements, ...axis }: Axis): Axis => ({
  ...axis,
  elements: elements === 0 ? 0 : Math.max(Math.min(elements, LEAST_ELEMENTS), Math.ceil(elements / 2)),
});

// ---- runs ----------------------------------------------------------------------------------------------

interface Box {
  readonly input: AcousticInput;
  readonly axes: readonly Axis[];
  readonly meshes: readonly (readonly Meshed[])[];
  readonly nodes: readonly number[];
  readonly modes: readonly number[];
}

function boxOf(input: AcousticInput, axes: readonly Axis[]): Box {
  const meshes = meshesOf(axes);
  const nodes = meshes.map(nodesOf);
  const modes = axes.map(({ ends }, i) => nodes[i]! - ends.filter(({ type }) => type === 'open').length);
  return { input, axes, meshes, nodes, modes };
}

function layOut({ input, axes, meshes }: Box, frequencies: number, axis: number): Uint8Array {
  const { frequency, eta = 0, rho, u0 } = input;
  const layout = new Layout().f64(TURN * frequency!, speedOf(input), eta, rho!, u0!);
  for (const { type, R, X } of axes.flatMap(({ ends }) => ends).slice(1)) layout.f64(code[type], R, X);
  layout.f64(...probeOf(input, piecesOf(input)), frequencies, axis, axes[1]!.elements, axes[2]!.elements);
  layout.f64(...meshes.map(({ length }) => length));
  return pieceLayout(layout, meshes.flat()).bytes();
}

const cube = (n: number) => n * n * n;
const tableBytes = ({ nodes, modes }: Box, axis: number) => 16 * modes[axis]! * (nodes[axis]! + 2);
const denseBytes = (nodes: number) => 16 * nodes * nodes + 300 * nodes;
const lineBytes = ({ nodes }: Box) => nodes.reduce((sum, count) => sum + 250 * count, 70_000);

function acrossRun(box: Box, axis: number): RunPlan {
  const bytes = layOut(box, 0, axis);
  const nodes = box.nodes[axis]!;
  return {
    kernel: 'acoustic-across',
    parts: [{ bytes }],
    stepsPerSegment: 1,
    steps: 1,
    work: 20 * cube(nodes) + 100_000,
    memory: pages(bytes.length + tableBytes(box, axis) + denseBytes(nodes) + lineBytes(box)),
    label: `${box.modes[axis]} modes across`,
  };
}

function fieldRun(box: Box): RunPlan {
  const bytes = layOut(box, 0, 0);
  const [nx, ny, nz] = box.nodes as [number, number, number];
  const [, modesY, modesZ] = box.modes as [number, number, number];
  const all = nx * ny * nz;
  const unit = nx * nz * (modesZ + ny) + 80 * nx * modesZ;
  const work = modesY * unit + 400 * all;
  const tables = [1, 2].map(
    (axis): Part => ({ run: axis - 1, of: 'result', from: 0, length: tableBytes(box, axis) }),
  );
  const room = 16 * (all + nx * nz + nx * ny) + tableBytes(box, 1) + tableBytes(box, 2);
  if (!(work <= MOST.work)) tooMuch('N', work, MOST.work);
  if (!(room <= MOST.memory)) tooMuch('N', room, MOST.memory);
  return {
    kernel: 'acoustic-box',
    parts: [{ bytes }, ...tables],
    stepsPerSegment: segmentSteps(32 + 16 * all, unit),
    steps: modesY + 1,
    work,
    memory: pages(bytes.length + room + lineBytes(box)),
    label: `${all} nodes`,
  };
}

function spectrumRun(box: Box): RunPlan {
  const bytes = layOut(box, FREQUENCIES, 0);
  const [nx, ny, nz] = box.nodes as [number, number, number];
  const unit = 20 * (cube(ny) + cube(nz)) + 80 * nx * box.modes[1]! * box.modes[2]! + 100_000;
  if (!(FREQUENCIES * unit <= MOST.work)) tooMuch('N', FREQUENCIES * unit, MOST.work);
  const tables = tableBytes(box, 1) + tableBytes(box, 2) + denseBytes(Math.max(ny, nz));
  return {
    kernel: 'acoustic-box-spectrum',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(32 + 8 * FREQUENCIES, unit),
    steps: FREQUENCIES,
    work: FREQUENCIES * unit,
    memory: pages(bytes.length + tables + lineBytes(box)),
    label: `${FREQUENCIES} frequencies`,
  };
}

/** Modes of y and of z, the field from them, a spectrum, and the verdict. */
export function boxRuns(input: AcousticInput): RunPlan[] {
  const axes = readAxes(input);
  const box = boxOf(input, axes);
  const bytes = layOut(box, FREQUENCIES, 0);
  const begun = [1, 2]
    .filter((axis) => axes[axis]!.elements > 0)
    .map((axis): Part => ({ run: axis - 1, of: 'result', from: 0, length: 16 * axes[axis]!.elements }));
  const exact = axes.slice(1).map(({ elements }) => (elements === 0 ? 1 : EXACT));
  const verdict: RunPlan = {
    kernel: 'acoustic-box.verdict',
    parts: [
      { bytes },
      { run: 2, of: 'result', from: 0, length: 80 + 48 * SAMPLES },
      ...begun,
      { run: 3, of: 'result', from: 0, length: 8 * FREQUENCIES },
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: 200 * exact[0]! * exact[1]! + 2_000_000,
    memory: pages(bytes.length + 500 * (exact[0]! + exact[1]!) + 200_000),
    label: 'verdict',
  };
  return [
    acrossRun(box, 1),
    acrossRun(box, 2),
    fieldRun(box),
    spectrumRun(boxOf(input, axes.map(coarser))),
    verdict,
  ];
}

/** Elements along each axis, before those beside walls are cut. */
export const boxElements = (input: AcousticInput) =>
  readAxes(input).map(({ elements }) => Math.max(1, elements));

import { refuse } from '../../errors/refusal.ts';
import type { Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import {
  type Axis,
  axisRun,
  axisSides,
  meshOf,
  nodesOf,
  pages,
  pieceLayout,
  SAMPLES,
  TURN,
} from './lines.ts';
import type { Mask } from './numbering.ts';
import { type End, endsOf, lacks, piecesOf, sentElements, speedOf, tooMuch } from './problem.ts';
import type { AcousticInput, Side } from './schema.ts';

// Modes of boxes and ducts between impedances. Costs and layouts as assembly/acoustics/walls.ts, the kernel acoustic-wall and
// its verdict have them.

const MOST = { work: 4e10, followed: 2000, contrast: 1e5, spring: 100 };
/** A mode takes about 25. */
const SWEEPS = 60;
/** Work units of a node in a sweep, and of a piece in the verdict on a mode. */
const UNITS = { sweep: 200, judged: 150_000 };

/** A side, and what it is followed from: the nearer of rigid and open. */
interface Wall {
  readonly code: 0 | 1 | 2 | 3;
  readonly start: End;
  /** ρc/Z. */
  readonly beta: readonly [number, number];
  /** By how many modes it can move one, at most. */
  readonly shift: number;
  /** |β| of a spring, from which p may fall off along the axis. */
  readonly pull: number;
}

const RIGID: End = { type: 'rigid', R: 0, X: 0 };
const OPEN: End = { type: 'open', R: 0, X: 0 };

/** @throws LIMIT_EXCEEDED where a wall is as good as rigid or open. */
export function wallOf(end: End, resistance: number, side: Side): Wall {
  if (end.type !== 'impedance') {
    const code = end.type === 'open' ? 1 : 0;
    return { code, start: end, beta: [0, 0], shift: 0, pull: 0 };
  }
  const most = Math.max(end.R, Math.abs(end.X)) / resistance;
  if (!(most <= MOST.contrast && most >= 1 / MOST.contrast))
    refuse('LIMIT_EXCEEDED', `boundary.${side}: |Z| is about ${most} of ρc.`, {
      field: `boundary.${side}`,
      measured: most,
      bound: MOST.contrast,
      accepts: `|Z| within a factor of ${MOST.contrast} of ρc, else rigid or open`,
    });
  const square = end.R * end.R + end.X * end.X;
  const beta = [(resistance * end.R) / square, (-resistance * end.X) / square] as const;
  const size = resistance / Math.sqrt(square);
  // To a spring, X < 0, comes a mode that no open wall begins: from k = 0, or from p that is the same all along.
  const isSpring = -end.X > end.R && size <= MOST.spring;
  const soft = size > 1 && !isSpring;
  // A reactance turns the phase by atan |β| ≤ |β| in π from mode to mode, and by a half of it at most.
  const shift = Math.min(0.5, (2 * (soft ? 1 / size : size)) / TURN);
  return { code: soft ? 3 : 2, start: soft ? OPEN : RIGID, beta, shift, pull: end.X < 0 ? size : 0 };
}

interface WallAxis {
  readonly walls: readonly [Wall, Wall];
  readonly L: number;
  /** Of the lowest mode at the start, in half waves. */
  readonly foot: number;
}

function readWallAxes(input: AcousticInput): WallAxis[] {
  const { domain, rho } = input;
  if (rho === undefined) lacks('rho', 'rho, with an impedance');
  const resistance = rho * speedOf(input);
  const box = domain.type === 'box';
  const ends = endsOf(input, axisSides.slice(0, box ? 3 : 1).flat());
  const lengths = box
    ? [domain.Lx, domain.Ly, domain.Lz]
    : [piecesOf(input).reduce((sum, { L }) => sum + L, 0)];
  return lengths.map((L, axis) => {
    const walls = axisSides[axis]!.map((side) => wallOf(ends.get(side)!, resistance, side)) as [Wall, Wall];
    const foot = walls.reduce((sum, { start }) => sum + (start.type === 'open' ? 0.5 : 0), 0);
    return { walls, L, foot };
  });
}

// ---- which modes are followed --------------------------------------------------------------------------

type Label = readonly number[];

/** k² of index i of an axis, moved by its walls as far as they can. */
function reach({ walls, L, foot }: WallAxis, i: number, way: 1 | -1): number {
  const shift = walls.reduce((sum, wall) => sum + wall.shift, 0);
  const k = (Math.max(0, i + foot + way * shift) * TURN) / (2 * L);
  return k * k;
}

const total = (axes: readonly WallAxis[], label: Label, way: 1 | -1) =>
  axes.reduce((sum, axis, a) => sum + reach(axis, label[a]!, way), 0);

/**
 * The least k² that a mode can end at. Beside springs p may fall off as e^(−qx): of all axes together q² is k²B² + kB/L at
 * most, B the sum of |β| at the ends of each (by the trace inequality p(0)² ≤ ∫p²/L + 2(∫p² ∫p′²)^½ in Rayleigh's quotient).
 */
function least(axes: readonly WallAxis[], label: Label): number {
  let [square, line] = [1, 0];
  for (const { walls, L } of axes) {
    const pull = walls[0].pull + walls[1].pull;
    square += pull * pull;
    line += pull / L;
  }
  const k = (Math.sqrt(line * line + 4 * square * total(axes, label, -1)) - line) / (2 * square);
  return k * k;
}

/** Indices on all axes, from the lowest on, for as long as `holds`. */
function labelsWhile(axes: readonly WallAxis[], holds: (label: Label) => boolean): Label[] {
  const labels: Label[] = [];
  const rests = axes.map(() => 0);
  const extend = (axis: number, before: Label): void => {
    for (let i = 0; ; i++) {
      const label = [...before, i];
      if (!holds([...label, ...rests.slice(axis + 1)])) return;
      if (labels.length > MOST.followed) refuseMany(axes, labels.length);
      if (axis + 1 === axes.length) labels.push(label);
      else extend(axis + 1, label);
    }
  };
  extend(0, []);
  return labels;
}

function refuseMany(axes: readonly WallAxis[], measured: number): never {
  const bound = MOST.followed;
  if (axes.every(({ walls }) => walls[0].pull + walls[1].pull === 0)) tooMuch('count', measured, bound);
  return refuse(
    'LIMIT_EXCEEDED',
    `boundary: beside springs, X < 0, so soft more than ${bound} modes may come among the lowest.`,
    {
      ...{ field: 'boundary', measured, bound },
      accepts: 'stiffer springs, as of |X| from ρc on, or open walls in their place',
    },
  );
}

/** All modes that can end among the `count` lowest: those that can end below what as many cannot end above. */
function followedOf(axes: readonly WallAxis[], count: number): Label[] {
  const rest = axes.every(({ foot }) => foot === 0) ? 1 : 0;
  const wanted = count + rest;
  if (axes.length === 1) return Array.from({ length: wanted + 2 }, (_, i) => [i]);
  const size = (label: Label) => label.reduce((product, i) => product * (i + 1), 1);
  const tops = labelsWhile(axes, (label) => size(label) <= wanted).map((label) => total(axes, label, 1));
  const limit = tops.sort((a, b) => a - b)[wanted - 1]! * (1 + 1e-9);
  return labelsWhile(axes, (label) => least(axes, label) <= limit);
}

// ---- runs ----------------------------------------------------------------------------------------------

function meshedAxes(input: AcousticInput, axes: readonly WallAxis[], labels: readonly Label[]): Axis[] {
  const bores = axes.length === 1 ? [piecesOf(input)] : axes.map(({ L }) => [{ L, S: 1 }]);
  const sent = sentElements(input, axes.length);
  return axes.map(({ walls: [left, right] }, axis) => {
    const modes = 1 + labels.reduce((most, label) => Math.max(most, label[axis]!), 0);
    const pieces = meshOf(bores[axis]!, sent[axis] ?? Math.max(16, 2 * modes));
    return { left: left.start, right: right.start, modes, pieces };
  });
}

function layOut(
  input: AcousticInput,
  axes: readonly WallAxis[],
  meshed: readonly Axis[],
  labels: readonly Label[],
) {
  const pieces = meshed.flatMap((axis) => axis.pieces);
  const layout = new Layout()
    .f64(axes.length, pieces.length, labels.length, input.count!, input.n ?? 1, speedOf(input))
    .f64(SWEEPS * labels.length);
  axes.forEach(({ walls: [left, right] }, axis) => {
    layout.f64(left.code, right.code, ...left.beta, ...right.beta, meshed[axis]!.modes);
  });
  return pieceLayout(layout, pieces).f64s(labels.flat()).bytes();
}

interface Followed {
  readonly bytes: Uint8Array;
  /** Modes of the axes at the start, and what is followed from there. */
  readonly axes: readonly RunPlan[];
  readonly wall: RunPlan;
  readonly followed: number;
  readonly length: number;
  readonly pieces: number;
}

/** `before`: runs of the job before these. */
function followedRuns(input: AcousticInput, before: number): Followed {
  const axes = readWallAxes(input);
  const labels = followedOf(axes, input.count!);
  const meshed = meshedAxes(input, axes, labels);
  const bytes = layOut(input, axes, meshed, labels);
  const nodes = meshed.reduce((sum, { pieces }) => sum + nodesOf(pieces), 0);
  const table = 8 * labels.length * (4 + 2 * axes.length);
  const work = ((SWEEPS + 1) * labels.length + 2) * nodes * UNITS.sweep;
  if (!(work <= MOST.work)) tooMuch('count', work, MOST.work);
  const starts = meshed.map(
    ({ modes }, run): Part => ({ run: before + run, of: 'result', from: 0, length: 8 * modes }),
  );
  const state = 168 + table + 32 * nodes;
  const wall: RunPlan = {
    kernel: 'acoustic-wall',
    parts: [{ bytes }, ...starts],
    stepsPerSegment: segmentSteps(state, UNITS.sweep * nodes),
    work,
    memory: pages(bytes.length + 2 * table + 250 * nodes + 70000),
    label: `${labels.length} modes`,
  };
  const length = table + 16 * axes.length * SAMPLES;
  const pieces = meshed.reduce((sum, axis) => sum + axis.pieces.length, 0);
  return { bytes, axes: meshed.map(axisRun), wall, followed: labels.length, length, pieces };
}

/** Rounds of runs: modes of the axes, the modes that are followed from them, the verdict. */
export function wallRuns(input: AcousticInput): RunPlan[] {
  const { bytes, axes, wall, followed, length, pieces } = followedRuns(input, 0);
  const verdict: RunPlan = {
    kernel: 'acoustic-wall.verdict',
    parts: [{ bytes }, { run: axes.length, of: 'result', from: 0, length }],
    stepsPerSegment: 1,
    steps: 1,
    work: followed * pieces * UNITS.judged + 300_000,
    memory: pages(bytes.length + length + 100000),
    label: 'verdict',
  };
  return [...axes, wall, verdict];
}

/** The lowest mode of the rectangle around a mask, so thin between a rigid front and back that no wave stands there. */
export function rectangleRuns(input: AcousticInput, { cells, h }: Mask, before: number): Followed {
  const { boundary, temperature: _, N: __, n: ___, ...rest } = input;
  const uniform = typeof boundary === 'string' || 'type' in boundary!;
  const sides = uniform ? { left: boundary, right: boundary, bottom: boundary, top: boundary } : boundary;
  const [Lx, Ly] = [h * cells[0]!.length, h * cells.length];
  const domain = { type: 'box' as const, Lx, Ly, Lz: Math.min(Lx, Ly) / 8 };
  const walls = { ...sides, front: 'rigid' as const, back: 'rigid' as const };
  return followedRuns(
    { ...rest, c: speedOf(input), domain, boundary: walls, count: 1 } as AcousticInput,
    before,
  );
}

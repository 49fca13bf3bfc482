import { refuse } from '../../errors/refusal.ts';
import type { Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { followedOf, type Label, type Wall, type WallAxis } from './labels.ts';
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

const MOST = { work: 4e10, contrast: 1e5, spring: 100 };
/** A mode takes about 25. */
const SWEEPS = 60;
/** Work units of a node in a sweep, and of a piece in the verdict on a mode. */
const UNITS = { sweep: 200, judged: 150_000 };

const RIGID: End = { type: 'rigid', R: 0, X: 0 };
const OPEN: End = { type: 'open', R: 0, X: 0 };

/** @throws LIMIT_EXCEEDED where a wall is as good as rigid or open. */
export function wallOf(end: End, resistance: number, side: Side): Wall {
  if (end.type !== 'impedance') {
    const code = end.type === 'open' ? 1 : 0;
    return { code, start: end, beta: [0, 0], shift: 0, pull: 0, drop: 0 };
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
  const pull = isSpring ? -resistance / end.X : end.X < 0 ? size : 0;
  const [re, im] = [1 - beta[0] * beta[0] + beta[1] * beta[1], -2 * beta[0] * beta[1]];
  const drop = isSpring ? Math.sqrt(re * re + im * im) - 1 : 0;
  return { code: soft ? 3 : 2, start: soft ? OPEN : RIGID, beta, shift, pull, drop };
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
export function rectangleRuns(
  input: AcousticInput,
  { cells, h, open: ends }: Mask,
  before: number,
): Followed {
  const { boundary, temperature: _, N: __, n: ___, ...rest } = input;
  const uniform = typeof boundary === 'string' || 'type' in boundary!;
  const named = uniform ? { left: boundary, right: boundary, bottom: boundary, top: boundary } : boundary!;
  // As the mask has it, an open side that no air touches is none.
  const sides = Object.fromEntries(
    (['left', 'right', 'bottom', 'top'] as const).map((side, wall) => {
      const value = named[side]!;
      const open = value === 'open' || (typeof value === 'object' && value.type === 'open');
      return [side, open && ends[wall] === 0 ? ('rigid' as const) : value];
    }),
  );
  const [Lx, Ly] = [h * cells[0]!.length, h * cells.length];
  const domain = { type: 'box' as const, Lx, Ly, Lz: Math.min(Lx, Ly) / 8 };
  const walls = { ...sides, front: 'rigid' as const, back: 'rigid' as const };
  return followedRuns(
    { ...rest, c: speedOf(input), domain, boundary: walls, count: 1 } as AcousticInput,
    before,
  );
}

import { refuse } from '../../errors/refusal.ts';
import type { Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import {
  type End,
  endsOf,
  type Piece,
  piecesOf,
  sentElements,
  speedOf,
  speedOfModes,
  wrong,
} from './problem.ts';
import type { AcousticInput, Side } from './schema.ts';

// Modes of boxes and ducts, and driven ducts. Costs and layouts as the kernels acoustic and acoustic-line and their
// verdicts have them.

const PAGE = 65536;
export const pages = (bytes: number) => PAGE * (2 + Math.ceil(bytes / PAGE));
export const SAMPLES = 129;
export const TURN = 6.283185307179586;
const MAX_ELEMENTS = 4096;
const RESULT_LINE = 56 + 16 * SAMPLES;

export const tooMany = (measured: number): never =>
  refuse('LIMIT_EXCEEDED', `acoustic would need ${measured} elements.`, {
    field: 'N',
    measured,
    bound: MAX_ELEMENTS,
    accepts: `at most ${MAX_ELEMENTS} elements`,
  });

export interface Meshed extends Piece {
  readonly elements: number;
}

export const pieceLayout = (layout: Layout, pieces: readonly Meshed[]) =>
  pieces.reduce((to, { L, S, elements }) => to.f64(L, S, elements), layout);
export const nodesOf = (pieces: readonly Meshed[]) =>
  1 + 4 * pieces.reduce((sum, { elements }) => sum + elements, 0);

// ---- modes ---------------------------------------------------------------------------------------------

export interface Axis {
  readonly left: End;
  readonly right: End;
  readonly modes: number;
  readonly pieces: readonly Meshed[];
}

export const axisSides: readonly (readonly [Side, Side])[] = [
  ['left', 'right'],
  ['bottom', 'top'],
  ['front', 'back'],
];

function readAxes(input: AcousticInput): Axis[] {
  const { domain } = input;
  const modes = input.count! + 1;
  const box = domain.type === 'box';
  const names = axisSides.slice(0, box ? 3 : 1).flat();
  const ends = endsOf(input, names);
  const bores = box ? [domain.Lx, domain.Ly, domain.Lz].map((L) => [{ L, S: 1 }]) : [piecesOf(input)];
  const sent = sentElements(input, bores.length);
  return bores.map((pieces, axis) => {
    const wanted = sent[axis] ?? Math.max(16, 2 * modes);
    const meshed = meshOf(pieces, wanted);
    const [left, right] = axisSides[axis]!;
    return { left: ends.get(left)!, right: ends.get(right)!, modes, pieces: meshed };
  });
}

export function meshOf(pieces: readonly Piece[], wanted: number): Meshed[] {
  const whole = pieces.reduce((sum, { L }) => sum + L, 0);
  const meshed = pieces.map((piece) => ({
    ...piece,
    elements: Math.max(1, Math.ceil((wanted * piece.L) / whole - 1e-9)),
  }));
  const elements = meshed.reduce((sum, piece) => sum + piece.elements, 0);
  return elements <= MAX_ELEMENTS ? meshed : tooMany(elements);
}

export const code = { rigid: 0, open: 1, impedance: 2 } as const;

export function axisRun({ left, right, modes, pieces }: Axis): RunPlan {
  const nodes = nodesOf(pieces);
  const head = new Layout().f64(code[left.type], code[right.type], modes, pieces.length);
  const bytes = pieceLayout(head, pieces).bytes();
  const steps = 51 * modes;
  return {
    kernel: 'acoustic',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(32 + 8 * modes * (1 + SAMPLES), 40 * nodes),
    steps,
    work: steps * 40 * nodes,
    memory: pages(bytes.length + 16 * modes * (1 + SAMPLES) + 136 * nodes + 70000),
    label: `${nodes} nodes`,
  };
}

function modesVerdict(input: AcousticInput, axes: readonly Axis[]): RunPlan {
  const pieces = axes.flatMap((axis) => axis.pieces);
  const head = new Layout().f64(axes.length, speedOfModes(input), input.count!, input.n ?? 1, pieces.length);
  for (const { left, right, modes, pieces: own } of axes)
    head.f64(
      code[left.type],
      code[right.type],
      own.reduce((sum, { L }) => sum + L, 0),
      modes,
    );
  const bytes = pieceLayout(head, pieces).bytes();
  const lengths = axes.map(({ modes }) => 8 * modes * (1 + SAMPLES));
  const results = lengths.map((length, run): Part => ({ run, of: 'result', from: 0, length }));
  const modes = axes.reduce((sum, axis) => sum + axis.modes, 0);
  return {
    kernel: 'acoustic.verdict',
    parts: [{ bytes }, ...results],
    stepsPerSegment: 1,
    steps: 1,
    work: modes * pieces.length * 60_000 + 300_000,
    memory: pages(bytes.length + lengths.reduce((sum, length) => sum + length, 0) + 100000),
    label: 'verdict',
  };
}

export function modeRuns(input: AcousticInput): RunPlan[] {
  const axes = readAxes(input);
  return [...axes.map(axisRun), modesVerdict(input, axes)];
}

export const axisCount = ({ domain }: AcousticInput) => (domain.type === 'box' ? 3 : 1);

// ---- driven ducts --------------------------------------------------------------------------------------

/** What stands at the right; beside the piston the walls of a box are rigid here, else src/solvers/acoustic/box.ts has it. */
function drivenEnd(input: AcousticInput): End {
  if (input.analysis === 'transmission') return { type: 'rigid', R: 0, X: 0 };
  const others: Side[] = input.domain.type === 'box' ? ['bottom', 'top', 'front', 'back'] : [];
  return endsOf(input, ['right', ...others], ['left']).get('right')!;
}

/** Where |p| is taken on each axis. */
export function probeOf({ probe, domain }: AcousticInput, pieces: readonly Piece[]): readonly number[] {
  const sizes =
    domain.type === 'box' ? [domain.Lx, domain.Ly, domain.Lz] : [pieces.reduce((sum, { L }) => sum + L, 0)];
  if (probe!.length !== sizes.length)
    wrong('probe', `there are ${sizes.length} axes.`, `${sizes.length} coordinates`);
  probe!.forEach((x, axis) => {
    if (!(x >= 0 && x <= sizes[axis]! * (1 + 1e-12)))
      wrong('probe', 'it lies outside.', `0 to ${sizes[axis]} m`);
  });
  return probe!;
}

/** Elements of a piece so that 10 nodes stand in a wave and (kh)⁸ stays small; the caller's own N must have 10. */
function drivenMesh(input: AcousticInput, pieces: readonly Piece[], c: number): Meshed[] {
  const wave = c / input.frequency!;
  const [sent] = sentElements(input, 1);
  if (sent === undefined) {
    const meshed = pieces.map((piece) => ({
      ...piece,
      elements: Math.max(4, Math.ceil((8 * piece.L) / wave)),
    }));
    const elements = meshed.reduce((sum, piece) => sum + piece.elements, 0);
    return elements <= MAX_ELEMENTS ? meshed : tooMany(elements);
  }
  const meshed = meshOf(pieces, sent);
  checkWave(Math.min(...meshed.map(({ L, elements }) => (4 * elements * wave) / L)));
  return meshed;
}

/** @throws STABILITY_LIMIT where fewer than 10 nodes stand in a wave. */
export function checkWave(nodes: number): void {
  if (!(nodes >= 10))
    refuse('STABILITY_LIMIT', `N: ${nodes} nodes stand in a wave.`, {
      field: 'N',
      measured: nodes,
      bound: 10,
      accepts: 'at least 10 nodes in a wave',
    });
}

export function drivenRuns(input: AcousticInput): RunPlan[] {
  const c = speedOf(input);
  const bore = piecesOf(input);
  const end = drivenEnd(input);
  const probe = input.analysis === 'transmission' ? 0 : probeOf(input, bore)[0]!;
  const pieces = drivenMesh(input, bore, c);
  const { rho = 1, u0 = 0, eta = 0 } = input;
  const head = new Layout()
    .f64(input.analysis === 'transmission' ? 1 : 0, TURN * input.frequency!, c, eta, rho, u0)
    .f64(code[end.type], end.R, end.X, probe, pieces.length);
  const bytes = pieceLayout(head, pieces).bytes();
  const nodes = nodesOf(pieces);
  const run: RunPlan = {
    kernel: 'acoustic-line',
    parts: [{ bytes }],
    stepsPerSegment: 1,
    steps: 1,
    work: 1000 * nodes,
    memory: pages(bytes.length + 96 * nodes + 70000),
    label: `${nodes} nodes`,
  };
  const verdict: RunPlan = {
    kernel: 'acoustic-line.verdict',
    parts: [{ bytes }, { run: 0, of: 'result', from: 0, length: RESULT_LINE }],
    stepsPerSegment: 1,
    steps: 1,
    work: 60_000 * pieces.length + 200_000,
    memory: pages(bytes.length + 100000),
    label: 'verdict',
  };
  return [run, verdict];
}

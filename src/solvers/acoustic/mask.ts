import type { RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { dissect } from './dissection.ts';
import { checkCorners, elementsFor } from './fineness.ts';
import { cornersOf, evenLines, linesTowards } from './grading.ts';
import { pages } from './lines.ts';
import { layMask, type Mask, meshOf, type Numbered, numberNodes } from './numbering.ts';
import { endsOf, sentElements, speedOfModes, tooMuch, wrong } from './problem.ts';
import type { AcousticInput, Side } from './schema.ts';

// Modes of cavities of cells. Costs and layouts as the kernel acoustic-mask and its verdict have them.

export const MOST = {
  basis: { each: 4, more: 60, most: 200 },
  work: 4e10,
  memory: 1e9,
  count: 50,
};
/** Of all passes: at most 30 + 5 of each mode were seen, and a half more where modes meet. */
const ITERATIONS = { more: 60, each: 7 };
export const maskSides: readonly Side[] = ['left', 'right', 'bottom', 'top'];

export function readMask(input: AcousticInput): Mask {
  const { domain, boundary } = input;
  if (domain.type !== 'mask') throw new RangeError('no mask');
  const { cells, h } = domain;
  checkCells(cells);
  const ends = endsOf(input, maskSides);
  // An open side that no air touches holds nothing: the cavity may rest.
  const outside = maskSides.map((name) =>
    ends.get(name)!.type === 'open' && isTouched(cells, name) ? 1 : 0,
  );
  // Walls inside have no name: they are as all sides, or rigid where the sides are named one by one.
  const uniform = typeof boundary === 'string' || 'type' in boundary!;
  if (input.count! > MOST.count) tooMuch('count', input.count!, MOST.count);
  const [sent = elementsFor(cells, input.count!)] = sentElements(input, 1);
  if (sent % 4 !== 0) wrong('N', `${sent} has no meshes of a half and a quarter.`, 'a multiple of 4');
  const inside = uniform && ends.get('left')!.type === 'open' ? 1 : 0;
  if (inside === 0) checkCorners(cells);
  const lines = linesTowards(cells, sent / 4, cornersOf(cells));
  return { cells, h, open: [...outside, inside], fine: sent, lines };
}

/** Whether there is air beside a side of the grid. */
export function isTouched(cells: Mask['cells'], side: Side): boolean {
  if (side === 'bottom' || side === 'top') return cells.at(side === 'top' ? -1 : 0)!.includes(1);
  return cells.some((row) => row.at(side === 'right' ? -1 : 0) === 1);
}

/** Rows of one length, and one connected cavity. */
export function checkCells(cells: Mask['cells']): void {
  const width = cells[0]!.length;
  if (cells.some((row) => row.length !== width))
    wrong('domain.cells', 'the rows have different lengths.', 'rows of one length');
  const all = cells.flat();
  const start = all.indexOf(1);
  if (start < 0) wrong('domain.cells', 'there is no air.', 'at least one 1');
  const seen = new Set([start]);
  for (const place of seen) {
    const x = place % width;
    const near = [x > 0 ? place - 1 : -1, x < width - 1 ? place + 1 : -1, place - width, place + width];
    for (const other of near) if (all[other] === 1) seen.add(other);
  }
  if (seen.size < all.reduce((sum, cell) => sum + cell, 0))
    wrong('domain.cells', 'the air falls into parts.', 'cells of air joined by their edges');
}

// ---- runs ----------------------------------------------------------------------------------------------

export function maskRun(mask: Mask, modes: number, chosen: number): RunPlan & { nodes: Numbered } {
  const nodes = numberNodes(mask);
  const { n, columns, rows } = nodes;
  const { panels, units, supernodes, reached, widest } = dissect(mask, nodes);
  const iterations = ITERATIONS.more + ITERATIONS.each * modes;
  const basis = Math.min(MOST.basis.most, MOST.basis.more + MOST.basis.each * modes);
  const state = 8 * (panels + (basis + 2 + modes + 8) * n);
  const memory = state + 8 * widest + 56 * supernodes + 4 * (reached + 5 * n) + 17 * columns * rows;
  const work = 2 * units + iterations * (2 * panels + n * (100 + basis));
  if (!(work <= MOST.work)) tooMuch('N', work, MOST.work);
  if (!(memory <= MOST.memory)) tooMuch('N', memory, MOST.memory);
  if (n <= modes + 2) wrong('N', `the mesh has ${n} nodes for ${modes} modes.`, 'a larger N');
  const bytes = layMask(mask, [modes, iterations, chosen]).bytes();
  return {
    nodes,
    kernel: 'acoustic-mask',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(state, Math.ceil(units / supernodes)),
    work,
    memory: pages(bytes.length + memory + 100000),
    label: `${n} nodes`,
  };
}

/** The rectangle around the cavity: every cell air, its inner walls gone. */
export const around = (mask: Mask): Mask => ({
  ...mask,
  cells: mask.cells.map((row) => row.map(() => 1)),
  open: [...mask.open.slice(0, 4), 0],
  fine: mask.fine / 2,
  lines: evenLines(mask.cells),
});

export function maskRuns(input: AcousticInput): RunPlan[] {
  const mask = readMask(input);
  const rest = mask.open.includes(1) ? 0 : 1;
  const modes = input.count! + rest;
  const chosen = (input.n ?? 1) - 1 + rest;
  const runs = [1, 2, 4].map((stride) => maskRun({ ...mask, fine: mask.fine / stride }, modes, chosen));
  const box = around(mask);
  const restOfBox = box.open.includes(1) ? 0 : 1;
  runs.push(maskRun(box, restOfBox + 1, restOfBox));
  const { columns, rows } = runs[0]!.nodes;
  const full = mask.cells.every((row) => !row.includes(0));
  const [left, right, bottom, top] = mask.open as [number, number, number, number];
  const bytes = new Layout()
    .f64(speedOfModes(input), input.count!, input.n ?? 1, rest, full ? 1 : 0)
    .f64(mask.h * mask.cells[0]!.length, mask.h * mask.cells.length, left + right, bottom + top)
    .f64(columns, rows, mask.h, ...meshOf(mask))
    .bytes();
  const verdict: RunPlan = {
    kernel: 'acoustic-mask.verdict',
    parts: [
      { bytes },
      { run: 0, of: 'result', from: 0, length: 8 * (modes + 1 + columns * rows) },
      { run: 1, of: 'result', from: 0, length: 8 * modes },
      { run: 2, of: 'result', from: 0, length: 8 * modes },
      { run: 3, of: 'result', from: 0, length: 8 * (restOfBox + 1) },
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: 10 * columns * rows + 300_000,
    memory: pages(bytes.length + 16 * columns * rows + 72 * columns + 100000),
    label: 'verdict',
  };
  return [...runs.map(({ nodes: _, ...run }) => run), verdict];
}

export function maskGrid(input: AcousticInput): { columns: number; rows: number; N: number } {
  const mask = readMask(input);
  const [rows, columns] = [mask.cells.length, mask.cells[0]!.length].map((size) => 2 * mask.fine * size + 1);
  return { columns: columns!, rows: rows!, N: mask.fine };
}

import { refuse } from '../../errors/refusal.ts';
import type { RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { checkCorners, elementsFor, isCorner } from './fineness.ts';
import {
  cornersOf,
  elementAlong,
  evenLines,
  type Lines,
  linesTowards,
  type Place,
  stretchOf,
} from './grading.ts';
import { code, pages, TURN } from './lines.ts';
import { around, checkCells, MOST } from './mask.ts';
import { layMask, type Mask, meshOf, numberNodes } from './numbering.ts';
import { type End, endsOf, sentElements, speedOf, tooMuch, wrong } from './problem.ts';
import type { AcousticInput } from './schema.ts';

// Driven cavities of cells. Costs and layouts as the kernel acoustic-field and its verdict have them.

const RIGID: End = { type: 'rigid', R: 0, X: 0 };
/** The tube is damped, so that no resonance magnifies its error. */
const TUBE_LOSS = 0.1;

interface Field {
  readonly mask: Mask;
  /** left, right, bottom, top. */
  readonly ends: readonly End[];
  readonly c: number;
  readonly eta: number;
  readonly probe: readonly [number, number];
}

function readField(input: AcousticInput): Field {
  const { domain, boundary, probe, eta = 0 } = input;
  if (domain.type !== 'mask') throw new RangeError('no mask');
  const { cells, h } = domain;
  checkCells(cells);
  const named = endsOf(input, ['right', 'bottom', 'top'], ['left']);
  const ends = [RIGID, named.get('right')!, named.get('bottom')!, named.get('top')!];
  const uniform = typeof boundary === 'string' || 'type' in boundary!;
  // Walls inside have no name: they are as all sides, or rigid where the sides are named one by one.
  const inside = uniform ? code[ends[1]!.type] : 0;
  if (!cells.some((row) => row[0] === 1))
    wrong(
      'domain.cells',
      'there is no air at the left side, where the piston is.',
      'air in the first column',
    );
  if (inside !== code.open) checkCorners(cells);
  const c = speedOf(input);
  const open = [...ends.map(({ type }) => code[type]), inside];
  const places = [...cornersOf(cells), ...pistonEndsAtOpen(cells, open)];
  const mesh = (N: number) => linesTowards(cells, N / 4, places);
  const fine = fineness(input, cells, leastElements(input, cells, h, c), mesh);
  const mask = { cells, h, open, fine, lines: mesh(fine) };
  return { mask, ends, c, eta, probe: probeIn(cells, h, probe!) };
}

/** Corners where the piston meets an open wall: p is like r log r there. */
function pistonEndsAtOpen(cells: Mask['cells'], [, , bottom, top, inside]: readonly number[]): Place[] {
  const air = cells.map((row) => row[0] === 1);
  return [...air, false].flatMap((own, y): Place[] => {
    const below = air[y - 1] ?? false;
    const open = y === 0 ? bottom : y === air.length ? top : inside;
    const ends = y === 0 || y === air.length ? own || below : own !== below;
    return ends && open === 1 ? [[0, y]] : [];
  });
}

/** Elements more than frequencies take, whose error is that of p squared. */
const AT_A_PLACE = 4;

/**
 * Ten nodes in a wave where elements are longest, and k³(h/N)²L ≤ ½ against pollution (Ihlenburg, 4.5), which gathers on the whole
 * way: as of even elements, since that of quadratic ones falls as (kh)⁴ and is far less.
 */
function leastElements(
  input: AcousticInput,
  cells: Mask['cells'],
  h: number,
  c: number,
): (mesh: Lines) => number {
  const k = (TURN * input.frequency!) / c;
  const size = h * Math.max(cells.length, cells[0]!.length);
  const [inWave, onWay] = [(5 * input.frequency! * h) / c, h * Math.sqrt(2 * k * k * k * size)];
  return (mesh) => Math.max(inWave * stretchOf(mesh), onWay);
}

function fineness(
  input: AcousticInput,
  cells: Mask['cells'],
  least: (mesh: Lines) => number,
  mesh: (N: number) => Lines,
): number {
  const wanted = (N: number) => least(mesh(N));
  // But for what rounding makes of even lines.
  const isEnough = (N: number) => N * (1 + 1e-12) >= wanted(N);
  const enoughFrom = (N: number) => {
    let enough = N;
    while (!isEnough(enough)) enough += 4;
    return enough;
  };
  const ofEven = 4 * Math.ceil(least(evenLines(cells)) / 4);
  const [sent] = sentElements(input, 1);
  if (sent === undefined) return enoughFrom(Math.max(elementsFor(cells, 1, AT_A_PLACE), ofEven));
  if (sent % 4 !== 0) wrong('N', `${sent} has no meshes of a half and a quarter.`, 'a multiple of 4');
  if (isEnough(sent)) return sent;
  return refuse('STABILITY_LIMIT', `N: ${sent} elements on the edge of a cell are too few for this wave.`, {
    field: 'N',
    measured: sent,
    bound: wanted(sent),
    accepts: `a multiple of 4 from ${enoughFrom(ofEven)} on`,
  });
}

function probeIn(cells: Mask['cells'], h: number, probe: readonly number[]): readonly [number, number] {
  if (probe.length !== 2) wrong('probe', 'there are 2 axes.', '2 coordinates');
  const [x, y] = probe as [number, number];
  const near = (at: number) => [Math.floor(at / h), Math.ceil(at / h) - 1];
  const inside = near(y).some((row) => near(x).some((column) => cells[row]?.[column] === 1));
  if (!inside) wrong('probe', 'it does not lie in air.', 'a point in a cell of air');
  return [x, y];
}

/** Elements before the probe along x and y, of so many on the edge of a cell. */
function beforeProbe({ mask, probe }: Field, fine: number): [number, number] {
  const { h, lines } = mask;
  const along = (axis: readonly number[], at: number) => elementAlong(axis, fine / lines.coarse, at / h);
  return [along(lines.x, probe[0]), along(lines.y, probe[1])];
}

/** The element of air in which the probe lies. */
function elementOf(field: Field, fine: number): [number, number] {
  const near = (at: number) => [Math.floor(at), Math.ceil(at) - 1];
  const [before, below] = beforeProbe(field, fine);
  for (const y of near(below))
    for (const x of near(before))
      if (field.mask.cells[Math.floor(y / fine)]?.[Math.floor(x / fine)] === 1) return [x, y];
  throw new RangeError('no air at the probe');
}

/** Of what a division may have rounded. */
const isWhole = (x: number): boolean => Math.abs(x - Math.round(x)) < 1e-9 * Math.max(1, x);

/** Which corners of the element that holds the probe point into the air, 1, 2, 4, 8 from the lower left; 0 of a probe on a node. */
function cornersAt(field: Field): number {
  const { cells, fine } = field.mask;
  if (beforeProbe(field, fine).every((elements) => isWhole(2 * elements))) return 0;
  const [x, y] = elementOf(field, fine);
  const isAt = (dx: number, dy: number) =>
    (x + dx) % fine === 0 && (y + dy) % fine === 0 && isCorner(cells, (x + dx) / fine, (y + dy) / fine);
  return [0, 1, 2, 3].reduce((sum, i) => sum + (isAt(i % 2, Math.floor(i / 2)) ? 1 << i : 0), 0);
}

/**
 * With which power of N what is left at the probe falls: of its square beside an open wall, where p between nodes is held to what is
 * left of its slope, and beside a corner, whose element shrinks as N³ and holds r^(2/3).
 */
export function orderAtProbe(input: AcousticInput): 2 | 4 {
  const field = readField(input);
  const { cells, fine, open } = field.mask;
  const [along, up] = beforeProbe(field, fine);
  if ([along, up].every((elements) => isWhole(2 * elements))) return 4;
  const [x, y] = elementOf(field, fine);
  const [left, right, bottom, top, inside] = open;
  const [height, width] = [cells.length, cells[0]!.length];
  // Of the wall between this element and the one beside it, 0 where that one is air.
  const isOpen = (dx: number, dy: number, outer: number | undefined) => {
    const [cx, cy] = [Math.floor((x + dx) / fine), Math.floor((y + dy) / fine)];
    if (cx < 0 || cy < 0 || cx >= width || cy >= height) return outer === 1;
    return cells[cy]![cx] !== 1 && inside === 1;
  };
  const isBeside = isOpen(-1, 0, left) || isOpen(1, 0, right) || isOpen(0, -1, bottom) || isOpen(0, 1, top);
  return isBeside || cornersAt(field) !== 0 ? 2 : 4;
}

interface Grid {
  readonly columns: number;
  readonly rows: number;
  readonly N: number;
  /** Of the spectrum. */
  readonly frequencies: number;
}

type FieldRun = RunPlan & { readonly columns: number; readonly rows: number };

function fieldRun(input: AcousticInput, field: Field, seek: boolean, frequencies = 0): FieldRun {
  const { mask, ends, c, eta, probe } = field;
  const { n, band, columns, rows } = numberNodes(mask);
  const unit = Math.floor((band * band) / 2) + 8 * band;
  const steps = (seek ? 3 : Math.max(1, frequencies)) * n;
  const state = 64 + 8 * (frequencies + 2) + 16 * n * (band + 1);
  const result = frequencies === 0 ? 40 + 16 * columns * rows : 0;
  // Numbers of nodes, and which elements are air.
  const memory = Math.max(state, 64 + result) + 16 * n + 5 * columns * rows;
  if (!(steps * unit <= MOST.work)) tooMuch('N', steps * unit, MOST.work);
  if (!(memory <= MOST.memory)) tooMuch('N', memory, MOST.memory);
  const head = layMask(mask).f64(TURN * input.frequency!, c, eta, input.rho!, input.u0!);
  for (const { R, X } of ends) head.f64(R, X);
  const bytes = head.f64(...probe, seek ? 1 : 0, frequencies).bytes();
  return {
    columns,
    rows,
    kernel: 'acoustic-field',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(state, unit),
    steps,
    work: steps * unit,
    memory: pages(bytes.length + memory + 100000),
    label: frequencies === 0 ? `${n} nodes` : `${frequencies} frequencies`,
  };
}

/** Of a coarser mesh that has six nodes in a wave at 3f/2: 4h, at a quarter of what the finest takes, or 2h, at twice that. */
function spectrumOf({ mask, c }: Field, frequency: number): { stride: 2 | 4; frequencies: number } {
  const nodes = (2 * (mask.fine / 4) * c) / (1.5 * frequency * mask.h);
  return nodes >= 6 ? { stride: 4, frequencies: 65 } : { stride: 2, frequencies: 33 };
}

const coarser = (field: Field, stride: number): Field => ({
  ...field,
  mask: { ...field.mask, fine: field.mask.fine / stride },
});

/** A closed tube around the cavity, on half of the mesh. */
function tubeOf({ mask, c, eta }: Field): Field {
  const tube = around({ ...mask, open: [0, 0, 0, 0, 0] });
  const probe = [mask.h * mask.cells[0]!.length, 0.5 * mask.h] as const;
  return { mask: tube, ends: [RIGID, RIGID, RIGID, RIGID], c, eta: Math.max(eta, TUBE_LOSS), probe };
}

export function fieldRuns(input: AcousticInput): RunPlan[] {
  const field = readField(input);
  const { mask, ends, c, eta } = field;
  const undamped = eta === 0 && ends.every(({ R }) => R === 0);
  const meshes = [1, 2, 4].map((stride) => fieldRun(input, coarser(field, stride), undamped && stride === 1));
  const tube = tubeOf(field);
  const { stride, frequencies } = spectrumOf(field, input.frequency!);
  const spectrum = fieldRun(input, coarser(field, stride), false, frequencies);
  const all = [...meshes, fieldRun(input, tube, false), spectrum];
  const { columns, rows } = all[0]!;
  const sizes = meshes.map((mesh) => 40 + 16 * mesh.columns * mesh.rows);
  const shown = sizes.reduce((sum, size) => sum + size, 0);
  const bytes = new Layout()
    .f64(TURN * input.frequency!, c, input.rho!, input.u0!, tube.eta, tube.probe[0])
    .f64(columns, rows, mask.h, frequencies, stride / 2)
    .f64(...elementOf(field, mask.fine / 2), ...elementOf(field, mask.fine), cornersAt(field))
    .f64(...meshOf(mask))
    .bytes();
  const results = [...sizes, 40].map((length, run) => ({ run, of: 'result', from: 0, length }) as const);
  const verdict: RunPlan = {
    kernel: 'acoustic-field.verdict',
    parts: [{ bytes }, ...results, { run: 4, of: 'result', from: 0, length: 8 * frequencies }],
    stepsPerSegment: 1,
    steps: 1,
    work: 10 * columns * rows + 300_000,
    memory: pages(bytes.length + shown + 16 * columns * rows + 88 * columns + 100000),
    label: 'verdict',
  };
  return [...all.map(({ columns: _, rows: __, ...run }) => run), verdict];
}

export function fieldGrid(input: AcousticInput): Grid {
  const field = readField(input);
  const { mask } = field;
  const [rows, columns] = [mask.cells.length, mask.cells[0]!.length].map((size) => 2 * mask.fine * size + 1);
  const { frequencies } = spectrumOf(field, input.frequency!);
  return { columns: columns!, rows: rows!, N: mask.fine, frequencies };
}

import type { Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { modesBeside } from './fineness.ts';
import { pages } from './lines.ts';
import { around, isTouched, MOST, maskRun, maskSides, readMask } from './mask.ts';
import { layMask, type Mask, meshOf, numberNodes } from './numbering.ts';
import { endsOf, lacks, speedOf, tooMuch, wrong } from './problem.ts';
import type { AcousticInput } from './schema.ts';
import { rectangleRuns, wallOf } from './walls.ts';

// Modes of cavities of cells between impedances. Costs and layouts as assembly/acoustics/mask-walls.ts, the kernel
// acoustic-mask-wall and its verdict have them.

const ROW = 5;
/** Rows beyond the list (assembly/acoustics/mask-state.ts). */
const SPARE = 2;
/** Steps at most: of a mode that is followed about 13 and of one that is refined 5 come, of the rim 310. */
const STEPS = { followed: 26, refined: 8, rim: 800 };
/** Beside springs softer than ρc, where modes turn farther and lie closer: 40 and 900 came. */
const BESIDE_SPRINGS = { followed: 50, refined: 8, rim: 1800 };

interface Walled {
  readonly mask: Mask;
  /** β of left, right, bottom, top and the walls inside. */
  readonly betas: readonly (readonly [number, number])[];
  /** 1 for each of these that is followed from an open one. */
  readonly soft: readonly number[];
}

function readWalled(input: AcousticInput): Walled {
  const { rho, boundary } = input;
  if (rho === undefined) lacks('rho', 'rho, with an impedance');
  const ends = endsOf(input, maskSides);
  const mask = readMask(input);
  const uniform = typeof boundary === 'string' || 'type' in boundary!;
  const walls = maskSides.map((side) => {
    const { code, beta } = wallOf(ends.get(side)!, rho * speedOf(input), side);
    if (code >= 2 && !uniform && !isTouched(mask.cells, side))
      wrong(`boundary.${side}`, 'no air touches this side.', 'an impedance where there is air');
    return { beta, soft: code === 3 ? 1 : 0 };
  });
  const all = [...walls, uniform ? walls[0]! : { beta: [0, 0] as const, soft: 0 }];
  return { mask, betas: all.map(({ beta }) => beta), soft: all.map(({ soft }) => soft) };
}

/** The mask with walls that are as those from which its own are followed. */
const atStart = ({ mask, soft }: Walled): Mask => ({
  ...mask,
  open: mask.open.map((open, wall) => Math.max(open, soft[wall]!)),
});

/** How many modes rest between the walls of the start: one where no air touches an open one. */
function resting(walled: Walled): 0 | 1 {
  const { mask } = walled;
  const open = atStart(walled).open;
  return open[4] === 1 || maskSides.some((side, wall) => open[wall] === 1 && isTouched(mask.cells, side))
    ? 0
    : 1;
}

const hasSoftSprings = ({ betas, soft }: Walled) =>
  betas.some(([re, im], wall) => soft[wall] === 0 && im > 0 && re * re + im * im > 1);

/** How many modes are followed for the lowest beside springs softer than ρc; 0 where there are none. */
function besideSprings({ mask, betas, soft }: Walled, listed: number): number {
  const { cells } = mask;
  const along = [0, 1].map((side) => cells.map((row) => row.at(-side)!));
  const across = [0, 1].map((side) => cells.at(-side)!);
  const numbers = [...along, ...across].map((line, wall) => {
    const [re, im] = betas[wall]!;
    const square = re * re + im * im;
    if (soft[wall] === 1 || im <= 0 || square <= 1 || !line.includes(1)) return 0;
    return modesBeside(cells, listed, Math.sqrt(1 + square), longestRun(line));
  });
  // Beyond these the mesh does not part them, or they are many to be found.
  return Math.min(Math.max(...numbers), Math.floor(numberNodes(mask).n / 5), MOST.count);
}

function longestRun(line: readonly number[]): number {
  let [most, run] = [0, 0];
  for (const air of line) {
    run = air === 1 ? run + 1 : 0;
    most = Math.max(most, run);
  }
  return most;
}

interface Task {
  readonly label: string;
  /** Modes that are followed from k² of a run, or refined from the list of one. */
  readonly modes: number;
  readonly from: number;
  readonly refines: boolean;
  readonly counts: boolean;
  readonly gives: boolean;
  readonly listed: number;
  readonly chosen: number;
}

type WallRun = RunPlan & { readonly columns: number; readonly rows: number };

function wallRun({ mask, betas, soft }: Walled, task: Task): WallRun {
  const { n, band, columns, rows } = numberNodes(mask);
  const { modes, refines, counts, gives } = task;
  const factor = n * (Math.floor((band * band) / 2) + 10 * band + 150);
  const solve = n * (4 * band + 250);
  const most = hasSoftSprings({ mask, betas, soft }) ? BESIDE_SPRINGS : STEPS;
  const more = modes * (refines ? most.refined : most.followed) + (counts ? most.rim : 0);
  const begun = refines ? 0 : modes + 1;
  const steps = begun + modes + more + (gives ? 1 : 0);
  const work = refines
    ? modes * (factor + 3 * solve) +
      Math.floor(more / 4) * factor +
      2 * more * solve +
      (gives ? factor + 6 * solve : 0)
    : begun * (factor + 6 * solve) + modes * solve + more * factor;
  const state = 120 + 8 * ROW * modes + 32 * n + 16 * begun * n;
  const memory = state + 16 * n * (band + 3) + (gives ? 16 : 0) * columns * rows + 8 * columns * rows;
  if (!(work <= MOST.work)) tooMuch('N', work, MOST.work);
  if (!(memory <= MOST.memory)) tooMuch('N', memory, MOST.memory);
  const flag = (value: boolean) => (value ? 1 : 0);
  const bytes = layMask(mask)
    .f64(flag(refines), modes, task.listed, task.chosen, steps, flag(counts), flag(gives))
    .f64s(betas.flat())
    .f64s(soft)
    .bytes();
  const before: Part = { run: task.from, of: 'result', from: 0, length: 8 * (refines ? ROW * modes : begun) };
  return {
    columns,
    rows,
    kernel: 'acoustic-mask-wall',
    parts: [{ bytes }, before],
    stepsPerSegment: segmentSteps(state, refines ? solve : factor),
    work,
    memory: pages(bytes.length + memory + 100000),
    label: task.label,
  };
}

const finer = (walled: Walled, stride: number): Walled => ({
  ...walled,
  mask: { ...walled.mask, fine: walled.mask.fine / stride },
});

/** Between rigid or open walls first; then followed on the coarsest mesh, refined on each finer one, and judged. */
export function maskWallRuns(input: AcousticInput): RunPlan[] {
  const walled = readWalled(input);
  const listed = input.count!;
  const chosen = input.n ?? 1;
  const modes =
    Math.max(listed, besideSprings(finer(walled, 4), listed)) + resting(walled) + 3 + Math.ceil(listed / 4);
  const rectangle: Walled = {
    mask: around(walled.mask),
    betas: [...walled.betas.slice(0, 4), [0, 0]],
    soft: [...walled.soft.slice(0, 4), 0],
  };
  const ofRectangle = Math.max(1, besideSprings(rectangle, 1)) + resting(rectangle) + 2;
  const rigid = [
    maskRun(atStart(finer(walled, 4)), modes + 1, 0),
    maskRun(atStart(rectangle), ofRectangle + 1, 0),
  ].map(({ nodes: _, ...run }) => run);
  const { axes, wall, followed } = rectangleRuns(input, walled.mask, rigid.length);
  const first = rigid.length + axes.length;
  const plain = { refines: false, counts: false, gives: false, listed, chosen };
  const runs = [
    wallRun(finer(walled, 4), { ...plain, label: 'N/4', modes, from: 0, counts: true }),
    wallRun(rectangle, { ...plain, label: 'rectangle', modes: ofRectangle, from: 1, listed: 1, chosen: 1 }),
    wallRun(finer(walled, 2), { ...plain, label: 'N/2', modes: listed + SPARE, from: first, refines: true }),
    wallRun(walled, {
      ...plain,
      label: 'N',
      modes: listed + SPARE,
      from: first + 3,
      refines: true,
      gives: true,
    }),
  ] as const;
  const [coarse, around_, middle, fine] = runs.map(({ columns: _, rows: __, ...run }) => run) as [
    RunPlan,
    RunPlan,
    RunPlan,
    RunPlan,
  ];
  const judged = verdict(input, walled.mask, runs[3], first, followed);
  return [...rigid, ...axes, coarse, around_, wall, middle, fine, judged];
}

function verdict(
  input: AcousticInput,
  mask: Mask,
  { columns, rows }: WallRun,
  first: number,
  followed: number,
): RunPlan {
  const listed = input.count!;
  const own = 8 * (ROW * (listed + SPARE) + 4);
  const result = (run: number, length: number): Part => ({ run, of: 'result', from: 0, length });
  const bytes = new Layout()
    .f64(speedOf(input), listed, input.n ?? 1, columns, rows, mask.h, followed, ...meshOf(mask))
    .bytes();
  return {
    kernel: 'acoustic-mask-wall.verdict',
    parts: [
      { bytes },
      result(first + 4, own + 16 * columns * rows),
      result(first + 3, own),
      result(first, own),
      result(first + 1, 8 * (ROW * (1 + SPARE) + 4)),
      result(first + 2, 80 * followed),
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: 10 * columns * rows + 300_000,
    memory: pages(bytes.length + 32 * columns * rows + 72 * columns + 4 * own + 80 * followed + 100000),
    label: 'verdict',
  };
}

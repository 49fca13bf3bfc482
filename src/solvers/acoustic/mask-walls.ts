import { refuse } from '../../errors/refusal.ts';
import type { Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { pages } from './lines.ts';
import { around, type Mask, MOST, maskRun, maskSides, numberNodes, readMask, tooMuch } from './mask.ts';
import { endsOf, lacks, speedOf, wrong } from './problem.ts';
import type { AcousticInput, Side } from './schema.ts';
import { rectangleRuns, wallOf } from './walls.ts';

// Modes of cavities of cells between impedances. Costs and layouts as assembly/acoustics/mask-walls.ts, the kernel
// acoustic-mask-wall and its verdict have them.

const ROW = 5;
const STEPS = { followed: 60, refined: 12, rim: 4000 };

interface Walled {
  readonly mask: Mask;
  /** β of left, right, bottom, top and the walls inside. */
  readonly betas: readonly (readonly [number, number])[];
}

function readWalled(input: AcousticInput): Walled {
  const { rho, boundary } = input;
  if (rho === undefined) lacks('rho', 'rho, with an impedance');
  const ends = endsOf(input, maskSides);
  const mask = readMask(input);
  const uniform = typeof boundary === 'string' || 'type' in boundary!;
  const walls = maskSides.map((side) => {
    const { code, beta } = wallOf(ends.get(side)!, rho * speedOf(input), side);
    if (code === 3)
      refuse('UNSUPPORTED', `boundary.${side}: cells are followed from rigid walls alone.`, {
        field: `boundary.${side}`,
        accepts: '|Z| of at least ρc',
      });
    if (code === 2 && !uniform && !isTouched(mask, side))
      wrong(`boundary.${side}`, 'no air touches this side.', 'an impedance where there is air');
    return beta;
  });
  return { mask, betas: [...walls, uniform ? walls[0]! : [0, 0]] };
}

/** Whether there is air beside a side of the grid. */
function isTouched({ cells }: Mask, side: Side): boolean {
  if (side === 'bottom' || side === 'top') return cells.at(side === 'top' ? -1 : 0)!.includes(1);
  return cells.some((row) => row.at(side === 'right' ? -1 : 0) === 1);
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

function wallRun({ mask, betas }: Walled, task: Task): WallRun {
  const { cells, h, fine, open } = mask;
  const { n, band, columns, rows } = numberNodes(mask);
  const { modes, refines, counts, gives } = task;
  const unit = n * (Math.floor((band * band) / 2) + 30 * band + 1000);
  const steps = modes * (refines ? STEPS.refined : STEPS.followed) + (counts ? STEPS.rim : 0);
  const state = 120 + 8 * ROW * modes + 32 * n + (refines ? 0 : 16 * modes * n);
  const memory = state + 16 * n * (band + 3) + (gives ? 16 : 0) * columns * rows + 8 * columns * rows;
  if (!(steps * unit <= MOST.work)) tooMuch('N', steps * unit, MOST.work);
  if (!(memory <= MOST.memory)) tooMuch('N', memory, MOST.memory);
  const flag = (value: boolean) => (value ? 1 : 0);
  const bytes = new Layout()
    .f64(cells[0]!.length, cells.length, h, fine, ...open, 0, 0, 0)
    .f64s(cells.flat())
    .f64(flag(refines), modes, task.listed, task.chosen, steps, flag(counts), flag(gives))
    .f64s(betas.flat())
    .bytes();
  const before: Part = { run: task.from, of: 'result', from: 0, length: 8 * modes * (refines ? ROW : 1) };
  return {
    columns,
    rows,
    kernel: 'acoustic-mask-wall',
    parts: [{ bytes }, before],
    stepsPerSegment: segmentSteps(state, unit),
    work: steps * unit,
    memory: pages(bytes.length + memory + 100000),
    label: task.label,
  };
}

const finer = ({ mask, betas }: Walled, stride: number): Walled => ({
  mask: { ...mask, fine: mask.fine / stride },
  betas,
});

/** Between rigid walls first; then followed on the coarsest mesh, refined on each finer one, and judged. */
export function maskWallRuns(input: AcousticInput): RunPlan[] {
  const walled = readWalled(input);
  const listed = input.count!;
  const chosen = input.n ?? 1;
  const rest = walled.mask.open.includes(1) ? 0 : 1;
  const modes = listed + rest + 3 + Math.ceil(listed / 4);
  const rectangle: Walled = { mask: around(walled.mask), betas: [...walled.betas.slice(0, 4), [0, 0]] };
  const rigid = [maskRun(finer(walled, 4).mask, modes, 0), maskRun(rectangle.mask, rest + 3, 0)].map(
    ({ nodes: _, ...run }) => run,
  );
  const { axes, wall, followed } = rectangleRuns(input, walled.mask, rigid.length);
  const first = rigid.length + axes.length;
  const plain = { refines: false, counts: false, gives: false, listed, chosen };
  const runs = [
    wallRun(finer(walled, 4), { ...plain, label: 'N/4', modes, from: 0, counts: true }),
    wallRun(rectangle, { ...plain, label: 'rectangle', modes: rest + 3, from: 1, listed: 1, chosen: 1 }),
    wallRun(finer(walled, 2), { ...plain, label: 'N/2', modes: listed, from: first, refines: true }),
    wallRun(walled, { ...plain, label: 'N', modes: listed, from: first + 3, refines: true, gives: true }),
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
  const own = 8 * (ROW * listed + 4);
  const result = (run: number, length: number): Part => ({ run, of: 'result', from: 0, length });
  const bytes = new Layout()
    .f64(speedOf(input), listed, input.n ?? 1, columns, rows, mask.h / (2 * mask.fine), followed)
    .bytes();
  return {
    kernel: 'acoustic-mask-wall.verdict',
    parts: [
      { bytes },
      result(first + 4, own + 16 * columns * rows),
      result(first + 3, own),
      result(first, own),
      result(first + 1, 8 * (ROW + 4)),
      result(first + 2, 80 * followed),
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: 10 * columns * rows + 300_000,
    memory: pages(bytes.length + 32 * columns * rows + 64 * columns + 4 * own + 80 * followed + 100000),
    label: 'verdict',
  };
}

import { invalid, missing, readSides, type SideName, sideNames } from '../grid/box.ts';
import { type KindCode, kindCodes, type PlaneProblem, RING } from './problem.ts';
import type { FlowInput, FullSide, Side } from './schema.ts';

const fullSide = (side: Side): FullSide => (typeof side === 'string' ? { type: side } : side);

/** Kinds and velocities of the four sides. @throws Refusal that names the side */
export function readBoundary(
  input: FlowInput,
  nx: number,
  ny: number,
): Pick<PlaneProblem, 'kinds' | 'sides'> {
  if (input.case !== 'custom') {
    const kind = input.case === 'cavity' ? kindCodes.wall : RING;
    return { kinds: [kind, kind, kind, kind], sides: new Array(4 * nx + 4 * ny + 4).fill(0) };
  }
  const sides = readSides<Side>(
    input.boundary!,
    (value) => typeof value === 'string' || (typeof value === 'object' && value !== null && 'type' in value),
    (side) => fullSide(side).type === 'periodic',
    2,
  ) as Record<SideName, Side>;
  const read = sideNames.map((name) =>
    readSide(name, fullSide(sides[name]), name === 'left' || name === 'right' ? ny : nx),
  );
  checkVolume(input, read, nx, ny);
  return {
    kinds: read.map(({ kind }) => kind),
    sides: read.flatMap(({ normal, along }) => [...normal, ...along]),
  };
}

interface ReadSide {
  readonly kind: KindCode;
  readonly normal: readonly number[];
  readonly along: readonly number[];
}

function readSide(name: SideName, { type, u, v }: FullSide, cells: number): ReadSide {
  const upright = name === 'left' || name === 'right';
  const [normal, along] = upright ? [u, v] : [v, u];
  const [across, tangent] = upright ? ['u', 'v'] : ['v', 'u'];
  const field = `boundary.${name}`;
  if (type === 'inflow' && normal === undefined)
    missing(`${field}.${across}`, [`${field}.${across}`], 'the velocity of the inflow');
  if (type === 'wall' && normal !== undefined && [normal].flat().some((x) => x !== 0))
    invalid(`${field}.${across}`, 'nothing passes a wall', 'inflow, or 0');
  if (type !== 'wall' && type !== 'inflow' && (u !== undefined || v !== undefined))
    invalid(`${field}.${u === undefined ? 'v' : 'u'}`, `${type} has no velocity`, 'wall or inflow');
  const spread = (value: FullSide['u'], count: number, part: string): readonly number[] => {
    if (typeof value !== 'object') return new Array(count).fill(value ?? 0);
    if (value.length !== count)
      invalid(`${field}.${part}`, `it has ${value.length} numbers`, `a number or ${count} of them`);
    return value;
  };
  return {
    kind: kindCodes[type],
    normal: spread(normal, cells, across!),
    along: spread(along, cells + 1, tangent!),
  };
}

/** Whether nothing passes any side: of each the velocities of its faces, then those of their ends. */
export function isClosed(sides: readonly number[], nx: number, ny: number): boolean {
  let from = 0;
  return [ny, ny, nx, nx].every((faces) => {
    const normal = sides.slice(from, from + faces);
    from += 2 * faces + 1;
    return normal.every((velocity) => velocity === 0);
  });
}

const VOLUME_ROUNDING = 1e-9;

/** What flows in must flow out, where no side is open. */
function checkVolume({ Lx, Ly }: FlowInput, sides: readonly ReadSide[], nx: number, ny: number): void {
  if (sides.some(({ kind }) => kind === kindCodes.outflow)) return;
  const lengths = [Ly / ny, -Ly / ny, Lx! / nx, -Lx! / nx];
  const flows = sides.flatMap(({ normal }, i) => normal.map((value) => value * lengths[i]!));
  const total = flows.reduce((sum, flow) => sum + flow, 0);
  const size = flows.reduce((sum, flow) => sum + Math.abs(flow), 0);
  if (Math.abs(total) <= VOLUME_ROUNDING * size) return;
  invalid(
    'boundary',
    `${total} m²/s flow in and have no way out`,
    'inflows that add up to nothing, or an outflow',
  );
}

import type { Mesh, Patch } from './mesh.ts';
import type { FeaInput } from './schema.ts';

/**
 * Iterations grow with the longest cells over their width, measured to within a fifth on rectangles and
 * parallelograms, and with the root of the stiffness against a change of volume over that against shear.
 */
export function expectedIterations(mesh: Mesh, { analysis, nu = 0, planeType }: FeaInput): number {
  const aspect = mesh.patches.reduce((most, patch) => Math.max(most, longestCell(patch, mesh.extent)), 1);
  if (analysis === 'poisson') return 5 + 8 * aspect;
  const volumetric = planeType === 'strain' ? (1 - nu) / (1 - 2 * nu) : 1 / (1 - nu);
  return 20 * aspect * Math.sqrt(volumetric);
}

/** Of the cells in the middle and the corners of a patch, the largest singular value of the map over the smallest. */
export function longestCell({ points, cells, grade }: Patch, unit: number): number {
  const [p, q, r, s] = points as [Vector, Vector, Vector, Vector];
  const along = (a: Vector, b: Vector, c: Vector, d: Vector): Vector => [
    b[0]! / unit - a[0]! / unit + c[0]! / unit - d[0]! / unit,
    b[1]! / unit - a[1]! / unit + c[1]! / unit - d[1]! / unit,
  ];
  const [right, up] = [along(p, q, r, s), along(p, s, r, q)];
  const [widths, heights] = [ends(cells[0], grade[0]), ends(cells[1], grade[1])];
  const maps = widths.flatMap((a) => heights.map((b) => conditionNumber(scaled(right, a), scaled(up, b))));
  return Math.max(...maps);
}

type Vector = readonly number[];
const scaled = (v: Vector, by: number): Vector => v.map((x) => x * by);

/** First, mean and last of n lengths, 1 together, of which each is as many times the one before: the mean by Pólya. */
function ends(n: number, grade: number): number[] {
  const first = 3 / (n * (2 * Math.sqrt(grade) + (1 + grade) / 2));
  return [first, 1 / n, grade * first];
}

function conditionNumber(a: Vector, b: Vector): number {
  const trace = a[0]! * a[0]! + a[1]! * a[1]! + b[0]! * b[0]! + b[1]! * b[1]!;
  const area = a[0]! * b[1]! - a[1]! * b[0]!;
  const root = Math.sqrt(Math.max(0, trace * trace - 4 * area * area));
  return Math.abs(area) > 0 ? (trace + root) / (2 * Math.abs(area)) : 1;
}

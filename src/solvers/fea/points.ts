import type { Mesh, Patch } from './mesh.ts';
import type { FeaInput } from './schema.ts';

/**
 * Whether every {point} of the supports and loads is a node of the mesh with a quarter of the cells. Graded patches
 * say no unless the point is a corner. This chooses meshes only; the kernel finds the nodes itself.
 */
export function onCoarserNodes(input: FeaInput, mesh: Mesh): boolean {
  const points = [...input.supports, ...(input.loads ?? [])].flatMap(({ on }) =>
    typeof on === 'object' && 'point' in on ? [on.point] : [],
  );
  return points.every((point) => mesh.patches.some((patch) => isCoarseNode(patch, point, mesh.extent)));
}

function isCoarseNode(patch: Patch, point: readonly number[], extent: number): boolean {
  if (patch.points.slice(0, 4).some((corner) => distance(corner, point) <= 1e-9 * extent)) return true;
  if (patch.grade[0] !== 1 || patch.grade[1] !== 1) return false;
  const place = locate(patch.points, point, extent);
  if (!place) return false;
  // Nodes stand at every half cell.
  return place.every((s, i) => isWhole((s * patch.cells[i]!) / 2) && s > -1e-6 && s < 1 + 1e-6);
}

const isWhole = (x: number) => Math.abs(x - Math.floor(x + 0.5)) < 1e-6;
const distance = (a: readonly number[], b: readonly number[]) =>
  Math.abs(a[0]! - b[0]!) + Math.abs(a[1]! - b[1]!);

/** Newton's method for the place of a point in a patch's unit square. */
export function locate(points: readonly (readonly number[])[], target: readonly number[], extent: number) {
  let [s, t] = [0.5, 0.5];
  for (let k = 0; k < 30; k++) {
    const [x, y, xs, ys, xt, yt] = mapped(points, s, t) as [number, number, number, number, number, number];
    const [rx, ry] = [target[0]! - x, target[1]! - y];
    if (Math.abs(rx) + Math.abs(ry) <= 1e-11 * extent) return [s, t];
    const det = xs * yt - xt * ys;
    if (det === 0) return undefined;
    s = Math.min(2, Math.max(-1, s + (rx * yt - ry * xt) / det));
    t = Math.min(2, Math.max(-1, t + (ry * xs - rx * ys) / det));
  }
  return undefined;
}

/** x, y, ∂x/∂s, ∂y/∂s, ∂x/∂t, ∂y/∂t. */
function mapped(points: readonly (readonly number[])[], s: number, t: number): number[] {
  const out = [0, 0, 0, 0, 0, 0];
  shapes(points.length, s, t).forEach(([n, ns, nt], a) => {
    for (const c of [0, 1]) {
      out[c]! += n! * points[a]![c]!;
      out[2 + c]! += ns! * points[a]![c]!;
      out[4 + c]! += nt! * points[a]![c]!;
    }
  });
  return out;
}

const nineNodes = [
  [0, 0],
  [2, 0],
  [2, 2],
  [0, 2],
  [1, 0],
  [2, 1],
  [1, 2],
  [0, 1],
  [1, 1],
] as const;
const fourNodes = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;

function shapes(count: number, s: number, t: number): number[][] {
  const [nodes, of] = count === 9 ? [nineNodes, quadratic] : [fourNodes, linear];
  const [alongS, alongT] = [of(s), of(t)];
  return nodes.map(([i, j]) => {
    const [a, da] = alongS[i]!;
    const [b, db] = alongT[j]!;
    return [a! * b!, da! * b!, a! * db!];
  });
}
const linear = (t: number) => [
  [1 - t, -1],
  [t, 1],
];
const quadratic = (t: number) => [
  [(1 - t) * (1 - 2 * t), 4 * t - 3],
  [4 * t * (1 - t), 4 - 8 * t],
  [t * (2 * t - 1), 4 * t - 1],
];

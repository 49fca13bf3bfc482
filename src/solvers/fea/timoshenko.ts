import type { FeaInput } from './schema.ts';

/**
 * Numbers of Timoshenko's cantilever for the verdict (L, c, E, ν of plane stress, a, x, y) when the request is that
 * problem to the letter: a rectangle, its left end held at mid-height and stopped along x at both corners, both ends
 * under the exact tractions of the parabolic shear a(1−ξ²); and the quantity has a closed form. Else undefined.
 */
export function timoshenko(input: FeaInput): number[] | undefined {
  const { patches, E, nu, probe } = input;
  if (input.analysis !== 'elasticity' || patches?.length !== 1 || !probe || input.b?.some((b) => b !== 0))
    return undefined;
  const box = rectangle(patches[0]!.corners);
  if (!box) return undefined;
  const { x0, y0, length, depth } = box;
  const shear = endShear(input, length, depth / 2);
  if (shear === undefined || !held(input, x0, y0, depth) || !hasForm(input)) return undefined;
  const strain = input.planeType === 'strain';
  return [
    length,
    depth / 2,
    strain ? E! / (1 - nu! * nu!) : E!,
    strain ? nu! / (1 - nu!) : nu!,
    shear,
    probe[0]! - x0,
    probe[1]! - (y0 + depth / 2),
  ];
}

const hasForm = ({ quantity, component }: FeaInput) =>
  quantity === 'displacement' || (quantity === 'stress' && (component === 'xx' || component === 'xy'));

const same = (a: number, b: number, size: number) => Math.abs(a - b) <= 1e-9 * size;

function rectangle(corners: readonly (readonly number[])[]) {
  const [a, b, c, d] = corners as [number, number][];
  if (corners.length !== 4 || !a || !b || !c || !d) return undefined;
  const straight = a[1] === b[1] && b[0] === c[0] && c[1] === d[1] && d[0] === a[0];
  return straight ? { x0: a[0], y0: a[1], length: b[0] - a[0], depth: d[1] - a[1] } : undefined;
}

/** The intensity a of the end shear, when both tractions are those of the closed form. */
function endShear(input: FeaInput, length: number, c: number): number | undefined {
  const { loads = [] } = input;
  if (loads.length !== 2) return undefined;
  const [right, left] = (['right', 'left'] as const).map((side) =>
    loads.find(({ on }) => typeof on === 'object' && 'side' in on && on.side === side),
  );
  if (!right?.traction || !left?.traction) return undefined;
  const [rx, ry] = right.traction.map(polynomial) as [number[], number[]];
  const [lx, ly] = left.traction.map(polynomial) as [number[], number[]];
  const a = ry[0]!;
  const wanted = [
    [rx, [0, 0, 0]],
    [ry, [a, 0, -a]],
    [lx, [0, (2 * a * length) / c, 0]],
    [ly, [-a, 0, a]],
  ] as const;
  const size = Math.abs((2 * a * length) / c);
  const fits = wanted.every(([given, exact]) => exact.every((value, k) => same(given[k]!, value, size)));
  return fits && a !== 0 ? a : undefined;
}

const polynomial = (value: number | readonly number[]) => {
  const list = typeof value === 'number' ? [value] : value;
  return [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];
};

/** (0, 0): no displacement; (0, ±c): none along x. Nothing else. */
function held(input: FeaInput, x0: number, y0: number, depth: number): boolean {
  const { supports } = input;
  if (supports.length !== 3) return false;
  const at = (y: number) =>
    supports.find(
      ({ on }) =>
        typeof on === 'object' &&
        'point' in on &&
        same(on.point[0]!, x0, depth) &&
        same(on.point[1]!, y, depth),
    );
  const [middle, top, bottom] = [at(y0 + depth / 2), at(y0 + depth), at(y0)];
  return (
    middle?.ux === 0 &&
    middle.uy === 0 &&
    top?.ux === 0 &&
    bottom?.ux === 0 &&
    top.uy === undefined &&
    bottom.uy === undefined
  );
}

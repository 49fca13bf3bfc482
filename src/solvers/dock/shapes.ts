type Point = readonly [number, number, number];

const GOLDEN = (1 + Math.sqrt(5)) / 2;

/** Corners of an icosahedron whose edge is 2. */
const corners: readonly Point[] = [-1, 1].flatMap((a) =>
  [-GOLDEN, GOLDEN].flatMap((b): Point[] => [
    [0, a, b],
    [a, b, 0],
    [b, 0, a],
  ]),
);

const square = ([x, y, z]: Point) => x * x + y * y + z * z;
const between = ([a, b, c]: Point, [x, y, z]: Point) => square([a - x, b - y, c - z]);
const scaled = ([x, y, z]: Point, factor: number): Point => [x * factor, y * factor, z * factor];

/** ∛x, 0.1 < x < 10, by Newton's iteration: the same bits everywhere. */
function cubeRoot(x: number): number {
  let root = 1;
  for (let i = 0; i < 60; i++) root = (2 * root + x / (root * root)) / 3;
  return root;
}

/**
 * The thirteen-atom icosahedron at its lowest energy, E = 4(S₁₂/r¹² − S₆/r⁶) with r⁶ = 2S₁₂/S₆; a face stands last,
 * which is the ligand of the planted problem.
 */
export function plantedThirteen(): readonly Point[] {
  const points: Point[] = [[0, 0, 0], ...corners];
  const radius = square(corners[0]!);
  let [s6, s12] = [0, 0];
  for (let i = 1; i < points.length; i++)
    for (let j = 0; j < i; j++) {
      const ratio = radius / between(points[i]!, points[j]!);
      s6 += ratio * ratio * ratio;
      s12 += ratio * ratio * ratio * ratio * ratio * ratio;
    }
  const factor = Math.sqrt(cubeRoot((2 * s12) / s6) / radius);
  const whole = points.map((point) => scaled(point, factor));
  const edge = 4.1 * factor * factor;
  const first = whole[1]!;
  const second = whole.find((point) => point !== first && square(point) > 0 && between(point, first) < edge)!;
  const third = whole.find(
    (point) =>
      ![first, second].includes(point) &&
      square(point) > 0 &&
      between(point, first) < edge &&
      between(point, second) < edge,
  )!;
  const face = [first, second, third];
  return [...whole.filter((point) => !face.includes(point)), ...face];
}

// ---- starts of a cluster -------------------------------------------------------------------------------

/** The n points nearest to the centre; of equal ones those that come first. */
const nearest = (points: readonly Point[], n: number): readonly Point[] =>
  points
    .map((point, i) => ({ point, i, far: Math.floor(square(point) * 1e6 + 0.5) }))
    .sort((a, b) => a.far - b.far || a.i - b.i)
    .slice(0, n)
    .map(({ point }) => point);

/** Face-centred cubic sites with bonds of `bond`, about an atom or, moved by half an edge, about a hole. */
function cubic(bond: number, shift: number): Point[] {
  const edge = bond / Math.sqrt(2);
  const range = Array.from({ length: 11 }, (_, i) => i - 5);
  return range.flatMap((x) =>
    range.flatMap((y) =>
      range.flatMap((z): Point[] =>
        (x + y + z) % 2 === 0 ? [[(x + shift) * edge, y * edge, z * edge]] : [],
      ),
    ),
  );
}

/** Mackay's icosahedra (Acta Crystallogr. 15 (1962) 916): shell k on the faces of the corners times k. */
function icosahedral(bond: number): Point[] {
  const sites: Point[] = [[0, 0, 0]];
  for (let shell = 1; shell <= 4; shell++) {
    const shellSites: Point[] = [];
    for (const a of corners)
      for (const b of corners)
        for (const c of corners) {
          if (
            Math.abs(between(a, b) - 4) > 0.1 ||
            Math.abs(between(b, c) - 4) > 0.1 ||
            Math.abs(between(a, c) - 4) > 0.1
          )
            continue;
          for (let i = 0; i <= shell; i++)
            for (let j = 0; i + j <= shell; j++) {
              const k = shell - i - j;
              const at = [0, 1, 2].map(
                (x) => (bond / 2) * (i * a[x]! + j * b[x]! + k * c[x]!),
              ) as unknown as Point;
              if (shellSites.every((site) => between(site, at) > 0.01)) shellSites.push(at);
            }
        }
    sites.push(...shellSites);
  }
  return sites;
}

/** Starts of the first search: cuts of an icosahedron and of cubic packings about an atom and about a hole. */
export function clusterStarts(n: number, bond: number): readonly (readonly Point[])[] {
  return [nearest(icosahedral(bond), n), nearest(cubic(bond, 1), n), nearest(cubic(bond, 0), n)];
}

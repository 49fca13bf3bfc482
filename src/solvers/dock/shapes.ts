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

/** Sites in so many whole shells as n atoms need. */
const sitesFor = (n: number): number => [13, 55, 147].find((sites) => sites >= n) ?? 309;

/** Directions 72° apart. */
const fivefold: readonly (readonly [number, number])[] = [0, 0, 0, 0].reduce(
  (axes: (readonly [number, number])[]) => {
    const [x, y] = axes.at(-1)!;
    const [cos, sin] = [(Math.sqrt(5) - 1) / 4, Math.sqrt(10 + 2 * Math.sqrt(5)) / 4];
    return [...axes, [cos * x - sin * y, sin * x + cos * y] as const];
  },
  [[1, 0]],
);

/** Five wedges of a cubic packing about an axis (Marks, J. Cryst. Growth 61 (1983) 556), which is moved by `shift` of a bond. */
function decahedral(bond: number, shift: number): Point[] {
  const wide = Math.sqrt(0.75) * bond;
  const sites: Point[] = [];
  const column = (x: number, y: number, odd: number) => {
    for (let m = -3; m <= 3; m++) {
      const z = (m + odd / 2 + shift) * bond;
      if (Math.abs(z) < 2.8 * bond) sites.push([wide * x, wide * y, z]);
    }
  };
  column(0, 0, 0);
  fivefold.forEach(([a, b], k) => {
    const [c, d] = fivefold[(k + 1) % 5]!;
    // Those of the far side, i = 0, are the next wedge's.
    for (let i = 1; i <= 4; i++)
      for (let j = 0; i + j <= 4; j++) column(i * a + j * c, i * b + j * d, (i + j) % 2);
  });
  return sites;
}

/** n sites that are left when the one with the fewest neighbours is taken again and again, of several the farthest out. */
function peeled(sites: readonly Point[], n: number, bond: number): Point[] {
  const near = sites.map((site) =>
    sites.flatMap((other, j) => (other !== site && between(site, other) < 1.69 * bond * bond ? [j] : [])),
  );
  const bonds = near.map(({ length }) => length);
  const left = [...sites.keys()];
  const isLooser = (i: number, j: number) =>
    bonds[i]! < bonds[j]! || (bonds[i]! === bonds[j]! && square(sites[i]!) > square(sites[j]!) + 1e-6);
  while (left.length > n) {
    const at = left.reduce((best, i, k) => (isLooser(i, left[best]!) ? k : best), 0);
    for (const j of near[left[at]!]!) bonds[j]!--;
    left.splice(at, 1);
  }
  return left.map((i) => sites[i]!);
}

/** Starts of the first search: cuts of icosahedra, of cubic packings about an atom and about a hole, and of decahedra. */
export function clusterStarts(n: number, bond: number): readonly (readonly Point[])[] {
  const icosahedron = icosahedral(bond);
  return [
    nearest(icosahedron, n),
    nearest(cubic(bond, 1), n),
    nearest(cubic(bond, 0), n),
    peeled(icosahedron.slice(0, sitesFor(n)), n, bond),
    peeled(decahedral(bond, 0), n, bond),
    peeled(decahedral(bond, 0.5), n, bond),
  ];
}

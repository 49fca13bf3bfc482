import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { knownEnergy } from '../../src/solvers/dock/known.ts';
import { clusterStarts, plantedThirteen } from '../../src/solvers/dock/shapes.ts';
import { dock } from '../../src/solvers/dock.ts';
import type { Refused } from './refusals.ts';
import { testRuns } from './run-laws.ts';
import { fieldOf, inputOf, refusalOf, solved as solvedBy, type Twin, testSolver } from './solver-test.ts';

t.setTimeout(120_000);

const solved = (body: object) => solvedBy(dock, body);
type Point = [number, number, number];
const box = (center: readonly number[], size: number) => ({ center, size: [size, size, size] });

/** A bent molecule over a heap of seven atoms of two kinds. */
const heap = {
  position: [
    [0, 0, 0],
    [3.6, 0, 0],
    [1.8, 3.1, 0],
    [-1.9, 3, 0.2],
    [1.7, 1, 3],
    [5, 3, 0.5],
    [-1.8, -3.1, 0],
  ] as Point[],
  sigma: [3.4, 3.4, 3, 3.4, 3, 3.4, 3],
  epsilon: [1, 1, 0.5, 1, 0.5, 1, 0.5],
};
const bent = {
  position: [
    [0, 0, 0],
    [1.5, 0, 0],
    [2, 1.4, 0],
  ] as Point[],
  sigma: [3.4, 3, 3.2],
  epsilon: [0.4, 0.8, 0.6],
};
const meeting = {
  scoring: 'lj',
  receptor: heap,
  ligand: bent,
  combination: 'lorentz-berthelot',
  box: box([1, 1, 1], 14),
};
const ions = {
  scoring: 'lj',
  receptor: { position: [[0, 0, 0]], sigma: 2.5, epsilon: 0.5, q: 1 },
  ligand: { position: [[7, 7, 7]], sigma: 4.5, epsilon: 2, q: -1 },
  combination: 'lorentz-berthelot',
  epsR: 4,
  box: box([0, 0, 0], 12),
};
const polar = {
  scoring: 'vina',
  receptor: {
    position: [
      [0, 0, 0],
      [3.5, 0, 0],
      [0, 3.9, 0],
    ],
    type: ['O_A', 'C_H', 'C_P'],
  },
  ligand: {
    position: [
      [0, 0, 0],
      [1.4, 0, 0],
    ],
    type: ['N_D', 'C_H'],
  },
  box: box([0, 0, 0], 14),
};
const cluster = (N: number) => ({ mode: 'cluster', N, potential: 'lj' });

// ---- laws ----------------------------------------------------------------------------------------------

const turned = ([x, y, z]: Point, [a, b, c]: Point): Point => {
  const [s, k] = [Math.sin(a), Math.cos(a)];
  const [u, v, w] = [k * x - s * y, s * x + k * y, z];
  const [p, q] = [Math.sin(b), Math.cos(b)];
  return [q * u + p * w + c, v - c, q * w - p * u + 2 * c];
};

t.test('the lowest energy does not depend on how receptor and ligand are turned', async () => {
  const whole = (await solved(meeting)).verdict.value;
  const angle = fc.double({ min: -3, max: 3, noNaN: true });
  await fc.assert(
    fc.asyncProperty(fc.tuple(angle, angle, angle), fc.tuple(angle, angle, angle), async (there, here) => {
      const { verdict } = await solved({
        ...meeting,
        receptor: { ...heap, position: heap.position.map((point) => turned(point, there)) },
        ligand: { ...bent, position: bent.position.map((point) => turned(point, here)) },
        box: box(turned([1, 1, 1], there), 14),
      });
      return Math.abs(verdict.value / whole - 1) < 1e-6;
    }),
    { numRuns: 4, seed: 3 },
  );
});

t.test('energies grow with ε; lengths with σ', async (t) => {
  const { verdict } = await solved(meeting);
  const deeper = await solved({
    ...meeting,
    receptor: { ...heap, epsilon: heap.epsilon.map((each) => 4 * each) },
  });
  t.ok(Math.abs(deeper.verdict.value / (2 * verdict.value) - 1) < 1e-9, 'ε_ij = √(ε_i ε_j)');
  const double = (body: typeof heap) => ({
    ...body,
    position: body.position.map((point) => point.map((each) => 2 * each)),
    sigma: body.sigma.map((each) => 2 * each),
  });
  const larger = await solved({
    ...meeting,
    receptor: double(heap),
    ligand: double(bent),
    box: box([2, 2, 2], 28),
  });
  t.ok(Math.abs(larger.verdict.value / verdict.value - 1) < 1e-9);
});

t.test('the placed ligand is as rigid as it was, and its pose puts it where it is', async (t) => {
  const job = await solved(meeting);
  const placed = fieldOf(job, 'position');
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
  const at = (i: number) => placed.subarray(3 * i, 3 * i + 3);
  for (const [i, j] of [
    [0, 1],
    [1, 2],
    [0, 2],
  ] as const)
    t.ok(Math.abs(distance(at(i), at(j)) - distance(bent.position[i]!, bent.position[j]!)) < 1e-12);
  const { pose, poses, halves } = job.presentation.outputs as {
    pose: { center: number[] };
    poses: { energy: number }[];
    halves: number[];
  };
  const middle = [0, 1, 2].map((axis) => (placed[axis]! + placed[3 + axis]! + placed[6 + axis]!) / 3);
  t.ok(distance(middle, pose.center) < 1e-12);
  t.equal(poses[0]!.energy, job.verdict.value);
  t.ok(
    poses.length > 3 && poses.every(({ energy }, i) => i === 0 || energy > poses[i - 1]!.energy),
    'rising',
  );
  t.equal(Math.min(...halves), job.verdict.value);
  const energies = fieldOf(job, 'energies');
  t.equal(energies[0], job.verdict.value);
  t.equal(energies.at(-1), Math.max(...energies));
});

t.test('two ions lie where a search in one dimension finds them', async (t) => {
  for (const [combination, sigma] of [
    ['lorentz-berthelot', 3.5],
    ['geometric', Math.sqrt(2.5 * 4.5)],
  ] as const) {
    const energy = (r: number) => 4 * ((sigma / r) ** 12 - (sigma / r) ** 6) - 1389.35458 / (4 * r);
    let best = Infinity;
    for (let r = 1; r < 8; r += 1e-5) best = Math.min(best, energy(r));
    const { verdict } = await solved({ ...ions, combination });
    t.ok(Math.abs(verdict.value / best - 1) < 1e-8);
  }
});

t.test(
  'a box whose side is lower than its minima is refused, and one that reaches further is not',
  async (t) => {
    // Two wells on a line, of 1 and of 5 kJ/mol; the box ends on the way to the deeper one.
    const two = {
      ...{ scoring: 'lj', combination: 'lorentz-berthelot' },
      receptor: {
        position: [
          [0, 0, 0],
          [12, 0, 0],
        ],
        sigma: 3,
        epsilon: [1, 25],
      },
      ligand: { position: [[0, 0, 0]], sigma: 3, epsilon: 1 },
    };
    const to = (x: number) => ({ center: [(x - 4) / 2, 0, 0], size: [x + 4, 9, 9] });
    const { code, details } = await refusalOf(dock, { ...two, box: to(8) });
    t.equal(code, 'DID_NOT_CONVERGE');
    const [x] = details.center as number[];
    t.ok(Math.abs(x! - (12 - 3 * 2 ** (1 / 6))) < 0.01, `${x}`);
    const pair = (r: number) => 4 * ((3 / r) ** 12 - (3 / r) ** 6);
    let best = Infinity;
    for (let at = 7; at < 10; at += 1e-5) best = Math.min(best, pair(at) + 5 * pair(12 - at));
    const { value } = (await solved({ ...two, box: to(x! + 1) })).verdict;
    t.ok(Math.abs(value / best - 1) < 1e-8);
  },
);

t.test('a hydrogen bond of Vina lies where a search in one dimension finds it', async (t) => {
  const pair = (d: number) =>
    -0.035579 * Math.exp(-((d / 0.5) ** 2)) -
    0.005156 * Math.exp(-(((d - 3) / 2) ** 2)) +
    (d < 0 ? 0.840245 * d * d - 0.587439 * Math.min(1, -d / 0.7) : 0);
  let best = Infinity;
  for (let d = -2; d < 4; d += 1e-5) best = Math.min(best, 4.184 * pair(d));
  const atom = (type: string) => ({ position: [[0, 0, 0]], type: [type] });
  for (const [acceptor, donor] of [
    ['O_A', 'N_D'],
    ['N_DA', 'O_A'],
  ] as const) {
    const { verdict } = await solved({ ...polar, receptor: atom(acceptor), ligand: atom(donor) });
    t.ok(Math.abs(verdict.value / best - 1) < 1e-8);
  }
  t.ok((await solved(polar)).verdict.value < best, 'with contacts beside it lies lower');
});

// Trott & Olson 2010, eqs. 2–7 with table 1 and the radii of X-Score: the well of a pair by a search in one dimension.
const radius: Record<string, number> = {
  C: 1.9,
  N: 1.8,
  O: 1.7,
  S: 2,
  P: 2.1,
  F: 1.5,
  Cl: 1.8,
  Br: 2,
  I: 2.2,
  Met: 1.2,
};
const ramp = (d: number, full: number, none: number) =>
  d <= full ? 1 : d >= none ? 0 : (none - d) / (none - full);
function vinaWell(a: string, b: string): number {
  const [[first, one], [second, two]] = [a.split('_'), b.split('_')] as [[string, string], [string, string]];
  const reach = radius[first]! + radius[second]!;
  const bonds =
    (one.includes('D') && two.includes('A')) || (one.includes('A') && two.includes('D')) ? -0.587439 : 0;
  const greasy = one === 'H' && two === 'H' ? -0.035069 : 0;
  let best = 0;
  for (let r = 1; r < 8; r += 2e-5) {
    const d = r - reach;
    const energy =
      -0.035579 * Math.exp(-((d / 0.5) ** 2)) -
      0.005156 * Math.exp(-(((d - 3) / 2) ** 2)) +
      (d < 0 ? 0.840245 * d * d : 0) +
      greasy * ramp(d, 0.5, 1.5) +
      bonds * ramp(d, -0.7, 0);
    best = Math.min(best, 4.184 * energy);
  }
  return best;
}

t.test('Vina’s wells of every kind of pair: greasy, bonding, neither, metal, halogens', async (t) => {
  const atom = (type: string) => ({ position: [[0, 0, 0]], type: [type] });
  for (const [a, b] of [
    ['C_H', 'C_H'],
    ['C_P', 'C_H'],
    ['N_P', 'O_P'],
    ['O_D', 'O_D'],
    ['O_A', 'O_A'],
    ['O_DA', 'O_DA'],
    ['Met_D', 'O_A'],
    ['Met_D', 'N_D'],
    ['F_H', 'I_H'],
    ['Cl_H', 'Br_H'],
    ['S_P', 'P_P'],
  ] as const) {
    const { verdict } = await solved({ ...polar, receptor: atom(a), ligand: atom(b) });
    const expected = vinaWell(a, b);
    t.ok(Math.abs(verdict.value / expected - 1) < 1e-6, `${a} ${b}: ${verdict.value}, ${expected}`);
  }
});

t.test('a rod, two atoms in one place and atoms without a well are rigid bodies too', async (t) => {
  const wall = { position: [[0, 0, 0]], sigma: 3, epsilon: 1 };
  const place = (position: number[][], epsilon: number[]) =>
    solved({
      scoring: 'lj',
      receptor: wall,
      ligand: { position, sigma: 3, epsilon },
      combination: 'geometric',
      box: box([0, 0, 0], 12),
    });
  const rod = await place(
    [
      [0, 0, 0],
      [0, 0, 3 * 2 ** (1 / 6)],
    ],
    [1, 1],
  );
  t.ok(Math.abs(rod.verdict.value / -2 - 1) < 1e-8, 'both ends of the rod at the distance of least energy');
  const twice = await place(
    [
      [1, 1, 1],
      [1, 1, 1],
    ],
    [1, 1],
  );
  t.ok(Math.abs(twice.verdict.value / -2 - 1) < 1e-8, 'one place counts twice');
  const blind = await place(
    [
      [0, 0, 0],
      [9, 0, 0],
    ],
    [1, 0],
  );
  t.ok(Math.abs(blind.verdict.value / -1 - 1) < 1e-8, 'an atom without a well does not act');
});

t.test('the quote of a search is within four times of what it needs', async (t) => {
  for (const body of [meeting, polar, ions, cluster(13)]) {
    const input = inputOf(dock, body);
    const { work } = dock.quote(input, { requestHash: new Uint8Array(32) });
    const { finished } = await solved(body);
    const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
    t.ok(work >= spent && work < 4 * spent, `${work / spent}`);
  }
});

t.test('a cluster that no table holds needs two searches that agree', async (t) => {
  const { verdict, presentation } = await solved({ mode: 'cluster', N: 6, potential: 'morse', rho: 14 });
  t.equal(presentation.outputs.optimality, 'consensus');
  t.ok(verdict.gates.some(({ name }) => name === 'searches'));
});

/** Energy below these points: steps down the gradient, longer while it falls. */
function descended(points: readonly (readonly number[])[]): number {
  let x = points.flat();
  const at = (x: readonly number[]) => {
    const slope = x.map(() => 0);
    let energy = 0;
    for (let i = 0; i < x.length; i += 3)
      for (let j = 0; j < i; j += 3) {
        const d = [0, 1, 2].map((k) => x[i + k]! - x[j + k]!);
        const six = Math.hypot(...d) ** -6;
        energy += 4 * six * (six - 1);
        const pull = -24 * six * (2 * six - 1) * six ** (1 / 3);
        for (let k = 0; k < 3; k++) {
          slope[i + k]! += pull * d[k]!;
          slope[j + k]! -= pull * d[k]!;
        }
      }
    return { energy, slope };
  };
  let here = at(x);
  for (let step = 1e-3, i = 0; i < 400; i++) {
    const next = x.map((each, k) => each - step * here.slope[k]!);
    const there = at(next);
    if (there.energy < here.energy) [x, here, step] = [next, there, 1.2 * step];
    else step *= 0.3;
  }
  return here.energy;
}

t.test('the lowest cluster of 75 atoms lies below a start: a decahedron, which hops hardly find', (t) => {
  // Cambridge Cluster Database; the lowest icosahedron is 0.3 % above.
  const lowest = Math.min(...clusterStarts(75, 1.1).slice(4).map(descended));
  t.ok(Math.abs(lowest / -397.492331 - 1) < 1e-4, `${lowest}`);
  t.end();
});

t.test('positions of a cluster are about its centre and give its distances', async (t) => {
  const job = await solved(cluster(4));
  const x = fieldOf(job, 'position');
  const edges = [0, 1, 2, 3].flatMap((i) =>
    [0, 1, 2, 3]
      .filter((j) => j < i)
      .map((j) => Math.hypot(...[0, 1, 2].map((a) => x[3 * i + a]! - x[3 * j + a]!))),
  );
  t.ok(
    edges.every((edge) => Math.abs(edge - 2 ** (1 / 6)) < 1e-6),
    'a tetrahedron of edge 2^(1/6)',
  );
});

// ---- references ----------------------------------------------------------------------------------------

const thirteen = plantedThirteen();
const vertex = {
  scoring: 'lj',
  receptor: { position: thirteen.slice(0, 12), sigma: 1, epsilon: 1 },
  ligand: { position: [[0, 0, 0]], sigma: 1, epsilon: 1 },
  combination: 'geometric',
  box: box([0, 0, 0], 5),
};
const lennardJones = [
  [4, -6],
  [5, -9.103852],
  [7, -16.505384],
  [20, -77.177043],
  [31, -133.586422],
  [38, -173.928427],
  [55, -279.24847],
] as const;

t.test('the tables of lowest clusters are the published ones', (t) => {
  // Cambridge Cluster Database, from N = 5 on.
  const { lennardJones, morse6 } = JSON.parse(
    readFileSync(new URL('../../../test/fixtures/dock/cambridge.json', import.meta.url), 'utf8'),
  ) as Record<'lennardJones' | 'morse6', number[]>;
  for (const [potential, energies, below] of [
    ['lj', lennardJones, -6],
    ['morse', morse6, -6],
  ] as const) {
    t.same(
      energies.map((_, i) => knownEnergy(potential, 5 + i, 6)?.energy),
      energies,
    );
    // One more atom can lie on three others, and none is lower than all its pairs.
    energies.forEach((energy, i) => {
      const N = 5 + i;
      t.ok(energy < (energies[i - 1] ?? below) - 3 && energy > (-N * (N - 1)) / 2, `${potential} ${N}`);
    });
  }
  t.equal(lennardJones.length, 146);
  t.notOk(knownEnergy('morse', 81, 6) ?? knownEnergy('morse', 7, 5), 'of others nothing is known');
  t.end();
});

// ---- broken twins --------------------------------------------------------------------------------------

const rigid = 'assembly/dock/rigid.ts';
const clusters = 'assembly/dock/cluster.ts';
const hopping = 'dock-cluster';
const five = cluster(5);
const twins: Twin[] = [
  {
    title: 'half of the repulsion',
    body: meeting,
    file: rigid,
    find: 'f64x2.sub(high, depth))',
    replace: 'f64x2.sub(f64x2.mul(f64x2.splat(0.5), high), depth))',
  },
  {
    title: 'a torque of the wrong sign',
    body: meeting,
    file: rigid,
    find: 'tx += py * gz - pz * gy',
    replace: 'tx -= py * gz - pz * gy',
  },
  {
    title: 'the other rule',
    body: meeting,
    file: rigid,
    find: 'geometric = rule == 1',
    replace: 'geometric = rule == 0',
  },
  {
    title: 'no Coulomb force',
    body: ions,
    file: rigid,
    find: 'slope = f64x2.sub(slope, f64x2.mul(v128.load(SIXTH), pull));',
    replace: '',
  },
  { title: 'a weaker hydrogen bond', body: polar, file: rigid, find: '-0.587439', replace: '-0.57' },
  {
    title: 'a force of another power',
    body: five,
    kernel: hopping,
    file: clusters,
    find: '(2.0 * six - 1.0) * inverse',
    replace: '(six - 1.0) * inverse',
  },
  {
    title: 'the highest minimum kept',
    body: cluster(8),
    kernel: hopping,
    find: 'energy < load<f64>(body, 8) - 1e-9',
    replace: 'energy > load<f64>(body, 8) + 1e-9',
  },
];

testRuns(dock, inputOf(dock, cluster(5)));

// ---- requests that are refused -------------------------------------------------------------------------

const atom = { position: [[0, 0, 0]], sigma: 3.4, epsilon: 1 };
const room = { center: [0, 0, 0], size: [10, 10, 10] };
const pair = { scoring: 'lj', receptor: atom, ligand: atom, combination: 'geometric', box: room };
const carbon = { position: [[0, 0, 0]], type: ['C_H'] };
const vina = { scoring: 'vina', receptor: carbon, ligand: carbon, box: room };
const fiveAtoms = { mode: 'cluster', N: 5, potential: 'lj' };
const { combination: _, ...withoutRule } = pair;
const { box: __, ...withoutBox } = pair;

const refused: readonly Refused[] = [
  { title: 'no box', body: withoutBox, code: 'MISSING_INPUT', field: 'box' },
  { title: 'no rule', body: withoutRule, code: 'MISSING_INPUT', field: 'combination' },
  {
    title: 'no well depth',
    body: { ...pair, ligand: { position: [[0, 0, 0]], sigma: 3.4 } },
    code: 'MISSING_INPUT',
    field: 'ligand.epsilon',
  },
  {
    title: 'charges without a permittivity',
    body: { ...pair, receptor: { ...atom, q: 1 }, ligand: { ...atom, q: -1 } },
    code: 'MISSING_INPUT',
    field: 'epsR',
  },
  {
    title: 'charges of the ligand alone',
    body: { ...pair, epsR: 1, ligand: { ...atom, q: -1 } },
    code: 'MISSING_INPUT',
    field: 'receptor.q',
  },
  {
    title: 'opposite charges without repulsion',
    body: { ...pair, epsR: 1, receptor: { ...atom, q: 1 }, ligand: { ...atom, epsilon: 0, q: -1 } },
    code: 'INVALID_INPUT',
    field: 'ligand.epsilon',
  },
  {
    title: 'a permittivity without charges',
    body: { ...pair, epsR: 4 },
    code: 'INVALID_INPUT',
    field: 'epsR',
  },
  {
    title: 'two sizes for one atom',
    body: { ...pair, receptor: { ...atom, sigma: [3, 4] } },
    code: 'INVALID_INPUT',
    field: 'receptor.sigma',
  },
  {
    title: 'a negative size among several',
    body: { ...pair, receptor: { ...atom, sigma: [-3] } },
    code: 'INVALID_INPUT',
  },
  {
    title: 'a type in lj',
    body: { ...pair, ligand: { ...atom, type: ['C_H'] } },
    code: 'INVALID_INPUT',
    field: 'ligand.type',
  },
  {
    title: 'no type in vina',
    body: { ...vina, ligand: { position: [[0, 0, 0]] } },
    code: 'MISSING_INPUT',
    field: 'ligand.type',
  },
  {
    title: 'a rule in vina',
    body: { ...vina, combination: 'geometric' },
    code: 'INVALID_INPUT',
    field: 'combination',
  },
  { title: 'torsions', body: { ...pair, torsions: [[0, 1]] }, code: 'UNSUPPORTED', field: 'torsions' },
  { title: 'a range of Lennard-Jones', body: { ...fiveAtoms, rho: 6 }, code: 'INVALID_INPUT', field: 'rho' },
  {
    title: 'Morse without a range',
    body: { ...fiveAtoms, potential: 'morse' },
    code: 'MISSING_INPUT',
    field: 'rho',
  },
  {
    title: 'more atoms of another range than searches are sure of',
    body: { ...fiveAtoms, potential: 'morse', rho: 10, N: 21 },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
    says: /no table/,
  },
  {
    title: 'fewer atoms of a shorter range',
    body: { ...fiveAtoms, potential: 'morse', rho: 14, N: 14 },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  {
    title: 'more atoms than the table of their range has',
    body: { ...fiveAtoms, potential: 'morse', rho: 6, N: 81 },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  { title: 'a box for a cluster', body: { ...fiveAtoms, box: room }, code: 'INVALID_INPUT', field: 'box' },
  { title: 'a cluster of one', body: { ...fiveAtoms, N: 1 }, code: 'INVALID_INPUT', field: 'N' },
  {
    title: 'a box that the ligand leaves',
    body: { ...pair, box: { center: [0, 0, 0], size: [1, 1, 1] } },
    code: 'DID_NOT_CONVERGE',
    field: 'box',
  },
];

testSolver(dock, {
  orders: 'a search: the energy where it ends is in closed form, and forces there vanish to rounding',
  references: [
    {
      title: 'a vertex atom of LJ13 put back',
      body: vertex,
      expect: -6.449078319,
      tolerance: 1e-8,
      source: 'E_13 − E_12 of the icosahedron, exact algebra',
    },
    ...lennardJones.map(([N, expect]) => ({
      title: `LJ${N}`,
      body: cluster(N),
      expect,
      tolerance: 1e-6,
      source: 'Cambridge Cluster Database',
    })),
    ...(
      [
        [7, -16.20758],
        [13, -42.439863],
      ] as const
    ).map(([N, expect]) => ({
      title: `Morse, ρ = 6, ${N} atoms`,
      body: { mode: 'cluster', N, potential: 'morse', rho: 6 },
      expect,
      tolerance: 1e-6,
      source: 'Cambridge Cluster Database',
    })),
    ...(
      [
        [3, 11, -37.9308],
        [10, 12, -34.3668],
      ] as const
    ).map(([rho, N, expect]) => ({
      title: `Morse, ρ = ${rho}, ${N} atoms`,
      body: { mode: 'cluster', N, potential: 'morse', rho },
      expect,
      tolerance: 3e-6,
      source: 'Doye, The Structure of Clusters (Cambridge 1996), table 2.2',
    })),
    {
      title: 'Morse, ρ = 14, 12 atoms, whose minima are many',
      body: { mode: 'cluster', N: 12, potential: 'morse', rho: 14 },
      expect: -33.332305,
      tolerance: 1e-6,
      source: 'a search of its own kind, test/fixtures/dock/clusters.c',
    },
  ],
  twins,
  refused,
});

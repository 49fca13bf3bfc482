import t from 'tap';
import { toHex } from '../../src/proof/bytes.ts';
import type { Checkpoint } from '../../workers/executor.ts';
import { evidenceOf } from '../solvers/evidence.ts';
import {
  feaMemory,
  heldSide,
  heldSquare,
  type Mesh,
  type Patch,
  Place,
  runFea,
  sideTotal,
  square,
} from './fea-run.ts';

/** −Δu = 2π² sin πx sin πy on the unit square, u = 0 on its sides: u = sin πx sin πy. */
const manufactured = (n: number): Mesh => ({
  patches: [{ points: square, cells: [n, n] }],
  supports: heldSquare,
  source: [2 * Math.PI * Math.PI, 0],
  manufactured: true,
  probe: [0.5, 0.5],
  samples: 8 * n + 1,
});

/** Root of the mean square error at the samples, which lie alike in the cells of every mesh. */
function meanError(numbers: Float64Array, samples: number): number {
  const count = samples * samples;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const [x, y, u] = [0, 1, 2].map((k) => numbers[Place.samples + k * count + i]!) as [
      number,
      number,
      number,
    ];
    sum += (u - Math.sin(Math.PI * x) * Math.sin(Math.PI * y)) ** 2;
  }
  return Math.sqrt(sum / count);
}

t.test('the manufactured solution converges with order 3 in L2 and 4 at nodes', (t) => {
  const errors = [4, 8, 16].map((n) => {
    const { numbers } = runFea(manufactured(n));
    return { mean: meanError(numbers, 8 * n + 1), node: Math.abs(numbers[Place.value]! - 1) };
  });
  for (const [i, fine] of errors.slice(1).entries()) {
    const coarse = errors[i]!;
    const { orders } = evidenceOf('fea');
    orders.push({ title: 'L2', observed: Math.log2(coarse.mean / fine.mean), theory: 3 });
    orders.push({ title: 'nodes', observed: Math.log2(coarse.node / fine.node), theory: 4 });
    t.ok(Math.abs(Math.log2(coarse.mean / fine.mean) - 3) < 0.1, `L2 ${Math.log2(coarse.mean / fine.mean)}`);
    t.ok(
      Math.abs(Math.log2(coarse.node / fine.node) - 4) < 0.1,
      `node ${Math.log2(coarse.node / fine.node)}`,
    );
  }
  t.end();
});

const cook: Mesh = {
  unknowns: 2,
  nu: 1 / 3,
  patches: [
    {
      points: [
        [0, 0],
        [48, 44],
        [48, 60],
        [0, 44],
      ],
      cells: [12, 10],
    },
  ],
  supports: [heldSide(0, 3)],
  loads: [sideTotal(0, 1, 0, 1)],
  probe: [48, 52],
  component: 1,
  samples: 5,
};
const digests = (run: { digests: readonly Uint8Array[] }) => run.digests.map(toHex);

t.test('no budget changes a digest, the work or the result', (t) => {
  const whole = runFea(cook, 7, { budget: 1e9 }).run;
  for (const budget of [1, 997, 31_415, 2_718_281]) {
    const { run } = runFea(cook, 7, { budget });
    t.same(digests(run), digests(whole));
    t.same(run.result, whole.result);
    t.equal(run.work, whole.work);
  }
  t.end();
});

t.test('a run that goes on from any checkpoint ends like the uninterrupted one', (t) => {
  const checkpoints: Checkpoint[] = [];
  const whole = runFea(cook, 7, { atSegmentEnd: (run) => checkpoints.push(run.checkpoint(0)) }).run;
  for (const resumeFrom of checkpoints.slice(0, -1)) {
    const { run } = runFea(cook, 7, { resumeFrom });
    t.same(digests(run), digests(whole));
    t.same(run.result, whole.result);
    t.equal(run.work, whole.work);
  }
  t.end();
});

t.test('the number of iterations does not grow with the mesh', (t) => {
  const iterations = [8, 16, 32, 64, 96].map((n) => {
    const mesh: Mesh = {
      patches: [{ points: square, cells: [n, n] }],
      supports: heldSquare,
      source: [1, 0],
      probe: [0.5, 0.5],
    };
    return runFea(mesh).numbers[Place.iterations]!;
  });
  t.ok(Math.max(...iterations) <= 11, `${iterations}`);
  t.end();
});

t.test('two joined patches, also with one turned round, give what one patch gives', (t) => {
  const supports = (sides: readonly (readonly [number, number])[]) =>
    sides.map(([p, s]) => heldSide(p, s, 1));
  const common = { source: [1, 0] as const, probe: [0.5, 0.5] as const };
  const one = runFea({
    ...common,
    patches: [{ points: square, cells: [6, 6] }],
    supports: heldSquare,
  }).numbers;
  const left = { points: [square[0]!, [0.5, 0], [0.5, 1], square[3]!] as const, cells: [3, 6] as const };
  const straight = runFea({
    ...common,
    corners: 6,
    patches: [
      { ...left, corners: [0, 1, 2, 3], neighbours: [-1, 8 + 6, -1, -1] },
      {
        points: [[0.5, 0], square[1]!, square[2]!, [0.5, 1]],
        cells: [3, 6],
        corners: [1, 4, 5, 2],
        neighbours: [-1, -1, -1, 2],
      },
    ],
    supports: supports([
      [0, 0],
      [0, 2],
      [0, 3],
      [1, 0],
      [1, 1],
      [1, 2],
    ]),
  }).numbers;
  const turned = runFea({
    ...common,
    corners: 6,
    patches: [
      { ...left, corners: [0, 1, 2, 3], neighbours: [-1, 8 + 2 + 1, -1, -1] },
      {
        points: [square[2]!, [0.5, 1], [0.5, 0], square[1]!],
        cells: [3, 6],
        corners: [5, 2, 1, 4],
        neighbours: [-1, 2 + 1, -1, -1],
      },
    ],
    supports: supports([
      [0, 0],
      [0, 2],
      [0, 3],
      [1, 0],
      [1, 2],
      [1, 3],
    ]),
  }).numbers;
  for (const two of [straight, turned]) {
    t.ok(Math.abs(two[Place.value]! / one[Place.value]! - 1) < 1e-11);
    t.ok(Math.abs(two[Place.energy]! / one[Place.energy]! - 1) < 1e-11);
    t.equal(two[Place.unknowns], one[Place.unknowns]);
    t.ok(two[Place.patch]! < 1e-12);
  }
  t.end();
});

t.test('a mirrored problem has the mirrored answer', (t) => {
  const at = (probe: readonly [number, number]) =>
    runFea({
      patches: [{ points: square, cells: [5, 7] }],
      supports: [heldSide(0, 3), heldSide(0, 1)],
      source: [1, 0],
      probe,
    }).numbers[Place.value]!;
  t.ok(Math.abs(at([0.2, 0.3]) / at([0.8, 0.3]) - 1) < 1e-11);
  t.ok(Math.abs(at([0.2, 0.3]) - 0.5 * 0.2 * 0.8) < 1e-11, 'u = x(1−x)/2 between two cold sides');
  t.end();
});

t.test('meshes of every shape keep the patch test and the balance of every node', (t) => {
  const points = [
    [0, 0],
    [1.1, 0.1],
    [1.3, 0.9],
    [-0.1, 1],
  ] as const;
  for (const unknowns of [1, 2] as const) {
    for (const nx of [1, 2, 3, 4, 5, 7, 9]) {
      for (const ny of [1, 2, 3, 5, 6, 8]) {
        const cells = [nx, ny] as const;
        const mesh = { unknowns, nu: 0.3, patches: [{ points, cells }], supports: [heldSide(0, 3)] };
        const { numbers } = runFea({ ...mesh, source: [1, 0.5], probe: [0.5, 0.5] });
        const worst = Math.max(numbers[Place.patch]!, numbers[Place.balance]!);
        if (!(worst < 1e-10)) t.fail(`${unknowns} unknowns, ${cells}: ${worst}`);
      }
    }
  }
  t.pass('84 meshes');
  t.end();
});

t.test('rows that share their coefficients answer as rows that keep their own', (t) => {
  const shapes = {
    square,
    parallelogram: [
      [0, 0],
      [2, 0.25],
      [2.5, 1.25],
      [0.5, 1],
    ],
    trapezium: [
      [0, 0],
      [2, 0],
      [1.5, 1],
      [0, 1],
    ],
  } as const;
  // With its mid-points given, a patch is taken as curved, and nothing of it is shared.
  const curved = ([a, b, c, d]: Patch['points']): Patch['points'] => {
    const mean = (...of: Patch['points'][number][]) =>
      [0, 1].map((i) => of.reduce((sum, p) => sum + p[i]!, 0) / of.length) as [number, number];
    return [a!, b!, c!, d!, mean(a!, b!), mean(b!, c!), mean(c!, d!), mean(d!, a!), mean(a!, b!, c!, d!)];
  };
  for (const [name, points] of Object.entries(shapes)) {
    for (const grade of [
      [1, 1],
      [3, 1],
      [1, 3],
    ] as const) {
      for (const unknowns of [1, 2] as const) {
        for (const rows of [1, 2, 3, 12]) {
          const mesh = (points: Patch['points']): Mesh => ({
            patches: [{ points, cells: [10, rows], grade }],
            ...{ unknowns, nu: 0.3, supports: [heldSide(0, 0)], source: [1, 0.5] },
            probe: [points[2]![0], points[2]![1]],
          });
          const [own, shared] = [curved(points), points].map((each) => runFea(mesh(each)).numbers);
          for (const place of [Place.value, Place.energy])
            t.ok(
              Math.abs(shared![place]! / own![place]! - 1) < 1e-10,
              `${name} ${grade} ${unknowns} ${rows}`,
            );
        }
      }
    }
  }
  const wide = (points: Patch['points'], grade: readonly [number, number]) =>
    feaMemory({ patches: [{ points, cells: [64, 64], grade }], supports: heldSquare });
  t.ok(wide(square, [3, 1]) < 0.6 * wide(square, [1, 3]), 'a row of lengths is shared by all rows');
  t.ok(wide(square, [1, 1]) < 0.6 * wide(curved(square), [1, 1]));
  t.end();
});

t.test('what cannot be solved ends with its code', (t) => {
  const body = { patches: [{ points: square, cells: [4, 4] as const }], source: [1, 0] as const };
  const arrow: Mesh = {
    ...body,
    patches: [{ points: [...square.slice(0, 2), [0.2, 0.2], square[3]!], cells: [4, 4] }],
    supports: heldSquare,
  };
  t.equal(runFea({ ...body, supports: [] }).run.status, 23, 'Poisson without a held value');
  t.equal(
    runFea({ ...body, unknowns: 2, supports: [heldSide(0, 3, 1)] }).run.status,
    23,
    'a body that slides',
  );
  t.equal(runFea(arrow).run.status, 20, 'a patch that folds over');
  t.equal(runFea({ ...cook, iterations: 3 }).run.status, 17, 'too few iterations');
  t.equal(runFea({ ...body, supports: heldSquare, probe: [2, 2] }).run.status, 20, 'a probe outside');
  t.end();
});

import fc from 'fast-check';
import t from 'tap';
import { assemblyModule } from './assembly-module.ts';

interface Poisson {
  memory: WebAssembly.Memory;
  open(nx: number, ny: number, dx: number, sides: number): void;
  row(j: number): number;
  /** Where φ begins; its rows are `apart` bytes apart. */
  solve(): number;
  apart(): number;
}

const source = `import { allocate, configure } from "../kernel/frame";
import { layPoisson, poissonRow, putInOrder, solvePoisson, transformRows } from "../flow/poisson";
let stride: usize = 0;
export function open(nx: i32, ny: i32, dx: f64, sides: i32): void {
  configure(8);
  stride = <usize>((nx + 5) & ~1) << 3;
  const left = sides & 3, right = (sides >> 2) & 3, bottom = (sides >> 4) & 3, top = sides >> 6;
  const home = allocate(stride * <usize>transformRows(ny, bottom, top));
  layPoisson(nx, ny, dx, 1.0, left, right, bottom, top, home, stride);
}
export function row(j: i32): usize { return poissonRow(j); }
export function apart(): i32 { return <i32>stride; }
export function solve(): usize { solvePoisson(); return putInOrder(); }
`;

/** What stands beyond a side, of the value beside it: itself, its negative; of a ring what it is joined to. */
const NATURAL = 0;
const ZERO = 1;
const RING = 2;
type Pair = readonly [before: number, after: number];
const pairs: readonly Pair[] = [
  [NATURAL, NATURAL],
  [ZERO, ZERO],
  [RING, RING],
  [NATURAL, ZERO],
  [ZERO, NATURAL],
];

/** ∇²φ by its five points, values at the middles of cells half a cell inside the sides. */
function stencil(phi: Float64Array, nx: number, ny: number, dx: number, x: Pair, y: Pair): Float64Array {
  const beyond = (i: number, n: number, [before, after]: Pair): [place: number, sign: number] => {
    if (i >= 0 && i < n) return [i, 1];
    if (before === RING) return [(i + n) % n, 1];
    return i < 0 ? [0, before === ZERO ? -1 : 1] : [n - 1, after === ZERO ? -1 : 1];
  };
  const at = (i: number, j: number) => {
    const [p, s] = beyond(i, nx, x);
    const [q, r] = beyond(j, ny, y);
    return s * r * phi[q * nx + p]!;
  };
  return phi.map((here, k) => {
    const [i, j] = [k % nx, Math.floor(k / nx)];
    return (at(i - 1, j) - 2 * here + at(i + 1, j)) / (dx * dx) + (at(i, j - 1) - 2 * here + at(i, j + 1));
  });
}

t.test(
  'what the five points make of cells is taken back, on any box between any sides (SOLV-17)',
  async (t) => {
    const module = await assemblyModule<Poisson>(source);
    const cells = fc.integer({ min: 2, max: 40 });
    const width = fc.double({ min: 0.1, max: 8, noNaN: true });
    const sides = fc.constantFrom(...pairs);
    fc.assert(
      fc.property(cells, cells, width, sides, sides, fc.integer(), (nx, ny, dx, x, y, seed) => {
        const phi = Float64Array.from({ length: nx * ny }, (_, k) => Math.sin(seed + 7.3 * k + k * k));
        const f = stencil(phi, nx, ny, dx, x, y);
        module.open(nx, ny, dx, x[0] + 4 * x[1] + 16 * y[0] + 64 * y[1]);
        for (let j = 0; j < ny; j++)
          new Float64Array(module.memory.buffer, module.row(j), nx).set(f.subarray(nx * j, nx * (j + 1)));
        const first = module.solve();
        const found = phi.map((_, k) => {
          const row = new Float64Array(module.memory.buffer, first + Math.floor(k / nx) * module.apart(), nx);
          return row[k % nx]!;
        });
        const free = ![...x, ...y].includes(ZERO) ? phi[0]! - found[0]! : 0;
        for (let k = 0; k < phi.length; k++)
          if (!(Math.abs(found[k]! + free - phi[k]!) < 1e-10))
            t.fail(`${nx} × ${ny}, ${x}, ${y}: ${found[k]! + free} for ${phi[k]}`);
      }),
      { numRuns: 300 },
    );
  },
);

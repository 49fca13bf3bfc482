import fc from 'fast-check';
import t from 'tap';
import { assemblyModule } from './assembly-module.ts';

interface Biharmonic {
  memory: WebAssembly.Memory;
  open(nx: number, ny: number, dx: number, dy: number): number;
  room(count: number): number;
  solve(psi: number): void;
}

const source = `import { allocate, configure } from "../kernel/frame";
import { biharmonicRoom, layBiharmonic, solveBiharmonic } from "../flow/biharmonic";
export function open(nx: i32, ny: i32, dx: f64, dy: f64): usize {
  configure(8);
  layBiharmonic(nx, ny, dx, dy, allocate(biharmonicRoom(nx)));
  return room((nx + 1) * (ny + 1));
}
export function room(count: i32): usize { return allocate(<usize>count << 3); }
export function solve(psi: usize): void { solveBiharmonic(psi); }
`;

/** δ⁴ψ with mirror images behind the walls, by its thirteen points (Bjørstad 1983, eq. 1.4). */
function stencil(psi: Float64Array, nx: number, ny: number, dx: number, dy: number): Float64Array {
  const fold = (i: number, n: number) => n - Math.abs(n - Math.abs(i));
  const at = (i: number, j: number) => psi[fold(j, ny) * (nx + 1) + fold(i, nx)]!;
  const f = new Float64Array(psi.length);
  for (let j = 1; j < ny; j++)
    for (let i = 1; i < nx; i++) {
      const x = at(i - 2, j) - 4 * at(i - 1, j) + 6 * at(i, j) - 4 * at(i + 1, j) + at(i + 2, j);
      const y = at(i, j - 2) - 4 * at(i, j - 1) + 6 * at(i, j) - 4 * at(i, j + 1) + at(i, j + 2);
      const ends = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
      const corners = at(i - 1, j - 1) + at(i + 1, j - 1) + at(i - 1, j + 1) + at(i + 1, j + 1);
      f[j * (nx + 1) + i] =
        x / dx ** 4 + y / dy ** 4 + (2 * (corners - 2 * ends + 4 * at(i, j))) / (dx * dy) ** 2;
    }
  return f;
}

t.test('what the thirteen points make of corners is taken back, on any box (SOLV-17)', async (t) => {
  const module = await assemblyModule<Biharmonic>(source);
  const cells = fc.integer({ min: 4, max: 40 });
  const width = fc.double({ min: 0.2, max: 5, noNaN: true });
  fc.assert(
    fc.property(cells, cells, width, fc.integer(), (nx, ny, dx, seed) => {
      const count = (nx + 1) * (ny + 1);
      const psi = Float64Array.from({ length: count }, (_, k) => {
        const [i, j] = [k % (nx + 1), Math.floor(k / (nx + 1))];
        return i > 0 && i < nx && j > 0 && j < ny ? Math.sin(seed + 7.3 * k + k * k) : 0;
      });
      const out = module.open(nx, ny, dx, 1);
      new Float64Array(module.memory.buffer, out, count).set(stencil(psi, nx, ny, dx, 1));
      module.solve(out);
      const found = new Float64Array(module.memory.buffer, out, count);
      t.ok(psi.every((value, k) => Math.abs(value - found[k]!) < 1e-9));
    }),
    { numRuns: 30 },
  );
});

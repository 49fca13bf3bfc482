import t from 'tap';
import { assemblyModule } from './assembly-module.ts';

const module = await assemblyModule<{
  memory: WebAssembly.Memory;
  room(bytes: number): number;
  layOut(n: number): void;
  forward(x: number, n: number, inner: number): void;
  backward(x: number, n: number, inner: number): void;
  frequency(p: number, n: number): number;
}>(`
import { fftBackward, fftForward, frequencyAt, layOutTwiddles, twiddleBytes } from "../math/fft";
let table: usize = 0;
export function room(bytes: i32): usize { return heap.alloc(bytes); }
export function layOut(n: i32): void { table = heap.alloc(twiddleBytes(n)); layOutTwiddles(table, n); }
export function forward(x: usize, n: i32, inner: i32): void { fftForward(x, n, inner, table); }
export function backward(x: usize, n: i32, inner: i32): void { fftBackward(x, n, inner, table); }
export function frequency(p: i32, n: i32): i32 { return frequencyAt(p, n); }
`);
const at = module.room(2 ** 18);
const numbers = (count: number) => new Float64Array(module.memory.buffer, at, count);
const sample = (i: number) => Math.sin(i * i + 1) + 0.25 * Math.cos(7 * i);

/** Σ_j x_j e^{−2πijk/n} of one column, in n² terms. */
function directly(x: readonly number[], n: number, inner: number, column: number, k: number) {
  let [re, im] = [0, 0];
  for (let j = 0; j < n; j++) {
    const [a, b] = [x[2 * (j * inner + column)]!, x[2 * (j * inner + column) + 1]!];
    const angle = (-2 * Math.PI * ((((j * k) % n) + n) % n)) / n;
    re += a * Math.cos(angle) - b * Math.sin(angle);
    im += a * Math.sin(angle) + b * Math.cos(angle);
  }
  return [re, im] as const;
}

t.test('the transform has the sums of n² terms, and goes back to n times what it was', (t) => {
  for (const inner of [1, 3])
    for (const n of [1, 2, 4, 8, 16, 32, 64, 128, 256]) {
      const x = Array.from({ length: 2 * n * inner }, (_, i) => sample(i));
      module.layOut(n);
      numbers(x.length).set(x);
      module.forward(at, n, inner);
      const image = [...numbers(x.length)];
      let worst = 0;
      for (let p = 0; p < n; p++)
        for (let column = 0; column < inner; column++) {
          const [re, im] = directly(x, n, inner, column, module.frequency(p, n));
          const place = 2 * (p * inner + column);
          worst = Math.max(worst, Math.abs(image[place]! - re), Math.abs(image[place + 1]! - im));
        }
      t.ok(worst < 2e-14 * n, `forward, ${n} places of ${inner}: ${worst}`);
      module.backward(at, n, inner);
      const back = numbers(x.length).map((value, i) => Math.abs(value / n - x[i]!));
      t.ok(Math.max(...back) < 1e-14, `back, ${n} places of ${inner}`);
    }
  t.end();
});

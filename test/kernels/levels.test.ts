import t from 'tap';
import { assemblyModule } from './assembly-module.ts';

// What three grids are taken to say: assembly/grid/levels.ts. Values are made by v(h) = v + c hᵖ + d hᵖ⁺², whose limit v is
// known; errors are held against what Richardson's extrapolation leaves of them (Roache, Annu. Rev. Fluid Mech. 29
// (1997) 123).

interface Levels {
  judge(v1: number, v2: number, v4: number, p: number, scale: number): void;
  unresolved(v1: number, v2: number, v4: number, scale: number): void;
  beside(v1: number, v2: number, v4: number, p: number, scale: number): void;
  value(): number;
  error(): number;
  order(): number;
  extrapolated(): number;
}

const source = `
import { judgeBeside, judgeLevels, judgeUnresolved, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";
export { configure } from "../kernel/frame";
export function judge(a: f64, b: f64, c: f64, p: f64, scale: f64): void { judgeLevels(a, b, c, p, scale); }
export function unresolved(a: f64, b: f64, c: f64, scale: f64): void { judgeUnresolved(a, b, c, scale); }
export function beside(a: f64, b: f64, c: f64, p: f64, scale: f64): void { judgeBeside(a, b, c, p, scale); }
export function value(): f64 { return levelValue; }
export function error(): f64 { return levelError; }
export function order(): f64 { return levelOrder; }
export function extrapolated(): f64 { return levelExtrapolated; }
`;
const levels = await assemblyModule<Levels>(source);

const orders = [1, 2, 4];
/** Of v + c hᵖ + d hᵖ⁺² at h, 2h, 4h. */
const grids = (v: number, c: number, d: number, p: number, h: number) =>
  [h, 2 * h, 4 * h].map((step) => v + c * step ** p + d * step ** (p + 2)) as [number, number, number];
/** Parts of 1, alike for every run. */
const parts = Array.from({ length: 200 }, (_, k) => ((k + 1) * 0.6180339887498949) % 1);

t.test('of one order alone the limit is found, whatever the sign of its error', async (t) => {
  for (const p of orders)
    for (const c of [1, -3]) {
      levels.judge(...grids(2, c, 0, p, 0.1), p, 2);
      t.ok(Math.abs(levels.value() - 2) < 1e-14 && levels.error() < 1e-14, `order ${p}: ${levels.value()}`);
      t.ok(Math.abs(levels.order() - p) < 1e-9);
      t.equal(levels.extrapolated(), 1);
    }
});

t.test('where orders mix, the limit lies within the error that is told', async (t) => {
  let shown = 0;
  for (const p of orders)
    for (const [k, part] of parts.entries()) {
      const d = (2 * part - 1) * 30;
      levels.judge(...grids(1, k % 2 ? 1 : -1, d, p, 0.05), p, 1);
      shown += levels.extrapolated();
      t.ok(Math.abs(levels.value() - 1) <= levels.error(), `order ${p}, ${d}: ${levels.value()}`);
    }
  t.ok(shown > 200 && shown < 500, `${shown} of 600 show their order, others do not`);
});

t.test('without the order the finest value stands, with three times the last difference', async (t) => {
  levels.judge(1.002, 1, 1.01, 2, 1);
  t.equal(levels.value(), 1.002);
  t.equal(levels.extrapolated(), 0);
  t.ok(Math.abs(levels.error() - 0.006) < 1e-12);
  t.equal(levels.order(), 0, 'differences of two signs have none');
});

t.test('two grids that agree by accident do not count as none apart', async (t) => {
  levels.judge(1 + 1e-6, 1, 1.04, 2, 1);
  t.ok(levels.error() >= 0.999 * ((1.25 * 0.04) / 12), `${levels.error()}`);
  t.equal(levels.extrapolated(), 0);
  levels.judge(5, 5, 5.2, 2, 5);
  t.equal(levels.error(), 0, 'but to ten digits they do: a wave has a whole number of lengths in its box');
});

t.test('of cells that show nothing every difference counts whole', async (t) => {
  levels.unresolved(...grids(1, 1, 0, 2, 0.1), 1);
  t.equal(levels.value(), 1.01);
  t.equal(levels.extrapolated(), 0);
  t.ok(Math.abs(levels.error() - 0.12) < 1e-12, `${levels.error()}`);
});

t.test('what a cell beside the probe shows raises the error and never lowers it', async (t) => {
  levels.judge(...grids(1, 1, 0, 2, 0.1), 2, 1);
  levels.beside(...grids(1, 1, 50, 2, 0.1), 2, 1);
  const raised = levels.error();
  // Extrapolations from (h, 2h) and (2h, 4h) of d h⁴ are off by 4 and by 64 d h⁴.
  t.ok(Math.abs(raised - 0.5 * 60 * 50 * 1e-4) < 1e-9, `${raised}`);
  levels.beside(...grids(1, 1, 0, 2, 0.1), 2, 1);
  t.equal(levels.error(), raised);
});

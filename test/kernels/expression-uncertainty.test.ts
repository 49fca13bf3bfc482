import t from 'tap';
import { functions } from '../../src/operators/functions.ts';
import { evaluate, type Number3 } from './run-expression.ts';

// What the kernel `expression` says that a value may be off by.

t.test('uncertainty is propagated as JCGM 100 has it (CMP-05)', async (t) => {
  // JCGM 100:2008 H.2: V, I, φ → Z = V/I, uncorrelated part; by hand u² = (σ_V/I)² + (V σ_I/I²)².
  const { uncertainty } = evaluate('V/I', { V: [4.999, 0, 0.0032], I: [0.019661, 0, 9.5e-6] });
  t.ok(Math.abs(uncertainty - Math.hypot(0.0032 / 0.019661, (4.999 * 9.5e-6) / 0.019661 ** 2)) < 1e-12);
  t.ok(evaluate('x', { x: [1] }).uncertainty < 2e-16, 'a certain input leaves the rounding');
  t.equal(evaluate('x - x', { x: [5, 0, 0.1] }).uncertainty, 0, 'the same symbol twice is correlated');
  t.equal(
    evaluate('3*x - y + 1', { x: [1.1, 0, 0.1], y: [2, 0, 0.4] }).uncertainty,
    0.5,
    'a sum has no second order',
  );
});

t.test('second order counts, at an extremum alone (CMP-05)', async (t) => {
  // JCGM 100:2008 H.1: an end gauge, 32 nm to first order and 34 nm with the terms of H.1.7.
  const gauge = {
    ...{
      l: [50.000623e6, 0, 25] as Number3,
      d: [215, 0, 9.7] as Number3,
      alpha: [11.5e-6, 0, 1.2e-6] as Number3,
    },
    ...{ theta: [-0.1, 0, 0.41] as Number3, da: [0, 0, 0.58e-6] as Number3, dt: [0, 0, 0.029] as Number3 },
  };
  t.equal(Math.round(evaluate('l + d - l*(da*theta + alpha*dt)', gauge).uncertainty), 34);
  const certain = { ...gauge, theta: [-0.1] as Number3, alpha: [11.5e-6] as Number3 };
  t.equal(Math.round(evaluate('l + d - l*(da*theta + alpha*dt)', certain).uncertainty), 32);
  // By hand: √½ (f(x + σ) + f(x − σ) − 2f), and σ_x σ_y of a product at 0; x√x, which ends at 0, from its one side.
  const half = Math.SQRT1_2;
  const cases: [text: string, values: Record<string, Number3>, uncertainty: number][] = [
    ['x^2', { x: [0, 0, 0.1] }, half * 0.02],
    ['(x - 3)^2', { x: [3, 0, 0.1] }, half * 0.02],
    ['cos(x)', { x: [0, 0, 0.1] }, half * 2 * (1 - Math.cos(0.1))],
    ['cospi(x)', { x: [1, 0, 0.1] }, half * 2 * (1 - Math.cos(0.1 * Math.PI))],
    ['x^3', { x: [0, 0, 0.1] }, 1e-3],
    ['x^4', { x: [0, 0, 0.1] }, half * 2e-4],
    ['x*y', { x: [0, 0, 0.1], y: [0, 0, 0.2] }, 0.02],
    ['x*y', { x: [3, 0, 0.1], y: [4, 0, 0.2] }, Math.hypot(0.4, 0.6, 0.02)],
    ['x^2 + y^2', { x: [0, 0, 0.1], y: [0, 0, 0.2] }, Math.hypot(half * 0.02, half * 0.08)],
    ['x^2*z + y', { x: [0, 0, 0.1], y: [3, 0, 0.001], z: [1] }, Math.hypot(half * 0.02, 0.001)],
    ['x^1.5', { x: [0, 0, 0.01] }, half * 0.002],
    ['max(x^2, y)', { x: [0, 0, 0.1], y: [-1, 0, 0.1] }, half * 0.02],
  ];
  for (const [text, values, expected] of cases) {
    const { uncertainty } = evaluate(text, values);
    t.ok(Math.abs(uncertainty / expected - 1) < 1e-9, `${text}: ${uncertainty} for ${expected}`);
  }
  const around = { x: [0, 0, 0.1] as Number3, y: [0, 0, 0.1] as Number3, z: [0, 0, 0.1] as Number3 };
  for (const text of ['x*y*z', 'x^2*y', 'x*y^2*z']) {
    const { value, uncertainty } = evaluate(text, around);
    t.ok(value === 0 && uncertainty > 1e-5, `${text} is moved by all together: ${uncertainty}`);
  }
});

t.test('a derivative is that of the function', async (t) => {
  const h = 1e-5;
  for (const [name, { arity }] of functions) {
    const text = arity === 2 ? `${name}(x, 0.7)` : `${name}(x)`;
    const x0 = name === 'acosh' ? 1.7 : 0.3;
    const at = (x: number) => evaluate(text, { x: [x] }).value;
    const slope = Math.abs((at(x0 + h) - at(x0 - h)) / (2 * h));
    const { uncertainty } = evaluate(text, { x: [x0, 0, h] });
    t.ok(Math.abs(uncertainty / h - slope) < 1e-8 * Math.max(1, slope), name);
  }
});

// By hand: the largest of f(x ± σ) − f(x) and f(x ± 0.618 σ) − f(x), where that takes in a step.
t.test('a step within one standard uncertainty counts, one outside does not (CMP-05)', async (t) => {
  const cases: [text: string, x: number, sigma: number, uncertainty: number][] = [
    ['floor(x)', 2.9, 0.3, 1],
    ['floor(x)', 2.5, 0.3, 0],
    ['floor(x)', 2.5, 5, 5],
    ['floor(x)', 3, 1e-6, 1],
    ['-floor(-x)', 3.1, 0.3, 1],
    ['10*floor(2*x)', 1.4, 0.2, 10],
    ['mod(x, 360)', 359.5, 1, 359.382],
    ['mod(x, 360)', 10, 1, 1],
    ['mod(7, x)', 2.5, 0.125, 0.25],
    ['mod(7, x)', 2.4, 0.125, 2.16825],
    ['sign(x)', 0.1, 0.2, 2],
    ['sign(x)', 0.3, 0.2, 0],
    ['x/abs(x)', 0.1, 0.2, 2],
    ['x/abs(x)', 0.3, 0.2, 0],
    ['max(floor(x), 2.5)', 2.9, 0.2, 0.5],
    ['min(floor(x), 2.5)', 2.9, 0.2, 0.5],
    ['max(x, 0)', -0.1, 0.2, 0.1],
    ['min(x, 1)', 1.1, 0.2, 0.1],
    ['abs(x)', 0, 0.2, 0.2],
    ['abs(x)', -0.3, 0.2, 0.2],
    ['x*sign(x)', 0, 0.1, 0.1],
    ['sign(x)^2', 0, 0.1, 1],
    ['max(0, abs(x) - 0.05)', 0, 0.1, 0.05],
    ['sign(x*x*(0.007 - x*x) - 1e-5)', 0, 0.1, 2],
    ['floor(abs(x))', 0, 1.5, 1],
    ['floor(sin(x))', 1.57, 2, 1],
    ['floor(x/2)', 0.7, 0.1, 0],
  ];
  for (const [text, x, sigma, expected] of cases) {
    const { uncertainty } = evaluate(text, { x: [x, 0, sigma] });
    t.ok(Math.abs(uncertainty - expected) < 1e-9, `${text} at ${x} ± ${sigma}: ${uncertainty}`);
  }
});

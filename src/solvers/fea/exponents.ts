// λ of the fields r^λ that a corner of the angle ω has with its conditions, those that are polynomials left out. Poisson:
// kπ/ω, with a free and a held side (k−½)π/ω. Elasticity: roots of the determinant of the conditions on both sides for
// φ = A z^λ, ψ = B z^λ, 2µ(u+iv) = κφ − z φ̄′ − ψ̄, resultant force −i(φ + z φ̄′ + ψ̄) (N. Muskhelishvili; M. Williams,
// J. Appl. Mech. 19 (1952) 526).

import { exponential, sineAndCosine } from '../elementary.ts';

const HIGHEST = 2;
const isWhole = (x: number) => Math.abs(x - Math.floor(x + 0.5)) < 1e-6;

export function poissonExponents(angle: number, isMixed: boolean): number[] {
  const unit = Math.PI / angle;
  const all = [1, 2, 3, 4].map((k) => (isMixed ? k - 0.5 : k) * unit);
  return all.filter((x) => x < HIGHEST && !isWhole(x));
}

/** Which components are held on a side. */
export type Held = readonly [x: boolean, y: boolean];
type Complex = readonly [re: number, im: number];

const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
const less = ([a, b]: Complex, [c, d]: Complex): Complex => [a - c, b - d];
const over = (x: Complex, [c, d]: Complex): Complex => {
  const size = c * c + d * d;
  return times(x, [c / size, -d / size]);
};
const scaled = ([a, b]: Complex, by: number): Complex => [by * a, by * b];
const size = ([a, b]: Complex) => Math.sqrt(a * a + b * b);

/** e^(i z θ). */
function turned(z: Complex, angle: number): Complex {
  const [sine, cosine] = sineAndCosine(z[0] * angle);
  return scaled([cosine, sine], exponential(-z[1] * angle));
}

/** Conditions of a side in the direction `angle` on A, B and what stand for their conjugates. */
function conditions(lambda: Complex, kappa: number, angle: number, held: Held): Complex[][] {
  const back = scaled(lambda, -1);
  const [e1, c1] = [turned(lambda, angle), turned(back, angle)];
  const rest = less([2, 0], lambda);
  const [e2, c2] = [times(lambda, turned(rest, angle)), times(lambda, turned(scaled(rest, -1), angle))];
  const zero: Complex = [0, 0];
  const moved = [scaled(e1, kappa), zero, scaled(e2, -1), scaled(c1, -1)];
  const mirrored = [scaled(c2, -1), scaled(e1, -1), scaled(c1, kappa), zero];
  const force = [e1, zero, e2, c1];
  const mirroredForce = [c2, e1, c1, zero];
  const combined = (a: Complex[], b: Complex[], sign: number) =>
    a.map((x, i) => less(x, scaled(b[i]!, -sign)));
  return [
    held[0] ? combined(moved, mirrored, 1) : combined(force, mirroredForce, -1),
    held[1] ? combined(moved, mirrored, -1) : combined(force, mirroredForce, 1),
  ];
}

function determinant(rows: Complex[][]): Complex {
  let product: Complex = [1, 0];
  for (let k = 0; k < rows.length; k++) {
    let best = k;
    for (let i = k + 1; i < rows.length; i++) if (size(rows[i]![k]!) > size(rows[best]![k]!)) best = i;
    if (best !== k) {
      [rows[k], rows[best]] = [rows[best]!, rows[k]!];
      product = scaled(product, -1);
    }
    const pivot = rows[k]![k]!;
    product = times(product, pivot);
    if (size(pivot) === 0) return product;
    for (let i = k + 1; i < rows.length; i++) {
      const by = over(rows[i]![k]!, pivot);
      rows[i] = rows[i]!.map((x, j) => less(x, times(by, rows[k]![j]!)));
    }
  }
  return product;
}

/** Real parts of the roots between 0 and 1, beyond which fields are polynomials or no worse than the elements. */
export function elasticExponents(
  kappa: number,
  from: number,
  angle: number,
  [first, last]: readonly [Held, Held],
): number[] {
  const at = (lambda: Complex) =>
    determinant([
      ...conditions(lambda, kappa, from, first),
      ...conditions(lambda, kappa, from + angle, last),
    ]);
  const roots = [0.25, 0.5, 0.7, 0.9, 0.98].flatMap((re) => [0.01, 0.3].map((im) => newton(at, [re, im])));
  const real = roots.filter((x) => x !== undefined && x[0] > 0.05 && x[0] < 1 - 1e-6).map((x) => x![0]);
  return real.sort((a, b) => a - b).filter((x, i) => i === 0 || x - real[i - 1]! > 1e-4);
}

function newton(at: (x: Complex) => Complex, begin: Complex): Complex | undefined {
  const step: Complex = [1e-6, 0];
  let x = begin;
  for (let k = 0; k < 30; k++) {
    const [here, beside] = [at(x), at([x[0] + step[0], x[1]])];
    const change = over(times(here, step), less(beside, here));
    if (!(size(change) < 10)) return undefined;
    const cut = Math.min(1, 0.3 / size(change));
    x = less(x, scaled(change, cut));
    // A double root is neared by halves only.
    if (size(change) < 1e-6) return x;
    if (!(size(x) < 3)) return undefined;
  }
  return undefined;
}

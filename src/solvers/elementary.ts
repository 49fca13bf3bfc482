// Functions that engines round each in its own way, by + − × ÷ alone: a plan is the same on every machine.

/** 2 artanh u for |u| ≤ 1/3. */
function twiceArtanh(u: number): number {
  let sum = 0;
  for (let j = 39; j >= 1; j -= 2) sum = sum * u * u + 1 / j;
  return 2 * u * sum;
}

const LN2 = twiceArtanh(1 / 3);

/** ln x, about 1e-15. */
export function logarithm(x: number): number {
  if (!(x > 0 && x < Infinity)) return x === 0 ? -Infinity : x > 0 ? Infinity : NaN;
  let exponent = 0;
  let m = x;
  for (; m >= 1.5; m /= 2) exponent++;
  for (; m < 0.75; m *= 2) exponent--;
  return exponent * LN2 + twiceArtanh((m - 1) / (m + 1));
}

/** eˣ, about 1e-12 of it for |x| ≤ 100 and 1e-8 for others: its series at a 1024th, squared ten times. */
export function exponential(x: number): number {
  if (!(Math.abs(x) < 745)) return x > 0 ? Infinity : x < 0 ? 0 : NaN;
  let [sum, term] = [1, 1];
  for (let k = 1; k <= 12; k++) {
    term *= x / 1024 / k;
    sum += term;
  }
  for (let i = 0; i < 10; i++) sum *= sum;
  return sum;
}

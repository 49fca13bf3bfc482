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

/** sin x and cos x, about 1e-14 for |x| ≤ 10: their series at a 64th, doubled six times. */
export function sineAndCosine(x: number): [sine: number, cosine: number] {
  const small = x / 64;
  let [sine, less] = [0, 0];
  let term = small;
  for (let k = 1; k <= 15; k += 2) {
    sine += term;
    term *= -small / (k + 1);
    less -= term;
    term *= small / (k + 2);
  }
  // Of 1 − cos x, whose digits stay as x is doubled.
  for (let i = 0; i < 6; i++) [sine, less] = [2 * sine * (1 - less), 2 * sine * sine];
  return [sine, 1 - less];
}

/** The angle of (x, y) from the first axis, from −π to π, about 1e-15: halved thrice, then its series. */
export function angleOf(x: number, y: number): number {
  let [u, v] = [x, y];
  for (let i = 0; i < 3; i++) {
    const size = Math.sqrt(u * u + v * v);
    // Half the angle of (u, v) is that of (size + u, v); beyond a right angle the other form keeps the digits.
    [u, v] = u >= 0 ? [size + u, v] : [Math.abs(v), v < 0 ? u - size : size - u];
  }
  const t = v / u;
  let sum = 0;
  for (let k = 41; k >= 1; k -= 2) sum = 1 / k - t * t * sum;
  return 8 * t * sum;
}

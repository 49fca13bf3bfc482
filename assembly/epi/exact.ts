// What is exact about an epidemic. Since d(S + E + I)/dt = −γI = (γ/β) N d ln S/dt, with x = ln(S/S₀), ρ = β/(γN) and
// n = E₀ + I₀ infected at the start
//
//   E + I = n − S₀ (eˣ − 1) + x/ρ                            (Kermack & McKendrick 1927, eq. 29 and 30)
//
// holds at all times. The final size is its root E + I = 0, S∞ = −W₀(−ρS₀ e^{−ρ(S₀+n)})/ρ; in SIR the largest I is
// there where S = 1/ρ, and time itself is a quadrature, t = ∫ ds/(βI/N) over s = −x.

const NODE1: f64 = 0.1834346424956498, WEIGHT1: f64 = 0.3626837833783620;
const NODE2: f64 = 0.5255324099163290, WEIGHT2: f64 = 0.3137066458778873;
const NODE3: f64 = 0.7966664774136267, WEIGHT3: f64 = 0.2223810344533745;
const NODE4: f64 = 0.9602898564975363, WEIGHT4: f64 = 0.1012285362903763;
/** Halvings that come from 1 to the least share that is infected. */
const DEEPEST: i32 = 1100;

let susceptible: f64 = 0, infected: f64 = 0, rho: f64 = 0, rate: f64 = 0;

/** S₀, E₀ + I₀, β/(γN) and β/N. */
export function setEpidemic(S0: f64, n: f64, perHead: f64, contact: f64): void {
  susceptible = S0; infected = n; rho = perHead; rate = contact;
}

/** E + I where ln(S/S₀) = x. */
@inline export function infectedAt(x: f64): f64 { return infected - susceptible * Math.expm1(x) + x / rho; }

/** x = ln(S∞/S₀): the lower root of infectedAt, by Newton's method from below, where it is concave and rising. */
export function finalDepth(): f64 {
  if (infected == 0.0) return 0.0;
  let x = -rho * (infected + susceptible);
  for (let i = 0; i < 200; i++) {
    const step = infectedAt(x) / (1.0 / rho - susceptible * Math.exp(x));
    x -= step;
    if (!(abs(step) > 1e-15 * abs(x))) break;
  }
  return x;
}

/** Largest I of SIR. */
export function exactPeak(): f64 { return infectedAt(peakDepth()); }

/** x where I of SIR is largest; 0 where it falls from the start on. */
export function peakDepth(): f64 {
  return infected == 0.0 || rho * susceptible <= 1.0 ? 0.0 : -Math.log(rho * susceptible);
}

/** What E + I is the difference of, beside it. */
@inline function cancelledAt(x: f64): f64 { return (infected + abs(x) * (susceptible + 1.0 / rho)) / infectedAt(x); }

@inline function slowness(x: f64): f64 { return 1.0 / (rate * infectedAt(x)); }

/** ∫ dt from x = a down to b by eight Gauss–Legendre nodes. */
function panel(a: f64, b: f64): f64 {
  const half = 0.5 * (a - b), m = 0.5 * (a + b);
  return half * (WEIGHT1 * (slowness(m - NODE1 * half) + slowness(m + NODE1 * half)) +
    WEIGHT2 * (slowness(m - NODE2 * half) + slowness(m + NODE2 * half)) +
    WEIGHT3 * (slowness(m - NODE3 * half) + slowness(m + NODE3 * half)) +
    WEIGHT4 * (slowness(m - NODE4 * half) + slowness(m + NODE4 * half)));
}

/**
 * Time [s] that SIR takes from x = a to b < a, halving until two halves agree with the whole as far as rounding of
 * E + I lets them.
 */
export function timeBetween(a: f64, b: f64): f64 { return halved(a, b, panel(a, b), DEEPEST); }

function halved(a: f64, b: f64, whole: f64, depth: i32): f64 {
  const m = 0.5 * (a + b), first = panel(a, m), second = panel(m, b), sum = first + second;
  const rounding = 1e-14 * max(cancelledAt(a), cancelledAt(b));
  if (depth == 0 || !(abs(sum - whole) > max(1e-12, rounding) * abs(sum))) return sum;
  return halved(a, m, first, depth - 1) + halved(m, b, second, depth - 1);
}

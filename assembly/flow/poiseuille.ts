// Flow in a channel 0 < y < Ly or a duct 0 < z < Lz besides, driven by the force G/ρ, steady or t after it began from
// rest (White, Viscous Fluid Flow, 3rd ed., §3-3.3, eq. 3-48; Boussinesq 1868). With a = G/ρν, α_n = nπ/Ly, β_m = mπ/Lz:
//
//   steady channel  a y(Ly − y)/2
//   steady duct     … − (4a Ly²/π³) Σ_odd n⁻³ sin α_n y cosh α_n(z − Lz/2) / cosh α_n Lz/2
//   since t         … − Σ_odd e^{−ν α_n² t} (4a/(n π α_n²)) sin α_n y                     in a channel
//                   … − Σ_odd Σ_odd e^{−ν(α_n² + β_m²) t} 16a/(n m π² (α_n² + β_m²)) sin α_n y sin β_m z

let isChannel: bool = false;
let Ly: f64 = 0, Lz: f64 = 0, a: f64 = 0, scaled: f64 = 0;

/** Terms beyond this exponent are nothing. */
const MOST: f64 = 42.0;
const MOST_TERMS: i32 = 4000;

export function layDuct(channel: bool, height: f64, width: f64, nu: f64, push: f64, t: f64): void {
  isChannel = channel; Ly = height; Lz = width; a = push / nu; scaled = nu * t;
}

/** cosh s / cosh c for |s| ≤ c. */
@inline function ratioOfCosh(s: f64, c: f64): f64 {
  const size = abs(s);
  return Math.exp(size - c) * (1.0 + Math.exp(-2.0 * size)) / (1.0 + Math.exp(-2.0 * c));
}

function steadyDuct(y: f64, z: f64): f64 {
  let sum = 0.0;
  for (let n = 1; n < MOST_TERMS; n += 2) {
    const alpha = <f64>n * Math.PI / Ly, share = ratioOfCosh(alpha * (z - 0.5 * Lz), 0.5 * alpha * Lz) / (<f64>n * <f64>n * <f64>n);
    if (share < 1e-14) break;
    sum += share * Math.sin(alpha * y);
  }
  return 4.0 * a * Ly * Ly / (Math.PI * Math.PI * Math.PI) * sum;
}

function transientChannel(y: f64): f64 {
  let sum = 0.0;
  for (let n = 1; n < MOST_TERMS; n += 2) {
    const alpha = <f64>n * Math.PI / Ly, power = scaled * alpha * alpha;
    if (power > MOST) break;
    sum += Math.exp(-power) * 4.0 * a / (<f64>n * Math.PI * alpha * alpha) * Math.sin(alpha * y);
  }
  return sum;
}

function transientDuct(y: f64, z: f64): f64 {
  let sum = 0.0;
  for (let n = 1; n < MOST_TERMS; n += 2) {
    const alpha = <f64>n * Math.PI / Ly, p = scaled * alpha * alpha;
    if (p > MOST) break;
    let line = 0.0;
    for (let m = 1; m < MOST_TERMS; m += 2) {
      const beta = <f64>m * Math.PI / Lz, power = p + scaled * beta * beta;
      if (power > MOST) break;
      line += Math.exp(-power) * Math.sin(beta * z) / (<f64>m * (alpha * alpha + beta * beta));
    }
    sum += line * Math.sin(alpha * y) / <f64>n;
  }
  return 16.0 * a / (Math.PI * Math.PI) * sum;
}

export function ductAt(y: f64, z: f64): f64 {
  let u = 0.5 * a * y * (Ly - y);
  if (!isChannel) u -= steadyDuct(y, z);
  if (scaled > 0.0) u -= isChannel ? transientChannel(y) : transientDuct(y, z);
  return u;
}

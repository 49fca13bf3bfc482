// Verdict of `lorenz`, exponents. The flow shrinks every volume alike, so λ₁+λ₂+λ₃ = −(σ+1+β) exactly; an orbit that is
// bounded and has no fixed point in its limit has one exponent that is 0, which is λ₂ of chaos and λ₁ of a cycle (Haken,
// Phys. Lett. A 94 (1983) 71): of a cycle the sealed λ₁ is that 0, and what was measured stands beside it, once every
// chain's λ₂ is clearly below its λ₁, as slow chaos has them the other way round, and the chains still move. Where every
// chain has come to rest the exponents are the real parts of the eigenvalues there, and those are sealed; so they are
// where every motion comes to rest, ρ ≤ (β+1)(β/σ+1) (Kuznetsov et al., Nonlinear Dyn. 102 (2020) 713), however slowly.
// Chains at rest beside others that are not have no exponents in common. The rest is sampling: three standard errors of
// λ₁, from 16 blocks of each of 64 chains and from the chains' means, which differ where chains do, are within the bound; of
// the classical parameters λ₁ is known as well, 0.9056 (Sprott, Chaos and Time-Series Analysis, 2003). That the chains
// followed these equations is seen from means that are exact: of d(x²/2σ − z)/dt and d(y²/2 + z²/2 − ρz)/dt,
//
//   ⟨x²⟩ = β⟨z⟩,   ⟨y²⟩ + β⟨z²⟩ = ρβ⟨z⟩.
//
// Parameters (f64): 0 … 80 those of the first run · 88 runs of as many chains · 96 their results
// Extras (f64): 0 λ₁ · 8 λ₂ · 16 λ₃ · 24 standard error of λ₁ · 32 Kaplan–Yorke dimension · 40 fate: 0 rest, 1 cycle,
//   2 chaos · 48 time measured · 56 chains · 64 step h · 72 time before · 80 16 ends of blocks · 16 λ₁ · 16 λ₂ · 16 λ₃ ·
//   diagnostics of λ₁ over the blocks (40)
//
// Gates: 4 sum · 5 neutral exponent · 6 standard error · 7 mean of x² · 8 mean of y² · 9 eigenvalues · 13 literature · 14 cycle
//   15 chains at rest

import { allocate, countStep, openState, parameterF64, parameters, restoreState, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { cubicRoots } from "../lorenz/spectrum";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RUNS: usize = 96;
const BLOCKS: i32 = 16;
const SCALARS: i32 = 10;
const UNITS: u64 = 2300000;
/** How near to a fixed point a chain is at rest, and how small λ₁ beside λ₃ is none. */
const REST: f64 = 1e-6;
const NEUTRAL: f64 = 1e-3;
/** Of a chain on a cycle the largest |λ₁| beside |λ₂| over the later half of its blocks: it falls as 1/t. */
const CLOSED: f64 = 0.5;
/** Of chains on a cycle the least mean of |ẋ, ẏ, ż| beside β times the size of C±: one that creeps to rest has less. */
const MOVING: f64 = 0.01;
const CLASSICAL: f64 = 0.9056;

let sigma: f64 = 0, rho: f64 = 0, beta: f64 = 0;
let runs: i32 = 0, chains: i32 = 0;
let spectrum: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  sigma = parameterF64(0); rho = parameterF64(8); beta = parameterF64(16);
  chains = <i32>parameterF64(80);
  runs = <i32>parameterF64(88);
  spectrum = allocate(48);
  scratch = allocate(<usize>diagnosticsScratch(BLOCKS) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(UNITS);
  countStep();
  return 1;
}

// ---- what the chains gave ------------------------------------------------------------------------------

@inline function runAt(run: i32): usize {
  return parameters() + RUNS + (<usize>run * <usize>(BLOCKS * 3 * chains + 7 * chains) << 3);
}

/** λᵢ of a block of a chain. */
@inline function sample(run: i32, block: i32, i: i32, chain: i32): f64 {
  return load<f64>(runAt(run) + (<usize>((block * 3 + i) * chains + chain) << 3));
}

/** Mean of λᵢ over all chains in a block. */
function blockMean(block: i32, i: i32): f64 {
  let sum = 0.0;
  for (let run = 0; run < runs; run++) for (let chain = 0; chain < chains; chain++) sum += sample(run, block, i, chain);
  return sum / <f64>(runs * chains);
}

function mean(i: i32): f64 {
  let sum = 0.0;
  for (let block = 0; block < BLOCKS; block++) sum += blockMean(block, i);
  return sum / <f64>BLOCKS;
}

/** Mean of λᵢ of a chain over the later half of the blocks, when it has come to what it stays on. */
function later(run: i32, i: i32, chain: i32): f64 {
  let sum = 0.0;
  for (let block = BLOCKS / 2; block < BLOCKS; block++) sum += sample(run, block, i, chain);
  return sum / <f64>(BLOCKS / 2);
}

/** Mean of that over all chains. */
function laterMean(i: i32): f64 {
  let sum = 0.0;
  for (let run = 0; run < runs; run++) for (let chain = 0; chain < chains; chain++) sum += later(run, i, chain);
  return sum / <f64>(runs * chains);
}

/** The largest |λ₁| beside −λ₂ of all chains; very large where λ₂ is not below 0, or the chains hardly move. */
function leastClosed(): f64 {
  let worst = speed() > MOVING * beta * size() ? 0.0 : 1e300;
  for (let run = 0; run < runs; run++) {
    for (let chain = 0; chain < chains; chain++) {
      const l1 = abs(later(run, 0, chain)), l2 = -later(run, 1, chain);
      worst = max(worst, l2 > 0.0 ? l1 / l2 : 1e300);
    }
  }
  return worst;
}

/** The larger of that by blocks, as if each were independent, and that by chains, which are. */
function standardError(i: i32, centre: f64): f64 {
  const all = <f64>(runs * chains), count = all * <f64>BLOCKS;
  let sum = 0.0, sumOfChains = 0.0;
  for (let run = 0; run < runs; run++) {
    for (let chain = 0; chain < chains; chain++) {
      let ofChain = 0.0;
      for (let block = 0; block < BLOCKS; block++) {
        const apart = sample(run, block, i, chain) - centre;
        sum += apart * apart;
        ofChain += apart;
      }
      ofChain /= <f64>BLOCKS;
      sumOfChains += ofChain * ofChain;
    }
  }
  return sqrt(max(sum / (count - 1.0) / count, sumOfChains / (all - 1.0) / all));
}

/** Mean over all chains of x², y², z or z². */
function average(k: i32): f64 {
  let sum = 0.0;
  for (let run = 0; run < runs; run++) {
    const means = runAt(run) + (<usize>(BLOCKS * 3 * chains) << 3);
    for (let chain = 0; chain < chains; chain++) sum += load<f64>(means + (<usize>chain << 5) + (<usize>k << 3));
  }
  return sum / <f64>(runs * chains);
}

@inline function high(): f64 { return max(0.0, rho - 1.0); }
/** How far C± are from the z axis and the origin. */
@inline function size(): f64 { return sqrt(beta * high()) + high(); }

/** Where a chain ended. */
@inline function endOf(run: i32, chain: i32): usize {
  return runAt(run) + (<usize>(BLOCKS * 3 * chains + 4 * chains) << 3) + <usize>chain * 24;
}

/** Whether a chain ended at a fixed point: C± where ρ > 1, else the origin. */
function isAtRest(run: i32, chain: i32): bool {
  const wide = sqrt(beta * high()), near = REST * (1.0 + size());
  const at = endOf(run, chain), x = load<f64>(at), y = load<f64>(at, 8), z = load<f64>(at, 16);
  return abs(abs(x) - wide) <= near && abs(y - x) <= near && abs(z - high()) <= near;
}

function shareAtRest(): f64 {
  let count = 0;
  for (let run = 0; run < runs; run++) for (let chain = 0; chain < chains; chain++) if (isAtRest(run, chain)) count++;
  return <f64>count / <f64>(runs * chains);
}

/** Share of the chains that came to rest in the later half: in its first block λ₁ was not yet the eigenvalue. For advice. */
function shareOfLate(): f64 {
  let count = 0;
  for (let run = 0; run < runs; run++) {
    for (let chain = 0; chain < chains; chain++) {
      if (isAtRest(run, chain) && sample(run, BLOCKS / 2, 0, chain) > 0.5 * load<f64>(spectrum)) count++;
    }
  }
  return <f64>count / <f64>(runs * chains);
}

/** Mean of |ẋ, ẏ, ż| over the ends of the chains. */
function speed(): f64 {
  let sum = 0.0;
  for (let run = 0; run < runs; run++) {
    for (let chain = 0; chain < chains; chain++) {
      const at = endOf(run, chain), x = load<f64>(at), y = load<f64>(at, 8), z = load<f64>(at, 16);
      const u = sigma * (y - x), v = x * (rho - z) - y, w = x * y - beta * z;
      sum += sqrt(u * u + v * v + w * w);
    }
  }
  return sum / <f64>(runs * chains);
}

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  let l1 = mean(0), l2 = mean(1), l3 = mean(2);
  solveSpectrum();
  const error = standardError(0, l1), isStable = load<f64>(spectrum) < 0.0, atRest = isStable ? shareAtRest() : 0.0;
  const rest = atRest == 1.0 || rho <= (beta + 1.0) * (beta / sigma + 1.0);
  const chaos = !rest && l1 > NEUTRAL * abs(l3) && abs(l2) < l1;
  const isKnown = chaos && sigma == 10.0 && rho == 28.0 && beta == 8.0 / 3.0;
  openVerdict(rest ? 2 : isKnown || !chaos ? 7 : 6, SCALARS + 4 * BLOCKS + DIAGNOSTICS);
  const sum = l1 + l2 + l3, divergence = -(sigma + 1.0 + beta);
  gate(4, Kind.EXACT, sum, divergence, relativeError(sum, divergence));
  if (rest) {
    restGate();
    l1 = load<f64>(spectrum); l2 = load<f64>(spectrum, 16); l3 = load<f64>(spectrum, 32);
  } else {
    const neutral = chaos ? l2 : l1;
    gate(15, Kind.CERTIFICATE, atRest, 0.0, atRest, 1e-3, Status.DID_NOT_CONVERGE);
    if (atRest > 1e-3) show(4, shareOfLate());
    gate(5, Kind.EXACT, neutral, 0.0, abs(neutral) / abs(l3));
    gate(6, Kind.ESTIMATE, l1, l1 + error, 3.0 * error / (chaos ? l1 : abs(l3)), 1e-3, Status.DID_NOT_CONVERGE);
    const x = average(0), y = average(1), z = average(2), zz = average(3);
    gate(7, Kind.INVARIANT, x, beta * z, relativeError(x, beta * z));
    gate(8, Kind.INVARIANT, y + beta * zz, rho * beta * z, relativeError(y + beta * zz, rho * beta * z));
    if (!chaos) { const share = leastClosed(); gate(14, Kind.CERTIFICATE, CLOSED, share, share / CLOSED, 1.0, Status.DID_NOT_CONVERGE); }
    if (isKnown) gate(13, Kind.EXACT, l1, CLASSICAL, relativeError(l1, CLASSICAL));
  }
  writeScalars(l1, l2, l3, error, rest ? 0.0 : chaos ? 2.0 : 1.0);
  closeVerdict(rest || chaos ? l1 : 0.0);
}

/** The eigenvalues at the fixed point that motions can come to. */
function solveSpectrum(): void {
  if (rho > 1.0) cubicRoots(sigma + beta + 1.0, beta * (sigma + rho), 2.0 * sigma * beta * (rho - 1.0), spectrum);
  else {
    const a = sigma + 1.0, b = sigma * (1.0 - rho);
    cubicRoots(a + beta, b + a * beta, b * beta, spectrum);
  }
}

/** Their real parts beside what was measured, all in parts of the largest; the farther one says it. */
function restGate(): void {
  const size = abs(load<f64>(spectrum, 32));
  let measured = 0.0, exact = 0.0, apart = -1.0;
  for (let i = 0; i < 3; i++) {
    const l = laterMean(i), e = load<f64>(spectrum + (<usize>i << 4));
    if (!(abs(l - e) <= apart)) { measured = l; exact = e; apart = abs(l - e); }
  }
  gate(9, Kind.EXACT, measured, exact, apart / size);
}

// ---- what stands beside the value ----------------------------------------------------------------------

/** Kaplan & Yorke, Lect. Notes Math. 730 (1979) 204. */
function dimension(l1: f64, l2: f64, l3: f64, fate: f64): f64 {
  if (fate == 0.0) return 0.0;
  if (fate == 1.0) return 1.0;
  return l1 + l2 > 0.0 ? 2.0 + (l1 + l2) / abs(l3) : 1.0 + l1 / abs(l2);
}

function writeScalars(l1: f64, l2: f64, l3: f64, error: f64, fate: f64): void {
  const at = extras(), interval = parameterF64(24) * parameterF64(32), length = parameterF64(48) * interval;
  const all = <f64>(runs * chains);
  store<f64>(at, l1);
  store<f64>(at, l2, 8);
  store<f64>(at, l3, 16);
  store<f64>(at, error, 24);
  store<f64>(at, dimension(l1, l2, l3, fate), 32);
  store<f64>(at, fate, 40);
  store<f64>(at, all * <f64>BLOCKS * length, 48);
  store<f64>(at, all, 56);
  store<f64>(at, parameterF64(24), 64);
  store<f64>(at, parameterF64(40) * interval, 72);
  const ends = at + SCALARS * 8, column: usize = 8 * <usize>BLOCKS;
  for (let block = 0; block < BLOCKS; block++) {
    const p = ends + (<usize>block << 3);
    store<f64>(p, <f64>(block + 1) * length);
    for (let i = 0; i < 3; i++) store<f64>(p + <usize>(i + 1) * column, blockMean(block, i));
  }
  writeStaticProfile(ends + 4 * column, ends + column, BLOCKS, scratch);
}

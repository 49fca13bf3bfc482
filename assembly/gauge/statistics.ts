// Mean, standard error and integrated autocorrelation time of the chains of a job, by blocking (Flyvbjerg & Petersen,
// J. Chem. Phys. 91 (1989) 461): blocks of a chain are joined in pairs and in fours, and the largest error counts.
//
// Groups are results of the kernel `gauge` (their first 1616 bytes), eight chains a round, rounds behind each other.
// Even chains began with all links 1, odd ones with random links.

export const GROUP_BYTES: usize = 1616;
export const CHAINS: i32 = 8;
const BLOCKS: i32 = 64;

/** What to average: offsets of Σ, Σ² and the 64 block sums in a group. */
export namespace Observable {
  /** The loop, or the plaquette where no loop is asked for. */
  export const SAMPLE: i32 = 0;
  export const PLAQUETTE: i32 = 1;
}

@inline function sumOf(group: usize, which: i32): f64 { return load<f64>(group + (which ? 48 : 8)); }
@inline function squaresOf(group: usize, which: i32): f64 { return load<f64>(group + (which ? 56 : 16)); }
@inline function blocksOf(group: usize, which: i32): usize { return group + (which ? 576 : 64); }

/** Samples of all groups. */
export function samplesOf(groups: usize, count: i32): f64 {
  let n = 0.0;
  for (let g = 0; g < count; g++) n += load<f64>(groups + GROUP_BYTES * <usize>g);
  return n;
}

/** Σ of the f64 at `offset` of every group. */
export function totalOf(groups: usize, count: i32, offset: usize): f64 {
  let sum = 0.0;
  for (let g = 0; g < count; g++) sum += load<f64>(groups + GROUP_BYTES * <usize>g + offset);
  return sum;
}

export function meanOf(groups: usize, count: i32, which: i32): f64 {
  let sum = 0.0;
  for (let g = 0; g < count; g++) sum += sumOf(groups + GROUP_BYTES * <usize>g, which);
  return sum / samplesOf(groups, count);
}

/** Mean over the chains of one start: 0 cold, 1 hot. */
export function meanOfStart(groups: usize, count: i32, which: i32, start: i32): f64 {
  let sum = 0.0, n = 0.0;
  for (let g = start; g < count; g += 2) {
    const group = groups + GROUP_BYTES * <usize>g;
    sum += sumOf(group, which);
    n += load<f64>(group);
  }
  return sum / n;
}

/** Standard error of the mean: the largest of blocks of one, two and four. */
export function standardError(groups: usize, count: i32, which: i32): f64 {
  const mean = meanOf(groups, count, which), total = samplesOf(groups, count);
  let largest = 0.0;
  for (let joined = 1; joined <= 4; joined *= 2) {
    let variance = 0.0;
    for (let g = 0; g < count; g++) {
      const group = groups + GROUP_BYTES * <usize>g;
      const weight = load<f64>(group) / total;
      variance += weight * weight * blockVariance(group, which, mean, joined);
    }
    largest = max(largest, sqrt(variance));
  }
  return largest;
}

/** Variance of the group's mean by its blocks, about the mean of all groups. */
function blockVariance(group: usize, which: i32, mean: f64, joined: i32): f64 {
  const blocks = blocksOf(group, which), count = BLOCKS / joined;
  const length = load<f64>(group) / <f64>count;
  let squares = 0.0;
  for (let i = 0; i < BLOCKS; i += joined) {
    let sum = 0.0;
    for (let j = i; j < i + joined; j++) sum += load<f64>(blocks + (<usize>j << 3));
    const deviation = sum / length - mean;
    squares += deviation * deviation;
  }
  return squares / (<f64>count * <f64>(count - 1));
}

/** τ_int in sweeps, from SE² = 2 τ_int σ²/n; ½ for independent samples. */
export function autocorrelationTime(groups: usize, count: i32, which: i32, error: f64): f64 {
  const n = samplesOf(groups, count), mean = meanOf(groups, count, which);
  let squares = 0.0;
  for (let g = 0; g < count; g++) squares += squaresOf(groups + GROUP_BYTES * <usize>g, which);
  const variance = squares / n - mean * mean;
  return variance > 1e-15 * mean * mean ? 0.5 * error * error * n / variance : 0.5;
}

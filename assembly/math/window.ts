// The window of four terms whose side lobes lie 93 dB below (A. Nuttall, IEEE Trans. Acoust. Speech Signal Process. 29
// (1981) 84, continuous first derivative).

/** At z of its length, 0 … 1. */
export function nuttall(z: f64): f64 {
  const c = Math.cos(2.0 * Math.PI * z), c2 = 2.0 * c * c - 1.0, c3 = c * (2.0 * c2 - 1.0);
  return 0.355768 - 0.487396 * c + 0.144232 * c2 - 0.012604 * c3;
}

// Peer of bench/kernels/quant.ts: a European call by the same Sobol points, shift, normal quantile and sums, in C
// with libm, as anybody would write it: Gray code, one path after another.
#include <math.h>
#include <stdint.h>
#include "rounds.h"

static double poly(const double *c, double r) {
  double p = c[0];
  for (int i = 1; i < 8; i++) p = p * r + c[i];
  return p;
}

// Wichura, AS 241.
static double normal(double u) {
  static const double a[] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
    13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608};
  static const double b[] = {5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0};
  static const double c[] = {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
    1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734};
  static const double d[] = {1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
    0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0};
  const double q = u - 0.5;
  if (fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * poly(a, r) / poly(b, r);
  }
  const double r = sqrt(-log(fmin(u, 1.0 - u))) - 1.6; // never beyond 5: 32-bit points
  return copysign(poly(c, r) / poly(d, r), q);
}

int main(int argc, char **argv) {
  const uint32_t paths = argc > 1 ? (uint32_t)atoll(argv[1]) : 1000000;
  const double S0 = 100, K = 100, r = 0.05, sigma = 0.2, T = 1;
  while (next_round()) {
    const double start = cpu_seconds();
    const double discount = exp(-r * T), drift = log(S0) + (r - 0.5 * sigma * sigma) * T;
    double y = 0, c = 0, yc = 0, cc = 0, yy = 0, other = 0, delta = 0, vega = 0;
    uint32_t x = 0x9e3779b9u;
    for (uint32_t n = 0; n < paths; n++) {
      if (n) x ^= 1u << (31 - __builtin_ctz(n));
      const double W = sqrt(T) * normal(((double)x + 0.5) * 0x1p-32), S = exp(drift + sigma * W);
      const double inside = S - K, gain = discount * fmax(inside, 0), stock = discount * S;
      y += gain; c += stock; yc += gain * stock; cc += stock * stock; yy += gain * gain;
      other += discount * fmax(-inside, 0);
      if (inside > 0) { delta += discount * S / S0; vega += discount * S * (W - sigma * T); }
    }
    if (c + yc + cc + yy + other + delta + vega < 0) return 1;
    answer((double)paths / (cpu_seconds() - start) / 1e6, y / paths);
  }
  return 0;
}

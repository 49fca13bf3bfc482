// Peer of bench/kernels/orbits.ts: Lotka–Volterra in logarithms by PEFRL, with the energy, the integrals and the returns that
// assembly/kernels/lotka.ts keeps, in C with libm's exponential. Arguments: α β δ γ x₀ y₀ t_max, steps.
#include <math.h>
#include "rounds.h"

static double series(double s) { return s * (1.0 / 6 + s * (1.0 / 24 + s * (1.0 / 120 + s * (1.0 / 720 + s * (1.0 / 5040))))); }
static double growth(double s) {
  if (s < -37.5) return -1;
  return fabs(s) > 0.01 ? exp(s) - 1 : s + s * s * (0.5 + series(s));
}
static double g(double s, double grown) { return fabs(s) > 0.01 ? grown - s : s * s * (0.5 + series(s)); }

int main(int argc, char **argv) {
  if (argc < 9) return 1;
  const double alpha = atof(argv[1]), beta = atof(argv[2]), delta = atof(argv[3]), gamma = atof(argv[4]);
  const long steps = atol(argv[8]);
  const double h = atof(argv[7]) / (double)steps, p0 = log(delta * atof(argv[5]) / gamma), q0 = log(beta * atof(argv[6]) / alpha);
  const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.06626458266981849;
  const double drift1 = xi * h * alpha, drift2 = chi * h * alpha, drift3 = (1 - 2 * (chi + xi)) * h * alpha;
  const double kick1 = 0.5 * (1 - 2 * lambda) * h * gamma, kick2 = lambda * h * gamma;
  const double slope_p = -alpha * growth(q0), slope_q = gamma * growth(p0);
  while (next_round()) {
    const double start = cpu_seconds(), first = gamma * g(p0, growth(p0)) + alpha * g(q0, growth(q0));
    double p = p0, q = q0, worst = 0, up = growth(p), uq = growth(q), ahead = 0, sum_p = 0, sum_q = 0, returns = 0, back = 0;
    for (long i = 0; i < steps; i++) {
      const double before_p = up, before_q = uq, before = ahead;
      p -= drift1 * uq;
      q += kick1 * growth(p);
      p -= drift2 * growth(q);
      q += kick2 * growth(p);
      p -= drift3 * growth(q);
      q += kick2 * growth(p);
      p -= drift2 * growth(q);
      q += kick1 * growth(p);
      uq = growth(q);
      p -= drift1 * uq;
      up = growth(p);
      worst = fmax(worst, fabs(gamma * g(p, up) + alpha * g(q, uq) - first));
      ahead = slope_p * (p - p0) + slope_q * (q - q0);
      if (before < 0 && ahead >= 0) {
        const double d0 = h * (slope_q * gamma * before_p - slope_p * alpha * before_q);
        const double d1 = h * (slope_q * gamma * up - slope_p * alpha * uq);
        const double a = d0 + d1 - 2 * (ahead - before), b = 3 * (ahead - before) - 2 * d0 - d1;
        double part = before / (before - ahead);
        for (int k = 0; k < 4; k++)
          part -= (before + part * (d0 + part * (b + part * a))) / (d0 + part * (2 * b + 3 * part * a));
        returns++;
        back = (double)i + part;
      }
      sum_p += 1 + 0.5 * (before_p + up);
      sum_q += 1 + 0.5 * (before_q + uq);
    }
    // The time of the last return tells more than the end, and so does the rest, if ever so little.
    answer((double)steps / (cpu_seconds() - start) / 1e6, back * h + 1e-300 * (worst + sum_p + sum_q + returns));
  }
  return 0;
}

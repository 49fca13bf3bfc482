// Peer of bench/kernels/action.ts: PEFRL of an FPUT chain with its discrete action, in C.
#include <string.h>
#include "rounds.h"

static double q[65538], p[65538], f[65538];
static int n;
static const double k = 1, alpha = 0.25;

static double forces(void) {
  double sum = 0;
  for (int i = 1; i <= n; i++) {
    const double before = q[i] - q[i - 1], after = q[i + 1] - q[i];
    f[i] = (k * after + alpha * after * after) - (k * before + alpha * before * before);
    sum += before * before * (0.5 * k + alpha * before / 3);
  }
  return sum + q[n] * q[n] * (0.5 * k - alpha * q[n] / 3);
}

static double kinetic(void) {
  double sum = 0;
  for (int i = 1; i <= n; i++) sum += p[i] * p[i];
  return 0.5 * sum;
}

int main(int argc, char **argv) {
  n = argc > 1 ? atoi(argv[1]) : 1024;
  const int steps = argc > 2 ? atoi(argv[2]) : 1000;
  const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.06626458266981849, h = 0.1;
  const double drift[5] = {xi, chi, 1 - 2 * (chi + xi), chi, xi};
  const double kick[4] = {0.5 * (1 - 2 * lambda), lambda, lambda, 0.5 * (1 - 2 * lambda)};
  while (next_round()) {
    memset(q, 0, sizeof q);
    memset(p, 0, sizeof p);
    q[1 + n / 2] = 1;
    double S = 0, worst = 0;
    const double first = forces(), start = cpu_seconds();
    for (int s = 0; s < steps; s++) {
      double potential = 0;
      for (int stage = 0; stage < 5; stage++) {
        S += drift[stage] * h * kinetic();
        for (int i = 1; i <= n; i++) q[i] += drift[stage] * h * p[i];
        potential = forces();
        if (stage == 4) break;
        S -= kick[stage] * h * potential;
        for (int i = 1; i <= n; i++) p[i] += kick[stage] * h * f[i];
      }
      const double apart = kinetic() + potential - first;
      if (apart > worst) worst = apart;
    }
    answer((double)n * steps * 4 / (cpu_seconds() - start), S);
  }
  return 0;
}

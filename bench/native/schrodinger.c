// Peer of bench/kernels/schrodinger.ts: a level of the oscillator by bisection on the pivots of Numerov's matrix, in C.
#include <math.h>
#include "rounds.h"

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1024, levels = argc > 2 ? atoi(argv[2]) : 16;
  const double h = 1.0 / n, pi = 3.141592653589793;
  double *v = malloc((n + 1) * sizeof *v), highest = 0;
  for (int i = 1; i < n; i++) {
    const double x = -8 + 16 * (i * h);
    v[i] = 0.5 * x * x * 256;
    if (v[i] > highest) highest = v[i];
  }
  while (next_round()) {
    double sum = 0;
    const double start = cpu_seconds();
    for (int level = 0; level < levels; level++) {
      double low = 0, high = highest + pi * (level + 3) * (pi * (level + 3));
      for (int k = 0; k < 60; k++) {
        const double e = 0.5 * (low + high);
        int below = 0;
        double R = INFINITY;
        for (int i = 1; i < n; i++) {
          double T = 1.0 - h * h * (v[i] - e) / 6.0;
          if (T < 0.1) T = 0.1;
          R = (12.0 - 10.0 * T) / T - 1.0 / (R == 0 ? -1e-300 : R);
          if (R < 0) below++;
        }
        if (below > level) high = e;
        else low = e;
      }
      sum += 0.5 * (low + high) / 256;
    }
    answer(levels / (cpu_seconds() - start), sum);
  }
  free(v);
  return 0;
}

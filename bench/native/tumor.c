// Peer of bench/kernels/orbits.ts: logistic growth by Runge–Kutta 4 in ln(V/K), each step as long as the equation lets it be,
// as assembly/kernels/tumor.ts, in C with libm's exponentials. Arguments: r, V₀/K, t_max, share, longest step, rows.
#include <math.h>
#include "rounds.h"

static double rate;

static double growth(double y) { return -rate * expm1(y); }

static double rk(double y, double step) {
  const double k1 = growth(y), k2 = growth(y + 0.5 * step * k1);
  const double k3 = growth(y + 0.5 * step * k2), k4 = growth(y + step * k3);
  return y + step / 6 * ((k1 + k4) + 2 * (k2 + k3));
}

int main(int argc, char **argv) {
  if (argc < 7) return 1;
  rate = atof(argv[1]);
  const double first = log(atof(argv[2])), end = atof(argv[3]), share = atof(argv[4]), longest = atof(argv[5]);
  const long rows = atol(argv[6]);
  while (next_round()) {
    const double start = cpu_seconds();
    double y = first;
    long steps = 0;
    for (long row = 1; row <= rows; row++) {
      const double whole = end * (double)row / (double)rows - end * (double)(row - 1) / (double)rows;
      for (double done = 0;;) {
        const double left = whole - done, bound = share / (rate * fmax(1, exp(y)));
        const double count = ceil(left / fmin(longest, bound) * (1 - 1e-12)), length = count > 1 ? left / count : left;
        y = rk(y, length);
        steps++;
        if (!(count > 1)) break;
        done += length;
      }
    }
    answer((double)steps / (cpu_seconds() - start) / 1e6, y);
  }
  return 0;
}

// Peer of bench/kernels/odes.ts: the tangent dynamics of Lorenz' equations by RK4, one chain after the other, in C.
#include <math.h>
#include <stdint.h>
#include "rounds.h"

static void slope(const double *s, double *f) {
  const double sigma = 10.0, rho = 28.0, beta = 8.0 / 3.0, up = rho - s[2];
  f[0] = sigma * (s[1] - s[0]);
  f[1] = s[0] * up - s[1];
  f[2] = s[0] * s[1] - beta * s[2];
  for (int k = 3; k < 12; k += 3) {
    f[k] = sigma * (s[k + 1] - s[k]);
    f[k + 1] = up * s[k] - s[k + 1] - s[0] * s[k + 2];
    f[k + 2] = s[1] * s[k] + s[0] * s[k + 1] - beta * s[k + 2];
  }
}

static void step(double *s, double h) {
  double a[12], b[12], c[12], d[12], t[12];
  slope(s, a);
  for (int k = 0; k < 12; k++) t[k] = s[k] + 0.5 * h * a[k];
  slope(t, b);
  for (int k = 0; k < 12; k++) t[k] = s[k] + 0.5 * h * b[k];
  slope(t, c);
  for (int k = 0; k < 12; k++) t[k] = s[k] + h * c[k];
  slope(t, d);
  for (int k = 0; k < 12; k++) s[k] += h / 6.0 * (a[k] + 2.0 * (b[k] + c[k]) + d[k]);
}

static double orthonormalise(double *s) {
  double sum = 0.0;
  for (int i = 3; i < 12; i += 3) {
    for (int j = 3; j < i; j += 3) {
      const double dot = s[i] * s[j] + s[i + 1] * s[j + 1] + s[i + 2] * s[j + 2];
      for (int k = 0; k < 3; k++) s[i + k] -= dot * s[j + k];
    }
    const double length = sqrt(s[i] * s[i] + s[i + 1] * s[i + 1] + s[i + 2] * s[i + 2]);
    for (int k = 0; k < 3; k++) s[i + k] /= length;
    sum += log(length);
  }
  return sum;
}

int main(int argc, char **argv) {
  const int64_t intervals = argc > 1 ? atoll(argv[1]) : 10000;
  while (next_round()) {
    double sum = 0.0;
    const double start = cpu_seconds();
    for (int chain = 0; chain < 16; chain++) {
      double s[12] = {1.0 + chain, 1.0, 27.0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
      for (int64_t i = 0; i < intervals; i++) {
        for (int k = 0; k < 10; k++) step(s, 0.01);
        sum += orthonormalise(s);
      }
    }
    answer(160.0 * (double)intervals / (cpu_seconds() - start) / 1e6, sum / (1.6 * (double)intervals));
  }
  return 0;
}

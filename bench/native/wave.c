/* Peer of bench/kernels/wave.ts: leapfrog of the wave equation on a square of N x N cells with fixed sides, vertices
   0 ... N, two arrays, the new time over the old one: u+ = 2u - u- + r (left + right + below + above - 4u).
     wave  a mode sin(pi x) sin(pi y), from rest */
#include <math.h>
#include "rounds.h"

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int n = atoi(argv[1]), stride = n + 1;
  long steps = atol(argv[2]);
  double r = 0.25, pi = 3.14159265358979323846, centre = 2.0 - 4.0 * r;
  double *a = calloc((size_t)stride * stride, sizeof(double)), *b = calloc((size_t)stride * stride, sizeof(double));
  while (next_round()) {
    double s = sin(0.5 * pi / n), back = 1.0 - 4.0 * r * s * s;
    for (int j = 1; j < n; j++)
      for (int i = 1; i < n; i++) {
        a[j * stride + i] = sin(pi / n * i) * sin(pi / n * j);
        b[j * stride + i] = back * a[j * stride + i];
      }
    double start = cpu_seconds();
    for (long k = 0; k < steps; k++) {
      for (int j = 1; j < n; j++) {
        double *row = a + j * stride, *below = row - stride, *above = row + stride;
        double *restrict out = b + j * stride;
        for (int i = 1; i < n; i++)
          out[i] = (centre * row[i] - out[i]) + (r * (row[i - 1] + row[i + 1]) + r * (below[i] + above[i]));
      }
      double *t = a; a = b; b = t;
    }
    double seconds = cpu_seconds() - start;
    answer((double)steps * (n - 1) * (n - 1) / seconds / 1e6, a[n / 2 * stride + n / 2]);
  }
  free(a); free(b);
  return 0;
}

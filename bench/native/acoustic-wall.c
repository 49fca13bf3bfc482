// Peer of bench/kernels/acoustic.ts: complex symmetric banded LDLᵀ by rows, of the same size and half bandwidth, in C.
#include <complex.h>
#include <string.h>
#include "rounds.h"

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 833, b = argc > 2 ? atoi(argv[2]) : 70, repeats = argc > 3 ? atoi(argv[3]) : 1;
  const int w = b + 1;
  const size_t size = (size_t)n * w;
  double complex *a = malloc(size * 16), *matrix = malloc(size * 16);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < w; j++)
      matrix[(size_t)i * w + j] = j == b ? 4.0 + 0.1 * I : i - b + j < 0 ? 0 : (-1.0 + 0.2 * I) / (1 + b - j) / b;
  while (next_round()) {
    double sum = 0;
    const double start = cpu_seconds();
    for (int r = 0; r < repeats; r++) {
      memcpy(a, matrix, size * 16);
      for (int i = 0; i < n; i++) {
        const int first = i > b ? i - b : 0;
        double complex *row = a + (size_t)i * w + (first - i + b);
        for (int j = first; j < i; j++) {
          const double *x = (const double *)row, *y = (const double *)(a + (size_t)j * w + (first - j + b));
          double re = 0, im = 0;
          for (int k = 0; k < 2 * (j - first); k += 2) {
            re += x[k] * y[k] - x[k + 1] * y[k + 1];
            im += x[k] * y[k + 1] + x[k + 1] * y[k];
          }
          row[j - first] -= re + im * I;
        }
        double complex d = a[(size_t)i * w + b];
        for (int j = first; j < i; j++) {
          const double complex u = row[j - first], l = u / a[(size_t)j * w + b];
          d -= u * l;
          row[j - first] = l;
        }
        a[(size_t)i * w + b] = d;
        sum += creal(d);
      }
    }
    answer((double)n * repeats / (cpu_seconds() - start), sum);
  }
  return 0;
}

// Peer of bench/kernels/acoustic.ts: banded LDLᵀ by rows of a matrix of the same size and half bandwidth, in C.
#include <string.h>
#include "rounds.h"

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 833, b = argc > 2 ? atoi(argv[2]) : 70, repeats = argc > 3 ? atoi(argv[3]) : 1;
  const int w = b + 1;
  const size_t size = (size_t)n * w;
  double *a = malloc(size * 8), *matrix = malloc(size * 8);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < w; j++) matrix[(size_t)i * w + j] = j == b ? 4.0 : i - b + j < 0 ? 0 : -1.0 / (1 + b - j) / b;
  while (next_round()) {
    double sum = 0;
    const double start = cpu_seconds();
    for (int r = 0; r < repeats; r++) {
      memcpy(a, matrix, size * 8);
      for (int i = 0; i < n; i++) {
        const int first = i > b ? i - b : 0;
        double *row = a + (size_t)i * w + (first - i + b);
        for (int j = first; j < i; j++) {
          const double *other = a + (size_t)j * w + (first - j + b);
          double s = 0;
          for (int k = 0; k < j - first; k++) s += row[k] * other[k];
          row[j - first] -= s;
        }
        double d = a[(size_t)i * w + b];
        for (int j = first; j < i; j++) {
          const double u = row[j - first], l = u / a[(size_t)j * w + b];
          d -= u * l;
          row[j - first] = l;
        }
        a[(size_t)i * w + b] = d;
        sum += d;
      }
    }
    answer((double)n * repeats / (cpu_seconds() - start), sum);
  }
  return 0;
}

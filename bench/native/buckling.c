// Peer of bench/kernels/buckling.ts: four loads of a pinned column by bisection on the inertia of K − σG, in C.
#include <math.h>
#include <string.h>
#include "rounds.h"

enum { B = 3, W = 4 };

static int negatives(double *a, int n) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    double *row = a + i * W;
    const int first = i > B ? i - B : 0;
    for (int j = first; j < i; j++) {
      const double *other = a + j * W;
      double sum = 0;
      for (int k = first; k < j; k++) sum += row[k - i + B] * other[k - j + B];
      row[j - i + B] -= sum;
    }
    double d = row[B];
    for (int j = first; j < i; j++) {
      const double u = row[j - i + B], l = u / a[j * W + B];
      d -= u * l;
      row[j - i + B] = l;
    }
    if (d < 0) count++;
    row[B] = d;
  }
  return count;
}

static void assemble(double *k, double *g, int elements) {
  const double h = 1.0 / elements;
  const double ke[4][4] = {{12 / (h * h * h), 6 / (h * h), -12 / (h * h * h), 6 / (h * h)},
                           {6 / (h * h), 4 / h, -6 / (h * h), 2 / h},
                           {-12 / (h * h * h), -6 / (h * h), 12 / (h * h * h), -6 / (h * h)},
                           {6 / (h * h), 2 / h, -6 / (h * h), 4 / h}};
  const double ge[4][4] = {{1.2 / h, 0.1, -1.2 / h, 0.1},
                           {0.1, 4 * h / 30, -0.1, -h / 30},
                           {-1.2 / h, -0.1, 1.2 / h, -0.1},
                           {0.1, -h / 30, -0.1, 4 * h / 30}};
  for (int e = 0; e < elements; e++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j <= i; j++) {
        const int row = 2 * e + i;
        k[row * W + j - i + B] += ke[i][j];
        g[row * W + j - i + B] += ge[i][j];
      }
  const int held[2] = {0, 2 * elements};
  const int n = 2 * elements + 2;
  for (int c = 0; c < 2; c++)
    for (int i = held[c] - B; i <= held[c] + B; i++) {
      if (i < 0 || i >= n) continue;
      const int row = i > held[c] ? i : held[c], column = i > held[c] ? held[c] : i;
      k[row * W + column - row + B] = i == held[c];
      g[row * W + column - row + B] = 0;
    }
}

int main(int argc, char **argv) {
  const int elements = argc > 1 ? atoi(argv[1]) : 256, repeats = argc > 2 ? atoi(argv[2]) : 1, n = 2 * elements + 2;
  double *k = calloc(n * W, 8), *g = calloc(n * W, 8), *f = calloc(n * W, 8);
  assemble(k, g, elements);
  while (next_round()) {
    double lowest = 0;
    const double start = cpu_seconds();
    for (int r = 0; r < repeats; r++)
      for (int load = 0; load < 4; load++) {
        double low = 0, high = 370.11016504084594;
        for (int i = 0; i < 56; i++) {
          const double middle = 0.5 * (low + high);
          for (int j = 0; j < n * W; j++) f[j] = k[j] - middle * g[j];
          if (negatives(f, n) > load) high = middle;
          else low = middle;
        }
        if (load == 0) lowest = 0.5 * (low + high);
      }
    answer(4.0 * repeats / (cpu_seconds() - start), lowest);
  }
  return 0;
}

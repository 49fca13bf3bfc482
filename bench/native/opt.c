// Peer of bench/kernels/opt.ts: the arithmetic of one dual simplex pivot on a dense programme of m rows and n columns,
// as the kernel does it: a row priced, a column solved for, the inverse updated, with the norms of its rows.
#include <stdint.h>
#include <string.h>
#include "rounds.h"

enum { M = 64, N = 128 };
static double inverse[M][M], columns[N][M], norms[M], alphas[N], entering[M];

static double dot(const double *a, const double *b) {
  double s[8] = {0};
  for (int i = 0; i < M; i += 8)
    for (int k = 0; k < 8; k++) s[k] += a[i + k] * b[i + k];
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static void pivot(int r, int q) {
  for (int j = 0; j < N; j++) alphas[j] = dot(inverse[r], columns[j]);
  for (int i = 0; i < M; i++) entering[i] = dot(inverse[i], columns[q]);
  const double turn = 1.0 / (entering[r] != 0 ? entering[r] : 1.0);
  for (int k = 0; k < M; k++) inverse[r][k] *= turn;
  for (int i = 0; i < M; i++) {
    if (i == r) continue;
    double s[4] = {0};
    for (int k = 0; k < M; k += 4)
      for (int l = 0; l < 4; l++) {
        const double value = inverse[i][k + l] - entering[i] * inverse[r][k + l];
        inverse[i][k + l] = value;
        s[l] += value * value;
      }
    norms[i] = (s[0] + s[1]) + (s[2] + s[3]);
  }
}

int main(int argc, char **argv) {
  const int64_t pivots = argc > 1 ? atoll(argv[1]) : 10000;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++) columns[j][i] = (i * 5 + j * 13 + i * j * 3) % 17 - 6;
  while (next_round()) {
    double sum = 0;
    const double start = cpu_seconds();
    for (int64_t k = 0; k < pivots; k++) {
      if (k % 64 == 0) {
        memset(inverse, 0, sizeof inverse);
        for (int i = 0; i < M; i++) inverse[i][i] = 1;
      }
      pivot((int)(k % M), (int)(k * 7 % N));
      sum += norms[0] + alphas[0];
    }
    answer((double)pivots / (cpu_seconds() - start), sum);
  }
  return 0;
}

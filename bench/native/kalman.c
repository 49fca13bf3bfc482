// Peer of bench/kernels/orbits.ts: Kalman's filter in Joseph's form with Cholesky's factor, as assembly/kernels/kalman.ts, in
// plain C. Places and speeds in so many dimensions, of which the places are measured. Arguments: dimensions, measurements.
#include <math.h>
#include <string.h>
#include "rounds.h"

#define MOST 16
#define LN_TURN 1.8378770664093453
typedef double Matrix[MOST * MOST];

static int n, m;
static Matrix F, H, Q, R, P, prior, K, S, T, U;
static double x[MOST], y[MOST], xp[MOST], logL;
/* What the kernel gives of each measurement: x, P, ln L, y, y'S^-1 y, K. */
#define ROOM (1 << 15)
static double rows[ROOM];
static int filled;

static void multiply(const double *a, const double *b, double *to, int r, int k, int c) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * c + j];
      to[i * c + j] = sum;
    }
}

static void multiply_transposed(const double *a, const double *b, double *to, int r, int k, int c) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += a[i * k + l] * b[j * k + l];
      to[i * c + j] = sum;
    }
}

static void add_to(double *a, const double *b, int count) {
  for (int i = 0; i < count; i++) a[i] += b[i];
}

static void symmetrise(double *a, int size) {
  for (int i = 0; i < size; i++)
    for (int j = 0; j < i; j++) a[i * size + j] = a[j * size + i] = 0.5 * (a[i * size + j] + a[j * size + i]);
}

static void cholesky(double *a, int size) {
  for (int j = 0; j < size; j++)
    for (int i = j; i < size; i++) {
      double sum = a[i * size + j];
      for (int k = 0; k < j; k++) sum -= a[i * size + k] * a[j * size + k];
      a[i * size + j] = i == j ? sqrt(sum) : sum / a[j * size + j];
    }
}

static void solve_lower(const double *l, double *b, int size, int c) {
  for (int j = 0; j < c; j++)
    for (int i = 0; i < size; i++) {
      double sum = b[i * c + j];
      for (int k = 0; k < i; k++) sum -= l[i * size + k] * b[k * c + j];
      b[i * c + j] = sum / l[i * size + i];
    }
}

static void solve_upper(const double *l, double *b, int size, int c) {
  for (int j = 0; j < c; j++)
    for (int i = size - 1; i >= 0; i--) {
      double sum = b[i * c + j];
      for (int k = i + 1; k < size; k++) sum -= l[k * size + i] * b[k * c + j];
      b[i * c + j] = sum / l[i * size + i];
    }
}

static void keep(const double *from, int count) {
  memcpy(rows + filled, from, sizeof(double) * (size_t)count);
  filled += count;
}

static void write_row(const double *innovation, double square) {
  if (filled + n + n * n + m + n * m + 2 > ROOM) filled = 0;
  keep(x, n);
  keep(P, n * n);
  keep(&logL, 1);
  keep(innovation, m);
  keep(&square, 1);
  keep(K, n * m);
}

static void measure(const double *z) {
  double innovation[MOST];
  multiply(F, x, xp, n, n, 1);
  memcpy(x, xp, sizeof x);
  multiply(F, P, T, n, n, n);
  multiply_transposed(T, F, prior, n, n, n);
  add_to(prior, Q, n * n);
  symmetrise(prior, n);
  multiply(H, prior, T, m, n, n);
  multiply_transposed(T, H, S, m, n, m);
  add_to(S, R, m * m);
  symmetrise(S, m);
  cholesky(S, m);
  solve_lower(S, T, m, n);
  solve_upper(S, T, m, n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) K[j * m + i] = T[i * n + j];
  for (int i = 0; i < m; i++) {
    y[i] = z[i];
    for (int j = 0; j < n; j++) y[i] -= H[i * n + j] * x[j];
  }
  multiply(K, y, xp, n, m, 1);
  add_to(x, xp, n);
  multiply(K, H, T, n, m, n);
  for (int i = 0; i < n * n; i++) T[i] = (i % (n + 1) == 0 ? 1 : 0) - T[i];
  multiply(T, prior, U, n, n, n);
  multiply_transposed(U, T, P, n, n, n);
  multiply(K, R, U, n, m, m);
  multiply_transposed(U, K, T, n, m, n);
  add_to(P, T, n * n);
  symmetrise(P, n);
  memcpy(innovation, y, sizeof innovation);
  solve_lower(S, y, m, 1);
  double square = 0, log_det = 0;
  for (int i = 0; i < m; i++) {
    square += y[i] * y[i];
    log_det += 2 * log(S[i * m + i]);
  }
  logL -= 0.5 * (m * LN_TURN + log_det + square);
  write_row(innovation, square);
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  m = atoi(argv[1]);
  n = 2 * m;
  const long count = atol(argv[2]);
  double *z = malloc(sizeof(double) * (size_t)(count * m));
  if (n > MOST || !z) return 1;
  for (int i = 0; i < n; i++) {
    F[i * n + i] = 1;
    Q[i * n + i] = 0.01;
  }
  for (int i = 0; i < m; i++) {
    F[i * n + m + i] = 0.1;
    H[i * n + i] = R[i * m + i] = 1;
  }
  for (long k = 0; k < count * m; k++) z[k] = 0.1 * (double)(7 * k % 11);
  while (next_round()) {
    const double start = cpu_seconds();
    memset(x, 0, sizeof x);
    memset(P, 0, sizeof P);
    for (int i = 0; i < n; i++) P[i * n + i] = 1;
    logL = 0;
    for (long k = 0; k < count; k++) measure(z + k * m);
    answer((double)count / (cpu_seconds() - start) / 1e6, x[0] + 1e-300 * (logL + rows[0]));
  }
  free(z);
  return 0;
}

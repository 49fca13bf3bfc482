/* Peers of bench/kernels/stencils.ts: cell updates per second on a square of N x N cells, vertices 0 ... N.
     heat   explicit steps with fixed sides, two arrays
     react  Gray-Scott on a ring in both directions, two arrays for each species, with what the kernel gathers on its way:
            the sums of both and the least concentration. Sums in lanes, which a compiler must not make by itself. */
#include <math.h>
#include <string.h>
#include "rounds.h"

static int n, stride;

static double *field(void) { return calloc((size_t)stride * (n + 1), sizeof(double)); }

static void heat(long steps) {
  double *a = field(), *b = field(), r = 0.2, centre = 1.0 - 2.0 * (r + r);
  for (int j = 1; j < n; j++)
    for (int i = 1; i < n; i++) a[j * stride + i] = b[j * stride + i] = 100.0;
  double start = cpu_seconds();
  for (long s = 0; s < steps; s++) {
    for (int j = 1; j < n; j++) {
      double *row = a + j * stride, *below = row - stride, *above = row + stride;
      double *restrict out = b + j * stride;
      for (int i = 1; i < n; i++)
        out[i] = centre * row[i] + (r * (row[i - 1] + row[i + 1]) + r * (below[i] + above[i]));
    }
    double *t = a; a = b; b = t;
  }
  double seconds = cpu_seconds() - start;
  answer((double)steps * (n - 1) * (n - 1) / seconds / 1e6, a[n / 2 * stride + n / 2]);
  free(a); free(b);
}

static void close_ring(double *f) {
  for (int j = 0; j < n; j++) f[j * stride + n] = f[j * stride];
  memcpy(f + (size_t)n * stride, f, sizeof(double) * stride);
}

#if defined __AVX512F__
#define LANES 8
#elif defined __AVX__
#define LANES 4
#else
#define LANES 2
#endif
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long mask __attribute__((vector_size(8 * LANES)));
static inline lanes at(const double *p) { lanes x; memcpy(&x, p, sizeof x); return x; }
static inline void put(double *p, lanes x) { memcpy(p, &x, sizeof x); }
static inline lanes smaller(lanes a, lanes b) { const mask m = a < b; return (lanes)(((mask)a & m) | ((mask)b & ~m)); }

static const double F = 0.04, k = 0.06, dt = 1.0 / 128.0;
static double *u, *v, *p, *q, sum_u, sum_v, least;

static void cell(int i, int left, int right, int below, int above) {
  const double a = u[i], b = v[i], eaten = a * b * b;
  const double du = 0.2 * (u[left] + u[right] + u[below] + u[above]) - 0.8 * a;
  const double dv = 0.1 * (v[left] + v[right] + v[below] + v[above]) - 0.4 * b;
  p[i] = a + (du + dt * (F * (1.0 - a) - eaten));
  q[i] = b + (dv + dt * (eaten - (F + k) * b));
  sum_u += a;
  sum_v += b;
  least = fmin(least, fmin(a, b));
}

static void react_row(int here, int below, int above) {
  lanes all_u = {0}, all_v = {0}, low = all_u + least;
  int i = 1;
  for (; i + LANES <= n; i += LANES) {
    const lanes a = at(u + here + i), b = at(v + here + i), eaten = a * b * b;
    const double *l = u + here + i - 1, *m = v + here + i - 1;
    const lanes du = 0.2 * (at(l) + at(l + 2) + at(u + below + i) + at(u + above + i)) - 0.8 * a;
    const lanes dv = 0.1 * (at(m) + at(m + 2) + at(v + below + i) + at(v + above + i)) - 0.4 * b;
    put(p + here + i, a + (du + dt * (F * (1.0 - a) - eaten)));
    put(q + here + i, b + (dv + dt * (eaten - (F + k) * b)));
    all_u += a;
    all_v += b;
    low = smaller(low, smaller(a, b));
  }
  for (int j = 0; j < LANES; j++) {
    sum_u += all_u[j];
    sum_v += all_v[j];
    least = fmin(least, low[j]);
  }
  for (; i < n; i++) cell(here + i, here + i - 1, here + i + 1, below + i, above + i);
  cell(here, here + n - 1, here + 1, below, above);
}

static void react(long steps) {
  u = field(), v = field(), p = field(), q = field();
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++) {
      double x = i - 0.5 * n, y = j - 0.5 * n, g = exp(-(x * x + y * y) / (0.01 * n * n));
      u[j * stride + i] = 1.0 - 0.5 * g;
      v[j * stride + i] = 0.25 * g;
    }
  double start = cpu_seconds(), balance = 0;
  least = INFINITY;
  for (long s = 0; s < steps; s++) {
    sum_u = sum_v = 0;
    for (int j = 0; j < n; j++) react_row(j * stride, (j == 0 ? n - 1 : j - 1) * stride, (j + 1) * stride);
    balance += dt * (F * ((double)n * n - sum_u) - (F + k) * sum_v);
    close_ring(p); close_ring(q);
    double *t = u; u = p; p = t;
    t = v; v = q; q = t;
  }
  double seconds = cpu_seconds() - start;
  answer((double)steps * n * n / seconds / 1e6, u[n / 2 * stride + n / 2] + 1e-300 * (balance + least));
  free(u); free(v); free(p); free(q);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  n = atoi(argv[2]);
  stride = n + 1;
  long steps = atol(argv[3]);
  while (next_round())
    if (!strcmp(argv[1], "heat")) heat(steps);
    else react(steps);
  return 0;
}

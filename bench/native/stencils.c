/* Peers of bench/kernels/stencils.ts: cell updates per second on a square of N x N cells, vertices 0 ... N.
     heat   explicit steps with fixed sides, two arrays
     react  Gray-Scott on a ring in both directions, two arrays for each species */
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

static void react(long steps) {
  double *u = field(), *v = field(), *p = field(), *q = field(), F = 0.04, k = 0.06, dt = 1.0 / 128.0;
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++) {
      double x = i - 0.5 * n, y = j - 0.5 * n, g = exp(-(x * x + y * y) / (0.01 * n * n));
      u[j * stride + i] = 1.0 - 0.5 * g;
      v[j * stride + i] = 0.25 * g;
    }
  double start = cpu_seconds();
  for (long s = 0; s < steps; s++) {
    for (int j = 0; j < n; j++) {
      int below = (j == 0 ? n - 1 : j - 1) * stride, above = (j + 1) * stride, here = j * stride;
      for (int i = 1; i < n; i++) {
        double a = u[here + i], b = v[here + i], eaten = a * b * b;
        double du = 0.2 * (u[here + i - 1] + u[here + i + 1] + u[below + i] + u[above + i]) - 0.8 * a;
        double dv = 0.1 * (v[here + i - 1] + v[here + i + 1] + v[below + i] + v[above + i]) - 0.4 * b;
        p[here + i] = a + (du + dt * (F * (1.0 - a) - eaten));
        q[here + i] = b + (dv + dt * (eaten - (F + k) * b));
      }
      double a = u[here], b = v[here], eaten = a * b * b;
      double du = 0.2 * (u[here + n - 1] + u[here + 1] + u[below] + u[above]) - 0.8 * a;
      double dv = 0.1 * (v[here + n - 1] + v[here + 1] + v[below] + v[above]) - 0.4 * b;
      p[here] = a + (du + dt * (F * (1.0 - a) - eaten));
      q[here] = b + (dv + dt * (eaten - (F + k) * b));
    }
    close_ring(p); close_ring(q);
    double *t = u; u = p; p = t;
    t = v; v = q; q = t;
  }
  double seconds = cpu_seconds() - start;
  answer((double)steps * n * n / seconds / 1e6, u[n / 2 * stride + n / 2]);
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

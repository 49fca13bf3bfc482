/* Peer of bench/kernels/fracture.ts: conjugate gradients with the diagonal for plane elasticity on N x N square cells,
   bilinear with 2 x 2 Gauss points summed by hand, a stiffness of its own for each cell, lower side held, upper side
   lifted by N. Two passes a row of cells: forces at the corners, then sums at the nodes. */
#include <math.h>
#include <string.h>
#include "rounds.h"

static int n, s;
static double *g, *b1, *b2, *r1, *r2, *t1, *t2, *l1, *l2;

static double *field(void) { return calloc((size_t)s * (n + 1), sizeof(double)); }

static double apply(const double *u, const double *v, double *restrict qu, double *restrict qv) {
  const double lambda = 1.0, mu = 1.0, k = (lambda + 3.0 * mu) / 12.0;
  memset(qu, 0, sizeof(double) * s);
  memset(qv, 0, sizeof(double) * s);
  double sum = 0.0;
  for (int j = 0; j < n; j++) {
    const double *ub = u + (size_t)j * s, *ua = ub + s, *vb = v + (size_t)j * s, *va = vb + s, *soft = g + (size_t)j * s;
    double *restrict lu = b1, *restrict lv = b2, *restrict ru = r1, *restrict rv = r2;
    double *restrict tu = t1, *restrict tv = t2, *restrict au = l1, *restrict av = l2;
    for (int i = 0; i < n; i++) {
      double uB = ub[i + 1] - ub[i], uA = ua[i + 1] - ua[i], vB = vb[i + 1] - vb[i], vA = va[i + 1] - va[i];
      double e1 = 0.5 * (uB + uA), e2 = 0.5 * ((va[i] - vb[i]) + (va[i + 1] - vb[i + 1]));
      double e3 = 0.5 * (((ua[i] - ub[i]) + (ua[i + 1] - ub[i + 1])) + (vB + vA));
      double half = 0.5 * soft[i], s1 = half * ((lambda + 2.0 * mu) * e1 + lambda * e2), s2 = half * (lambda * e1 + (lambda + 2.0 * mu) * e2);
      double s3 = half * mu * e3, k1 = soft[i] * k * (uA - uB), k2 = soft[i] * k * (vA - vB);
      lu[i] = -s1 - s3 + k1; ru[i + 1] = s1 - s3 - k1; au[i + 1] = s1 + s3 + k1; tu[i] = -s1 + s3 - k1;
      lv[i] = -s2 - s3 + k2; rv[i + 1] = s3 - s2 - k2; av[i + 1] = s2 + s3 + k2; tv[i] = s2 - s3 - k2;
    }
    double *restrict pu = qu + (size_t)j * s, *restrict pv = qv + (size_t)j * s;
    for (int i = 0; i <= n; i++) { pu[i] += lu[i] + ru[i]; pv[i] += lv[i] + rv[i]; sum += ub[i] * pu[i] + vb[i] * pv[i]; }
    for (int i = 0; i <= n; i++) { pu[s + i] = tu[i] + au[i]; pv[s + i] = tv[i] + av[i]; }
  }
  return sum;
}

int main(int argc, char **argv) {
  (void)argc;
  n = atoi(argv[1]);
  int iterations = atoi(argv[2]);
  s = n + 4;
  while (next_round()) {
    double *u = field(), *v = field(), *x = field(), *y = field(), *p = field(), *q = field(), *a = field(), *b = field(), *ix = field();
    g = field();
    b1 = field(); b2 = b1 + s; r1 = field(); r2 = r1 + s; t1 = field(); t2 = t1 + s; l1 = field(); l2 = l1 + s;
    for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) g[j * s + i] = 1.0 + 1e-7;
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= n; i++) {
        int cells = (i > 0 && i < n ? 2 : 1) * (j > 0 && j < n ? 2 : 1);
        ix[j * s + i] = 1.0 / (cells * (1.0 + 1e-7) * (1.0 + 4.0 / 12.0));
      }
    for (int i = 0; i <= n; i++) { v[n * s + i] = 0.5 * n; v[i] = -0.5 * n; }
    double start = cpu_seconds();
    apply(u, v, x, y);
    double rho = 0.0, residual = 0.0;
    for (int j = 0; j <= n; j++)
      for (int i = 0; i < s; i++) {
        size_t k = (size_t)j * s + i;
        int inside = j > 0 && j < n;
        x[k] = inside ? -x[k] : 0.0; y[k] = inside ? -y[k] : 0.0;
        p[k] = x[k] * ix[k]; q[k] = y[k] * ix[k];
        rho += (x[k] * x[k] + y[k] * y[k]) * ix[k];
      }
    for (int it = 0; it < iterations; it++) {
      double alpha = rho / apply(p, q, a, b), next = 0.0;
      residual = 0.0;
      for (size_t k = s; k < (size_t)n * s; k++) {
        u[k] += alpha * p[k]; v[k] += alpha * q[k];
        x[k] -= alpha * a[k]; y[k] -= alpha * b[k];
        residual += x[k] * x[k] + y[k] * y[k];
        next += (x[k] * x[k] + y[k] * y[k]) * ix[k];
      }
      double beta = next / rho;
      for (size_t k = s; k < (size_t)n * s; k++) { p[k] = x[k] * ix[k] + beta * p[k]; q[k] = y[k] * ix[k] + beta * q[k]; }
      rho = next;
    }
    answer(2.0 * (n + 1) * (n + 1) * iterations / (cpu_seconds() - start) / 1e6, residual);
    free(u); free(v); free(x); free(y); free(p); free(q); free(a); free(b); free(ix); free(g); free(b1); free(r1); free(t1); free(l1);
  }
}

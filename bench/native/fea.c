/* Peer of bench/kernels/fea.ts: the same iteration, conjugate gradients with one V-cycle of Chebyshev-Jacobi smoothing,
   on -Δu = 1 over the unit square with N×N nine-node elements; matrices in compressed rows, as anybody would write it.
   Levels: Q2, Q1 on the same cells, then half the cells down to 8; dense Cholesky there. */
#include "rounds.h"
#include <math.h>
#include <string.h>

typedef struct { int n; int *row, *col; double *val; } csr;
typedef struct { csr A, P, R; double *dinv, *r, *z, *d, lambda; } level;

static level L[24];
static int levels, bottom_n;
static double *chol;

static double *vec(int n) { return calloc((size_t)n, sizeof(double)); }

/* Interior of a 1-D matrix of order n+2 in dense band form: entries (i, i-2..i+2). */
typedef struct { int n; double *a; } band;
static band band1(int cells, int degree, int mass) {
  const double h = 1.0 / cells;
  const int n = degree * cells + 1, m = degree + 1;
  const double k2[9] = {7, -8, 1, -8, 16, -8, 1, -8, 7}, m2[9] = {4, 2, -1, 2, 16, 2, -1, 2, 4};
  const double k1[4] = {1, -1, -1, 1}, m1[4] = {2, 1, 1, 2};
  const double *e = degree == 2 ? (mass ? m2 : k2) : (mass ? m1 : k1);
  const double s = degree == 2 ? (mass ? h / 30 : 1 / (3 * h)) : (mass ? h / 6 : 1 / h);
  double *whole = vec(n * 5);
  for (int c = 0; c < cells; c++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) whole[(degree * c + i) * 5 + 2 + j - i] += s * e[i * m + j];
  band b = {n - 2, vec((n - 2) * 5)};
  memcpy(b.a, whole + 5, sizeof(double) * 5 * (n - 2));
  free(whole);
  return b;
}
static double at(const band *b, int i, int j) {
  return j < i - 2 || j > i + 2 || j < 0 || j >= b->n ? 0 : b->a[i * 5 + 2 + j - i];
}

static csr laplace(int cells, int degree) {
  band K = band1(cells, degree, 0), M = band1(cells, degree, 1);
  const int n = K.n;
  csr A = {n * n, malloc(sizeof(int) * (n * n + 1)), malloc(sizeof(int) * 25 * (size_t)n * n),
           malloc(sizeof(double) * 25 * (size_t)n * n)};
  int k = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      A.row[j * n + i] = k;
      for (int J = j - 2; J <= j + 2; J++)
        for (int I = i - 2; I <= i + 2; I++) {
          const double mi = at(&M, i, I), mj = at(&M, j, J);
          if (mi == 0 || mj == 0) continue;
          A.col[k] = J * n + I;
          A.val[k++] = at(&K, i, I) * mj + mi * at(&K, j, J);
        }
    }
  A.row[n * n] = k;
  return A;
}

/* From n interior points to 2n+1. */
static csr prolongation(int n) {
  const int m = 2 * n + 1;
  csr P = {m * m, malloc(sizeof(int) * (m * m + 1)), malloc(sizeof(int) * 4 * (size_t)m * m),
           malloc(sizeof(double) * 4 * (size_t)m * m)};
  int k = 0;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      P.row[j * m + i] = k;
      const int i0 = i & 1 ? i / 2 : i / 2 - 1, i1 = i / 2, j0 = j & 1 ? j / 2 : j / 2 - 1, j1 = j / 2;
      for (int J = j0; J <= j1; J++)
        for (int I = i0; I <= i1; I++) {
          if (I < 0 || J < 0 || I >= n || J >= n) continue;
          P.col[k] = J * n + I;
          P.val[k++] = (i & 1 ? 1 : 0.5) * (j & 1 ? 1 : 0.5);
        }
    }
  P.row[m * m] = k;
  return P;
}
static csr transpose(const csr *P, int columns) {
  const int nnz = P->row[P->n];
  csr R = {columns, calloc((size_t)columns + 2, sizeof(int)), malloc(sizeof(int) * nnz), malloc(sizeof(double) * nnz)};
  for (int k = 0; k < nnz; k++) R.row[P->col[k] + 2]++;
  for (int i = 0; i < columns; i++) R.row[i + 2] += R.row[i + 1];
  for (int i = 0; i < P->n; i++)
    for (int k = P->row[i]; k < P->row[i + 1]; k++) {
      const int to = R.row[P->col[k] + 1]++;
      R.col[to] = i;
      R.val[to] = P->val[k];
    }
  return R;
}

static void apply(const csr *A, const double *x, double *y) {
  for (int i = 0; i < A->n; i++) {
    double s = 0;
    for (int k = A->row[i]; k < A->row[i + 1]; k++) s += A->val[k] * x[A->col[k]];
    y[i] = s;
  }
}
static void subtract(const csr *A, const double *x, double *y) {
  for (int i = 0; i < A->n; i++) {
    double s = 0;
    for (int k = A->row[i]; k < A->row[i + 1]; k++) s += A->val[k] * x[A->col[k]];
    y[i] -= s;
  }
}
static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static void smooth(level *l, const double *r, int fresh) {
  const int n = l->A.n;
  for (int k = 1; k <= 2; k++) {
    if (k > 1) subtract(&l->A, l->d, l->r);
    const double a = k == 1 ? 0 : (2.0 * k - 3) / (2 * k + 1), b = (8.0 * k - 4) / ((2 * k + 1) * l->lambda);
    const double *from = k == 1 ? r : l->r;
    for (int i = 0; i < n; i++) {
      const double step = a * l->d[i] + b * l->dinv[i] * from[i];
      if (k == 1 && from != l->r) l->r[i] = from[i];
      l->d[i] = step;
      l->z[i] = fresh && k == 1 ? step : l->z[i] + step;
    }
  }
}
static void solve_bottom(const double *r, double *z) {
  const int n = bottom_n;
  for (int i = 0; i < n; i++) {
    double s = r[i];
    for (int j = 0; j < i; j++) s -= chol[i * n + j] * z[j];
    z[i] = s / chol[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    double s = z[i];
    for (int j = i + 1; j < n; j++) s -= chol[j * n + i] * z[j];
    z[i] = s / chol[i * n + i];
  }
}
static void cycle(const double *r) {
  for (int l = 0; l < levels - 1; l++) {
    smooth(&L[l], l == 0 ? r : L[l].r, 1);
    subtract(&L[l].A, L[l].d, L[l].r);
    apply(&L[l].R, L[l].r, L[l + 1].r);
  }
  solve_bottom(L[levels - 1].r, L[levels - 1].z);
  for (int l = levels - 2; l >= 0; l--) {
    apply(&L[l].P, L[l + 1].z, L[l].d);
    for (int i = 0; i < L[l].A.n; i++) L[l].z[i] += L[l].d[i];
    subtract(&L[l].A, L[l].d, L[l].r);
    smooth(&L[l], L[l].r, 0);
  }
}

static void set_up(int N) {
  int cells = N;
  for (levels = 0;; levels++) {
    level *l = &L[levels];
    l->A = levels == 0 ? laplace(N, 2) : laplace(cells, 1);
    const int n = l->A.n;
    l->dinv = vec(n), l->r = vec(n), l->z = vec(n), l->d = vec(n);
    for (int i = 0; i < n; i++)
      for (int k = l->A.row[i]; k < l->A.row[i + 1]; k++)
        if (l->A.col[k] == i) l->dinv[i] = 1 / l->A.val[k];
    if (levels > 0) {
      if (cells <= 8 || cells & 1) { levels++; break; }
      cells /= 2;
    }
    l->P = prolongation(cells - 1);
    l->R = transpose(&l->P, (cells - 1) * (cells - 1));
    for (int i = 0; i < n; i++) l->d[i] = (i * 2654435761u) & 0x10000 ? 1 : -1;
    double before = 1, after = 1;
    for (int k = 0; k < 10; k++) {
      apply(&l->A, l->d, l->r);
      before = after;
      for (int i = 0; i < n; i++) l->d[i] = l->dinv[i] * l->r[i];
      after = dot(l->d, l->d, n);
    }
    l->lambda = 1.1 * sqrt(after / before);
  }
  const csr *A = &L[levels - 1].A;
  const int n = bottom_n = A->n;
  chol = vec(n * n);
  for (int i = 0; i < n; i++)
    for (int k = A->row[i]; k < A->row[i + 1]; k++) chol[i * n + A->col[k]] = A->val[k];
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = chol[i * n + j];
      for (int k = 0; k < j; k++) s -= chol[i * n + k] * chol[j * n + k];
      chol[i * n + j] = i == j ? sqrt(s) : s / chol[j * n + j];
    }
}

int main(int argc, char **argv) {
  const int N = argc > 1 ? atoi(argv[1]) : 64;
  set_up(N);
  const int n = L[0].A.n, side = 2 * N - 1;
  double *x = vec(n), *r = vec(n), *p = vec(n), *w = vec(n);
  while (next_round()) {
    const double h = 1.0 / N;
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++) /* ∫N_i: 2h/3 at middles, h/3 at vertices */
        r[j * side + i] = (i & 1 ? h / 3 : 2 * h / 3) * (j & 1 ? h / 3 : 2 * h / 3);
    memset(x, 0, sizeof(double) * n);
    cycle(r);
    double rho = dot(r, L[0].z, n);
    memcpy(p, L[0].z, sizeof(double) * n);
    const double begin = sqrt(dot(r, r, n));
    int steps = 0;
    const double start = cpu_seconds();
    for (;;) {
      apply(&L[0].A, p, w);
      const double alpha = rho / dot(p, w, n);
      for (int i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * w[i];
      steps++;
      if (sqrt(dot(r, r, n)) <= 1e-12 * begin) break;
      cycle(r);
      const double next = dot(r, L[0].z, n), beta = next / rho;
      rho = next;
      for (int i = 0; i < n; i++) p[i] = L[0].z[i] + beta * p[i];
    }
    const double seconds = cpu_seconds() - start;
    printf("{\"rate\":%.17g,\"checksum\":%.17g,\"iterations\":%d,\"seconds\":%.17g}\n", n * (steps / seconds),
           x[n / 2], steps, seconds);
    fflush(stdout);
  }
}

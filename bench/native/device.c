// Peer of bench/kernels/device.ts: a p–n diode by Newton's method in (n, p, u), block elimination, in C: the same
// formulas on the same mesh, with libm's functions.
#include <math.h>
#include "rounds.h"

enum { MOST = 4097 };
static double x[MOST], u[MOST], n[MOST], p[MOST], C[MOST], h[MOST], B[MOST][12], up[MOST], yy[MOST];
static const double q = 1.602176634e-19, Vt = 1.380649e-23 * 300 / 1.602176634e-19, ni = 1e16;

static inline double bern(double d) {
  const double a = fabs(d), s = d * d;
  if (a > 0.05) return a / expm1(a);
  return 1 - 0.5 * a + s * (1.0 / 12 + s * (-1.0 / 720 + s / 30240));
}
static inline double slope(double d, double b, double c) {
  const double s = d * d;
  if (fabs(d) > 0.05) return b * (1 - c) / d;
  return -0.5 + d * (1.0 / 6 + s * (-1.0 / 180 + s / 5040));
}
static double grading(double ratio) {
  double low = 0, high = 700;
  if (!(ratio > 1)) return 0;
  for (int k = 0; k < 64; k++) {
    const double a = 0.5 * (low + high);
    if (sinh(a) < ratio * a) low = a; else high = a;
  }
  return 0.5 * (low + high);
}
static double equilibrium(int N, double l2) {
  double most = 0, next = 0;
  for (int i = 1; i < N; i++) {
    const double w = 0.5 * (h[i - 1] + h[i]), a = l2 / h[i - 1], c = l2 / h[i], e = exp(u[i]), f = 1 / e;
    const double r = c * (u[i + 1] - u[i]) - a * (u[i] - u[i - 1]) + w * (f - e) + C[i];
    const double d = -(a + c) - w * (e + f) - a * up[i - 1];
    up[i] = c / d;
    yy[i] = (-r - a * yy[i - 1]) / d;
  }
  for (int i = N - 1; i > 0; i--) {
    next = yy[i] - up[i] * next;
    if (fabs(next) > most) most = fabs(next);
    u[i] += next;
  }
  return most;
}
static double grown(double v, double s) { return s < 0 ? v / (1 - s) : v * (1 + s); }
static double newton(int N, double l2, double mn, double mp, double tn, double tp) {
  double hl = h[0], d = u[1] - u[0], s0 = bern(d), b = s0 + fmax(0, -d), c = s0 + fmax(0, d), s = slope(d, b, c);
  double n0 = mn * n[0] * c / hl, n1 = mn * n[1] * b / hl, p0 = mp * p[0] * b / hl, p1 = mp * p[1] * c / hl;
  double ns = mn * (n[1] * s - n[0] * (1 + s)) / hl, ps = mp * (p[1] * (1 + s) - p[0] * s) / hl, st = l2 / hl, fl = st * d;
  for (int i = 1; i < N; i++) {
    const double left = hl, a0 = n0, a1 = n1, b0 = p0, b1 = p1, as = ns, bs = ps, below = st, fb = fl;
    hl = h[i]; d = u[i + 1] - u[i]; s0 = bern(d); b = s0 + fmax(0, -d); c = s0 + fmax(0, d); s = slope(d, b, c);
    const double en = mn / hl, ep = mp / hl;
    n0 = en * n[i] * c; n1 = en * n[i + 1] * b; p0 = ep * p[i] * b; p1 = ep * p[i + 1] * c;
    ns = en * (n[i + 1] * s - n[i] * (1 + s)); ps = ep * (p[i + 1] * (1 + s) - p[i] * s);
    st = l2 / hl; fl = st * d;
    const double w = 0.5 * (left + hl), excess = n[i] * p[i] - 1, slow = 1 / (tp * (n[i] + 1) + tn * (p[i] + 1));
    const double R = w * excess * slow, Rn = n[i] * slow * (w * p[i] - R * tp), Rp = p[i] * slow * (w * n[i] - R * tn);
    const double *X = B[i - 1];
    double r0 = -(n1 - n0 - a1 + a0 - R) - a0 * X[9] - as * X[11];
    double r1 = -(p1 - p0 - b1 + b0 - R) - b0 * X[10] - bs * X[11];
    double r2 = -(fl - fb + w * (p[i] - n[i]) + C[i]) - below * X[11];
    const double d00 = -n0 - a1 - Rn - a0 * X[0] - as * X[6], d01 = -Rp - a0 * X[1] - as * X[7];
    const double d02 = -ns - as - a0 * X[2] - as * X[8], d10 = -Rn - b0 * X[3] - bs * X[6];
    double d11 = -p0 - b1 - Rp - b0 * X[4] - bs * X[7], d12 = -ps - bs - b0 * X[5] - bs * X[8];
    const double d20 = -w * n[i] - below * X[6];
    double d21 = w * p[i] - below * X[7], d22 = -st - below - below * X[8];
    const double i0 = 1 / d00, m1 = d10 * i0, m2 = d20 * i0;
    d11 -= m1 * d01; d12 -= m1 * d02; r1 -= m1 * r0;
    d21 -= m2 * d01; d22 -= m2 * d02; r2 -= m2 * r0;
    const double i1 = 1 / d11, m3 = d21 * i1;
    d22 -= m3 * d12; r2 -= m3 * r1;
    const double i2 = 1 / d22, a10 = -m1 * n1, a20 = -m2 * n1 - m3 * a10, a21 = -m3 * p1, a12 = ps - m1 * ns;
    const double a22 = st - m2 * ns - m3 * a12, x20 = a20 * i2, x21 = a21 * i2, x22 = a22 * i2, z2 = r2 * i2;
    const double x10 = (a10 - d12 * x20) * i1, x11 = (p1 - d12 * x21) * i1, x12 = (a12 - d12 * x22) * i1;
    const double z1 = (r1 - d12 * z2) * i1;
    double *Y = B[i];
    Y[0] = (n1 - d01 * x10 - d02 * x20) * i0; Y[1] = (-d01 * x11 - d02 * x21) * i0; Y[2] = (ns - d01 * x12 - d02 * x22) * i0;
    Y[3] = x10; Y[4] = x11; Y[5] = x12; Y[6] = x20; Y[7] = x21; Y[8] = x22;
    Y[9] = (r0 - d01 * z1 - d02 * z2) * i0; Y[10] = z1; Y[11] = z2;
  }
  double e = 0, f = 0, g = 0, most = 0;
  for (int i = N - 1; i > 0; i--) {
    const double *X = B[i], a1 = e, b1 = f, c1 = g;
    e = X[9] - X[0] * a1 - X[1] * b1 - X[2] * c1;
    f = X[10] - X[3] * a1 - X[4] * b1 - X[5] * c1;
    g = X[11] - X[6] * a1 - X[7] * b1 - X[8] * c1;
    const double size = fmax(fabs(g), fmax(fabs(e), fabs(f)));
    if (size > most) most = size;
    n[i] = grown(n[i], e); p[i] = grown(p[i], f); u[i] += g;
  }
  return most;
}

int main(int argc, char **argv) {
  const int N = argc > 1 ? atoi(argv[1]) : 1024, steps = argc > 2 ? atoi(argv[2]) : 12, m = N / 2;
  const double l2 = 8.8541878188e-12 * 11.7 * Vt / (q * ni), c = 1e6, L = 2e-6, V = 0.05 * steps;
  const double debye = sqrt(l2 / (2 * sqrt(0.25 * c * c + 1))), a = grading(L / (debye / 12 * m));
  for (int k = 0; k <= m; k++) {
    const double s = k / (double)m, to = a > 0 ? L * (sinh(a * s) / sinh(a)) : L * s;
    x[m - k] = -to; x[m + k] = to;
  }
  while (next_round()) {
    int iterations = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < N; i++) h[i] = x[i + 1] - x[i];
    for (int i = 1; i < N; i++) C[i] = 0.5 * (h[i - 1] * (i <= m ? -c : c) + h[i] * (i < m ? -c : c));
    for (int i = 0; i <= N; i++) u[i] = i == 0 ? asinh(-c / 2) : i == N ? asinh(c / 2) : asinh(C[i] / (h[i - 1] + h[i]));
    do iterations++; while (equilibrium(N, l2) > 1e-8);
    for (int i = 0; i <= N; i++) { n[i] = exp(u[i]); p[i] = exp(-u[i]); }
    for (int step = 1; step <= steps; step++) {
      u[0] = asinh(-c / 2) + V * (step / (double)steps) / Vt;
      do iterations++; while (newton(N, l2, 0.135 * Vt, 0.048 * Vt, 1e-6, 1e-6) > 1e-8);
    }
    const double d = u[m + 1] - u[m], least = bern(d), b = least + fmax(0, -d), cc = least + fmax(0, d);
    const double J = q * ni * Vt * (0.135 * (n[m + 1] * b - n[m] * cc) - 0.048 * (p[m + 1] * cc - p[m] * b)) / h[m];
    answer((double)iterations * N / (cpu_seconds() - start), J);
  }
  return 0;
}

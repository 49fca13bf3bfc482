// Peer of bench/kernels/device.ts: a p–n diode by Newton's method in (n, p, u), block elimination of conductances, in C: the
// same formulas on the same mesh, with libm's functions.
#include <math.h>
#include "rounds.h"

enum { MOST = 4097 };
static double x[MOST], u[MOST], n[MOST], p[MOST], C[MOST], h[MOST], B[MOST][14], up[MOST], yy[MOST], alpha[MOST], beta[MOST];
static const double q = 1.602176634e-19, Vt = 1.380649e-23 * 300 / 1.602176634e-19, ni = 1e16;

static inline double bern(double d) {
  const double a = fabs(d), s = d * d;
  if (a > 0.05) return a / expm1(a);
  return 1 - 0.5 * a + s * (1.0 / 12 + s * (-1.0 / 720 + s / 30240));
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
static double risen(double s) {
  return fabs(s) > 1e-3 ? exp(s) : 1 + s * (1 + s * (0.5 + s * (1.0 / 6 + s * (1.0 / 24 + s / 120))));
}
static double less(double s) {
  const double z = fabs(s);
  if (z < 1e-8) return 0;
  const double t = z / (2 + z), q = t * t;
  const double r = z > 0.1 ? z - log1p(z) : z - 2 * t * (1 + q * (1.0 / 3 + q * (0.2 + q * (1.0 / 7 + q * (1.0 / 9 + q / 11)))));
  return s < 0 ? -r : r;
}
static inline double by(double t, double from, double to) {
  const double z = fabs(t);
  if (z > 0.25) return to - from;
  if (z > 0.05) return from * expm1(t);
  return from * (t * (1 + t * (0.5 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720 + t * (1.0 / 5040 + t / 40320))))))));
}
static double n0, n1, p0, p1, F, G, kl;
static inline void cell(int i, double mn, double mp, double d) {
  const double s = bern(d), b = s + fmax(0, -d), c = s + fmax(0, d), over = 1 / h[i], en = mn * over, ep = mp * over, dd = d * d;
  n0 = en * n[i] * c; p0 = ep * p[i] * b;
  F = by(-alpha[i], n0, en * n[i + 1] * b); n1 = n0 + F;
  G = by(beta[i], p0, ep * p[i + 1] * c); p1 = p0 + G;
  kl = dd > 0.0025 ? (1 - c) / d : -0.5 - d * (1.0 / 12 - dd * (1.0 / 720 - dd / 30240));
}
static double newton(int N, double l2, double mn, double mp, double tn, double tp) {
  double hl = h[0], d = u[1] - u[0], st = l2 / hl, fl = st * d;
  cell(0, mn, mp, d);
  double Fl = F, Gl = G, q00 = -n1, q01 = 0, q02 = F * (1 + kl), q10 = 0, q11 = p1, q12 = G * kl, q20 = 0, q21 = 0, q22 = st;
  double t0 = 0, t1 = 0, t2 = 0;
  for (int i = 1; i < N; i++) {
    const double left = hl, fb = fl, e = n[i], f = p[i];
    hl = h[i]; d = u[i + 1] - u[i]; st = l2 / hl; fl = st * d;
    cell(i, mn, mp, d);
    const double w = 0.5 * (left + hl), wn = w * e, wp = w * f, slow = 1 / (tp * (e + 1) + tn * (f + 1)), R = w * (e * f - 1) * slow;
    const double Rn = e * slow * (wp - R * tp), Rp = f * slow * (wn - R * tn), Ru = R * slow * (tn * f - tp * e);
    const double z00 = q00 - Rn, z01 = q01 + Rp, z02 = q02 + Ru, z10 = q10 - Rn, z11 = q11 + Rp, z12 = q12 + Ru;
    const double z20 = q20 - wn, z21 = q21 - wp, z22 = q22 + wn + wp;
    const double r0 = t0 - (F - Fl - R), r1 = t1 - (G - Gl - R), r2 = t2 - (fl - fb + wp - wn + C[i]);
    Fl = F; Gl = G;
    const double l0 = F * kl, l1 = G * (1 + kl), a02 = F * (1 + kl), b12 = G * kl;
    const double d02 = z02 + l0, i0 = 1 / (z00 - n0), m1 = z10 * i0, m2 = z20 * i0;
    const double d11 = z11 + p0 - m1 * z01, d12 = z12 + l1 - m1 * d02, i1 = 1 / d11;
    const double m3 = (z21 - m2 * z01) * i1, i2 = 1 / (z22 + st - m2 * d02 - m3 * d12);
    const double a10 = m1 * n1, a20 = m2 * n1 - m3 * a10, a21 = -m3 * p1, a12 = b12 - m1 * a02, a22 = st - m2 * a02 - m3 * a12;
    const double s1 = r1 - m1 * r0, s2 = r2 - m2 * r0 - m3 * s1;
    const double y20 = a20 * i2, y21 = a21 * i2, y22 = a22 * i2, y2 = s2 * i2;
    const double y10 = (a10 - d12 * y20) * i1, y11 = (p1 - d12 * y21) * i1, y12 = (a12 - d12 * y22) * i1, y1 = (s1 - d12 * y2) * i1;
    const double y00 = (-n1 - z01 * y10 - d02 * y20) * i0, y01 = (-z01 * y11 - d02 * y21) * i0;
    const double y02 = (a02 - z01 * y12 - d02 * y22) * i0, y0 = (r0 - z01 * y1 - d02 * y2) * i0;
    double *Y = B[i];
    Y[0] = y00; Y[1] = y01; Y[2] = y02; Y[3] = y10; Y[4] = y11; Y[5] = y12; Y[6] = y20; Y[7] = y21; Y[8] = y22;
    Y[9] = y0; Y[10] = y1; Y[11] = y2;
    Y[12] = (-F - z00 - z01 * y10 - d02 * y20) * i0; Y[13] = (G - z11 + m1 * z01 - d12 * y21) * i1;
    q00 = z00 * y00 + z01 * y10 + z02 * y20; q01 = z00 * y01 + z01 * y11 + z02 * y21; q02 = z00 * y02 + z01 * y12 + z02 * y22;
    q10 = z10 * y00 + z11 * y10 + z12 * y20; q11 = z10 * y01 + z11 * y11 + z12 * y21; q12 = z10 * y02 + z11 * y12 + z12 * y22;
    q20 = z20 * y00 + z21 * y10 + z22 * y20; q21 = z20 * y01 + z21 * y11 + z22 * y21; q22 = z20 * y02 + z21 * y12 + z22 * y22;
    t0 = l0 * y2 - n0 * y0; t1 = p0 * y1 + l1 * y2; t2 = st * y2;
  }
  double a = 0, b = 0, c = 0, most = 0, nextN = 0, nextP = 0;
  for (int i = N - 1; i > 0; i--) {
    const double *Y = B[i], restN = Y[1] * b + Y[2] * c - Y[9], restP = Y[3] * a + Y[5] * c - Y[10];
    const double stepN = Y[12] * a + restN, stepP = Y[13] * b + restP;
    c = Y[6] * a + Y[7] * b + Y[8] * c - Y[11]; a = Y[0] * a + restN; b = Y[4] * b + restP;
    const double sn = c - a, sp = b - c, size = fmax(fabs(c), fmax(fabs(sn), fabs(sp)));
    if (size > most) most = size;
    const double step = fmax(-8, fmin(8, c)), off = step - c;
    const int many = n[i] > 1 && fabs(sn) <= 8, full = p[i] > 1 && fabs(sp) <= 8;
    const double mN = many ? 0 : off + less(sn), mP = full ? 0 : off - less(sp);
    n[i] = many ? n[i] * risen(sn + off) : grown(n[i], sn); p[i] = full ? p[i] * risen(sp - off) : grown(p[i], sp); u[i] += step;
    alpha[i] += nextN - mN - stepN; beta[i] += nextP - mP - stepP;
    nextN = mN; nextP = mP;
  }
  alpha[0] += a + nextN; beta[0] += b + nextP;
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
    for (int i = 0; i <= N; i++) { n[i] = exp(u[i]); p[i] = exp(-u[i]); alpha[i] = beta[i] = 0; }
    for (int step = 1; step <= steps; step++) {
      const double to = asinh(-c / 2) + V * (step / (double)steps) / Vt, by = to - u[0];
      u[0] = to; alpha[0] -= by; beta[0] -= by;
      for (double update = 1, before = 1; update > 1e-8 || (step == steps && before > 1e-8); iterations++) {
        before = update;
        update = newton(N, l2, 0.135 * Vt, 0.048 * Vt, 1e-6, 1e-6);
      }
    }
    cell(m, 0.135 * Vt, 0.048 * Vt, u[m + 1] - u[m]);
    const double J = q * ni * (F - G);
    answer((double)iterations * N / (cpu_seconds() - start), J);
  }
  return 0;
}

/* Peer of bench/kernels/flow.ts: vortices of Taylor and Green on a ring in both directions, n x n cells, n a power of
   two: the same three stages, each with the same direct solution for the pressure, in the same order of operations.
   Cell updates per second; the answer is u on a face. */
#include <math.h>
#include <string.h>
#include "rounds.h"

static int n, pitch;
static double *u, *v, *qu, *qv, *one, *two, *inverse, *border, *wave;
static double dt, nu, h;

#define AT(f, j) ((f) + (size_t)((j) + 1) * pitch + 2)

static double *field(void) { return calloc((size_t)pitch * (n + 3), sizeof(double)); }

static void ghosts(void) {
  for (int j = 0; j < n; j++) {
    double *a = AT(u, j);
    a[-1] = a[n - 1]; a[n] = a[0]; a[n + 1] = a[1];
  }
  memcpy(AT(v, n), AT(v, 0), sizeof(double) * n);
  for (int j = 0; j <= n; j++) {
    double *b = AT(v, j);
    b[-1] = b[n - 1]; b[n] = b[0];
  }
  memcpy(AT(u, -1) - 2, AT(u, n - 1) - 2, sizeof(double) * pitch);
  memcpy(AT(u, n) - 2, AT(u, 0) - 2, sizeof(double) * pitch);
  memcpy(AT(v, -1) - 2, AT(v, n - 1) - 2, sizeof(double) * pitch);
  memcpy(AT(v, n + 1) - 2, AT(v, 1) - 2, sizeof(double) * pitch);
}

static void tendencies(double a) {
  double x = 0.25 * dt / h, s = nu * dt / (h * h), t = -2.0 * (s + s);
  for (int j = 0; j < n; j++) {
    double *restrict q = AT(qu, j);
    const double *c = AT(u, j), *d = c - pitch, *p = c + pitch, *w = AT(v, j), *o = w + pitch;
    for (int i = 0; i <= n; i++) {
      double east = c[i] + c[i + 1], west = c[i - 1] + c[i];
      double north = (c[i] + p[i]) * (o[i - 1] + o[i]), south = (d[i] + c[i]) * (w[i - 1] + w[i]);
      double carried = x * ((east * east - west * west) + (north - south));
      q[i] = a * q[i] + (s * ((c[i - 1] + c[i + 1]) + (d[i] + p[i])) + t * c[i] - carried);
    }
  }
  for (int j = 0; j <= n; j++) {
    double *restrict q = AT(qv, j);
    const double *c = AT(v, j), *d = c - pitch, *p = c + pitch, *w = AT(u, j), *o = w - pitch;
    for (int i = 0; i < n; i++) {
      double north = c[i] + p[i], south = d[i] + c[i];
      double east = (c[i] + c[i + 1]) * (o[i + 1] + w[i + 1]), west = (c[i - 1] + c[i]) * (o[i] + w[i]);
      double carried = x * ((east - west) + (north * north - south * south));
      q[i] = a * q[i] + (s * ((c[i - 1] + c[i + 1]) + (d[i] + p[i])) + t * c[i] - carried);
    }
  }
}

/* Stockham, radix 4 and a last 2, over rows of n/2 complex numbers; gives the table where the answer stands. */
static double *transform(double *from, double *to, double sign) {
  for (int left = n, s = 1; left > 1;) {
    int p = left % 4 == 0 ? 4 : 2, m = left / p;
    size_t far = (size_t)s * m * n, reach = (size_t)s * n;
    for (int r = 0; r < m; r++) {
      double c1 = wave[2 * (r * s)], s1 = sign * wave[2 * (r * s) + 1];
      double c2 = wave[2 * (2 * r * s % n)], s2 = sign * wave[2 * (2 * r * s % n) + 1];
      double c3 = wave[2 * (3 * r * s % n)], s3 = sign * wave[2 * (3 * r * s % n) + 1];
      for (int q = 0; q < s; q++) {
        const double *a = from + (size_t)(q + s * r) * n;
        double *restrict y = to + (size_t)(q + s * p * r) * n;
        for (int i = 0; p == 4 && r == 0 && i < n; i += 2) {
          const double *b = a + far, *c = b + far, *d = c + far;
          double tr = a[i] + c[i], ti = a[i + 1] + c[i + 1], dr = a[i] - c[i], di = a[i + 1] - c[i + 1];
          double er = b[i] + d[i], ei = b[i + 1] + d[i + 1], xr = sign * (b[i + 1] - d[i + 1]), xi = -sign * (b[i] - d[i]);
          y[i] = tr + er; y[i + 1] = ti + ei;
          y[reach + i] = dr + xr; y[reach + i + 1] = di + xi;
          y[2 * reach + i] = tr - er; y[2 * reach + i + 1] = ti - ei;
          y[3 * reach + i] = dr - xr; y[3 * reach + i + 1] = di - xi;
        }
        for (int i = 0; p == 4 && r > 0 && i < n; i += 2) {
          const double *b = a + far, *c = b + far, *d = c + far;
          double tr = a[i] + c[i], ti = a[i + 1] + c[i + 1], dr = a[i] - c[i], di = a[i + 1] - c[i + 1];
          double er = b[i] + d[i], ei = b[i + 1] + d[i + 1], xr = sign * (b[i + 1] - d[i + 1]), xi = -sign * (b[i] - d[i]);
          double fr = dr + xr, fi = di + xi, gr = tr - er, gi = ti - ei, kr = dr - xr, ki = di - xi;
          y[i] = tr + er; y[i + 1] = ti + ei;
          y[reach + i] = fr * c1 - fi * s1; y[reach + i + 1] = fi * c1 + fr * s1;
          y[2 * reach + i] = gr * c2 - gi * s2; y[2 * reach + i + 1] = gi * c2 + gr * s2;
          y[3 * reach + i] = kr * c3 - ki * s3; y[3 * reach + i + 1] = ki * c3 + kr * s3;
        }
        for (int i = 0; p == 2 && i < n; i += 2) {
          const double *b = a + far;
          double dr = a[i] - b[i], di = a[i + 1] - b[i + 1];
          y[i] = a[i] + b[i]; y[i + 1] = a[i + 1] + b[i + 1];
          y[reach + i] = dr * c1 - di * s1; y[reach + i + 1] = di * c1 + dr * s1;
        }
      }
    }
    double *other = from;
    from = to; to = other;
    left = m; s *= p;
  }
  return from;
}

static void modes(double *a, double *b) {
  double scale = 0.5 * h * h / n;
  for (int i = 0; i < n; i += 2) {
    double rr = scale * (a[i] + b[i]), ri = scale * (a[i + 1] + b[i + 1]);
    double mr = scale * (a[i + 1] - b[i + 1]), mi = -scale * (a[i] - b[i]);
    if (a != b) { b[i] = -mr; b[i + 1] = -mi; }
    a[i] = rr; a[i + 1] = ri;
  }
}

static void back(double *a, double *b) {
  if (a == b) return;
  for (int i = 0; i < n; i += 2) {
    double mr = -b[i], mi = -b[i + 1], x = a[i], y = a[i + 1];
    a[i] = x - mi; a[i + 1] = y + mr;
    b[i] = x + mi; b[i + 1] = y - mr;
  }
}

static void lines(double *x, const double *w) {
  double d[4] = {0, 0, 0, 0};
  for (int i = 0; i < n - 1; i++)
    for (int k = 0; k < 4; k++) x[k * n + i] = d[k] = (x[k * n + i] - d[k]) * w[k * n + i];
  for (int i = n - 3; i >= 0; i--)
    for (int k = 0; k < 4; k++) x[k * n + i] = d[k] = x[k * n + i] - w[k * n + i] * d[k];
}

static void project(void) {
  double y = 1.0 / h;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      one[(size_t)j * n + i] = y * (AT(u, j)[i + 1] - AT(u, j)[i]) + y * (AT(v, j + 1)[i] - AT(v, j)[i]);
  double *f = transform(one, two, 1.0), *g = f == one ? two : one;
  for (int k = 0; 2 * k <= n; k++) modes(f + (size_t)k * n, f + (size_t)(k ? n - k : 0) * n);
  for (int k = 0; k < n; k += 4) lines(f + (size_t)k * n, inverse + (size_t)k * n);
  for (int k = 0; k < n; k++) {
    double *x = f + (size_t)k * n, *z = border + (size_t)k * n, q = (x[0] + x[n - 2] - x[n - 1]) * inverse[(size_t)k * n + n - 1];
    for (int i = 0; i < n - 1; i++) x[i] -= q * z[i];
    x[n - 1] = q;
  }
  for (int k = 0; 2 * k <= n; k++) back(f + (size_t)k * n, f + (size_t)(k ? n - k : 0) * n);
  f = transform(f, g, -1.0);
  for (int j = 0; j < n; j++) {
    double *a = AT(u, j), *b = AT(v, j), *p = f + (size_t)j * n, *below = f + (size_t)(j ? j - 1 : n - 1) * n;
    for (int i = 1; i < n; i++) a[i] -= y * (p[i] - p[i - 1]);
    a[0] -= y * (p[0] - p[n - 1]);
    a[n] = a[0];
    for (int i = 0; i < n; i++) b[i] -= y * (p[i] - below[i]);
  }
}

static void stage(double a, double b) {
  tendencies(a);
  for (int j = 0; j < n; j++) for (int i = 0; i <= n; i++) AT(u, j)[i] += b * AT(qu, j)[i];
  for (int j = 0; j <= n; j++) for (int i = 0; i < n; i++) AT(v, j)[i] += b * AT(qv, j)[i];
  project();
  ghosts();
}

static void tables(void) {
  double pi = acos(-1.0);
  for (int k = 0; k < n; k++) { wave[2 * k] = cos(2 * pi * k / n); wave[2 * k + 1] = -sin(2 * pi * k / n); }
  for (int k = 0; k < n; k++) {
    double s = sin(pi * k / n), d = -2.0 - 4.0 * s * s, c = 0.0, *w = inverse + (size_t)k * n, *z = border + (size_t)k * n;
    for (int i = 0; i < n - 1; i++) w[i] = c = 1.0 / (d - c);
    for (int i = 0; i < n - 1; i++) z[i] = (i == 0) + (i == n - 2);
    c = 0.0;
    for (int i = 0; i < n - 1; i++) z[i] = c = (z[i] - c) * w[i];
    for (int i = n - 3; i >= 0; i--) z[i] = c = z[i] - w[i] * c;
    w[n - 1] = k == 0 ? 0.0 : 1.0 / (z[0] + z[n - 2] - d);
  }
}

int main(int argc, char **argv) {
  n = atoi(argv[1]);
  long steps = atol(argv[2]);
  double pi = acos(-1.0);
  pitch = n + 8; h = 1.0 / n; nu = atof(argv[3]); dt = atof(argv[4]);
  u = field(); v = field(); qu = field(); qv = field();
  one = field(); two = field(); inverse = field(); border = field(); wave = malloc(sizeof(double) * 2 * n);
  tables();
  while (next_round()) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i <= n; i++) {
        AT(u, j)[i] = cos(2 * pi * i / n) * sin(2 * pi * (j + 0.5) / n);
        if (i < n) AT(v, j)[i] = -sin(2 * pi * (i + 0.5) / n) * cos(2 * pi * j / n);
      }
    ghosts();
    project();
    ghosts();
    double start = cpu_seconds();
    for (long s = 0; s < steps; s++) {
      memset(qu, 0, sizeof(double) * pitch * (n + 3));
      memset(qv, 0, sizeof(double) * pitch * (n + 3));
      stage(0.0, 1.0 / 3.0);
      stage(-5.0 / 9.0, 15.0 / 16.0);
      stage(-153.0 / 128.0, 8.0 / 15.0);
    }
    answer((double)n * n * steps / (cpu_seconds() - start) / 1e6, AT(u, n / 8)[n / 8]);
  }
  return 0;
}

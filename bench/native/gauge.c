/* Peers of bench/kernels/gauge.ts: U(1) link updates per second on the periodic L × L lattice, by the kernel's own
   chain: heat bath by Best & Fisher with the draws of Philox4x32-10, measurement, one flux proposal a sweep, and
   histogram and charge at every 16th. The checksum is the mean plaquette.
     libm   cos and sin of libm for the proposed angle
     same   the kernel's Taylor series in their place */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "rounds.h"

#define PI 3.141592653589793
#define STREAM (2u << 24)

typedef struct { double re, im; } link;
static int L, V, by_series;
static double beta, cosines, sines;
static link *links;
static double *first[2], *second[2];
static long histogram[64];

/* ---- draws: the same addresses as assembly/gauge/lattice.ts, key (1, 0) ---- */

static inline void philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t w[4]) {
  uint32_t k0 = 1, k1 = 0;
  for (int round = 0; round < 10; round++) {
    uint64_t p = 0xd2511f53ull * c0, q = 0xcd9e8d57ull * c2;
    c0 = (uint32_t)(q >> 32) ^ c1 ^ k0;
    c2 = (uint32_t)(p >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)q;
    c3 = (uint32_t)p;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  w[0] = c0; w[1] = c1; w[2] = c2; w[3] = c3;
}

static inline double uniform(uint32_t high, uint32_t low) {
  uint64_t m = 0x3ff0000000000000ull | (uint64_t)(high >> 6) << 26 | low >> 6;
  double x;
  memcpy(&x, &m, 8);
  return x - 0.9999999999999999;
}

static void draw_all(uint32_t attempt, uint32_t sweep, uint32_t item, double *a, double *b) {
  for (int i = 0; i < V; i++) {
    uint32_t w[4];
    philox(attempt, sweep, item + i, STREAM, w);
    a[i] = uniform(w[0], w[1]);
    b[i] = uniform(w[2], w[3]);
  }
}

/* ---- heat bath ---- */

static inline link times(link a, link b) { return (link){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static inline link adjoint(link a) { return (link){a.re, -a.im}; }
static inline int next(int i) { return i + 1 == L ? 0 : i + 1; }
static inline int previous(int i) { return i == 0 ? L - 1 : i - 1; }
static inline link *at(int direction, int y, int x) { return links + direction * V + y * L + x; }

/* cos πv and sin πv, |v| <= 1. */
static inline link turn_halves(double v) {
  if (!by_series) return (link){cos(PI * v), sin(PI * v)};
  double quarter = nearbyint(2.0 * v), x = PI * (v - 0.5 * quarter), y = x * x;
  double s = x * (1.0 + y * (-1.0 / 6.0 + y * (1.0 / 120.0 + y * (-1.0 / 5040.0 + y * (1.0 / 362880.0
    + y * (-1.0 / 39916800.0 + y * (1.0 / 6227020800.0 - y * (1.0 / 1307674368000.0))))))));
  double c = 1.0 + y * (-0.5 + y * (1.0 / 24.0 + y * (-1.0 / 720.0 + y * (1.0 / 40320.0 + y * (-1.0 / 3628800.0
    + y * (1.0 / 479001600.0 + y * (-1.0 / 87178291200.0 + y * (1.0 / 20922789888000.0))))))));
  int turns = (int)quarter;
  double a = turns & 1 ? s : c, b = turns & 1 ? c : s;
  return (link){(turns + 1) & 2 ? -a : a, turns & 2 ? -b : b};
}

static inline int accepted(double c, double limit) {
  return c * (2.0 - c) > limit || log(c / limit) + 1.0 - c >= 0.0;
}

static void heat(link *here, link k, uint32_t item, uint32_t sweep, int i) {
  double size = sqrt(k.re * k.re + k.im * k.im), twice = 2.0 * beta * size, tau = 1.0 + sqrt(1.0 + twice * twice);
  double turn = size > 0.0 ? 1.0 / size : 0.0, wr = size > 0.0 ? k.re * turn : 1.0, wi = k.im * turn;
  double u = first[0][i], limit = second[0][i];
  link point;
  double d;
  for (uint32_t attempt = 0;;) {
    point = turn_halves(2.0 * u - 1.0);
    d = 1.0 / (tau + twice * point.re);
    if (accepted(tau * d, limit)) break;
    if (++attempt == 1) { u = first[1][i]; limit = second[1][i]; continue; }
    uint32_t w[4];
    philox(attempt, sweep, item, STREAM, w);
    u = uniform(w[0], w[1]);
    limit = uniform(w[2], w[3]);
  }
  double c = (twice + tau * point.re) * d, s = sqrt(2.0 * tau) * point.im * d;
  *here = (link){c * wr + s * wi, s * wr - c * wi};
}

static link staples(int direction, int y, int x) {
  int right = next(x), up = next(y), down = previous(y), left = previous(x);
  link k, l;
  if (direction == 0) {
    k = times(times(*at(1, y, right), adjoint(*at(0, up, x))), adjoint(*at(1, y, x)));
    l = times(times(adjoint(*at(1, down, right)), adjoint(*at(0, down, x))), *at(1, down, x));
  } else {
    k = times(times(*at(0, y, left), adjoint(*at(0, up, left))), adjoint(*at(1, y, left)));
    l = times(times(adjoint(*at(0, y, x)), adjoint(*at(1, y, right))), *at(0, up, x));
  }
  return (link){k.re + l.re, k.im + l.im};
}

static void sweep_links(uint32_t sweep) {
  for (int direction = 0; direction < 2; direction++) {
    for (int attempt = 0; attempt < 2; attempt++)
      draw_all(attempt, sweep, direction * V, first[attempt], second[attempt]);
    for (int y = 0; y < L; y++)
      for (int x = 0; x < L; x++)
        heat(at(direction, y, x), staples(direction, y, x), direction * V + y * L + x, sweep, y * L + x);
  }
}

/* ---- measurement and flux ---- */

static inline link plaquette(int y, int x) {
  return times(*at(0, y, x), times(times(*at(1, y, next(x)), adjoint(*at(0, next(y), x))), adjoint(*at(1, y, x))));
}

static void measure(void) {
  cosines = sines = 0.0;
  for (int y = 0; y < L; y++) {
    double c = 0.0, s = 0.0;
    for (int x = 0; x < L; x++) {
      link p = plaquette(y, x);
      c += p.re;
      s += p.im;
    }
    cosines += c;
    sines += s;
  }
}

static void turn_link(link *here, double c, double s) {
  link z = times(*here, (link){c, s});
  double scale = 1.0 / sqrt(z.re * z.re + z.im * z.im);
  *here = (link){z.re * scale, z.im * scale};
}

static void propose_flux(uint32_t sweep) {
  uint32_t w[4];
  philox(0, sweep, 2 * V, STREAM, w);
  double phi = uniform(w[0], w[1]) < 0.5 ? -2.0 * PI / V : 2.0 * PI / V, c = cos(phi), s = sin(phi);
  double turned = cosines * c - sines * s, gain = beta * (turned - cosines);
  if (gain < 0.0 && uniform(w[2], w[3]) >= exp(gain)) return;
  sines = sines * c + cosines * s;
  cosines = turned;
  for (int y = 1; y < L; y++)
    for (int x = 0; x < L; x++) turn_link(at(0, y, x), cos(phi * y), -sin(phi * y));
  for (int x = 1; x < L; x++) turn_link(at(1, L - 1, x), cos(phi * L * x), sin(phi * L * x));
}

/* Histogram and topological charge. */
static double take_seldom(void) {
  double charge = 0.0;
  for (int y = 0; y < L; y++)
    for (int x = 0; x < L; x++) {
      link p = plaquette(y, x);
      int bin = (int)floor(32.0 * (1.0 + p.re));
      histogram[bin < 0 ? 0 : bin > 63 ? 63 : bin]++;
      charge += atan2(p.im, p.re);
    }
  return nearbyint(charge / (2.0 * PI));
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  by_series = !strcmp(argv[1], "same");
  beta = atof(argv[2]);
  L = atoi(argv[3]);
  V = L * L;
  int sweeps = atoi(argv[4]);
  links = malloc(sizeof(link) * 2 * V);
  for (int i = 0; i < 2; i++) { first[i] = malloc(sizeof(double) * V); second[i] = malloc(sizeof(double) * V); }
  while (next_round()) {
    for (int i = 0; i < 2 * V; i++) {
      uint32_t w[4];
      philox(0, 0xffffffffu, i, STREAM, w);
      double angle = 2.0 * PI * uniform(w[0], w[1]);
      links[i] = (link){cos(angle), sin(angle)};
    }
    double start = cpu_seconds(), sum = 0.0, charges = 0.0;
    for (int sweep = 0; sweep < sweeps; sweep++) {
      sweep_links(sweep);
      measure();
      if (beta >= 1.0) propose_flux(sweep);
      sum += cosines / V;
      if (sweep % 16 == 0) charges += take_seldom();
    }
    double seconds = cpu_seconds() - start;
    if (charges != charges) return 1;
    answer(2.0 * V * sweeps / seconds, sum / sweeps);
  }
  return 0;
}

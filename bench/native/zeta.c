/* Peers of bench/kernels/zeta.ts: terms of 2 Σ n^(-1/2) cos(θ − t ln n) per second, at heights t + i (same: t + i/42).
     libm       what anybody would write first: cos, log and sqrt of libm for each term
     same       the kernel's algorithm in vectors of two doubles: phases in turns from those at an anchor, one odd polynomial
     rotations  the kernel's grid: four terms rotated along 256 samples, two chains each */
#include <math.h>
#include <string.h>
#include "rounds.h"

typedef double v2 __attribute__((vector_size(16)));

#define SAMPLES 256
static double *heads, *rests, *weights, *turns_, *anchored, anchor = -1;
static const double sine[7] = {3.6658551595639612, -15.081483206893, 42.058134871372054, -76.70584754377326,
  81.60524914901583, -41.341702239903675, 6.28318530717927};

static double head(double a) { double c = 134217729.0 * a; return c - (c - a); }

static void tables(int terms) {
  size_t bytes = sizeof(double) * (size_t)((terms + 7) & ~3);
  heads = aligned_alloc(16, bytes + 16 - bytes % 16);
  rests = aligned_alloc(16, bytes + 16 - bytes % 16);
  weights = aligned_alloc(16, bytes + 16 - bytes % 16);
  turns_ = aligned_alloc(16, bytes + 16 - bytes % 16);
  anchored = aligned_alloc(16, bytes + 16 - bytes % 16);
  for (int n = 1; n <= ((terms + 3) & ~3); n++) {
    long double turns = logl((long double)n) / 6.283185307179586476925286766559L;
    heads[n - 1] = head((double)turns);
    rests[n - 1] = (double)(turns - (long double)heads[n - 1]);
    weights[n - 1] = 1.0 / sqrt((double)n);
    turns_[n - 1] = (double)turns;
  }
}

static double by_libm(double t, double theta, int terms) {
  double sum = 0;
  for (int n = 1; n <= terms; n++) sum += cos(theta - t * log((double)n)) / sqrt((double)n);
  return sum;
}

static inline v2 both(double x) { return (v2){x, x}; }
/* The nearest integer by the constant 1.5·2^52, as SSE2 has no rounding; |x| < 2^51. */
static inline v2 nearest(v2 x) {
  const v2 magic = both(6755399441055744.0);
  v2 shifted = x + magic;
  return shifted - magic;
}
static inline v2 size(v2 x) {
  typedef long long l2 __attribute__((vector_size(16)));
  return (v2)((l2)x & (l2){0x7fffffffffffffffLL, 0x7fffffffffffffffLL});
}
static inline v2 cosine(v2 x) {
  v2 y = both(0.25) - size(x), s = y * y, p = both(sine[0]);
  for (int i = 1; i < 7; i++) p = p * s + both(sine[i]);
  return p * y;
}

static void anchor_at(double a, int terms) {
  double a1 = head(a), d = a - a1;
  for (int i = 0; i < terms; i += 2) {
    v2 h = *(v2 *)(heads + i), r = *(v2 *)(rests + i), whole = both(a1) * h;
    whole = whole - nearest(whole);
    v2 x = (whole + both(d) * h) + both(a) * r;
    *(v2 *)(anchored + i) = x - nearest(x);
  }
  anchor = a;
}

static inline v2 term(int i, v2 tau, v2 turns) {
  v2 x = (*(v2 *)(anchored + i) + tau * *(v2 *)(turns_ + i)) - turns;
  return cosine(x - nearest(x)) * *(v2 *)(weights + i);
}

static double by_same(double t, double turns, int terms) {
  double a = 4 * rint(t / 4);
  if (a != anchor) anchor_at(a, terms);
  v2 even = both(0), odd = both(0), tau = both(t - a), shift = both(turns);
  int i = 0;
  for (; i + 8 <= terms; i += 8) {
    even = even + term(i, tau, shift);
    odd = odd + term(i + 2, tau, shift);
    even = even + term(i + 4, tau, shift);
    odd = odd + term(i + 6, tau, shift);
  }
  for (; i < terms; i += 2) even = even + term(i, tau, shift) * (v2){1, i + 1 < terms};
  v2 sum = even + odd;
  return sum[0] + sum[1];
}

static v2 grid[2 * SAMPLES];

static double by_rotations(double t, int terms) {
  memset(grid, 0, sizeof grid);
  for (int n = 0; n + 4 <= terms; n += 4) {
    v2 z[8], c[2], s[2];
    for (int lane = 0; lane < 2; lane++)
      for (int k = 0; k < 2; k++) {
        double w = weights[n + 2 * k + lane], angle = t * heads[n + 2 * k + lane], step = 1e-3 * (n + k);
        z[4 * k][lane] = w * cos(angle); z[4 * k + 1][lane] = w * sin(angle);
        z[4 * k + 2][lane] = w * cos(angle + step); z[4 * k + 3][lane] = w * sin(angle + step);
        c[k][lane] = cos(2 * step); s[k][lane] = sin(2 * step);
      }
    v2 ar = z[0], ai = z[1], br = z[2], bi = z[3], cr = z[4], ci = z[5], dr = z[6], di = z[7], next;
    v2 pc = c[0], ps = s[0], qc = c[1], qs = s[1];
    for (v2 *g = grid; g < grid + 2 * SAMPLES; g += 4) {
      g[0] += ar + cr; g[1] += ai + ci; g[2] += br + dr; g[3] += bi + di;
      next = ar * pc - ai * ps; ai = ar * ps + ai * pc; ar = next;
      next = br * pc - bi * ps; bi = br * ps + bi * pc; br = next;
      next = cr * qc - ci * qs; ci = cr * qs + ci * qc; cr = next;
      next = dr * qc - di * qs; di = dr * qs + di * qc; dr = next;
    }
  }
  double sum = 0;
  for (int i = 0; i < 2 * SAMPLES; i++) sum += grid[i][0] + grid[i][1];
  return sum;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const char *way = argv[1];
  double t = atof(argv[2]);
  int calls = atoi(argv[3]), terms = (int)floor(sqrt(t / 6.283185307179586));
  tables(terms);
  while (next_round()) {
    double start = cpu_seconds(), sum = 0, done = (double)terms * calls;
    for (int i = 0; i < calls; i++) {
      if (!strcmp(way, "libm")) sum += by_libm(t + i, 0.5 * i, terms);
      else if (!strcmp(way, "same")) sum += by_same(t + i / 42.0, 0.1 * i, terms);
      else sum += by_rotations(t + i, terms);
    }
    if (!strcmp(way, "rotations")) done *= SAMPLES;
    answer(done / (cpu_seconds() - start), sum);
  }
  return 0;
}

/* Peers of bench/kernels/multibody.ts: N-body forces with their potential, evaluations per second of N bodies.
     blocks  the algorithm of assembly/nbody/direct.ts: third law over pairs of 64-body blocks, plain loops
     plain   what anybody would write first: a loop over all ordered pairs
     sse     that loop in vectors of two doubles */
#include <emmintrin.h>
#include <math.h>
#include <string.h>
#include "rounds.h"

#define BLOCK 64
#define SHARES 16

static int n;
static double *x, *y, *z, *m, *ax, *ay, *az, *sx, *sy, *sz;
static double potential;
static const double eps2 = 1e-4;

/* Weyl sequence: the same bodies wherever it runs. */
static double unit(int i) {
  double f = (i + 1) * 0.6180339887498949;
  return f - floor(f) - 0.5;
}

static void *array(int bytes) {
  void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(p, 0, bytes);
  return p;
}

static void plain(void) {
  double u = 0;
  for (int i = 0; i < n; i++) {
    double fx = 0, fy = 0, fz = 0, phi = 0;
    for (int j = 0; j < n; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + eps2);
      double onI = m[j] * inverse * inverse * inverse;
      phi += m[j] * inverse;
      fx += onI * dx; fy += onI * dy; fz += onI * dz;
    }
    ax[i] = fx; ay[i] = fy; az[i] = fz;
    u += m[i] * phi;
  }
  potential = -0.5 * u;
}

static void sse(void) {
  const __m128d one = _mm_set1_pd(1), e2 = _mm_set1_pd(eps2);
  double u = 0;
  for (int i = 0; i < n; i += 2) {
    const __m128d xi = _mm_load_pd(x + i), yi = _mm_load_pd(y + i), zi = _mm_load_pd(z + i);
    __m128d fx = _mm_setzero_pd(), fy = fx, fz = fx, phi = fx;
    for (int j = 0; j < n; j++) {
      __m128d dx = _mm_sub_pd(_mm_set1_pd(x[j]), xi), dy = _mm_sub_pd(_mm_set1_pd(y[j]), yi);
      __m128d dz = _mm_sub_pd(_mm_set1_pd(z[j]), zi);
      __m128d r2 = _mm_add_pd(_mm_add_pd(_mm_add_pd(_mm_mul_pd(dx, dx), _mm_mul_pd(dy, dy)), _mm_mul_pd(dz, dz)), e2);
      __m128d inverse = _mm_div_pd(one, _mm_sqrt_pd(r2)), mj = _mm_set1_pd(m[j]);
      __m128d onI = _mm_mul_pd(mj, _mm_mul_pd(_mm_mul_pd(inverse, inverse), inverse));
      phi = _mm_add_pd(phi, _mm_mul_pd(mj, inverse));
      fx = _mm_add_pd(fx, _mm_mul_pd(onI, dx));
      fy = _mm_add_pd(fy, _mm_mul_pd(onI, dy));
      fz = _mm_add_pd(fz, _mm_mul_pd(onI, dz));
    }
    _mm_store_pd(ax + i, fx); _mm_store_pd(ay + i, fy); _mm_store_pd(az + i, fz);
    u += m[i] * phi[0] + m[i + 1] * phi[1];
  }
  potential = -0.5 * u;
}

static double blockPair(int I, int J) {
  double rx[BLOCK] = {0}, ry[BLOCK] = {0}, rz[BLOCK] = {0}, u = 0;
  int iEnd = I * BLOCK + BLOCK < n ? I * BLOCK + BLOCK : n, j0 = J * BLOCK, jEnd = j0 + BLOCK < n ? j0 + BLOCK : n;
  for (int i = I * BLOCK; i < iEnd; i++) {
    const double xi = x[i], yi = y[i], zi = z[i], mi = m[i];
    double fx = 0, fy = 0, fz = 0, phi = 0;
    for (int j = I == J ? i + 1 : j0; j < jEnd; j++) {
      double dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
      double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + eps2);
      double cube = inverse * inverse * inverse, onI = m[j] * cube, onJ = mi * cube;
      phi += m[j] * inverse;
      fx += onI * dx; fy += onI * dy; fz += onI * dz;
      rx[j - j0] += onJ * dx; ry[j - j0] += onJ * dy; rz[j - j0] += onJ * dz;
    }
    sx[i] += fx; sy[i] += fy; sz[i] += fz;
    u += mi * phi;
  }
  for (int j = j0; j < jEnd; j++) { sx[j] -= rx[j - j0]; sy[j] -= ry[j - j0]; sz[j] -= rz[j - j0]; }
  return u;
}

static void blocks(void) {
  int count = (n + BLOCK - 1) / BLOCK, pairs = count * (count + 1) / 2, shares = pairs < SHARES ? pairs : SHARES;
  size_t bytes = n * sizeof(double);
  double u = 0;
  memset(ax, 0, bytes); memset(ay, 0, bytes); memset(az, 0, bytes);
  for (int share = 0; share < shares; share++) {
    memset(sx, 0, bytes); memset(sy, 0, bytes); memset(sz, 0, bytes);
    int p = 0;
    for (int I = 0; I < count; I++)
      for (int J = I; J < count; J++)
        if (p++ % shares == share) u += blockPair(I, J);
    for (int i = 0; i < n; i++) { ax[i] += sx[i]; ay[i] += sy[i]; az[i] += sz[i]; }
  }
  potential = -u;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  void (*force)(void) = !strcmp(argv[1], "blocks") ? blocks : !strcmp(argv[1], "sse") ? sse : plain;
  n = atoi(argv[2]);
  int calls = atoi(argv[3]);
  double **arrays[] = {&x, &y, &z, &m, &ax, &ay, &az, &sx, &sy, &sz};
  for (int k = 0; k < 10; k++) *arrays[k] = array((n + 1) * (int)sizeof(double));
  for (int i = 0; i < n; i++) { x[i] = unit(3 * i); y[i] = unit(7 * i + 1); z[i] = unit(11 * i + 2); m[i] = 1.0 / n; }
  while (next_round()) {
    double start = cpu_seconds();
    for (int r = 0; r < calls; r++) force();
    answer(calls / (cpu_seconds() - start), potential);
  }
  return 0;
}

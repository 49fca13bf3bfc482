// Peer of bench/kernels/evolve.ts: velocity Verlet of a Lennard-Jones fluid with full neighbour rows from cells, in C.
#include <math.h>
#include <string.h>
#include "rounds.h"

enum { ROOM = 320 };
static const double reach = 2.8, cut = 2.5, skin = 0.3;
static int n, *row, *length, *start, *member, *cell_of;
static double L, *x, *v, *a, *ref;

static int compare(const void *p, const void *q) { return *(const int *)p - *(const int *)q; }

static void make_rows(void) {
  const int nc = (int)(L / reach);
  memset(start, 0, sizeof(int) * (nc * nc * nc + 1));
  for (int i = 0; i < n; i++) {
    int c[3];
    for (int k = 0; k < 3; k++) { const double u = x[k * n + i] / L; c[k] = (int)((u - floor(u)) * nc) % nc; }
    cell_of[i] = (c[2] * nc + c[1]) * nc + c[0];
    start[cell_of[i] + 1]++;
  }
  for (int c = 0; c < nc * nc * nc; c++) start[c + 1] += start[c];
  int *fill = malloc(sizeof(int) * nc * nc * nc);
  memcpy(fill, start, sizeof(int) * nc * nc * nc);
  for (int i = 0; i < n; i++) member[fill[cell_of[i]]++] = i;
  free(fill);
  for (int i = 0; i < n; i++) {
    const int c = cell_of[i], cx = c % nc, cy = c / nc % nc, cz = c / (nc * nc);
    int count = 0;
    for (int dz = -1; dz <= 1; dz++) for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) {
      const int d = ((cz + dz + nc) % nc * nc + (cy + dy + nc) % nc) * nc + (cx + dx + nc) % nc;
      for (int m = start[d]; m < start[d + 1]; m++) {
        const int j = member[m];
        double r2 = 0;
        for (int k = 0; k < 3; k++) { double s = x[k * n + i] - x[k * n + j]; s -= L * rint(s / L); r2 += s * s; }
        if (j != i && r2 < reach * reach) row[i * ROOM + count++] = j;
      }
    }
    qsort(row + i * ROOM, count, sizeof(int), compare);
    length[i] = count;
  }
  memcpy(ref, x, sizeof(double) * 3 * n);
}

static double forces(void) {
  const double inverse = 1 / L, c6 = pow(cut, -6), shift = 4 * (c6 * c6 - c6);
  double U = 0;
  for (int i = 0; i < n; i++) {
    double fx = 0, fy = 0, fz = 0, u = 0;
    for (int k = 0; k < length[i]; k++) {
      const int j = row[i * ROOM + k];
      double dx = x[i] - x[j], dy = x[n + i] - x[n + j], dz = x[2 * n + i] - x[2 * n + j];
      dx -= L * rint(dx * inverse); dy -= L * rint(dy * inverse); dz -= L * rint(dz * inverse);
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 >= cut * cut) continue;
      const double s = 1 / r2, s3 = s * s * s, f = 24 * (2 * s3 * s3 - s3) * s;
      u += 4 * (s3 * s3 - s3) - shift;
      fx += f * dx; fy += f * dy; fz += f * dz;
    }
    a[i] = fx; a[n + i] = fy; a[2 * n + i] = fz;
    U += 0.5 * u;
  }
  return U;
}

static double kinetic(void) { double K = 0; for (int i = 0; i < 3 * n; i++) K += 0.5 * v[i] * v[i]; return K; }

static void place(int cells) {
  const double edge = L / cells, at[4][3] = {{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}};
  int i = 0;
  for (int z = 0; z < cells; z++) for (int y = 0; y < cells; y++) for (int w = 0; w < cells; w++) for (int k = 0; k < 4; k++, i++) {
    x[i] = edge * (w + at[k][0]); x[n + i] = edge * (y + at[k][1]); x[2 * n + i] = edge * (z + at[k][2]);
  }
  srand(1);
  for (int k = 0; k < 3; k++) {
    double mean = 0;
    for (i = 0; i < n; i++) { double s = 0; for (int m = 0; m < 12; m++) s += rand() / (double)RAND_MAX; v[k * n + i] = s - 6; mean += s - 6; }
    for (i = 0; i < n; i++) v[k * n + i] -= mean / n;
  }
  const double factor = sqrt(1.5 * (n - 1) * 1.44 / kinetic());
  for (i = 0; i < 3 * n; i++) v[i] *= factor;
}

int main(int argc, char **argv) {
  const int cells = argc > 1 ? atoi(argv[1]) : 6, steps = argc > 2 ? atoi(argv[2]) : 10;
  const double h = 0.005;
  n = 4 * cells * cells * cells;
  L = cells * cbrt(4 / 0.8442);
  x = malloc(sizeof(double) * 12 * n); v = x + 3 * n; a = v + 3 * n; ref = a + 3 * n;
  row = malloc(sizeof(int) * n * ROOM); length = malloc(sizeof(int) * n); member = malloc(sizeof(int) * n);
  cell_of = malloc(sizeof(int) * n); start = malloc(sizeof(int) * (n + 1));
  while (next_round()) {
    place(cells);
    make_rows();
    double U = forces();
    const double from = cpu_seconds();
    for (int s = 0; s < steps; s++) {
      double far = 0;
      for (int i = 0; i < 3 * n; i++) { v[i] += 0.5 * h * a[i]; x[i] += h * v[i]; }
      for (int i = 0; i < n; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) { const double d = x[k * n + i] - ref[k * n + i]; d2 += d * d; }
        far = fmax(far, d2);
      }
      if (far >= 0.25 * skin * skin) make_rows();
      U = forces();
      for (int i = 0; i < 3 * n; i++) v[i] += 0.5 * h * a[i];
    }
    answer((double)n * steps / (cpu_seconds() - from), U + kinetic());
  }
  return 0;
}

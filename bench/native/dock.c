// Peer of bench/kernels/dock.ts: energy and gradient of a rigid ligand on a rigid receptor, Lennard-Jones, in C.
// The last seven arguments are a pose whose energy is the checksum.
#include <math.h>
#include "rounds.h"

enum { N = 512, M = 20 };
static double rx[N], ry[N], rz[N], lx[M], ly[M], lz[M];
static double sum[6];

static double energy(const double *pose) {
  const double w = pose[3], a = pose[4], b = pose[5], c = pose[6];
  double total = 0;
  for (int i = 0; i < M; i++) {
    const double x = lx[i], y = ly[i], z = lz[i];
    const double px = (1 - 2 * (b * b + c * c)) * x + 2 * (a * b - w * c) * y + 2 * (a * c + w * b) * z;
    const double py = 2 * (a * b + w * c) * x + (1 - 2 * (a * a + c * c)) * y + 2 * (b * c - w * a) * z;
    const double pz = 2 * (a * c - w * b) * x + 2 * (b * c + w * a) * y + (1 - 2 * (a * a + b * b)) * z;
    double fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < N; j++) {
      const double dx = pose[0] + px - rx[j], dy = pose[1] + py - ry[j], dz = pose[2] + pz - rz[j];
      const double inverse = 1 / (dx * dx + dy * dy + dz * dz), sigma = 1.7 + 1.6, u = sigma * sigma * inverse;
      const double u3 = u * u * u, depth = 4 * 0.5 * u3;
      total += depth * (u3 - 1);
      const double slope = 6 * depth * (1 - 2 * u3) * inverse;
      fx += slope * dx;
      fy += slope * dy;
      fz += slope * dz;
    }
    sum[0] += fx;
    sum[1] += fy;
    sum[2] += fz;
    sum[3] += py * fz - pz * fy;
    sum[4] += pz * fx - px * fz;
    sum[5] += px * fy - py * fx;
  }
  return total;
}

int main(int argc, char **argv) {
  const int poses = argc > 1 ? atoi(argv[1]) : 1024;
  double pose[7] = {0, 0, 0, 1, 0, 0, 0};
  for (int i = 0; i < 7 && i + 2 < argc; i++) pose[i] = atof(argv[i + 2]);
  for (int j = 0; j < N; j++) {
    rx[j] = 3.6 * (j % 8);
    ry[j] = 3.6 * (j / 8 % 8);
    rz[j] = 3.6 * (j / 64);
  }
  for (int i = 0; i < M; i++) {
    lx[i] = 1.5 * (i % 5) - 3;
    ly[i] = 1.5 * (i / 5) - 2.25;
    lz[i] = 0;
  }
  while (next_round()) {
    double start = cpu_seconds(), best = 1e300;
    for (int i = 0; i < poses; i++) {
      double at[7] = {12.6 + 0.03 * (i % 32), 12.6 + 0.05 * (i / 32 % 32), 30, 1, 0, 0, 0};
      const double e = energy(at);
      if (e < best) best = e;
    }
    const double seconds = cpu_seconds() - start;
    answer((double)N * M * poses / seconds, energy(pose) + (best > 1e299) + 1e-300 * sum[0]);
  }
  return 0;
}

// Peer of bench/kernels/grid.ts: polar Newton with a dense Jacobian and partial pivoting, in C. Arguments: repeats, then
// the kernel's parameters (assembly/power/network.ts).
#include <math.h>
#include <string.h>
#include "rounds.h"

enum { MAX = 64 };
static double p[2048], G[MAX][MAX], B[MAX][MAX], V[MAX], th[MAX], A[2 * MAX][2 * MAX + 1];
static int n, m;

static void admittances(void) {
  const double *bus = p + 6, *line = bus + 10 * n;
  memset(G, 0, sizeof G);
  memset(B, 0, sizeof B);
  for (int i = 0; i < n; i++) { G[i][i] = bus[10 * i + 3] / p[3]; B[i][i] = bus[10 * i + 4] / p[3]; }
  for (int l = 0; l < m; l++, line += 7) {
    const int f = (int)line[0], t = (int)line[1];
    const double z2 = line[2] * line[2] + line[3] * line[3], g = line[2] / z2, b = -line[3] / z2, h = 0.5 * line[4];
    const double tau = line[5] == 0 ? 1 : line[5], c = cos(line[6] * M_PI / 180) / tau, s = sin(line[6] * M_PI / 180) / tau;
    G[f][f] += g / (tau * tau); B[f][f] += (b + h) / (tau * tau);
    G[t][t] += g; B[t][t] += b + h;
    G[f][t] -= g * c - b * s; B[f][t] -= g * s + b * c;
    G[t][f] -= g * c + b * s; B[t][f] -= b * c - g * s;
  }
}

static void eliminate(int count) {
  for (int k = 0; k < count; k++) {
    int best = k;
    for (int i = k + 1; i < count; i++) if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    if (best != k) for (int j = k; j <= count; j++) { double x = A[k][j]; A[k][j] = A[best][j]; A[best][j] = x; }
    for (int i = k + 1; i < count; i++) {
      const double factor = A[i][k] / A[k][k];
      if (factor != 0) for (int j = k + 1; j <= count; j++) A[i][j] -= factor * A[k][j];
    }
  }
  for (int k = count - 1; k >= 0; k--) {
    for (int j = k + 1; j < count; j++) A[k][count] -= A[k][j] * A[j][count];
    A[k][count] /= A[k][k];
  }
}

static double solve(void) {
  const double *bus = p + 6;
  int angle[MAX], size[MAX], count = 0;
  admittances();
  for (int i = 0; i < n; i++) { th[i] = 0; V[i] = bus[10 * i] == 1 ? 1 : bus[10 * i + 7]; }
  for (int i = 0; i < n; i++) angle[i] = bus[10 * i] == 3 ? -1 : count++;
  for (int i = 0; i < n; i++) size[i] = bus[10 * i] == 1 ? count++ : -1;
  for (int round = 0; round < 20; round++) {
    double worst = 0;
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++) {
      double P = 0, Q = 0;
      for (int k = 0; k < n; k++) {
        if (G[i][k] == 0 && B[i][k] == 0) continue;
        const double c = cos(th[i] - th[k]), s = sin(th[i] - th[k]), w = V[i] * V[k];
        const double H = w * (G[i][k] * s - B[i][k] * c), N = w * (G[i][k] * c + B[i][k] * s);
        P += N; Q += H;
        if (k == i) continue;
        if (angle[i] >= 0 && angle[k] >= 0) A[angle[i]][angle[k]] = H;
        if (angle[i] >= 0 && size[k] >= 0) A[angle[i]][size[k]] = N;
        if (size[i] >= 0 && angle[k] >= 0) A[size[i]][angle[k]] = -N;
        if (size[i] >= 0 && size[k] >= 0) A[size[i]][size[k]] = H;
      }
      const double g = G[i][i] * V[i] * V[i], b = B[i][i] * V[i] * V[i], *d = bus + 10 * i;
      if (angle[i] >= 0) {
        A[angle[i]][angle[i]] = -Q - b;
        A[angle[i]][count] = (d[5] - p[4] * d[1]) / p[3] - P;
        worst = fmax(worst, fabs(A[angle[i]][count]));
      }
      if (size[i] >= 0) {
        A[angle[i]][size[i]] = P + g; A[size[i]][angle[i]] = P - g; A[size[i]][size[i]] = Q - b;
        A[size[i]][count] = (d[6] - p[4] * d[2]) / p[3] - Q;
        worst = fmax(worst, fabs(A[size[i]][count]));
      }
    }
    if (worst <= 1e-12) break;
    eliminate(count);
    for (int i = 0; i < n; i++) {
      if (angle[i] >= 0) th[i] += A[angle[i]][count];
      if (size[i] >= 0) V[i] *= 1 + A[size[i]][count];
    }
  }
  return V[n - 1];
}

int main(int argc, char **argv) {
  const int repeats = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 2; i < argc && i - 2 < 2048; i++) p[i - 2] = atof(argv[i]);
  n = (int)p[0]; m = (int)p[1];
  while (next_round()) {
    double last = 0;
    const double start = cpu_seconds();
    for (int i = 0; i < repeats; i++) last = solve();
    answer(repeats / (cpu_seconds() - start), last);
  }
  return 0;
}

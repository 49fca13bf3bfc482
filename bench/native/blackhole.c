// Peer of bench/kernels/orbits.ts: the advance of a periapsis by adaptive quadrature, and the orbit by Gauss–Radau of order 15, as
// assembly/blackhole/angles.ts and radau.ts have them, in C. Arguments: p, e (lengths in GM/c²), orbits a round.
#include <math.h>
#include "rounds.h"

static const double nodes[8] = {0.0, 0.0562625605369221465, 0.1802406917368923650, 0.3526247171131696374,
  0.5471536263305553830, 0.7342101772154105320, 0.8853209468390957681, 0.9775206135612875019};
static double p, e, f[8], c[8];

static double excess(double t) {
  const double mu = (6 + 2 * e * cos(t)) / p, root = sqrt(1 - mu);
  return mu / (root * (1 + root));
}
static double panel(double a, double b) {
  static const double x[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static const double w[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  const double half = 0.5 * (b - a), m = 0.5 * (a + b);
  double sum = 0;
  for (int k = 0; k < 4; k++) sum += w[k] * (excess(m - x[k] * half) + excess(m + x[k] * half));
  return half * sum;
}
static double halved(double a, double b, double whole, int depth) {
  const double m = 0.5 * (a + b), low = panel(a, m), high = panel(m, b), sum = low + high;
  const double mu = fmax((6 + 2 * e * cos(a)) / p, (6 + 2 * e * cos(b)) / p);
  if (depth == 0 || !(fabs(sum - whole) > fmax(1e-13, 1e-15 / (1 - mu)) * fabs(sum))) return sum;
  return halved(a, m, low, depth - 1) + halved(m, b, high, depth - 1);
}
static double force(double w, double pull) { return pull - w + 3 * w * w; }
static void fit(void) {
  double d[8];
  for (int i = 0; i < 8; i++) { d[i] = f[i]; c[i] = 0; }
  for (int k = 1; k < 8; k++)
    for (int i = 7; i >= k; i--) d[i] = (d[i] - d[i - 1]) / (nodes[i] - nodes[i - k]);
  for (int k = 7; k >= 0; k--) {
    for (int i = 7; i > 0; i--) c[i] = c[i - 1] - nodes[k] * c[i];
    c[0] = d[k] - nodes[k] * c[0];
  }
}
static double position(double tau) {
  double sum = 0;
  for (int k = 7; k >= 0; k--) sum = sum * tau + c[k] / (double)((k + 1) * (k + 2));
  return sum * tau * tau;
}
static void step(double *s, double h, double pull) {
  const double w = s[0], v = s[1];
  double before = INFINITY, speed = 0;
  for (int i = 0; i < 8; i++) f[i] = force(w, pull);
  for (int n = 0; n < 40; n++) {
    double change = 0;
    fit();
    for (int i = 1; i < 8; i++) {
      const double tau = nodes[i], fresh = force(w + h * tau * v + h * h * position(tau), pull);
      change = fmax(change, fabs(fresh - f[i]));
      f[i] = fresh;
    }
    if (change == 0 || (n > 6 && change >= before)) break;
    before = change;
  }
  fit();
  for (int k = 7; k >= 0; k--) speed += c[k] / (double)(k + 1);
  s[0] = w + h * v + h * h * position(1);
  s[1] = v + h * speed;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  const int orbits = atoi(argv[3]);
  p = atof(argv[1]); e = atof(argv[2]);
  while (next_round()) {
    const double start = cpu_seconds();
    double last = 0;
    for (int k = 0; k < orbits; k++) {
      const double turned = 2 * halved(0, M_PI, panel(0, M_PI), 60), pull = (p - 3 - e * e) / (p * p);
      double s[2] = {(1 + e) / p, 0};
      for (int i = 0; i < 256; i++) step(s, (2 * M_PI + turned) / 256, pull);
      last = turned + 1e-300 * s[0];
    }
    answer(256.0 * orbits / (cpu_seconds() - start) / 1e6, last);
  }
  return 0;
}

// Peer of bench/kernels/solve.ts: the same RK4 loops with carries and energy, in C. Arguments: steps, c, k, beta, g, all per
// mass, which a compiler must not know.
#include <math.h>
#include <stdint.h>
#include "rounds.h"

typedef struct { double x, v, carryX, carryV, maxX, maxV, maxE; } state;

static inline double at_rest(double x, double k, double b, double g) { return (g - k * x) - (b * x) * (x * x); }

static inline __attribute__((always_inline)) void solve_steps(
    state *s, int64_t count, double step, int damped, double c, double k, double b, double g, double e0) {
  const double half = 0.5 * step, sixth = step / 6.0;
  double x = s->x, v = s->v, carryX = s->carryX, carryV = s->carryV, maxX = s->maxX, maxV = s->maxV, maxE = s->maxE;
  for (int64_t i = 0; i < count; i++) {
    const double a1 = damped ? at_rest(x, k, b, g) - c * v : at_rest(x, k, b, g);
    const double x2 = x + half * v, v2 = v + half * a1;
    const double a2 = damped ? at_rest(x2, k, b, g) - c * v2 : at_rest(x2, k, b, g);
    const double x3 = x + half * v2, v3 = v + half * a2;
    const double a3 = damped ? at_rest(x3, k, b, g) - c * v3 : at_rest(x3, k, b, g);
    const double x4 = x + step * v3, v4 = v + step * a3;
    const double a4 = damped ? at_rest(x4, k, b, g) - c * v4 : at_rest(x4, k, b, g);
    const double dx = (sixth * (v + 2.0 * (v2 + v3)) + carryX) + sixth * v4;
    const double dv = (sixth * (a1 + 2.0 * (a2 + a3)) + carryV) + sixth * a4;
    const double nextX = x + dx, nextV = v + dv;
    carryX = dx - (nextX - x);
    carryV = dv - (nextV - v);
    x = nextX;
    v = nextV;
    const double xx = x * x;
    const double ax = fabs(x), av = fabs(v), e = fabs(0.5 * (v * v) + 0.5 * xx * (k + 0.5 * b * xx) - g * x - e0);
    maxX = ax > maxX ? ax : maxX;
    maxV = av > maxV ? av : maxV;
    maxE = e > maxE ? e : maxE;
  }
  *s = (state){x, v, carryX, carryV, maxX, maxV, maxE};
}

int main(int argc, char **argv) {
  if (argc < 6) return 1;
  const int64_t steps = atoll(argv[1]);
  const double c = atof(argv[2]), k = atof(argv[3]), b = atof(argv[4]), g = atof(argv[5]), step = 0.0009765625;
  while (next_round()) {
    state s = {1, 0, 0, 0, 1, 0, 0};
    const double start = cpu_seconds();
    if (c != 0) solve_steps(&s, steps, step, 1, c, k, b, g, 0.75);
    else solve_steps(&s, steps, step, 0, c, k, b, g, 0.75);
    answer((double)steps / (cpu_seconds() - start) / 1e6, s.x);
  }
  return 0;
}

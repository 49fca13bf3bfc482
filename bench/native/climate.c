// Peer of bench/kernels/climate.ts: two layers by Runge-Kutta 4, the same sums in the same order, in C.
#include "rounds.h"

static double driven, restoring, exchange, deep_exchange;

static double surface(double T, double D) { return driven - restoring * T - exchange * (T - D); }
static double deep(double T, double D) { return deep_exchange * (T - D); }

int main(int argc, char **argv) {
  const long steps = argc > 1 ? atol(argv[1]) : 1 << 20;
  const double h = (double)steps / 12.0 / (double)steps, half = 0.5 * h, sixth = h / 6.0;
  driven = 3.71 / 7.3; restoring = 1.13 / 7.3; exchange = 0.73 / 7.3; deep_exchange = 0.73 / 106;
  while (next_round()) {
    double T = 0, D = 0;
    const double start = cpu_seconds();
    for (long i = 0; i < steps; i++) {
      const double a1 = surface(T, D), b1 = deep(T, D);
      const double a2 = surface(T + half * a1, D + half * b1), b2 = deep(T + half * a1, D + half * b1);
      const double a3 = surface(T + half * a2, D + half * b2), b3 = deep(T + half * a2, D + half * b2);
      const double a4 = surface(T + h * a3, D + h * b3), b4 = deep(T + h * a3, D + h * b3);
      T += sixth * (a1 + 2.0 * (a2 + a3) + a4);
      D += sixth * (b1 + 2.0 * (b2 + b3) + b4);
    }
    answer((double)steps / (cpu_seconds() - start), T);
  }
  return 0;
}

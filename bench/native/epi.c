// Peer of bench/kernels/orbits.ts: SEIR by Runge–Kutta 4 in ln(S/S₀), E, I, R with the largest I, as assembly/kernels/epi.ts,
// in C with libm's exponential. Arguments: N S₀ E₀ I₀ β γ σ t_max, steps.
#include <math.h>
#include "rounds.h"

static double contact, susceptible, gamma_, sigma;

static void rk(const double *y, double grown, double step, double *to) {
  const double half = 0.5 * step, sixth = step / 6, x = y[0], E = y[1], I = y[2];
  const double f1 = contact * susceptible * grown * I, o1 = sigma * E, E1 = f1 - o1, I1 = o1 - gamma_ * I;
  const double Ib = I + half * I1, Eb = E + half * E1;
  const double f2 = contact * susceptible * exp(x - half * contact * I) * Ib, o2 = sigma * Eb, E2 = f2 - o2, I2 = o2 - gamma_ * Ib;
  const double Ic = I + half * I2, Ec = E + half * E2;
  const double f3 = contact * susceptible * exp(x - half * contact * Ib) * Ic, o3 = sigma * Ec, E3 = f3 - o3, I3 = o3 - gamma_ * Ic;
  const double Id = I + step * I3, Ed = E + step * E3;
  const double f4 = contact * susceptible * exp(x - step * contact * Ic) * Id, o4 = sigma * Ed, E4 = f4 - o4, I4 = o4 - gamma_ * Id;
  const double mean = sixth * (I + 2 * (Ib + Ic) + Id);
  to[0] = x - contact * mean;
  to[1] = E + sixth * (E1 + 2 * (E2 + E3) + E4);
  to[2] = I + sixth * (I1 + 2 * (I2 + I3) + I4);
  to[3] = y[3] + gamma_ * mean;
}

int main(int argc, char **argv) {
  if (argc < 10) return 1;
  const long steps = atol(argv[9]);
  const double h = atof(argv[8]) / (double)steps;
  contact = atof(argv[5]) / atof(argv[1]); susceptible = atof(argv[2]); gamma_ = atof(argv[6]); sigma = atof(argv[7]);
  while (next_round()) {
    const double start = cpu_seconds();
    double y[4] = {0, atof(argv[3]), atof(argv[4]), 0}, to[4], grown = 1, largest = y[2];
    double before = sigma * y[1] - gamma_ * y[2];
    for (long i = 0; i < steps; i++) {
      rk(y, grown, h, to);
      const double next = exp(to[0]), after = sigma * to[1] - gamma_ * to[2];
      if (before > 0 && after <= 0) {
        double part = h * before / (before - after), z[4];
        for (int k = 0; k < 5; k++) {
          rk(y, grown, part, z);
          const double fresh = contact * susceptible * exp(z[0]) * z[2], rise = sigma * z[1] - gamma_ * z[2];
          part -= rise / (sigma * (fresh - sigma * z[1]) - gamma_ * rise);
        }
        if (z[2] > largest) largest = z[2];
      }
      for (int k = 0; k < 4; k++) y[k] = to[k];
      grown = next;
      before = after;
    }
    answer((double)steps / (cpu_seconds() - start) / 1e6, largest + 1e-300 * y[3]);
  }
  return 0;
}

/* The sum of 1/sqrt(i) for i = 1 … n, one after another: as machine/inverse-roots.ts does it. */
#include <math.h>
#include "rounds.h"

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  while (next_round()) {
    double start = cpu_seconds();
    double sum = 0;
    for (long i = 1; i <= n; i++) sum += 1.0 / sqrt((double)i);
    answer((double)n / (cpu_seconds() - start) / 1e6, sum);
  }
  return 0;
}

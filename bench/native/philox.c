// Peer of bench/kernels/philox.ts: Philox4x32-10 and Box–Muller with libm, two normals from a counter.
#include <math.h>
#include <stdint.h>
#include "rounds.h"

static void philox(uint32_t c[4], uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; round++) {
    const uint64_t p0 = 0xd2511f53ull * c[0], p1 = 0xcd9e8d57ull * c[2];
    const uint32_t n0 = (uint32_t)(p1 >> 32) ^ c[1] ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
    c[1] = (uint32_t)p1;
    c[3] = (uint32_t)p0;
    c[0] = n0;
    c[2] = n2;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
}

static double uniform(uint32_t high, uint32_t low) {
  return ((double)(((uint64_t)(high >> 6) << 26) | (low >> 6)) + 0.5) * 0x1p-52;
}

int main(int argc, char **argv) {
  const uint32_t count = argc > 1 ? (uint32_t)atoll(argv[1]) : 1000000;
  static double out[4096];
  while (next_round()) {
    double sum = 0;
    const double start = cpu_seconds();
    for (uint32_t i = 0; i < count / 2; i++) {
      uint32_t c[4] = {i, 0, 0, 1u << 24};
      philox(c, 42, 0);
      const double r = sqrt(-2 * log(uniform(c[0], c[1]))), angle = 6.283185307179586 * uniform(c[2], c[3]);
      out[(2 * i) & 4095] = r * cos(angle);
      out[(2 * i + 1) & 4095] = r * sin(angle);
    }
    const double seconds = cpu_seconds() - start;
    for (int i = 0; i < 4096; i++) sum += out[i];
    answer((double)count / seconds / 1e6, sum);
  }
  return 0;
}

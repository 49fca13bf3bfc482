// Peer of bench/kernels/lattice.ts: the tree over the points of one axis, SHA-256 (FIPS 180-4) without instructions
// made for it, leaves and levels as assembly/lattice/tree.ts has them.
#include <stdint.h>
#include <string.h>
#include "rounds.h"

static const uint32_t K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
  0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
  0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
  0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void compress(uint32_t hash[8], const uint8_t *block) {
  uint32_t w[64];
  for (int t = 0; t < 16; t++) {
    memcpy(&w[t], block + 4 * t, 4);
    w[t] = __builtin_bswap32(w[t]);
  }
  for (int t = 16; t < 64; t++) {
    const uint32_t x = w[t - 2], y = w[t - 15];
    w[t] = (turn(x, 17) ^ turn(x, 19) ^ x >> 10) + w[t - 7] + (turn(y, 7) ^ turn(y, 18) ^ y >> 3) + w[t - 16];
  }
  uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];
  for (int t = 0; t < 64; t++) {
    const uint32_t t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + K[t] + w[t];
    const uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));
    h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
  }
  const uint32_t last[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; i++) hash[i] += last[i];
}

static void sha256(const uint8_t *message, int length, uint8_t *out) {
  uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t padded[128] = {0};
  const int bytes = length < 56 ? 64 : 128;
  memcpy(padded, message, (size_t)length);
  padded[length] = 0x80;
  padded[bytes - 2] = (uint8_t)(length * 8 >> 8);
  padded[bytes - 1] = (uint8_t)(length * 8);
  for (int at = 0; at < bytes; at += 64) compress(hash, padded + at);
  for (int i = 0; i < 8; i++) {
    const uint32_t word = __builtin_bswap32(hash[i]);
    memcpy(out + 4 * i, &word, 4);
  }
}

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? (uint64_t)atoll(argv[1]) : 65536;
  uint8_t *level = malloc(32 * count), message[65];
  while (next_round()) {
    const double start = cpu_seconds();
    for (uint64_t i = 0; i < count; i++) {
      const double value = (double)i;
      message[0] = 0;
      memcpy(message + 1, &i, 8);
      memcpy(message + 9, &value, 8);
      memcpy(message + 17, &value, 8);
      sha256(message, 25, level + 32 * i);
    }
    for (uint64_t n = count; n > 1; n = (n + 1) / 2) {
      for (uint64_t i = 0; i < n / 2; i++) {
        message[0] = 1;
        memcpy(message + 1, level + 64 * i, 64);
        sha256(message, 65, level + 32 * i);
      }
      if (n & 1) memmove(level + 16 * (n - 1), level + 32 * (n - 1), 32);
    }
    const double seconds = cpu_seconds() - start;
    uint32_t word;
    memcpy(&word, level, 4);
    answer((double)count / seconds, (double)__builtin_bswap32(word));
  }
  return 0;
}

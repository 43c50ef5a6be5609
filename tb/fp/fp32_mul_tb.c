// Checks synth/gm/fp32_mul.v, the multiplier that MUL-by-ADD is compared with, against the host's.
//
//   fp32_mul_tb [--count N] [--seed S]     N products from several kinds of operands, and every pair of
//                                          a list of special values
// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp32_mul_shim.h"
#include "num/num_rng.h"

static const uint32_t SIGN = 0x80000000u;
static const uint32_t INFINITE = 0x7f800000u;
static const uint32_t NORMAL = 0x00800000u;  // the smallest
static const uint32_t NAN_BITS = 0x7fc00000u;
enum { MAX_REPORTS = 10 };

typedef struct bench {
  fp32_mul_t *mul;
  uint64_t checked, failed;
} bench_t;

static uint32_t host_mul(uint32_t a, uint32_t b) {
  volatile float x, y;
  float product;
  uint32_t bits;
  memcpy((void *)&x, &a, sizeof a);
  memcpy((void *)&y, &b, sizeof b);
  product = x * y;
  memcpy(&bits, &product, sizeof bits);
  return (bits & ~SIGN) > INFINITE ? NAN_BITS : bits;
}

static bool subnormal(uint32_t bits) { return (bits & ~SIGN) < NORMAL; }

// Subnormals flushed, of operands and result: what IEEE rounding makes normal stays.
static uint32_t host_flushed(uint32_t a, uint32_t b) {
  const uint32_t product = host_mul(subnormal(a) ? a & SIGN : a, subnormal(b) ? b & SIGN : b);
  return subnormal(product) ? product & SIGN : product;
}

static void check(bench_t *bench, uint32_t a, uint32_t b) {
  uint32_t exact, flushed;
  fp32_mul_eval(bench->mul, a, b, &exact, &flushed);
  ++bench->checked;
  if (exact == host_mul(a, b) && flushed == host_flushed(a, b)) {
    return;
  }
  if (bench->failed++ < MAX_REPORTS) {
    printf("%08" PRIx32 " * %08" PRIx32 ": %08" PRIx32 ", flushed %08" PRIx32 "; expected %08" PRIx32 ", %08" PRIx32
           "\n",
           a, b, exact, flushed, host_mul(a, b), host_flushed(a, b));
  }
}

static const uint32_t specials[] = {0x00000000u, 0x00000001u, 0x00400000u, 0x007fffffu, 0x00800000u, 0x00800001u,
                                    0x00ffffffu, 0x01000000u, 0x3effffffu, 0x3f000000u, 0x3f000001u, 0x3f7fffffu,
                                    0x3f800000u, 0x3f800001u, 0x3fffffffu, 0x40000000u, 0x7f000000u, 0x7f7fffffu,
                                    0x7f800000u, 0x7f800001u, 0x7fc00000u};
enum { SPECIALS = sizeof specials / sizeof *specials };

static void check_specials(bench_t *bench) {
  for (size_t i = 0; i < 2 * SPECIALS; ++i) {
    for (size_t j = 0; j < 2 * SPECIALS; ++j) {
      check(bench, specials[i / 2] | (i % 2 ? SIGN : 0), specials[j / 2] | (j % 2 ? SIGN : 0));
    }
  }
}

// Any bits; few bits set, for ties; products near the smallest normal, and below it.
static void check_random(bench_t *bench, uint64_t count, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bits = num_rng_u64(&rng);
    uint32_t a = (uint32_t)bits;
    uint32_t b = (uint32_t)(bits >> 32);
    const uint64_t kind = num_rng_u64(&rng) >> 40;
    if (kind % 4 == 1) {
      a &= 0xfff00000u | (0xfffu << kind / 4 % 12);
      b &= 0xfff00000u | (0xfffu << kind / 64 % 12);
    } else if (kind % 4 == 2) {
      const uint32_t exponent = (uint32_t)(kind / 4 % 100 + 14);
      a = (a & 0x807fffffu) | exponent << 23;
      b = (b & 0x807fffffu) | (126 - exponent + (uint32_t)(kind / 512 % 4)) << 23;
    } else if (kind % 4 == 3) {
      a &= 0x807fffffu;
    }
    check(bench, a, b);
  }
}

int main(int argc, char **argv) {
  uint64_t count = 2000000, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--count") == 0) {
      count = strtoull(argv[i + 1], NULL, 10);
    } else if (strcmp(argv[i], "--seed") == 0) {
      seed = strtoull(argv[i + 1], NULL, 10);
    } else {
      fprintf(stderr, "fp32_mul_tb: unknown option %s\n", argv[i]);
      return 2;
    }
  }
  bench_t bench = {.mul = fp32_mul_new()};
  check_specials(&bench);
  check_random(&bench, count, seed);
  fp32_mul_delete(bench.mul);
  printf("%" PRIu64 " products, %" PRIu64 " wrong\n", bench.checked, bench.failed);
  return bench.failed == 0 ? 0 : 1;
}

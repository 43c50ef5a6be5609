// Checks rtl/fp/fp32_add.v against the host's IEEE addition and num_f32_add_bits().
//
//   fp32_add_tb [--count N] [--seed S]     N additions from five kinds of operands, and every pair
//                                          of a list of special values
//   fp32_add_tb --vectors FILE             lines "a b expected [flags]" as testfloat_gen prints for
//                                          f32_add; flags are ignored, any NaN stands for any
//                                          other; # starts a comment
//   fp32_add_tb --emit N [--seed S]        prints such vectors, computed by the host with its flags
//
// SPDX-License-Identifier: Apache-2.0
#include <fenv.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp32_add_shim.h"
#include "num/num_gm.h"
#include "num/num_rng.h"
#include "tb_options.h"
#include "tb_vectors.h"

static const uint32_t SIGN = 0x80000000u;
static const uint32_t CANONICAL_NAN = 0x7fc00000u;
enum { MAX_REPORTS = 10 };

// A batch of lanes on its way through the bank.
typedef struct {
  fp32_bank_t *bank;
  uint32_t a[FP32_BANK_LANES];
  uint32_t b[FP32_BANK_LANES];
  uint32_t expected[FP32_BANK_LANES];
  int used;
  uint64_t checked;
  uint64_t failed;
} bench_t;

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static bool is_nan(uint32_t bits) { return (bits & ~SIGN) > 0x7f800000u; }

static uint32_t canonical(uint32_t bits) { return is_nan(bits) ? CANONICAL_NAN : bits; }

static uint32_t host_add(uint32_t a, uint32_t b) {
  // volatile: one addition by the hardware, whatever the compiler thinks it knows.
  volatile float x = float_of(a);
  volatile float y = float_of(b);
  return canonical(bits_of(x + y));
}

static void flush(bench_t *bench) {
  uint32_t sum[FP32_BANK_LANES];
  fp32_bank_add(bench->bank, bench->a, bench->b, sum);
  for (int i = 0; i < bench->used; ++i) {
    const uint32_t model = num_f32_add_bits(bench->a[i], bench->b[i]);
    bench->checked++;
    if (sum[i] != bench->expected[i] || model != bench->expected[i]) {
      if (bench->failed++ < MAX_REPORTS) {
        printf("%08" PRIx32 " + %08" PRIx32 ": rtl %08" PRIx32 " model %08" PRIx32 " expected %08" PRIx32 "\n",
               bench->a[i], bench->b[i], sum[i], model, bench->expected[i]);
      }
    }
  }
  bench->used = 0;
}

static void check(bench_t *bench, uint32_t a, uint32_t b, uint32_t expected) {
  bench->a[bench->used] = a;
  bench->b[bench->used] = b;
  bench->expected[bench->used] = expected;
  bench->used++;
  if (bench->used == FP32_BANK_LANES) {
    flush(bench);
  }
}

// Fractions whose carries and ties matter: all zeros, all ones, one bit, a run of ones, random.
static uint32_t edge_fraction(num_rng_t *rng) {
  const uint64_t r = num_rng_u64(rng);
  const uint32_t place = (uint32_t)(r >> 8) % 23u;
  switch (r & 7u) {
    case 0:
      return 0;
    case 1:
      return 0x7fffffu;
    case 2:
      return 1u << place;
    case 3:
      return (1u << place) - 1u;
    case 4:
      return 0x7fffffu & ~((1u << place) - 1u);
    default:
      return (uint32_t)(r >> 32) & 0x7fffffu;
  }
}

static uint32_t with_exponent(num_rng_t *rng, uint32_t exponent) {
  const uint32_t sign = (uint32_t)(num_rng_u64(rng) >> 63) << 31;
  return sign | (exponent & 0xffu) << 23 | edge_fraction(rng);
}

// One pair; the kind says what it aims at.
static void random_pair(num_rng_t *rng, uint64_t kind, uint32_t *a, uint32_t *b) {
  const uint64_t r = num_rng_u64(rng);
  const uint32_t low = (uint32_t)r & 0xffu;
  switch (kind % 5u) {
    case 0:  // any bit patterns
      *a = (uint32_t)r;
      *b = (uint32_t)(r >> 32);
      break;
    case 1:  // exponents at most 31 apart: every alignment and the first fully sticky ones
      *a = with_exponent(rng, low);
      *b = with_exponent(rng, low + (uint32_t)(r >> 8) % 32u);
      break;
    case 2:  // near-cancellation: the same magnitude but for a few low places, opposite signs
      *a = with_exponent(rng, low);
      *b = (*a ^ SIGN) + (uint32_t)(r >> 8) % 9u - 4u;
      break;
    case 3:  // subnormals and the smallest normals
      *a = with_exponent(rng, low % 3u);
      *b = with_exponent(rng, (uint32_t)(r >> 8) % 4u);
      break;
    default:  // the largest numbers: overflow by carry and by rounding, infinity, NaN
      *a = with_exponent(rng, 255u - low % 4u);
      *b = with_exponent(rng, 255u - (uint32_t)(r >> 8) % 28u);
      break;
  }
}

static void check_special_pairs(bench_t *bench) {
  static const uint32_t SPECIAL[] = {
      0x00000000u, 0x00000001u, 0x00000002u, 0x00400000u, 0x007fffffu, 0x00800000u, 0x00800001u,
      0x00ffffffu, 0x01000000u, 0x33800000u, 0x33800001u, 0x34000000u, 0x3f7fffffu, 0x3f800000u,
      0x3f800001u, 0x40000000u, 0x72ffffffu, 0x73000000u, 0x73000001u, 0x7f000000u, 0x7f7ffffeu,
      0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fbfffffu, 0x7fc00000u, 0x7fffffffu,
  };
  const size_t n = sizeof SPECIAL / sizeof SPECIAL[0];
  for (size_t i = 0; i < 2 * n; ++i) {
    for (size_t j = 0; j < 2 * n; ++j) {
      const uint32_t a = SPECIAL[i % n] | (i < n ? 0u : SIGN);
      const uint32_t b = SPECIAL[j % n] | (j < n ? 0u : SIGN);
      check(bench, a, b, host_add(a, b));
    }
  }
}

static void check_random(bench_t *bench, uint64_t count, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  check_special_pairs(bench);
  while (bench->checked + (uint64_t)bench->used < count) {
    uint32_t a;
    uint32_t b;
    random_pair(&rng, num_rng_u64(&rng) >> 8, &a, &b);
    check(bench, a, b, host_add(a, b));
  }
  flush(bench);
}

static bool check_vectors(bench_t *bench, const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    perror(path);
    return false;
  }
  tb_vector_t vector = {0};
  tb_vector_next_t next;
  while ((next = tb_vector_next(file, &vector)) == TB_VECTOR_READ) {
    check(bench, vector.a, vector.b, canonical(vector.expected));
  }
  if (next == TB_VECTOR_BAD) {
    printf("%s:%lu: not a vector\n", path, vector.line);
  }
  fclose(file);
  flush(bench);
  return next == TB_VECTOR_END && bench->checked > 0;
}

// SoftFloat's flag bits, as testfloat_gen prints them.
static unsigned softfloat_flags(void) {
  return (fetestexcept(FE_INVALID) != 0 ? 16u : 0u) | (fetestexcept(FE_OVERFLOW) != 0 ? 4u : 0u) |
         (fetestexcept(FE_UNDERFLOW) != 0 ? 2u : 0u) | (fetestexcept(FE_INEXACT) != 0 ? 1u : 0u);
}

static void emit_vectors(uint64_t count, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  printf(
      "# binary32 additions, round to nearest even: a b a+b flags, hexadecimal, in the format\n"
      "# of testfloat_gen f32_add (flags: 10 invalid, 04 overflow, 02 underflow, 01 inexact).\n"
      "# Generator: fp32_add_tb --emit %" PRIu64 " --seed %" PRIu64 " (hardware addition)\n",
      count, seed);
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t a;
    uint32_t b;
    random_pair(&rng, i, &a, &b);
    feclearexcept(FE_ALL_EXCEPT);
    const uint32_t sum = host_add(a, b);
    printf("%08" PRIX32 " %08" PRIX32 " %08" PRIX32 " %02X\n", a, b, sum, softfloat_flags());
  }
}

static int report(const bench_t *bench) {
  const bool pass = bench->failed == 0;
  printf("%" PRIu64 " additions, %" PRIu64 " wrong: %s\n", bench->checked, bench->failed, pass ? "PASS" : "FAIL");
  return pass ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  uint64_t count = 10000000;
  uint64_t emit = 0;
  uint64_t seed = 1;
  const char *vectors = NULL;
  const tb_option_t options[] = {{.name = "--count", .number = &count},
                                 {.name = "--seed", .number = &seed},
                                 {.name = "--emit", .number = &emit},
                                 {.name = "--vectors", .text = &vectors},
                                 {.name = NULL}};
  if (!tb_options(argc, argv, 1, options)) {
    fprintf(stderr, "usage: fp32_add_tb [--count N | --vectors FILE | --emit N] [--seed S]\n");
    return 2;
  }
  if (emit > 0) {
    emit_vectors(emit, seed);
    return EXIT_SUCCESS;
  }
  bench_t bench = {.bank = fp32_bank_new()};
  bool well_formed = true;
  if (vectors != NULL) {
    printf("fp32_add: vectors %s\n", vectors);
    well_formed = check_vectors(&bench, vectors);
  } else {
    printf("fp32_add: seed %" PRIu64 ", %d lanes\n", seed, FP32_BANK_LANES);
    check_random(&bench, count, seed);
  }
  const int verdict = well_formed ? report(&bench) : EXIT_FAILURE;
  fp32_bank_delete(bench.bank);
  return verdict;
}

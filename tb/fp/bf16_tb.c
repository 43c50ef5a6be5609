// Checks a BF16 unit of two operands, or bf16_exp, against its golden model in num/engine/num_bf16.h.
//
//   bf16_UNIT_tb [--count N] [--seed S]       special numbers and every significand against
//                                             everything, and N random rows; all of bf16_exp
//   bf16_UNIT_tb --exhaustive [--threads T]   all 2^32 pairs
//   bf16_UNIT_tb --emit FILE [--count N] [--seed S]
//                                             writes N vectors "a b expected", random ones or, for
//                                             bf16_exp, evenly spaced ones
//
// A row is what the bank of units does at once: one a and BF16_BANK_LANES consecutive b.
//
// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bf16_bank_shim.h"
#include "num/engine/num_bf16.h"
#include "num/num_rng.h"
#include "tb_options.h"

enum { CODES = 65536, MAX_REPORTS = 10, MAX_THREADS = 64 };

typedef struct {
  const char *name;
  num_bf16_t (*golden)(num_bf16_t a, num_bf16_t b);
  bool unary;       // looks at b alone
  bool registered;  // holds its result while not enabled
} unit_t;

static num_bf16_t exp_of_b(num_bf16_t a, num_bf16_t b) {
  (void)a;
  return num_bf16_exp(b);
}

static const unit_t UNITS[] = {
    {"mul", num_bf16_mul, false, false},   {"add", num_bf16_add, false, false}, {"max", num_bf16_max, false, false},
    {"diff", num_bf16_diff, false, false}, {"div", num_bf16_div, false, true},  {"exp", exp_of_b, true, false},
};
// BF16_UNIT comes from bf16.cmake: the parameter UNIT of bf16_bank.
static const unit_t *const UNIT = &UNITS[BF16_UNIT];

// One thread's part of the work.
typedef struct {
  bf16_bank_t *bank;
  uint32_t first_a, step_a;  // of an exhaustive run
  uint64_t checked;
  uint64_t failed;
} bench_t;

static void compare(bench_t *bench, num_bf16_t a, num_bf16_t first, const num_bf16_t y[BF16_BANK_LANES]) {
  for (uint32_t i = 0; i < BF16_BANK_LANES; ++i) {
    const num_bf16_t b = (num_bf16_t)(first + i);
    const num_bf16_t expected = UNIT->golden(a, b);
    if (y[i] != expected && bench->failed++ < MAX_REPORTS) {
      printf("%s %04x %04x: rtl %04x expected %04x\n", UNIT->name, a, b, y[i], expected);
    }
  }
  bench->checked += BF16_BANK_LANES;
}

static void check_row(bench_t *bench, num_bf16_t a, num_bf16_t first) {
  num_bf16_t y[BF16_BANK_LANES];
  bf16_bank_run(bench->bank, true, a, first, y);
  compare(bench, a, first, y);
}

static void check_all_b(bench_t *bench, num_bf16_t a) {
  for (uint32_t first = 0; first < CODES; first += BF16_BANK_LANES) {
    check_row(bench, a, (num_bf16_t)first);
  }
}

// Each significand in a number of medium size, in the smallest and in the largest binade: together
// with all b that is every pair of significands with every exponent, at either end of the range.
static void check_significands(bench_t *bench) {
  static const num_bf16_t BINADES[] = {0x0080, 0x3f80, 0x7f00};
  for (size_t i = 0; i < sizeof BINADES / sizeof BINADES[0]; ++i) {
    for (uint32_t fraction = 0; fraction < 128; ++fraction) {
      check_all_b(bench, (num_bf16_t)(BINADES[i] + fraction));
    }
  }
}

static void check_specials(bench_t *bench) {
  static const num_bf16_t SPECIAL[] = {0x0000, 0x0001, 0x0040, 0x007f, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff};
  for (size_t i = 0; i < sizeof SPECIAL / sizeof SPECIAL[0]; ++i) {
    check_all_b(bench, SPECIAL[i]);
    check_all_b(bench, SPECIAL[i] | 0x8000u);
  }
}

// Any a; b of any exponent, of one that may cancel or align with a's, or of one that takes a
// product or quotient to either end of the range.
static void random_row(num_rng_t *rng, num_bf16_t *a, num_bf16_t *first) {
  const uint64_t r = num_rng_u64(rng);
  *a = (num_bf16_t)r;
  const uint32_t exp_a = (*a >> 7) & 0xffu;
  const uint32_t near = (uint32_t)(r >> 16) % 19u - 9u;
  const uint32_t any = (uint32_t)(r >> 24);
  uint32_t exp_b = any;
  switch ((r >> 32) % 4u) {
    case 0:
      exp_b = exp_a + near;
      break;
    case 1:  // the sum of exponents is that of the smallest normal number or one of the largest
      exp_b = (exp_a < 128 ? 128u : 381u) - exp_a + near;
      break;
    case 2:  // likewise the difference
      exp_b = (exp_a < 128 ? exp_a + 126u : exp_a - 127u) + near;
      break;
    default:
      break;
  }
  *first = (num_bf16_t)((any & 0x100u) << 7 | (exp_b & 0xffu) << 7 | ((any >> 9) & 0x40u));
}

static void check_random(bench_t *bench, num_rng_t *rng, uint64_t rows) {
  for (uint64_t i = 0; i < rows; ++i) {
    num_bf16_t a;
    num_bf16_t first;
    random_row(rng, &a, &first);
    check_row(bench, a, first);
  }
}

// Without enable the result stays, whatever the operands do.
static void check_hold(bench_t *bench, num_rng_t *rng, uint64_t rows) {
  for (uint64_t i = 0; i < rows; ++i) {
    num_bf16_t a;
    num_bf16_t first;
    random_row(rng, &a, &first);
    check_row(bench, a, first);
    for (uint64_t stalls = num_rng_u64(rng) % 4u; stalls > 0; --stalls) {
      num_bf16_t other_a;
      num_bf16_t other_first;
      num_bf16_t y[BF16_BANK_LANES];
      random_row(rng, &other_a, &other_first);
      bf16_bank_run(bench->bank, false, other_a, other_first, y);
      compare(bench, a, first, y);
    }
  }
}

static void check_sampled(bench_t *bench, uint64_t rows, uint64_t seed) {
  if (UNIT->unary) {
    check_all_b(bench, 0);
    return;
  }
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  check_specials(bench);
  check_significands(bench);
  check_random(bench, &rng, rows);
  if (UNIT->registered) {
    check_hold(bench, &rng, rows / 16);
  }
}

static void *exhaustive_thread(void *argument) {
  bench_t *bench = argument;
  for (uint32_t a = bench->first_a; a < CODES; a += bench->step_a) {
    check_all_b(bench, (num_bf16_t)a);
  }
  return NULL;
}

// The threads take turns with a, each with a bank of its own.
static bool check_exhaustive(bench_t *total, uint32_t threads) {
  pthread_t thread[MAX_THREADS];
  bench_t bench[MAX_THREADS];
  uint32_t started = 0;
  while (started < threads) {
    bench[started] = (bench_t){.bank = bf16_bank_new((int)started + 1), .first_a = started, .step_a = threads};
    if (pthread_create(&thread[started], NULL, exhaustive_thread, &bench[started]) != 0) {
      bf16_bank_delete(bench[started].bank);
      break;
    }
    started++;
  }
  for (uint32_t i = 0; i < started; ++i) {
    pthread_join(thread[i], NULL);
    total->checked += bench[i].checked;
    total->failed += bench[i].failed;
    bf16_bank_delete(bench[i].bank);
  }
  return started == threads;
}

static bool emit_vectors(const char *path, uint64_t count, uint64_t seed) {
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return false;
  }
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  fprintf(file, "# bf16_%s: a b expected\n", UNIT->name);
  for (uint64_t i = 0; i < count; ++i) {
    num_bf16_t a = 0;
    num_bf16_t b = (num_bf16_t)(i * CODES / count);
    if (!UNIT->unary) {
      random_row(&rng, &a, &b);
      b = (num_bf16_t)(b + num_rng_u64(&rng) % BF16_BANK_LANES);
    }
    fprintf(file, "%04x %04x %04x\n", a, b, UNIT->golden(a, b));
  }
  return fclose(file) == 0;
}

static int report(const bench_t *bench, bool complete) {
  const bool pass = complete && bench->checked > 0 && bench->failed == 0;
  printf("%" PRIu64 " results, %" PRIu64 " wrong: %s\n", bench->checked, bench->failed, pass ? "PASS" : "FAIL");
  return pass ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  uint64_t count = 200000;
  uint64_t seed = 1;
  uint64_t threads = 2;
  bool exhaustive = false;
  const char *emit = NULL;
  const tb_option_t options[] = {{.name = "--count", .number = &count},         {.name = "--seed", .number = &seed},
                                 {.name = "--threads", .number = &threads},     {.name = "--emit", .text = &emit},
                                 {.name = "--exhaustive", .flag = &exhaustive}, {.name = NULL}};
  if (!tb_options(argc, argv, 1, options) || threads < 1 || threads > MAX_THREADS) {
    fprintf(stderr, "usage: bf16_%s_tb [--emit FILE] [--count N] [--seed S] | --exhaustive [--threads T]\n",
            UNIT->name);
    return 2;
  }
  if (emit != NULL) {
    return emit_vectors(emit, count, seed) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  bench_t bench = {0};
  bool complete = true;
  if (exhaustive) {
    printf("bf16_%s: all pairs, %" PRIu64 " threads\n", UNIT->name, threads);
    complete = check_exhaustive(&bench, (uint32_t)threads);
  } else {
    printf("bf16_%s: seed %" PRIu64 ", %d lanes\n", UNIT->name, seed, BF16_BANK_LANES);
    bench.bank = bf16_bank_new((int)seed);
    check_sampled(&bench, count, seed);
    bf16_bank_delete(bench.bank);
  }
  return report(&bench, complete);
}

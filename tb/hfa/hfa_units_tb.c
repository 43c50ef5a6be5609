// Checks the units of rtl/hfa against their golden models in num_hfa.h, bit for bit.
//
//   hfa_units_tb UNIT [--seed S]            quant, log2, scale, pow2, correct, lns_add or logdiv
//   hfa_units_tb quant_exhaustive [--threads N]
//                                           all pairs a <= b, behind the difference
//   hfa_units_tb --emit N [--seed S]        prints N vectors of each unit for another simulator:
//                                           unit a b y, hexadecimal
//
// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hfa_units_shim.h"
#include "num/engine/num_hfa.h"
#include "num/num_rng.h"
#include "tb_options.h"

enum {
  MAX_REPORTS = 10,
  MAX_THREADS = 64,
  MAGNITUDES = 0x10000,  // of an element, and BF16s
  ELEMENTS = 0x20000,
  QUANT_MAX = 2768,
};

// ------------------------------------------------------------------ golden

static uint32_t golden_quant(uint32_t d, uint32_t unused) {
  (void)unused;
  return num_hfa_quant((num_bf16_t)d, 0);
}

static uint32_t golden_diff_quant(uint32_t a, uint32_t b) { return num_hfa_quant((num_bf16_t)a, (num_bf16_t)b); }

static uint32_t golden_log2(uint32_t v, uint32_t unused) {
  (void)unused;
  return num_hfa_log2((num_bf16_t)v);
}

static uint32_t golden_scale(uint32_t x, uint32_t t) { return num_hfa_scale(x, (uint16_t)t); }

static uint32_t golden_pow2(uint32_t d, uint32_t unused) {
  (void)unused;
  return num_hfa_pow2(d);
}

static uint32_t golden_correct(uint32_t d, uint32_t subtract) { return num_hfa_correct(d, subtract != 0); }

static uint32_t golden_mitchell(uint32_t x, uint32_t y) { return num_hfa_add(&(num_hfa_t){.corrected = false}, x, y); }

static uint32_t golden_zero_exact(uint32_t x, uint32_t y) {
  return num_hfa_add(&(num_hfa_t){.zero_exact = true}, x, y);
}

static uint32_t golden_corrected(uint32_t x, uint32_t y) { return num_hfa_add(&(num_hfa_t){.corrected = true}, x, y); }

static uint32_t golden_logdiv(uint32_t o, uint32_t l) { return num_hfa_logdiv_element(o, l); }

static const struct {
  const char *name;
  uint32_t (*golden)(uint32_t a, uint32_t b);
} UNITS[HFA_UNITS] = {
    [HFA_UNIT_QUANT] = {"quant", golden_quant},
    [HFA_UNIT_DIFF_QUANT] = {"quant of the difference", golden_diff_quant},
    [HFA_UNIT_LOG2] = {"log2", golden_log2},
    [HFA_UNIT_SCALE] = {"scale", golden_scale},
    [HFA_UNIT_POW2] = {"pow2", golden_pow2},
    [HFA_UNIT_CORRECT] = {"correct", golden_correct},
    [HFA_UNIT_ADD_MITCHELL] = {"add, Mitchell", golden_mitchell},
    [HFA_UNIT_ADD_ZERO_EXACT] = {"add, Mitchell with exact zero", golden_zero_exact},
    [HFA_UNIT_ADD_CORRECTED] = {"add, corrected", golden_corrected},
    [HFA_UNIT_LOGDIV] = {"logdiv", golden_logdiv},
};

// ------------------------------------------------------------------ bench

// A batch of lanes on its way through the bank.
typedef struct {
  hfa_unit_t unit;
  hfa_bank_t *bank;
  uint32_t a[HFA_BANK_LANES];
  uint32_t b[HFA_BANK_LANES];
  int used;
  uint64_t checked;
  uint64_t failed;
} bench_t;

static bench_t bench_new(hfa_unit_t unit) { return (bench_t){.unit = unit, .bank = hfa_bank_new(unit)}; }

static void flush(bench_t *bench) {
  uint32_t y[HFA_BANK_LANES];
  hfa_bank_eval(bench->bank, bench->a, bench->b, y);
  for (int i = 0; i < bench->used; ++i) {
    const uint32_t expected = UNITS[bench->unit].golden(bench->a[i], bench->b[i]);
    bench->checked++;
    if (y[i] != expected && bench->failed++ < MAX_REPORTS) {
      printf("%s of %05" PRIx32 ", %05" PRIx32 ": rtl %05" PRIx32 " golden %05" PRIx32 "\n", UNITS[bench->unit].name,
             bench->a[i], bench->b[i], y[i], expected);
    }
  }
  bench->used = 0;
}

static void check(bench_t *bench, uint32_t a, uint32_t b) {
  bench->a[bench->used] = a;
  bench->b[bench->used] = b;
  bench->used++;
  if (bench->used == HFA_BANK_LANES) {
    flush(bench);
  }
}

// Flushes and frees; the number of wrong results.
static uint64_t bench_end(bench_t *bench) {
  flush(bench);
  hfa_bank_delete(bench->bank);
  printf("%s: %" PRIu64 " checked, %" PRIu64 " wrong\n", UNITS[bench->unit].name, bench->checked, bench->failed);
  return bench->failed;
}

static uint32_t below(num_rng_t *rng, uint32_t n) { return (uint32_t)(num_rng_u64(rng) >> 32) % n; }

// ------------------------------------------------------------------ quant

// The BF16 of rank r in the order of num_bf16_max(), in which the engine's maximum is one.
static uint32_t ranked(uint32_t rank) { return rank & 0x8000u ? rank ^ 0x8000u : rank ^ 0xffffu; }

static uint64_t test_quant(num_rng_t *rng) {
  bench_t bench = bench_new(HFA_UNIT_QUANT);
  check(&bench, 0x0000, 0);
  for (uint32_t d = 0x8000; d < MAGNITUDES; ++d) {
    check(&bench, d, 0);
  }
  bench_t diff = bench_new(HFA_UNIT_DIFF_QUANT);
  for (int i = 0; i < 2000000; ++i) {
    const uint32_t higher = below(rng, MAGNITUDES);
    // Any distance, and one that leaves something to quantise.
    const uint32_t apart = i & 1 ? below(rng, higher + 1u) : below(rng, 0x400);
    check(&diff, ranked(apart < higher ? higher - apart : 0), ranked(higher));
  }
  return bench_end(&bench) + bench_end(&diff);
}

typedef struct {
  bench_t bench;
  uint32_t first;  // of the higher one's rank
  uint32_t step;
} slice_t;

static void *quant_slice(void *argument) {
  slice_t *slice = argument;
  for (uint32_t higher = slice->first; higher < MAGNITUDES; higher += slice->step) {
    for (uint32_t lower = 0; lower <= higher; ++lower) {
      check(&slice->bench, ranked(lower), ranked(higher));
    }
  }
  return NULL;
}

static uint64_t test_quant_exhaustive(uint32_t threads) {
  pthread_t thread[MAX_THREADS];
  slice_t slice[MAX_THREADS];
  for (uint32_t i = 0; i < threads; ++i) {
    slice[i] = (slice_t){.bench = bench_new(HFA_UNIT_DIFF_QUANT), .first = i, .step = threads};
    if (pthread_create(&thread[i], NULL, quant_slice, &slice[i]) != 0) {
      perror("pthread_create");
      exit(EXIT_FAILURE);
    }
  }
  uint64_t failed = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    pthread_join(thread[i], NULL);
    failed += bench_end(&slice[i].bench);
  }
  return failed;
}

// ------------------------------------------------------------------ one operand

static uint64_t test_log2(void) {
  bench_t bench = bench_new(HFA_UNIT_LOG2);
  for (uint32_t v = 0; v < MAGNITUDES; ++v) {
    check(&bench, v, 0);
  }
  return bench_end(&bench);
}

static uint64_t test_pow2(void) {
  bench_t bench = bench_new(HFA_UNIT_POW2);
  for (uint32_t d = 0; d < MAGNITUDES; ++d) {
    check(&bench, d, 0);
  }
  return bench_end(&bench);
}

static uint64_t test_correct(void) {
  bench_t bench = bench_new(HFA_UNIT_CORRECT);
  check(&bench, 0, 0);
  for (uint32_t d = 1; d < MAGNITUDES; ++d) {
    check(&bench, d, 0);
    check(&bench, d, 1);
  }
  return bench_end(&bench);
}

// ------------------------------------------------------------------ two operands

static uint64_t test_scale(num_rng_t *rng) {
  bench_t bench = bench_new(HFA_UNIT_SCALE);
  for (uint32_t x = 0; x < ELEMENTS; ++x) {
    check(&bench, x, 0);
    check(&bench, x, QUANT_MAX);
    for (int i = 0; i < 30; ++i) {
      check(&bench, x, below(rng, QUANT_MAX + 1));
    }
  }
  return bench_end(&bench);
}

// x and y whose magnitudes differ by d, in both orders and with all four pairs of signs.
static void check_add(bench_t *bench, uint32_t low, uint32_t d) {
  for (uint32_t signs = 0; signs < 4; ++signs) {
    const uint32_t x = (low & 0xffffu) | (signs & 1u) << 16;
    const uint32_t y = ((low + d) & 0xffffu) | (signs & 2u) << 15;
    check(bench, x, y);
    check(bench, y, x);
  }
}

static uint64_t test_add(hfa_unit_t unit, num_rng_t *rng) {
  bench_t bench = bench_new(unit);
  for (uint32_t d = 0; d < MAGNITUDES; ++d) {
    // The smaller one is log2(0); the larger one is the largest; in between.
    check_add(&bench, 0x8000, d);
    check_add(&bench, 0x7fff - d, d);
    for (int i = 0; i < 3; ++i) {
      check_add(&bench, 0x8000 + below(rng, MAGNITUDES - d), d);
    }
  }
  // Sums that saturate, or nearly: t is at most 964.
  for (uint32_t near = 0; near < 1000; ++near) {
    for (uint32_t d = 0; d < 300; ++d) {
      check_add(&bench, 0x8000 + near, d);
      check_add(&bench, 0x7fff - near - d, d);
    }
  }
  for (int i = 0; i < 1000000; ++i) {
    check(&bench, below(rng, ELEMENTS), below(rng, ELEMENTS));
  }
  return bench_end(&bench);
}

static uint64_t test_lns_add(num_rng_t *rng) {
  return test_add(HFA_UNIT_ADD_MITCHELL, rng) + test_add(HFA_UNIT_ADD_ZERO_EXACT, rng) +
         test_add(HFA_UNIT_ADD_CORRECTED, rng);
}

static uint64_t test_logdiv(num_rng_t *rng) {
  bench_t bench = bench_new(HFA_UNIT_LOGDIV);
  for (uint32_t o = 0; o < ELEMENTS; ++o) {
    // The ends of the range of l, between them every ratio there is; 0; any.
    check(&bench, o, 0x08000);
    check(&bench, o, 0x07fff);
    check(&bench, o, 0x00000);
    for (int i = 0; i < 29; ++i) {
      check(&bench, o, below(rng, ELEMENTS));
    }
  }
  return bench_end(&bench);
}

// ------------------------------------------------------------------ vectors

static void emit(uint64_t count, num_rng_t *rng) {
  for (uint32_t unit = 0; unit < HFA_UNITS; ++unit) {
    for (uint64_t i = 0; i < count; ++i) {
      uint32_t a = below(rng, ELEMENTS);
      uint32_t b = below(rng, ELEMENTS);
      switch (unit) {
        case HFA_UNIT_QUANT:
          a = 0x8000u | below(rng, 0x8000);
          break;
        case HFA_UNIT_DIFF_QUANT:
          a = ranked(a >> 1);
          b = num_bf16_max((num_bf16_t)a, (num_bf16_t)ranked(b >> 1));
          break;
        case HFA_UNIT_LOG2:
          a >>= 1;
          break;
        case HFA_UNIT_SCALE:
          b %= QUANT_MAX + 1;
          break;
        case HFA_UNIT_POW2:
        case HFA_UNIT_CORRECT:
          a = 1u + (a >> 6);
          b &= 1u;
          break;
        case HFA_UNIT_LOGDIV:
          break;
        default:  // additions of numbers that matter to each other
          b = (b & NUM_ELEMENT_SIGN) | ((a + b % 2048u) & 0xffffu);
          break;
      }
      printf("%" PRIx32 " %05" PRIx32 " %05" PRIx32 " %05" PRIx32 "\n", unit, a, b, UNITS[unit].golden(a, b));
    }
  }
}

// ------------------------------------------------------------------ main

typedef struct {
  const char *test;
  uint64_t emit;
  uint64_t seed;
  uint64_t threads;
} options_t;

static bool parse(int argc, char **argv, options_t *options) {
  const bool named = argc > 1 && argv[1][0] != '-';
  options->test = named ? argv[1] : NULL;
  const tb_option_t list[] = {{.name = "--emit", .number = &options->emit},
                              {.name = "--seed", .number = &options->seed},
                              {.name = "--threads", .number = &options->threads},
                              {.name = NULL}};
  return tb_options(argc, argv, named ? 2 : 1, list) && options->threads >= 1 && options->threads <= MAX_THREADS &&
         named != (options->emit != 0);
}

// False: no such test.
static bool run(const options_t *options, num_rng_t *rng, uint64_t *failed) {
  const char *test = options->test;
  if (strcmp(test, "quant") == 0) {
    *failed = test_quant(rng);
  } else if (strcmp(test, "quant_exhaustive") == 0) {
    *failed = test_quant_exhaustive((uint32_t)options->threads);
  } else if (strcmp(test, "log2") == 0) {
    *failed = test_log2();
  } else if (strcmp(test, "scale") == 0) {
    *failed = test_scale(rng);
  } else if (strcmp(test, "pow2") == 0) {
    *failed = test_pow2();
  } else if (strcmp(test, "correct") == 0) {
    *failed = test_correct();
  } else if (strcmp(test, "lns_add") == 0) {
    *failed = test_lns_add(rng);
  } else if (strcmp(test, "logdiv") == 0) {
    *failed = test_logdiv(rng);
  } else {
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  options_t options = {.seed = 1, .threads = 2};
  num_rng_t rng;
  uint64_t failed = 0;
  const bool understood = parse(argc, argv, &options);
  num_rng_seed(&rng, options.seed);
  if (understood && options.emit != 0) {
    emit(options.emit, &rng);
    return EXIT_SUCCESS;
  }
  if (!understood || !run(&options, &rng, &failed)) {
    fprintf(stderr, "usage: hfa_units_tb UNIT | --emit N [--seed S] [--threads N]\n");
    return 2;
  }
  printf("hfa_%s, seed %" PRIu64 ", %d lanes: %s\n", options.test, options.seed, HFA_BANK_LANES,
         failed == 0 ? "PASS" : "FAIL");
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

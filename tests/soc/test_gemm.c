// The gemm kernel on the SoC: every bit as the contract has it, for shapes at the edges of the
// tiling; cycles that repeat; arguments that are refused.  Machines follow each other in this process, and do what they
// do in one of their own.
// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "gemm_case.h"
#include "hal/command.h"
#include "step_list.h"

static const char *const firmware[] = {FIRMWARE_DIR "/gemm.elf", FIRMWARE_DIR "/gemm.so"};

static gemm_outcome_t run(const gemm_case_t *what, const char *file) {
  gemm_outcome_t outcome;
  soc_result_t result;
  soc_clear_memory();
  gemm_case_run(what, file, &outcome, &result);
  soc_result_free(&result);
  return outcome;
}

static gemm_outcome_t run_well(const gemm_case_t *what, const char *file) {
  const gemm_outcome_t outcome = run(what, file);
  if (outcome.status != SOC_DONE || outcome.wrong > 0) {
    printf("%s: %u x %u x %u, type %u, %u cores: %zu wrong, %s\n", file, what->m, what->n, what->k, what->type,
           what->cores, outcome.wrong, outcome.error);
    fail();
  }
  return outcome;
}

static const gemm_case_t cases[] = {
    // The smallest, and a neighbour of everything that has edges of 16.
    {1, 1, 1, .type = TYPE_BF16},
    {17, 33, 5, .type = TYPE_BF16, .a_pad = 1, .b_pad = 7, .c_pad = 3},
    {16, 16, 16, .type = TYPE_F16},
    // Decode: one row, one row of tiles.
    {1, 256, 512, .type = TYPE_BF16},
    {16, 300, 1100, .type = TYPE_F16},
    // Long sums: more pieces of b than stay in L1; the last one short.
    {130, 300, 1000, .type = TYPE_BF16},
    {130, 300, 1000, .type = TYPE_F16, .a_pad = 24, .b_pad = 5, .c_pad = 1},
    {400, 257, 769, .type = TYPE_BF16},
    // Sums of one, two, three and four pieces: quarters of L0C, halves; all of b stays.
    {1024, 512, 256, .type = TYPE_BF16},
    {1024, 512, 256, .type = TYPE_F16},
    {257, 513, 128, .type = TYPE_BF16, .c_pad = 16},
    {200, 600, 129, .type = TYPE_F16},
    {300, 520, 257, .type = TYPE_BF16},
    {390, 700, 512, .type = TYPE_BF16, .b_pad = 128},
    {260, 320, 513, .type = TYPE_BF16},
    // Halves and quarters with nothing in the last one, or a column.
    {140, 128, 200, .type = TYPE_BF16},
    {140, 129, 200, .type = TYPE_BF16},
    {140, 65, 200, .type = TYPE_BF16},
    {140, 193, 600, .type = TYPE_BF16},
    // Several AI cores: with tiles for all, with smaller tiles, with too few at any size; columns
    // of tiles that cores share, and that they do not.
    {1024, 512, 256, .type = TYPE_BF16, .cores = 2},
    {700, 600, 700, .type = TYPE_F16, .cores = 3},
    {130, 300, 1000, .type = TYPE_BF16, .cores = 8},
    {1, 256, 512, .type = TYPE_BF16, .cores = 5, .b_pad = 8},
    {3, 5, 7, .type = TYPE_BF16, .cores = 4},
    {640, 40, 300, .type = TYPE_BF16, .cores = 24},
};

// In processes of their own, of RV64 firmware; before this one has had a machine.
static uint64_t cycles_alone[ARRAY_LEN(cases)];

static void count_cycles(const void *what, void *cycles) { *(uint64_t *)cycles = run_well(what, firmware[0]).cycles; }

static int run_alone(void **state) {
  (void)state;
  bool good = true;
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    good = good && step_forked(count_cycles, &cases[i], &cycles_alone[i], sizeof cycles_alone[i]);
  }
  return good ? 0 : -1;
}

TEST_GROUP(run_alone, NULL)

TEST(every_bit) {
  for (size_t i = 0; i < ARRAY_LEN(cases); ++i) {
    assert_int_equal(run_well(&cases[i], firmware[0]).cycles, cycles_alone[i]);
    run_well(&cases[i], firmware[1]);
  }
  printf("%zu products, RV64 and native: no bit differs\n", ARRAY_LEN(cases));
}

TEST(cycles_repeat) {
  for (size_t i = 0; i < ARRAY_LEN(cases); i += 3) {
    gemm_case_t again = cases[i];
    again.threads = 3;
    gemm_case_t timing = cases[i];
    timing.timing_only = true;
    const uint64_t cycles = run_well(&cases[i], firmware[0]).cycles;
    assert_int_equal(run_well(&again, firmware[0]).cycles, cycles);
    assert_int_equal(run_well(&timing, firmware[0]).cycles, cycles);
  }
}

// A little below what sw/kernels/README.md says.
TEST(cube_is_busy) {
  static const struct {
    uint32_t m, n, k;
    double use;
  } expected[] = {{1024, 256, 256, 0.65}, {1024, 512, 512, 0.81}, {1024, 1024, 1024, 0.83}};
  for (size_t i = 0; i < ARRAY_LEN(expected); ++i) {
    const gemm_case_t what = {expected[i].m, expected[i].n, expected[i].k, .type = TYPE_BF16, .timing_only = true};
    const gemm_outcome_t outcome = run_well(&what, firmware[0]);
    printf("%u x %u x %u: %llu cycles, use %.3f\n", what.m, what.n, what.k, (unsigned long long)outcome.cycles,
           outcome.use);
    assert_true(outcome.use >= expected[i].use && outcome.use < 1);
  }
}

// ---- Arguments outside of the kernel's limits ----

static void no_m(gemm_args_t *args) { args->m = 0; }
static void no_n(gemm_args_t *args) { args->n = 0; }
static void no_k(gemm_args_t *args) { args->k = 0; }
static void large_m(gemm_args_t *args) { args->m = GEMM_MAX + 1; }
static void large_n(gemm_args_t *args) {
  args->n = GEMM_MAX + 1;
  args->b_pitch = args->c_pitch = 4 * args->n;
}
static void large_k(gemm_args_t *args) {
  args->k = GEMM_MAX + 1;
  args->a_pitch = 2 * args->k;
}
static void other_type(gemm_args_t *args) { args->type = TYPE_F32; }
static void odd_a(gemm_args_t *args) { args->a++; }
static void odd_b(gemm_args_t *args) { args->b++; }
static void odd_c(gemm_args_t *args) { args->c += 2; }
static void odd_pitch(gemm_args_t *args) { args->a_pitch++; }
static void short_a_pitch(gemm_args_t *args) { args->a_pitch -= 2; }
static void short_b_pitch(gemm_args_t *args) { args->b_pitch -= 2; }
static void short_c_pitch(gemm_args_t *args) { args->c_pitch -= 4; }

TEST(bad_arguments_panic) {
  static void (*const changes[])(gemm_args_t *) = {
      no_m,  no_n,  no_k,  large_m,   large_n,       large_k,       other_type,
      odd_a, odd_b, odd_c, odd_pitch, short_a_pitch, short_b_pitch, short_c_pitch,
  };
  for (size_t i = 0; i < ARRAY_LEN(changes); ++i) {
    for (size_t j = 0; j < ARRAY_LEN(firmware); ++j) {
      const gemm_case_t what = {20, 30, 40, .type = TYPE_BF16, .change = changes[i]};
      const gemm_outcome_t outcome = run(&what, firmware[j]);
      if (outcome.status != SOC_STOPPED || strstr(outcome.error, "cube0 firmware panic ARGUMENTS: ") == NULL) {
        printf("change %zu, %s: status %d, %s\n", i, firmware[j], (int)outcome.status, outcome.error);
        fail();
      }
    }
  }
}

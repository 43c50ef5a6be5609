// Base and AMLA at full size against FP64: the errors NUMERICS.md section 4 expects and its gates, the
// ablations, and the recorded inputs of a real MLA model.
//
// Tolerances: the expected errors are means over 40 seeds; one seed of N(0,1) moves by under 0.3 %,
// a peaked distribution (U(10), N(0,25)) by several percent.
// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include "num_test_attention.h"

enum { ROWS = 128, DK = 576, DV = 512, KEYS = 8192 };

// Gates of the contract: AMLA over Base, each against FP64.
static const double GATE_AFTER = 1.05;   // BF16 out
static const double GATE_BEFORE = 1.30;  // before the last cast, flat distributions only

typedef struct {
  const char *name;
  int uniform;  // 1: U(-spread, spread); 0: N(0, spread^2)
  double spread;
  int flat;           // GATE_BEFORE applies
  double base, amla;  // expected after the cast, x 1e-3
  double tolerance;   // relative, on those two
} distribution_t;

static const distribution_t DISTRIBUTIONS[] = {
    {"N(0,1)", 0, 1.0, 1, 1.776, 1.812, 0.01},
    {"N(0,25)", 0, 5.0, 0, 1.353, 1.354, 0.08},
    {"U(1)", 1, 1.0, 1, 1.976, 2.010, 0.02},
    {"U(10)", 1, 10.0, 0, 1.229, 1.233, 0.08},
};

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void fill(uint16_t *x, size_t n, const distribution_t *d, num_rng_t *rng) {
  for (size_t i = 0; i < n; ++i) {
    const double value = d->uniform ? 2.0 * num_rng_uniform(rng) - 1.0 : num_rng_normal(rng);
    x[i] = num_bf16_from_f32((float)(value * d->spread));
  }
}

typedef struct {
  uint16_t *q, *kv;
  double *golden;
  float *x;
} buffers_t;

static int setup(void **state) {
  buffers_t *b = allocate(1, sizeof *b);
  b->q = allocate(ROWS * DK, sizeof *b->q);
  b->kv = allocate(KEYS * DK, sizeof *b->kv);
  b->golden = allocate(ROWS * DV, sizeof *b->golden);
  b->x = allocate(ROWS * DV, sizeof *b->x);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  buffers_t *b = *state;
  free(b->q);
  free(b->kv);
  free(b->golden);
  free(b->x);
  free(b);
  return 0;
}

static relative_t run_base(const num_attn_t *attn, buffers_t *b) {
  assert_int_equal(num_attn_base(attn, NUM_ISA_AUTO, b->x), 0);
  return relative_error(b->golden, b->x, attn->rows * attn->dv);
}

static relative_t run_amla(const num_attn_t *attn, unsigned flags, buffers_t *b) {
  assert_int_equal(num_attn_amla(attn, NUM_ISA_AUTO, flags, b->x, NULL), 0);
  return relative_error(b->golden, b->x, attn->rows * attn->dv);
}

static void assert_near(double x, double expected, double tolerance) {
  CHECK(fabs(x - expected) <= tolerance * expected, "%.4e, expected %.4e within %g", x, expected, tolerance);
}

TEST_WITH(tables, setup, teardown) {
  buffers_t *b = *state;
  for (size_t i = 0; i < ARRAY_LEN(DISTRIBUTIONS); ++i) {
    const distribution_t *d = &DISTRIBUTIONS[i];
    const uint64_t seed = 100 + i;
    num_rng_t rng;
    num_rng_seed(&rng, seed);
    fill(b->q, ROWS * DK, d, &rng);
    fill(b->kv, KEYS * DK, d, &rng);
    const num_attn_t attn = mla_problem(ROWS, KEYS, DK, DV, b->q, b->kv);
    const double start = seconds();
    assert_int_equal(num_attn_golden(&attn, b->golden), 0);
    const double middle = seconds();
    const relative_t base = run_base(&attn, b);
    const relative_t amla = run_amla(&attn, 0, b);
    printf(
        "%-8s seed %llu: base %.4e (before cast %.3e), amla %.4e (%.3e), ratios %.3f (%.3f); "
        "golden %.2f s, both tiled %.2f s\n",
        d->name, (unsigned long long)seed, base.after, base.before, amla.after, amla.before, amla.after / base.after,
        amla.before / base.before, middle - start, seconds() - middle);
    assert_near(base.after, d->base * 1e-3, d->tolerance);
    assert_near(amla.after, d->amla * 1e-3, d->tolerance);
    CHECK(amla.after <= GATE_AFTER * base.after, "gate after the cast, %s", d->name);
    if (d->flat) {
      CHECK(amla.before <= GATE_BEFORE * base.before, "gate before the cast, %s", d->name);
    }
  }
}

// The gates must bite: each ablation has to fail the one that is there for it.
TEST_WITH(ablations_fail_the_gates, setup, teardown) {
  buffers_t *b = *state;
  num_rng_t rng;
  num_rng_seed(&rng, 200);
  fill(b->q, ROWS * DK, &DISTRIBUTIONS[0], &rng);
  fill(b->kv, KEYS * DK, &DISTRIBUTIONS[0], &rng);
  const num_attn_t attn = mla_problem(ROWS, KEYS, DK, DV, b->q, b->kv);
  assert_int_equal(num_attn_golden(&attn, b->golden), 0);
  const relative_t base = run_base(&attn, b);
  const relative_t amla = run_amla(&attn, 0, b);
  const relative_t uncompensated = run_amla(&attn, NUM_ATTN_NO_COMPENSATION, b);
  const relative_t printed = run_amla(&attn, NUM_ATTN_PRINTED_C, b);
  printf(
      "N(0,1) seed 200, before the cast over base: amla %.3f, no compensation %.3f, c as printed "
      "%.3f; after: base %.3e, amla %.3e, %.3e, %.3e\n",
      amla.before / base.before, uncompensated.before / base.before, printed.before / base.before, base.after,
      amla.after, uncompensated.after, printed.after);
  CHECK(amla.before <= GATE_BEFORE * base.before, "the contract itself");
  CHECK(uncompensated.before > 1.5 * base.before, "no compensation");
  CHECK(printed.before > GATE_BEFORE * base.before, "c as printed");
  CHECK(uncompensated.after > GATE_AFTER * base.after, "no compensation");
  CHECK(printed.after > GATE_AFTER * base.after, "c as printed");
  // Expected from other seeds; without compensation the seed decides how often c moves.
  assert_near(uncompensated.after, 2.1e-3, 0.15);
  assert_near(printed.after, 3.0e-3, 0.15);
}

// Reads count words that follow the header of a version 1 .npy file of '<u2'.
static uint16_t *read_npy(const char *name, size_t count) {
  char path[1024];
  unsigned char head[10];
  snprintf(path, sizeof path, "%s/%s", DATA_DIR, name);
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL, "cannot open %s", path);
  CHECK(fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "\x93NUMPY\x01", 7) == 0, "%s is no .npy",
        path);
  const long header = (long)head[8] + 256L * (long)head[9];
  CHECK(fseek(file, (long)sizeof head + header, SEEK_SET) == 0, "%s too short", path);
  uint16_t *words = allocate(count, sizeof *words);
  CHECK(fread(words, sizeof *words, count, file) == count, "%s too short", path);
  fclose(file);
  return words;
}

TEST_WITH(real_inputs, setup, teardown) {
  enum { REAL_KEYS = 4096 };
  static const double expected_base[2] = {1.75e-3, 1.73e-3};
  static const double expected_amla[2] = {1.75e-3, 1.75e-3};
  static const double expected_amla_before[2] = {4.3e-4, 5.2e-4};
  buffers_t *b = *state;
  uint16_t *q = read_npy("mla_real_q_bf16bits.npy", 2 * ROWS * DK);
  uint16_t *kv = read_npy("mla_real_kv_bf16bits.npy", REAL_KEYS * DK);
  for (size_t i = 0; i < 2; ++i) {
    num_attn_t attn = mla_problem(ROWS, REAL_KEYS, DK, DV, q + i * ROWS * DK, kv);
    attn.scale = (float)(1.0 / sqrt(96.0));
    assert_int_equal(num_attn_golden(&attn, b->golden), 0);
    const relative_t base = run_base(&attn, b);
    const relative_t amla = run_amla(&attn, 0, b);
    printf("real query %zu: base %.4e (before cast %.3e), amla %.4e (%.3e)\n", i, base.after, base.before, amla.after,
           amla.before);
    // Half a unit of the two decimals the expectations are given with.
    assert_near(base.after, expected_base[i], 0.005);
    assert_near(amla.after, expected_amla[i], 0.005);
    assert_near(base.before, 4.5e-4, 0.02);
    assert_near(amla.before, expected_amla_before[i], 0.02);
  }
  free(q);
  free(kv);
}

// H-FA's recurrence in FP64: with all approximations the golden function's bits, without any the
// textbook's attention, and each of them alone where it can be seen by hand.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "test.h"
#include "num/engine/num_engine.h"
#include "num/engine/num_hfa_sources.h"
#include "num/num_rng.h"

enum { D_MAX = 80, KEYS_MAX = 300 };

static const num_hfa_sources_t all = {
    .quantised = true, .pwl = true, .mitchell_add = true, .mitchell_log = true, .mitchell_out = true};

typedef struct problem {
  num_bf16_t q[D_MAX], k[KEYS_MAX * D_MAX], v[KEYS_MAX * D_MAX];
  uint8_t valid[KEYS_MAX];
} problem_t;

static problem_t problem;
static num_hfa_log_t scratch[2 * (D_MAX + 1)];
static num_bf16_t out[D_MAX];

static void fill(uint64_t seed, size_t d, size_t keys, double q_width, double v_width) {
  num_rng_normal_bf16(seed, 0, 0, d, q_width, problem.q);
  num_rng_normal_bf16(seed, 1, 0, keys * d, 1.0, problem.k);
  num_rng_normal_bf16(seed, 2, 0, keys * d, v_width, problem.v);
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  for (size_t i = 0; i < keys; ++i) {
    problem.valid[i] = num_rng_u64(&rng) % 4 != 0;
  }
}

static void attend(const num_hfa_sources_t *sources, size_t d, size_t blocks, bool masked, size_t keys) {
  num_hfa_sources_attention(sources, d, blocks, problem.q, problem.k, problem.v, masked ? problem.valid : NULL, keys,
                            out, scratch);
}

static void same_as_golden(size_t d, size_t blocks, bool masked, size_t keys) {
  num_element_t elements[2 * (D_MAX + 1)];
  num_bf16_t want[D_MAX];
  const num_engine_t engine = {.design = NUM_DESIGN_HFA, .d = d, .blocks = blocks, .rows = keys};
  num_engine_attention(&engine, problem.q, problem.k, problem.v, masked ? problem.valid : NULL, keys, want, elements);
  attend(&all, d, blocks, masked, keys);
  assert_memory_equal(out, want, d * sizeof *out);
}

TEST(all_on_is_h_fa) {
  // Wide scores, tiny and huge values: saturation, zeros and the ends of BF16 are reached.
  static const double v_widths[] = {1.0, 1e-38, 1e37, 1e-20};
  static const size_t blocks[] = {1, 2, 3, 4, 8};
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const size_t d = 1 + seed * 7 % D_MAX;
    const size_t keys = 1 + seed * 13 % KEYS_MAX;
    const double q_width = (seed % 5 == 0 ? 16.0 : 1.0) / sqrt((double)d);
    fill(seed, d, keys, q_width, v_widths[seed % 4]);
    problem.v[seed % (keys * d)] = (num_bf16_t)(seed % 2 ? 0x8000 : 0x0001);
    same_as_golden(d, blocks[seed % 5], seed % 3 == 0, keys);
  }
}

// Equal keys make all scores equal, repeated values of both signs cancel exactly.
TEST(all_on_cancels_like_h_fa) {
  fill(1, 16, 64, 1.0, 1.0);
  for (size_t i = 1; i < 64; ++i) {
    memcpy(problem.k + i * 16, problem.k, 16 * sizeof *problem.k);
    for (size_t c = 0; c < 16; ++c) {
      problem.v[i * 16 + c] = (num_bf16_t)(problem.v[c] ^ (i % 2 ? 0x8000u : 0u));
    }
  }
  for (size_t keys = 1; keys <= 64; ++keys) {
    same_as_golden(16, 1 + keys % 4, false, keys);
  }
}

TEST(no_valid_key_gives_zero) {
  const num_hfa_sources_t none = {0};
  fill(2, 8, 10, 1.0, 1.0);
  memset(problem.valid, 0, sizeof problem.valid);
  for (size_t blocks = 1; blocks <= 3; ++blocks) {
    attend(&none, 8, blocks, true, 10);
    for (size_t c = 0; c < 8; ++c) {
      assert_int_equal(out[c], 0);
    }
    same_as_golden(8, blocks, true, 10);
  }
}

// The textbook over the same BF16 scores.
static double textbook(size_t d, size_t keys, size_t column) {
  num_bf16_t m = NUM_BF16_NEG_INF;
  double sum = 0;
  double weights = 0;
  for (size_t i = 0; i < keys; ++i) {
    m = num_bf16_max(m, num_bf16_dot(problem.q, problem.k + i * d, d));
  }
  for (size_t i = 0; i < keys; ++i) {
    const num_bf16_t score = num_bf16_dot(problem.q, problem.k + i * d, d);
    const double weight = exp((double)num_bf16_to_f32(score) - (double)num_bf16_to_f32(m));
    sum += weight * (double)num_bf16_to_f32(problem.v[i * d + column]);
    weights += weight;
  }
  return sum / weights;
}

// Differences of scores are BF16, up to 2^-9 of at most 4 here: e^d is off by 0.8 % at most.
TEST(all_off_is_attention) {
  const num_hfa_sources_t none = {0};
  const size_t d = 32;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    double difference = 0;
    double size = 0;
    fill(seed, d, 200, 1.0 / sqrt(32.0), 1.0);
    attend(&none, d, 1 + seed % 4, false, 200);
    for (size_t c = 0; c < d; ++c) {
      const double want = textbook(d, 200, c);
      const double got = (double)num_bf16_to_f32(out[c]);
      difference += (got - want) * (got - want);
      size += want * want;
    }
    assert_true(sqrt(difference / size) < 0.03);
  }
}

static double bf16(double x) { return (double)num_bf16_to_f32(num_bf16_from_f32((float)x)); }

// Two keys, the first one's score `ahead`, and given values.
static double attend_to_two(const num_hfa_sources_t *sources, double ahead, double a, double b) {
  problem.q[0] = NUM_BF16_ONE;
  problem.k[0] = num_bf16_from_f32((float)ahead);
  problem.k[1] = 0;
  problem.v[0] = num_bf16_from_f32((float)a);
  problem.v[1] = num_bf16_from_f32((float)b);
  attend(sources, 1, 1, false, 2);
  return (double)num_bf16_to_f32(out[0]);
}

TEST(each_alone) {
  const num_hfa_sources_t none = {0};
  const num_hfa_sources_t add = {.mitchell_add = true};
  const num_hfa_sources_t log = {.mitchell_log = true};
  const num_hfa_sources_t result = {.mitchell_out = true};
  const num_hfa_sources_t pwl = {.pwl = true};
  const num_hfa_sources_t quantised = {.quantised = true};
  assert_true(attend_to_two(&none, 0, 3, 1) == 2);
  // log2(3 + 1) as log2 3 + 1/3
  assert_true(attend_to_two(&add, 0, 3, 1) == bf16(3 * exp2(1.0 / 3) / 2));
  // log2 3 as 1.5
  assert_true(attend_to_two(&log, 0, 3, 1) == bf16((exp2(1.5) + 1) / 2));
  // 2.25 = 2^(1 + 0.1699)
  assert_true(attend_to_two(&result, 0, 3, 1.5) == bf16(2 * log2(2.25)));
  // 2^-0.12348 = 235/256, in the first piece 1 - 21/4096 * 128 * 0.12348
  const double x = 235.0 / 256;
  assert_true(attend_to_two(&none, 0, 1, -x) == bf16((1 - x) / 2));
  assert_true(attend_to_two(&pwl, 0, 1, -x) == bf16(21.0 / 4096 * 128 * -log2(x) / 2));
  // e^-20 as 2^-(15 * 369/256), which is 2^-(2768/128)
  assert_true(attend_to_two(&none, 20, 0, 0x1p30) == bf16(exp(-20) * 0x1p30));
  assert_true(attend_to_two(&quantised, 20, 0, 0x1p30) == bf16(exp2(-2768.0 / 128) * 0x1p30));
}

typedef struct seen {
  size_t count, subtractions;
  double sum;
} seen_t;

static void see(void *context, double x, bool subtract) {
  seen_t *seen = context;
  assert_true(x > 0 && x <= 1);
  ++seen->count;
  seen->subtractions += subtract;
  seen->sum += x;
}

// Additions to log2(0) are none: of two keys the second one meets the first in l and the column.
TEST(additions_are_told) {
  seen_t seen = {0};
  num_hfa_sources_t sources = {.seen = see, .context = &seen};
  attend_to_two(&sources, 0, 4, -1);
  assert_int_equal(seen.count, 2);
  assert_int_equal(seen.subtractions, 1);
  assert_true(seen.sum == 1.25);  // 1 of l, 1/4 of the column
}

// Attention by FA-2 against FP64, and its units in a second transcription: each step one operation
// of num_bf16.h, in the order the contract gives.
// SPDX-License-Identifier: Apache-2.0
#include "num_test_engine.h"

enum { KEYS = 1024, QUERIES = 48, D = 32 };

TEST(errors_are_the_expected_ones) {
  static const struct {
    size_t d, blocks;
    double width, lowest, highest;
  } EXPECTED[] = {
      {32, 4, 1.0, 0.03, 0.05}, {64, 4, 1.0, 0.03, 0.05},  {128, 4, 1.0, 0.03, 0.055}, {64, 1, 1.0, 0.3, 0.45},
      {64, 2, 1.0, 0.08, 0.2},  {64, 8, 1.0, 0.005, 0.03}, {64, 4, 4.0, 0.005, 0.03},
  };
  for (size_t i = 0; i < ARRAY_LEN(EXPECTED); ++i) {
    const num_engine_t engine = {
        .design = NUM_DESIGN_FA2, .d = EXPECTED[i].d, .blocks = EXPECTED[i].blocks, .rows = KEYS};
    problem_t p = problem_new(QUERIES, KEYS, engine.d, EXPECTED[i].width, 30 + i);
    problem_run(&p, &engine, NULL);
    const double error = problem_error(&p, NULL);
    problem_free(&p);
    printf("d %zu, %zu blocks, scores x %g: %.4f\n", engine.d, engine.blocks, EXPECTED[i].width, error);
    CHECK(error >= EXPECTED[i].lowest && error <= EXPECTED[i].highest, "expected %g to %g", EXPECTED[i].lowest,
          EXPECTED[i].highest);
  }
}

// ------------------------------------------------------------------ the steps

typedef struct {
  num_bf16_t m;
  num_bf16_t o[D + 1];  // with its sign
} state_t;

static num_bf16_t weighted_sum(num_bf16_t x, num_bf16_t wx, num_bf16_t y, num_bf16_t wy) {
  return num_bf16_add(num_bf16_mul(x, wx), num_bf16_mul(y, wy));
}

static void step(state_t *state, num_bf16_t m_new, const num_bf16_t *o_new) {
  const num_bf16_t m = num_bf16_max(state->m, m_new);
  const num_bf16_t w_old = num_bf16_exp(num_bf16_diff(state->m, m));
  const num_bf16_t w_new = num_bf16_exp(num_bf16_diff(m_new, m));
  for (size_t e = 0; e <= D; ++e) {
    state->o[e] = weighted_sum(state->o[e], w_old, o_new[e], w_new);
  }
  state->m = m;
}

static state_t run_of_keys(const problem_t *p, size_t first, size_t end) {
  state_t state = {.m = NUM_BF16_NEG_INF};
  for (size_t j = first; j < end; ++j) {
    num_bf16_t o_new[D + 1] = {NUM_BF16_ONE};
    memcpy(o_new + 1, p->v + j * D, D * sizeof *o_new);
    step(&state, num_bf16_dot(p->scaled, p->k + j * D, D), o_new);
  }
  return state;
}

static num_element_t element_of(num_bf16_t x) { return (x & 0x8000u ? NUM_ELEMENT_SIGN : 0u) | (x & 0x7fffu); }

static void check_triplet(const state_t *state, const num_triplet_t *triplet) {
  assert_int_equal(triplet->m, state->m);
  for (size_t e = 0; e <= D; ++e) {
    CHECK(triplet->o[e] == element_of(state->o[e]), "element %zu: %05x, expected %04x", e, triplet->o[e], state->o[e]);
  }
}

TEST(units_take_these_steps) {
  problem_t p = problem_new(1, 300, D, 3.0, 7);
  num_element_t o[2][D + 1];
  num_triplet_t a = {.o = o[0]};
  num_triplet_t b = {.o = o[1]};
  num_fa2_clear(D, &a);
  num_fa2_clear(D, &b);
  num_fa2_fau(D, p.scaled, p.k, p.v, NULL, 200, &a);
  num_fa2_fau(D, p.scaled, p.k + 200 * D, p.v + 200 * D, NULL, 100, &b);
  state_t first = run_of_keys(&p, 0, 200);
  const state_t second = run_of_keys(&p, 200, 300);
  check_triplet(&first, &a);
  check_triplet(&second, &b);
  num_fa2_acc(D, &a, &b);
  step(&first, second.m, second.o);
  check_triplet(&first, &a);
  num_fa2_divider(D, &a, p.out);
  for (size_t c = 0; c < D; ++c) {
    assert_int_equal(p.out[c], num_bf16_div(first.o[c + 1], first.o[0]));
  }
  problem_free(&p);
}

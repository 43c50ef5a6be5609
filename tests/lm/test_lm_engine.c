// The engine as the language model's attention: the bits of num_engine_attention(), one query at a
// time over all keys with a mask of its own.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "llm/lm/lm_engine.h"
#include "lm_test.h"

enum { D = 6, HEADS = 4, KV_HEADS = 2, FIRST = 5, N = 9, KEYS = FIRST + N, LARGEST = KEYS * HEADS * D };

static const checkpoint_config_t shape = {.hidden_size = HEADS * D,
                                          .intermediate_size = 1,
                                          .num_hidden_layers = 1,
                                          .num_attention_heads = HEADS,
                                          .num_key_value_heads = KV_HEADS,
                                          .vocab_size = 2,
                                          .max_position_embeddings = 20,
                                          .head_dim = D};

typedef struct {
  float q[LARGEST], k[LARGEST], v[LARGEST], out[LARGEST];
  lm_attention_t attention;
} problem_t;

static void make_problem(problem_t *p) {
  num_rng_t rng;
  num_rng_seed(&rng, 40);
  for (size_t i = 0; i < LARGEST; ++i) {
    p->q[i] = (float)(2.0 * num_rng_normal(&rng));
    p->k[i] = (float)num_rng_normal(&rng);
    p->v[i] = (float)num_rng_normal(&rng);
  }
  p->attention = (lm_attention_t){
      .shape = &shape, .layer = 0, .first = FIRST, .n = N, .q = p->q, .k = p->k, .v = p->v, .out = p->out};
}

// Key/value head h of x [KEYS,KV_HEADS,D]
static void gather_head(const float *x, size_t h, num_bf16_t *y) {
  for (size_t j = 0; j < KEYS; ++j) {
    for (size_t c = 0; c < D; ++c) {
      y[j * D + c] = num_bf16_from_f32(x[(j * KV_HEADS + h) * D + c]);
    }
  }
}

static void expected_head(const problem_t *p, const num_engine_t *engine, size_t token, size_t head, num_bf16_t *out) {
  num_bf16_t q[D], k[KEYS * D], v[KEYS * D];
  uint8_t valid[KEYS];
  num_element_t scratch[2 * (D + 1)];
  for (size_t c = 0; c < D; ++c) {
    q[c] = num_bf16_scale(num_bf16_from_f32(p->q[(token * HEADS + head) * D + c]), (float)(1.0 / sqrt((double)D)));
  }
  gather_head(p->k, head / (HEADS / KV_HEADS), k);
  gather_head(p->v, head / (HEADS / KV_HEADS), v);
  for (size_t j = 0; j < KEYS; ++j) {
    valid[j] = j <= FIRST + token;
  }
  num_engine_attention(engine, q, k, v, valid, KEYS, out, scratch);
}

static void bits_are_the_engines(void **state) {
  (void)state;
  static const num_engine_t engines[] = {
      {.design = NUM_DESIGN_FA2, .d = D, .blocks = 1, .rows = 8},
      {.design = NUM_DESIGN_FA2, .d = D, .blocks = 4, .rows = 12},
      {.design = NUM_DESIGN_HFA, .d = D, .blocks = 4, .rows = 64},
      {.design = NUM_DESIGN_HFA, .hfa = {.corrected = true}, .d = D, .blocks = 3, .rows = 6},
  };
  static const size_t threads[] = {0, 1, 3, 1000};
  problem_t p;
  make_problem(&p);
  for (size_t e = 0; e < ARRAY_LEN(engines); ++e) {
    for (size_t t = 0; t < ARRAY_LEN(threads); ++t) {
      lm_engine_t engine = {engines[e], threads[t]};
      memset(p.out, 0xff, sizeof p.out);
      assert_true(lm_attend_engine(&engine, &p.attention));
      for (size_t i = 0; i < N * HEADS; ++i) {
        num_bf16_t expected[D];
        expected_head(&p, &engines[e], i / HEADS, i % HEADS, expected);
        for (size_t c = 0; c < D; ++c) {
          CHECK(same_f32(p.out[i * D + c], num_bf16_to_f32(expected[c])), "engine %zu, %zu threads, query %zu", e,
                threads[t], i);
        }
      }
    }
  }
}

// Apart from what BF16 costs, it is attention.
static void near_fp32(void **state) {
  (void)state;
  lm_engine_t engine = {{.design = NUM_DESIGN_FA2, .d = D, .blocks = 2, .rows = 64}, 1};
  problem_t p;
  make_problem(&p);
  assert_true(lm_attend_fp32(NULL, &p.attention));
  float exact[N * HEADS * D];
  memcpy(exact, p.out, sizeof exact);
  assert_true(lm_attend_engine(&engine, &p.attention));
  double error = 0.0, size = 0.0;
  for (size_t i = 0; i < N * HEADS * D; ++i) {
    error += pow((double)p.out[i] - (double)exact[i], 2.0);
    size += pow((double)exact[i], 2.0);
  }
  printf("relative error %.2e\n", sqrt(error / size));
  assert_true(error > 0.0 && sqrt(error / size) < 0.02);
}

static void wrong_width_gives_up(void **state) {
  (void)state;
  lm_engine_t engine = {{.design = NUM_DESIGN_FA2, .d = D + 2, .blocks = 1, .rows = 64}, 1};
  problem_t p;
  make_problem(&p);
  assert_false(lm_attend_engine(&engine, &p.attention));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_the_engines), cmocka_unit_test(near_fp32),
                                     cmocka_unit_test(wrong_width_gives_up)};
  return cmocka_run_group_tests_name("lm_engine", tests, NULL, NULL);
}

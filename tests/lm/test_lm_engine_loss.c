// The loss of the shipped model with an engine in place of every layer's attention, in nats/byte
// above FP32: for one block NUMERICS.md's figures of the first two windows; for the corrected
// arithmetic a limit for any window.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "llm/lm/lm_engine.h"
#include "lm_test.h"

enum { COMPARED = 2 };

typedef struct {
  const char *name;
  num_engine_t engine;
  double above[COMPARED];
} expected_t;

static const expected_t engines[] = {
    {"FA-2", {.design = NUM_DESIGN_FA2, .d = 64, .blocks = 1, .rows = 1024}, {0.0011, 0.0021}},
    {"H-FA, Mitchell", {.design = NUM_DESIGN_HFA, .d = 64, .blocks = 1, .rows = 1024}, {0.0115, 0.0250}},
};

static void losses(void **state) {
  (void)state;
  lm_t *lm = open_kjv();
  uint32_t *text = read_text();
  float *logits = allocate(WINDOW * lm_shape(lm)->vocab_size, sizeof *logits);
  for (size_t w = 0; w < COMPARED; ++w) {
    const double exact = window_loss(lm, text, w, &fp32, logits);
    for (size_t e = 0; e < ARRAY_LEN(engines); ++e) {
      lm_engine_t engine = {engines[e].engine, 2};
      const lm_backend_t backend = {.attend = lm_attend_engine, .attend_context = &engine};
      const double above = window_loss(lm, text, w, &backend, logits) - exact;
      printf("window %zu, %s: %+.5f nats/byte\n", w, engines[e].name, above);
      CHECK(fabs(above - engines[e].above[w]) <= 5e-4, "expected %+.4f", engines[e].above[w]);
    }
  }
  free(logits);
  free(text);
  lm_close(lm);
}

// The exact function, rounded, would lose up to 0.0019 with one block.
static void corrected_loses_little(void **state) {
  (void)state;
  lm_t *lm = open_kjv();
  uint32_t *text = read_text();
  float *logits = allocate(WINDOW * lm_shape(lm)->vocab_size, sizeof *logits);
  for (size_t w = 0; w < WINDOWS; ++w) {
    const double exact = window_loss(lm, text, w, &fp32, logits);
    for (size_t blocks = 1; blocks <= 4; blocks += 3) {
      lm_engine_t engine = {
          {.design = NUM_DESIGN_HFA, .hfa = {.corrected = true}, .d = 64, .blocks = blocks, .rows = 1024}, 2};
      const lm_backend_t backend = {.attend = lm_attend_engine, .attend_context = &engine};
      const double above = window_loss(lm, text, w, &backend, logits) - exact;
      printf("window %zu, corrected, %zu blocks: %+.5f nats/byte\n", w, blocks, above);
      CHECK(above <= 0.002, "%+.5f", above);
    }
  }
  free(logits);
  free(text);
  lm_close(lm);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(losses), cmocka_unit_test(corrected_loses_little)};
  return cmocka_run_group_tests_name("lm_engine_loss", tests, NULL, NULL);
}

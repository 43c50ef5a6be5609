// The shipped model: its losses on held-out text, what it writes, the same bits however it is fed.
// SPDX-License-Identifier: Apache-2.0
#include <cjson/cJSON.h>
#include <math.h>
#include <time.h>

#include "lm_test.h"

static int setup(void **state) {
  *state = open_kjv();
  return 0;
}

static int teardown(void **state) {
  lm_close(*state);
  return 0;
}

static void losses(void **state) {
  static const double expected[WINDOWS] = {0.8385, 0.9075, 0.7783, 0.8217, 0.7824, 0.7595, 0.8118, 0.8444};
  lm_t *lm = *state;
  uint32_t *text = read_text();
  float *logits = allocate(WINDOW * lm_shape(lm)->vocab_size, sizeof *logits);
  double mean = 0.0;
  const clock_t start = clock();
  for (size_t w = 0; w < WINDOWS; ++w) {
    const double loss = window_loss(lm, text, w, &fp32, logits);
    mean += loss / WINDOWS;
    printf("window %zu: %.5f nats/byte\n", w, loss);
    CHECK(fabs(loss - expected[w]) <= 2e-4, "expected %.4f", expected[w]);
  }
  printf("mean %.5f, %.3f s a window\n", mean, (double)(clock() - start) / CLOCKS_PER_SEC / WINDOWS);
  CHECK(fabs(mean - 0.8180) <= 2e-4, "expected 0.8180");
  free(logits);
  free(text);
}

typedef struct {
  uint32_t best;
  double gap;  // to the second best
} choice_t;

static choice_t choose(const float *logits, size_t vocab) {
  choice_t choice = {0, INFINITY};
  for (size_t i = 1; i < vocab; ++i) {
    const double ahead = (double)logits[i] - (double)logits[choice.best];
    if (ahead > 0.0) {
      choice = (choice_t){(uint32_t)i, ahead};
    } else {
      choice.gap = fmin(choice.gap, -ahead);
    }
  }
  return choice;
}

// The continuation has to be the recorded one up to where two logits are too close to call.
static void continue_sample(lm_t *lm, const cJSON *sample) {
  enum { MOST_VOCAB = 256 };
  const double close_call = 0.01;
  const char *prompt = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "prompt"));
  const char *expected = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "greedy200"));
  const double margin = cJSON_GetNumberValue(cJSON_GetObjectItem(sample, "min_margin"));
  const size_t length = strlen(expected);
  float logits[MOST_VOCAB];
  double smallest = INFINITY;
  size_t written = 0;
  lm_restart(lm);
  uint32_t *tokens = tokens_of(prompt, strlen(prompt));
  assert_true(lm_forward(lm, tokens, strlen(prompt), &fp32, logits, true));
  free(tokens);
  for (; written < length; ++written) {
    const choice_t choice = choose(logits, lm_shape(lm)->vocab_size);
    if (choice.gap < close_call) {
      break;
    }
    smallest = fmin(smallest, choice.gap);
    CHECK(choice.best == (uint8_t)expected[written], "byte %zu of '%s': %u, expected %d", written, prompt, choice.best,
          expected[written]);
    assert_true(lm_forward(lm, &choice.best, 1, &fp32, logits, true));
  }
  printf("'%s': %zu bytes as recorded, smallest gap %.5f\n", prompt, written, smallest);
  if (margin > 1.1 * close_call) {
    assert_int_equal(written, length);
    CHECK(fabs(smallest - margin) < 1e-3, "smallest gap recorded %.5f", margin);
  }
}

static void greedy(void **state) {
  size_t size;
  char *text = (char *)read_data(DATA_DIR "/kjv_lm_reference.json", &size);
  cJSON *reference = cJSON_ParseWithLength(text, size);
  const cJSON *samples = cJSON_GetObjectItem(reference, "samples");
  assert_int_equal(cJSON_GetArraySize(samples), 4);
  const cJSON *sample;
  cJSON_ArrayForEach(sample, samples) { continue_sample(*state, sample); }
  cJSON_Delete(reference);
  free(text);
}

// All at once, one by one, and in pieces of several sizes.
static void bits_do_not_depend_on_the_feeding(void **state) {
  enum { TOKENS = 150 };
  static const size_t pieces[] = {1, 7, 64};
  lm_t *lm = *state;
  const size_t vocab = lm_shape(lm)->vocab_size;
  uint32_t *text = read_text();
  float *whole = allocate(TOKENS * vocab, sizeof *whole);
  float *fed = allocate(TOKENS * vocab, sizeof *fed);
  lm_restart(lm);
  assert_true(lm_forward(lm, text, TOKENS, &fp32, whole, false));
  for (size_t p = 0; p < ARRAY_LEN(pieces); ++p) {
    memset(fed, 0, TOKENS * vocab * sizeof *fed);
    lm_restart(lm);
    for (size_t i = 0; i < TOKENS; i += pieces[p]) {
      const size_t n = TOKENS - i < pieces[p] ? TOKENS - i : pieces[p];
      assert_int_equal(lm_position(lm), i);
      assert_true(lm_forward(lm, text + i, n, &fp32, fed + i * vocab, false));
    }
    assert_memory_equal(fed, whole, TOKENS * vocab * sizeof *fed);
  }
  lm_restart(lm);
  assert_true(lm_forward(lm, text, TOKENS, &fp32, fed, true));
  assert_memory_equal(fed, whole + (TOKENS - 1) * vocab, vocab * sizeof *fed);
  free(whole);
  free(fed);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(losses), cmocka_unit_test(greedy),
                                     cmocka_unit_test(bits_do_not_depend_on_the_feeding)};
  return cmocka_run_group_tests_name("lm_kjv", tests, setup, teardown);
}

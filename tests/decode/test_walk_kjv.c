// The shipped DeepSeek-V2 model against Hugging Face's own implementation of it in FP32: hidden states, logits, losses,
// greedy continuations.
//   test_walk_kjv WINDOWS BYTES
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/npy.h"
#include "llm/walk/walk.h"
#include "host/parallel.h"
#include "num_test.h"

#define MODEL DATA_DIR "/kjv_mla"

enum { WINDOWS = 8, WINDOW = 1024, PREFIX = 64, VOCAB = 256, HIDDEN = 256, LAYERS = 3 };

static size_t windows = 1, bytes = 30;
static checkpoint_t *model;
static walk_t *walk;
static cJSON *reference;
static uint32_t text[WINDOWS * (WINDOW + 1) + 1];

static base_error_t error;
#define GOOD(what) CHECK(what, "%s", error.text)

static void read_text(void) {
  FILE *file = fopen(DATA_DIR "/kjv_val.txt", "rb");
  assert_non_null(file);
  for (size_t i = 0; i < ARRAY_LEN(text); ++i) {
    text[i] = (uint32_t)fgetc(file);
  }
  assert_false(feof(file));
  fclose(file);
}

static int setup(void **state) {
  (void)state;
  model = checkpoint_open(&(checkpoint_request_t){.folder = MODEL}, &error);
  GOOD(model != NULL);
  walk = walk_open(model, WINDOW, parallel_host_threads(), &error);
  GOOD(walk != NULL);
  reference = json_read_input(MODEL "/reference.json", "losses", &error);
  GOOD(reference != NULL);
  read_text();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  cJSON_Delete(reference);
  walk_close(walk);
  checkpoint_close(model);
  return 0;
}

static void check_near(const char *what, const double *x, const float *expected, size_t n) {
  double errors = 0.0, sizes = 0.0;
  for (size_t i = 0; i < n; ++i) {
    errors += (x[i] - (double)expected[i]) * (x[i] - (double)expected[i]);
    sizes += (double)expected[i] * (double)expected[i];
  }
  printf("%s: relative error %.2e\n", what, sqrt(errors / sizes));
  CHECK(sqrt(errors / sizes) < 2e-6, "%s: %g", what, sqrt(errors / sizes));  // FP32's rounding
}

// The residual stream before each layer and the last norm.
static void observe(void *context, const walk_event_t *event) {
  const float *expected = context;
  const bool stream = event->stage == WALK_EMBEDDING || event->stage == WALK_FFN_RESIDUAL;
  const size_t index = event->stage == WALK_EMBEDDING ? 0 : event->stage == WALK_NORM ? LAYERS : event->layer + 1;
  if ((stream && index < LAYERS) || event->stage == WALK_NORM) {
    char what[32];
    assert_true(event->rows == PREFIX && event->columns == HIDDEN);
    snprintf(what, sizeof what, "hidden state %zu", index);
    check_near(what, event->values, expected + index * PREFIX * HIDDEN, PREFIX * HIDDEN);
  }
}

static void hidden_states_and_logits(void **state) {
  (void)state;
  npy_array_t hidden, logits;
  static double found[PREFIX * VOCAB];
  GOOD(npy_read(MODEL "/hidden64.npy", NPY_BIT(F4), &hidden, &error));
  GOOD(npy_read(MODEL "/logits64.npy", NPY_BIT(F4), &logits, &error));
  assert_true(npy_count(&hidden) == (LAYERS + 1) * PREFIX * HIDDEN && npy_count(&logits) == PREFIX * VOCAB);
  GOOD(walk_begin(walk, 0, NULL, &error));
  walk_observe(walk, observe, hidden.data);
  GOOD(walk_forward(walk, text, PREFIX, found, false, &error));
  walk_observe(walk, NULL, NULL);
  check_near("logits", found, logits.data, PREFIX * VOCAB);
  npy_free(&hidden);
  npy_free(&logits);
}

// -ln softmax(logits)[target]
static double loss_of(const double *logits, uint32_t target) {
  double sum = 0.0;
  for (size_t i = 0; i < VOCAB; ++i) {
    sum += exp(logits[i] - logits[target]);
  }
  return log(sum);
}

static void losses(void **state) {
  (void)state;
  const cJSON *expected = cJSON_GetObjectItem(reference, "loss_by_window");
  double *logits = allocate(WINDOW * VOCAB, sizeof *logits);
  assert_int_equal(cJSON_GetArraySize(expected), WINDOWS);
  for (size_t w = 0; w < windows; ++w) {
    const uint32_t *window = text + w * (WINDOW + 1);
    const double should = cJSON_GetNumberValue(cJSON_GetArrayItem(expected, (int)w));
    double loss = 0.0;
    GOOD(walk_begin(walk, 0, NULL, &error));
    GOOD(walk_forward(walk, window, WINDOW, logits, false, &error));
    for (size_t i = 0; i < WINDOW; ++i) {
      loss += loss_of(logits + i * VOCAB, window[i + 1]) / WINDOW;
    }
    printf("window %zu: %.7f nats/byte, expected %.7f\n", w, loss, should);
    CHECK(fabs(loss - should) < 1e-5, "window %zu", w);
  }
  free(logits);
}

// The best of the logits, and how far it is ahead of the next.
static uint32_t choose(const double *logits, double *gap) {
  uint32_t best = 0;
  *gap = INFINITY;
  for (uint32_t i = 1; i < VOCAB; ++i) {
    const double ahead = logits[i] - logits[best];
    *gap = ahead > 0.0 ? ahead : fmin(*gap, -ahead);
    best = ahead > 0.0 ? i : best;
  }
  return best;
}

static void continue_sample(const cJSON *sample) {
  const char *prompt = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "prompt"));
  const char *expected = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "greedy200"));
  const double margin = cJSON_GetNumberValue(cJSON_GetObjectItem(sample, "min_margin"));
  double logits[VOCAB], gap, smallest = INFINITY;
  uint32_t tokens[100];
  for (size_t i = 0; i < strlen(prompt); ++i) {
    tokens[i] = (uint8_t)prompt[i];
  }
  GOOD(walk_begin(walk, 0, NULL, &error));
  GOOD(walk_forward(walk, tokens, strlen(prompt), logits, true, &error));
  assert_int_equal(strlen(expected), 200);
  for (size_t i = 0; i < bytes; ++i) {
    const uint32_t token = choose(logits, &gap);
    smallest = fmin(smallest, gap);
    CHECK(token == (uint8_t)expected[i], "byte %zu of '%s': %u, expected %d", i, prompt, token, expected[i]);
    GOOD(walk_forward(walk, &token, 1, logits, true, &error));
  }
  printf("'%s': %zu bytes as recorded, smallest gap %.6f\n", prompt, bytes, smallest);
  CHECK(bytes < 200 || fabs(smallest - margin) < 1e-4, "smallest gap recorded %.6f", margin);
}

static void greedy(void **state) {
  (void)state;
  const cJSON *sample, *samples = cJSON_GetObjectItem(reference, "samples");
  assert_int_equal(cJSON_GetArraySize(samples), 4);
  cJSON_ArrayForEach(sample, samples) { continue_sample(sample); }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hidden_states_and_logits), cmocka_unit_test(losses),
                                     cmocka_unit_test(greedy)};
  if (argc == 3) {
    windows = strtoull(argv[1], NULL, 10);
    bytes = strtoull(argv[2], NULL, 10);
  }
  return cmocka_run_group_tests_name("walk_kjv", tests, setup, teardown);
}

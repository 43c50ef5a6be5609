// Captured queries, keys and values are the language model's: attention made of them is its own.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "test.h"
#include "config/config.h"
#include "kernel/lm/lm_capture.h"
#include "num/golden/num_attention.h"

enum { WINDOW = 2, TOKENS = 40 };

static lm_capture_t capture;

// The output of head `head` at token i, from what was captured.
static void attend_to_captured(size_t layer, size_t head, size_t i, double *out) {
  const lm_head_t it = lm_capture_head(&capture, layer, head);
  const num_attn_t attn = {.rows = 1,
                           .keys = i + 1,
                           .dk = capture.d,
                           .dv = capture.d,
                           .q = it.q + i * capture.d,
                           .k = it.k,
                           .ldk = capture.d,
                           .v = it.v,
                           .ldv = capture.d,
                           .scale = (float)(1 / sqrt((double)capture.d))};
  assert_int_equal(num_attn_golden(&attn, out), 0);
}

// Inputs in BF16 are up to 2^-9 off each; so are scores, of some units, in all.
static bool compare(void *context, const lm_attention_t *attention) {
  size_t *heads_seen = context;
  double want[256];
  assert_true(lm_attend_fp32(NULL, attention));
  for (size_t head = 0; head < capture.heads; ++head) {
    for (size_t i = 0; i < TOKENS; ++i) {
      num_error_t error;
      attend_to_captured(attention->layer, head, i, want);
      num_error(want, attention->out + (i * capture.heads + head) * capture.d, capture.d, &error);
      assert_true(error.rel_fro < 0.05);
    }
    ++*heads_seen;
  }
  return true;
}

TEST(is_the_models) {
  base_error_t error;
  char path[1024];
  char message[256];
  uint8_t bytes[TOKENS];
  uint32_t text[TOKENS];
  size_t heads_seen = 0;
  assert_true(lm_capture(WINDOW, TOKENS, &capture, &error));
  assert_true(capture.d <= 256);
  snprintf(path, sizeof path, "%s/tests/data/kjv_val.txt", config_home());
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, WINDOW * (TOKENS + 1), SEEK_SET), 0);
  assert_int_equal(fread(bytes, 1, TOKENS, file), TOKENS);
  fclose(file);
  for (size_t i = 0; i < TOKENS; ++i) {
    text[i] = bytes[i];
  }
  snprintf(path, sizeof path, "%s/tests/data/kjv_lm_bf16.bin", config_home());
  lm_t *lm = lm_open(path, 0, message, sizeof message);
  assert_non_null(lm);
  const lm_backend_t backend = {.attend = compare, .attend_context = &heads_seen};
  assert_true(lm_forward(lm, text, TOKENS, &backend, NULL, false));
  assert_int_equal(heads_seen, capture.layers * capture.heads);
  lm_close(lm);
  lm_capture_free(&capture);
}

TEST(past_the_end_is_refused) {
  base_error_t error;
  assert_false(lm_capture(8, 1024, &capture, &error));
  assert_non_null(strstr(error.text, "kjv_val.txt: ends before byte"));
  assert_null(capture.data);
  assert_false(lm_capture(0, 1025, &capture, &error));
  assert_non_null(strstr(error.text, "1025 tokens are too many"));
  assert_null(capture.data);
}

// SPDX-License-Identifier: Apache-2.0
#include "kernel/lm/lm_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "llm/text/tokens.h"

enum { PATH_BYTES = 4096, MESSAGE_BYTES = 4352, ARRAYS = 3 };  // of a head: q, k, v

static num_bf16_t *head_data(const lm_capture_t *capture, size_t layer, size_t head) {
  return capture->data + (layer * capture->heads + head) * ARRAYS * capture->tokens * capture->d;
}

lm_head_t lm_capture_head(const lm_capture_t *capture, size_t layer, size_t head) {
  const num_bf16_t *q = head_data(capture, layer, head);
  const size_t count = capture->tokens * capture->d;
  return (lm_head_t){q, q + count, q + 2 * count};
}

void lm_capture_free(lm_capture_t *capture) {
  free(capture->data);
  capture->data = NULL;
}

// One head of x [tokens,heads,d].
static void take(const lm_capture_t *capture, const float *x, size_t heads, size_t head, num_bf16_t *out) {
  for (size_t i = 0; i < capture->tokens; ++i) {
    num_bf16_from_f32_n(x + (i * heads + head) * capture->d, out + i * capture->d, capture->d);
  }
}

static bool attend(void *context, const lm_attention_t *attention) {
  const lm_capture_t *capture = context;
  const size_t kv_heads = attention->shape->num_key_value_heads;
  const size_t count = capture->tokens * capture->d;
  for (size_t head = 0; head < capture->heads; ++head) {
    num_bf16_t *data = head_data(capture, attention->layer, head);
    const size_t kv_head = head / (capture->heads / kv_heads);
    take(capture, attention->q, capture->heads, head, data);
    take(capture, attention->k, kv_heads, kv_head, data + count);
    take(capture, attention->v, kv_heads, kv_head, data + 2 * count);
  }
  return lm_attend_fp32(NULL, attention);
}

static bool run(lm_t *lm, const uint32_t *text, lm_capture_t *capture, base_error_t *error) {
  const checkpoint_config_t *shape = lm_shape(lm);
  capture->layers = shape->num_hidden_layers;
  capture->heads = shape->num_attention_heads;
  capture->d = shape->head_dim;
  const size_t heads = shape->num_hidden_layers * shape->num_attention_heads;
  capture->data = malloc(heads * ARRAYS * capture->tokens * capture->d * sizeof *capture->data);
  const lm_backend_t backend = {.attend = attend, .attend_context = capture};
  return (capture->data != NULL && lm_forward(lm, text, capture->tokens, &backend, NULL, false)) ||
         base_fail(error, "language model: out of memory, or %zu tokens are too many", capture->tokens);
}

static bool read_and_run(const uint32_t *text, lm_capture_t *capture, base_error_t *error) {
  char path[PATH_BYTES];
  char message[MESSAGE_BYTES];
  snprintf(path, sizeof path, "%s/tests/data/kjv_lm_bf16.bin", config_home());
  lm_t *lm = lm_open(path, 0, message, sizeof message);
  const bool good = lm != NULL ? run(lm, text, capture, error) : base_fail(error, "%s", message);
  lm_close(lm);
  return good;
}

bool lm_capture(size_t window, size_t tokens, lm_capture_t *capture, base_error_t *error) {
  static const llm_vocab_t vocab = {.size = 256, .bytes = true, .unit = "byte"};
  char path[PATH_BYTES];
  llm_text_t text;
  *capture = (lm_capture_t){.tokens = tokens};
  snprintf(path, sizeof path, "%s/tests/data/kjv_val.txt", config_home());
  if (!llm_text_read(path, &vocab, tokens, window + 1, &text, error)) {
    return false;
  }
  const bool whole = window < text.windows && llm_window_predictions(&text, window) == tokens;
  const bool good = whole ? read_and_run(llm_window(&text, window), capture, error)
                          : base_fail(error, "%s: ends before byte %zu", path, window * (tokens + 1) + tokens);
  llm_tokens_free(&text.tokens);
  if (!good) {
    lm_capture_free(capture);
  }
  return good;
}

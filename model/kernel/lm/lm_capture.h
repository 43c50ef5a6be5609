// Queries, keys and values of the shipped language model's heads on the shipped text, in BF16.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_LM_LM_CAPTURE_H
#define AMALGAM_KERNEL_LM_LM_CAPTURE_H

#include "base/error.h"
#include "llm/lm/lm.h"
#include "num/num_format.h"

typedef struct lm_capture {
  size_t layers, heads;
  size_t tokens;     // of a window
  size_t d;          // elements of a query, key or value
  num_bf16_t *data;  // owned
} lm_capture_t;

// One head, arrays [tokens,d]; queries are not scaled. Token i sees keys 0 .. i.
typedef struct lm_head {
  const num_bf16_t *q, *k, *v;
} lm_head_t;

// The text is cut into windows of tokens + 1 bytes; window `window` is captured, from a fresh start,
// the model's own attention in FP32.
bool lm_capture(size_t window, size_t tokens, lm_capture_t *capture, base_error_t *error);

lm_head_t lm_capture_head(const lm_capture_t *capture, size_t layer, size_t head);

void lm_capture_free(lm_capture_t *capture);

#endif

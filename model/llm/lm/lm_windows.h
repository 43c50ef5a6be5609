// A text cut into windows, and how well a model predicts one of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_WINDOWS_H
#define AMALGAM_LLM_LM_LM_WINDOWS_H

#include "base/error.h"
#include "llm/lm/lm.h"

// A text of bytes, cut as llm/text/score.h says.
typedef struct lm_windows {
  uint8_t *bytes;  // owned
  size_t count;    // of bytes
  size_t context;  // most predictions of a window
  size_t windows;
} lm_windows_t;

typedef struct lm_window {
  const uint8_t *bytes;  // [predictions + 1]
  size_t predictions;
} lm_window_t;

// What a window's predictions are worth.
typedef struct lm_score {
  size_t predictions;
  double loss;   // nats a byte, mean over the predictions
  size_t agree;  // predictions whose best byte is the reference's
} lm_score_t;

// Reads `most` windows of a file, 0: all. False if it has none, or a byte that the model does not
// know.
bool lm_windows_read(const char *path, const lm_shape_t *shape, size_t most, lm_windows_t *windows,
                     base_error_t *error);
void lm_windows_free(lm_windows_t *windows);
lm_window_t lm_windows_at(const lm_windows_t *windows, size_t index);

// The model's logits [predictions,vocab] from a fresh start. False: the backend gave up.
bool lm_window_logits(lm_t *lm, const lm_window_t *window, const lm_backend_t *backend, float *logits);

// Logits [predictions,vocab] against the text, and against those of a reference (which may be the
// same array).
lm_score_t lm_window_score(const lm_window_t *window, size_t vocab, const float *logits, const float *reference);

// Over both: means are over predictions.
void lm_score_add(lm_score_t *sum, const lm_score_t *score);

#endif

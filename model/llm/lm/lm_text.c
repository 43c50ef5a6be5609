// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm_text.h"

#include <math.h>
#include <stdlib.h>

#include "llm/text/score.h"

bool lm_window_logits(lm_t *lm, const llm_text_t *text, size_t window, const lm_backend_t *backend, float *logits) {
  lm_restart(lm);
  return lm_forward(lm, llm_window(text, window), llm_window_predictions(text, window), backend, logits, false);
}

lm_score_t lm_window_score(const llm_text_t *text, size_t window, size_t vocab, const float *logits,
                           const float *reference) {
  lm_score_t score = {.predictions = llm_window_predictions(text, window)};
  for (size_t i = 0; i < score.predictions; ++i) {
    const float *row = logits + i * vocab;
    score.lost += !llm_is_finite(row, vocab);
    score.loss += llm_loss(row, vocab, llm_window(text, window)[i + 1]);
    score.agree += llm_choose(row, vocab).best == llm_choose(reference + i * vocab, vocab).best;
  }
  score.loss /= (double)score.predictions;
  return score;
}

void lm_score_add(lm_score_t *sum, const lm_score_t *score) {
  const double nats = sum->loss * (double)sum->predictions + score->loss * (double)score->predictions;
  sum->predictions += score->predictions;
  sum->agree += score->agree;
  sum->lost += score->lost;
  sum->loss = nats / (double)sum->predictions;
}

static void keep_choice(lm_generation_t *g, size_t i, const float *logits, size_t vocab) {
  const llm_choice_t choice = llm_choose(logits, vocab);
  if (!llm_is_finite(logits, vocab) && g->lost++ == 0) {
    g->lost_at = i;
  }
  g->text[i] = choice.best;
  if (choice.gap < g->gap) {
    g->gap = choice.gap;
    g->gap_at = i;
  }
  if (g->gaps != NULL) {
    g->gaps[i] = choice.gap;
  }
  if (g->put != NULL) {
    g->put(g->put_context, g->text[i]);
  }
}

static bool generate(lm_t *lm, const lm_backend_t *backend, lm_generation_t *g, float *logits) {
  const size_t vocab = lm_shape(lm)->vocab_size;
  lm_restart(lm);
  g->gap = INFINITY;
  g->gap_at = 0;
  if (!lm_forward(lm, g->prompt.list, g->prompt.count, backend, logits, true)) {
    return false;
  }
  for (size_t i = 0; i < g->tokens; ++i) {
    keep_choice(g, i, logits, vocab);
    if (i + 1 < g->tokens && !lm_forward(lm, g->text + i, 1, backend, logits, true)) {
      return false;
    }
  }
  return true;
}

bool lm_generate(lm_t *lm, const lm_backend_t *backend, lm_generation_t *generation) {
  float *logits = malloc(lm_shape(lm)->vocab_size * sizeof *logits);
  const bool good = logits != NULL && generate(lm, backend, generation, logits);
  free(logits);
  return good;
}

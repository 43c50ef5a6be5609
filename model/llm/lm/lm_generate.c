// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm_generate.h"

#include <math.h>
#include <stdlib.h>

#include "llm/text/score.h"

static void take(lm_generation_t *g, size_t i, llm_choice_t choice) {
  g->text[i] = (uint8_t)choice.best;
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
  const size_t vocab = lm_shape(lm)->vocab;
  lm_restart(lm);
  g->gap = INFINITY;
  g->gap_at = 0;
  if (!lm_forward(lm, g->prompt, g->prompt_bytes, backend, logits, true)) {
    return false;
  }
  for (size_t i = 0; i < g->tokens; ++i) {
    take(g, i, llm_choose(logits, vocab));
    if (i + 1 < g->tokens && !lm_forward(lm, g->text + i, 1, backend, logits, true)) {
      return false;
    }
  }
  return true;
}

bool lm_generate(lm_t *lm, const lm_backend_t *backend, lm_generation_t *generation) {
  float *logits = malloc(lm_shape(lm)->vocab * sizeof *logits);
  const bool good = logits != NULL && generate(lm, backend, generation, logits);
  free(logits);
  return good;
}

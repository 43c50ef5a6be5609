// What `run lm` found, for the text and the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_LM_RESULT_H
#define KERNEL_LM_RESULT_H

#include <cJSON.h>
#include <stdio.h>

#include "kernel/lm/lm_generate.h"
#include "kernel/lm/lm_settings.h"
#include "kernel/lm/lm_windows.h"

typedef struct lm_result {
  const options_t *options;
  const lm_settings_t *settings;
  const lm_shape_t *shape;
  const char *model;       // its file, for people
  // Of --eval; else windows is 0.
  const char *text;        // its file
  size_t windows;
  lm_score_t *scores;      // [windows]
  lm_score_t *fp32;        // [windows], the model in FP32
  lm_score_t mean, fp32_mean;
  // Of --prompt.
  lm_generation_t generation;
  // What the machine did; soc is NULL if there was none.
  size_t tokens;           // that attention was asked for
  const lm_machine_books_t *books;
  const soc_result_t *soc;
  double seconds;          // of the host, without building and opening
} lm_result_t;

// What will be computed, known before; the prompt and what followed it; what it took and was worth.
void lm_result_text_head(FILE *file, const lm_result_t *result);
void lm_result_text_generated(FILE *file, const lm_result_t *result);
void lm_result_text(FILE *file, const lm_result_t *result);

void lm_result_json(const lm_result_t *result, cJSON *root);

// Cycles of all launches.
uint64_t lm_result_cycles(const lm_result_t *result);

// Attention's of these, for each token it was asked for.
double lm_result_cycles_per_token(const lm_result_t *result);

// Share of the predictions whose best byte is FP32's.
double lm_result_agreement(const lm_score_t *score);

#endif

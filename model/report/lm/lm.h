// The report on the language model: what it measures (runs.c) and writes (lm.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_LM_LM_H
#define AMALGAM_REPORT_LM_LM_H

#include "llm/lm/lm_text.h"
#include "num/engine/num_engine.h"
#include "report/hfa/hfa.h"
#include "report/report.h"

enum {
  REPORT_LM_WINDOWS = 8,  // of the shipped text
  REPORT_LM_ROWS = 9,
  REPORT_LM_PROMPTS = 4,
  REPORT_LM_TOKENS = 200,
  REPORT_LM_PROMPT_BYTES = 64,
  REPORT_LM_BLOCKS = 2,  // P of the error's sources: 1 and 4
};

// The attention of a model: the engines' C golden, or the model's own FP32.
typedef struct report_lm_kind {
  const char *name, *text;  // "mitchell", for people
  bool engine;
  num_engine_t it;  // blocks is 0 in FP32; d and rows come with the model and the machine
  bool writes;      // texts too, not only losses
} report_lm_kind_t;

extern const report_lm_kind_t report_lm_kinds[REPORT_LM_ROWS];  // the first one is FP32

typedef struct report_lm_row {
  lm_score_t window[REPORT_LM_WINDOWS], mean;
} report_lm_row_t;

typedef struct report_lm_text {
  uint32_t text[REPORT_LM_TOKENS];  // bytes
  size_t same;                      // bytes as FP32 wrote them, from the first on
  double gap;                       // FP32's between the two best logits where they part; NAN: they do not
} report_lm_text_t;

typedef struct report_lm_prompt {
  char prompt[REPORT_LM_PROMPT_BYTES];
  uint32_t recorded[REPORT_LM_TOKENS];  // when the model was trained, in FP32
  size_t recorded_same;
  report_lm_text_t by[REPORT_LM_ROWS];  // where the kind writes
} report_lm_prompt_t;

typedef struct report_lm {
  size_t rows, chunk[REPORT_LM_ROWS];  // keys an engine holds, keys of a chunk
  report_lm_row_t row[REPORT_LM_ROWS];
  report_lm_prompt_t prompt[REPORT_LM_PROMPTS];
  report_errors_t errors[REPORT_LM_BLOCKS];
  report_inputs_t inputs[REPORT_INPUTS];
} report_lm_t;

extern const size_t report_lm_blocks[REPORT_LM_BLOCKS];

// The losses of some kinds alone, a bit for each, FP32 among them; report->rows is set.
bool report_lm_losses(const report_context_t *context, unsigned kinds, report_lm_t *report, base_exit_t *code,
                      base_error_t *error);

// Everything; report->rows is set.
bool report_lm_run(const report_context_t *context, report_lm_t *report, base_exit_t *code, base_error_t *error);

#endif

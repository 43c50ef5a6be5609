// The language model on a machine: its loss on a text, or the text it writes, and what that took.
// attention/attention.h has an example of how these functions are used.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_LM_LM_RUN_H
#define AMALGAM_KERNEL_LM_LM_RUN_H

#include "kernel/lm/lm_settings.h"
#include "llm/lm/lm_text.h"
#include "kernel/result.h"

typedef struct lm_run lm_run_t;

typedef struct lm_request {
  lm_settings_t settings;
  const char *model;    // file, NULL: the shipped one
  size_t context;       // tokens it sees at most, 0: as its file says
  const char *eval;     // a text to predict, NULL: none
  size_t windows;       // of it, 0: all
  const char *prompt;   // without a text: what is continued, NULL: the shipped one
  size_t tokens;        // by so many bytes
  bool allow_overflow;  // logits that are not finite are no failure
  // Told how the run goes on; each may be NULL.
  void (*step)(void *context, const char *what, double us);  // at work on that, so long simulated
  void (*begin)(void *context, const lm_run_t *run);         // before the first byte is written
  void (*put)(void *context, uint32_t token);                // each as it comes
  void *context_of_these;
} lm_request_t;

#define LM_SHIPPED_PROMPT "In the beginning "

struct lm_run {
  lm_request_t request;  // with the settings decided
  lm_machine_options_t options;
  lm_t *lm;
  lm_machine_t *machine;  // NULL: none
  const checkpoint_config_t *shape;
  const char *model;  // its file, for people
  // A text that is predicted; without one windows is 0.
  llm_text_t text;
  float *logits, *reference;  // [context,vocab] each
  size_t windows;
  lm_score_t *scores;  // [windows]
  lm_score_t *fp32;    // [windows], the model in FP32
  lm_score_t mean, fp32_mean;
  // A prompt that is continued.
  lm_generation_t generation;
  char lost_from[64];  // if logits are not finite: where infinities and NaNs begin
  // The machine's books; soc is NULL if there was none.
  char at_work[64];
  size_t tokens;  // that attention was asked for
  const lm_machine_books_t *books;
  const soc_result_t *soc;
  double seconds;  // of the host, without building and opening
};

// The request that `amalgam run lm` makes without options, on that machine.
lm_request_t lm_request(const kernel_machine_t *machine);

// As attention_prepare and so on. There is nothing to judge: no result is wrong but one that is not finite.
bool lm_prepare(const lm_request_t *request, lm_run_t *run, base_error_t *error);
base_exit_t lm_simulate(lm_run_t *run, base_error_t *error);
base_exit_t lm_verdict(const lm_run_t *run, base_error_t *error);
void lm_json(const lm_run_t *run, cJSON *root);
void lm_release(lm_run_t *run);

// Cycles of all launches, and attention's of these for each token it was asked for.
uint64_t lm_run_cycles(const lm_run_t *run);
double lm_run_cycles_per_token(const lm_run_t *run);

// Rows of logits that are not all finite; *first: the first of them, for people.
size_t lm_lost(const lm_run_t *run, char first[48]);
// If there are any: where infinities and NaNs begin, as "attention of layer 2".
const char *lm_lost_from(const lm_run_t *run);

// Share of the predictions whose best byte is FP32's.
double lm_agreement(const lm_score_t *score);

#endif

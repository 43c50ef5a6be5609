// A language model on a machine, all of it: the loss on a text, the text it writes, or how long a step takes.
// attention/attention.h has an example of how these functions are used.
//
// A step takes `query` new tokens of each of `batch` entries through all layers, by one launch of the kernel step,
// which is given a list of operations (sw/kernels/step/step_args.h), or by one launch for each of them. A prompt and a
// window of a text are steps of many query tokens.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_H
#define AMALGAM_KERNEL_DECODE_DECODE_H

#include <stdio.h>

#include "llm/checkpoint/checkpoint.h"
#include "kernel/decode/decode_check.h"
#include "kernel/decode/decode_finite.h"
#include "kernel/decode/decode_step.h"
#include "llm/text/sample.h"
#include "llm/text/tokens.h"
#include "kernel/decode/decode_verify.h"
#include "kernel/result.h"
#include "num/num_rng.h"

typedef struct decode_run decode_run_t;

typedef struct decode_request {
  decode_settings_t settings;
  checkpoint_request_t model;  // folder NULL: the shipped one
  size_t experts_here;         // of each mixture, the first so many; 0: all
  // One of these three; none: the shipped prompt.
  const char *eval;           // a text to predict
  size_t windows;             // of it, 0: all
  const char *prompt;         // what is continued, by so many tokens,
  const char *prompt_tokens;  // or a file of its tokens, or of those of several entries, a line each
  size_t tokens;
  llm_sampling_t sampling;  // of these tokens, drawn by model.seed
  bool timing;              // `steps` steps after `past` tokens that are made up
  size_t past, steps;
  size_t context;  // of a window
  size_t chunk;    // tokens of an entry's prompt or window that a step takes at most
  size_t batch;    // entries, each the same prompt or past; of --eval windows at a time, 0: all
  bool verify, check;
  bool allow_overflow;  // logits that are not finite are no failure
  double tolerance;     // of check; NAN: the usual one
  // Told how the run goes on; each may be NULL.
  void (*step)(void *context, const char *what, double us);  // at work on that, so long simulated
  void (*begin)(void *context, const decode_run_t *run);     // before the first token is written
  void (*put)(void *context, uint32_t token);                // each as it comes
  void *context_of_these;
} decode_request_t;

#define DECODE_SHIPPED_PROMPT "In the beginning "

// Steps of one kind: those of prompts and windows, or those that bring one token (or --mtp of them) each.
typedef struct decode_books {
  size_t steps;
  uint64_t cycles, launch_cycles;  // launch_cycles: of these before a launch's first operation and after its last
  size_t launches;
  size_t tokens;  // query tokens of all entries
} decode_books_t;

struct decode_run {
  decode_request_t request;  // with all that was left open decided
  checkpoint_t *checkpoint;
  const checkpoint_config_t *model;
  char name[256];  // of the model, for people
  llm_vocab_t vocab;
  llm_tokenizer_t *tokenizer;  // NULL: the folder has none
  llm_text_t eval;             // what is predicted,
  llm_tokens_t text;           // or the prompt, or those of all entries
  size_t prompts, *prompt_at;  // how many: 1, of all entries, or one of each; where they begin in text, [prompts + 1]
  size_t windows;
  decode_machine_t *machine;
  decode_verify_t *verify;  // NULL: not asked for
  decode_check_t *check;    // NULL: not asked for
  decode_finite_t *finite;  // NULL: with timing only
  size_t lost;              // rows of logits that are not all finite,
  char lost_at[64];         // the first of them, for people
  size_t misread;           // tokens that are not those of the largest logits,
  size_t misread_at;        // the first of them
  double *loss;             // [windows] nats a token
  double mean_loss;
  size_t predictions;
  uint32_t *written;  // [prompts][tokens], of one prompt entry 0's
  double gap;         // smallest between a chosen logit and the second best, of entry 0
  size_t gap_at;
  llm_candidate_t *candidates;  // [vocab], of a token that is drawn; NULL: none is
  num_rng_t rng;                // by which they are
  float *logits;                // [logit_rows][vocab], every one that a token was chosen or predicted by
  size_t logit_rows;
  decode_books_t prefill, decode;
  const soc_result_t *soc;
  uint64_t cycles;               // of all launches
  double load_seconds, seconds;  // of the host
};

// The request that `amalgam run decode` makes without options, on that machine.
decode_request_t decode_request(const kernel_machine_t *machine);

// As attention_prepare and so on.
bool decode_prepare(const decode_request_t *request, decode_run_t *run, base_error_t *error);
base_exit_t decode_simulate(decode_run_t *run, base_error_t *error);
base_exit_t decode_verdict(const decode_run_t *run, base_error_t *error);
void decode_write_logits(const decode_run_t *run, FILE *npy);
void decode_json(const decode_run_t *run, cJSON *root);
void decode_release(decode_run_t *run);

static inline size_t decode_prompt_length(const decode_run_t *run, size_t prompt) {
  return run->prompt_at[prompt + 1] - run->prompt_at[prompt];
}

// If `lost`: the operation with which infinities and NaNs begin, as "swiglu of layer 0".
const char *decode_lost_from(const decode_run_t *run);

// Relative error of a stage beyond which it is bad.
double decode_tolerance(const decode_run_t *run);

// Books of the steps that decode_machine_sums is about: steps that bring tokens, or if there are none, prompts and
// windows.
const decode_books_t *decode_main_books(const decode_run_t *run);

// Microseconds of a step that brings tokens, the mean; tokens of all entries in a second of such steps. 0: there was
// none.
double decode_step_us(const decode_run_t *run);
double decode_tokens_per_second(const decode_run_t *run);

#endif

// What a run found, for the text and the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_ATTENTION_RESULT_H
#define CLI_ATTENTION_RESULT_H

#include <cJSON.h>

#include "cli/attention/attention_problem.h"
#include "cli/option/options.h"
#include "cli/run/settings.h"

typedef struct result {
  const options_t *options;
  const settings_t *settings;
  const attention_problem_t *problem;
  soc_result_t soc;
  void *out;                 // owned
  size_t judged_rows;        // of each batch entry, compared with the golden; 0: no error below
  num_error_t error;         // over the judged rows
  num_error_t *per_token;    // owned; [batch * seq_q], NULL unless all rows are judged
  double tolerance;
  bool verified;             // compared with the contract's C loops
  size_t wrong_bits;         // elements that differ from them
} result_t;

// Relative errors beyond which a run exits with 1, unless --tolerance says otherwise.  Rounding the
// output to BF16 alone costs 1.7e-3 (at most 2^-8 = 3.9e-3), P16 in front of it about as much for
// flat attention; FP32 results of the contract stay under 2.5e-3.
#define RESULT_TOLERANCE_BF16 5e-3
#define RESULT_TOLERANCE_F32 3e-3

// FP64 golden and errors as --golden says; the contract's loops with --verify.
bool result_judge(result_t *result, cli_error_t *error);

// Exit code 1 with a message, or 0.
cli_exit_t result_verdict(const result_t *result, cli_error_t *error);

void result_free(result_t *result);

double result_peak_rss_mb(void);

void result_text(FILE *file, const result_t *result);
bool result_json(FILE *file, const result_t *result, cli_error_t *error);

// Parts of both that any run of the SoC has. Text of the pipes: of cores whose kind was given
// commands, each by itself or the mean over all of a kind; host: members of an object that is there.
void result_text_traffic(FILE *file, const soc_result_t *soc);
void result_text_pipes(FILE *file, const soc_result_t *soc, bool mean);
void result_json_config(cJSON *root, const char *config, const option_list_t *set);
void result_json_traffic(cJSON *root, const soc_result_t *soc);
void result_json_pipes(cJSON *root, const soc_result_t *soc);
void result_json_host(cJSON *host, const soc_result_t *soc);

#endif

// Attention over an FP8 KV cache by the kernel fp8: what to simulate, and what came of it.
// attention/attention.h has an example of how these functions are used.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FP8_FP8_H
#define AMALGAM_KERNEL_FP8_FP8_H

#include <stdio.h>

#include "kernel/attention/attention_settings.h"
#include "kernel/fp8/fp8_problem.h"
#include "kernel/input.h"
#include "kernel/kernel.h"

// The way in which keys become tokens; the usual one is FP8_AMAX.
typedef enum fp8_quantiser { FP8_QUANTISER_USUAL, FP8_AMAX, FP8_UE8M0 } fp8_quantiser_t;

// The source of queries and the cache. Sizes: 0 for those of the files, or the usual ones; a size that
// files do not have is refused.
typedef struct fp8_input {
  kernel_source_t source;
  const char *q, *kv;                // KERNEL_FILES
  made_up_t made_up;                 // KERNEL_MADE_UP; its seed also for indices and pages that are drawn
  fp8_quantiser_t quantiser;         // of keys; refused if the file holds tokens
  size_t batch, seq_q, heads, keys;  // usually 1, 1, 128, 4096; keys: tokens of an entry at most
  // For any source; NULL: none.
  const char *indices, *topk_lengths;  // sparse: what each query token attends to, and how many count
  const char *lengths;                 // tokens of each entry
  const char *sink;                    // attention sinks
  const char *block_table;             // KERNEL_FILES: pages of each entry
  size_t top_k;                        // without indices: as many are drawn
  size_t page_size;                    // without a block table: the cache is put into random pages
  float scale;                         // of the scores; NAN: 1 over the root of 576, or as the shipped data have it
  bool round;                          // '<f2' to BF16, where that lacks a value
  bool causal;
  size_t block;  // places of a block, a multiple of 16
} fp8_input_t;

// Usually on if machine and problem have pairs of AI cores with work for both.
typedef enum fp8_crossover { FP8_CROSSOVER_USUAL, FP8_CROSSOVER_ON, FP8_CROSSOVER_OFF } fp8_crossover_t;

typedef struct fp8_settings {
  attention_settings_t attention;  // machine, firmware, tiling: as for amla. group_rows 0: as many as the
                                   // kernel takes, without crossover on a machine with pairs as many as with
  fp8_crossover_t crossover;
  bool direct;  // keys go straight into L1, if the machine has the path
} fp8_settings_t;

typedef struct fp8_request {
  fp8_settings_t settings;
  fp8_input_t input;
  kernel_judge_t judge;
} fp8_request_t;

// The nearness of the result to the limits of FlashMLA's own tests, 1: at the limit.  An output element
// is good if it is within 1e-3, or within 2.01/128 of its golden; a log-sum-exp within 1e-6, or
// 8.01/65536; the cosine difference within 5e-6.
typedef struct fp8_margin {
  double out, lse, cos_diff;
} fp8_margin_t;

typedef struct fp8_run {
  kernel_run_t kernel;      // its result: against the dequantised cache; wrong_bits of output and log-sum-exp
  fp8_settings_t settings;  // with group_rows decided
  bool crossover;           // likewise
  fp8_problem_t problem;
  void *out;         // [rows][512], FP32 or BF16 bits as settings.attention.out_f32 says
  float *lse;        // [rows]
  double lse_error;  // largest difference of a log-sum-exp
  fp8_margin_t margin;
  bool has_bf16;  // the same rows against the cache before it was quantised
  num_error_t bf16_error;
  double *golden_lse;   // of the judged rows, while they are compared; else NULL
  float *contract_lse;  // of all rows, likewise
  double *largest;      // of the judged rows, likewise (num_attn_golden_more)
} fp8_run_t;

// The request of `amalgam run fp8` without options, on that machine.
fp8_request_t fp8_request(const kernel_machine_t *machine);

bool fp8_prepare(const fp8_request_t *request, fp8_run_t *run, base_error_t *error);
extern const kernel_ops_t fp8_ops;

// The output as it should be with the keys that the tokens were quantised from.
judge_answer_t fp8_answer_unquantised(fp8_run_t *run);

// FLOPs: two for each multiply-add of both products, over the tokens attended to.
uint64_t fp8_flops(const fp8_problem_t *problem);

// Cycles an AI core takes for a token and the query rows it has.
double fp8_cycles_per_token(const fp8_run_t *run);

// A counter of the run over the tokens that its lists attend to; 0 without tokens.
double fp8_per_token(const fp8_problem_t *problem, uint64_t counter);

// Internal.
base_exit_t fp8_simulate(kernel_run_t *kernel, base_error_t *error);
judge_answer_t fp8_answer(kernel_run_t *kernel);
bool fp8_judge(kernel_run_t *kernel, base_error_t *error);
base_exit_t fp8_verdict(const kernel_run_t *kernel, base_error_t *error);
void fp8_json(const kernel_run_t *kernel, cJSON *root);

#endif

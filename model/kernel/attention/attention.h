// Attention by the kernels amla and base: what to simulate, and what came of it.
//
// A C program that runs amla on the shipped data and compares every bit (link amalgam_kernel):
//
//   kernel_machine_t machine;
//   attention_run_t run;
//   base_error_t error;
//   if (!kernel_machine_open(&machine, "ascend910_core", &error)) {
//     return base_report(BASE_BAD_INPUT, &error);
//   }
//   attention_request_t request = attention_request("amla", &machine);
//   request.judge.verify = true;
//   if (!attention_prepare(&request, &run, &error) || kernel_simulate(&run.kernel, &error) != BASE_OK ||
//       !kernel_judge(&run.kernel, &error) || kernel_verdict(&run.kernel, &error) != BASE_OK) {
//     return base_report(BASE_STOPPED, &error);
//   }
//   printf("%llu cycles\n", (unsigned long long)run.kernel.result.soc.cycles);
//   kernel_release(&run.kernel);
//
// fp8/fp8.h, gemm/gemm.h, engine/engine.h, custom/custom.h and lm/lm_run.h go the same way. Messages in `error`
// call a member by the command line's option. The SoC can be simulated once a process (soc/soc.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ATTENTION_ATTENTION_H
#define AMALGAM_KERNEL_ATTENTION_ATTENTION_H

#include <stdio.h>

#include "kernel/attention/attention_problem.h"
#include "kernel/attention/attention_settings.h"
#include "kernel/input.h"
#include "kernel/kernel.h"

// The source of queries, keys and values. Sizes: 0 for those of the files, or the usual ones; a size
// that files do not have is refused.
typedef struct attention_input {
  kernel_source_t source;
  const char *q, *kv, *k, *v;                // KERNEL_FILES: q with kv, or with k and v
  made_up_t made_up;                         // KERNEL_MADE_UP
  size_t batch, seq_q, heads, keys, dk, dv;  // usually 1, 1, 128, 4096, 576, 512
  float scale;       // of the scores; NAN: 1 over the root of Dk, or as the shipped data have it
  bool round;        // '<f2' to BF16, where that lacks a value
  const char *mask;  // a file, NULL: none
  bool causal;
  size_t block;  // keys of a block, a multiple of 16
} attention_input_t;

typedef struct attention_request {
  attention_settings_t settings;
  attention_input_t input;
  kernel_judge_t judge;
} attention_request_t;

typedef struct attention_run {
  kernel_run_t kernel;
  attention_settings_t settings;
  attention_problem_t problem;
  void *out;               // [batch][rows][dv], FP32 or BF16 bits as settings.out_f32 says
  num_error_t *per_token;  // [batch * seq_q], NULL unless all rows are judged
  double *largest;         // [batch * rows] of the judged rows' scores (num_attn_golden_more); NULL: of base
  bool judges_beside;      // FP64 results are computed beside the simulation
} attention_run_t;

// Relative errors beyond which a run exits with 1, unless told otherwise.  Rounding the output to BF16
// alone costs 1.7e-3 (at most 2^-8 = 3.9e-3), P16 in front of it about as much for flat attention; FP32
// results of the contract stay under 2.5e-3.
#define ATTENTION_TOLERANCE_BF16 5e-3
#define ATTENTION_TOLERANCE_F32 3e-3

// The request of `amalgam run KERNEL` without options, on that machine. kernel: "amla" or "base".
attention_request_t attention_request(const char *kernel, const kernel_machine_t *machine);

// The arrays, and room for the result. *run must stay where it is from here on, and is to be released in any
// case.
bool attention_prepare(const attention_request_t *request, attention_run_t *run, base_error_t *error);
// For the run that it has prepared: kernel.h.
extern const kernel_ops_t attention_ops;

// FLOPs as the paper counts them: two for each multiply-add of both products.
uint64_t attention_flops(const attention_problem_t *problem);

// Rows of one batch entry, numbered through all entries, in FP64: golden [count][dv], and unless it is NULL largest
// [count] as num_attn_golden_more's. False: out of memory.
bool attention_fp64(const attention_problem_t *problem, const size_t *row, size_t count, double *golden,
                    double *largest);

// Internal.
base_exit_t attention_simulate(kernel_run_t *kernel, base_error_t *error);
judge_answer_t attention_answer(kernel_run_t *kernel);
void attention_json(const kernel_run_t *kernel, cJSON *root);

// The number of splits that settings->splits means for this problem: at most one a block.
size_t attention_splits(const attention_problem_t *problem, const attention_settings_t *settings);

// Rows of a group, at most.
size_t attention_group_rows(const attention_problem_t *problem, const attention_settings_t *settings);

// The arrays that the request asks for. False: *problem holds nothing.
bool attention_read(const attention_input_t *input, bool timing_only, attention_problem_t *problem,
                    base_error_t *error);

#endif

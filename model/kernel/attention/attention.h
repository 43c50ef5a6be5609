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
//   if (!attention_prepare(&request, &run, &error) || attention_simulate(&run, &error) != BASE_OK ||
//       !attention_judge(&run, &error) || attention_verdict(&run, &error) != BASE_OK) {
//     return base_report(BASE_STOPPED, &error);
//   }
//   printf("%llu cycles\n", (unsigned long long)run.result.soc.cycles);
//   attention_release(&run);
//
// fp8/fp8.h, gemm/gemm.h, engine/engine.h, custom/custom.h and lm/lm_run.h go the same way. Messages in `error`
// call a member by the command line's option. The SoC can be simulated once a process (soc/soc.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ATTENTION_ATTENTION_H
#define AMALGAM_KERNEL_ATTENTION_ATTENTION_H

#include <stdio.h>

#include "host/parallel.h"
#include "kernel/attention/attention_problem.h"
#include "kernel/attention/attention_settings.h"
#include "kernel/input.h"
#include "kernel/result.h"

// Where queries, keys and values come from. Sizes: 0 for those of the files, or the usual ones; a size
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
  attention_settings_t settings;
  kernel_judge_t judge;
  attention_problem_t problem;
  void *out;  // [batch][rows][dv], FP32 or BF16 bits as settings.out_f32 says
  kernel_result_t result;
  size_t judged_rows;      // of each batch entry
  num_error_t *per_token;  // [batch * seq_q], NULL unless all rows are judged
  bool judge_beside;       // the golden is computed beside the simulation
  double *golden;          // [batch][judged_rows][dv], once begun
  parallel_part_t judging;
} attention_run_t;

// Relative errors beyond which a run exits with 1, unless told otherwise.  Rounding the output to BF16
// alone costs 1.7e-3 (at most 2^-8 = 3.9e-3), P16 in front of it about as much for flat attention; FP32
// results of the contract stay under 2.5e-3.
#define ATTENTION_TOLERANCE_BF16 5e-3
#define ATTENTION_TOLERANCE_F32 3e-3

// What `amalgam run KERNEL` does without options, on that machine. kernel: "amla" or "base".
attention_request_t attention_request(const char *kernel, const kernel_machine_t *machine);

// The arrays, and room for the result. *run must stay where it is from here on, and is to be released in any
// case.
bool attention_prepare(const attention_request_t *request, attention_run_t *run, base_error_t *error);
// Returns the exit code, with the reason in error unless it is BASE_OK.
base_exit_t attention_simulate(attention_run_t *run, base_error_t *error);
// The contract's result, and with golden that of FP64, element by element.
bool attention_expected(const attention_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error);
// FP64 golden and errors, the contract's loops; nothing with timing only.
bool attention_judge(attention_run_t *run, base_error_t *error);
// Exit code 1 with a message, or 0.
base_exit_t attention_verdict(const attention_run_t *run, base_error_t *error);

void attention_write_out(const attention_run_t *run, FILE *npy);
void attention_json(const attention_run_t *run, cJSON *root);
void attention_release(attention_run_t *run);

// FLOPs as the paper counts them: two for each multiply-add of both products.
uint64_t attention_flops(const attention_problem_t *problem);

// Internal.
// Begins with the FP64 golden, if there is to be one. False: out of memory.
bool attention_begin_golden(attention_run_t *run, base_error_t *error);
// How many splits of the keys settings->splits is for this problem: at most one a block.
size_t attention_splits(const attention_problem_t *problem, const attention_settings_t *settings);

// Rows of a group, at most.
size_t attention_group_rows(const attention_problem_t *problem, const attention_settings_t *settings);

// The arrays that the request asks for. False: *problem holds nothing.
bool attention_read(const attention_input_t *input, bool timing_only, attention_problem_t *problem,
                    base_error_t *error);

#endif

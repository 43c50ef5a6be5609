// Attention by an attention engine by itself, at its pins: what to simulate, and what came of it.
// attention/attention.h has an example of how these functions are used.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ENGINE_ENGINE_H
#define AMALGAM_KERNEL_ENGINE_ENGINE_H

#include <stdio.h>

#include "engine/engine.h"
#include "kernel/engine/engine_problem.h"
#include "kernel/input.h"
#include "kernel/kernel.h"

// The source of queries, keys and values; KERNEL_SHIPPED: a head of the shipped language model, causal.
// Sizes: 0 for those of the files, or the usual ones; a size that files do not have is refused.
typedef struct engine_input {
  kernel_source_t source;
  const char *q, *k, *v;  // KERNEL_FILES
  made_up_t made_up;      // KERNEL_MADE_UP
  size_t seq_q, keys, d;  // usually 1, 1024, 64
  float scale;            // of the scores; NAN: 1 over the root of d
  bool round;             // '<f2' to BF16, where that lacks a value
  const char *mask;       // a file, NULL: none
  bool causal;
} engine_input_t;

typedef struct engine_settings {
  const char *kernel;    // "hfa", "fa2" or "expmul"
  engine_shape_t shape;  // num.design and num.d follow; num.rows 0: 1024, or enough for all keys
  bool rtl;              // the Verilog, else its C model
  bool out_f32;          // the file of the result has FP32 values
  unsigned threads;
  double clock_mhz;            // for the time
  engine_progress_t building;  // told what a build of the RTL waits for
  // Waveforms: NULL, or the FST to write
  const char *trace;
  uint64_t trace_from, trace_to;    // cycles
  const char *const *trace_scopes;  // globs (waves/waves.h); none: control and streams
  size_t trace_scope_count;
  uint64_t trace_keep;  // 0: all; else only if the run is stopped, its last so many cycles
} engine_settings_t;

typedef struct engine_request {
  engine_settings_t settings;
  engine_input_t input;
  kernel_judge_t judge;  // verify: bits with the golden C functions, cycles with the C model
} engine_request_t;

typedef struct engine_run {
  kernel_run_t kernel;  // its result: without soc; poisoned rows are not judged
  engine_settings_t settings;
  engine_problem_t problem;
  config_t priced;  // its section energy; a machine without anything that stands
  num_bf16_t *out;  // [rows,d]
  engine_cycles_t cycles;
  double seconds;         // of the host, without building and opening
  double mean_rel;        // mean over the judged rows of their own relative error
  size_t nan_rows;        // not poisoned, but with a NaN in the output
  engine_cycles_t model;  // the C model's cycles, if the RTL was verified
} engine_run_t;

// The request of `amalgam run KERNEL` without options. kernel: "hfa", "fa2" or "expmul".
engine_request_t engine_request(const char *kernel);

// Judging takes the input's infinities and NaNs away.
bool engine_prepare(const engine_request_t *request, engine_run_t *run, base_error_t *error);
extern const kernel_ops_t engine_ops;

// Did the comparison find that the RTL's cycles are not the C model's?
bool engine_cycles_differ(const engine_run_t *run);

// Internal.
base_exit_t engine_simulate(kernel_run_t *kernel, base_error_t *error);
judge_answer_t engine_answer(kernel_run_t *kernel);
bool engine_judge(kernel_run_t *kernel, base_error_t *error);
base_exit_t engine_verdict(const kernel_run_t *kernel, base_error_t *error);
void engine_json(const kernel_run_t *kernel, cJSON *root);

// The RTL of the settings' shape, or its C model. NULL: error says why.
engine_t *engine_settings_open(const engine_settings_t *settings, const engine_waves_t *waves, base_error_t *error);

// The arrays that the request asks for. False: *problem holds nothing.
bool engine_read(const engine_input_t *input, engine_problem_t *problem, base_error_t *error);

#endif

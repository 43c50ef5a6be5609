// A kernel as its users see it: the command line, reports, blame, and programs in C. Each kernel's own header says how
// to ask for a run and what came of it; its run begins with a kernel_run_t, and from X_prepare on all take that.
//
//   attention_request_t request = attention_request("amla", &machine);
//   if (!attention_prepare(&request, &run, &error) || kernel_simulate(&run.kernel, &error) != BASE_OK || ...
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_KERNEL_H
#define AMALGAM_KERNEL_KERNEL_H

#include <stdio.h>

#include "kernel/judge.h"
#include "kernel/result.h"

typedef struct kernel_run kernel_run_t;

// The functions of a kernel, for kernel_run_t.ops. NULL where a kernel has no such thing.
typedef struct kernel_ops {
  size_t run_bytes;
  bool on_soc;  // cube and vector cores: result.soc can be watched, dumped, replayed
  base_exit_t (*simulate)(kernel_run_t *run, base_error_t *error);
  uint64_t (*flops)(const kernel_run_t *run);   // of a launch
  judge_answer_t (*answer)(kernel_run_t *run);  // what the output should be, and then, if that is not all:
  bool (*judge)(kernel_run_t *run, base_error_t *error);
  base_exit_t (*verdict)(const kernel_run_t *run, base_error_t *error);
  bool (*expected)(kernel_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error);
  bool (*write_out)(const kernel_run_t *run, FILE *npy, base_error_t *error);
  bool (*write_lse)(const kernel_run_t *run, FILE *npy, base_error_t *error);
  void (*json)(const kernel_run_t *run, cJSON *root);
  void (*release)(kernel_run_t *run);
} kernel_ops_t;

struct kernel_run {
  const kernel_ops_t *ops;
  kernel_machine_t *machine;  // in the run's settings; NULL: it is not one on cube and vector cores
  kernel_judge_t judge;
  kernel_result_t result;
  judge_beside_t beside;  // begun by those that compute FP64 beside the simulation
};

// Returns the exit code, with the reason in error unless it is BASE_OK.
base_exit_t kernel_simulate(kernel_run_t *run, base_error_t *error);

// Compares the output with FP64 and with the contract's bits, as the request asked; nothing with timing only. False:
// out of memory.
bool kernel_judge(kernel_run_t *run, base_error_t *error);

// Compares without a kernel's own additions; they call it.
bool kernel_compare(kernel_run_t *run, base_error_t *error);

// Exit code 1 with a message if the result is not as it should be, else 0.
base_exit_t kernel_verdict(const kernel_run_t *run, base_error_t *error);

// Every element of the output as the contract has it, or with golden as FP64 has it. False with an empty error: nobody
// knows.
bool kernel_expected(kernel_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error);

// Frees what the run holds, if it has got as far as X_prepare.
void kernel_release(kernel_run_t *run);

#endif
